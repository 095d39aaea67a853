/* Checks of whole models for deployment targets: verdicts, findings, and options that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"
#include "onnx_broadcast/onnx_broadcast.h"

static ob_model *read_graph(const char *graph) {
    char text[2000];
    snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17]>\n%s", graph);
    return read_text(text);
}

static ob_report *check(ob_model *model, const char *const *names, size_t n, bool counts_only) {
    ob_check_options options;
    ob_report *report = NULL;
    ob_error error;
    ob_check_options_init(&options);
    options.targets = names;
    options.n_targets = n;
    options.target_counts_only = counts_only;
    if (ob_check(model, &options, &report, &error) != OB_OK) fail_msg("%s", error.message);
    return report;
}

/* The findings about targets, "OB0901 1 error" for id, operand and severity, in their order. */
static void findings_text(ob_report *report, char *text, size_t n) {
    text[0] = '\0';
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info info;
        assert_int_equal(ob_report_finding(report, i, &info), OB_OK);
        if (!info.rule) continue;
        size_t at = strlen(text);
        snprintf(text + at, n - at, "%s%s %d %s %s", at ? "; " : "", info.id, (int)info.operand, ob_severity_name(info.severity),
                 info.rule->what[0] ? info.rule->what : "-");
    }
}

static const struct {
    const char *name, *target, *graph, *findings;
    ob_effect worst;
} cases[] = {
    {"ranks", "tosa-8k", "g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Add(x, b) }", "OB0904 1 warning ranks",
     OB_EFFECT_REFUSE},
    {"fits", "tosa-8k", "g (float[2,3] x, float[1,3] b) => (float[2,3] y) { y = Add(x, b) }", "", OB_EFFECT_NONE},
    {"wrong numbers", "hls4ml-parallel", "g (float[2,3,4] x, float[2,3,1] b) => (float[2,3,4] y) { y = Mul(x, b) }",
     "OB0901 1 error stretched axes; OB0908 -1 note -", OB_EFFECT_WRONG},
    {"constants are folded", "hls4ml-parallel",
     "g (float[2,3,4] x) => (float[2,3,4] y) <float[2,1,1] b = {1, 2}> { y = Mul(x, b) }", "OB0908 -1 note -", OB_EFFECT_NONE},
    {"abort", "tflite-classic", "g (float[2,2,2,2,2] x, float[2] b) => (float[2,2,2,2,2] y) { y = Pow(x, b) }",
     "OB0903 -1 error most axes", OB_EFFECT_ABORT},
    {"only when stretching", "tflite-classic",
     "g (float[2,2,2,2,2] x, float[2,2,2,2,2] b) => (float[2,2,2,2,2] y) { y = Pow(x, b) }", "", OB_EFFECT_NONE},
    {"fallback", "onnx-mlir-nnpa", "g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Mul(x, b) }",
     "OB0905 1 warning stretched operand; OB0908 -1 note -", OB_EFFECT_FALLBACK},
    {"slow", "cmsis-nn", "g (int8[2,3] x, int8[3] b) => (int8[2,3] y) { y = Add(x, b) }",
     "OB0906 1 note stretched operand; OB0908 -1 note -", OB_EFFECT_SLOW},
    {"memory is not knowledge", "qnn-htp", "g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Mul(x, b) }", "OB0908 -1 note -",
     OB_EFFECT_NONE},
    {"open sizes", "webnn", "g (float[N,3] x, float[3] b) => (float[N,3] y) { y = Mul(x, b) z = Add(y, b) }",
     "OB0907 0 warning size 0; OB0908 -1 note -; OB0908 -1 note -", OB_EFFECT_NONE},
    {"size 0", "webnn", "g (float[0,3] x, float[3] b) => (float[0,3] y) { y = Mul(x, b) }", "OB0904 0 warning size 0",
     OB_EFFECT_REFUSE},
    {"size 0 gives a wrong shape", "esp-dl", "g (float[0,3] x, float[3] b) => (float[0,3] y) { y = Mul(x, b) }",
     "OB0901 1 error size 0", OB_EFFECT_WRONG},
    {"no operator", "tidl", "g (bool[2,3] c, float[3] a, float[2,3] b) => (float[2,3] y) { y = Where(c, a, b) }",
     "OB0905 -1 warning operator", OB_EFFECT_FALLBACK},
    {"element type", "tosa-8k", "g (int64[2,3] x, int64[1,3] b) => (int64[2,3] y) { y = Add(x, b) }",
     "OB0904 -1 warning element types", OB_EFFECT_REFUSE},
    {"one operand constant", "tidl", "g (float[1,3] x, float[1,3] b) => (float[1,3] y) { y = Sub(x, b) }",
     "OB0905 1 warning constant operand", OB_EFFECT_FALLBACK},
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        ob_model *model = read_graph(cases[i].graph);
        ob_report *report = check(model, &cases[i].target, 1, false);
        findings_text(report, text, sizeof text);
        if (strcmp(text, cases[i].findings) != 0) fail_msg("%s: %s", cases[i].name, text);
        ob_target_verdict verdict = ob_report_target(report, 0);
        assert_string_equal(verdict.name, cases[i].target);
        if (verdict.worst != cases[i].worst) fail_msg("%s: worst is %s", cases[i].name, ob_effect_name(verdict.worst));
        size_t n = verdict.n_accepted + verdict.n_plain + verdict.n_unknown + verdict.n_conditional;
        for (int effect = 0; effect < OB_EFFECT_COUNT; effect++) n += verdict.n_broken[effect];
        assert_int_equal(n, verdict.n_nodes);
        ob_report_summary summary = ob_report_get_summary(report);
        assert_int_equal(summary.n_target_errors, cases[i].worst >= OB_EFFECT_ABORT);
        ob_report_close(&report);
        ob_model_close(&model);
    }
}

/* All targets at once: the same verdicts as one by one, and no findings. */
static void test_counts_only(void **state) {
    (void)state;
    const char *names[200];
    size_t n = ob_target_count();
    assert_true(n < 200);
    for (size_t i = 0; i < n; i++) names[i] = ob_target_at(i).name;
    ob_model *model =
        read_graph("g (float[N,3,4] x, float[3,1] b, float[5] c) => (float[N,3,4] y) { z = Mul(x, b) y = Add(z, b) }");
    ob_report *report = check(model, names, n, true);
    assert_int_equal(ob_report_target_count(report), n);
    assert_null(ob_report_target(report, n).name);
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info info;
        assert_int_equal(ob_report_finding(report, i, &info), OB_OK);
        assert_null(info.rule);
    }
    for (size_t i = 0; i < n; i++) {
        ob_report *alone = check(model, &names[i], 1, false);
        ob_target_verdict one = ob_report_target(alone, 0), of_all = ob_report_target(report, i);
        assert_int_equal(one.n_nodes, 2);
        assert_memory_equal(&one, &of_all, sizeof one);
        ob_report_close(&alone);
    }
    ob_report_close(&report);
    ob_model_close(&model);
}

/* In the body of a function: once for calls with equal operands. In both branches of an If. */
static void test_bodies(void **state) {
    (void)state;
    const char *name = "tosa-8k";
    const char text[] = "<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]>\n"
                        "g (float[2,3] x, float[3] b, bool c) => (float[2,3] y) {\n"
                        "  a = f.add(x, b)\n"
                        "  d = f.add(a, b)\n"
                        "  y = If (c) <then_branch = t () => (float[2,3] u) { u = Add(d, b) },\n"
                        "              else_branch = e () => (float[2,3] v) { v = Identity(d) }>\n"
                        "}\n"
                        "<domain: \"f\", opset_import: [\"\" : 17]>\n"
                        "add (p, q) => (r) { r = Add(p, q) }\n";
    ob_model *model = read_text(text);
    ob_report *report = check(model, &name, 1, false);
    ob_target_verdict verdict = ob_report_target(report, 0);
    assert_int_equal(verdict.n_nodes, 2);
    assert_int_equal(verdict.n_broken[OB_EFFECT_REFUSE], 2);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void test_options(void **state) {
    (void)state;
    ob_model *model = read_graph("g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Add(x, b) }");
    const char *many[300];
    for (size_t i = 0; i < 300; i++) many[i] = "tosa-8k";
    const char *const unknown[] = {"tosa"}, *const twice[] = {"litert", "litert"}, *const null[] = {NULL}, *const empty[] = {""};
    const struct {
        const char *const *names;
        size_t n;
        ob_status status;
    } bad[] = {{unknown, 1, OB_E_NOT_FOUND},   {twice, 2, OB_E_ARGUMENT}, {null, 1, OB_E_ARGUMENT},
               {empty, 1, OB_E_NOT_FOUND},     {NULL, 1, OB_E_ARGUMENT},  {many, 300, OB_E_ARGUMENT},
               {many, SIZE_MAX, OB_E_ARGUMENT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ob_check_options options;
        ob_report *report = NULL;
        ob_check_options_init(&options);
        options.targets = bad[i].names;
        options.n_targets = bad[i].n;
        assert_int_equal(ob_check(model, &options, &report, NULL), bad[i].status);
        assert_null(report);
    }
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_counts_only),
                                       cmocka_unit_test(test_bodies), cmocka_unit_test(test_options)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
