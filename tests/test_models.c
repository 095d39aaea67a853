/* The sample models of models/: their results in every form, and their findings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/check.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/rewrite.h"
#include "onnx_broadcast/session.h"
#include "onnx_broadcast/tensor_file.h"

#define MODELS OB_SOURCE_DIR "/models/"
#define OK(call)                                                                                                                 \
    do {                                                                                                                         \
        ob_error_clear(&error);                                                                                                  \
        if ((call) != OB_OK) fail_msg("%s: %s", #call, error.message);                                                           \
    } while (0)

enum { MAX_VALUES = 4 };

static ob_model *load(const char *name) {
    ob_error error;
    ob_model *model = NULL;
    char path[1024];
    snprintf(path, sizeof path, MODELS "%s.onnx", name);
    OK(ob_model_load(path, NULL, &model, &error));
    return model;
}

static ob_file_tensor read_tensor(const char *path) {
    ob_error error;
    ob_file_tensor tensor = {0};
    char full[1024];
    snprintf(full, sizeof full, MODELS "%s", path);
    OK(ob_tensor_file_read(full, NULL, &tensor, &error));
    return tensor;
}

static size_t byte_count(const ob_view *view) {
    return (size_t)ob_view_count(view) * ob_dtype_size(view->dtype);
}

static void assert_same_bits(const ob_view *a, const ob_view *b) {
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->rank, b->rank);
    for (int32_t i = 0; i < a->rank; i++) assert_int_equal(a->dims[i], b->dims[i]);
    assert_memory_equal(a->data, b->data, byte_count(a));
}

static void assert_close(const ob_view *result, const ob_view *expected, float tolerance) {
    assert_int_equal(result->dtype, OB_FLOAT);
    assert_int_equal(expected->dtype, OB_FLOAT);
    assert_int_equal(result->rank, expected->rank);
    for (int32_t i = 0; i < result->rank; i++) assert_int_equal(result->dims[i], expected->dims[i]);
    const float *a = result->data, *b = expected->data;
    for (int64_t i = 0; i < ob_view_count(result); i++)
        if (!(fabsf(a[i] - b[i]) <= tolerance)) fail_msg("element %d: %g, expected %g", (int)i, (double)a[i], (double)b[i]);
}

/* Runs the model unchanged and in every form; all results must have the same bits. The first `n_outputs` results of the plain
 * run are handed to `look`. */
static void run_in_every_form(const char *name, const ob_view *inputs, size_t n_inputs, size_t n_outputs,
                              void (*look)(void *context, const ob_view *outputs), void *context) {
    ob_error error;
    assert_true(n_outputs <= MAX_VALUES);
    ob_model *plain_model = load(name);
    ob_session *plain = NULL;
    ob_view plain_outputs[MAX_VALUES] = {{0}};
    OK(ob_session_create(plain_model, NULL, &plain, &error));
    assert_int_equal(ob_session_output_count(plain), n_outputs);
    OK(ob_session_run(plain, inputs, n_inputs, plain_outputs, n_outputs, &error));
    look(context, plain_outputs);
    for (int form = 0; form < OB_FORM_COUNT; form++) {
        ob_model *model = load(name);
        ob_session *session = NULL;
        ob_view outputs[MAX_VALUES] = {{0}};
        ob_rewrite_stats stats = {0};
        ob_status status = ob_rewrite(model, (ob_form)form, NULL, &stats, &error);
        /* Functions need Expand, which opset 6 does not have. */
        if (status == OB_E_UNSUPPORTED && form == OB_FORM_FUNCTION && ob_model_opset_at(model, 0).version < 8) {
            ob_model_close(&model);
            continue;
        }
        if (status != OB_OK) fail_msg("%s as %s: %s", name, ob_form_name((ob_form)form), error.message);
        if (form != OB_FORM_IMPLICIT) assert_true(stats.n_inserted > 0);
        assert_int_equal(stats.n_left, 0);
        OK(ob_session_create(model, NULL, &session, &error));
        OK(ob_session_run(session, inputs, n_inputs, outputs, n_outputs, &error));
        for (size_t i = 0; i < n_outputs; i++) assert_same_bits(&plain_outputs[i], &outputs[i]);
        ob_session_close(&session);
        ob_model_close(&model);
    }
    ob_session_close(&plain);
    ob_model_close(&plain_model);
}

/* ---- The classifier ---- */

enum { TEST_IMAGES = 360, RIGHT = 357 }; /* as models/README.md states */

static void count_right(void *context, const ob_view *outputs) {
    const ob_view *labels = context;
    assert_int_equal(outputs[1].dtype, OB_INT64);
    assert_int_equal(labels->dtype, OB_INT64);
    assert_int_equal(ob_view_count(&outputs[1]), TEST_IMAGES);
    assert_int_equal(ob_view_count(labels), TEST_IMAGES);
    const int64_t *digits = outputs[1].data, *truth = labels->data;
    int right = 0;
    for (int i = 0; i < TEST_IMAGES; i++) right += digits[i] == truth[i];
    print_message("digits: %d of %d right\n", right, TEST_IMAGES);
    assert_true(right >= RIGHT);
    const float *probabilities = outputs[0].data;
    for (int i = 0; i < TEST_IMAGES; i++) {
        float sum = 0;
        for (int j = 0; j < 10; j++) sum += probabilities[i * 10 + j];
        assert_true(fabsf(sum - 1) < 1e-5f);
    }
}

static void digits_are_recognised(void **state) {
    (void)state;
    ob_file_tensor images = read_tensor("digits_test/input_0.pb"), labels = read_tensor("digits_test/labels.pb");
    run_in_every_form("digits", &images.view, 1, 2, count_right, &labels.view);
    ob_file_tensor_release(&images);
    ob_file_tensor_release(&labels);
}

static void look_away(void *context, const ob_view *outputs) {
    (void)context;
    (void)outputs;
}

static void a_batch_may_be_one_or_none(void **state) {
    (void)state;
    ob_file_tensor images = read_tensor("digits_test/input_0.pb");
    for (int64_t n = 0; n <= 1; n++) {
        images.view.dims[0] = n;
        run_in_every_form("digits", &images.view, 1, 2, look_away, NULL);
    }
    ob_file_tensor_release(&images);
}

/* ---- Models with test sets ---- */

typedef struct test_set {
    ob_view expected;
    float tolerance;
} test_set;

static void compare(void *context, const ob_view *outputs) {
    const test_set *set = context;
    assert_close(&outputs[0], &set->expected, set->tolerance);
}

static void check_test_set(const char *name, int index, size_t n_inputs, float tolerance) {
    ob_file_tensor inputs[MAX_VALUES] = {{0}};
    ob_view views[MAX_VALUES] = {{0}};
    char path[256];
    for (size_t i = 0; i < n_inputs; i++) {
        snprintf(path, sizeof path, "%s_test/test_data_set_%d/input_%d.pb", name, index, (int)i);
        inputs[i] = read_tensor(path);
        views[i] = inputs[i].view;
    }
    snprintf(path, sizeof path, "%s_test/test_data_set_%d/output_0.pb", name, index);
    ob_file_tensor expected = read_tensor(path);
    test_set set = {expected.view, tolerance};
    run_in_every_form(name, views, n_inputs, 1, compare, &set);
    for (size_t i = 0; i < n_inputs; i++) ob_file_tensor_release(&inputs[i]);
    ob_file_tensor_release(&expected);
}

static void attention_agrees_with_numpy(void **state) {
    (void)state;
    check_test_set("attention", 0, 2, 1e-5f);
    check_test_set("attention", 1, 2, 1e-5f);
}

static void scale_and_bias_agree_with_numpy(void **state) {
    (void)state;
    check_test_set("scale_bias_nchw", 0, 1, 0);
}

static void legacy_axis_agrees_with_numpy(void **state) {
    (void)state;
    check_test_set("legacy_axis", 0, 1, 0);
}

/* ---- Findings ---- */

/* Checks the model; asserts the count of errors and that each expected finding (id, node) is there. */
static void check_findings(const char *name, size_t n_errors, size_t n, const char *const expected[][2]) {
    ob_error error;
    ob_model *model = load(name);
    ob_report *report = NULL;
    OK(ob_check(model, NULL, &report, &error));
    ob_report_summary summary = ob_report_get_summary(report);
    assert_int_equal(summary.n_errors, n_errors);
    assert_true(summary.n_broadcasts > 0 || n_errors > 0);
    for (size_t e = 0; e < n; e++) {
        bool found = false;
        for (size_t i = 0; i < ob_report_finding_count(report); i++) {
            ob_finding_info finding;
            OK(ob_report_finding(report, i, &finding));
            found = found || (strcmp(finding.id, expected[e][0]) == 0 && strcmp(finding.node, expected[e][1]) == 0);
        }
        if (!found) fail_msg("%s: no finding %s for node %s", name, expected[e][0], expected[e][1]);
    }
    ob_report_close(&report);
    ob_model_close(&model);
}

static void sound_models_have_no_errors(void **state) {
    (void)state;
    check_findings("digits", 0, 0, NULL);
    check_findings("attention", 0, 0, NULL);
    check_findings("scale_bias_nchw", 0, 0, NULL);
    check_findings("legacy_axis", 0, 0, NULL);
}

static void the_wrong_model_is_refuted(void **state) {
    (void)state;
    const char *const expected[][2] = {{"OB0101", "Add_0"}, {"OB0102", "PRelu_1"}, {"OB0102", "Gemm_2"}};
    check_findings("wrong", 3, 3, expected);
}

static void the_accident_is_noticed(void **state) {
    (void)state;
    const char *const expected[][2] = {{"OB0401", "difference"}};
    check_findings("accidental", 0, 1, expected);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_recognised),         cmocka_unit_test(a_batch_may_be_one_or_none),
        cmocka_unit_test(attention_agrees_with_numpy),   cmocka_unit_test(scale_and_bias_agree_with_numpy),
        cmocka_unit_test(legacy_axis_agrees_with_numpy), cmocka_unit_test(sound_models_have_no_errors),
        cmocka_unit_test(the_wrong_model_is_refuted),    cmocka_unit_test(the_accident_is_noticed),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
