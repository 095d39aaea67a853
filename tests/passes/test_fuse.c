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

/* The head and its epilogue; equal bodies are one function, others are not. */
static void bodies(void **state) {
    (void)state;
    expect("<ir_version: 4, opset_import: [\"\" : 17]>\n"
           "g (float[N,4] x, float[4,4] w, float[4] b) => (float[N,4] y) {\n"
           "  p = MatMul (x, w)\n  q = Add (p, b)\n  r = Relu (q)\n"
           "  s = MatMul (r, w)\n  t = Add (s, b)\n  u = Relu (t)\n"
           "  v = MatMul (u, w)\n  a = Add (v, b)\n  y = LeakyRelu <alpha = 0.5> (a)\n}\n",
           3, 2,
           (const char *[]){"ir_version: 8", "\"onnx_broadcast\" : 1", "[r_fused] r = onnx_broadcast.Fused_1 (x, w, b)",
                            "[u_fused] u = onnx_broadcast.Fused_1 (r, w, b)", "y = onnx_broadcast.Fused_2 (u, w, b)",
                            "Fused_1 (x0, x1, x2) => (y)", "y = LeakyRelu <alpha: float = 0.5> (t1)",
                            "MatMul+Add+LeakyRelu, which can be computed in one step", NULL});
    expect("<ir_version: 8, opset_import: [\"\" : 17]>\n"
           "g (float[N,40,8] q, float[N,8,K] k, float[N,K,4] v, float[K] m) => (float[N,40,4] y) {\n"
           "  s = MatMul (q, k)\n  t = Add (s, m)\n  w = Softmax (t)\n  y = MatMul (w, v)\n}\n",
           1, 1, (const char *[]){"y = onnx_broadcast.Fused_1 (q, k, m, v)", "Fused_1 (x0, x1, x2, x3) => (y)", NULL});
}

/* Functions of the model and operators that nobody defines keep their names; nodes alone and in functions stay. */
static void names(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 17, \"onnx_broadcast\" : 1, \"own\" : 1]>\n"
           "g (float[4] x, float[4] z) => (float[4] y, float[4] w) {\n"
           "  a = onnx_broadcast.Fused_1 (x)\n  b = Neg (a)\n  y = Abs (b)\n  c = own.other (x)\n  w = Mul (c, z)\n}\n"
           "<domain: \"onnx_broadcast\", opset_import: [\"\" : 17]>\nFused_1 (p) => (r) { q = Neg (p) r = Exp (q) }\n"
           "<domain: \"own\", opset_import: [\"\" : 17]>\nother (p) => (r) { q = Neg (p) r = Exp (q) }\n",
           1, 1, (const char *[]){"y = onnx_broadcast.Fused_2 (a)", "q = Neg (p)", "w = Mul (c, z)", NULL});
}

/* A group in a branch reads values from outside; a result that others read stays, and so do operands that are left out. */
static void scopes(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 17]>\n"
           "g (float[N,4] x, float[4] b, bool c, float h) => (float[] y, float[N,4] n) {\n"
           "  n = Neg (x)\n  m = Abs (n)\n  k = Clip (m, , h)\n"
           "  y = If (c) <then_branch = t () => (float[N,4] v) { s = Sub (k, b) v = Mul (s, b) },\n"
           "              else_branch = e () => (float[N,4] u) { u = Neg (k) }>\n}\n",
           2, 2,
           (const char *[]){"n = Neg (x)", "k = onnx_broadcast.Fused_1 (n, h)", "y = Clip (t0, , x1)",
                            "v = onnx_broadcast.Fused_2 (k, b)", NULL});
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
    static const struct CMUnitTest tests[] = {cmocka_unit_test(bodies), cmocka_unit_test(names), cmocka_unit_test(scopes),
                                              cmocka_unit_test(nothing), cmocka_unit_test(steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
