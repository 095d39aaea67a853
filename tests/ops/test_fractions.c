/* Sizes scaled by fractions in float contents, as for Resize, compared with float arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"

static ob_model *model;
static ob_report *report;

/* Resizes axis 2 of x[1,3,H,8] to the result of `steps` on f, which is H as a float; then checks. */
static void check(const char *steps, const char *weights) {
    char text[2000];
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,3,H,8] x) => (float[1,3,P,8] y)"
             " <int64[1] two = {2}, int64[2] head = {1, 3}, int64[1] tail = {8}, float[0] none = {} %s>"
             " { s = Shape(x) h = Gather(s, two) f = Cast <to = 1> (h) %s i = Cast <to = 7> (r)"
             " t = Concat <axis = 0> (head, i, tail) y = Resize <mode = \"nearest\"> (x, none, none, t) }",
             weights, steps);
    model = read_text(text);
    report = check_model(model);
}

static void close_all(void) {
    ob_report_close(&report);
    ob_model_close(&model);
}

/* Axis 2 of y; OB_DIM_UNKNOWN if it is not a term of H. */
static ob_dim resized(void) {
    ob_value_info value;
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        assert_int_equal(ob_report_value(report, i, &value), OB_OK);
        if (strcmp(value.name, "y") == 0 && value.shape.rank == 4) return value.shape.dims[2];
    }
    return OB_DIM_UNKNOWN;
}

static float floor_of_half(float h) {
    return floorf(h * 0.5f);
}
static float floor_of_3_halves(float h) {
    return floorf(h * 1.5f);
}
static float ceil_of_quarter(float h) {
    return ceilf(h * 0.25f);
}
static float cast_of_half(float h) {
    return truncf(h / 2.0f);
}
static float rounded_half(float h) {
    return floorf(h * 0.5f + 0.5f);
}
static float cast_of_less(float h) {
    return truncf(h * 1.5f - 2.5f);
}

static const struct {
    const char *steps, *weights, *text; /* of the size */
    float (*compute)(float h);
    int64_t exact; /* the greatest H that the contract admits */
} rows[] = {
    {"m = Mul(f, k) r = Floor(m)", ", float[1] k = {0.5}", "floor(H/2)", floor_of_half, 16777216},
    {"m = Mul(k, f) r = Floor(m)", ", float k = {1.5}", "H + floor(H/2)", floor_of_3_halves, 5592405},
    {"m = Mul(f, k) r = Ceil(m)", ", float[1] k = {0.25}", "ceil(H/4)", ceil_of_quarter, 16777216},
    {"q = Div(f, k) m = Mul(q, one) r = Identity(m)", ", float[1] k = {2}, float[1] one = {1}", NULL, NULL, 0},
    {"q = Mul(f, k) r = Add(q, k)", ", float[1] k = {0.5}", "ceil(H/2)", rounded_half, 16777215},
    {"q = Mul(f, k) r = Sum(q, k)", ", float[1] k = {0.5}", "ceil(H/2)", rounded_half, 16777215},
    {"q = Mul(f, a) r = Sub(q, b)", ", float[1] a = {1.5}, float[1] b = {2.5}", NULL, cast_of_less, 5592405},
    {"q = Mul(f, a) r = Div(q, b)", ", float[1] a = {1.5}, float[1] b = {0.75}", NULL, NULL, 0},
    {"q = Mul(f, a) p = Mul(f, b) r = Sub(q, p)", ", float[1] a = {1.5}, float[1] b = {1}", "floor(H/2)", cast_of_half, 5592405},
    {"m = Mul(f, k) r = Floor(m)", ", float[1] k = {1.3}", NULL, NULL, 0},
    {"m = Mul(f, k) r = Round(m)", ", float[1] k = {0.5}", NULL, NULL, 0},
};

static void sizes_are_what_floats_compute(void **state) {
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        check(rows[row].steps, rows[row].weights);
        ob_dim d = resized();
        const ob_dims *dims = ob_report_dims(report);
        int64_t size;
        const ob_binding seven = {ob_dim_find(dims, "H"), 7};
        bool known = ob_dim_eval(dims, d, &seven, 1, &size) == OB_OK;
        if (known != (rows[row].compute != NULL)) fail_msg("%s: known %d", rows[row].steps, known);
        if (rows[row].text) {
            char text[100];
            ob_dim_format(dims, d, text, sizeof text);
            assert_string_equal(text, rows[row].text);
        }
        for (int64_t h = 0; known && h < 3000; h++) {
            int64_t number = h < 1000 ? h : h < 2000 ? rows[row].exact - (h - 1000) : rows[row].exact + (h - 1999);
            const ob_binding binding = {seven.symbol, number};
            const ob_named_size given = {"H", number};
            ob_truth truth;
            assert_int_equal(ob_report_contract_holds(report, &given, 1, &truth, NULL), OB_OK);
            if (h >= 2000) {
                assert_int_equal(truth, OB_FALSE);
                continue;
            }
            assert_int_equal(ob_dim_eval(dims, d, &binding, 1, &size), OB_OK);
            if (truth == OB_TRUE || h < 1000) assert_true((float)size == rows[row].compute((float)number));
            if (h >= 1000 && truth != OB_TRUE) fail_msg("%s: H = %d is refused", rows[row].steps, (int)number);
        }
        close_all();
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_are_what_floats_compute)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
