/* TopK, NonZero, Compress and ConvTranspose compared with their definitions. */
#include "core/graph/types.h"
#include "kernel_case.h"

static int pick(int n) {
    return rand() % n;
}

static void topk_in_every_type(void **state) {
    (void)state;
    srand(81);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
        if (!kc_takes(ob__op_find("", "TopK", 0), (ob_dtype)dtype)) continue;
        for (int round = 0; round < 120; round++) {
            int32_t axis = pick(3);
            int64_t dims[3] = {1 + pick(3), 1 + pick(12), 1 + pick(3)};
            if (round % 3 == 0) dims[axis] += pick(60); /* several sections */
            int64_t out_dims[3] = {dims[0], dims[1], dims[2]}, n = dims[axis];
            int64_t k = out_dims[axis] = round % 5 ? pick((int)n + 1) : 1, inner = ob__product(dims, axis + 1, 3);
            bool largest = round & 1;
            kernel_case *c = kc_open("TopK", 0);
            kc_int(c, "axis", axis - 3);
            kc_int(c, "largest", largest);
            kc_random(kc_in(c, 0, (ob_dtype)dtype, 3, dims), ob__dtype_kind((ob_dtype)dtype) == OB_KIND_UNSIGNED ? 0 : -9, 9);
            if (ob__dtype_is_real_or_half((ob_dtype)dtype) && round % 7 < 2)
                kc_set(&c->in[0], pick((int)ob__count(&c->in[0])), (double)NAN);
            if (ob__dtype_is_real_or_half((ob_dtype)dtype) && round % 3 == 0)
                kc_set(&c->in[0], pick((int)ob__count(&c->in[0])), -0.0);
            kc_in_ints(c, 1, &k, 1);
            kc_out(c, 0, (ob_dtype)dtype, 3, out_dims);
            kc_out(c, 1, OB_INT64, 3, out_dims);
            kc_run(c);
            for (int64_t o = 0; o < ob__count(&c->out[0]); o++) {
                int64_t at = (int64_t)kc_get(&c->out[1], o), base = o / inner / k * n * inner + o % inner, rank = 0;
                double value = kc_get(&c->in[0], base + at * inner);
                assert_true(kc_same_element(&c->out[0], o, &c->in[0], base + at * inner));
                for (int64_t i = 0; i < n; i++) { /* number of elements before it */
                    double x = kc_get(&c->in[0], base + i * inner);
                    bool better = largest ? x > value || (isnan(x) && !isnan(value)) : x < value || (isnan(value) && !isnan(x));
                    rank += better || ((x == value || (isnan(x) && isnan(value))) && i < at);
                }
                assert_int_equal(rank, o / inner % k);
            }
            kc_close(c);
        }
    }
    for (int wanted = 0; wanted < 2; wanted++) { /* one of the results, of one element and of two */
        for (int64_t k = 1; k < 3; k++) {
            kernel_case *c = kc_open("TopK", 11);
            const double x[4] = {2, 5, 3, 5};
            ob_view *in = kc_in(c, 0, OB_FLOAT, DIMS(4));
            for (int64_t i = 0; i < 4; i++) kc_set(in, i, x[i]);
            kc_in_ints(c, 1, &k, 1);
            kc_out(c, (uint32_t)wanted, wanted ? OB_INT64 : OB_FLOAT, 1, &k);
            kc_run(c);
            for (int64_t i = 0; i < k; i++) assert_true(kc_get(&c->out[wanted], i) == (double)(wanted ? 1 + 2 * i : 5));
            kc_close(c);
        }
    }
    kernel_case *c = kc_open("TopK", 11);
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(3)), 0, 1);
    kc_in_ints(c, 1, INTS(4));
    kc_out(c, 0, OB_FLOAT, DIMS(4));
    kc_out(c, 1, OB_INT64, DIMS(4));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

/* `run` fills exactly the dims that `shape` returns. */
static void ask_shape(kernel_case *c, ob_dtype dtype) {
    ob_kernel_args args = {.n_in = c->n_in, .n_out = 1, .in = c->in, .out = c->out};
    c->out[0].dtype = dtype;
    assert_int_equal(c->op->kernel->shape(&(ob_kernel_site){.node = c->node, .op = c->op}, &args, &c->error), OB_OK);
    ob_view told = c->out[0];
    kc_out(c, 0, dtype, told.rank, told.dims);
}

/* In NumPy's order: NaN after every number, and the first NaN first. */
static void topk_counts_nan_as_greatest(void **state) {
    (void)state;
    static const ob_dtype dtypes[] = {OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16};
    static const double x[7] = {1, (double)NAN, 3, (double)INFINITY, (double)-INFINITY, (double)NAN, 2};
    static const int64_t expected[2][7] = {{4, 0, 6, 2, 3, 1, 5}, {1, 5, 3, 2, 6, 0, 4}};
    for (int round = 0; round < 4 * 2 * 8; round++) {
        int64_t largest = round & 1, k = round / 2 % 8;
        kernel_case *c = kc_open("TopK", 24);
        kc_int(c, "largest", largest);
        ob_view *in = kc_in(c, 0, dtypes[round / 16], DIMS(7));
        for (int64_t i = 0; i < 7; i++) kc_set(in, i, x[i]);
        kc_in_ints(c, 1, &k, 1);
        kc_out(c, 0, dtypes[round / 16], 1, &k);
        kc_out(c, 1, OB_INT64, 1, &k);
        kc_run(c);
        for (int64_t i = 0; i < k; i++) {
            int64_t at = expected[largest][i];
            assert_int_equal(kc_get(&c->out[1], i), at);
            assert_true(kc_get(&c->out[0], i) == x[at] || (isnan(x[at]) && isnan(kc_get(&c->out[0], i))));
        }
        kc_close(c);
    }
}

static void non_zero_finds_coordinates(void **state) {
    (void)state;
    srand(82);
    static const ob_dtype types[] = {OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16, OB_BOOL, OB_INT8, OB_INT64, OB_UINT16};
    for (int t = 0; t < 8; t++) {
        kernel_case *c = kc_open("NonZero", 13);
        ob_view *in = kc_in(c, 0, types[t], DIMS(3, 4, 2));
        kc_random(in, 0, 1);
        if (ob__dtype_is_real_or_half(types[t])) kc_set(in, 5, -0.0);
        ask_shape(c, OB_INT64);
        kc_run(c);
        int64_t column = 0, found = c->out[0].dims[1];
        for (int64_t i = 0; i < 24; i++) {
            if (kc_get(in, i) == 0) continue;
            const int64_t index[3] = {i / 8, i / 2 % 4, i % 2};
            for (int64_t a = 0; a < 3; a++) assert_int_equal((int64_t)kc_get(&c->out[0], a * found + column), index[a]);
            column++;
        }
        assert_int_equal(column, found);
        kc_close(c);
    }
}

static void compress_keeps_slices(void **state) {
    (void)state;
    const uint8_t wanted[3] = {0, 1, 1};
    for (int form = 0; form < 2; form++) {
        kernel_case *c = kc_open("Compress", 11);
        if (form) kc_int(c, "axis", 1);
        kc_random_bytes(kc_in(c, 0, OB_STRING, DIMS(2, 4)));
        memcpy(kc_in(c, 1, OB_BOOL, DIMS(3))->data, wanted, sizeof wanted);
        ask_shape(c, OB_STRING);
        kc_run(c);
        assert_int_equal(ob__count(&c->out[0]), form ? 4 : 2);
        for (int64_t i = 0; i < ob__count(&c->out[0]); i++)
            assert_true(kc_same_element(&c->out[0], i, &c->in[0], form ? i / 2 * 4 + i % 2 + 1 : i + 1));
        memset(kc_in(c, 1, OB_BOOL, DIMS(9))->data, 1, 9);
        assert_int_equal(kc_try(c), OB_E_ARGUMENT);
        kc_close(c);
    }
}

static void conv_transpose_adds_filters(void **state) {
    (void)state;
    srand(83);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
        if (!kc_takes(ob__op_find("", "ConvTranspose", 0), (ob_dtype)dtype)) continue;
        for (int round = 0; round < 60; round++) {
            int64_t groups = 1 + pick(2), channels = 1 + pick(2), out_channels = 1 + pick(3), n[2], k[2], s[2], d[2], pads[4],
                    extra[2], out[2];
            bool fits = true;
            for (int a = 0; a < 2; a++) {
                n[a] = 1 + pick(4);
                k[a] = 1 + pick(3);
                s[a] = 1 + pick(3);
                d[a] = 1 + pick(2);
                pads[a] = pick(2);
                pads[2 + a] = pick(2);
                extra[a] = pick((int)s[a]);
                out[a] = (n[a] - 1) * s[a] + (k[a] - 1) * d[a] + 1 + extra[a] - pads[a] - pads[2 + a];
                fits = fits && out[a] > 0;
            }
            if (!fits) continue;
            kernel_case *c = kc_open("ConvTranspose", 22);
            kc_ints(c, "strides", s, 2);
            kc_ints(c, "dilations", d, 2);
            kc_ints(c, "pads", pads, 4);
            kc_ints(c, "output_padding", extra, 2);
            kc_int(c, "group", groups);
            kc_random(kc_in(c, 0, (ob_dtype)dtype, 4, (int64_t[]){2, groups * channels, n[0], n[1]}), -2, 2);
            kc_random(kc_in(c, 1, (ob_dtype)dtype, 4, (int64_t[]){groups * channels, out_channels, k[0], k[1]}), -2, 2);
            int64_t n_out_channels = groups * out_channels;
            kc_random(kc_in(c, 2, (ob_dtype)dtype, 1, &n_out_channels), -3, 3);
            kc_out(c, 0, (ob_dtype)dtype, 4, (int64_t[]){2, n_out_channels, out[0], out[1]});
            kc_run(c);
            int64_t count = ob__count(&c->out[0]);
            double *expected = malloc((size_t)count * sizeof *expected);
            assert_non_null(expected);
            for (int64_t i = 0; i < count; i++) expected[i] = kc_get(&c->in[2], i / (out[0] * out[1]) % n_out_channels);
            for (int64_t i = 0; i < ob__count(&c->in[0]); i++) {
                int64_t plane = i / (n[0] * n[1]), ch = plane % (groups * channels), b = plane / (groups * channels);
                for (int64_t j = 0; j < out_channels * k[0] * k[1]; j++) {
                    int64_t m = j / (k[0] * k[1]) + ch / channels * out_channels;
                    int64_t y = i / n[1] % n[0] * s[0] - pads[0] + j / k[1] % k[0] * d[0],
                            x = i % n[1] * s[1] - pads[1] + j % k[1] * d[1];
                    if (y < 0 || y >= out[0] || x < 0 || x >= out[1]) continue;
                    expected[((b * n_out_channels + m) * out[0] + y) * out[1] + x] +=
                        kc_get(&c->in[0], i) * kc_get(&c->in[1], ch * out_channels * k[0] * k[1] + j);
                }
            }
            for (int64_t i = 0; i < count; i++) kc_near(kc_get(&c->out[0], i), expected[i], 0);
            free(expected);
            kc_close(c);
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topk_in_every_type),          cmocka_unit_test(topk_counts_nan_as_greatest),
        cmocka_unit_test(non_zero_finds_coordinates),  cmocka_unit_test(compress_keeps_slices),
        cmocka_unit_test(conv_transpose_adds_filters),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
