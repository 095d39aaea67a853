/* Advice about a contract: examples of sizes that it admits, and the node that requires a clause. */
#include "corpus.h"
#include "model_text.h"

#include <stdlib.h>

#define HEADER "<ir_version: 8, opset_import: [\"\" : 17]>\n"

/* ---- Examples ---- */

/* "N = 2, M = 2; N = 4, M = 4" */
static const char *examples_of(ob_report *report) {
    static char text[2000];
    ob_example_info info;
    ob_status status;
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; (status = ob_report_example(report, i, &info)) == OB_OK; i++)
        for (size_t k = 0; k < info.n_sizes; k++) {
            const char *before = k ? ", " : i ? "; " : "";
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s = %lld", before, info.sizes[k].name,
                                  (long long)info.sizes[k].size);
            assert_true(n < sizeof text);
        }
    assert_int_equal(status, OB_E_NOT_FOUND);
    return text;
}

static void give(const char *text, const char *const *assumptions, size_t n, const char *expected) {
    ob_model *model = read_text(text);
    ob_report *report = NULL;
    ob_check_options options;
    ob_error error;
    ob_check_options_init(&options);
    options.assumptions = assumptions;
    options.n_assumptions = n;
    assert_int_equal(ob_check(model, &options, &report, &error), OB_OK);
    assert_string_equal(examples_of(report), expected);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void examples_are_useful_sizes(void **state) {
    (void)state;
    static const char equal[] = HEADER "g (float[N] x, float[M] y) => (float[?] z) { z = Add (x, y) }\n",
                      open[] = HEADER "g (float[N] x) => (float[?] z) { z = Relu (x) }\n",
                      wrong[] = HEADER "g (float[N] x, float[3] a, float[4] b) => (float[?] z) { z = Add (a, b) }\n",
                      state_of_one[] = HEADER "g (float[N] x, float[1] one, float[N] y) => (float[?] z) {\n"
                                              "  three = Constant <value = int64[1] {3}> ()\n"
                                              "  e = Expand (one, three)\n"
                                              "  s = Add (x, e)\n"
                                              "  t = Constant <value = int64[2] {2, -1}> ()\n"
                                              "  z = Reshape (y, t)\n"
                                              "}\n";
    static const char *const small[] = {"N <= 3"}, *const large[] = {"N >= 100"}, *const fixed[] = {"N = 7"};
    give(equal, NULL, 0, "N = 2, M = 2; N = 4, M = 4");
    give(equal, small, 1, "N = 2, M = 2; N = 3, M = 3");
    give(equal, fixed, 1, "M = 7"); /* or 1, which is no larger */
    give(open, NULL, 0, "");
    give(wrong, NULL, 0, "");
    give(state_of_one, NULL, 0, "");
    give(HEADER "g (float[N] x) => (float[?,?] z) {\n"
                "  t = Constant <value = int64[2] {7, -1}> ()\n"
                "  z = Reshape (x, t)\n"
                "}\n",
         large, 1, "N = 105; N = 210");
    give(HEADER "g (float[A,B,C] x, float[B,C,A] y) => (float[?,?,?] z) { z = Mul (x, y) }\n", NULL, 0,
         "A = 2, B = 2, C = 2; A = 4, B = 4, C = 4");
}

static size_t n_examples, n_models;

/* The model, checked for the sizes of an example, has no condition left. */
static void check_example(const char *path, const ob_example_info *example) {
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_check_options options;
    ob_error error;
    ob_check_options_init(&options);
    options.dims = example->sizes;
    options.n_dims = example->n_sizes;
    assert_int_equal(ob_model_load(path, NULL, &model, &error), OB_OK);
    if (ob_check(model, &options, &report, &error) != OB_OK) fail_msg("%s: %s", path, error.message);
    const ob_contract_info contract = ob_report_contract(report);
    if (ob_report_get_summary(report).n_errors || contract.n_clauses || contract.status != OB_CONTRACT_COMPLETE)
        fail_msg("%s: %zu clauses are left at an example", path, contract.n_clauses);
    ob_report_close(&report);
    ob_model_close(&model);
    n_examples++;
}

static void look_at(void *context, const char *path) {
    size_t *n_seen = context;
    ob_model *model = NULL;
    ob_report *report = NULL;
    ++*n_seen;
    if (ob_model_load(path, NULL, &model, NULL) != OB_OK) return;
    assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
    const ob_contract_info contract = ob_report_contract(report);
    ob_example_info example;
    for (size_t i = 0; ob_report_example(report, i, &example) == OB_OK; i++) {
        ob_truth truth;
        size_t clause;
        n_models += i == 0;
        assert_int_equal(contract.status, OB_CONTRACT_COMPLETE);
        assert_int_equal(ob_report_contract_holds(report, example.sizes, example.n_sizes, &truth, &clause), OB_OK);
        assert_int_equal(truth, OB_TRUE);
        check_example(path, &example);
    }
    ob_report_close(&report);
    ob_model_close(&model);
}

static void examples_satisfy_the_models(void **state) {
    (void)state;
    corpus_each_model(look_at);
    print_message("%zu examples for %zu models\n", n_examples, n_models);
}

/* ---- The node that requires a clause ---- */

/* x[1:] against y: the Add, not the ConstantOfShape before it. */
static void a_shift_is_repaired_at_the_add(void **state) {
    (void)state;
    ob_model *model = read_text(HEADER "g (float[T] x, float[T] y) => (float[?] z) {\n"
                                       "  one = Constant <value = int64[1] {1}> ()\n"
                                       "  s = Shape (x)\n"
                                       "  less = Sub (s, one)\n"
                                       "  [fill] f = ConstantOfShape (less)\n"
                                       "  [add] z = Add (f, y)\n"
                                       "}\n");
    ob_report *report = check_model(model);
    ob_clause_info clause;
    ob_finding_info finding;
    assert_int_equal(ob_report_clause(report, 0, &clause), OB_OK);
    assert_string_equal(clause.repair->node, "add");
    assert_int_equal(ob_report_finding(report, 0, &finding), OB_OK);
    assert_string_equal(finding.node, "add");
    ob_report_close(&report);
    ob_model_close(&model);
}

/* Sizes of 0 and 1 only where no others are found. */
static void witnesses_are_usual_sizes(void **state) {
    (void)state;
    static const char text[] = HEADER "g (float[B,T] x, float[B,S] y, float[C] w) => (float[?,?] z, float[?,?] u) {\n"
                                      "  c = Concat <axis = 1> (x, y)\n"
                                      "  z = Add (c, w)\n"
                                      "  u = Mul (x, y)\n"
                                      "}\n";
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    ob_clause_info clause;
    for (size_t i = 0; ob_report_clause(report, i, &clause) == OB_OK; i++) {
        assert_int_equal(clause.n_holds, 3);
        for (size_t k = 0; k < clause.n_holds; k++) assert_true(clause.holds[k].size >= 2);
        for (size_t k = 0; k < clause.n_fails; k++) assert_true(clause.fails[k].size >= 2);
    }
    ob_report_close(&report);
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_useful_sizes),
        cmocka_unit_test(examples_satisfy_the_models),
        cmocka_unit_test(a_shift_is_repaired_at_the_add),
        cmocka_unit_test(witnesses_are_usual_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
