/* Special cases of single elementwise operators: strings, broadcasts of old versions, NaN and omitted bounds, misaligned or
 * overwritten memory, plans, rounding, refusals. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernels.h"
#include "numbers.h"

static void clip_between_omitted_bounds_and_nan(void **state) {
    (void)state;
    float x[5] = {INFINITY, -INFINITY, NAN, 1, -1}, z[5], low = 0, nan = NAN;
    static const float bounded[5] = {FLT_MAX, -FLT_MAX, NAN, 1, -1}, from_zero[5] = {FLT_MAX, 0, NAN, 1, 0};
    static const int64_t opsets[] = {1, 6, 11, 13};
    ob_view in[3], out;
    int64_t none = 1;
    make_view(&in[0], x, OB_FLOAT, 5);
    make_view(&out, z, OB_FLOAT, 5);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ob_elementwise("Clip", opsets[i], in, 1, NULL, 0, &out, NULL), OB_OK);
        for (int k = 0; k < 5; k++) assert_true(z[k] == bounded[k] || (k == 2 && isnan(z[k])));
    }
    assert_int_equal(ob_view_init(&in[1], &low, OB_FLOAT, 0, &none), OB_OK);
    assert_int_equal(ob_elementwise("Clip", 13, in, 2, NULL, 0, &out, NULL), OB_OK);
    for (int k = 0; k < 5; k++) assert_true(z[k] == from_zero[k] || (k == 2 && isnan(z[k])));
    for (int k = 1; k < 3; k++) { /* min(max(x, NaN), high) and min(max(x, 0), NaN) */
        assert_int_equal(ob_view_init(&in[1], k == 1 ? &nan : &low, OB_FLOAT, 0, &none), OB_OK);
        assert_int_equal(ob_view_init(&in[2], k == 2 ? &nan : &low, OB_FLOAT, 0, &none), OB_OK);
        assert_int_equal(ob_elementwise("Clip", 13, in, 3, NULL, 0, &out, NULL), OB_OK);
        for (int i = 0; i < 5; i++) assert_true(isnan(z[i]));
    }
}

static void equal_compares_strings(void **state) {
    (void)state;
    ob_string a[3] = {{"abc", 3}, {NULL, 0}, {"x\0y", 3}}, b[3] = {{"abd", 3}, {"", 0}, {"x\0y", 3}};
    unsigned char z[3] = {9, 9, 9};
    ob_view in[2], out;
    make_view(&in[0], a, OB_STRING, 3);
    make_view(&in[1], b, OB_STRING, 3);
    make_view(&out, z, OB_BOOL, 3);
    assert_int_equal(ob_elementwise("Equal", 19, in, 2, NULL, 0, &out, NULL), OB_OK);
    assert_memory_equal(z, ((unsigned char[]){0, 1, 1}), 3);
    make_view(&in[1], b, OB_STRING, 1);
    b[0] = a[0];
    assert_int_equal(ob_elementwise("Equal", 19, in, 2, NULL, 0, &out, NULL), OB_OK);
    assert_memory_equal(z, ((unsigned char[]){1, 0, 0}), 3);
    assert_int_equal(ob_elementwise("Equal", 13, in, 2, NULL, 0, &out, NULL), OB_E_TYPE);
}

static void legacy_broadcast(void **state) {
    (void)state;
    float a[24], b[3] = {10, 20, 30}, z[24];
    for (int i = 0; i < 24; i++) a[i] = (float)i;
    ob_view in[2], out;
    ob_view_init(&in[0], a, OB_FLOAT, 3, (int64_t[]){2, 3, 4});
    ob_view_init(&in[1], b, OB_FLOAT, 1, (int64_t[]){3});
    ob_view_init(&out, z, OB_FLOAT, 3, (int64_t[]){2, 3, 4});
    static const int64_t axes[] = {1, -2};
    for (size_t k = 0; k < 2; k++) {
        ob_option options[2] = {{"broadcast", OB_OPTION_INT, 1, 0, NULL}, {"axis", OB_OPTION_INT, axes[k], 0, NULL}};
        assert_int_equal(ob_elementwise("Add", 6, in, 2, options, 2, &out, NULL), OB_OK);
        for (int i = 0; i < 24; i++) assert_true(z[i] == a[i] + b[i / 4 % 3]);
        assert_int_equal(ob_elementwise("Add", 6, in, 2, options, 1, &out, NULL), OB_E_SHAPE); /* suffix: 3 on 4 */
        assert_int_equal(ob_elementwise("Add", 6, in, 2, NULL, 0, &out, NULL), OB_E_SHAPE);
    }
}

static void prelu_slopes(void **state) {
    (void)state;
    float x[24], slope[3] = {2, 3, 4}, z[24];
    for (int i = 0; i < 24; i++) x[i] = (float)(i % 5 - 2);
    ob_view in[2], out;
    ob_view_init(&in[0], x, OB_FLOAT, 3, (int64_t[]){2, 3, 4});
    ob_view_init(&in[1], slope, OB_FLOAT, 1, (int64_t[]){3});
    ob_view_init(&out, z, OB_FLOAT, 3, (int64_t[]){2, 3, 4});
    assert_int_equal(ob_elementwise("PRelu", 6, in, 2, NULL, 0, &out, NULL), OB_OK); /* per channel */
    for (int i = 0; i < 24; i++) assert_true(z[i] == (x[i] < 0 ? x[i] * slope[i / 4 % 3] : x[i]));
    assert_int_equal(ob_elementwise("PRelu", 7, in, 2, NULL, 0, &out, NULL), OB_E_SHAPE); /* right-aligned: 3 on 4 */
    ob_view_init(&in[1], slope, OB_FLOAT, 2, (int64_t[]){3, 1});
    assert_int_equal(ob_elementwise("PRelu", 7, in, 2, NULL, 0, &out, NULL), OB_OK);
    for (int i = 0; i < 24; i++) assert_true(z[i] == (x[i] < 0 ? x[i] * slope[i / 4 % 3] : x[i]));
    ob_view_init(&in[1], slope, OB_FLOAT, 4, (int64_t[]){1, 1, 1, 1}); /* the slope never stretches x */
    assert_int_equal(ob_elementwise("PRelu", 7, in, 2, NULL, 0, &out, NULL), OB_E_SHAPE);
}

static void misaligned_operands(void **state) {
    (void)state;
    char memory[3][41 * 8 + 1];
    for (size_t n_in = 2; n_in <= 5; n_in++) {
        ob_view in[5], out;
        for (size_t k = 0; k < n_in; k++) {
            for (int64_t i = 0; i < 41; i++) {
                double x = (double)(i * (int64_t)(k % 2 + 1));
                memcpy(memory[k % 2] + 1 + i * 8, &x, 8);
            }
            make_view(&in[k], memory[k % 2] + 1, OB_DOUBLE, 41);
        }
        make_view(&out, memory[2] + (n_in == 2), OB_DOUBLE, 41);
        if (n_in > 2) out.data = (char *)out.data + (8 - (uintptr_t)out.data % 8) % 8 * 0;
        assert_int_equal(ob_elementwise("Sum", 13, in, n_in, NULL, 0, &out, NULL), OB_OK);
        for (int64_t i = 0; i < 41; i++) {
            double z;
            memcpy(&z, (char *)out.data + i * 8, 8);
            assert_true(z == (double)(i * (int64_t)(n_in + n_in / 2)));
        }
    }
}

static void a_fold_may_overwrite_any_operand(void **state) {
    (void)state;
    enum { N = 2000 };
    static float x[5][N], expected[N];
    for (int target = 0; target < 5; target++) {
        ob_view in[5];
        memset(expected, 0, sizeof expected);
        for (int k = 0; k < 5; k++) {
            for (int i = 0; i < N; i++) expected[i] += x[k][i] = (float)draw(100);
            make_view(&in[k], x[k], OB_FLOAT, N);
        }
        assert_int_equal(ob_elementwise("Sum", 13, in, 5, NULL, 0, &in[target], NULL), OB_OK);
        assert_memory_equal(x[target], expected, sizeof expected);
    }
}

static void plans_run_many_times(void **state) {
    (void)state;
    float a[2][6] = {{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}}, b[3] = {10, 20, 30}, z[6];
    ob_view in[2], out;
    ob_view_init(&in[0], a[0], OB_FLOAT, 2, (int64_t[]){2, 3});
    ob_view_init(&in[1], b, OB_FLOAT, 1, (int64_t[]){3});
    ob_view_init(&out, z, OB_FLOAT, 2, (int64_t[]){2, 3});
    ob_elementwise_plan *plan = NULL;
    assert_int_equal(ob_elementwise_create("Sub", 0, in, 2, NULL, 0, &out, NULL, &plan, NULL), OB_OK);
    for (int run = 0; run < 2; run++) {
        in[0].data = a[run];
        assert_int_equal(ob_elementwise_run(plan, in, &out, NULL), OB_OK);
        for (int i = 0; i < 6; i++) assert_true(z[i] == a[run][i] - b[i % 3]);
    }
    ob_elementwise_destroy(&plan);
    assert_null(plan);
    ob_elementwise_destroy(&plan);
}

static void pow_is_nearly_correctly_rounded(void **state) {
    (void)state;
    enum { N = 20000 };
    static float x[N], y[N], z[N];
    for (unsigned isa = 0; isa < 2; isa++) {
        ob__kernels_limit(isa ? ~0u : 0);
        for (int i = 0; i < N; i++) {
            x[i] = ldexpf(1 + (float)draw(1 << 23) / (1 << 23), (int)draw(200) - 100);
            y[i] = ((float)draw(1 << 24) - (1 << 23)) / (float)(1 << (18 + draw(6)));
        }
        ob_view in[2], out;
        make_view(&in[0], x, OB_FLOAT, N);
        make_view(&in[1], y, OB_FLOAT, N);
        make_view(&out, z, OB_FLOAT, N);
        assert_int_equal(ob_elementwise("Pow", 0, in, 2, NULL, 0, &out, NULL), OB_OK);
        for (int i = 0; i < N; i++) {
            double exact = pow((double)x[i], (double)y[i]);
            if (exact > 1e38 || exact < 2e-38) continue;
            int exponent;
            frexp(exact, &exponent);
            if (!(fabs((double)z[i] - exact) <= ldexp(1.0, exponent - 24))) /* one unit in the last place */
                fail_msg("%a to the %a gives %a, expected %a", (double)x[i], (double)y[i], (double)z[i], exact);
        }
    }
    ob__kernels_limit(~0u);
}

static void refusals_name_the_reason(void **state) {
    (void)state;
    float x[4] = {0};
    ob_view in[2], out;
    make_view(&in[0], x, OB_FLOAT, 4);
    make_view(&in[1], x, OB_FLOAT, 3);
    make_view(&out, x, OB_FLOAT, 4);
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_elementwise("Add", 0, in, 2, NULL, 0, &out, &error), OB_E_SHAPE);
    assert_int_equal(error.axis, 0);
    assert_int_equal(ob_elementwise("Conv", 0, in, 2, NULL, 0, &out, &error), OB_E_NOT_FOUND);
    assert_int_equal(ob_elementwise("BitwiseAnd", 17, in, 2, NULL, 0, &out, &error), OB_E_NOT_FOUND);
    assert_int_equal(ob_elementwise("Add", 0, in, 1, NULL, 0, &out, &error), OB_E_ARGUMENT);
    in[1] = in[0];
    assert_int_equal(ob_elementwise("Mod", 0, in, 2, NULL, 0, &out, &error), OB_E_MODEL);
    assert_non_null(strstr(error.message, "fmod"));
    assert_int_equal(ob_elementwise("BitwiseAnd", 18, in, 2, NULL, 0, &out, &error), OB_E_TYPE);
    assert_non_null(strstr(error.message, "float"));
    make_view(&out, x, OB_INT32, 4);
    assert_int_equal(ob_elementwise("Add", 0, in, 2, NULL, 0, &out, &error), OB_E_TYPE);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clip_between_omitted_bounds_and_nan),
        cmocka_unit_test(equal_compares_strings),
        cmocka_unit_test(legacy_broadcast),
        cmocka_unit_test(prelu_slopes),
        cmocka_unit_test(misaligned_operands),
        cmocka_unit_test(a_fold_may_overwrite_any_operand),
        cmocka_unit_test(plans_run_many_times),
        cmocka_unit_test(pow_is_nearly_correctly_rounded),
        cmocka_unit_test(refusals_name_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
