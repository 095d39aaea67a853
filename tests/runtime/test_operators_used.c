/* ob_session_each_operator: the operators of the model, of functions, of bodies, and of rules that replace nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"
#include "onnx_broadcast/session.h"

typedef struct seen {
    char text[4000];
    size_t n;
} seen;

static void note(void *context, const ob_operator_use *use) {
    seen *s = context;
    s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, "%s %s %d", use->domain, use->name, use->since);
    for (int type = 1; type < OB_DTYPE_COUNT; type++)
        if (use->types >> type & 1)
            s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, " %s", ob_dtype_name((ob_dtype)type));
    s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, "\n");
    assert_true(s->n < sizeof s->text);
}

static void expect(const char *text, bool optimize, const char *lines) {
    ob_model *model = read_text(text);
    ob_session *session = NULL;
    ob_session_config config;
    ob_error error;
    seen s = {.n = 0};
    ob_session_config_init(&config);
    config.optimize = optimize;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(ob_session_each_operator(session, note, &s, &error), OB_OK);
    assert_string_equal(s.text, lines);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* In the order of the table, each once, with the version in force and the types of all its nodes. */
static void operators_of_the_model(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 13]> g (float[N] x, int64[M] i) => (float[N] y, int64[M] j)"
           "{ a = Add (x, x) j = Add (i, i) y = Relu (a) }",
           true, "ai.onnx Relu 13 float\nai.onnx Add 13 float int64\n");
    expect("<ir_version: 8, opset_import: [\"\" : 14]> g (float[0] x) => (float[0] x2) { x2 = Identity (x) }", true,
           "ai.onnx Identity 14 float\n");
}

static void operators_of_branches_and_functions(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]> g (bool c, float[N] x) => (float[N] y) {"
           "  y = If (c) <then_branch = t () => (float[N] p) { p = Neg (x) },"
           "              else_branch = e () => (float[N] q) { q = local.f (x) }> }"
           "<domain: \"local\", opset_import: [\"\" : 17]> f (v) => (w) { w = Abs (v) }",
           true, "ai.onnx Abs 13 float\nai.onnx Neg 13 float\nai.onnx If 16 float bool\n");
}

/* The operator of the model and those of its body. */
static void operators_of_a_body(void **state) {
    (void)state;
    ob_model *model = read_text("<ir_version: 10, opset_import: [\"\" : 20]> g (float[2,3] x, float[2,3] z) => (float[2,3] y)"
                                "{ y = CastLike (x, z) }");
    ob_session *session = NULL;
    ob_error error;
    seen s = {.n = 0};
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(ob_session_each_operator(session, note, &s, &error), OB_OK);
    assert_non_null(strstr(s.text, "ai.onnx CastLike 19"));
    assert_int_equal(ob_session_each_operator(NULL, note, &s, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_session_each_operator(session, NULL, &s, NULL), OB_E_ARGUMENT);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* A rule's pattern and its replacement, both; without rules, neither. */
static void operators_of_rules(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 13]> g (uint8[2,3] x) => (uint8[3,2] y) <float s = {0.5}, uint8 z = {3}> {"
           "  a = DequantizeLinear (x, s, z) b = Transpose (a) y = QuantizeLinear (b, s, z) }",
           false, "ai.onnx Transpose 13 float\nai.onnx QuantizeLinear 13 float uint8\nai.onnx DequantizeLinear 13 float uint8\n");
    expect("<ir_version: 8, opset_import: [\"\" : 13]> g (uint8[2,3] x) => (uint8[3,2] y) <float s = {0.5}, uint8 z = {3}> {"
           "  a = DequantizeLinear (x, s, z) b = Transpose (a) y = QuantizeLinear (b, s, z) }",
           true,
           "ai.onnx Transpose 13\nai.onnx Transpose 25 uint8\nai.onnx QuantizeLinear 13\nai.onnx QuantizeLinear 25\n"
           "ai.onnx DequantizeLinear 13\nai.onnx DequantizeLinear 25\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_of_the_model),
        cmocka_unit_test(operators_of_branches_and_functions),
        cmocka_unit_test(operators_of_a_body),
        cmocka_unit_test(operators_of_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
