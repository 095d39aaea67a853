/* Fixes through the public API: one small model for each kind before and after, fixes that are refused and why, groups of fixes,
 * limits. */
#include <stdlib.h>

#include "model_text.h"

#include "core/base/hash.h"
#include "core/graph/graph.h"
#include "passes/check/verify_graph.h"
#include "passes/fix/fixing.h"

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

static ob_fixes *fix(ob_model *model, const ob_fix_options *options) {
    ob_fixes *fixes = NULL;
    ob_error error;
    ob_error_clear(&error);
    if (ob_fix_model(model, options, &fixes, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(ob__verify_graph(model, "the test", &error), OB_OK);
    return fixes;
}

static size_t n_errors(ob_model *model) {
    ob_report *report = check_model(model);
    size_t n = ob_report_get_summary(report).n_errors;
    ob_report_close(&report);
    return n;
}

static char *text_of(const ob_model *model, ob_text *text) {
    write_model(model, OB_FORMAT_TEXT, text);
    return text->data;
}

/* Fixes the model with default options, and looks for lines in the result, which is read again. */
static void check_fixed(const char *before, const char *kind, const char *const *lines) {
    ob_model *model = read_text(before);
    ob_fixes *fixes = fix(model, NULL);
    ob_text text;
    ob__text_init(&text, &model->arena.allocator);
    text_of(model, &text);
    assert_true(ob_fixes_count(fixes) > 0);
    if (ob_fixes_at(fixes, 0).outcome != OB_FIX_APPLIED) fail_msg("%s", ob_fixes_at(fixes, 0).reason);
    assert_string_equal(ob_fixes_at(fixes, 0).kind, kind);
    for (; *lines; lines++)
        if (!strstr(text.data, *lines)) fail_msg("\"%s\" is not in\n%s", *lines, text.data);
    ob_model *again = read_model(text.data, text.n, OB_FORMAT_TEXT, NULL);
    assert_int_equal(n_errors(again), 0);
    ob_fixes *more = fix(again, NULL);
    assert_int_equal(ob_fixes_count_of(more, OB_FIX_APPLIED), 0);
    ob_fixes_close(&more);
    ob_fixes_close(&fixes);
    ob__text_release(&text);
    ob_model_close(&again);
    ob_model_close(&model);
}

static void each_kind_repairs_its_finding(void **state) {
    (void)state;
    check_fixed(HEADER "g (float[N,3,8,8] x, float[3] s) => (float[N,3,8,8] y) {\n  [act] y = PRelu (x, s)\n}\n", "unsqueeze",
                (const char *const[]){"float[3,1,1] s_unsqueezed", "[act_fix_unsqueeze] s_unsqueezed = Unsqueeze (s, s_axes)",
                                      "[act] y = PRelu (x, s_unsqueezed)", NULL});
    /* axes as an attribute, in a function of two calls */
    check_fixed("<ir_version: 8, opset_import: [\"\" : 11, \"l\" : 1]>\n"
                "g (float[N,3,8,8] x, float[3] s) => (float[N,3,8,8] y, float[N,3,8,8] v) {\n"
                "  y = l.f (x, s)\n  v = l.f (y, s)\n}\n"
                "<domain: \"l\", opset_import: [\"\" : 11]>\nf (a, b) => (c) {\n  [mul] c = Mul (a, b)\n}\n",
                "unsqueeze",
                (const char *const[]){"b_unsqueezed = Unsqueeze <axes: ints = [1, 2]> (b)", "c = Mul (a, b_unsqueezed)", NULL});
    check_fixed(HEADER "g (float[N,3,8,8] x) => (float[N,3,8,8] y) <float[3] s = {1, 2, 3}> {\n  y = PRelu (x, s)\n}\n",
                "reshape", (const char *const[]){"float[3,1,1] s = ", "y = PRelu (x, s)", NULL});
    check_fixed(
        HEADER "g (float[N,768] a, float[30,768] b) => (float[N,30] y) {\n  y = MatMul (a, b)\n}\n", "transpose",
        (const char *const[]){"b_transposed = Transpose <perm: ints = [1, 0]> (b)", "y = MatMul (a, b_transposed)", NULL});
    check_fixed(HEADER "g (float[N,64] x) => (float[?,8,8] y, float[?,8,8] z) <int64[3] t = {8, 8, 8}> {\n"
                       "  y = Reshape (x, t)\n  z = Reshape (x, t)\n}\n",
                "size", (const char *const[]){"t_computed = Concat <axis: int = 0> (x_size, t_part)", NULL});
    /* the constant stands before the node that requires the size; it is shared */
    check_fixed(HEADER "g (float[N,64] x) => (float[?,64] y, float[?,128] z) <int64[2] t = {4, 64}> {\n"
                       "  h = ConstantOfShape (t)\n  y = Add (x, h)\n  z = Concat <axis = 1> (x, h)\n}\n",
                "size", (const char *const[]){"h = ConstantOfShape (t_computed)", NULL});
    /* opset 1-6, and what ONNX's converter makes of it: (3) became (3,1,1,1) */
    static const char *const first =
        "<ir_version: 3, opset_import: [\"\" : 6]>\ng (float[2,3,4,5] a, float[3] b) => (float[2,3,4,5] y) {\n";
    char text[400];
    snprintf(text, sizeof text, "%s  y = Add <broadcast = 1> (a, b)\n}\n", first);
    check_fixed(text, "axis", (const char *const[]){"y = Add <broadcast: int = 1, axis: int = 1> (a, b)", NULL});
    snprintf(text, sizeof text, "%s  y = Sub (a, b)\n}\n", first);
    check_fixed(text, "axis", (const char *const[]){"y = Sub <axis: int = 1, broadcast: int = 1> (a, b)", NULL});
    snprintf(text, sizeof text, "%s  y = Mul <broadcast = 1, axis = 1> (b, a)\n}\n", first);
    check_fixed(text, "swap", (const char *const[]){"y = Mul <broadcast: int = 1, axis: int = 1> (a, b)", NULL});
    check_fixed(
        "<ir_version: 3, opset_import: [\"\" : 7]>\ng (float[2,3,4,5] a, float[3] b) => (float[2,3,4,5] y) {\n"
        "  c = Unsqueeze <axes = [1, 2, 3]> (b)\n  y = Add (a, c)\n}\n",
        "transpose",
        (const char *const[]){"c_transposed = Transpose <perm: ints = [1, 0, 2, 3]> (c)", "y = Add (a, c_transposed)", NULL});
    check_fixed(HEADER "g (float[2,3,4,5] a) => (float[2,3,4,5] y) <float[3,1,1,1] w = {1, 2, 3}> {\n  y = Add (a, w)\n}\n",
                "reshape", (const char *const[]){"float[1,3,1,1] w = ", NULL});
    check_fixed(HEADER "g (float[N] x) => (float[N] y) {\n  [late] y = Neg (t)\n  t = Abs (x)\n}\n", "sort",
                (const char *const[]){"t = Abs (x)\n   [late] y = Neg (t)", NULL});
}

/* An initializer keeps its shape for readers that want it, and is copied once for the others. */
static void an_initializer_is_copied_for_some(void **state) {
    (void)state;
    check_fixed(HEADER "g (float[N,3,8,8] x, float[N,3] z) => (float[N,3,8,8] y, float[N,3,8,8] v, float[N,3] w)\n"
                       "<float[3] s = {1, 2, 3}> {\n  y = PRelu (x, s)\n  v = Add (x, s)\n  w = Add (z, s)\n}\n",
                "reshape",
                (const char *const[]){"float[3] s = ", "float[3,1,1] s_reshaped = ", "y = PRelu (x, s_reshaped)",
                                      "v = Add (x, s_reshaped)", "w = Add (z, s)", NULL});
    check_fixed(HEADER "g (float[N,3,8,8] x) => (float[N,3,8,8] y, float[N,3,8,8] v) <float[3] s = {1, 2, 3}> {\n"
                       "  y = PRelu (x, s)\n  v = Add (x, s)\n}\n",
                "reshape", (const char *const[]){"float[3,1,1] s = ", "y = PRelu (x, s)", "v = Add (x, s)", NULL});
}

/* Asked for, both sizes are computed, and the declared shapes follow. */
static void what_is_asked_for_changes_declared_shapes(void **state) {
    (void)state;
    static const char *const ids[] = {"OB0203"};
    ob_model *model = read_text(HEADER "g (float[N,T,64] x) => (float[4,8,64] y) <int64[3] t = {4, 8, 64}> {\n"
                                       "  y = Reshape (x, t)\n}\n");
    ob_fixes *fixes = fix(model, &(ob_fix_options){.ids = ids, .n_ids = 1});
    ob_text text;
    ob__text_init(&text, &model->arena.allocator);
    assert_int_equal(ob_fixes_count_of(fixes, OB_FIX_APPLIED), 1);
    assert_string_equal(ob_fixes_at(fixes, 0).after, "(N,T,64), (3) -> (N,T,64)");
    text_of(model, &text);
    assert_non_null(strstr(text.data, "=> (float[N,T,64] y)"));
    assert_null(strstr(text.data, "int64[3] t")); /* nothing reads it any more */
    ob_report *report = check_model(model);
    assert_int_equal(ob_report_finding_count(report), 0);
    ob_report_close(&report);
    ob_fixes_close(&fixes);
    ob__text_release(&text);
    ob_model_close(&model);
}

static void a_list_has_texts_and_shapes(void **state) {
    (void)state;
    ob_model *model = read_text(HEADER "g (float[N,3,8,8] x, float[3] s) => (float[N,3,8,8] y) {\n  [act] y = Add (x, s)\n}\n");
    ob_fixes *fixes = fix(model, NULL);
    assert_int_equal(ob_fixes_count(fixes), 1);
    const ob_fix_info info = ob_fixes_at(fixes, 0);
    assert_string_equal(info.id, "OB0101");
    assert_string_equal(info.node, "act");
    assert_string_equal(info.op_type, "Add");
    assert_string_equal(info.path, "");
    assert_string_equal(info.text, "insert Unsqueeze(axes=[1,2]) before operand 1 's': (3) -> (3,1,1)");
    assert_string_equal(info.reason, "");
    assert_string_equal(info.before, "(N,3,8,8), (3) -> (N,3,8,?)");
    assert_string_equal(info.after, "(N,3,8,8), (3,1,1) -> (N,3,8,8)");
    assert_null(ob_fixes_at(fixes, 1).id);
    assert_int_equal(ob_fixes_count(NULL), 0);
    ob_model_close(&model); /* the list does not refer to it */
    assert_string_equal(ob_fixes_at(fixes, 0).node, "act");
    ob_fixes_close(&fixes);
    ob_fixes_close(&fixes);
    ob_fixes_close(NULL);
}

/* Nothing changes, and the first fix has this outcome and reason. */
static void check_unchanged(const char *text, const ob_fix_options *options, ob_fix_outcome outcome, const char *reason) {
    ob_model *model = read_text(text);
    ob_text before, after;
    ob__text_init(&before, &model->arena.allocator);
    ob__text_init(&after, &model->arena.allocator);
    text_of(model, &before);
    ob_fixes *fixes = fix(model, options);
    assert_string_equal(text_of(model, &after), before.data);
    assert_int_equal(ob_fixes_count_of(fixes, OB_FIX_APPLIED), 0);
    assert_true(ob_fixes_count(fixes) > 0);
    assert_int_equal(ob_fixes_at(fixes, 0).outcome, outcome);
    if (!strstr(ob_fixes_at(fixes, 0).reason, reason)) fail_msg("%s", ob_fixes_at(fixes, 0).reason);
    assert_string_equal(ob_fixes_at(fixes, 0).after, "");
    ob_fixes_close(&fixes);
    ob__text_release(&before);
    ob__text_release(&after);
    ob_model_close(&model);
}

static void a_fix_that_fails_is_undone(void **state) {
    (void)state;
    /* The next node gets an error in its place. */
    check_unchanged(HEADER "g (float[2,3,8,8] x, float[3] s, float[4] q) => (float[2,3,8,?] y) {\n"
                           "  a = Mul (x, s)\n  y = Add (a, q)\n}\n",
                    NULL, OB_FIX_REFUSED, "then OB0101: axis 3: 8 does not broadcast with 4");
    /* A model for one batch is not repaired: with T = 4 it is for other sizes only. */
    static const char reshape[] = HEADER "g (float[N,T,64] x) => (float[?,?,64] y) <int64[3] t = {4, 4, 64}> {\n"
                                         "  y = Reshape (x, t)\n}\n";
    check_unchanged(reshape, NULL, OB_FIX_UNSAFE, "it changes the results of runs that are possible now");
    /* Which matrix of a product of (K,K) and (M,K) ... */
    check_unchanged(HEADER "g (float[3,4] a, float[3,4] b) => (float[?,?] y) {\n  y = MatMul (a, b)\n}\n", NULL, OB_FIX_UNSAFE,
                    "other changes fit as well");
    check_unchanged("<ir_version: 3, opset_import: [\"\" : 6]>\ng (float[3,3,4] a, float[3] b) => (float[3,3,4] y) {\n"
                    "  y = Add <broadcast = 1> (a, b)\n}\n",
                    NULL, OB_FIX_UNSAFE, "other changes fit as well");
    /* The size of an axis that only some runs need: N = 8 or N = 1. */
    ob_model *model = read_text(HEADER "g (float[N,4] x) => (float[?,4] y) <int64[2] t = {8, 4}> {\n  y = Expand (x, t)\n}\n");
    ob_fixes *fixes = fix(model, NULL);
    assert_int_equal(ob_fixes_count_of(fixes, OB_FIX_APPLIED), 0);
    ob_fixes_close(&fixes);
    ob_model_close(&model);
    /* Two places fit. */
    check_unchanged(HEADER "g (float[2,3,3,8] x, float[3] s) => (float[2,3,3,8] y) {\n  y = Mul (x, s)\n}\n", NULL, OB_FIX_UNSAFE,
                    "other changes fit as well");
}

static void what_is_not_safe_is_asked_for(void **state) {
    (void)state;
    static const char text[] = HEADER "g (float[2,3,3,8] x, float[3] s) => (float[2,3,3,8] y) {\n  y = Mul (x, s)\n}\n";
    static const char *const exact[] = {"OB0101"}, *const begins[] = {"ob01"}, *const other[] = {"OB0401"},
                             *const none[] = {"OB9"};
    static const ob_severity_given ignored[] = {{"OB0101", OB_SEVERITY_NONE}};
    static const ob_ignore_given at[] = {{"OB01", "y"}};
    const ob_check_options by_id = {.severities = ignored, .n_severities = 1}, by_node = {.ignores = at, .n_ignores = 1};
    const struct {
        ob_fix_options options;
        size_t n_applied, n;
    } cases[] = {{{0}, 0, 1},
                 {{.all = true}, 1, 1},
                 {{.ids = exact, .n_ids = 1}, 1, 1},
                 {{.ids = begins, .n_ids = 1}, 1, 1},
                 {{.ids = other, .n_ids = 1}, 0, 0},
                 {{.all = true, .check = &by_id}, 0, 0},
                 {{.all = true, .check = &by_node}, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ob_model *model = read_text(text);
        ob_fixes *fixes = fix(model, &cases[i].options);
        assert_int_equal(ob_fixes_count_of(fixes, OB_FIX_APPLIED), cases[i].n_applied);
        assert_int_equal(ob_fixes_count(fixes), cases[i].n);
        ob_fixes_close(&fixes);
        ob_model_close(&model);
    }
    ob_model *model = read_text(text);
    ob_fixes *fixes = NULL;
    ob_error error;
    assert_int_equal(ob_fix_model(model, &(ob_fix_options){.ids = none, .n_ids = 1}, &fixes, &error), OB_E_NOT_FOUND);
    assert_int_equal(ob_fix_model(model, &(ob_fix_options){.n_ids = 1}, &fixes, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_fix_model(model, NULL, NULL, &error), OB_E_ARGUMENT);
    const ob_check_options sized = {.dims = &(ob_named_size){"N", 3}, .n_dims = 1};
    assert_int_equal(ob_fix_model(model, &(ob_fix_options){.check = &sized}, &fixes, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_fix_model(NULL, NULL, &fixes, &error), OB_E_ARGUMENT);
    assert_null(fixes);
    ob_model_close(&model);
}

/* ---- Many ---- */

static uint32_t n_checks;

static ob_status count_checks(void *context, const char *pass, const ob_model *model) {
    (void)context;
    (void)model;
    n_checks += strcmp(pass, "propagate") == 0;
    return OB_OK;
}

static const ob_check_options counting = {.after_pass = count_checks};

/* n products with a misaligned scale; those at multiples of `bad` feed a node that then fails. */
static ob_model *many(uint32_t n, uint32_t bad) {
    ob_text text;
    ob_model *empty = read_text(HEADER "g (float x) => (float x) {\n}\n");
    ob__text_init(&text, &empty->arena.allocator);
    ob__text_puts(&text, HEADER "g (float[N,3,8,8] x, float[3] s, float[4] q) => (float[N,3,8,8] x0) {\n");
    for (uint32_t i = 0; i < n; i++) {
        ob__text_printf(&text, "  [m%u] a%u = Mul (x, s)\n", i, i);
        if (bad && i % bad == bad - 1) ob__text_printf(&text, "  [b%u] c%u = Add (a%u, q)\n", i, i, i);
    }
    ob__text_puts(&text, "  x0 = Neg (x)\n}\n");
    ob_model *model = read_model(text.data, text.n, OB_FORMAT_TEXT, NULL);
    ob__text_release(&text);
    ob_model_close(&empty);
    return model;
}

static void many_fixes_take_few_checks(void **state) {
    (void)state;
    static const struct {
        uint32_t n, bad, n_applied, most_checks;
    } cases[] = {{10000, 0, 10000, 2}, {10000, 1000, 9990, 40}, {500, 0, 500, 2}, {64, 2, 32, 66}, {0, 0, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ob_model *model = many(cases[i].n, cases[i].bad);
        n_checks = 0;
        ob_fixes *fixes = fix(model, &(ob_fix_options){.check = &counting});
        assert_int_equal(ob_fixes_count_of(fixes, OB_FIX_APPLIED), cases[i].n_applied);
        assert_int_equal(ob_fixes_count_of(fixes, OB_FIX_REFUSED), cases[i].n - cases[i].n_applied);
        assert_true(n_checks <= cases[i].most_checks);
        ob_fixes_close(&fixes);
        ob_model_close(&model);
    }
}

static void checks_are_limited(void **state) {
    (void)state;
    ob_model *model = many(300, 1); /* every fix fails */
    n_checks = 0;
    ob_fixes *fixes = fix(model, &(ob_fix_options){.check = &counting, .max_checks = 10});
    assert_true(n_checks <= 11);
    assert_int_equal(ob_fixes_count_of(fixes, OB_FIX_REFUSED), 300);
    ob_fixes_close(&fixes);
    ob_model_close(&model);
}

static ob_status stop(void *context, const char *pass, const ob_model *model) {
    (void)pass;
    (void)model;
    return --*(int *)context == 0 ? OB_E_CANCELLED : OB_OK;
}

/* A stopped call leaves the model as it was. */
static void a_stopped_call_changes_nothing(void **state) {
    (void)state;
    for (int n = 1; n < 20; n++) {
        ob_model *model = many(5, 2);
        ob_text before, after;
        ob__text_init(&before, &model->arena.allocator);
        ob__text_init(&after, &model->arena.allocator);
        text_of(model, &before);
        int left = n;
        ob_fixes *fixes = NULL;
        const ob_check_options stopping = {.after_pass = stop, .context = &left};
        ob_status status = ob_fix_model(model, &(ob_fix_options){.check = &stopping}, &fixes, NULL);
        assert_true(status == OB_E_CANCELLED && !fixes);
        assert_string_equal(text_of(model, &after), before.data);
        ob__text_release(&before);
        ob__text_release(&after);
        ob_model_close(&model);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_repairs_its_finding),
        cmocka_unit_test(an_initializer_is_copied_for_some),
        cmocka_unit_test(what_is_asked_for_changes_declared_shapes),
        cmocka_unit_test(a_list_has_texts_and_shapes),
        cmocka_unit_test(a_fix_that_fails_is_undone),
        cmocka_unit_test(what_is_not_safe_is_asked_for),
        cmocka_unit_test(many_fixes_take_few_checks),
        cmocka_unit_test(checks_are_limited),
        cmocka_unit_test(a_stopped_call_changes_nothing),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
