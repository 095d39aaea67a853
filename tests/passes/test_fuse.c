/* The form `fused`: groups as calls of local functions. Other tests compare what every form computes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"
#include "onnx_broadcast/rewrite.h"
#include "session_case.h"

static ob_rewrite_stats fuse(const char *source, ob_text *text) {
    ob_rewrite_stats stats;
    ob_error error;
    ob_model *model = read_text(source);
    if (ob_rewrite(model, OB_FORM_FUSED, NULL, &stats, &error) != OB_OK) fail_msg("%s", error.message);
    ob__text_init(text, NULL);
    write_model(model, OB_FORMAT_TEXT, text);
    ob_model_close(&model);
    return stats;
}

static void expect(const char *source, size_t calls, size_t functions, const char *const *parts) {
    ob_text text;
    const ob_rewrite_stats stats = fuse(source, &text);
    if (stats.n_inserted != calls || stats.n_functions != functions)
        fail_msg("%zu calls, %zu functions\n%s", stats.n_inserted, stats.n_functions, text.data);
    for (; *parts; parts++)
        if (!strstr(text.data, *parts)) fail_msg("without %s:\n%s", *parts, text.data);
    ob__text_release(&text);
}

/* Equal bodies are one function, others are not. A call states its program, with the constants that it has. */
static void bodies(void **state) {
    (void)state;
    expect("<ir_version: 4, opset_import: [\"\" : 17]>\n"
           "g (float[N,M,4] x, float[4] b) => (float[N,M,4] y, float[N,4] z) <float two = {2}, float[2] c = {0.1, -1e-9}> {\n"
           "  p = Mul (x, b)\n  q = Add (p, b)\n  r = Relu (q)\n  k = ReduceMax <axes = [1], keepdims = 0> (r)\n"
           "  s = Mul (k, b)\n  t = Add (s, b)\n  z = Relu (t)\n"
           "  v = Pow (r, two)\n  a = Sub (v, b)\n  d = LeakyRelu <alpha = 0.5> (a)\n  y = Neg (d)\n}\n",
           3, 2,
           (const char *[]){"ir_version: 8", "\"onnx_broadcast\" : 1", "[r_fused] r = onnx_broadcast.Fused_1 <program",
                            "[z_fused] z = onnx_broadcast.Fused_1 <program", "[y_fused] y = onnx_broadcast.Fused_2 <program",
                            "fused (float[s0,s1,4] x0, float[4] x1) => (y) {", "fused (float[s0,4] x0, float[4] x1) => (y) {",
                            "fused (float[s0,s1,4] x0, float[4] x2) => (y) <float x1 = {2.0}> {", "(r, two, b)",
                            "Fused_1 <program> (x0, x1) => (y)", "t2 = LeakyRelu <alpha: float = 0.5> (t1)",
                            "Pow+Sub+LeakyRelu+Neg, which can be computed in one step", "float[N,M,4] r", NULL});
}

/* ONNX Runtime keeps bias and activation with a product; what comes after them is one call. */
static void products(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 17]>\n"
           "g (float[N,4] x, float[4,4] w) => (float[N,4] y) <float[4] b = {1, 2, 3, 4}> {\n"
           "  p = MatMul (x, w)\n  q = Add (p, b)\n  r = Relu (q)\n  s = Mul (r, b)\n  t = Add (s, b)\n  y = Exp (t)\n}\n",
           1, 1, (const char *[]){"r = Relu (q)", "y = onnx_broadcast.Fused_1", "(r, b)", NULL});
    expect("<ir_version: 8, opset_import: [\"\" : 17]>\n"
           "g (float[N,4] x, float[4,4] w) => (float[N,4] y) <float[4] b = {1, 2, 3, 4}> {\n"
           "  p = MatMul (x, w)\n  q = Add (p, b)\n  r = Relu (q)\n  y = Mul (r, b)\n}\n",
           0, 0, (const char *[]){NULL});
    expect("<ir_version: 8, opset_import: [\"\" : 17]>\n"
           "g (float[N,40,8] q, float[N,8,K] k, float[N,K,4] v, float[K] m) => (float[N,40,4] y) {\n"
           "  s = MatMul (q, k)\n  t = Add (s, m)\n  w = Softmax (t)\n  y = MatMul (w, v)\n}\n",
           1, 1, (const char *[]){"w = onnx_broadcast.Fused_1", "(s, m)", "y = MatMul (w, v)", NULL});
}

/* Groups that are left alone: sizes, one element, two nodes of few elements, images between convolutions, quantized products. */
static void left_alone(void **state) {
    (void)state;
    static const char *const graphs[] = {
        "g (float[N,M] x) => (int64[2] y) <int64[2] c = {2, 3}> { s = Shape (x) t = Mul (s, c) u = Add (t, c) y = Max (u, c) }",
        "g (float x, float z) => (float y) { s = Mul (x, z) t = Add (s, z) y = Max (t, z) }",
        "g (float[16,N] x, float[N] z) => (float[16,N] y) { s = Mul (x, z) y = Add (s, z) }",
        "g (float[1,8,N,N] x, float[8,8,1,1] w, float[8,1,1] z) => (float[1,8,N,N] y) {"
        " c = Conv (x, w) s = Mul (c, z) t = Add (s, z) u = Tanh (t) y = Conv (u, w) }",
        "g (uint8[N,64] x, int8[64,64] w, float[64] z) => (float[N,64] y) {"
        " c = MatMulInteger (x, w) s = Cast <to = 1> (c) t = Mul (s, z) y = Add (t, z) }",
        "g (float[N,640] x) => (float[N,640] y) { s = Sigmoid (x) y = Mul (x, s) }",
        "g (float[N,640] x) => (float[N,640] y) <float r = {1.4142135}, float o = {1}, float h = {0.5}> {"
        " d = Div (x, r) e = Erf (d) a = Add (o, e) m = Mul (a, x) y = Mul (m, h) }",
        "g (float[N,640] x, float[640] w, float[640] b) => (float[N,640] y) <float two = {2}, float e = {1e-5}> {"
        " m = ReduceMean <axes = [-1]> (x) d = Sub (x, m) p = Pow (d, two) v = ReduceMean <axes = [-1]> (p) a = Add (v, e)"
        " r = Sqrt (a) n = Div (d, r) s = Mul (n, w) y = Add (b, s) }",
        "g (float[N,640] x, float[640] w) => (float[N,640] y) <float two = {2}, float e = {1e-5}> {"
        " p = Pow (x, two) v = ReduceMean <axes = [-1]> (p) a = Add (v, e) r = Sqrt (a) n = Div (x, r) y = Mul (w, n) }"};
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        char text[1024];
        ob_text result;
        snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]>\n%s", graphs[i]);
        const ob_rewrite_stats stats = fuse(text, &result);
        if (stats.n_inserted > 0) fail_msg("%s", result.data);
        ob__text_release(&result);
    }
    /* Other normalizations are not left alone: a scale for each row, a mean of squares less the square of the mean. */
    expect("<ir_version: 8, opset_import: [\"\" : 17]>\n"
           "g (float[N,32,640] x, float[32,1] w) => (float[N,32,640] y) <float two = {2}, float e = {1e-5}> {"
           " p = Pow (x, two) v = ReduceMean <axes = [-1]> (p) a = Add (v, e) r = Sqrt (a) n = Div (x, r) y = Mul (w, n) }",
           1, 1, (const char *[]){NULL});
    expect("<ir_version: 8, opset_import: [\"\" : 18]>\n"
           "g (float[N,640] x, float[640] w) => (float[N,640] y) <float e = {1e-5}, int64[1] at = {-1}> {"
           " m = ReduceMean (x, at) s = Mul (x, x) q = ReduceMean (s, at) k = Mul (m, m) v = Sub (q, k) a = Add (v, e)"
           " r = Sqrt (a) d = Sub (x, m) n = Div (d, r) y = Mul (n, w) }",
           1, 1, (const char *[]){"int64[1] x1 = {-1}", NULL});
}

/* What the text form cannot state stays: such an attribute keeps its group, such a constant is an input. */
static void not_as_text(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 17]>\n"
           "g (float[N,64] x, float[64] w) => (float[N,64] y) <float[1] far = {-inf}> {"
           " a = Mul (x, w) b = Max (a, far) y = Add (b, w) }",
           1, 1, (const char *[]){"fused (float[s0,64] x0, float[64] x1, float[1] x2) => (y) {", NULL});
}

/* Functions of the model and operators that nobody defines keep their names; nodes alone and in functions stay. */
static void names(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 17, \"onnx_broadcast\" : 1, \"own\" : 1]>\n"
           "g (float[4] x, float[4] z) => (float[4] y, float[4] w) {\n"
           "  a = onnx_broadcast.Fused_1 (x)\n  b = Neg (x)\n  d = Mul (b, z)\n  y = Abs (d)\n  c = own.other (x)\n"
           "  w = Mul (c, a)\n}\n"
           "<domain: \"onnx_broadcast\", opset_import: [\"\" : 17]>\nFused_1 (p) => (r) { q = Neg (p) s = Abs (q) r = Exp (s) }\n"
           "<domain: \"own\", opset_import: [\"\" : 17]>\nother (p) => (r) { q = Neg (p) s = Abs (q) r = Exp (s) }\n",
           1, 1, (const char *[]){"y = onnx_broadcast.Fused_2", "q = Neg (p)", "w = Mul (c, a)", NULL});
}

/* A group in a branch reads values from outside; a result that others read stays, and so do operands that are left out. */
static void scopes(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 17]>\n"
           "g (float[N,4] x, float[4] b, bool c, float h) => (float[] y, float[N,4] n) {\n"
           "  n = Neg (x)\n  m = Abs (n)\n  j = Exp (m)\n  k = Clip (j, , h)\n"
           "  y = If (c) <then_branch = t () => (float[N,4] v) { s = Sub (k, b) r = Mul (s, b) v = Neg (r) },\n"
           "              else_branch = e () => (float[N,4] u) { u = Neg (k) }>\n}\n",
           2, 2,
           (const char *[]){"n = Neg (x)", "k = onnx_broadcast.Fused_1", "(n, h)", "y = Clip (t1, , x1)",
                            "v = onnx_broadcast.Fused_2", "(k, b)", NULL});
}

/* Nothing to fuse: the model stays as it is. */
static void nothing(void **state) {
    (void)state;
    ob_text text;
    const ob_rewrite_stats stats =
        fuse("<ir_version: 4, opset_import: [\"\" : 17]>\ng (float[4] x) => (float[4] y) { y = Neg (x) }\n", &text);
    assert_int_equal(stats.n_inserted + stats.n_functions + stats.n_removed, 0);
    assert_null(strstr(text.data, "onnx_broadcast\" :"));
    assert_non_null(strstr(text.data, "ir_version: 4"));
    ob__text_release(&text);
}

/* A session computes each call in one step, as it does with the nodes themselves. */
static void steps(void **state) {
    (void)state;
    static const char source[] =
        "<ir_version: 8, opset_import: [\"\" : 18]>\n"
        "g (float[4,8] x, float[8] w) => (float[4,8] y) <int64[1] axes = {1}> {\n"
        "  m = ReduceMean (x, axes)\n  d = Sub (x, m)\n  s = Mul (d, d)\n  v = ReduceMean (s, axes)\n  r = Sqrt (v)\n"
        "  n = Div (d, r)\n  y = Mul (n, w)\n}\n";
    static float data[40] = {3, 1, 4, 1, 5, 9, 2, 6};
    const ob_view in[] = {view_of(data, OB_FLOAT, 2, 4, 8), view_of(data + 32, OB_FLOAT, 1, 8)};
    for (int fused = 0; fused < 2; fused++) {
        ob_model *model = read_text(source);
        if (fused) assert_int_equal(ob_rewrite(model, OB_FORM_FUSED, NULL, NULL, NULL), OB_OK);
        assert_int_equal(steps_of(model, in, 2), 1);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies), cmocka_unit_test(products), cmocka_unit_test(left_alone), cmocka_unit_test(not_as_text),
        cmocka_unit_test(names),  cmocka_unit_test(scopes),   cmocka_unit_test(nothing),    cmocka_unit_test(steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
