/* Contradictory attributes of ai.onnx.ml, cycles in trees and invalid indices: each makes a session fail with one message.
 * Random attributes give a result or a message. */
#include "forest_case.h"

enum { MOST = 40000 };

/* Two trees with one inner node and one tree with two, in the form of the older operators and of TreeEnsemble. */
static const char listed[] =
    "<ir_version: 10, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 3]>\ng (float[N, 3] x) => (y) {\n y = "
    "ai.onnx.ml.TreeEnsembleRegressor<\n"
    "nodes_treeids: ints = [0, 0, 0, 1, 1, 1, 1, 1], nodes_nodeids: ints = [0, 1, 2, 0, 1, 2, 3, 4],\n"
    "nodes_featureids: ints = [0, 0, 0, 2, 1, 0, 0, 0], nodes_truenodeids: ints = [1, 0, 0, 1, 3, 0, 0, 0],\n"
    "nodes_falsenodeids: ints = [2, 0, 0, 2, 4, 0, 0, 0], nodes_values: floats = [0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0],\n"
    "nodes_modes: strings = [\"BRANCH_LEQ\", \"LEAF\", \"LEAF\", \"BRANCH_LT\", \"BRANCH_GT\", \"LEAF\", \"LEAF\", \"LEAF\"],\n"
    "target_ids: ints = [0, 0, 0, 0, 0], target_treeids: ints = [0, 0, 1, 1, 1], target_nodeids: ints = [1, 2, 2, 3, 4],\n"
    "target_weights: floats = [1.0, 2.0, 3.0, 4.0, 5.0], n_targets: int = 1>(x)\n}\n";
static const char positioned[] =
    "<ir_version: 10, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 5]>\ng (float[N, 3] x) => (y) {\n y = ai.onnx.ml.TreeEnsemble<\n"
    "nodes_featureids: ints = [0, 2, 1], nodes_truenodeids: ints = [0, 2, 3], nodes_falsenodeids: ints = [1, 2, 4],\n"
    "nodes_trueleafs: ints = [1, 0, 1], nodes_falseleafs: ints = [1, 1, 1], nodes_modes: tensor = uint8[3] {0, 6, 3},\n"
    "nodes_splits: tensor = float[3] {0.0, 1.0, 2.0}, membership_values: tensor = float[2] {1.0, nan},\n"
    "leaf_targetids: ints = [0, 0, 0, 0, 0], leaf_weights: tensor = float[5] {1.0, 2.0, 3.0, 4.0, 5.0}, tree_roots: ints = [0, "
    "1]>(x)\n}\n";

static void replace(char *to, const char *text, const char *from, const char *by) {
    const char *at = strstr(text, from);
    if (!at) fail_msg("no %s", from);
    snprintf(to, MOST, "%.*s%s%s", (int)(at - text), text, by, at + strlen(from));
}

static bool is_an_error_to_the_checker(ob_model *model) {
    ob_report *report = NULL;
    ob_error error;
    bool any = false;
    if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("checking fails: %s", error.message);
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        any = any || finding.severity == OB_SEVERITY_ERROR;
    }
    ob_report_close(&report);
    return any;
}

/* Makes a session and runs three rows; returns the error, or "". The checker must predict the error, because both read
 * attributes with the same functions. */
static void outcome(const char *text, ob_error *error) {
    static const float x[9] = {0, 1, 2, NAN, -1, 1, 0.5f, 2, 3};
    ob_session *session = NULL;
    ob_view in, out[2];
    ob_model *model = read_text(text);
    ob_error_clear(error);
    memset(out, 0, sizeof out);
    assert_int_equal(ob_view_init(&in, (void *)(uintptr_t)x, OB_FLOAT, 2, (const int64_t[]){3, 3}), OB_OK);
    ob_status status = ob_session_create(model, NULL, &session, error);
    if (status == OB_OK) status = ob_session_run(session, &in, 1, out, ob_session_output_count(session), error);
    assert_true((status == OB_OK) == (error->message[0] == '\0'));
    if (is_an_error_to_the_checker(model) != (status != OB_OK))
        fail_msg("the checker says another thing than the run: \"%s\"\n%s", error->message, text);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void expect(const char *text, const char *from, const char *by, const char *message) {
    static char changed[MOST];
    ob_error error;
    replace(changed, text, from, by);
    outcome(changed, &error);
    if (!strstr(error.message, message) || (message[0] == '\0' && error.message[0]))
        fail_msg("%s for %s:\n  %s\n  expected %s", by, from, error.message, message);
}

static void test_lists(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"x)", "x)", ""},
        {"nodes_truenodeids: ints = [1, 0, 0, 1, 3", "nodes_truenodeids: ints = [1, 0, 0, 1, 0", "tree 1 has no root"},
        {"nodes_truenodeids: ints = [1", "nodes_truenodeids: ints = [0", "tree 0 has no root"},
        {"nodes_truenodeids: ints = [1, 0, 0, 1, 3", "nodes_truenodeids: ints = [1, 0, 0, 1, 1", "cycle"},
        {"nodes_truenodeids: ints = [1", "nodes_truenodeids: ints = [9",
         "node 0 of tree 0 leads to node 9, which the tree does not have"},
        {"nodes_truenodeids: ints = [1", "nodes_truenodeids: ints = [-1", "leads to node -1"},
        {"nodes_falsenodeids: ints = [2", "nodes_falsenodeids: ints = [4", "node 0 of tree 0 leads to node 4"},
        {"nodes_nodeids: ints = [0, 1, 2", "nodes_nodeids: ints = [0, 1, 1", "tree 0 has node 1 twice"},
        {"nodes_nodeids: ints = [0, ", "nodes_nodeids: ints = [", "has 8 entries, others have 7"},
        {"nodes_values: floats = [0.0, ", "nodes_values: floats = [", "attribute nodes_values has 7 entries, others have 8"},
        {"\"BRANCH_LEQ\", ", "", "attribute nodes_modes has 7 entries, others have 8"},
        {"BRANCH_LEQ", "BRANCH_MEMBER", "nodes_modes has \"BRANCH_MEMBER\", which is not a mode"},
        {"nodes_featureids: ints = [0", "nodes_featureids: ints = [3", "4"},
        {"nodes_featureids: ints = [0", "nodes_featureids: ints = [-1", "nodes_featureids[0] is -1"},
        {"nodes_featureids: ints = [0", "nodes_featureids: ints = [9223372036854775807",
         "nodes_featureids[0] is 9223372036854775807"},
        {"target_ids: ints = [0", "target_ids: ints = [1", "target_ids[0] is 1, there are 1"},
        {"target_ids: ints = [0", "target_ids: ints = [-1", "target_ids[0] is -1"},
        {"target_nodeids: ints = [1", "target_nodeids: ints = [7", "target_nodeids[0] is node 7 of tree 0, which does not exist"},
        {"target_weights: floats = [1.0, ", "target_weights: floats = [",
         "attribute target_weights has 4 entries, others have 5"},
        {"n_targets: int = 1", "n_targets: int = 0", "attribute n_targets is 0"},
        {"n_targets: int = 1", "n_targets: int = 1, base_values: floats = [1.0, 2.0]",
         "attribute base_values has 2 numbers for 1 results"},
        {"n_targets: int = 1", "n_targets: int = 1, post_transform: string = \"EXP\"", "attribute post_transform is \"EXP\""},
        {"n_targets: int = 1", "n_targets: int = 1, aggregate_function: string = \"LAST\"",
         "attribute aggregate_function is \"LAST\""},
        {"nodes_values:", "nodes_values_as_tensor: tensor = double[8] {0, 0, 0, 0, 0, 0, 0, 0}, nodes_values:", "are both given"},
        {"nodes_modes:", "nodes_missing_value_tracks_true: ints = [1], nodes_modes:",
         "nodes_missing_value_tracks_true has 1 entries"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) expect(listed, cases[i][0], cases[i][1], cases[i][2]);
}

static void test_positions(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"x)", "x)", ""},
        {"nodes_trueleafs: ints = [1, 0, 1]", "nodes_trueleafs: ints = [1, 0, 0]",
         "nodes_truenodeids[2] is 3, there are 3 nodes"},
        {"nodes_truenodeids: ints = [0, 2", "nodes_truenodeids: ints = [0, 1", "cycle"},
        {"nodes_truenodeids: ints = [0", "nodes_truenodeids: ints = [5", "nodes_truenodeids[0] is 5, there are 5 leaves"},
        {"nodes_falsenodeids: ints = [1", "nodes_falsenodeids: ints = [-1", "nodes_falsenodeids[0] is -1"},
        {"tree_roots: ints = [0, 1]", "tree_roots: ints = [0, 3]", "tree_roots[1] is 3, there are 3 nodes"},
        {"tree_roots: ints = [0, 1]", "tree_roots: ints = [1, 1, 1]", ""},
        {"uint8[3] {0, 6, 3}", "uint8[3] {0, 7, 3}", "nodes_modes[1] is 7"},
        {"uint8[3] {0, 6, 3}", "uint8[2] {0, 6}", "attribute nodes_modes is not a tensor of 3 uint8"},
        {"uint8[3] {0, 6, 3}", "int8[3] {0, 6, 3}", "attribute nodes_modes is not a tensor of 3 uint8"},
        {"uint8[3] {0, 6, 3}", "uint8[3] {0, 6, 6}", "membership_values has no set for node 2"},
        {"uint8[3] {0, 6, 3}", "uint8[3] {0, 0, 3}", "membership_values has more sets than nodes_modes asks for"},
        {"float[2] {1.0, nan}", "float[1] {1.0}", ""},
        {"float[2] {1.0, nan}", "float[1] {nan}", ""},
        {"leaf_targetids: ints = [0", "leaf_targetids: ints = [1", "leaf_targetids[0] is 1, there are 1"},
        {"leaf_weights: tensor = float[5] {1.0, ", "leaf_weights: tensor = float[4] {",
         "attribute leaf_weights has 4 entries, others have 5"},
        {"nodes_splits: tensor = float[3] {0.0, 1.0, 2.0}", "nodes_splits: tensor = int64[3] {0, 1, 2}",
         "attribute nodes_splits has elements of int64"},
        {"tree_roots:", "aggregate_function: int = 4, tree_roots:", "attribute aggregate_function is 4"},
        {"tree_roots:", "post_transform: int = 5, tree_roots:", "attribute post_transform is 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) expect(positioned, cases[i][0], cases[i][1], cases[i][2]);
}

/* Numbers of the lists are replaced at random: the resulting trees are refused or run. */
static void test_random(void **state) {
    (void)state;
    static char text[MOST];
    static const char *const texts[] = {listed, positioned};
    unsigned seed = 3, ran = 0;
    ob_error error;
    for (int i = 0; i < 1200; i++) {
        snprintf(text, sizeof text, "%s", texts[i % 2]);
        for (int changes = 1 + (int)fc_random(&seed, 3); changes > 0;) {
            char *at = text + fc_random(&seed, (unsigned)strlen(text));
            if (at < strstr(text, "TreeEnsemble") || *at < '0' || *at > '9' || !strchr("[{, ", at[-1]) ||
                !strchr("]},.", at[1]) || strncmp(at + 1, "] {", 3) == 0)
                continue;
            *at = (char)('0' + fc_random(&seed, 5));
            changes--;
        }
        outcome(text, &error);
        ran += error.message[0] == '\0';
    }
    assert_in_range(ran, 100, 1100);
}

/* A tree that is one long path: no recursion, and no more steps than nodes. */
static void test_deep(void **state) {
    (void)state;
    enum { DEPTH = 20000 };
    ob_text text;
    ob_error error;
    ob__text_init(&text, NULL);
    ob__text_printf(&text, "<ir_version: 10, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 5]>\ng (float[N, 3] x) => (y) {\n y = "
                           "ai.onnx.ml.TreeEnsemble<\n");
    const struct {
        const char *name;
        int step, first, last;
    } lists[] = {{"nodes_featureids: ints = [", 0, 0, 0},
                 {"], nodes_truenodeids: ints = [", 1, 1, 0},
                 {"], nodes_falsenodeids: ints = [", 0, 0, 0},
                 {"], nodes_trueleafs: ints = [", 0, 0, 1},
                 {"], nodes_falseleafs: ints = [", 0, 1, 1}};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        ob__text_printf(&text, "%s", lists[k].name);
        for (int i = 0; i < DEPTH; i++)
            ob__text_printf(&text, "%s%d", i ? ", " : "", i == DEPTH - 1 ? lists[k].last : lists[k].first + i * lists[k].step);
    }
    ob__text_printf(&text, "], nodes_modes: tensor = uint8[%d] {", DEPTH);
    for (int i = 0; i < DEPTH; i++) ob__text_printf(&text, "%s0", i ? ", " : "");
    ob__text_printf(&text, "}, nodes_splits: tensor = float[%d] {", DEPTH);
    for (int i = 0; i < DEPTH; i++) ob__text_printf(&text, "%s%d", i ? ", " : "", i + 1);
    ob__text_printf(&text,
                    "}, leaf_targetids: ints = [0], leaf_weights: tensor = float[1] {2.5}, tree_roots: ints = [0]>(x)\n}\n");
    outcome(text.data, &error);
    assert_string_equal(error.message, "");
    ob__text_release(&text);
}

/* A tree of one node that leads to itself, and one that is a leaf. */
static void test_one_node(void **state) {
    (void)state;
    static const char lone[] =
        "<ir_version: 10, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 1]>\ng (float[N, 3] x) => (y) {\n y = "
        "ai.onnx.ml.TreeEnsembleRegressor<\n"
        "nodes_treeids: ints = [4], nodes_nodeids: ints = [0], nodes_featureids: ints = [0], nodes_truenodeids: ints = [0],\n"
        "nodes_falsenodeids: ints = [0], nodes_values: floats = [0.0], nodes_modes: strings = [\"LEAF\"], target_ids: ints = "
        "[0],\n"
        "target_treeids: ints = [4], target_nodeids: ints = [0], target_weights: floats = [1.0], n_targets: int = 1>(x)\n}\n";
    expect(lone, "x)", "x)", "");
    expect(lone, "LEAF", "BRANCH_EQ", "tree 4 has no root");
}

static void expect_model(const char *node, const char *message) {
    char text[1000];
    ob_error error;
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 1]>\ng (float[N, 3] x) => (%s) {\n %s = "
             "ai.onnx.ml.%s>(x)\n}\n",
             strstr(node, "Classifier") ? "l, y" : "y", strstr(node, "Classifier") ? "l, y" : "y", node);
    outcome(text, &error);
    if (!strstr(error.message, message)) fail_msg("%s\n  %s\n  expected %s", node, error.message, message);
}

static void test_others(void **state) {
    (void)state;
    expect_model("LinearRegressor<targets: int = 2, coefficients: floats = [1.0, 2.0, 3.0]",
                 "3 coefficients cannot be shared by 2 scores");
    expect_model("LinearRegressor<targets: int = 0, coefficients: floats = [1.0]", "attribute targets is 0");
    expect_model("LinearRegressor<targets: int = 1, intercepts: floats = [1.0, 2.0], coefficients: floats = [1.0]",
                 "2 intercepts for 1 targets");
    expect_model("LinearClassifier<coefficients: floats = [1.0]", "one of classlabels_ints and classlabels_strings is needed");
    expect_model(
        "LinearClassifier<coefficients: floats = [1.0], classlabels_ints: ints = [1], classlabels_strings: strings = [\"a\"]",
        "exactly one of");
    expect_model("LinearClassifier<coefficients: floats = [1.0], intercepts: floats = [1.0, 2.0], classlabels_ints: ints = [1]",
                 "2 intercepts do not fit 1 classes");
    expect_model("SVMRegressor<coefficients: floats = [1.0], rho: floats = [1.0], n_supports: int = 2",
                 "1 coefficients for 2 vectors");
    expect_model("SVMRegressor<coefficients: floats = [1.0, 2.0, 3.0]", "attribute rho has 0 numbers, not 1");
    expect_model("SVMRegressor<coefficients: floats = [1.0], rho: floats = [1.0], kernel_type: string = \"NONE\"",
                 "attribute kernel_type is \"NONE\"");
    expect_model("SVMRegressor<coefficients: floats = [1.0], rho: floats = [1.0], kernel_params: floats = [1.0]",
                 "attribute kernel_params has 1 numbers");
    expect_model("SVMRegressor<coefficients: floats = [1.0, 2.0], rho: floats = [1.0], n_supports: int = 2, support_vectors: "
                 "floats = [1.0, 2.0, 3.0]",
                 "attribute support_vectors has 3 numbers");
    expect_model("SVMClassifier<coefficients: floats = [1.0, 2.0], rho: floats = [1.0], classlabels_ints: ints = [1, 2], "
                 "vectors_per_class: ints = [-1, 3]",
                 "vectors_per_class[0] is -1");
    expect_model("SVMClassifier<coefficients: floats = [1.0, 2.0], rho: floats = [1.0], classlabels_ints: ints = [1, 2], "
                 "vectors_per_class: ints = [1, 2]",
                 "2 coefficients for 2 classes with 3 vectors in all");
    expect_model("SVMClassifier<coefficients: floats = [1.0, 2.0], rho: floats = [1.0, 2.0], classlabels_ints: ints = [1, 2], "
                 "vectors_per_class: ints = [1, 1]",
                 "attribute rho has 2 numbers for 1 pairs of classes");
    expect_model("SVMClassifier<coefficients: floats = [1.0, 2.0], rho: floats = [1.0], prob_a: floats = [1.0], "
                 "classlabels_ints: ints = [1, 2], "
                 "vectors_per_class: ints = [1, 1]",
                 "prob_a has 1 numbers and prob_b 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists),    cmocka_unit_test(test_positions),
                                       cmocka_unit_test(test_random),   cmocka_unit_test(test_deep),
                                       cmocka_unit_test(test_one_node), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
