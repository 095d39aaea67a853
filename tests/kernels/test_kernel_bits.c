/* An element has the same bits wherever it is: in the middle of a vector, in the remainder after whole vectors, in a tile or at
 * its edge, or alone. So a chain of products has the bits of OBK_FMA on single numbers, and a function of elements the bits of a
 * single element. Bits of other levels may differ. (test_kernels_conv compares convolutions in tiles and one by one.) */
#include "kernel_levels.h"
#include "kernels/attention/attention.h"
#include "kernels/conv/conv.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/gemm/gemm.h"
#include "kernels/kernels.h"
#include "kernels/loop.h"
#include "kernels/window/window.h"

#include "kernels/fma.h"

/* Levels above the baseline have fused multiply-add, but for RVV, and NEON of 32 bits, which has integers only. */
static bool fuses(size_t level) {
#ifdef OBK_FUSES
    (void)level;
    return true;
#elif defined(__arm__) || defined(__riscv)
    (void)level;
    return false;
#else
    return level > 0;
#endif
}

static float step_f32(bool fused, float a, float b, float c) {
    return fused ? fmaf(a, b, c) : a * b + c;
}

static double step_f64(bool fused, double a, double b, double c) {
    return fused ? fma(a, b, c) : a * b + c;
}

/* Numbers whose products are not exact. */
static double *draw(int64_t n, uint64_t *seed, bool is_double) {
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        double value = kl_uniform(seed, -2, 2);
        x[i] = is_double ? value : (double)(float)value;
    }
    return x;
}

static void *store(const double *x, int64_t n, bool is_double) {
    void *to = malloc((size_t)(n + 1) * sizeof(double));
    assert_non_null(to);
    for (int64_t i = 0; i < n; i++) {
        if (is_double)
            ((double *)to)[i] = x[i];
        else
            ((float *)to)[i] = (float)x[i];
    }
    return to;
}

static double load(const void *x, int64_t i, bool is_double) {
    return is_double ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

/* The sum over l of a[l * a_step] * b[l * b_step], one product after the other. */
static double chain(bool fused, bool is_double, const double *a, int64_t a_step, const double *b, int64_t b_step, int64_t k) {
    double wide = 0;
    float narrow = 0;
    for (int64_t l = 0; l < k; l++) {
        const double x = a[l * a_step], y = b[l * b_step];
        wide = step_f64(fused, x, y, wide);
        narrow = step_f32(fused, (float)x, (float)y, narrow);
    }
    return is_double ? wide : (double)narrow;
}

static void check_product(const obk_table *table, bool fused, bool is_double, int64_t m, int64_t n, int64_t k, uint64_t *seed) {
    const obk_gemm *gemm = &table->gemm[is_double ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT];
    double *a = draw(m * k, seed, is_double), *b = draw(k * n, seed, is_double);
    void *stored_a = store(a, m * k, is_double), *stored_b = store(b, k * n, is_double);
    void *y = malloc((size_t)(m * n) * sizeof(double)),
         *panel = aligned_alloc(64, (obk_panel_bytes(gemm, k) + 63) / 64 * 64 + 64);
    assert_true(y && panel);
    obk_gemm_call call = {.m = m, .n = n, .k = k, .a = stored_a, .a_row = k, .a_k = 1, .b = stored_b, .b_k = n, .b_column = 1};
    call.y = y;
    call.y_row = n;
    call.alpha = 1;
    call.panel = panel;
    gemm->product(&call);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const double want = chain(fused, is_double, a + i * k, 1, b + j, n, k), is = load(y, i * n + j, is_double);
            if (is != want)
                fail_msg("%s: [%lld,%lld]x[%lld,%lld]: %a at %lld, %lld, expected %a", table->name, (long long)m, (long long)k,
                         (long long)k, (long long)n, is, (long long)i, (long long)j, want);
        }
    free(a);
    free(b);
    free(stored_a);
    free(stored_b);
    free(y);
    free(panel);
}

static void tiles_of_products(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    uint64_t seed = 1;
    for (size_t l = 0; l < n_levels; l++)
        for (int is_double = 0; is_double < 2; is_double++) {
            const obk_gemm *gemm = &tables[l]->gemm[is_double ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT];
            for (int64_t m = 1; m <= gemm->mr + 1; m++)
                for (int64_t n = 1; n <= 2 * gemm->nr + 3; n++)
                    check_product(tables[l], fuses(l), is_double, m, n, 1 + n % 23, &seed);
        }
}

static void columns_of_convolutions(void **state) {
    (void)state;
    enum { CHANNELS = 7 };
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    uint64_t seed = 2;
    for (size_t l = 0; l < n_levels; l++)
        for (int is_double = 0; is_double < 2; is_double++)
            for (int64_t rows = 1; rows <= 2 * OBK_CONV_CHANNELS; rows++)
                for (int64_t n = 1; n <= KL_LONGEST(4); n++) {
                    double *x = draw(CHANNELS * n, &seed, is_double), *w = draw(CHANNELS * rows, &seed, is_double);
                    void *stored_x = store(x, CHANNELS * n, is_double), *stored_w = store(w, CHANNELS * rows, is_double);
                    void *z = malloc((size_t)(rows * n) * sizeof(double));
                    void *lane =
                        aligned_alloc(64, ((size_t)(CHANNELS * n + (1 + OBK_CONV_CHANNELS) * OBK_SLACK) * 8 + 63) / 64 * 64);
                    assert_true(z && lane);
                    tables[l]->conv->columns[is_double](stored_x, CHANNELS, n, stored_w, rows, 0, rows, z, lane, &(obk_pace){0});
                    for (int64_t m = 0; m < rows; m++)
                        for (int64_t i = 0; i < n; i++) {
                            const double want = chain(fuses(l), is_double, w + m, rows, x + i, n, CHANNELS);
                            if (load(z, m * n + i, is_double) != want)
                                fail_msg("%s: row %lld of %lld, element %lld of %lld", tables[l]->name, (long long)m,
                                         (long long)rows, (long long)i, (long long)n);
                        }
                    free(x);
                    free(w);
                    free(stored_x);
                    free(stored_w);
                    free(z);
                    free(lane);
                }
}

static void rows_of_attention(void **unused) {
    (void)unused;
    enum { KEYS = 5 };
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    uint64_t seed = 3;
    for (size_t l = 0; l < n_levels; l++)
        for (int64_t n = 1; n <= KL_LONGEST(4); n++) {
            float key[KEYS], query[KEYS], value[KL_LONGEST(4)], state[KEYS * KL_LONGEST(4)], y[KL_LONGEST(4)];
            float room[KEYS + KL_LONGEST(4)], want[KEYS * KL_LONGEST(4)];
            kl_fill_f32(key, KEYS, &seed, -2, 2);
            kl_fill_f32(query, KEYS, &seed, -2, 2);
            kl_fill_f32(value, n, &seed, -2, 2);
            kl_fill_f32(state, KEYS * n, &seed, -2, 2);
            for (int64_t i = 0; i < KEYS * n; i++) want[i] = step_f32(fuses(l), key[i / n], value[i % n], state[i]);
            const obk_linear_attention call = {.n_tokens = 1,
                                               .key_size = KEYS,
                                               .value_size = n,
                                               .n_queries = 1,
                                               .query = query,
                                               .key = key,
                                               .value = value,
                                               .scale = 1,
                                               .y = y,
                                               .state = state,
                                               .room = room};
            tables[l]->attention->linear(&call);
            assert_memory_equal(state, want, (size_t)(KEYS * n) * sizeof *want);
            for (int64_t j = 0; j < n; j++) {
                float sum = 0;
                for (int64_t i = 0; i < KEYS; i++) sum = step_f32(fuses(l), query[i], want[i * n + j], sum);
                assert_true(y[j] == sum);
            }
        }
}

/* ---- Functions of elements ---- */

/* Small numbers; in a quarter of the arrays mixed with numbers of every magnitude. */
static void fill(void *x, int64_t n, uint64_t *seed, bool is_double) {
    const bool special = kl_random(seed) % 4 == 0;
    if (is_double) {
        kl_fill_f64(x, n, seed, -3, 3);
        for (int64_t i = 0; i < n && special; i++) ((double *)x)[i] = ldexp(((double *)x)[i], (int)(kl_random(seed) % 64));
        if (special) kl_special_f64(x, n, seed);
    } else {
        kl_fill_f32(x, n, seed, -3, 3);
        for (int64_t i = 0; i < n && special; i++) ((float *)x)[i] = ldexpf(((float *)x)[i], (int)(kl_random(seed) % 16));
        if (special) kl_special_f32(x, n, seed);
    }
}

static void check_alone(const obk_table *table, obk_loop loop, int n_in, bool is_double, bool gives_bool, const char *what,
                        int op, const void *params, kl_edges *edges, uint64_t *seed) {
    const size_t size = is_double ? 8 : 4, out_size = gives_bool ? 1 : size;
    const int64_t step[2] = {(int64_t)size, (int64_t)size}, row[3] = {0, 0, 0};
    for (int64_t n = 1; n <= KL_LONGEST(4); n++) {
        char *x = kl_in(edges, (size_t)n * size), *y = kl_in(edges, (size_t)n * size);
        fill(x, n, seed, is_double);
        fill(y, n, seed, is_double);
        kl_out z = kl_out_open((size_t)n * out_size, (size_t)(n % 5) * out_size);
        loop(n_in == 2 ? (char *[]){x, y, z.data} : (char *[]){x, z.data}, step, n, row, 1, params);
        for (int64_t i = 0; i < n; i++) {
            double alone[1];
            char *at = (char *)alone, *got = (char *)z.data + (size_t)i * out_size;
            char *a = x + (size_t)i * size, *b = y + (size_t)i * size;
            loop(n_in == 2 ? (char *[]){a, b, at} : (char *[]){a, at}, step, 1, row, 1, params);
            const bool same = gives_bool ? *at == *got : kl_same(got, at, 1, is_double);
            if (!same)
                fail_msg("%s: %s %d of %s: element %lld of %lld has other bits than alone", table->name, what, op,
                         is_double ? "double" : "float", (long long)i, (long long)n);
        }
        kl_out_close(&z);
    }
}

static void functions_of_elements(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 12);
    uint64_t seed = 4;
    const obk_unary_params params = {.alpha = 0.3, .beta = 0.7, .gamma = 1.1, .positive = true, .negative = true};
    for (size_t l = 0; l < n_levels; l++)
        for (int is_double = 0; is_double < 2; is_double++) {
            const ob_dtype type = is_double ? OB_DOUBLE : OB_FLOAT;
            for (int op = 0; op < OBK_UNARY_COUNT; op++)
                if (tables[l]->unary[op][type])
                    check_alone(tables[l], tables[l]->unary[op][type], 1, is_double, op == OBK_U_IS_NAN || op == OBK_U_IS_INF,
                                "unary loop", op, &params, &edges, &seed);
            for (int op = 0; op < OBK_BINARY_COUNT; op++)
                if (tables[l]->binary[op][type])
                    check_alone(tables[l], tables[l]->binary[op][type], 2, is_double,
                                op == OBK_EQUAL || op == OBK_LESS || op == OBK_LESS_EQUAL, "binary loop", op, NULL, &edges,
                                &seed);
        }
    kl_close(&edges);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_products),
        cmocka_unit_test(columns_of_convolutions),
        cmocka_unit_test(rows_of_attention),
        cmocka_unit_test(functions_of_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
