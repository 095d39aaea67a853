/* Conv and pooling compared with the definitions, with one to three spatial axes. */
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

typedef struct geometry {
    int32_t rank;
    int64_t in[3], kernel[3], stride[3], dilation[3], pads[6], out[3];
    const char *auto_pad;
    bool ceil_mode;
} geometry;

static geometry random_geometry(bool may_ceil) {
    geometry g = {.rank = 1 + pick(3), .auto_pad = "NOTSET", .ceil_mode = may_ceil && pick(3) == 0};
    int form = pick(6);
    if (form == 1) g.auto_pad = "SAME_UPPER";
    if (form == 2) g.auto_pad = "SAME_LOWER";
    if (form == 3) g.auto_pad = "VALID";
    for (int32_t a = 0; a < g.rank; a++) {
        g.kernel[a] = 1 + pick(3);
        g.stride[a] = 1 + pick(3);
        g.dilation[a] = 1 + pick(2);
        int64_t reach = (g.kernel[a] - 1) * g.dilation[a] + 1;
        g.in[a] = reach + pick(g.rank == 1 ? 40 : 6);
        bool same = strncmp(g.auto_pad, "SAME", 4) == 0;
        if (same) {
            g.out[a] = (g.in[a] + g.stride[a] - 1) / g.stride[a];
            int64_t total = (g.out[a] - 1) * g.stride[a] + reach - g.in[a];
            if (total < 0) total = 0;
            g.pads[a] = strcmp(g.auto_pad, "SAME_UPPER") == 0 ? total / 2 : total - total / 2;
            g.pads[g.rank + a] = total - g.pads[a];
        } else {
            if (form == 0 || form > 3) {
                g.pads[a] = pick((int)g.kernel[a]);
                g.pads[g.rank + a] = pick((int)g.kernel[a]);
            }
            int64_t room = g.in[a] + g.pads[a] + g.pads[g.rank + a] - reach;
            g.out[a] = (g.ceil_mode ? (room + g.stride[a] - 1) / g.stride[a] : room / g.stride[a]) + 1;
            if (g.ceil_mode && (g.out[a] - 1) * g.stride[a] >= g.in[a] + g.pads[a]) g.out[a]--;
        }
    }
    return g;
}

static void set_geometry(kernel_case *c, const geometry *g) {
    uint32_t n = (uint32_t)g->rank;
    kc_ints(c, "kernel_shape", g->kernel, n);
    kc_ints(c, "strides", g->stride, n);
    kc_ints(c, "dilations", g->dilation, n);
    if (strcmp(g->auto_pad, "NOTSET") == 0)
        kc_ints(c, "pads", g->pads, 2 * n);
    else
        kc_string(c, "auto_pad", g->auto_pad);
    kc_int(c, "ceil_mode", g->ceil_mode);
}

/* The element that kernel position k of result o reads; -1 in the padding, -2 beyond it. */
static int64_t seen(const geometry *g, int64_t o, int64_t k) {
    int64_t at = 0, os[3], ks[3];
    bool padding = false, beyond = false;
    for (int32_t a = g->rank - 1; a >= 0; a--) {
        os[a] = o % g->out[a];
        o /= g->out[a];
        ks[a] = k % g->kernel[a];
        k /= g->kernel[a];
    }
    for (int32_t a = 0; a < g->rank; a++) {
        int64_t i = os[a] * g->stride[a] - g->pads[a] + ks[a] * g->dilation[a];
        padding = padding || i < 0 || i >= g->in[a];
        beyond = beyond || i >= g->in[a] + g->pads[g->rank + a];
        at = at * g->in[a] + i;
    }
    return beyond ? -2 : padding ? -1 : at;
}

static int64_t taps(const geometry *g) {
    return ob__product(g->kernel, 0, g->rank);
}

static void conv_round(ob_dtype dtype, int form) {
    geometry g = random_geometry(false);
    if (form == 1) /* one kernel position, without unfolding */
        for (int32_t a = 0; a < g.rank; a++) {
            g.kernel[a] = g.stride[a] = g.dilation[a] = 1;
            g.pads[a] = g.pads[g.rank + a] = 0;
            g.out[a] = g.in[a];
        }
    int64_t batch = pick(3), groups = 1 + pick(3), channels = form == 2 ? 1 : 1 + pick(3), out_channels = 1 + pick(3);
    int64_t x_dims[5] = {batch, groups * channels}, w_dims[5] = {groups * out_channels, channels},
            y_dims[5] = {batch, groups * out_channels};
    for (int32_t a = 0; a < g.rank; a++) {
        x_dims[2 + a] = g.in[a];
        w_dims[2 + a] = g.kernel[a];
        y_dims[2 + a] = g.out[a];
    }
    kernel_case *c = kc_open("Conv", 22);
    set_geometry(c, &g);
    kc_int(c, "group", groups);
    kc_random(kc_in(c, 0, dtype, g.rank + 2, x_dims), -2, 2);
    kc_random(kc_in(c, 1, dtype, g.rank + 2, w_dims), -2, 2);
    bool bias = pick(2);
    if (bias) kc_random(kc_in(c, 2, dtype, 1, w_dims), -5, 5);
    kc_out(c, 0, dtype, g.rank + 2, y_dims);
    kc_run(c);
    int64_t n_in = ob__product(g.in, 0, g.rank), n_out = ob__product(g.out, 0, g.rank);
    for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
        int64_t o = i % n_out, out_channel = i / n_out % (groups * out_channels), b = i / n_out / (groups * out_channels);
        double sum = bias ? kc_get(&c->in[2], out_channel) : 0;
        for (int64_t ch = 0; ch < channels; ch++)
            for (int64_t k = 0; k < taps(&g); k++) {
                int64_t at = seen(&g, o, k), plane = (b * groups + out_channel / out_channels) * channels + ch;
                if (at >= 0)
                    sum += kc_get(&c->in[0], plane * n_in + at) * kc_get(&c->in[1], (out_channel * channels + ch) * taps(&g) + k);
            }
        kc_near(kc_get(&c->out[0], i), sum, dtype == OB_BFLOAT16 ? 4e-3 : 0);
    }
    kc_close(c);
}

static void conv_of_random_shapes_in_every_type(void **state) {
    (void)state;
    srand(41);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        if (kc_takes(ob__op_find("", "Conv", 0), (ob_dtype)dtype))
            for (int round = 0; round < 90; round++) conv_round((ob_dtype)dtype, round % 3);
}

/* More positions than one unfolding block holds. */
static void conv_in_many_blocks(void **state) {
    (void)state;
    enum { CHANNELS = 64, LENGTH = 1000, TAPS = 9 };
    kernel_case *c = kc_open("Conv", 11);
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(1, CHANNELS, 25, LENGTH / 25)), -2, 2);
    kc_random(kc_in(c, 1, OB_FLOAT, DIMS(2, CHANNELS, 3, 3)), -2, 2);
    kc_ints(c, "pads", INTS(1, 1, 1, 1));
    kc_out(c, 0, OB_FLOAT, DIMS(1, 2, 25, LENGTH / 25));
    kc_run(c);
    geometry g = {
        .rank = 2, .in = {25, 40}, .out = {25, 40}, .kernel = {3, 3}, .stride = {1, 1}, .dilation = {1, 1}, .pads = {1, 1, 1, 1}};
    for (int64_t i = 0; i < 2 * LENGTH; i += 7) {
        double sum = 0;
        for (int64_t ch = 0; ch < CHANNELS; ch++)
            for (int64_t k = 0; k < TAPS; k++) {
                int64_t at = seen(&g, i % LENGTH, k);
                if (at >= 0)
                    sum += kc_get(&c->in[0], ch * LENGTH + at) * kc_get(&c->in[1], (i / LENGTH * CHANNELS + ch) * TAPS + k);
            }
        kc_near(kc_get(&c->out[0], i), sum, 0);
    }
    kc_close(c);
}

static void conv_refuses_what_does_not_fit(void **state) {
    (void)state;
    kernel_case *c = kc_open("Conv", 11);
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(1, 3, 4, 4)), 0, 1);
    kc_random(kc_in(c, 1, OB_FLOAT, DIMS(2, 2, 3, 3)), 0, 1);
    kc_out(c, 0, OB_FLOAT, DIMS(1, 2, 2, 2));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_in(c, 1, OB_FLOAT, DIMS(2, 3, 3, 3));
    kc_ints(c, "strides", INTS(0, 1));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_ints(c, "strides", INTS(1, 1));
    kc_ints(c, "dilations", INTS(INT64_MAX, 1));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_ints(c, "dilations", INTS(1));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_close(c);
}

static void pool_round(const char *op, ob_dtype dtype) {
    geometry g = random_geometry(true);
    bool is_max = op[0] == 'M', is_average = op[0] == 'A', count_pad = pick(2), column_major = pick(2),
         wants_indices = is_max && pick(2);
    int64_t x_dims[5] = {2, 1 + pick(2)}, y_dims[5] = {2, x_dims[1]};
    for (int32_t a = 0; a < g.rank; a++) {
        x_dims[2 + a] = g.in[a];
        y_dims[2 + a] = g.out[a];
    }
    kernel_case *c = kc_open(op, 22);
    set_geometry(c, &g);
    int p = 1 + pick(3);
    if (is_average)
        kc_int(c, "count_include_pad", count_pad);
    else if (is_max)
        kc_int(c, "storage_order", column_major);
    else
        kc_int(c, "p", p);
    kc_random(kc_in(c, 0, dtype, g.rank + 2, x_dims), dtype == OB_UINT8 ? 0 : -9, 9);
    kc_out(c, 0, dtype, g.rank + 2, y_dims);
    if (wants_indices) kc_out(c, 1, OB_INT64, g.rank + 2, y_dims);
    kc_run(c);
    int64_t n_in = ob__product(g.in, 0, g.rank), n_out = ob__product(g.out, 0, g.rank);
    for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
        int64_t count = 0, best = -1, base = i / n_out * n_in;
        double sum = 0;
        for (int64_t k = 0; k < taps(&g); k++) {
            int64_t at = seen(&g, i % n_out, k);
            if (at >= 0 || (at == -1 && count_pad)) count++;
            if (at < 0) continue;
            double x = kc_get(&c->in[0], base + at);
            if (best < 0 || x > kc_get(&c->in[0], base + best)) best = at;
            sum += is_average ? x : pow(fabs(x), p);
        }
        if (best < 0) continue; /* a window of padding only */
        double expected = is_max ? kc_get(&c->in[0], base + best) : is_average ? sum / (double)count : pow(sum, 1.0 / p);
        kc_near(kc_get(&c->out[0], i), expected, is_max ? 0 : kc_tolerance(dtype));
        if (wants_indices) {
            int64_t at = best;
            if (column_major) {
                int64_t index[3], rest = best;
                for (int32_t a = g.rank - 1; a >= 0; a--) {
                    index[a] = rest % g.in[a];
                    rest /= g.in[a];
                }
                at = 0;
                for (int32_t a = g.rank - 1; a >= 0; a--) at = at * g.in[a] + index[a];
            }
            assert_int_equal((int64_t)kc_get(&c->out[1], i), base + at);
        }
    }
    kc_close(c);
}

static void pools_of_random_shapes_in_every_type(void **state) {
    (void)state;
    srand(42);
    static const char *const ops[] = {"MaxPool", "AveragePool", "LpPool"};
    for (int k = 0; k < 3; k++)
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
            if (kc_takes(ob__op_find("", ops[k], 0), (ob_dtype)dtype))
                for (int round = 0; round < 60; round++) pool_round(ops[k], (ob_dtype)dtype);
}

static void global_pools(void **state) {
    (void)state;
    srand(43);
    static const char *const ops[] = {"GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"};
    for (int k = 0; k < 3; k++)
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
            kernel_case *c = kc_open(ops[k], 1);
            if (kc_takes(c->op, (ob_dtype)dtype)) {
                kc_random(kc_in(c, 0, (ob_dtype)dtype, DIMS(2, 3, 5, 7)), -9, 9);
                kc_out(c, 0, (ob_dtype)dtype, DIMS(2, 3, 1, 1));
                kc_run(c);
                for (int64_t i = 0; i < 6; i++) {
                    double high = -99, sum = 0, square = 0;
                    for (int64_t s = 0; s < 35; s++) {
                        double x = kc_get(&c->in[0], i * 35 + s);
                        high = x > high ? x : high;
                        sum += x;
                        square += x * x;
                    }
                    kc_near(kc_get(&c->out[0], i),
                            k == 0   ? high
                            : k == 1 ? sum / 35
                                     : sqrt(square),
                            kc_tolerance((ob_dtype)dtype));
                }
            }
            kc_close(c);
        }
}

static void global_pools_take_bfloat16_from_22(void **state) {
    (void)state;
    static const char *const ops[] = {"GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"};
    static const int64_t opsets[] = {1, 2, 22};
    for (int k = 0; k < 9; k++) {
        kernel_case *c = kc_open(ops[k / 3], opsets[k % 3]);
        kc_random(kc_in(c, 0, OB_BFLOAT16, DIMS(1, 1, 1)), 3, 3);
        kc_out(c, 0, OB_BFLOAT16, DIMS(1, 1, 1));
        assert_int_equal(kc_try(c), opsets[k % 3] == 22 ? OB_OK : OB_E_TYPE);
        kc_close(c);
    }
}

static void max_pool_lets_nan_win(void **state) {
    (void)state;
    for (int at = 0; at < 3; at++) {
        kernel_case *c = kc_open("MaxPool", 12);
        kc_ints(c, "kernel_shape", INTS(3));
        for (int i = 0; i < 3; i++) kc_set(kc_in(c, 0, OB_FLOAT, DIMS(1, 1, 3)), i, i);
        kc_random(&c->in[0], 1, 9);
        kc_set(&c->in[0], at, (double)NAN);
        kc_out(c, 0, OB_FLOAT, DIMS(1, 1, 1));
        kc_run(c);
        assert_true(isnan(kc_get(&c->out[0], 0)));
        kc_close(c);
    }
}

/* ---- Col2Im ---- */

/* Images of one to three axes from random blocks, compared with a sum over all blocks. */
static void col2im_adds_blocks(void **state) {
    (void)state;
    static const ob_dtype types[] = {OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16, OB_INT8, OB_UINT64};
    srand(71);
    for (int round = 0; round < 120; round++) {
        const int32_t rank = 1 + round % 3;
        int64_t image[3], block[3], stride[3], dilation[3], pads[6], places[3], taps = 1, n_places = 1, plane = 1;
        for (int32_t i = 0; i < rank; i++) {
            block[i] = 1 + rand() % 3, stride[i] = 1 + rand() % 3, dilation[i] = 1 + rand() % 2;
            pads[i] = rand() % 3, pads[rank + i] = rand() % 3;
            image[i] = (block[i] - 1) * dilation[i] + 1 + rand() % 5;
            places[i] = (image[i] + pads[i] + pads[rank + i] - dilation[i] * (block[i] - 1) - 1) / stride[i] + 1;
            taps *= block[i], n_places *= places[i], plane *= image[i];
        }
        const int64_t batch = round % 7 == 6 ? 0 : 2, channels = 3;
        kernel_case *c = kc_open("Col2Im", 18);
        ob_dtype type = types[rand() % 6];
        ob_view *x = kc_in(c, 0, type, DIMS(batch, channels * taps, n_places));
        kc_random(x, 0, 3);
        kc_in_ints(c, 1, image, (uint32_t)rank);
        kc_in_ints(c, 2, block, (uint32_t)rank);
        kc_ints(c, "strides", stride, (uint32_t)rank);
        kc_ints(c, "dilations", dilation, (uint32_t)rank);
        kc_ints(c, "pads", pads, 2 * (uint32_t)rank);
        int64_t dims[5] = {batch, channels, image[0], rank > 1 ? image[1] : 0, rank > 2 ? image[2] : 0};
        kc_out(c, 0, type, rank + 2, dims);
        kc_run(c);
        double sums[3000] = {0};
        assert_true(batch * channels * plane <= 3000);
        for (int64_t i = 0; i < batch * channels * taps * n_places; i++) {
            int64_t k = i / n_places % taps, l = i % n_places, at = 0, each = 1;
            bool inside = true;
            for (int32_t a = rank - 1; a >= 0; k /= block[a], l /= places[a], each *= image[a--]) {
                int64_t y = l % places[a] * stride[a] + k % block[a] * dilation[a] - pads[a];
                inside = inside && y >= 0 && y < image[a];
                at += y * each;
            }
            if (inside) sums[i / n_places / taps * plane + at] += kc_get(x, i);
        }
        for (int64_t i = 0; i < batch * channels * plane; i++) kc_near(kc_get(&c->out[0], i), sums[i], 0);
        kc_close(c);
    }
}

static void col2im_refuses_other_counts(void **state) {
    (void)state;
    kernel_case *c = kc_open("Col2Im", 18);
    kc_in(c, 0, OB_FLOAT, DIMS(1, 4, 5)); /* a block of 4 has 4 places in 3 x 3 */
    kc_in_ints(c, 1, (int64_t[]){3, 3}, 2);
    kc_in_ints(c, 2, (int64_t[]){2, 2}, 2);
    kc_out(c, 0, OB_FLOAT, DIMS(1, 1, 3, 3));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(col2im_adds_blocks),
        cmocka_unit_test(col2im_refuses_other_counts),
        cmocka_unit_test(conv_of_random_shapes_in_every_type),
        cmocka_unit_test(conv_in_many_blocks),
        cmocka_unit_test(conv_refuses_what_does_not_fit),
        cmocka_unit_test(pools_of_random_shapes_in_every_type),
        cmocka_unit_test(global_pools),
        cmocka_unit_test(global_pools_take_bfloat16_from_22),
        cmocka_unit_test(max_pool_lets_nan_win),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
