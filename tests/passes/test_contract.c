/* The contract of a whole model: its clauses, the unverified requirements, and the sizes that it admits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"

static ob_model *model;
static ob_report *report;

static void check(const char *text) {
    model = read_text(text);
    report = check_model(model);
}

static void close_all(void) {
    ob_report_close(&report);
    ob_model_close(&model);
}

static ob_truth admits(const char *name, int64_t size, const char *other, int64_t other_size) {
    const ob_named_size sizes[] = {{name, size}, {other, other_size}};
    ob_truth truth = OB_UNDECIDED;
    assert_int_equal(ob_report_contract_holds(report, sizes, 2, &truth, NULL), OB_OK);
    return truth;
}

/* ---- */

static void test_broadcast(void **state) {
    (void)state;
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[N] x, float[M] y) => (float[K] z) { [sum] z = Add(x, y) }");
    ob_contract_info info = ob_report_contract(report);
    assert_int_equal(info.status, OB_CONTRACT_COMPLETE);
    assert_int_equal(info.n_clauses, 1);
    assert_int_equal(info.n_unverified, 0);
    ob_clause_info clause;
    assert_int_equal(ob_report_clause(report, 0, &clause), OB_OK);
    assert_string_equal(clause.text, "N = M or M = 1 or N = 1");
    assert_string_equal(clause.kind, "one of");
    assert_int_equal(clause.n_origins, 1);
    assert_string_equal(clause.origins[0].node, "sum");
    assert_int_equal(clause.n_symbols, 2);
    assert_int_equal(ob_report_clause(report, 1, &clause), OB_E_NOT_FOUND);
    for (int64_t n = 0; n < 4; n++)
        for (int64_t m = 0; m < 4; m++) assert_int_equal(admits("N", n, "M", m), n == m || n == 1 || m == 1 ? OB_TRUE : OB_FALSE);
    ob_named_size one = {"N", 3};
    ob_truth truth;
    assert_int_equal(ob_report_contract_holds(report, &one, 1, &truth, NULL), OB_OK);
    assert_int_equal(truth, OB_UNDECIDED);
    one.name = "nobody";
    assert_int_equal(ob_report_contract_holds(report, &one, 1, &truth, NULL), OB_E_NOT_FOUND);
    one = (ob_named_size){"N", -1};
    assert_int_equal(ob_report_contract_holds(report, &one, 1, &truth, NULL), OB_E_ARGUMENT);
    close_all();
}

static void test_refuted(void **state) {
    (void)state;
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[3] x, float[N] y) => (float[K] z) {"
          " a = Add(x, y) b = MatMul(x, x) c = Concat <axis = 0> (a, b) z = Identity(c) }");
    assert_true(ob_report_contract(report).n_clauses > 0);
    close_all();
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[3,3] x, float[4,4] y) => (float[K,L] z) { z = MatMul(x, y) }");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_CONTRADICTORY);
    close_all();
}

/* The number of nonzero elements is unknown before the run. */
static void test_unverified(void **state) {
    (void)state;
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[4] x, int64[1,N] y) => (int64[K,L] z) {"
          " [indices] i = NonZero(x) [sum] z = Add(i, y) }");
    ob_contract_info info = ob_report_contract(report);
    assert_int_equal(info.status, OB_CONTRACT_PARTIAL);
    assert_string_equal(ob_contract_status_name(info.status), "partial");
    assert_string_equal(ob_contract_status_name((ob_contract_status)9), "");
    assert_int_equal(info.n_unverified, 1);
    ob_unverified_info unverified;
    assert_int_equal(ob_report_unverified(report, 0, &unverified), OB_OK);
    assert_string_equal(unverified.reason, "a size is known only during the run");
    assert_string_equal(unverified.first.node, "sum");
    assert_int_equal(unverified.n, 1);
    assert_int_equal(ob_report_unverified(report, 1, &unverified), OB_E_NOT_FOUND);
    assert_int_equal(admits("N", 3, "N", 3), OB_UNDECIDED);
    close_all();
}

static const char *clause_text(size_t index) {
    static char text[300];
    ob_clause_info clause;
    assert_int_equal(ob_report_clause(report, index, &clause), OB_OK);
    snprintf(text, sizeof text, "%s", clause.text);
    return text;
}

static size_t count_findings(const char *id, ob_severity severity) {
    size_t n = 0;
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        n += strcmp(finding.id, id) == 0 && finding.severity == severity;
    }
    return n;
}

#define HEAD "<ir_version: 8, opset_import: [\"\" : 17, \"k\" : 1]> "

/* Broadcasting gives up at rank 33, which proves nothing. */
static void what_is_beyond_a_limit_is_unverified(void **state) {
    (void)state;
    char text[800] = "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N";
    for (int axis = 1; axis < 33; axis++) strcat(text, ",N");
    strcat(text, "] x, float[M");
    for (int axis = 1; axis < 33; axis++) strcat(text, ",M");
    strcat(text, "] y) => (float[] z) { [sum] z = Add (x, y) }");
    check(text);
    ob_contract_info info = ob_report_contract(report);
    assert_int_equal(info.status, OB_CONTRACT_PARTIAL);
    ob_unverified_info unverified;
    assert_int_equal(ob_report_unverified(report, 0, &unverified), OB_OK);
    assert_string_equal(unverified.reason, "a limit of broadcasting is reached");
    assert_string_equal(unverified.first.node, "sum");
    close_all();
}

/* Sizes computed in floats are exact within the precision of floats. */
static void floats_hold_sizes_up_to_a_limit(void **state) {
    (void)state;
    check(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N] x, float[1] y) => (float[] z)"
        " <float[1] two = {2}> { s = Shape (x) f = Cast <to = 1> (s) m = Mul (f, two) t = Cast <to = 7> (m) z = Expand (y, t) }");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    assert_int_equal(admits("N", 8388608, "N", 8388608), OB_TRUE);
    assert_int_equal(admits("N", 8388609, "N", 8388609), OB_FALSE);
    close_all();
}

static void branches_are_alternatives(void **state) {
    (void)state;
    check(HEAD "g (float[N] x, float[3] a, float[4] b) => (y) { s = Shape(x) three = Constant<value_ints = [3]>()"
               " is = Equal(s, three) y = If (is) <then_branch = t () => (u) { u = Add(x, a) },"
               " else_branch = e () => (v) { v = Add(x, b) }> }");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    assert_int_equal(ob_report_contract(report).n_clauses, 1);
    assert_string_equal(clause_text(0), "N in {1, 3, 4}");
    close_all();
}

static void the_first_of_a_concatenation_is_compared_with_nothing(void **state) {
    (void)state;
    check(HEAD "g (float[2, 3] x, float[4, 3] y) => (z) { z = Concat<axis = 0>(x, y) }");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    assert_int_equal(ob_report_contract(report).n_open, 0);
    close_all();
}

static void contradictions_are_one_error(void **state) {
    (void)state;
    check(
        HEAD
        "g (float[2,N] x, float[3,4] a, float[5,4] b, float[N] c) => (y, z) { y = MatMul(x, a) z = MatMul(x, b) w = Add(x, c) }");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_CONTRADICTORY);
    assert_int_equal(count_findings("OB0204", OB_SEVERITY_ERROR), 1);
    ob_finding_info finding;
    assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
    assert_non_null(strstr(finding.message, "\"y\" needs N = 3; \"z\" needs N = 5"));
    close_all();
}

static void what_is_not_known_is_said_once(void **state) {
    (void)state;
    check(HEAD "g (float[?, 4] x, float[5, 4] k) => (y) <float[N, 4] u> { u = k.Odd(x) v = Relu(u) y = Add(v, k)"
               " w = Add(x, k) q = Add(x, v) r = Mul(q, v) }");
    ob_contract_info info = ob_report_contract(report);
    assert_int_equal(info.status, OB_CONTRACT_PARTIAL);
    assert_int_equal(info.n_clauses, 1);
    assert_string_equal(clause_text(0), "x[0] = 1 or x[0] = 5"); /* a size without a name is named by place */
    assert_int_equal(info.n_unverified, 1);
    ob_unverified_info unverified;
    assert_int_equal(ob_report_unverified(report, 0, &unverified), OB_OK);
    assert_string_equal(unverified.reason, "the operator is not known");
    assert_string_equal(unverified.first.node, "u");
    assert_true(unverified.n > 1 && unverified.n == info.n_open);
    ob_assumption_info assumption;
    assert_int_equal(info.n_assumptions, 1);
    assert_int_equal(ob_report_assumption(report, 0, &assumption), OB_OK);
    assert_true(assumption.declared);
    assert_string_equal(assumption.value, "u");
    assert_string_equal(assumption.text, "\"u\" has rank 2");
    assert_int_equal(ob_report_assumption(report, 1, &assumption), OB_E_NOT_FOUND);
    close_all();
}

static void check_with(const char *text, const ob_check_options *options, ob_status expected) {
    ob_error error;
    ob_error_clear(&error);
    assert_int_equal(ob_model_load_memory(text, strlen(text), NULL, NULL, &model, &error), OB_OK);
    ob_status status = ob_check(model, options, &report, &error);
    if (status != expected) fail_msg("%s", error.message);
}

static void assumptions_are_used_and_listed(void **state) {
    (void)state;
    static const char text[] = HEAD "g (float[N] x, float[M] y) => (z) { z = Add(x, y) }";
    const char *given[] = {"M >= 2", "N >= 2"};
    ob_check_options options;
    ob_check_options_init(&options);
    options.assumptions = given;
    options.n_assumptions = 2;
    check_with(text, &options, OB_OK);
    assert_int_equal(ob_report_contract(report).n_assumptions, 2);
    ob_assumption_info assumption;
    assert_int_equal(ob_report_assumption(report, 1, &assumption), OB_OK);
    assert_string_equal(assumption.text, "N >= 2");
    assert_false(assumption.declared);
    assert_int_equal(ob_report_contract(report).n_clauses, 1);
    assert_string_equal(clause_text(0), "N = M");
    close_all();
    given[0] = "2 <= M <= 9"; /* two conditions, one assumption */
    check_with(text, &options, OB_OK);
    assert_int_equal(ob_report_contract(report).n_assumptions, 2);
    assert_int_equal(ob_report_assumption(report, 1, &assumption), OB_OK);
    assert_string_equal(assumption.text, "N >= 2");
    close_all();
    given[0] = "2 <= N <= 9";
    given[1] = "M >= 40";
    check_with(text, &options, OB_OK);
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_CONTRADICTORY);
    ob_finding_info finding;
    assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
    assert_string_equal(finding.message,
                        "no sizes satisfy all of these requirements: \"z\" needs M = N or M = 1 or N = 1; assumed: 2 <= N <= 9; "
                        "assumed: M >= 40");
    close_all();
    const ob_named_size sizes[] = {{"N", 10}};
    options.dims = sizes; /* for which the assumption is false */
    options.n_dims = 1;
    check_with(text, &options, OB_E_ARGUMENT);
    ob_model_close(&model);
    options.n_dims = 0;
    given[1] = "nobody >= 2";
    check_with(text, &options, OB_E_NOT_FOUND);
    ob_model_close(&model);
    given[1] = "N >=";
    check_with(text, &options, OB_E_FORMAT);
    ob_model_close(&model);
}

/* The shape of one input gives its symbols sizes everywhere. */
static void shapes_bind_their_symbols(void **state) {
    (void)state;
    static const char text[] = HEAD "g (float[N] x, float[N, 2] y, float[5] c) => (z) { a = Transpose(y) z = Add(a, c) }";
    const int64_t three = 3, also[2] = {4, 2};
    ob_shape_given shapes[2] = {{"x", 1, &three}, {"y", 2, also}};
    ob_check_options options;
    ob_check_options_init(&options);
    options.shapes = shapes;
    options.n_shapes = 1;
    check_with(text, &options, OB_OK);
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_CONTRADICTORY);
    assert_int_equal(count_findings("OB0101", OB_SEVERITY_ERROR), 1);
    close_all();
    options.n_shapes = 2;
    check_with(text, &options, OB_E_ARGUMENT);
    ob_model_close(&model);
}

/* ---- What to do ---- */

static ob_clause_info clause_with(const char *text) {
    ob_clause_info clause;
    for (size_t i = 0; ob_report_clause(report, i, &clause) == OB_OK; i++)
        if (strcmp(clause.text, text) == 0) return clause;
    for (size_t i = 0; ob_report_clause(report, i, &clause) == OB_OK; i++) print_message("%s\n", clause.text);
    fail_msg("there is no clause \"%s\"", text);
    return clause;
}

static ob_finding_info finding_about(size_t clause) {
    ob_finding_info info;
    for (size_t i = 0; ob_report_finding(report, i, &info) == OB_OK; i++)
        if (info.clause == clause) return info;
    fail_msg("no finding about clause %zu", clause);
    return info;
}

/* Many nodes require something of N; the clause names the node whose requirement alone fails. */
static void test_the_node_to_repair(void **state) {
    (void)state;
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,1,N] x, float[1,1,3] w) => (y, z) {\n"
          "  [window] c = Conv<kernel_shape = [3]>(x, w)\n"
          "  [pool] p = MaxPool<kernel_shape = [2], strides = [2]>(x)\n"
          "  n = Shape(x) two = Constant<value_ints = [1, 1, 2]>() half = Div(n, two)\n"
          "  [again] r = Resize(p, , , n)\n"
          "  t = Constant<value_ints = [1, 4, -1]>() [fold] y = Reshape(x, t)\n"
          "  z = Identity(c)\n}");
    ob_clause_info four = clause_with("N % 4 = 0");
    assert_non_null(four.repair);
    assert_string_equal(four.repair->node, "fold");
    assert_int_equal(four.n_decides, 1);
    assert_string_equal(four.decides[0].name, "N");
    assert_int_equal(four.decides[0].size % 4, 0);
    ob_clause_info least = clause_with("N >= 4"); /* 3 from the window, and a multiple of 4 */
    assert_string_equal(least.repair->node, "window");
    ob_contract_info contract = ob_report_contract(report);
    assert_int_equal(contract.n_sizes, 1);
    for (size_t i = 0; i < contract.n_clauses; i++) {
        ob_finding_info info = finding_about(i);
        ob_clause_info clause;
        assert_int_equal(ob_report_clause(report, i, &clause), OB_OK);
        assert_string_equal(info.node, clause.repair->node);
        assert_non_null(strstr(info.message, clause.text));
    }
    close_all();
}

/* One suitable size is enough for any value of the other. */
static void test_the_fewest_sizes(void **state) {
    (void)state;
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[N] x, float[M] y, float[K, 2] a, float[L, 2] b) => (z, c) {\n"
          " m = Neg(y) [sum] z = Add(x, m) c = Sub(a, b) t = Shape(a) d = Reshape <allowzero = 1> (b, t) }");
    ob_clause_info any = clause_with("N = M or M = 1 or N = 1");
    assert_int_equal(any.n_decides, 1);
    assert_int_equal(any.decides[0].size, 1);
    ob_finding_info finding = finding_about(0);
    assert_string_equal(finding.fix, "to admit more sizes, change its operand 0, 'b', or the node itself");
    ob_clause_info equal = clause_with("K = L"); /* one size alone is not enough */
    assert_int_equal(equal.n_decides, 2);
    assert_int_equal(equal.decides[0].size, equal.decides[1].size);
    close_all();
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[N, M] x, float[M, N] y) => (z) { z = Add(x, y) }");
    assert_int_equal(clause_with("N = M or M = 1 or N = 1").n_nodes, 1); /* which has two requirements */
    close_all();
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (z) { z = Neg(x) }");
    assert_int_equal(ob_report_contract(report).n_sizes, 0);
    close_all();
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float x, float[] y) => (z) { z = Neg(y) }");
    assert_int_equal(ob_report_contract(report).n_sizes, 1); /* of unknown rank */
    close_all();
}

/* A bound that no size reaches is a note beside the clauses; one that can be reached is a warning. */
static void bounds_that_nobody_reaches(void **state) {
    (void)state;
    static const char text[] =
        HEAD "g (float[N] x) => (z) { a = Constant <value = int64[1] {0}> () b = Constant <value = int64[1] "
             "{%s}> () y = Slice(x, a, b) z = Add(x, y) }";
    static const struct {
        const char *end, *clause;
        bool limit;
    } rows[] = {{"5", "N <= 5", false}, {"999999999", "N <= 999999999", false}, {"1000000000", "N <= 1000000000", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char one[400];
        snprintf(one, sizeof one, text, rows[i].end);
        check(one);
        ob_contract_info info = ob_report_contract(report);
        assert_int_equal(info.status, OB_CONTRACT_COMPLETE);
        assert_int_equal(info.n_clauses, !rows[i].limit);
        assert_int_equal(info.n_limits, rows[i].limit);
        assert_string_equal(clause_text(0), rows[i].clause);
        bool told = false;
        for (size_t k = 0; k < ob_report_finding_count(report); k++) {
            ob_finding_info finding;
            assert_int_equal(ob_report_finding(report, k, &finding), OB_OK);
            if (finding.clause != 0) continue;
            told = true;
            assert_int_equal(finding.severity, rows[i].limit ? OB_SEVERITY_NOTE : OB_SEVERITY_WARNING);
        }
        assert_true(told);
        assert_int_equal(admits("N", 4, "N", 4), OB_TRUE);
        assert_int_equal(admits("N", 2000000000, "N", 2000000000), OB_FALSE); /* still exact */
        close_all();
    }
}

/* A requirement guarded by data that the clauses imply anyway is not unverified. */
static void what_is_given_matters_to_no_branch(void **state) {
    (void)state;
    static const char text[] =
        HEAD "g (float[M] x, float[3] y, bool c) => (z) { two = Constant <value = float[2] {1, 1}> () s = Add(x, y) "
             "z = If(c) <then_branch = t () => (a) { a = Add(%s, x) }, else_branch = e () => (b) { b = Neg(s) }> }";
    for (int needs_more = 0; needs_more < 2; needs_more++) {
        char one[400];
        snprintf(one, sizeof one, text, needs_more ? "two" : "s");
        check(one);
        assert_int_equal(ob_report_contract(report).status, needs_more ? OB_CONTRACT_PARTIAL : OB_CONTRACT_COMPLETE);
        assert_string_equal(clause_text(0), "M = 1 or M = 3");
        close_all();
    }
}

/* Any clause that reports print can be used as an assumption. */
static void clauses_can_be_assumed(void **state) {
    (void)state;
    static const char text[] = HEAD "g (float[N] x, float[M] y) => (z) { z = Add(x, y) }";
    static const char *const rows[][2] = {{"N != 1 and M != 1", "N = M"},
                                          {"N = M or N = 1 or M = 1", ""},
                                          {"if N >= 2: M = N; N != 0; N != 1", ""},
                                          {"M % 32 in {0, 29, 30, 31}, 2 <= M % 32 <= 20", "no sizes"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ob_check_options options;
        ob_check_options_init(&options);
        options.assumptions = &rows[i][0];
        options.n_assumptions = 1;
        check_with(text, &options, OB_OK);
        ob_contract_info info = ob_report_contract(report);
        assert_int_equal(info.n_assumptions, 1);
        if (i < 3) assert_int_equal(info.n_clauses, rows[i][1][0] != '\0');
        if (i == 0) assert_string_equal(clause_text(0), rows[i][1]);
        if (i == 3) assert_int_equal(info.status, OB_CONTRACT_CONTRADICTORY);
        close_all();
    }
    static const char *const wrong[] = {"N !=", "if N >= 2 M = N", "K != 1", "N != 1 or", "N is a multiple"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ob_check_options options;
        ob_check_options_init(&options);
        options.assumptions = &wrong[i];
        options.n_assumptions = 1;
        check_with(text, &options, i == 2 ? OB_E_NOT_FOUND : OB_E_FORMAT);
        close_all();
    }
}

/* ---- Ranks that sizes decide ---- */

static bool has_clause(const char *text) {
    ob_clause_info clause;
    for (size_t i = 0; ob_report_clause(report, i, &clause) == OB_OK; i++)
        if (strcmp(clause.text, text) == 0) return true;
    return false;
}

/* A vector of 3 after Squeeze of `shape`. */
static void check_squeezed(const char *shape, const char *more) {
    char text[600];
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : 17]> g (float[%s] x, float[3] b, int64[K] i, float[9] w) => (float[] y)"
             " { s = Squeeze(x) [sum] y = Add(s, b) %s }",
             shape, more);
    check(text);
}

static void a_rank_is_told_in_cases(void **state) {
    (void)state;
    check_squeezed("N,M", "z = Gather(w, i)");
    ob_contract_info info = ob_report_contract(report);
    assert_int_equal(info.status, OB_CONTRACT_COMPLETE);
    assert_int_equal(info.n_bounds, 1); /* one for all cases */
    for (int64_t n = 0; n < 5; n++)
        for (int64_t m = 0; m < 5; m++)
            assert_int_equal(admits("N", n, "M", m), (m == 1 ? n == 1 || n == 3 : m == 3) ? OB_TRUE : OB_FALSE);
    ob_clause_info clause;
    assert_int_equal(ob_report_clause(report, 0, &clause), OB_OK);
    assert_string_equal(clause.origins[0].node, "sum");
    ob_value_info value;
    size_t at = 0;
    do assert_int_equal(ob_report_value(report, at++, &value), OB_OK);
    while (strcmp(value.name, "s") != 0);
    assert_int_equal(value.shape.rank, OB_RANK_UNKNOWN); /* facts hold for all sizes */
    close_all();
    /* Without the axis there is nothing to transpose. */
    check_squeezed("N,3", "t = Transpose<perm = [1, 0]>(s)");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    assert_int_equal(ob_report_contract(report).n_clauses, 1);
    assert_true(has_clause("N != 1"));
    close_all();
    /* An error in all cases is reported once. */
    check_squeezed("N,3", "m = MatMul(w, b)");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_CONTRADICTORY);
    assert_int_equal(ob_report_finding_count(report), 1);
    close_all();
    /* An error in none of the cases. */
    check_squeezed("N,3", "t = Transpose<perm = [1, 0, 2, 3]>(s)");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_CONTRADICTORY);
    close_all();
    /* Facts after an error are unknown, which has no effect in a case that no run reaches. */
    check_squeezed("N,M,3", "t = Transpose<perm = [1, 0]>(s) u = Transpose<perm = [1, 0]>(t)");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    for (int64_t n = 0; n < 5; n++)
        for (int64_t m = 0; m < 5; m++) assert_int_equal(admits("N", n, "M", m), (n == 1) != (m == 1) ? OB_TRUE : OB_FALSE);
    close_all();
}

static void elements_are_asked_for_in_cases(void **state) {
    (void)state;
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[N,5] x, int64[K] i) => (float[] y) { s = Squeeze(x) y = Gather(s, "
          "i) }");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    assert_int_equal(ob_report_contract(report).n_bounds, 2);
    close_all();
}

static void ranks_are_told_in_a_few_cases(void **state) {
    (void)state;
    check_squeezed("A,B,C,D", "");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_PARTIAL);
    close_all();
    check_squeezed("A,B,C,3", "");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    close_all();
    /* A rank that is open because another one is; in a function the node and the answer are the same. */
    check("<ir_version: 8, opset_import: [\"\" : 17]> g (float[A] x, float[3] b) => (float[] y) {"
          " c = Constant<value_ints = [-1]>() s = Squeeze(x) r = Reshape(s, c) t = Squeeze(r) y = Add(t, b) }");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    close_all();
    check("<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]> g (float[A] x, float[3] b) => (float[] y) {"
          " r = f.sq(x) t = f.sq(r) y = Add(t, b) } <domain: \"f\", opset_import: [\"\" : 17]> sq (v) => (r)"
          " { c = Constant<value_ints = [-1]>() s = Squeeze(v) r = Reshape(s, c) }");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    close_all();
    /* Sizes known only during a run are taken from the facts. */
    check_squeezed("A,B", "n = NonZero(s) m = Add(n, i)");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_PARTIAL);
    assert_int_equal(ob_report_contract(report).n_clauses, 0);
    close_all();
    /* A value known only during a run is not given, */
    check_squeezed("A,B", "n = NonZero(x) m = Squeeze(n) o = Add(m, m) p = Transpose<perm = [1, 0]>(m)");
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_PARTIAL);
    /* and if the answer depends on it, there is none. */
    assert_int_equal(ob_report_contract(report).n_clauses, 0);
    close_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_that_nobody_reaches),
                                       cmocka_unit_test(a_rank_is_told_in_cases),
                                       cmocka_unit_test(elements_are_asked_for_in_cases),
                                       cmocka_unit_test(ranks_are_told_in_a_few_cases),
                                       cmocka_unit_test(clauses_can_be_assumed),
                                       cmocka_unit_test(what_is_given_matters_to_no_branch),
                                       cmocka_unit_test(what_is_beyond_a_limit_is_unverified),
                                       cmocka_unit_test(floats_hold_sizes_up_to_a_limit),
                                       cmocka_unit_test(branches_are_alternatives),
                                       cmocka_unit_test(the_first_of_a_concatenation_is_compared_with_nothing),
                                       cmocka_unit_test(contradictions_are_one_error),
                                       cmocka_unit_test(what_is_not_known_is_said_once),
                                       cmocka_unit_test(assumptions_are_used_and_listed),
                                       cmocka_unit_test(shapes_bind_their_symbols),
                                       cmocka_unit_test(test_broadcast),
                                       cmocka_unit_test(test_refuted),
                                       cmocka_unit_test(test_the_node_to_repair),
                                       cmocka_unit_test(test_the_fewest_sizes),
                                       cmocka_unit_test(test_unverified)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
