/* Which findings a report lists, and in which order: accidents carry the conditions that they cause; errors come first, then
 * accidents, other warnings, notes. */
#include "model_text.h"

#include <stdlib.h>

#include "core/graph/graph.h"

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

/* "id node (clauses that it causes)" of every finding, with "; " between them. */
static const char *listed(ob_report *report) {
    static char text[2000];
    text[0] = '\0';
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        size_t n = strlen(text);
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", i ? "; " : "", finding.id, finding.node);
        for (size_t k = 0; k < finding.n_caused; k++) {
            ob_clause_info clause;
            assert_int_equal(ob_report_clause(report, finding.caused[k], &clause), OB_OK);
            n += (size_t)snprintf(text + n, sizeof text - n, " (%s)", clause.text);
            assert_true(n < sizeof text);
        }
    }
    return text;
}

static void judge(const char *text, const ob_check_options *options, const char *expected, size_t n_warnings) {
    ob_model *model = read_text(text);
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(model, options, &report, &error), OB_OK);
    assert_string_equal(listed(report), expected);
    assert_int_equal(ob_report_get_summary(report).n_warnings, n_warnings);
    ob_report_close(&report);
    ob_model_close(&model);
}

/* ---- Accidents and the conditions that they cause ---- */

static void an_accident_carries_its_condition(void **state) {
    (void)state;
    judge(HEADER "g (float[N,M] x, float[M,N] z) => (float[?,?] y) { [add] y = Add (x, z) }\n", NULL,
          "OB0403 add (N = M or M = 1 or N = 1)", 1);
}

/* All three axes meet another size: one missing Transpose. */
static void a_permutation_is_one_finding(void **state) {
    (void)state;
    judge(HEADER "g (float[N,M,K] x, float[M,K,N] z) => (float[?,?,?] y) { [add] y = Add (x, z) }\n", NULL,
          "OB0403 add (N = M or M = 1 or N = 1) (M = K or M = 1 or K = 1) (N = K or N = 1 or K = 1)", 1);
}

/* Sizes that stand on their own axis are another condition. */
static void a_condition_in_place_stays(void **state) {
    (void)state;
    judge(HEADER "g (float[N,M,K] x, float[M,N,L] z) => (float[?,?,?] y) { [add] y = Add (x, z) }\n", NULL,
          "OB0403 add (N = M or M = 1 or N = 1); OB0201 add", 2);
}

/* The same clause is asked by a node without an accident first: both are listed. */
static void another_node_keeps_its_finding(void **state) {
    (void)state;
    judge(HEADER "g (float[N] a, float[M] b, float[N,M] x) => (float[?] y, float[?,?] z) {\n"
                 "  [plain] y = Add (a, b)\n"
                 "  [across] z = Mul (x, a)\n"
                 "}\n",
          NULL, "OB0403 across (N = M or M = 1 or N = 1); OB0201 plain", 2);
}

/* Without the accident its condition is listed again. */
static void an_accident_that_is_left_out_carries_nothing(void **state) {
    (void)state;
    const ob_severity_given none = {"OB04", OB_SEVERITY_NONE}, note = {"OB0403", OB_SEVERITY_NOTE};
    ob_check_options options;
    ob_check_options_init(&options);
    options.n_severities = 1;
    options.severities = &none;
    static const char text[] = HEADER "g (float[N,M] x, float[M,N] z) => (float[?,?] y) { [add] y = Add (x, z) }\n";
    judge(text, &options, "OB0201 add", 1);
    options.severities = &note; /* a note does not hide a warning */
    judge(text, &options, "OB0201 add; OB0403 add (N = M or M = 1 or N = 1)", 1);
}

/* Each set of calls of a function has its own. */
static void calls_are_told_apart(void **state) {
    (void)state;
    judge("<ir_version: 9, opset_import: [\"\" : 17, \"own\" : 1]>\n"
          "g (float[N,M] x, float[M,N] z, float[N,K] p) => (float[?,?] y, float[?,?] q) {\n"
          "  [one] y = own.f (x, z)\n"
          "  [two] q = own.f (x, p)\n"
          "}\n"
          "<domain: \"own\", opset_import: [\"\" : 17]>\n"
          "f (a, b) => (c) { [add] c = Add (a, b) }\n",
          NULL, "OB0403 add (N = M or M = 1 or N = 1); OB0201 add", 2);
}

/* ---- The order ---- */

static void findings_are_in_order(void **state) {
    (void)state;
    judge(HEADER "g (float[N,1] x, float[M] v, float[N] w, float[3] a, float[4] b) => (float[?] r, float[?,?] s, float[?] t, "
                 "float[?,?] u) {\n"
                 "  shape = Constant <value = int64[2] {4, 4}> ()\n"
                 "  wide = Expand (a1, shape)\n"
                 "  a1 = Constant <value = float {1.0}> ()\n"
                 "  [open] r = Add (v, w)\n"
                 "  [outer] s = Sub (x, w)\n"
                 "  [impossible] t = Add (a, b)\n"
                 "  [outer2] u = Sub (x, w)\n"
                 "}\n",
          NULL, "OB0101 impossible; OB0401 outer; OB0401 outer2; OB0702 wide; OB0201 open", 4);
}

/* ---- Suppression ---- */

/* An outer product, a condition, a broadcast that cannot work, and the same accident in a body. */
static const char several[] =
    HEADER "g (float[N,1] x, float[M] v, float[N] w, float[3] a, float[4] b, bool c) => (float[?] r, float[?,?] s, float[?] t, "
           "float[?,?] u) {\n"
           "  [open] r = Add (v, w)\n"
           "  [outer] s = Sub (x, w)\n"
           "  [impossible] t = Add (a, b)\n"
           "  [if] u = If (c) <then_branch = th () => (p) { [outer] p = Sub (x, w) }, else_branch = el () => (q) { [plain] q = "
           "Identity (x) }>\n"
           "}\n";

static void judge_ignored(const char *id, const char *pattern, const char *expected, size_t n_suppressed) {
    const ob_ignore_given given = {id, pattern};
    ob_check_options options;
    ob_check_options_init(&options);
    options.ignores = &given;
    options.n_ignores = 1;
    ob_model *model = read_text(several);
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
    assert_string_equal(listed(report), expected);
    assert_int_equal(ob_report_get_summary(report).n_suppressed, n_suppressed);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void the_caller_ignores_at_places(void **state) {
    (void)state;
    static const char all[] = "OB0101 impossible; OB0401 outer; OB0401 outer; OB0201 open";
    judge_ignored("OB0401", "nothing", all, 0);
    judge_ignored("OB0401", "*outer", "OB0101 impossible; OB0201 open", 2);
    judge_ignored("ob04", "*", "OB0101 impossible; OB0201 open", 2);
    judge_ignored("OB0401", "outer", "OB0101 impossible; OB0401 outer; OB0201 open", 1);
    judge_ignored("OB0401", "if.*/outer", "OB0101 impossible; OB0401 outer; OB0201 open", 1);
    judge_ignored("OB0401", "out?r", "OB0101 impossible; OB0401 outer; OB0201 open", 1);
    judge_ignored("OB0401", "*t*t*r", "OB0101 impossible; OB0401 outer; OB0201 open", 1);
    judge_ignored("OB0401", "*outer?", all, 0);
    judge_ignored("OB0401", "oute", all, 0);
    judge_ignored("OB0401", "", all, 0);
    judge_ignored("OB", "*", "", 4); /* the caller may hide errors */
}

static void ignores_are_tested(void **state) {
    (void)state;
    const ob_ignore_given wrong[] = {{"OB99", "*"}, {"", "*"}, {NULL, "*"}, {"OB01", NULL}};
    const ob_status expected[] = {OB_E_NOT_FOUND, OB_E_NOT_FOUND, OB_E_ARGUMENT, OB_E_ARGUMENT};
    ob_model *model = read_text(several);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ob_check_options options;
        ob_report *report = NULL;
        ob_error error;
        ob_check_options_init(&options);
        options.ignores = &wrong[i];
        options.n_ignores = 1;
        assert_int_equal(ob_check(model, &options, &report, &error), expected[i]);
        options.ignores = NULL;
        assert_int_equal(ob_check(model, &options, &report, &error), OB_E_ARGUMENT);
    }
    ob_model_close(&model);
}

/* Every node of the main graph gets this value under the key. */
static void judge_claimed(const char *value, const ob_severity_given *severity, const char *expected, size_t n_suppressed) {
    const ob_key_value metadata[] = {{"other", "OB"}, {OB_IGNORE_KEY, value}};
    ob_check_options options;
    ob_check_options_init(&options);
    options.severities = severity;
    options.n_severities = severity ? 1 : 0;
    ob_model *model = read_text(several);
    for (ob_node *node = model->graph->first; node; node = node->next) {
        node->metadata = metadata;
        node->n_metadata = 2;
    }
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
    assert_string_equal(listed(report), expected);
    assert_int_equal(ob_report_get_summary(report).n_suppressed, n_suppressed);
    ob_report_close(&report);
    ob_model_close(&model);
}

/* The body of the If has its own nodes, without metadata. */
static void a_node_suppresses_warnings(void **state) {
    (void)state;
    static const char all[] = "OB0101 impossible; OB0401 outer; OB0401 outer; OB0201 open";
    judge_claimed("", NULL, all, 0);
    judge_claimed("OB0402 OB9, nonsense OB04011", NULL, all, 0);
    judge_claimed("OB0401", NULL, "OB0101 impossible; OB0401 outer; OB0201 open", 1);
    judge_claimed("OB99,ob04\tOB0503", NULL, "OB0101 impossible; OB0401 outer; OB0201 open", 1);
    judge_claimed(" OB02 ,, OB04 ", NULL, "OB0101 impossible; OB0401 outer", 2);
    judge_claimed("all", NULL, "OB0101 impossible; OB0401 outer", 2);
}

static void a_file_cannot_hide_errors(void **state) {
    (void)state;
    const ob_severity_given promoted = {"OB0401", OB_SEVERITY_ERROR}, lowered = {"OB0101", OB_SEVERITY_WARNING};
    judge_claimed("OB01,OB0101,all", NULL, "OB0101 impossible; OB0401 outer", 2);
    judge_claimed("all", &promoted, "OB0401 outer; OB0101 impossible; OB0401 outer", 1);
    judge_claimed("all", &lowered, "OB0401 outer; OB0101 impossible", 2);
}

/* The condition of a suppressed accident is listed on its own. */
static void a_suppressed_accident_leaves_its_condition(void **state) {
    (void)state;
    const ob_ignore_given given = {"OB0403", "add"};
    ob_check_options options;
    ob_check_options_init(&options);
    options.ignores = &given;
    options.n_ignores = 1;
    judge(HEADER "g (float[N,M] x, float[M,N] z) => (float[?,?] y) { [add] y = Add (x, z) }\n", &options, "OB0201 add", 1);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accident_carries_its_condition),
        cmocka_unit_test(a_permutation_is_one_finding),
        cmocka_unit_test(a_condition_in_place_stays),
        cmocka_unit_test(another_node_keeps_its_finding),
        cmocka_unit_test(an_accident_that_is_left_out_carries_nothing),
        cmocka_unit_test(calls_are_told_apart),
        cmocka_unit_test(findings_are_in_order),
        cmocka_unit_test(the_caller_ignores_at_places),
        cmocka_unit_test(ignores_are_tested),
        cmocka_unit_test(a_node_suppresses_warnings),
        cmocka_unit_test(a_file_cannot_hide_errors),
        cmocka_unit_test(a_suppressed_accident_leaves_its_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
