/* Resize and Upsample: the formulas along one axis, and what holds for any. */
#include "kernel_case.h"

/* y, n_out places, from x along one axis; scale from the sizes. */
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
    kernel_case *c = kc_open("Resize", 18);
    kc_in(c, 0, OB_FLOAT, DIMS(0));
    kc_in_ints(c, 3, INTS(2));
    kc_out(c, 0, OB_FLOAT, DIMS(2));
    assert_int_equal(kc_try(c), OB_E_SHAPE);
    kc_close(c);
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

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_modes_round_as_named),
        cmocka_unit_test(linear_transformations),
        cmocka_unit_test(constants_stay),
        cmocka_unit_test(hostile_scales_are_refused),
        cmocka_unit_test(upsample_repeats),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
