/* Which findings a report lists, and in which order: accidents carry the conditions that they cause; errors come first, then
 * accidents, other warnings, notes. */
#include "model_text.h"

#include <stdlib.h>

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
