/* Products of 8-bit integers of kernels/gemm against sums in 64 bits, on every level: exact, and wrapping beyond 32 bits. */
#include "kernel_levels.h"
#include "kernels/gemm/eights.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"

#include <stdio.h>

enum { EDGE_BYTES = 1 << 18 };
static kl_edges edges;
static uint64_t seed = 11;

static int64_t draw(int64_t n) {
    return (int64_t)(kl_random(&seed) >> 33) % n;
}

static int value_at(const obk_bytes *x, int64_t i, int64_t l) {
    int64_t at = i * x->step + l * x->along;
    int value = x->is_signed ? ((const int8_t *)x->data)[at] : ((const uint8_t *)x->data)[at];
    return value - x->zero[i * x->zero_step];
}

/* n rows of k (or columns of B), in memory that ends with the last element. `extreme`: only the ends of the range. */
static obk_bytes draw_bytes(int64_t n, int64_t k, bool extreme, int16_t *zero) {
    obk_bytes x = {.is_signed = draw(2), .zero = zero, .zero_step = draw(2)};
    int64_t gap = draw(4);
    bool transposed = draw(2);
    x.step = transposed ? 1 : k + gap;
    x.along = transposed ? n + gap : 1;
    int64_t n_bytes = n > 0 && k > 0 ? (n - 1) * x.step + (k - 1) * x.along + 1 : 0;
    uint8_t *data = kl_in(&edges, (size_t)n_bytes);
    int low = x.is_signed ? -128 : 0;
    for (int64_t i = 0; i < n_bytes; i++) data[i] = (uint8_t)(low + (extreme ? 255 * (draw(8) > 0) : (int)draw(256)));
    for (int64_t i = 0; i < n; i++) zero[i] = (int16_t)(low + (extreme ? 0 : draw(256)));
    x.data = data;
    return x;
}

/* units of a row: those of `gemm`. Quads take B only packed, and with 8 bits after its zero point is subtracted. */
static void one_product(const obk_table *table, const obk_integer_gemm *gemm, int64_t m, int64_t n, int64_t k, bool extreme) {
    static int16_t zero_a[256], zero_b[512];
    obk_bytes a = draw_bytes(m, k, extreme, zero_a), b = draw_bytes(n, k, extreme, zero_b);
    int64_t pairs = obk_units(gemm, k), y_row = n + draw(3);
    for (int64_t j = 0; j < n && gemm->each > 2; j++) zero_b[j] = b.is_signed ? 0 : 128;
    kl_out packed_a = kl_out_open((size_t)(m * pairs) * sizeof(obk_pair), 0);
    kl_out packed_b = kl_out_open((size_t)((n + gemm->nr - 1) / gemm->nr * gemm->nr * pairs) * sizeof(obk_pair), 0);
    gemm->pack_a(packed_a.data, &a, m, k);
    gemm->pack_b(packed_b.data, &b, k, n);
    for (int packed = gemm->each > 2; packed < 2; packed++) {
        int64_t i0 = m > 0 ? draw(m) : 0, j0 = n > gemm->nr ? draw(n / gemm->nr) * gemm->nr : 0; /* a part of the product */
        kl_out c = kl_out_open((size_t)(m * y_row) * sizeof(int32_t), 4 * (size_t)draw(16)),
               panel = kl_out_open(obk_integer_panel_bytes(gemm, k), 0);
        int32_t *result = c.data;
        for (int64_t i = 0; i < m * y_row; i++) result[i] = 77;
        obk_integer_call call = {.m = m - i0,
                                 .n = n - j0,
                                 .k = k,
                                 .a = (obk_pair *)packed_a.data + i0 * pairs,
                                 .bytes = b,
                                 .y = result + i0 * y_row + j0,
                                 .y_row = y_row,
                                 .panel = panel.data};
        call.bytes.data = (const uint8_t *)b.data + j0 * b.step;
        call.bytes.zero = b.zero + j0 * b.zero_step;
        if (packed) call.b = (obk_pair *)packed_b.data + j0 * pairs;
        gemm->product(&call);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < y_row; j++) {
                int64_t sum = 0;
                for (int64_t l = 0; l < k && j < n; l++) sum += (int64_t)value_at(&a, i, l) * value_at(&b, j, l);
                uint32_t expected = i >= i0 && j >= j0 && j < n ? (uint32_t)sum : 77;
                if ((uint32_t)result[i * y_row + j] == expected) continue;
                fail_msg("%s: %lld x %lld x %lld: c[%lld][%lld] is %d, not %d", table->name, (long long)m, (long long)n,
                         (long long)k, (long long)i, (long long)j, result[i * y_row + j], (int32_t)expected);
            }
        kl_out_close(&c);
        kl_out_close(&panel);
    }
    kl_out_close(&packed_a);
    kl_out_close(&packed_b);
}

static void one_round(const obk_table *table, int64_t m, int64_t n, int64_t k, bool extreme) {
    one_product(table, &table->integer_gemm[OBK_INTEGER_PAIRS], m, n, k, extreme);
    const unsigned limits[] = {OBK_ISA_AVX2 | OBK_ISA_DOT8, ~0u};
    for (int i = 0; i < 2; i++) {
        ob__kernels_limit(limits[i]);
        if (OBK_LOOPS(integer_gemm) != table->integer_gemm) continue;
        if (ob__kernels_dot8() && table->integer_gemm[OBK_INTEGER_QUADS].product)
            one_product(table, &table->integer_gemm[OBK_INTEGER_QUADS], m, n, k, extreme);
        if (ob__kernels_i8mm() && table->integer_gemm[OBK_INTEGER_EIGHTS].product)
            one_product(table, &table->integer_gemm[OBK_INTEGER_EIGHTS], m, n, k, extreme);
    }
}

static void test_products(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_tables = kl_levels(tables);
    static const int64_t inner[] = {0, 1, 2, 3, 7, 8, 767, 768, 769, 1537};
    for (size_t t = 0; t < n_tables; t++) {
        for (int64_t m = 0; m <= 25; m++)
            for (int i = 0; i < 4; i++) one_round(tables[t], m, draw(70), draw(30), i == 0);
        for (int64_t n = 0; n <= 140; n++) one_round(tables[t], 1 + n % 3, n, draw(30), false);
        for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++) {
            one_round(tables[t], 1 + draw(14), 1 + draw(90), inner[i], false);
            one_round(tables[t], 1 + draw(3), 1 + draw(90), inner[i], true);
        }
        one_round(tables[t], 2, 2, 40001, true); /* sums beyond 2^31 */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    edges = kl_open(EDGE_BYTES);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kl_close(&edges);
    return failed;
}
