/* The loops of convolution at every level against the definition: random windows of one to three axes, blocks of any size, every
 * number of output channels up to several tiles; the transposed form; panels; depthwise. Results do not depend on blocks. */
#include <math.h>

#include "kernels/conv/conv.h"
#include "kernels/gemm/integer.h"
#include "kernels/kernels.h"
#include "kernels/window/window.h"
#include "window_case.h"

enum { TYPES = OBK_CONV_QUADS }; /* quads have a test of their own */
static const size_t widths[TYPES] = {4, 8, sizeof(obk_pair)};
static const unsigned levels[] = {0, OBK_ISA_AVX2, ~0u};

static double get(int type, const void *x, int64_t i) {
    if (type == OBK_CONV_PAIRS) return ((const int32_t *)x)[i];
    return type ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static double product(int type, const void *x, int64_t i, const void *w, int64_t k) {
    if (type != OBK_CONV_PAIRS) return get(type, x, i) * get(type, w, k);
    const obk_pair *a = (const obk_pair *)x + i, *b = (const obk_pair *)w + k;
    return a->k[0] * b->k[0] + a->k[1] * b->k[1];
}

/* Pairs as they come from bytes minus a zero point. Read as 32-bit numbers they also serve as bias. */
static void *draw_values(int type, int64_t n) {
    char *x = wc_guarded((size_t)n * widths[type]);
    for (int64_t i = 0; i < n; i++) {
        double v = (double)draw(2001) / 1000 - 1;
        if (type == OBK_CONV_PAIRS)
            ((obk_pair *)(void *)x)[i] = (obk_pair){{(int16_t)(draw(511) - 255), (int16_t)(draw(511) - 255)}};
        else if (type)
            ((double *)(void *)x)[i] = v;
        else
            ((float *)(void *)x)[i] = (float)v;
    }
    return x;
}

static void free_values(int type, void *x, int64_t n) {
    wc_free(x, (size_t)n * widths[type]);
}

typedef struct operands {
    int type;
    void *x, *w, *bias; /* bias may be NULL */
} operands;

/* size: the sum of magnitudes, as the scale of rounding errors. */
static double expected(const obk_conv *c, const operands *of, int64_t m, int64_t o, double *size) {
    const obk_window *w = &c->window;
    double sum = of->bias ? get(of->type, of->bias, m) : 0;
    *size = fabs(sum);
    for (int64_t i = 0; i < c->channels; i++)
        for (int64_t k = 0; k < w->n_kernel; k++) {
            int64_t at = wc_seen(w, o, k);
            if (at < 0) continue;
            double v = product(of->type, of->x, i * w->n_in + at, of->w, (m * c->channels + i) * w->n_kernel + k);
            sum += v;
            *size += fabs(v);
        }
    return sum;
}

static void *run(const obk_conv *c, const operands *of) {
    size_t n_lane = (size_t)obk_conv_lane(c) * widths[of->type],
           n_y = (size_t)(c->out_channels * c->window.n_out) * widths[of->type];
    void *lane = wc_guarded(n_lane);
    char *y = wc_guarded(n_y);
    int64_t half = draw(c->out_channels + 1);
    obk_pace pace = {0};
    for (int64_t b = c->tiled ? c->tiling.n_blocks : 1; b-- > 0;) { /* output channels in two parts, the second first */
        char *from = y + (size_t)obk_conv_start(c, b) * widths[of->type];
        OBK_LOOPS(conv)->run[of->type](c, of->x, of->w, of->bias, from + (size_t)(half * c->y_channel) * widths[of->type], b,
                                       half, c->out_channels, lane, &pace);
        OBK_LOOPS(conv)->run[of->type](c, of->x, of->w, of->bias, from, b, 0, half, lane, &pace);
    }
    wc_free(lane, n_lane);
    return y;
}

static void check(window_case *wc, obk_conv *c, const operands *of) {
    size_t n = (size_t)(c->out_channels * c->window.n_out);
    void *first[3] = {NULL};
    const double bound[TYPES] = {6e-7, 1e-15, 0};
    c->y_channel = c->window.n_out;
    for (int form = 0; form < 9; form++) { /* in one block, in many, without a tiling; at each level */
        const int64_t wish[] = {INT64_MAX / 4, 1 + draw(2000), 0};
        int level = form % 3;
        ob__kernels_limit(levels[level]);
        wc_tile(wc, wish[form / 3]);
        c->tiling = wc->tiling;
        c->tiled = wc->tiled && form / 3 < 2;
        c->pitch = c->tiled ? obk_conv_pitch(c->tiling.elems) : 0;
        if (c->pointwise) {
            c->tiled = form / 3 < 2;
            c->tiling.n_blocks = form / 3 == 0 ? 1 : 1 + draw(c->window.n_out / OBK_CONV_LEAST);
            c->tiling.block = c->window.n_out / c->tiling.n_blocks;
            c->pitch = draw(2) ? obk_conv_pitch(2 * c->tiling.block) : 0;
        }
        void *y = run(c, of);
        for (int64_t m = 0; m < c->out_channels && !first[level]; m++)
            for (int64_t o = 0; o < c->window.n_out; o++) {
                double size, want = expected(c, of, m, o, &size);
                assert_true(fabs(get(of->type, y, m * c->window.n_out + o) - want) <= bound[of->type] * (size + 1));
            }
        if (first[level]) assert_memory_equal(y, first[level], n * widths[of->type]);
        if (first[level])
            free_values(of->type, y, (int64_t)n);
        else
            first[level] = y;
        free(wc->tables);
    }
    for (int level = 0; level < 3; level++) free_values(of->type, first[level], (int64_t)n);
    ob__kernels_limit(~0u);
}

static void test_random(void **state) {
    (void)state;
    srand(3);
    for (int round = 0; round < 250; round++) {
        window_case wc;
        wc_draw(&wc, 5);
        obk_conv c = {.window = wc.window, .channels = 1 + draw(draw(2) ? 2 : 9), .out_channels = 1 + draw(draw(2) ? 3 : 20)};
        operands of = {.type = (int)draw(TYPES)};
        of.x = draw_values(of.type, c.channels * c.window.n_in);
        of.w = draw_values(of.type, c.channels * c.out_channels * c.window.n_kernel);
        if (draw(2)) of.bias = draw_values(of.type, c.out_channels);
        check(&wc, &c, &of);
        free_values(of.type, of.x, c.channels * c.window.n_in);
        free_values(of.type, of.w, c.channels * c.out_channels * c.window.n_kernel);
        if (of.bias) free_values(of.type, of.bias, c.out_channels);
    }
}

static void test_as_is(void **state) {
    (void)state;
    srand(4);
    for (int64_t n = OBK_CONV_LEAST; n < 150; n++) {
        window_case wc = {.axes = {{n, n, 1, 1, 1, 0, 0}}};
        wc.window = (obk_window){1, wc.axes, n, n, 1};
        obk_conv c = {.window = wc.window, .pointwise = true, .channels = 1 + draw(9), .out_channels = 1 + n % 15};
        operands of = {.type = (int)draw(TYPES)};
        of.x = draw_values(of.type, c.channels * n);
        of.w = draw_values(of.type, c.channels * c.out_channels);
        if (draw(2)) of.bias = draw_values(of.type, c.out_channels);
        check(&wc, &c, &of);
        free_values(of.type, of.x, c.channels * n);
        free_values(of.type, of.w, c.channels * c.out_channels);
        if (of.bias) free_values(of.type, of.bias, c.out_channels);
    }
}

/* ---- panels ---- */

/* Numbers that tell whether a product was left out or added in another place. */
static void make_special(int type, void *x, int64_t n) {
    const double special[] = {0.0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 1e-40, -1e-310, 3e38};
    for (int64_t i = 0; i < n / 8; i++) {
        const double v = special[draw(8)];
        const int64_t at = draw(n);
        if (type == OBK_CONV_F64) ((double *)x)[at] = v;
        if (type == OBK_CONV_F32) ((float *)x)[at] = (float)v;
    }
}

/* All NaNs are equal: their bits depend on the order of operands, which compilers choose. */
static void assert_same_bits(int type, const void *a, const void *b, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const char *x = (const char *)a + (size_t)i * widths[type], *y = (const char *)b + (size_t)i * widths[type];
        if (type != OBK_CONV_PAIRS && isnan(get(type, a, i)) && isnan(get(type, b, i))) continue;
        assert_memory_equal(x, y, widths[type]);
    }
}

static void *run_panels(const obk_conv *c, const operands *of) {
    const obk_conv_panels *panels = &OBK_LOOPS(conv)->panels[of->type];
    const size_t width = widths[of->type];
    const int64_t n_products = c->channels * c->window.n_kernel,
                  n_panels = obk_panels(panels->lanes, panels->widest, c->out_channels), half = draw(n_panels + 1);
    const size_t n_w = (size_t)(ob__round_up(c->out_channels, panels->lanes) * n_products) * width,
                 n_copies = (size_t)(c->channels * c->pitch) * width,
                 n_lane = (size_t)obk_panels_lane(panels->lanes, panels->widest) * width,
                 n_y = (size_t)(c->out_channels * c->window.n_out) * width;
    char *w = malloc(n_w), *copies = wc_guarded(n_copies), *lane = wc_guarded(n_lane), *y = wc_guarded(n_y);
    obk_pace pace = {0};
    assert_non_null(w); /* not guarded, so that AddressSanitizer sees a read behind it */
    panels->pack(w, of->w, c->out_channels, n_products);
    for (int64_t b = c->tiling.n_blocks; b-- > 0;) {
        const char *from = c->pitch > 0 ? copies : (const char *)of->x + (size_t)obk_conv_start(c, b) * width;
        char *to = y + (size_t)obk_conv_start(c, b) * width;
        if (c->pitch > 0) panels->lay_out(c, of->x, 0, b, 0, c->channels, copies, &pace);
        if (half < n_panels) {
            const int64_t first = obk_panel_at(panels->lanes, panels->widest, c->out_channels, half).first;
            panels->run(c, from, w, of->bias, to + (size_t)(first * c->y_channel) * width, b, half, n_panels, NULL, lane, &pace);
        }
        panels->run(c, from, w, of->bias, to, b, 0, half, NULL, lane, &pace);
    }
    free(w);
    wc_free(copies, n_copies);
    wc_free(lane, n_lane);
    return y;
}

/* The same bits as `run`, for every number of output channels and any blocks. */
static void check_panels(window_case *wc, obk_conv *c, const operands *of) {
    const int64_t n = c->out_channels * c->window.n_out;
    c->y_channel = c->window.n_out;
    wc_tile(wc, draw(2) ? INT64_MAX / 4 : 1 + draw(2000));
    if (!wc->tiled && !c->pointwise) return;
    c->tiled = true;
    c->tiling = wc->tiling;
    if (c->pointwise) {
        c->tiling.n_blocks = 1 + draw(c->window.n_out / OBK_CONV_LEAST);
        c->tiling.block = c->window.n_out / c->tiling.n_blocks;
    }
    c->pitch = !c->pointwise ? obk_conv_pitch(c->tiling.elems) : draw(2) ? obk_conv_pitch(2 * c->tiling.block) : 0;
    c->along = draw(2);
    c->k_channels = c->along ? c->channels : 1 + draw(c->channels);
    int64_t *offset = malloc((size_t)(c->k_channels * c->window.n_kernel) * sizeof *offset);
    assert_non_null(offset);
    for (int64_t i = 0; i < c->k_channels; i++)
        for (int64_t k = 0; k < c->window.n_kernel; k++)
            offset[i * c->window.n_kernel + k] =
                i * (c->pitch > 0 ? c->pitch : c->window.n_in) + (c->pointwise ? 0 : c->tiling.offset[k]);
    c->k_offset = offset;
    for (int level = 0; level < 3; level++) {
        ob__kernels_limit(levels[level]);
        void *want = run(c, of), *y = run_panels(c, of);
        assert_same_bits(of->type, y, want, n);
        free_values(of->type, want, n);
        free_values(of->type, y, n);
    }
    ob__kernels_limit(~0u);
    free(offset);
    free(wc->tables);
}

static void test_panels(void **state) {
    (void)state;
    srand(7);
    for (int round = 0; round < 400; round++) {
        window_case wc;
        wc_draw(&wc, draw(8) ? 3 : 7);
        obk_conv c = {.channels = 1 + draw(draw(2) ? 2 : 9), .out_channels = 1 + draw(150)};
        if (draw(3) == 0) {
            const int64_t n = OBK_CONV_LEAST + draw(draw(2) ? 300 : 900);
            wc = (window_case){.axes = {{n, n, 1, 1, 1, 0, 0}}};
            wc.window = (obk_window){1, wc.axes, n, n, 1};
            c.pointwise = true;
        }
        c.window = wc.window;
        operands of = {.type = (int)draw(TYPES)};
        of.x = draw_values(of.type, c.channels * c.window.n_in);
        of.w = draw_values(of.type, c.channels * c.out_channels * c.window.n_kernel);
        if (draw(2)) of.bias = draw_values(of.type, c.out_channels);
        if (draw(2)) make_special(of.type, of.x, c.channels * c.window.n_in);
        if (draw(2)) make_special(of.type, of.w, c.channels * c.out_channels * c.window.n_kernel);
        check_panels(&wc, &c, &of);
        free_values(of.type, of.x, c.channels * c.window.n_in);
        free_values(of.type, of.w, c.channels * c.out_channels * c.window.n_kernel);
        if (of.bias) free_values(of.type, of.bias, c.out_channels);
    }
}

/* ---- depthwise ---- */

static void check_depthwise(obk_conv *c, const operands *of) {
    const int64_t n = c->out_channels * c->window.n_out, width = (int64_t)widths[of->type];
    obk_pace pace = {0};
    c->y_channel = c->window.n_out;
    for (int level = 0; level < 3; level++) {
        ob__kernels_limit(levels[level]);
        void *want = run(c, of);
        obk_conv by_rows = *c;
        by_rows.rows = 1 + draw(c->window.axes[0].out);
        by_rows.tiled = false;
        char *y = wc_guarded((size_t)(n * width));
        for (int64_t b = ob__ceil_div(c->window.axes[0].out, by_rows.rows); b-- > 0;)
            OBK_LOOPS(conv)->depthwise(&by_rows, of->x, of->w, of->bias, y + obk_conv_start(&by_rows, b) * width, b, 0,
                                       c->out_channels, NULL, &pace);
        assert_same_bits(of->type, y, want, n);
        free_values(of->type, want, n);
        free_values(of->type, y, n);
    }
    ob__kernels_limit(~0u);
}

static void test_depthwise(void **state) {
    (void)state;
    srand(8);
    for (int round = 0; round < 600; round++) {
        window_case wc = {.window.rank = 2};
        obk_axis *axes = wc.axes;
        const int64_t kernel = draw(2) ? 3 : 5, stride = 1 + draw(2);
        for (int a = 0; a < 2; a++) {
            obk_axis *x = &axes[a];
            *x = (obk_axis){
                .kernel = kernel, .stride = stride, .dilation = 1, .before = draw(kernel + 1), .after = draw(kernel + 1)};
            x->in = 1 + draw(draw(2) ? 12 : 100);
            if (x->in + x->before + x->after < kernel) x->in = kernel;
            x->out = (x->in + x->before + x->after - kernel) / stride + 1;
        }
        wc.window = (obk_window){2, axes, axes[0].in * axes[1].in, axes[0].out * axes[1].out, kernel * kernel};
        wc_tile(&wc, INT64_MAX / 4);
        if (!wc.tiled) continue; /* the oracle skips products with padding there */
        obk_conv c = {.window = wc.window, .tiling = wc.tiling, .tiled = true, .channels = 1, .out_channels = 1 + draw(3)};
        c.pitch = obk_conv_pitch(c.tiling.elems);
        assert_true(obk_has_depthwise(&c.window));
        operands of = {.type = OBK_CONV_F32};
        of.x = draw_values(of.type, c.window.n_in);
        of.w = draw_values(of.type, c.out_channels * c.window.n_kernel);
        if (draw(2)) of.bias = draw_values(of.type, c.out_channels);
        if (draw(2)) make_special(of.type, of.x, c.window.n_in);
        if (draw(2)) make_special(of.type, of.w, c.out_channels * c.window.n_kernel);
        check_depthwise(&c, &of);
        free(wc.tables);
        free_values(of.type, of.x, c.window.n_in);
        free_values(of.type, of.w, c.out_channels * c.window.n_kernel);
        if (of.bias) free_values(of.type, of.bias, c.out_channels);
    }
}

static void test_pairs(void **state) {
    (void)state;
    srand(6);
    for (int round = 0; round < 3 * 2 * 2 * 200; round++) {
        bool is_signed = round % 2, one = round / 2 % 2;
        int64_t n = round / 12;
        int16_t zero = (int16_t)(draw(256) - (is_signed ? 128 : 0));
        uint8_t *x = wc_guarded((size_t)n), *y = wc_guarded((size_t)n);
        obk_pair *pairs = wc_guarded((size_t)n * sizeof *pairs);
        for (int64_t i = 0; i < n; i++) {
            x[i] = (uint8_t)draw(256);
            y[i] = (uint8_t)draw(256);
        }
        ob__kernels_limit(levels[round / 4 % 3]);
        OBK_LOOPS(conv)->pair[is_signed](pairs, x, one ? NULL : y, zero, n);
        for (int64_t i = 0; i < n; i++) {
            int first = (is_signed ? (int8_t)x[i] : x[i]) - zero, second = (is_signed ? (int8_t)y[i] : y[i]) - zero;
            const uint32_t pair = (uint16_t)first | (one ? 0 : (uint32_t)(uint16_t)second << 16);
            assert_memory_equal(&pairs[i], &pair, sizeof pair);
        }
        wc_free(x, (size_t)n);
        wc_free(y, (size_t)n);
        wc_free(pairs, (size_t)n * sizeof *pairs);
    }
    ob__kernels_limit(~0u);
}

/* ---- transposed ---- */

static void check_transposed(int type, const obk_window *w, int64_t channels, int64_t out_channels, bool biased) {
    int64_t rows = out_channels * w->n_kernel;
    void *x = draw_values(type, channels * w->n_out), *weights = draw_values(type, channels * rows), *bias = draw_values(type, 1);
    size_t n_lane = (size_t)(channels * w->n_out + (1 + OBK_CONV_CHANNELS) * OBK_SLACK) * widths[type];
    void *lane = wc_guarded(n_lane), *z = draw_values(type, rows * w->n_out), *y = draw_values(type, w->n_in);
    int64_t half = draw(rows + 1);
    const obk_convs *convs = OBK_LOOPS(conv);
    obk_pace pace = {0};
    convs->columns[type](x, channels, w->n_out, weights, rows, half, rows, (char *)z + (size_t)(half * w->n_out) * widths[type],
                         lane, &pace);
    convs->columns[type](x, channels, w->n_out, weights, rows, 0, half, z, lane, &pace);
    for (int64_t m = 0; m < out_channels; m++) {
        double *want = calloc((size_t)w->n_in + 1, sizeof *want), *size = calloc((size_t)w->n_in + 1, sizeof *size);
        for (int64_t o = 0; o < w->n_out; o++)
            for (int64_t k = 0; k < w->n_kernel; k++) {
                int64_t at = wc_seen(w, o, k);
                for (int64_t i = 0; i < channels && at >= 0; i++) {
                    double v = get(type, x, i * w->n_out + o) * get(type, weights, i * rows + m * w->n_kernel + k);
                    want[at] += v;
                    size[at] += fabs(v);
                }
            }
        convs->fold[type](w, (char *)z + (size_t)(m * w->n_kernel * w->n_out) * widths[type], biased ? bias : NULL, y, &pace);
        for (int64_t i = 0; i < w->n_in; i++) {
            double is = get(type, y, i) - (biased ? get(type, bias, 0) : 0);
            assert_true(fabs(is - want[i]) <= (type ? 1e-14 : 1e-6) * (size[i] + 1));
        }
        free(want);
        free(size);
    }
    wc_free(lane, n_lane);
    free_values(type, x, channels * w->n_out);
    free_values(type, weights, channels * rows);
    free_values(type, bias, 1);
    free_values(type, z, rows * w->n_out);
    free_values(type, y, w->n_in);
}

static void test_transposed(void **state) {
    (void)state;
    srand(5);
    for (int round = 0; round < 150; round++) {
        window_case wc;
        wc_draw(&wc, 4);
        ob__kernels_limit(levels[draw(3)]);
        check_transposed((int)draw(2), &wc.window, 1 + draw(5), 1 + draw(4), draw(2));
    }
    ob__kernels_limit(~0u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_as_is), cmocka_unit_test(test_panels),
        cmocka_unit_test(test_depthwise), cmocka_unit_test(test_pairs), cmocka_unit_test(test_transposed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
