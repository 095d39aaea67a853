/* What cannot be run is named when the session is made, all of it in one message, wherever it stands. */
#include "model_text.h"

static void expect(const char *text, const char *message) {
    ob_session *session = NULL;
    ob_error error;
    ob_model *model = read_text(text);
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_E_UNSUPPORTED);
    assert_string_equal(error.message, message);
    ob_model_close(&model);
}

/* In the main graph, a branch, a loop in that branch, and a function: MAIN, BRANCH, BODY and FUNCTION give a value from x. */
#define EVERYWHERE(MAIN, BRANCH, BODY, FUNCTION)                                                                                 \
    "<ir_version: 10, opset_import: [\"\" : 18, \"f\" : 1]>\n"                                                                   \
    "g (float[2,2] x) => (y, z, w) {\n"                                                                                          \
    "  c = Constant <value = bool {0}> ()  n = Constant <value = int64 {0}> ()\n"                                                \
    "  y = " MAIN "\n  z = f.G (x)\n"                                                                                            \
    "  w = If <then_branch = t () => (float[2,2] p) {\n"                                                                         \
    "    q = " BRANCH "\n"                                                                                                       \
    "    p = Loop <body = b (int64 i, bool d, float[2,2] s) => (bool e, float[2,2] r) {\n"                                       \
    "      e = Identity (d)  v = " BODY "  r = Add (v, s) }> (n, c, q)\n"                                                        \
    "  }, else_branch = e () => (float[2,2] p) { p = Identity (x) }> (c)\n}\n"                                                   \
    "<domain: \"f\", opset_import: [\"\" : 18]>\nG (x) => (y) { y = " FUNCTION " }"

/* Operators that nobody knows. */
static void test_operators(void **state) {
    (void)state;
    expect(EVERYWHERE("One (x)", "Two (x)", "Three (s)", "Four (x)"),
           "4 kinds of nodes cannot be run: One (unknown operator of ai.onnx), Four (unknown operator of ai.onnx), "
           "Two (unknown operator of ai.onnx), Three (unknown operator of ai.onnx)");
}

/* In the main graph, a function, both branches of an If and the body of a loop, whose shapes are all numbers. */
#define PLANNED(MAIN, FUNCTION, THEN, ELSE, BODY)                                                                                \
    "<ir_version: 10, opset_import: [\"\" : 18, \"f\" : 1]>\n"                                                                   \
    "g (float[2,2] x, bool c) => (y, z, w, u) {\n"                                                                               \
    "  n = Constant <value = int64 {2}> ()  t = Constant <value = bool {1}> ()\n"                                                \
    "  y = " MAIN "\n  z = f.G (x)\n"                                                                                            \
    "  w = If <then_branch = t () => (float[2,2] p) { p = " THEN " }, else_branch = e () => (float[2,2] p) { p = " ELSE          \
    " }> (c)\n"                                                                                                                  \
    "  u = Loop <body = b (int64 i, bool d, float[2,2] s) => (bool e, float[2,2] r) { e = Identity (d)  r = " BODY               \
    " }> (n, t, x)\n"                                                                                                            \
    "}\n<domain: \"f\", opset_import: [\"\" : 18]>\nG (x) => (y) { y = " FUNCTION " }"

/* Operators that are known, and attributes that their kernel refuses: a branch that is never taken is no excuse. */
static void test_kernels(void **state) {
    (void)state;
    expect(PLANNED("LpNormalization <p = 3> (x)", "LpNormalization <p = 4> (x)", "LpNormalization <p = 5> (x)",
                   "LpNormalization <p = 6> (x)", "LpNormalization <p = 7> (s)"),
           "5 kinds of nodes cannot be run: LpNormalization: p is 3; LpNormalization: p is 4; LpNormalization: p is 5; "
           "LpNormalization: p is 6; LpNormalization: p is 7");
    /* Each kind once. */
    expect(PLANNED("LpNormalization <p = 3> (x)", "LpNormalization <p = 3> (x)", "Neg (x)", "LpNormalization <p = 3> (x)",
                   "Abs (s)"),
           "LpNormalization: p is 3");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators), cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
