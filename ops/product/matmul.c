/* MatMul: Y[..., m, n] = sum over k of A[..., m, k] * B[..., k, n].
 *
 * Opset 1 floats, 9 also int32, int64, uint32, uint64 (wrapping), 13 also bfloat16. Batch dimensions broadcast by stride 0,
 * nothing is copied; a 1-d A gets a leading, a 1-d B a trailing dimension of 1 that the result does not have. K = 0 gives zeros.
 * float16 and bfloat16 are computed in float. Strided operands are read in place when one of the last two axes is dense, else
 * packed. */
#include "ops/kernel/common.h"
#include "ops/product/blas.h"

/* One product after broadcasting: batch axes (outermost first) with element strides per operand. */
typedef struct product {
    int64_t m, n, k;
    bool transpose_a, transpose_b;
    int64_t lda, ldb; /* elements */
    bool pack_a, pack_b;
    int32_t n_batch;
    int64_t batch[OB_MAX_RANK], a_stride[OB_MAX_RANK], b_stride[OB_MAX_RANK];
    ob_view a, b; /* as matrices with batch axes: rank >= 2 */
    size_t width;
} product;

/* Whether BLAS can read the last two axes: rows or columns dense, no stride 0 where there is more than one element. */
static bool read_matrix(const ob_view *view, bool *transpose, int64_t *ld) {
    int64_t width = (int64_t)ob_dtype_size(view->dtype);
    int64_t rows = view->dims[view->rank - 2], columns = view->dims[view->rank - 1];
    int64_t row_stride = view->strides[view->rank - 2], column_stride = view->strides[view->rank - 1];
    if (columns <= 1) column_stride = width;
    if (rows <= 1) row_stride = columns * width;
    if (column_stride == width && row_stride >= columns * width && row_stride % width == 0) {
        *transpose = false;
        *ld = row_stride / width;
    } else {
        if (rows <= 1) row_stride = width;
        if (columns <= 1) column_stride = rows * width;
        if (row_stride != width || column_stride < rows * width || column_stride % width != 0) return false;
        *transpose = true;
        *ld = column_stride / width;
    }
    if (*ld < 1) *ld = 1;
    return true;
}

static void insert_axis(ob_view *view, int32_t axis) {
    for (int32_t a = view->rank; a > axis; a--) {
        view->dims[a] = view->dims[a - 1];
        view->strides[a] = view->strides[a - 1];
    }
    view->dims[axis] = 1;
    view->strides[axis] = 0;
    view->rank++;
}

static int64_t batch_dim(const ob_view *view, int32_t from_end) {
    int32_t a = view->rank - 3 - from_end;
    return a >= 0 ? view->dims[a] : 1;
}

static int64_t batch_stride(const ob_view *view, int32_t from_end) {
    int32_t a = view->rank - 3 - from_end;
    return a >= 0 && view->dims[a] != 1 ? view->strides[a] : 0;
}

static ob_status set_up(const ob_kernel_args *args, product *p, ob_error *error) {
    memset(p, 0, sizeof *p);
    p->a = args->in[0];
    p->b = args->in[1];
    p->width = ob_dtype_size(p->a.dtype);
    OB_FAIL_IF(p->a.rank < 1 || p->b.rank < 1, error, OB_E_SHAPE, "MatMul: an operand is a scalar");
    OB_FAIL_IF(p->a.rank == OB_MAX_RANK || p->b.rank == OB_MAX_RANK, error, OB_E_LIMIT, "MatMul: rank %d", OB_MAX_RANK);
    if (p->a.rank == 1) insert_axis(&p->a, 0);
    if (p->b.rank == 1) insert_axis(&p->b, 1);
    p->m = p->a.dims[p->a.rank - 2];
    p->k = p->a.dims[p->a.rank - 1];
    p->n = p->b.dims[p->b.rank - 1];
    OB_FAIL_IF(p->b.dims[p->b.rank - 2] != p->k, error, OB_E_SHAPE, "MatMul: %lld columns of A against %lld rows of B",
               (long long)p->k, (long long)p->b.dims[p->b.rank - 2]);
    p->pack_a = !read_matrix(&p->a, &p->transpose_a, &p->lda);
    p->pack_b = !read_matrix(&p->b, &p->transpose_b, &p->ldb);
    if (p->pack_a) p->lda = p->k > 0 ? p->k : 1;
    if (p->pack_b) p->ldb = p->n > 0 ? p->n : 1;
    p->n_batch = (p->a.rank > p->b.rank ? p->a.rank : p->b.rank) - 2;
    int64_t count = 1;
    for (int32_t i = 0; i < p->n_batch; i++) {
        int32_t from_end = p->n_batch - 1 - i;
        int64_t a = batch_dim(&p->a, from_end), b = batch_dim(&p->b, from_end);
        OB_FAIL_IF(a != b && a != 1 && b != 1, error, OB_E_SHAPE, "MatMul: batch axis %d: %lld does not broadcast with %lld", i,
                   (long long)a, (long long)b);
        p->batch[i] = a == 1 ? b : a;
        p->a_stride[i] = batch_stride(&p->a, from_end);
        p->b_stride[i] = batch_stride(&p->b, from_end);
        count *= p->batch[i];
    }
    int64_t n_out = ob__count(&args->out[0]);
    OB_FAIL_IF(count * p->m * p->n != n_out, error, OB_E_SHAPE, "MatMul: the result has %lld elements", (long long)n_out);
    /* A batch that shares B and continues A's rows is more rows. */
    while (p->n_batch > 0 && !p->transpose_a && !p->pack_a) {
        int32_t last = p->n_batch - 1;
        bool rows = p->b_stride[last] == 0 && p->a_stride[last] == p->m * p->lda * (int64_t)p->width;
        if (p->m == 1 && p->b_stride[last] == 0 && p->a_stride[last] % (int64_t)p->width == 0 &&
            p->a_stride[last] >= p->k * (int64_t)p->width && p->a_stride[last] > 0) {
            p->lda = p->a_stride[last] / (int64_t)p->width;
            rows = true;
        }
        if (!rows && p->batch[last] != 1) break;
        p->m *= p->batch[last];
        p->n_batch--;
    }
    return OB_OK;
}

/* ---- integers: wrapping, so signed and unsigned are the same ---- */

#define INTEGER_PRODUCT(name, type)                                                                                              \
    static void name(const product *p, const type *a, const type *b, type *c, int64_t m, int64_t n) {                            \
        for (int64_t i = 0; i < m; i++) {                                                                                        \
            type *row = c + i * p->n;                                                                                            \
            memset(row, 0, (size_t)n * sizeof(type));                                                                            \
            for (int64_t l = 0; l < p->k; l++) {                                                                                 \
                type factor = p->transpose_a ? a[l * p->lda + i] : a[i * p->lda + l];                                            \
                for (int64_t j = 0; j < n; j++) row[j] += factor * (p->transpose_b ? b[j * p->ldb + l] : b[l * p->ldb + j]);     \
            }                                                                                                                    \
        }                                                                                                                        \
    }
INTEGER_PRODUCT(product_32, uint32_t)
INTEGER_PRODUCT(product_64, uint64_t)

/* A part of one matrix of the batch. */
static void multiply(const product *p, ob_dtype dtype, const char *a, const char *b, char *c, const ob__product_part *part) {
    int64_t width = (int64_t)p->width, m = part->rows, n = part->columns, ldc = p->n;
    const void *from_a = a + part->row * width * (p->transpose_a ? 1 : p->lda);
    const void *from_b = b + part->column * width * (p->transpose_b ? p->ldb : 1);
    void *to = c + (part->row * ldc + part->column) * width;
    switch (dtype) {
    case OB_FLOAT:
        ob__gemm_float(p->transpose_a, p->transpose_b, m, n, p->k, 1, from_a, p->lda, from_b, p->ldb, 0, to, ldc);
        break;
    case OB_DOUBLE:
        ob__gemm_double(p->transpose_a, p->transpose_b, m, n, p->k, 1, from_a, p->lda, from_b, p->ldb, 0, to, ldc);
        break;
    case OB_INT32:
    case OB_UINT32: product_32(p, from_a, from_b, to, m, n); break;
    default: product_64(p, from_a, from_b, to, m, n); break;
    }
}

typedef struct job {
    const product *p;
    ob__product_cut cut;
    ob_dtype dtype;
    char *out;
    char *pack_a, *pack_b;
} job;

static void pack(const product *p, const ob_view *view, const char *from, void *to) {
    int64_t strides[2];
    const int64_t *dims = &view->dims[view->rank - 2];
    ob__contiguous_strides(2, dims, p->width, strides);
    ob__copy(2, dims, p->width, to, strides, from, &view->strides[view->rank - 2]);
}

/* Parts begin .. end, counted over the whole batch. */
static void multiply_parts(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const product *p = j->p;
    const char *packed_a = NULL, *packed_b = NULL;
    int64_t n_parts = j->cut.down * j->cut.across;
    for (int64_t i = begin; i < end; i++) {
        int64_t matrix = i / n_parts;
        ob__product_part part = ob__part_of_product(&j->cut, p->m, p->n, i % n_parts);
        const char *a = p->a.data, *b = p->b.data;
        int64_t rest = matrix;
        for (int32_t axis = p->n_batch - 1; axis >= 0; axis--) {
            a += rest % p->batch[axis] * p->a_stride[axis];
            b += rest % p->batch[axis] * p->b_stride[axis];
            rest /= p->batch[axis];
        }
        if (p->pack_a) {
            if (packed_a != a) pack(p, &p->a, a, j->pack_a);
            packed_a = a;
            a = j->pack_a;
        }
        if (p->pack_b) {
            if (packed_b != b) pack(p, &p->b, b, j->pack_b);
            packed_b = b;
            b = j->pack_b;
        }
        multiply(p, j->dtype, a, b, j->out + matrix * p->m * p->n * (int64_t)p->width, &part);
    }
}

static ob_status matmul_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    product p;
    OB_TRY(set_up(args, &p, error));
    bool fits = ob__blas_fits(p.m) && ob__blas_fits(p.n) && ob__blas_fits(p.k) && ob__blas_fits(p.lda) && ob__blas_fits(p.ldb);
    OB_FAIL_IF(!fits, error, OB_E_LIMIT, "MatMul: a matrix has over 2^31 - 1 rows or columns");
    ob_dtype dtype = args->in[0].dtype;
    OB_FAIL_IF(!(site->op->types[0] >> dtype & 1), error, OB_E_TYPE, "MatMul-%d does not take %s", site->op->since,
               ob_dtype_name(dtype));
    OB_TRY(ob__plan_real(args, needs, error));
    if (p.pack_a) OB_TRY(ob__need_scratch(needs, p.m * p.k, sizeof(double), error));
    if (p.pack_b) OB_TRY(ob__need_scratch(needs, p.k * p.n, sizeof(double), error));
    ob__blas_single_thread();
    return OB_OK;
}

static ob_status matmul_compute(const ob_kernel_args *args, ob_error *error) {
    product p;
    OB_TRY(set_up(args, &p, error));
    job j = {.p = &p, .dtype = args->in[0].dtype, .out = args->out[0].data};
    char *next = args->scratch;
    if (p.pack_a) j.pack_a = ob__take(&next, p.m * p.k, sizeof(double));
    if (p.pack_b) j.pack_b = ob__take(&next, p.k * p.n, sizeof(double));
    j.cut = ob__cut_product(p.m, p.n, p.k);
    ob_threads alone = ob__alone(args->threads); /* all would pack into the same memory */
    ob__parallel_products(p.pack_a || p.pack_b ? &alone : args->threads, &j.cut, ob__product(p.batch, 0, p.n_batch),
                          multiply_parts, &j);
    return OB_OK;
}

static ob_status matmul_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, matmul_compute, error);
}

const ob_kernel ob__kernel_matmul = {.name = "matmul", .flags = OB_KERNEL_STRIDED, .plan = matmul_plan, .run = matmul_run};
