/* The contract of a whole model: its clauses, what is unverified, and which sizes it admits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/onnx_broadcast.h"

static ob_model *model;
static ob_report *report;

static void check(const char *text) {
    ob_error error;
    ob_error_clear(&error);
    if (ob_model_load_memory(text, strlen(text), NULL, NULL, &model, &error) != OB_OK ||
        ob_check(model, NULL, &report, &error) != OB_OK)
        fail_msg("%s", error.message);
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

/* How many elements are not zero is known to nobody before the run. */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broadcast), cmocka_unit_test(test_refuted),
                                       cmocka_unit_test(test_unverified)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
