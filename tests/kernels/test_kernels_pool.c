/* The loops of pooling at every level against the definition: random windows of one to three axes, blocks of any size, special
 * values. Results do not depend on the level or on blocks. */
#include <math.h>

#include "kernels/conv/conv.h"
#include "kernels/kernels.h"
#include "kernels/pool/pool.h"
#include "kernels/window/window.h"
#include "window_case.h"

static const size_t widths[OBK_POOL_TYPES] = {4, 8, 1, 1};
static const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};

static double value_at(int type, const void *x, int64_t i) {
    switch (type) {
    case OBK_POOL_F32: return (double)((const float *)x)[i];
    case OBK_POOL_F64: return ((const double *)x)[i];
    case OBK_POOL_I8: return ((const int8_t *)x)[i];
    default: return ((const uint8_t *)x)[i];
    }
}

/* special: with special values; 1: NaN is one of them, 3: in one position. 4: zeros of both signs, and little above them. */
static void draw_values(int type, void *x, int64_t n, int special) {
    static const double odd[] = {INFINITY, -INFINITY, -0.0, 0.0, 1e-42, NAN};
    const int64_t nan_at = special == 3 ? draw(n) : -1;
    for (int64_t i = 0; i < n; i++) {
        double v = (double)draw(2001) / 64 - 15;
        if (special && draw(9) == 0) v = odd[draw(special == 1 ? 6 : 5)];
        if (i == nan_at) v = NAN;
        if (special == 4) v = odd[1 + draw(3)] * (draw(40) ? 1 : -1);
        switch (type) {
        case OBK_POOL_F32: ((float *)x)[i] = (float)v; break;
        case OBK_POOL_F64: ((double *)x)[i] = v; break;
        case OBK_POOL_I8: ((int8_t *)x)[i] = (int8_t)(draw(256) - 128); break;
        default: ((uint8_t *)x)[i] = (uint8_t)draw(256); break;
        }
    }
}

/* Over all kernel positions in order: the first of the highest; NaN is above all numbers. */
static double expected_max(const obk_window *w, int type, const void *x, int64_t o, int64_t *at) {
    double best = type == OBK_POOL_I8 ? INT8_MIN : type == OBK_POOL_U8 ? 0 : -INFINITY;
    *at = -1;
    for (int64_t k = 0; k < w->n_kernel; k++) {
        int64_t i = wc_seen(w, o, k);
        if (i < 0) continue;
        double v = value_at(type, x, i);
        if (*at >= 0 && (v <= best || isnan(best))) continue;
        best = v;
        *at = i;
    }
    if (*at < 0) *at = 0;
    return best;
}

static double expected_sum(const obk_pool *p, int type, const void *x, int64_t o) {
    double sum = 0, n_seen = 1;
    const obk_window *w = &p->window;
    for (int64_t k = 0; k < w->n_kernel; k++) {
        int64_t i = wc_seen(w, o, k);
        if (i >= 0) sum += p->kind == OBK_POOL_MEAN ? value_at(type, x, i) : pow(fabs(value_at(type, x, i)), p->p);
    }
    if (p->kind == OBK_POOL_NORM) return pow(sum, 1 / p->p);
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        n_seen *= p->n_seen[a][o % w->axes[a].out];
        o /= w->axes[a].out;
    }
    return sum / n_seen;
}

static void run(const obk_pool *p, int type, const void *x, void *y, int64_t *indices) {
    size_t bytes = (size_t)obk_pool_lane(p) * widths[type];
    void *lane = wc_guarded(bytes);
    const obk_pools *pools = OBK_LOOPS(pool);
    for (int64_t b = p->tiled ? p->tiling.n_blocks : 1; b-- > 0;)
        if (p->kind == OBK_POOL_MAX)
            (p->tiled ? pools->max : pools->max_each)[type](p, x, y, indices, b, lane, &(obk_pace){0});
        else
            pools->sum[type](p, x, y, b, lane, &(obk_pace){0});
    wc_free(lane, bytes);
}

static bool near(double is, double want, int type) {
    if (isnan(want)) return isnan(is);
    if (want == 0 && is == 0) return !signbit(want) == !signbit(is); /* of equal maxima the first */
    return is == want || fabs(is - want) <= (type == OBK_POOL_F64 ? 1e-13 : 2e-5) * (fabs(want) + 1);
}

static void check(window_case *c, int type, obk_pool_kind kind, const int32_t *const *n_seen) {
    const obk_window *w = &c->window;
    obk_pool p = {.window = *w, .kind = kind, .p = 1 + (double)draw(3), .n_seen = n_seen};
    void *x = wc_guarded((size_t)w->n_in * widths[type]);
    size_t n_bytes = (size_t)w->n_out * widths[type];
    draw_values(type, x, w->n_in, kind == OBK_POOL_MAX ? 1 + (int)draw(4) : 0);
    void *first = NULL;
    for (int form = 0; form < 9; form++) { /* in one block, in many, without a tiling; at each level */
        const int64_t wish[] = {INT64_MAX / 4, 1 + draw(2000), 0};
        ob__kernels_limit(levels[form % 3]);
        wc_tile(c, wish[form / 3]);
        p.tiling = c->tiling;
        p.tiled = c->tiled && form / 3 < 2;
        void *y = wc_guarded(n_bytes);
        run(&p, type, x, y, NULL);
        for (int64_t o = 0; o < w->n_out && !first; o++) {
            int64_t at;
            double want = kind == OBK_POOL_MAX ? expected_max(w, type, x, o, &at) : expected_sum(&p, type, x, o);
            assert_true(near(value_at(type, y, o), want, type));
        }
        if (first) assert_memory_equal(y, first, n_bytes);
        if (first) wc_free(y, n_bytes);
        if (!first) first = y;
        free(c->tables);
    }
    wc_free(first, n_bytes);
    wc_free(x, (size_t)w->n_in * widths[type]);
    ob__kernels_limit(~0u);
}

static void test_random(void **state) {
    (void)state;
    srand(3);
    for (int round = 0; round < 300; round++) {
        window_case c;
        wc_draw(&c, 9);
        int32_t counts[3][320];
        const int32_t *n_seen[3];
        for (int32_t a = 0; a < c.window.rank; a++) {
            n_seen[a] = counts[a];
            for (int64_t o = 0; o < c.axes[a].out; o++) {
                int64_t n = obk_padded_positions(&c.axes[a], o);
                counts[a][o] = n > 0 ? (int32_t)n : 1;
            }
        }
        check(&c, (int)draw(OBK_POOL_TYPES), OBK_POOL_MAX, n_seen);
        check(&c, (int)draw(2), OBK_POOL_MEAN, n_seen);
        check(&c, (int)draw(2), OBK_POOL_NORM, n_seen);
    }
}

/* Small kernels at stride 1 or 2, whose maxima and means are computed in place. */
static void test_small_kernels(void **state) {
    (void)state;
    srand(7);
    for (int round = 0; round < 400; round++) {
        window_case c = {.window = {.rank = 2, .n_in = 1, .n_out = 1, .n_kernel = 1}};
        int32_t counts[2][80];
        const int32_t *n_seen[2] = {counts[0], counts[1]};
        c.window.axes = c.axes;
        for (int a = 0; a < 2; a++) {
            const int64_t kernel = a == 0 ? 1 + draw(4) : 2 + draw(2), before = draw(kernel + 1), after = draw(kernel + 1),
                          stride = 1 + draw(2), in = kernel + draw(a == 0 ? 12 : 60);
            c.axes[a] = (obk_axis){in, (in + before + after - kernel) / stride + 1, kernel, stride, 1, before, after};
            c.window.n_in *= in;
            c.window.n_out *= c.axes[a].out;
            c.window.n_kernel *= kernel;
            for (int64_t o = 0; o < c.axes[a].out; o++) counts[a][o] = 1 + (int32_t)draw(9);
        }
        check(&c, (int)draw(OBK_POOL_TYPES), OBK_POOL_MAX, n_seen);
        check(&c, (int)draw(2), OBK_POOL_MEAN, n_seen);
    }
}

/* Maxima of floats go down a plane in strips of one vector: rows of 1 to 70 elements, with much, little or no padding. */
static void test_strips(void **state) {
    (void)state;
    srand(9);
    for (int64_t in = 1; in <= 70; in++)
        for (int form = 0; form < 16; form++) {
            window_case c = {.window = {.rank = 2, .n_in = 1, .n_out = 1, .n_kernel = 1}};
            const int64_t kernel = 2 + form % 2, stride = 1 + form / 2 % 2;
            c.window.axes = c.axes;
            for (int a = 0; a < 2; a++) {
                const int64_t size = a == 0 ? 1 + draw(9) : in, before = draw(form < 8 ? kernel : 40);
                const int64_t lack = kernel - size - before, after = draw(kernel) + (lack > 0 ? lack : 0);
                c.axes[a] = (obk_axis){size, (size + before + after - kernel) / stride + 1, kernel, stride, 1, before, after};
                c.window.n_in *= size;
                c.window.n_out *= c.axes[a].out;
                c.window.n_kernel *= kernel;
            }
            check(&c, form / 4 % 2 ? OBK_POOL_F64 : OBK_POOL_F32, OBK_POOL_MAX, NULL);
        }
}

/* Means as convolutions with ones have the bits of `sum`. */
static void test_means_by_convolution(void **state) {
    (void)state;
    srand(8);
    float ones[25];
    for (int i = 0; i < 25; i++) ones[i] = 1;
    for (int round = 0; round < 200; round++) {
        window_case c = {.window = {.rank = 2, .n_in = 1, .n_out = 1, .n_kernel = 1}};
        int32_t counts[2][80];
        const int32_t *n_seen[2] = {counts[0], counts[1]};
        const int64_t kernel = draw(2) ? 3 : 5, stride = 1 + draw(2);
        c.window.axes = c.axes;
        for (int a = 0; a < 2; a++) {
            const int64_t before = draw(kernel), after = draw(kernel), in = kernel + draw(60);
            c.axes[a] = (obk_axis){in, (in + before + after - kernel) / stride + 1, kernel, stride, 1, before, after};
            c.window.n_in *= in;
            c.window.n_out *= c.axes[a].out;
            c.window.n_kernel *= kernel;
            for (int64_t o = 0; o < c.axes[a].out; o++) counts[a][o] = 1 + (int32_t)draw(25);
        }
        obk_pool p = {.window = c.window, .kind = OBK_POOL_MEAN, .n_seen = n_seen};
        obk_conv conv = {.window = c.window, .channels = 1, .out_channels = 1, .y_channel = c.window.n_out};
        assert_true(obk_has_depthwise(&c.window));
        const int64_t blocks = obk_depthwise_blocks(&conv);
        float *divisors = malloc((size_t)c.window.n_out * sizeof *divisors);
        assert_non_null(divisors);
        for (int64_t o = 0; o < c.window.n_out; o++)
            divisors[o] = (float)(counts[0][o / c.axes[1].out] * counts[1][o % c.axes[1].out]);
        if (draw(2)) p.divisors = divisors;
        const size_t n_x = (size_t)c.window.n_in * 4, n_y = (size_t)c.window.n_out * 4;
        float *x = wc_guarded(n_x), *want = wc_guarded(n_y), *y = wc_guarded(n_y);
        draw_values(OBK_POOL_F32, x, c.window.n_in, 2);
        run(&p, OBK_POOL_F32, x, want, NULL);
        ob__kernels_limit(levels[round % 3]);
        for (int64_t b = 0; b < blocks; b++) {
            float *to = y + obk_conv_start(&conv, b);
            OBK_LOOPS(conv)->depthwise(&conv, x, ones, NULL, to, b, 0, 1, NULL, &(obk_pace){0});
            OBK_LOOPS(pool)->divide(&p, to, b * conv.rows, obk_conv_results(&conv, b) / c.axes[1].out);
        }
        ob__kernels_limit(~0u);
        for (int64_t o = 0; o < c.window.n_out; o++) /* a NaN may have any sign */
            assert_true((isnan(want[o]) && isnan(y[o])) || memcmp(&want[o], &y[o], sizeof *y) == 0);
        wc_free(x, n_x);
        wc_free(want, n_y);
        wc_free(y, n_y);
        free(divisors);
    }
}

static void test_indices(void **state) {
    (void)state;
    srand(4);
    for (int round = 0; round < 200; round++) {
        window_case c;
        wc_draw(&c, 5);
        const obk_window *w = &c.window;
        int type = (int)draw(OBK_POOL_TYPES);
        obk_pool p = {.window = *w, .kind = OBK_POOL_MAX, .column_major = draw(2)};
        void *x = malloc((size_t)w->n_in * widths[type]), *y = wc_guarded((size_t)w->n_out * widths[type]);
        int64_t *indices = wc_guarded((size_t)w->n_out * 8);
        draw_values(type, x, w->n_in, 1);
        run(&p, type, x, y, indices);
        for (int64_t o = 0; o < w->n_out; o++) {
            int64_t at, want = 0, scale = 1;
            double v = expected_max(w, type, x, o, &at);
            assert_true(near(value_at(type, y, o), v, type));
            for (int32_t a = w->rank - 1; a >= 0 && p.column_major; a--) { /* column-major: the first axis runs fastest */
                scale = 1;
                for (int32_t b = 0; b < a; b++) scale *= w->axes[b].in;
                want += at % w->axes[a].in * scale;
                at /= w->axes[a].in;
            }
            assert_int_equal(indices[o], p.column_major ? want : at);
        }
        wc_free(indices, (size_t)w->n_out * 8);
        wc_free(y, (size_t)w->n_out * widths[type]);
        free(x);
    }
}

static void test_global(void **state) {
    (void)state;
    srand(5);
    for (int64_t n = 1; n < 70; n++)
        for (int kind = 0; kind < 3; kind++)
            for (int type = 0; type < 2; type++) {
                double x[70], y[2], want = kind == OBK_POOL_MAX ? -INFINITY : 0, got[3];
                draw_values(type, x, n, kind == OBK_POOL_MAX && n % 2);
                for (int64_t i = 0; i < n; i++) {
                    double v = value_at(type, x, i);
                    if (kind == OBK_POOL_MAX)
                        want = v > want || isnan(v) ? v : want;
                    else
                        want += kind == OBK_POOL_MEAN ? v : fabs(v) * fabs(v) * fabs(v);
                }
                if (kind == OBK_POOL_MEAN) want /= (double)n;
                if (kind == OBK_POOL_NORM) want = cbrt(want);
                for (int isa = 0; isa < 3; isa++) {
                    ob__kernels_limit(levels[isa]);
                    OBK_LOOPS(pool)->global[type]((obk_pool_kind)kind, 3, x, n, y);
                    got[isa] = value_at(type, y, 0);
                    assert_true(near(got[isa], want, type));
                }
                if (!isnan(want)) assert_true(got[0] == got[1] && got[0] == got[2]);
            }
    ob__kernels_limit(~0u);
}

/* ---- kernel positions inside the input ---- */

static void check_axis(const obk_axis *x) {
    int64_t visits = 0;
    for (int64_t o = 0; o < x->out; o++) {
        int64_t first, end, padded = 0, seen = 0;
        obk_kernel_range(x, o, &first, &end);
        for (int64_t k = 0; k < x->kernel; k++) {
            int64_t at = o * x->stride - x->before + k * x->dilation, begin, behind;
            bool inside = at >= 0 && at < x->in;
            obk_result_range(x, k, &begin, &behind);
            assert_true(inside == (k >= first && k < end));
            assert_true(inside == (o >= begin && o < behind));
            seen += inside;
            padded += at < x->in + x->after;
        }
        assert_int_equal(end - first, seen);
        assert_int_equal(obk_padded_positions(x, o), padded);
        visits += seen;
    }
    const obk_window w = {1, x, x->in, x->out, x->kernel};
    assert_int_equal(obk_window_work(&w), visits);
}

static void test_taps(void **state) {
    (void)state;
    srand(1);
    for (int round = 0; round < 4000; round++)
        check_axis(&(obk_axis){1 + draw(5), 1 + draw(5), 1 + draw(12), 1 + draw(9), 1 + draw(7), draw(40), draw(40)});
    /* Dilation of about 2^31. */
    const obk_axis huge = {2, 2, INT32_MAX, INT32_MAX, 3, INT32_MAX - 1, 0};
    const obk_window w = {1, &huge, 2, 2, INT32_MAX};
    obk_tiling tiling;
    int64_t first, end, n_tables;
    obk_kernel_range(&huge, 0, &first, &end);
    assert_true(first == (INT32_MAX - 1) / 3 && end == first + 1);
    obk_kernel_range(&huge, 1, &first, &end);
    assert_true(first == 0 && end == 1);
    assert_int_equal(obk_window_work(&w), 2);
    assert_false(obk_choose_tiling(&w, 1000, &tiling, &n_tables));
    /* Too many results to count one by one. */
    const obk_axis wide = {INT32_MAX, INT32_MAX - 2, 3, 1, 1, 0, 0};
    assert_int_equal(obk_window_work(&(obk_window){1, &wide, wide.in, wide.out, 3}), 3 * (INT64_C(0) + INT32_MAX - 2));
}

/* ---- fewer axes ---- */

/* Each kernel position of each result reads the same element as before. */
static void test_merged(void **state) {
    (void)state;
    int fewer = 0;
    srand(6);
    for (int round = 0; round < 3000; round++) {
        obk_axis axes[4] = {{0}};
        obk_window before = {1 + (int32_t)draw(4), axes, 1, 1, 1}, after = before;
        for (int32_t a = 0; a < before.rank; a++) {
            int64_t in = 1 + draw(4), plain = draw(2);
            axes[a] = plain ? (obk_axis){in, in, 1, 1 + (in == 1 ? draw(3) : 0), 1 + draw(3), 0, draw(2)}
                            : (obk_axis){in, 1 + draw(4), 1 + draw(3), 1 + draw(2), 1 + draw(2), draw(3), draw(3)};
            before.n_in *= axes[a].in;
            before.n_out *= axes[a].out;
            before.n_kernel *= axes[a].kernel;
        }
        obk_axis merged[4];
        memcpy(merged, axes, sizeof merged);
        after.axes = merged;
        after.rank = obk_merge_axes(merged, before.rank);
        fewer += after.rank < before.rank;
        for (int64_t o = 0; o < before.n_out; o++)
            for (int64_t k = 0; k < before.n_kernel; k++) assert_int_equal(wc_seen(&after, o, k), wc_seen(&before, o, k));
    }
    assert_true(fewer > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merged),        cmocka_unit_test(test_taps),
        cmocka_unit_test(test_random),        cmocka_unit_test(test_means_by_convolution),
        cmocka_unit_test(test_indices),       cmocka_unit_test(test_global),
        cmocka_unit_test(test_small_kernels), cmocka_unit_test(test_strips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
