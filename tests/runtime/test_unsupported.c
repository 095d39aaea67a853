/* Nodes that cannot run are named when the session is made, in one message, wherever they are. */
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

/* Unknown operators. */
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

/* Known operators with attributes that their kernel refuses, also in a branch that is never taken. */
static void test_kernels(void **state) {
    (void)state;
    expect(PLANNED("LpNormalization <p = 3> (x)", "LpNormalization <p = 4> (x)", "LpNormalization <p = 5> (x)",
                   "LpNormalization <p = 6> (x)", "LpNormalization <p = 7> (s)"),
           "5 kinds of nodes cannot be run: LpNormalization (p is 3), LpNormalization (p is 4), LpNormalization (p is 5), "
           "LpNormalization (p is 6), LpNormalization (p is 7)");
    /* Each kind once. */
    expect(PLANNED("LpNormalization <p = 3> (x)", "LpNormalization <p = 3> (x)", "Neg (x)", "LpNormalization <p = 3> (x)",
                   "Abs (s)"),
           "p is 3");
}

/* Unknown operators, refusals of bodies and refusals of kernels, with open sizes, ranks and types, in one message. */
static void test_all_at_once(void **state) {
    (void)state;
    expect("<ir_version: 10, opset_import: [\"\" : 27, \"com.microsoft\" : 1]>\n"
           "g (float[N,M] x, float y, complex64[K] c, int64[K] i, string[A,B,C] s, string[D,2,E,F] t, bfloat16 b) "
           "=> (p, q, r, u, v, w, o, n, l) {\n"
           "  p = Nobody (x)  q = LpNormalization <p = 3> (x)  r = LpNormalization <p = 4> (p)\n"
           "  u = com.microsoft.FusedGemm <activation = \"None\"> (x, x)\n"
           "  v = ScatterElements <reduction = \"max\"> (c, i, c)  w = Range <stash_type = 11> (b, b, b)\n"
           "  k = Constant <value_ints = [4, 4]> ()  o = Col2Im (s, k, k)\n"
           "  z = Constant <value = uint8 {0}> ()  n = QuantizeLinear <precision = 11> (x, y, z)\n"
           "  f = RandomUniform <shape = [1, 3, 3, 2]> ()  l = GridSample (t, f)\n}",
           "9 kinds of nodes cannot be run: Nobody (unknown operator of ai.onnx), FusedGemm (attribute activation names an "
           "unknown function), LpNormalization (p is 3), LpNormalization (p is 4), ScatterElements (no reduction \"max\" for "
           "complex64), "
           "Range (stash_type 11, only 1 (float) is supported), Col2Im (elements of string cannot be added), QuantizeLinear "
           "(precision 11, only "
           "float, float16 and bfloat16 are supported), GridSample (version 22 has no kernel for element type string)");
    /* Nodes that depend on an unknown operator have no types yet, and get no separate message. */
    expect("<ir_version: 10, opset_import: [\"\" : 24, \"com.microsoft\" : 1]>\n"
           "g (float[N,M] x) => (q) { p = Nobody (x)  q = com.microsoft.MultiHeadAttention <num_heads = 2> (p, p, p) }",
           "unknown operator of ai.onnx");
}

typedef struct told {
    int n;
    char text[400];
} told;

static void hear(void *context, const ob_unsupported *item) {
    told *t = context;
    t->n++;
    const size_t used = strlen(t->text);
    snprintf(t->text + used, sizeof t->text - used, "%s %s %zu;", item->op_type, item->node, item->n_nodes);
}

/* The message lists each kind once, with its first node and the count. */
static void test_told(void **state) {
    told heard = {0};
    ob_session *session = NULL;
    ob_session_config config;
    ob_error error;
    ob_session_config_init(&config);
    config.unsupported = hear;
    config.context = &heard;
    (void)state;
    ob_model *model = read_text("<ir_version: 10, opset_import: [\"\" : 18]>\n"
                                "g (float[N,M] x) => (p, q, r) { [a] p = Nobody (x)  [b] q = LpNormalization <p = 3> (x)\n"
                                "  [c] r = LpNormalization <p = 3> (q) }");
    assert_int_equal(ob_session_create(model, &config, &session, &error), OB_E_UNSUPPORTED);
    assert_string_equal(heard.text, "Nobody a 1;LpNormalization b 2;");
    assert_string_equal(error.node, "a");
    ob_model_close(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators), cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_all_at_once), cmocka_unit_test(test_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
