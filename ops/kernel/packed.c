#include "ops/kernel/packed.h"
#include "core/base/integers.h"
#include "kernels/loop.h"

#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"

/* The parameters for packing B: matrices one after the other. */
typedef struct packing {
    const obk_gemm *gemm;
    obk_convert convert; /* NULL: the elements have the computing type already */
    int64_t k, n;
    bool transposed;
    size_t width, bytes; /* bytes of an element and of a packed matrix */
} packing;

/* Packs 16-bit elements: first a block of them in the order of the panels, then converted. */
static void convert_panels(const packing *p, const char *from, int64_t row, int64_t column, char *to) {
    enum { ROWS = 8, MOST_COLUMNS = 64 };
    const int64_t nr = p->gemm->nr;
    const size_t made = p->bytes / (size_t)(ob__round_up(p->n, nr) * p->k); /* bytes of a packed element */
    uint16_t block[ROWS * MOST_COLUMNS];
    for (int64_t j = 0; j < p->n; j += nr)
        for (int64_t l = 0; l < p->k; l += ROWS) {
            int64_t rows = p->k - l < ROWS ? p->k - l : ROWS, columns = p->n - j < nr ? p->n - j : nr;
            memset(block, 0, sizeof block);
            for (int64_t r = 0; r < rows; r++)
                for (int64_t i = 0; i < columns; i++)
                    memcpy(&block[r * nr + i], from + (l + r) * row + (j + i) * column, sizeof block[0]);
            p->convert(to + (size_t)(j * p->k + l * nr) * made, block, rows * nr);
        }
}

static void make_packed_b(const void *params, const ob_view *constant, void *prepared) {
    const packing *p = params;
    int32_t n_batch = constant->rank > 2 ? constant->rank - 2 : 0;
    int64_t row = constant->strides[n_batch], column = constant->rank > 1 ? constant->strides[n_batch + 1] : (int64_t)p->width;
    int64_t n_matrices = ob__product(constant->dims, 0, n_batch), width = (int64_t)p->width;
    if (p->transposed) {
        int64_t swapped = row;
        row = column;
        column = swapped;
    }
    for (int64_t i = 0; i < n_matrices; i++) {
        const char *from = constant->data;
        char *to = (char *)prepared + (size_t)i * p->bytes;
        int64_t rest = i;
        for (int32_t axis = n_batch - 1; axis >= 0; axis--) {
            from += rest % constant->dims[axis] * constant->strides[axis];
            rest /= constant->dims[axis];
        }
        if (p->convert)
            convert_panels(p, from, row, column, to);
        else
            p->gemm->pack_b(to, from, row / width, column / width, p->k, p->n);
    }
}

ob_status ob__want_packed_b(const ob_kernel_site *site, ob_matrices *p, const obk_gemm *gemm, const ob_view *constant,
                            bool transposed, ob_dtype computing, ob_kernel_needs *needs, ob_error *error) {
    packing *params = ob__tail(site, 1, sizeof *params);
    OB_FAIL_IF(!params, error, OB_E_MEMORY, "no memory for a plan");
    int64_t padded = ob__round_up(p->n, gemm->nr), elements;
    int32_t n_own = constant->rank > 2 ? constant->rank - 2 : 0;
    size_t all;
    bool large = ob__mul_overflows(padded, p->k, &elements) ||
                 __builtin_mul_overflow(elements, ob_dtype_size(computing), &params->bytes) ||
                 __builtin_mul_overflow(params->bytes, ob__product(constant->dims, 0, n_own), &all);
    OB_FAIL_IF(large, error, OB_E_LIMIT, "a packed matrix is too large");
    params->gemm = gemm;
    params->k = p->k;
    params->n = p->n;
    params->transposed = transposed;
    params->width = ob_dtype_size(constant->dtype);
    if (constant->dtype != computing) params->convert = ob__find_conversion(constant->dtype, computing, true).steps[0];
    p->b.column = p->k;
    for (int32_t i = n_own - 1; i >= 0; i--) {
        if (constant->dims[i] != 1) p->b.batch[p->n_axes - n_own + i] = elements;
        elements *= constant->dims[i];
    }
    needs->prepared[needs->n_prepared++] = (ob_prepare_request){
        .input = 1,
        .format = (uint64_t)OB_PREPARED_B << 56 | (uint64_t)computing << 40 | (uint64_t)transposed << 32 | (uint64_t)gemm->nr,
        .n_bytes = all,
        .make = make_packed_b,
        .params = params,
        .width = (uint8_t)ob_dtype_size(computing)};
    return OB_OK;
}
