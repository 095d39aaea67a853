/* Resize and Upsample: the formulas along one axis, and properties that hold for all axes. */
#include "kernel_case.h"

/* y, with n_out elements, from x along one axis; scale from the sizes. */
static void resize(const char *mode, const char *transformation, const char *nearest, ob_dtype dtype, int64_t n_in,
                   const double *x, int64_t n_out, double *y) {
    kernel_case *c = kc_open("Resize", 19);
    kc_string(c, "mode", mode);
    kc_string(c, "coordinate_transformation_mode", transformation);
    kc_string(c, "nearest_mode", nearest);
    ob_view *in = kc_in(c, 0, dtype, 1, &n_in);
    for (int64_t i = 0; i < n_in; i++) kc_set(in, i, x[i]);
    kc_in_ints(c, 3, &n_out, 1);
    kc_out(c, 0, dtype, 1, &n_out);
    kc_run(c);
    for (int64_t i = 0; i < n_out; i++) y[i] = kc_get(&c->out[0], i);
    kc_close(c);
}

static void nearest_modes_round_as_named(void **state) {
    (void)state;
    const double x[4] = {0, 1, 2, 3};
    double y[8];
    static const struct {
        const char *nearest;
        double expected[8];
    } cases[] = {{"floor", {0, 0, 1, 1, 2, 2, 3, 3}},
                 {"ceil", {0, 1, 1, 2, 2, 3, 3, 3}},
                 {"round_prefer_floor", {0, 0, 1, 1, 2, 2, 3, 3}},
                 {"round_prefer_ceil", {0, 1, 1, 2, 2, 3, 3, 3}}};
    for (int k = 0; k < 4; k++) {
        resize("nearest", "asymmetric", cases[k].nearest, OB_INT8, 4, x, 8, y); /* coordinates 0, 0.5, 1 ... */
        for (int i = 0; i < 8; i++) kc_near(y[i], cases[k].expected[i], 0);
    }
}

static void linear_transformations(void **state) {
    (void)state;
    const double x[3] = {0, 10, 20};
    double y[6];
    resize("linear", "half_pixel", "floor", OB_FLOAT, 3, x, 6, y);
    const double half[6] = {0, 2.5, 7.5, 12.5, 17.5, 20};
    for (int i = 0; i < 6; i++) kc_near(y[i], half[i], 1e-6);
    resize("linear", "align_corners", "floor", OB_DOUBLE, 3, x, 6, y);
    for (int i = 0; i < 6; i++) kc_near(y[i], 4 * i, 1e-12);
    resize("linear", "asymmetric", "floor", OB_FLOAT16, 3, x, 6, y);
    const double asymmetric[6] = {0, 5, 10, 15, 20, 20};
    for (int i = 0; i < 6; i++) kc_near(y[i], asymmetric[i], 0);
    resize("linear", "align_corners", "floor", OB_FLOAT, 3, x, 1, y);
    kc_near(y[0], 0, 0);
    resize("linear", "pytorch_half_pixel", "floor", OB_FLOAT, 3, x, 1, y);
    kc_near(y[0], 0, 0);
    resize("linear", "half_pixel", "floor", OB_BFLOAT16, 3, x, 3, y); /* nothing changes */
    for (int i = 0; i < 3; i++) kc_near(y[i], x[i], 0);
}

/* Interpolation keeps a constant, in every type and mode. */
static void constants_stay(void **state) {
    (void)state;
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    static const ob_dtype types[] = {OB_FLOAT, OB_DOUBLE, OB_FLOAT16, OB_BFLOAT16, OB_UINT8, OB_INT32};
    for (int k = 0; k < 3; k++)
        for (int t = 0; t < 6; t++)
            for (int antialias = 0; antialias < 2; antialias++) {
                kernel_case *c = kc_open("Resize", 19);
                kc_string(c, "mode", modes[k]);
                kc_int(c, "antialias", antialias);
                ob_view *in = kc_in(c, 0, types[t], DIMS(2, 5, 7));
                for (int64_t i = 0; i < 70; i++) kc_set(in, i, 64);
                kc_ints(c, "axes", INTS(2, 1));
                kc_in_ints(c, 3, INTS(3, 9));
                kc_out(c, 0, types[t], DIMS(2, 9, 3));
                kc_run(c);
                for (int64_t i = 0; i < 54; i++)
                    kc_near(kc_get(&c->out[0], i), 64, types[t] == OB_UINT8 || types[t] == OB_INT32 ? 0.02 : 1e-6);
                kc_close(c);
            }
}

static void hostile_scales_are_refused(void **state) {
    (void)state;
    const float scales[] = {0, -1, NAN, 1e-30f};
    for (int k = 0; k < 4; k++) {
        kernel_case *c = kc_open("Resize", 18);
        kc_string(c, "mode", "linear");
        kc_int(c, "antialias", 1);
        kc_random(kc_in(c, 0, OB_FLOAT, DIMS(4)), 0, 9);
        kc_set(kc_in(c, 2, OB_FLOAT, DIMS(1)), 0, (double)scales[k]);
        kc_out(c, 0, OB_FLOAT, DIMS(2));
        assert_int_equal(kc_try(c), OB_E_ARGUMENT);
        kc_close(c);
    }
    kernel_case *c = kc_open("Resize", 11); /* scales and sizes */
    kc_in(c, 0, OB_FLOAT, DIMS(1));
    kc_set(kc_in(c, 2, OB_FLOAT, DIMS(1)), 0, 2);
    kc_in_ints(c, 3, INTS(2));
    kc_out(c, 0, OB_FLOAT, DIMS(2));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_close(c);
    c = kc_open("Resize", 18);
    kc_in(c, 0, OB_FLOAT, DIMS(0));
    kc_in_ints(c, 3, INTS(2));
    kc_out(c, 0, OB_FLOAT, DIMS(2));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
}

/* The size that Resize computes from scales at run time. */
static int64_t size_from_scale(const char *op, int64_t opset, int64_t size, float scale, const char *policy) {
    kernel_case *c = kc_open(op, opset);
    uint32_t at = strcmp(op, "Upsample") == 0 || opset < 11 ? 1 : 2;
    kc_in(c, 0, OB_INT8, 1, &size);
    if (policy) {
        kc_string(c, "keep_aspect_ratio_policy", policy);
        kc_in_ints(c, 3, INTS((int64_t)scale));
    } else
        kc_set(kc_in(c, at, OB_FLOAT, DIMS(1)), 0, (double)scale);
    c->n_out = 1;
    ob_kernel_args args = {.n_in = c->n_in, .n_out = 1, .in = c->in, .out = c->out, .conversions = &ob__all_conversions};
    ob_status status = c->op->kernel->shape(&(ob_kernel_site){.node = c->node, .op = c->op}, &args, &c->error);
    int64_t result = status == OB_OK && c->out[0].rank == 1 ? c->out[0].dims[0] : -1;
    kc_close(c);
    return result;
}

static void sizes_from_scales_are_those_of_float(void **state) {
    (void)state;
    srand(71);
    for (int round = 0; round < 3000; round++) {
        int64_t size = round % 300;
        float scale = round % 3 ? (float)(1 + rand() % 40) / (float)(1 + rand() % 20) : (float)(rand() % 10000 + 1) / 4096;
        float product = (float)size * scale;
        int64_t expected = (int64_t)floorf(product);
        assert_int_equal(size_from_scale("Resize", 10, size, scale, NULL), expected);
        assert_int_equal(size_from_scale("Resize", 19, size, scale, NULL), expected);
        assert_int_equal(size_from_scale("Upsample", 9, size, scale, NULL), scale >= 1 ? expected : -1);
    }
    assert_int_equal(size_from_scale("Resize", 13, 10, 0.7f, NULL), 7); /* 6.99999988 before it is rounded */
    assert_int_equal(size_from_scale("Resize", 13, 10, -1, NULL), -1);
    assert_int_equal(size_from_scale("Resize", 13, 10, NAN, NULL), -1);
    assert_int_equal(size_from_scale("Resize", 19, 10, 7, "not_larger"), 7);
}

/* 3.5 / 0.7 is 5 in float and a little more in double. */
static void nearest_ties_are_those_of_float(void **state) {
    (void)state;
    static const struct {
        int64_t opset;
        int8_t expected[7];
    } cases[] = {{10, {0, 2, 3, 5, 6, 8, 9}}, {13, {0, 2, 3, 4, 6, 7, 9}}}; /* 10: ceil(x / 0.7) where the axis shrinks */
    for (int k = 0; k < 2; k++) {
        kernel_case *c = kc_open("Resize", cases[k].opset);
        ob_view *in = kc_in(c, 0, OB_INT8, DIMS(10));
        for (int i = 0; i < 10; i++) kc_set(in, i, i);
        kc_set(kc_in(c, cases[k].opset < 11 ? 1 : 2, OB_FLOAT, DIMS(1)), 0, (double)0.7f);
        kc_out(c, 0, OB_INT8, DIMS(7));
        kc_run(c);
        assert_memory_equal(c->out[0].data, cases[k].expected, 7);
        kc_close(c);
    }
}

static void names_that_mean_nothing_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"coordinate_transformation_mode", "nearest_mode", "keep_aspect_ratio_policy", "mode"};
    for (int k = 0; k < 4; k++) {
        kernel_case *c = kc_open("Resize", 19);
        kc_string(c, names[k], "halfpixel");
        kc_random(kc_in(c, 0, OB_FLOAT, DIMS(4)), 0, 3);
        kc_in_ints(c, 3, INTS(8));
        kc_out(c, 0, OB_FLOAT, DIMS(8));
        assert_int_equal(kc_try(c), OB_E_ARGUMENT);
        kc_close(c);
    }
}

static void upsample_repeats(void **state) {
    (void)state;
    kernel_case *c = kc_open("Upsample", 9);
    kc_random_bytes(kc_in(c, 0, OB_STRING, DIMS(1, 2, 3)));
    ob_view *scales = kc_in(c, 1, OB_FLOAT, DIMS(3));
    for (int i = 0; i < 3; i++) kc_set(scales, i, i + 1);
    kc_out(c, 0, OB_STRING, DIMS(1, 4, 9));
    kc_run(c);
    for (int64_t i = 0; i < 36; i++) assert_true(kc_same_element(&c->out[0], i, &c->in[0], i / 9 / 2 * 3 + i % 9 / 3));
    kc_close(c);
}

/* More rows than a thread processes at once, before and after axes that do not change. */
static void rows_are_picked_across_chunks(void **state) {
    (void)state;
    static const int64_t in[5] = {2, 3, 40, 2, 50}, out[5] = {4, 3, 120, 2, 100};
    kernel_case *c = kc_open("Resize", 19);
    kc_string(c, "mode", "nearest");
    kc_random_bytes(kc_in(c, 0, OB_FLOAT, 5, in));
    kc_in_ints(c, 3, out, 5);
    kc_out(c, 0, OB_FLOAT, 5, out);
    kc_run(c);
    for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
        int64_t from = 0, step = 1, rest = i;
        for (int a = 4; a >= 0; a--) {
            from += rest % out[a] / (out[a] / in[a]) * step;
            step *= in[a];
            rest /= out[a];
        }
        assert_true(kc_same_element(&c->out[0], i, &c->in[0], from));
    }
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_modes_round_as_named),
        cmocka_unit_test(linear_transformations),
        cmocka_unit_test(constants_stay),
        cmocka_unit_test(hostile_scales_are_refused),
        cmocka_unit_test(upsample_repeats),
        cmocka_unit_test(rows_are_picked_across_chunks),
        cmocka_unit_test(sizes_from_scales_are_those_of_float),
        cmocka_unit_test(nearest_ties_are_those_of_float),
        cmocka_unit_test(names_that_mean_nothing_are_refused),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
