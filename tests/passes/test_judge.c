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

/* A node behind the accident reads the size that it made. With a size of its own it has a condition of its own. */
static void conditions_behind_an_accident_are_its_own(void **state) {
    (void)state;
    judge(HEADER "g (float[B,T,4] x, float[1,B,4] m) => (float[?,?,?] z) {\n"
                 "  [add] y = Add (x, m)\n"
                 "  s = Shape (x)\n"
                 "  [back] z = Reshape <allowzero = 1> (y, s)\n"
                 "}\n",
          NULL, "OB0403 add (B = T or B = 1 or T = 1) (B = T or B <= 1)", 1);
    judge(HEADER "g (float[B,T,4] x, float[1,B,4] m, float[1,K,4] w) => (float[?,?,?] z) {\n"
                 "  [add] y = Add (x, m)\n"
                 "  [more] z = Add (y, w)\n"
                 "}\n",
          NULL, "OB0403 add (B = T or B = 1 or T = 1); OB0201 more; OB0201 more", 3);
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

/* ---- Groups ---- */

/* "n: names" of every group of findings, then of clauses after "|". */
static void judge_groups(const char *text, const char *expected) {
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    ob_alike alike;
    ob_status status;
    char made[2000] = "";
    size_t n = 0, n_in_groups = 0;
    for (int kind = 0; kind < 2; kind++) {
        if (kind) n += (size_t)snprintf(made + n, sizeof made - n, " |");
        for (size_t i = 0;; i++) {
            status = kind ? ob_report_clause_group(report, i, &alike) : ob_report_finding_group(report, i, &alike);
            if (status != OB_OK) break;
            n += (size_t)snprintf(made + n, sizeof made - n, "%s%zu:", n ? " " : "", alike.n);
            n_in_groups += alike.n;
            for (size_t k = 0; k < alike.n_names; k++) n += (size_t)snprintf(made + n, sizeof made - n, " %s", alike.names[k]);
            assert_true(n < sizeof made);
        }
        assert_int_equal(status, OB_E_NOT_FOUND);
    }
    assert_string_equal(made, expected);
    assert_int_equal(n_in_groups, ob_report_finding_count(report) + ob_report_contract(report).n_clauses);
    ob_report_close(&report);
    ob_model_close(&model);
}

/* Each of v0, v1, ... requires its own size to be 3 or 1; `sizes` are those of the inputs, separated by spaces. */
static void judge_sizes(const char *sizes, const char *expected) {
    char text[4000], nodes[2000] = "", input[40];
    size_t n = (size_t)snprintf(text, sizeof text, HEADER "g (float[3] three"), n_nodes = 0;
    for (int i = 0; *sizes; i++) {
        size_t length = strcspn(sizes, " ");
        snprintf(input, sizeof input, "%.*s", (int)length, sizes);
        n += (size_t)snprintf(text + n, sizeof text - n, ", float[%s] v%c", input, 'a' + i);
        n_nodes += (size_t)snprintf(nodes + n_nodes, sizeof nodes - n_nodes, "  r%d = Add (v%c, three)\n", i, 'a' + i);
        sizes += length + (sizes[length] == ' ');
    }
    snprintf(text + n, sizeof text - n, ") => (float[?] r0) {\n%s}\n", nodes);
    judge_groups(text, expected);
}

static void sizes_with_other_numbers_are_alike(void **state) {
    (void)state;
    judge_sizes("h_1 h_2 h_3 h_4", "4: h_2 h_3 h_4 | 4: h_2 h_3 h_4");
    judge_sizes("h_1_a h_22_a", "2: h_22_a | 2: h_22_a");
    judge_sizes("? ? ?", "3: vb[0] vc[0] | 3: vb[0] vc[0]");
    judge_sizes("height width", "1: 1: | 1: 1:");
    judge_sizes("h1 k1 h2 k2", "2: h2 2: k2 | 2: h2 2: k2");
    judge_sizes("h1 h h2", "2: h2 1: | 2: h2 1:");
    judge_sizes("N N N", "1: | 1:");
}

/* The same names in other places of a clause make another clause. */
static void equal_sizes_have_equal_numbers(void **state) {
    (void)state;
    judge_groups(HEADER "g (float[N1] a, float[M1] b, float[N2] c, float[M2] d) => (float[?] y, float[?] z) {\n"
                        "  y = Add (a, b)\n"
                        "  z = Add (c, d)\n"
                        "}\n",
                 "2: N2, M2 | 2: N2, M2");
    judge_groups(HEADER "g (float[N1] a, float[N2] b, float[N3] c, float[3] d) => (float[?] y, float[?] z) {\n"
                        "  y = Add (a, b)\n"
                        "  z = Add (c, d)\n"
                        "}\n",
                 "1: 1: | 1: 1:");
    judge_groups(HEADER "g (float[M] b, float[N1] a, float[N2] c) => (float[?] y, float[?] z) {\n"
                        "  y = Add (a, b)\n"
                        "  z = Add (c, b)\n"
                        "}\n",
                 "2: N2 | 2: N2");
}

/* n1 = n2 or n1 = 1, but n3 = n4 or n4 = 1. */
static void places_in_a_clause_matter(void **state) {
    (void)state;
    judge_groups(HEADER "g (float[n1] a, float[n2] b, float[n3] c, float[n4] d) => (float[?] y, float[?] z) {\n"
                        "  y = PRelu (b, a)\n"
                        "  z = PRelu (c, d)\n"
                        "}\n",
                 "1: 1: | 1: 1:");
    judge_groups(HEADER "g (float[n1] a, float[n2] b, float[n3] c, float[n4] d) => (float[?] y, float[?] z) {\n"
                        "  y = PRelu (b, a)\n"
                        "  z = PRelu (d, c)\n"
                        "}\n",
                 "2: n3, n4 | 2: n3, n4");
}

/* Accidents of repeated blocks, and conditions on terms with other numbers. */
static void blocks_are_alike(void **state) {
    (void)state;
    judge_groups(HEADER "g (float[n_1,1] a, float[n_1] b, float[n_2,1] c, float[n_2] d) => (float[?,?] y, float[?,?] z) {\n"
                        "  [block_1_sub] y = Sub (a, b)\n"
                        "  [block_2_sub] z = Sub (c, d)\n"
                        "}\n",
                 "2: n_2 |");
    judge_groups(HEADER "g (float[n_1] a, float[n_2] b) => (float[?,?] y, float[?,?] z, float[?,?] w) {\n"
                        "  three = Constant <value = int64[2] {3, -1}> ()\n"
                        "  four = Constant <value = int64[2] {5, -1}> ()\n"
                        "  y = Reshape (a, three)\n"
                        "  z = Reshape (b, three)\n"
                        "  w = Reshape (b, four)\n"
                        "}\n",
                 "1: 1: | 1: 1:");
}

static void many_names_are_cut(void **state) {
    (void)state;
    enum { N = 50 };
    ob_text text;
    ob__text_init(&text, ob_allocator_default());
    ob__text_puts(&text, HEADER "g (float[3] three");
    for (int i = 0; i < N; i++) ob__text_printf(&text, ", float[h%d] v%d", i, i);
    ob__text_puts(&text, ") => (float[?] r0) {\n");
    for (int i = 0; i < N; i++) ob__text_printf(&text, "  r%d = Add (v%d, three)\n", i, i);
    ob__text_puts(&text, "}\n");
    ob_model *model = read_text(text.data);
    ob_report *report = check_model(model);
    ob_alike alike;
    assert_int_equal(ob_report_finding_group(report, 0, &alike), OB_OK);
    assert_int_equal(alike.n, N);
    assert_int_equal(alike.n_names, 32);
    assert_string_equal(alike.names[31], "h32");
    ob_report_close(&report);
    ob_model_close(&model);
    ob__text_release(&text);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accident_carries_its_condition),
        cmocka_unit_test(a_permutation_is_one_finding),
        cmocka_unit_test(a_condition_in_place_stays),
        cmocka_unit_test(another_node_keeps_its_finding),
        cmocka_unit_test(an_accident_that_is_left_out_carries_nothing),
        cmocka_unit_test(conditions_behind_an_accident_are_its_own),
        cmocka_unit_test(calls_are_told_apart),
        cmocka_unit_test(findings_are_in_order),
        cmocka_unit_test(the_caller_ignores_at_places),
        cmocka_unit_test(ignores_are_tested),
        cmocka_unit_test(a_node_suppresses_warnings),
        cmocka_unit_test(a_file_cannot_hide_errors),
        cmocka_unit_test(a_suppressed_accident_leaves_its_condition),
        cmocka_unit_test(sizes_with_other_numbers_are_alike),
        cmocka_unit_test(equal_sizes_have_equal_numbers),
        cmocka_unit_test(places_in_a_clause_matter),
        cmocka_unit_test(blocks_are_alike),
        cmocka_unit_test(many_names_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
