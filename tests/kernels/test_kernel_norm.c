/* kernels/norm at every level: sums, scaling and LRN against the definitions; results do not depend on the level or on the
 * division into parts. */
#include "kernel_levels.h"
#include "kernels/kernels.h"
#include "kernels/norm/norm.h"

enum { LONGEST = 120 };

typedef struct sums {
    double sum, absolute, squares;
} sums;

static sums sums_of(const double *x, int64_t n, double mean) {
    long double sum = 0, absolute = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (long double)x[i];
        absolute += fabsl((long double)x[i]);
        squares += ((long double)x[i] - (long double)mean) * ((long double)x[i] - (long double)mean);
    }
    return (sums){(double)sum, (double)absolute, (double)squares};
}

static bool close_to(double a, double b, double scale) {
    return fabs(a - b) <= 1e-14 * (1 + scale);
}

static size_t width_of(bool is_double) {
    return is_double ? sizeof(double) : sizeof(float);
}

/* x as doubles, and in the element type in memory that ends with the last element. */
static void *draw(kl_edges *edges, double *x, int64_t n, bool is_double, uint64_t *seed) {
    void *in = kl_in(edges, (size_t)n * width_of(is_double));
    for (int64_t i = 0; i < n; i++) {
        const float value = (float)kl_uniform(seed, -4, 4);
        x[i] = (double)value;
        if (is_double)
            ((double *)in)[i] = x[i];
        else
            ((float *)in)[i] = value;
    }
    return in;
}

static double at(const void *x, bool is_double, int64_t i) {
    return is_double ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void sums_are_exact_enough(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 12);
    uint64_t seed = 1;
    double x[LONGEST];
    for (int64_t n = 0; n <= LONGEST; n++)
        for (int is_double = 0; is_double < 2; is_double++) {
            const void *in = draw(&edges, x, n, is_double, &seed);
            const double mean = 0.25;
            const sums exact = sums_of(x, n, mean);
            double baseline = 0;
            for (size_t l = 0; l < n_levels; l++) {
                const obk_norms *f = tables[l]->norm;
                const double sum = f->sum[is_double](in, n);
                assert_true(close_to(sum, exact.sum, exact.absolute));
                assert_true(close_to(f->sum_abs[is_double](in, n), exact.absolute, exact.absolute));
                assert_true(close_to(f->sum_squares[is_double](in, n, mean), exact.squares, exact.squares));
                if (l == 0) baseline = sum;
                assert_true(sum == baseline); /* one tree at all levels */
                double cells[4][LONGEST] = {{0}}, means[LONGEST];
                for (int64_t i = 0; i < n; i++) means[i] = mean;
                f->columns_sum[is_double](cells[0], in, n);
                f->columns_abs[is_double](cells[1], in, n);
                f->columns_squares[is_double](cells[2], in, means, n);
                f->columns_squares[is_double](cells[3], in, NULL, n);
                for (int64_t i = 0; i < n; i++)
                    assert_true(cells[0][i] == x[i] && cells[1][i] == fabs(x[i]) &&
                                cells[2][i] == (x[i] - mean) * (x[i] - mean) && cells[3][i] == x[i] * x[i]);
            }
        }
    kl_close(&edges);
}

/* Computed in the elements' type, step by step: all levels give the same bits. */
static void check_scaled(const obk_norms *f, const void *in, const double *x, const void *scale, const double *s, int64_t n,
                         bool is_double, bool in_place) {
    const double shift = 0.375, factor = 1.25;
    for (int form = 0; form < 6; form++) {
        kl_out z = kl_out_open((size_t)n * width_of(is_double), (size_t)(n % 3) * width_of(is_double));
        const void *from = in_place ? z.data : in;
        if (in_place) memcpy(z.data, in, z.n_bytes);
        if (form < 4)
            f->scaled[is_double](z.data, from, n, shift, factor, form & 1 ? scale : NULL, form & 2 ? scale : NULL);
        else if (form == 4)
            f->affine[is_double](z.data, from, n, factor, shift);
        else
            f->divided[is_double](z.data, from, n, shift, 3);
        for (int64_t i = 0; i < n; i++) {
            const float v = (float)x[i], w = (float)s[i];
            float y = (v - 0.375f) * 1.25f;
            double wide = (x[i] - shift) * factor;
            if (form < 4 && form & 1) y = y * w, wide = wide * s[i];
            if (form < 4 && form & 2) y = y + w, wide = wide + s[i];
            if (form == 4) y = v * 1.25f + 0.375f, wide = x[i] * factor + shift;
            if (form == 5) y = (float)((x[i] - shift) / 3), wide = (x[i] - shift) / 3;
            assert_true(at(z.data, is_double, i) == (is_double ? wide : (double)y));
        }
        kl_out_close(&z);
    }
}

static void elements_are_scaled(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 12);
    uint64_t seed = 2;
    double x[LONGEST], s[LONGEST];
    for (size_t l = 0; l < n_levels; l++)
        for (int64_t n = 0; n <= KL_LONGEST(sizeof(float)); n++)
            for (int form = 0; form < 4; form++) {
                const void *in = draw(&edges, x, n, form & 1, &seed), *scale = draw(&edges, s, n, form & 1, &seed);
                check_scaled(tables[l]->norm, in, x, scale, s, n, form & 1, form & 2);
            }
    kl_close(&edges);
}

/* A divisor of 0 gives 0, for any dividend. */
static void nothing_is_divided_by_zero(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    for (size_t l = 0; l < n_levels; l++)
        for (int64_t n = 1; n <= 20; n++) {
            float x[20] = {0}, y[20];
            double shifts[20] = {0}, divisors[20] = {0};
            for (int64_t i = 0; i < n; i++) divisors[i] = i % 2 ? 0 : 2;
            x[n - 1] = 6;
            tables[l]->norm->divided[0](y, x, n, 0, 0);
            for (int64_t i = 0; i < n; i++) assert_true(y[i] == 0);
            for (int form = 0; form < 2; form++) {
                tables[l]->norm->columns_divided[0](y, x, n, form ? shifts : NULL, divisors);
                for (int64_t i = 0; i < n; i++) assert_true(y[i] == (i % 2 || i < n - 1 ? 0 : 3));
            }
        }
}

/* All channels, with the squares of a window added in two pieces. */
static void lrn(const obk_norms *loops, bool is_double, const obk_lrn *p, void *y, const void *x, int64_t stride, int64_t width) {
    const size_t row = (size_t)stride * width_of(is_double);
    for (int64_t c = 0; c < p->channels; c++) {
        _Alignas(16) char added[OBK_LRN_BYTES] = {0};
        const int64_t first = c < p->before ? 0 : c - p->before,
                      end = c + p->behind < p->channels ? c + p->behind + 1 : p->channels, middle = (first + end) / 2;
        loops->lrn_add[is_double](added, (const char *)x + (size_t)first * row, stride, width, middle - first);
        loops->lrn_add[is_double](added, (const char *)x + (size_t)middle * row, stride, width, end - middle);
        loops->lrn_divide[is_double](p, (char *)y + (size_t)c * row, (const char *)x + (size_t)c * row, added, width);
    }
}

static void lrn_of_windows(void **state) {
    (void)state;
    static const double betas[] = {0.75, 0.5, 1.7};
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 14);
    uint64_t seed = 4;
    static double x[4096];
    for (size_t l = 0; l < n_levels; l++)
        for (int64_t width = 1; width <= KL_LONGEST(sizeof(float)); width += 3)
            for (int64_t channels = 1; channels <= 7; channels += 2)
                for (int form = 0; form < 6; form++) {
                    const bool is_double = form & 1;
                    const int64_t stride = width + 2, n = (channels - 1) * stride + width, size = 1 + form;
                    const obk_lrn p = {channels, (size - 1) / 2, size / 2, 0.3, (double)(float)betas[form / 2], 1.5};
                    const void *in = draw(&edges, x, n, is_double, &seed);
                    kl_out z = kl_out_open((size_t)n * width_of(is_double), width_of(is_double));
                    lrn(tables[l]->norm, is_double, &p, z.data, in, stride, width);
                    for (int64_t c = 0; c < channels; c++)
                        for (int64_t i = 0; i < width; i++) {
                            double sum = 0;
                            for (int64_t k = c - p.before; k <= c + p.behind; k++)
                                if (k >= 0 && k < channels) sum += x[k * stride + i] * x[k * stride + i];
                            double y = x[c * stride + i] / pow(p.bias + p.factor * sum, p.beta);
                            double error = fabs(at(z.data, is_double, c * stride + i) - y);
                            assert_true(error <= (is_double ? 2e-15 : 1e-6) * fabs(y));
                        }
                    for (int64_t c = 0; c + 1 < channels; c++) /* between the rows */
                        for (size_t k = 0; k < 2 * width_of(is_double); k++)
                            assert_int_equal(((unsigned char *)z.data)[(size_t)(c * stride + width) * width_of(is_double) + k],
                                             0xC7);
                    kl_out_close(&z);
                }
    kl_close(&edges);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_exact_enough), cmocka_unit_test(elements_are_scaled),
                                       cmocka_unit_test(nothing_is_divided_by_zero), cmocka_unit_test(lrn_of_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
