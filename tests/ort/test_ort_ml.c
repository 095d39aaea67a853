/* Random ensembles of trees in ONNX Runtime and in a session of ours. Omitted are the deviations of version 1.30 from the
 * specification: a NaN at BRANCH_NEQ takes the way of "not equal" whatever nodes_missing_value_tracks_true says; one result
 * gets no post_transform but PROBIT, which it approximates; labels of two classes that both have weights are 0 and 1;
 * base_values of two classes; a class without votes is never the top one; members of sets that are no integers; post_transform
 * of TreeEnsemble, whose numbers 1 and 2 it takes for each other. */
#include "forest_case.h"
#include "host_case.h"

enum { ROWS = 60 };

static void compare(const char *text, const ob_view *x) {
    ob_model *model = read_text(text);
    ob_session *session = NULL;
    ort_session theirs;
    ob_view ours[2], other[2];
    ob_error error;
    ob_error_clear(&error);
    memset(ours, 0, sizeof ours);
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    const size_t n = ob_session_output_count(session);
    if (ob_session_run(session, x, 1, ours, n, &error) != OB_OK) fail_msg("%s", error.message);
    if (!ort_session_open_text(&host, text, &(ort_options){.optimize = false}, &theirs)) fail_msg("%s", host.error);
    if (!ort_run(&theirs, x, 1, other, n)) fail_msg("%s", host.error);
    if (n == 2) assert_memory_equal(ours[0].data, other[0].data, (size_t)ob_view_count(&ours[0]) * sizeof(int64_t));
    assert_int_equal(ob_view_count(&ours[n - 1]), ob_view_count(&other[n - 1]));
    for (int64_t i = 0; i < ob_view_count(&ours[n - 1]); i++) {
        const double a = (double)((const float *)ours[n - 1].data)[i], b = (double)((const float *)other[n - 1].data)[i];
        if (!(fabs(a - b) <= 1e-6 * (1 + fabs(b))))
            fail_msg("element %lld is %.9g, there %.9g\n%.600s", (long long)i, a, b, text);
    }
    ort_views_free(other, (size_t)n);
    ort_session_close(&theirs);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* Classes: 0: a regressor, or TreeEnsemble where `positioned`. */
static void forests(int n_classes, bool positioned) {
    static forest_case f;
    float x[ROWS * FC_FEATURES];
    ob_text text;
    ob_view view;
    ob__text_init(&text, NULL);
    for (unsigned i = 0; i < 60; i++) {
        const bool binary = n_classes == 2;
        fc_make(&f, 400 + i, n_classes ? n_classes : 1 + (int)(i % 3), positioned, positioned);
        f.aggregate = n_classes ? 1 : (int)(i % 4);
        f.transform = !positioned && (n_classes || f.n_results > 1) ? (int)(i / 2 % 3) : 0;
        for (int k = 0; k < f.n_nodes; k++) {
            if (f.nodes[k].mode == 5) f.nodes[k].missing = 1;
            if (f.nodes[k].mode == FC_LEAF && n_classes > 2) f.nodes[k].value = fabs(f.nodes[k].value) + 0.015625;
            if (f.nodes[k].mode == FC_LEAF && binary) f.nodes[k].result = 0;
            if (f.nodes[k].mode == FC_LEAF && binary && i % 2) f.nodes[k].value = fabs(f.nodes[k].value) / f.n_trees;
        }
        for (int k = 0; k < ROWS * FC_FEATURES; k++) x[k] = fc_random(&f.seed, 8) ? (float)fc_number(&f) : NAN;
        assert_int_equal(ob_view_init(&view, x, OB_FLOAT, 2, (const int64_t[]){ROWS, FC_FEATURES}), OB_OK);
        text.n = 0;
        ob__text_printf(
            &text,
            "<ir_version: 10, opset_import: [\"\" : 18, \"ai.onnx.ml\" : %d]>\ng (float[N, %d] x) => (%sfloat[N, %d] y) {\n ",
            positioned ? 5 : 3, FC_FEATURES, n_classes ? "int64[N] l, " : "", f.n_results);
        ob__text_printf(&text, "%sy = ai.onnx.ml.%s<", n_classes ? "l, " : "",
                        positioned  ? "TreeEnsemble"
                        : n_classes ? "TreeEnsembleClassifier"
                                    : "TreeEnsembleRegressor");
        if (positioned)
            fc_positioned(&text, &f, "float");
        else
            fc_listed(&text, &f, n_classes > 0, false);
        if (n_classes) ob__text_printf(&text, ", classlabels_int64s: ints = [5, 3%s]", n_classes > 2 ? ", 9" : "");
        if (binary && i % 3 == 0) ob__text_printf(&text, ", base_values: floats = [0.125]");
        ob__text_printf(&text, ">(x)\n}\n");
        compare(text.data, &view);
    }
    ob__text_release(&text);
}

static void regressors_agree(void **state) {
    (void)state;
    forests(0, false);
}
static void ensembles_agree(void **state) {
    (void)state;
    forests(0, true);
}
static void classifiers_agree(void **state) {
    (void)state;
    forests(3, false);
}
static void one_score_of_two_classes(void **state) {
    (void)state;
    forests(2, false);
}

/* The text has matrices; of more axes, those behind the first are one row. */
static void features_of_any_rank(void **state) {
    (void)state;
    static const int64_t dims[3][4] = {{6}, {2, 2, 3}, {2, 1, 3, 2}};
    static const int rank[3] = {1, 3, 4}, width[3] = {6, 6, 6};
    for (int i = 0; i < 3; i++) {
        float x[12];
        char text[300], shape[40] = "";
        ob_view view;
        for (int k = 0; k < 12; k++) x[k] = (float)k / 4;
        for (int k = 0; k < rank[i]; k++)
            snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%d", k ? "," : "", (int)dims[i][k]);
        snprintf(text, sizeof text,
                 "<ir_version: 10, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 3]>\ng (float[%s] x) => (float[N,%d] y) {\n "
                 "y = ai.onnx.ml.FeatureVectorizer<inputdimensions: ints = [%d]>(x)\n}\n",
                 shape, width[i], width[i]);
        assert_int_equal(ob_view_init(&view, x, OB_FLOAT, rank[i], dims[i]), OB_OK);
        compare(text, &view);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(regressors_agree), cmocka_unit_test(ensembles_agree),
                                       cmocka_unit_test(classifiers_agree), cmocka_unit_test(one_score_of_two_classes),
                                       cmocka_unit_test(features_of_any_rank)};
    return cmocka_run_group_tests(tests, open_host, close_host);
}
