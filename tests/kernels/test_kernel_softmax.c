/* kernels/softmax at every level against the definition. */
#include "kernel_levels.h"
#include "kernels/kernels.h"
#include "kernels/softmax/softmax.h"

/* Column k of n rows of `width`. */
static void softmax_of(double *y, const double *x, int64_t n, int64_t width, int64_t k, bool logarithm) {
    long double high = (long double)x[k], sum = 0;
    for (int64_t i = 1; i < n; i++) high = (long double)x[i * width + k] > high ? (long double)x[i * width + k] : high;
    for (int64_t i = 0; i < n; i++) sum += expl((long double)x[i * width + k] - high);
    for (int64_t i = 0; i < n; i++) {
        long double shifted = (long double)x[i * width + k] - high;
        y[i * width + k] = (double)(logarithm ? shifted - logl(sum) : expl(shifted) / sum);
    }
}

/* The bound: exp is accurate to 1 ulp, a difference of up to 24 in its argument adds half an ulp of that, and a sum of n terms in
 * 16 parts half an ulp for each addition. A logarithm near 0 is the difference of numbers up to ln(n). */
static void check_close(const obk_table *table, bool is_double, const void *got, const double *expected, int64_t n, int64_t count,
                        bool logarithm) {
    double most = 5 + 12 + (double)n / 16, eps = is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    for (int64_t i = 0; i < count; i++) {
        double value = is_double ? ((const double *)got)[i] : (double)((const float *)got)[i];
        double scale = logarithm ? 8 + fabs(expected[i]) : fabs(expected[i]) + (is_double ? DBL_MIN : (double)FLT_MIN);
        double wanted = is_double ? expected[i] : (double)(float)expected[i]; /* may be infinite as a float */
        if (isnan(wanted) || isinf(wanted) ? !(value == wanted || (isnan(value) && isnan(wanted)))
                                           : !(fabs(value - expected[i]) <= most * eps * scale))
            fail_msg("%s: element %lld of vectors of %lld is %a, expected %a", table->name, (long long)i, (long long)n, value,
                     expected[i]);
    }
}

enum { MOST = 3000 };

typedef struct numbers {
    double as_double[MOST], expected[MOST];
    float as_float[MOST];
} numbers;

static void draw(numbers *x, int64_t n, uint64_t *seed, bool special) {
    kl_fill_f32(x->as_float, n, seed, -12, 12);
    if (special) kl_special_f32(x->as_float, n, seed);
    for (int64_t i = 0; i < n; i++) x->as_double[i] = (double)x->as_float[i];
}

/* The same vectors with gaps between them: the same bits, and the gaps stay. */
static void check_apart(const obk_table *table, const void *in, const void *want, int64_t rows, int64_t n, bool is_double,
                        bool logarithm) {
    enum { GAP = 3 };
    const size_t width = is_double ? sizeof(double) : sizeof(float), step = (size_t)(n + GAP) * width;
    char *x = malloc((size_t)rows * step), *y = malloc((size_t)rows * step);
    assert_true(x && y);
    memset(x, 0x7f, (size_t)rows * step);
    memset(y, 0x55, (size_t)rows * step);
    for (int64_t r = 0; r < rows; r++)
        memcpy(x + (size_t)r * step, (const char *)in + (size_t)(r * n) * width, (size_t)n * width);
    table->softmax->rows[is_double](y, n + GAP, x, n + GAP, rows, n, logarithm ? table->softmax->log[is_double] : NULL,
                                    &(obk_pace){0});
    for (int64_t r = 0; r < rows; r++) {
        assert_true(kl_same(y + (size_t)r * step, (const char *)want + (size_t)(r * n) * width, n, is_double));
        for (size_t k = (size_t)n * width; k < step; k++) assert_int_equal(y[(size_t)r * step + k], 0x55);
    }
    free(x);
    free(y);
}

/* Dense vectors. `alone` computes each in its own call: the same bits. */
static void check_rows(const obk_table *table, kl_edges *edges, numbers *x, int64_t rows, int64_t n, bool is_double,
                       bool logarithm, bool in_place) {
    size_t width = is_double ? sizeof(double) : sizeof(float), n_bytes = (size_t)(rows * n) * width;
    const void *from = is_double ? (const void *)x->as_double : x->as_float;
    for (int64_t r = 0; r < rows; r++) softmax_of(x->expected + r * n, x->as_double + r * n, n, 1, 0, logarithm);
    void *in = kl_in(edges, n_bytes);
    memcpy(in, from, n_bytes);
    kl_out out = kl_out_open(n_bytes, (size_t)(n % 5) * width), alone = kl_out_open(n_bytes, 0);
    if (in_place) memcpy(out.data, in, n_bytes);
    table->softmax->rows[is_double](out.data, n, in_place ? out.data : in, n, rows, n,
                                    logarithm ? table->softmax->log[is_double] : NULL, &(obk_pace){0});
    check_close(table, is_double, out.data, x->expected, n, rows * n, logarithm);
    for (int64_t r = 0; r < rows; r++) {
        size_t at = (size_t)(r * n) * width;
        table->softmax->rows[is_double]((char *)alone.data + at, n, (char *)in + at, n, 1, n,
                                        logarithm ? table->softmax->log[is_double] : NULL, &(obk_pace){0});
    }
    assert_true(kl_same(alone.data, out.data, rows * n, is_double));
    check_apart(table, in, out.data, rows, n, is_double, logarithm);
    kl_out_close(&alone);
    kl_out_close(&out);
}

static _Alignas(64) char memory[OBK_SOFTMAX_BYTES];

static void check_columns(const obk_table *table, kl_edges *edges, numbers *x, int64_t n, int64_t columns, bool is_double,
                          bool logarithm, bool in_place) {
    size_t width = is_double ? sizeof(double) : sizeof(float), n_bytes = (size_t)(columns * n) * width;
    const void *from = is_double ? (const void *)x->as_double : x->as_float;
    for (int64_t k = 0; k < columns; k++) softmax_of(x->expected, x->as_double, n, columns, k, logarithm);
    void *in = kl_in(edges, n_bytes);
    memcpy(in, from, n_bytes);
    kl_out out = kl_out_open(n_bytes, (size_t)(n % 5) * width), alone = kl_out_open(n_bytes, 0);
    if (in_place) memcpy(out.data, in, n_bytes);
    table->softmax->columns[is_double](out.data, in_place ? out.data : in, n, columns, columns, logarithm, memory,
                                       &(obk_pace){0});
    check_close(table, is_double, out.data, x->expected, n, columns * n, logarithm);
    for (int64_t k = 0; k < columns; k++) {
        size_t at = (size_t)k * width;
        table->softmax->columns[is_double]((char *)alone.data + at, (char *)in + at, n, columns, 1, logarithm, memory,
                                           &(obk_pace){0});
    }
    assert_true(kl_same(alone.data, out.data, columns * n, is_double));
    kl_out_close(&alone);
    kl_out_close(&out);
}

static void vectors_of_all_lengths(void **state) {
    (void)state;
    static numbers x;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(MOST * sizeof(double));
    uint64_t seed = 7;
    for (size_t l = 0; l < n_levels; l++)
        for (unsigned form = 0; form < 16; form++) {
            bool is_double = form & 1, logarithm = form & 2, in_place = form & 4, special = form & 8;
            for (int64_t n = 1; n <= KL_LONGEST(sizeof(float)); n++) {
                int64_t rows = 1 + (int64_t)(kl_random(&seed) % 40);
                draw(&x, rows * n, &seed, special);
                check_rows(tables[l], &edges, &x, rows, n, is_double, logarithm, in_place);
                check_columns(tables[l], &edges, &x, rows, n, is_double, logarithm, in_place);
            }
            draw(&x, MOST, &seed, special);
            check_rows(tables[l], &edges, &x, 2, MOST / 2 - 3, is_double, logarithm, in_place);
            check_columns(tables[l], &edges, &x, 11, OBK_SOFTMAX_COLUMNS, is_double, logarithm, in_place);
        }
    kl_close(&edges);
}

/* The ends of the range: differences that overflow, a vector of one value. */
static void large_numbers(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    for (size_t l = 0; l < n_levels; l++)
        for (int64_t n = 2; n <= 40; n++) {
            float x[40], y[40];
            for (int64_t i = 0; i < n; i++) x[i] = i == n / 2 ? 3e38f : -3e38f;
            tables[l]->softmax->rows[0](y, n, x, n, 1, n, NULL, &(obk_pace){0});
            for (int64_t i = 0; i < n; i++) assert_true(y[i] == (i == n / 2 ? 1 : 0));
            for (int64_t i = 0; i < n; i++) x[i] = 1000;
            tables[l]->softmax->rows[0](y, n, x, n, 1, n, NULL, &(obk_pace){0});
            for (int64_t i = 0; i < n; i++) assert_true(kl_ulps_f32(y[i], 1 / (double)n) <= 1);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_of_all_lengths), cmocka_unit_test(large_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
