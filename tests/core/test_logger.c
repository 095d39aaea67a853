/* Messages of the library, their recipients, and that no text is made without a recipient. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/log.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "session_case.h"

typedef struct heard {
    char lines[40][512];
    ob_log_level levels[40];
    size_t n;
} heard;

static void listen(void *context, ob_log_level level, const char *message) {
    heard *h = context;
    assert_true(level > OB_LOG_OFF);
    assert_null(strchr(message, '\n'));
    if (h->n == 40) return;
    h->levels[h->n] = level;
    snprintf(h->lines[h->n++], sizeof h->lines[0], "%s", message);
}

static const char *line_with(const heard *h, const char *part) {
    for (size_t i = 0; i < h->n; i++)
        if (strstr(h->lines[i], part)) return h->lines[i];
    return NULL;
}

static const char text[] = "<ir_version: 8, opset_import: [\"\" : 13, \"local\" : 1]>\n"
                           "g (float[N,3] x) => (float[N,3] y) <float[3] b = {1, 2, 3}> { s = Add (x, b)  y = Relu (s) }\n";

static ob_model *load_with(const ob_logger *logger) {
    ob_load_options options;
    ob_model *model = NULL;
    ob_error error;
    ob_load_options_init(&options);
    assert_null(options.logger);
    options.logger = logger;
    if (ob_model_load_memory(text, sizeof text - 1, "g.onnx", &options, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

/* A model's logger gets messages about reading, checking, rewriting and sessions. */
static void test_of_a_model(void **state) {
    (void)state;
    static heard h;
    h.n = 0;
    ob_logger logger = {OB_LOG_DEBUG, listen, &h};
    ob_model *model = load_with(&logger);
    char want[200];
    snprintf(want, sizeof want, "g.onnx: read: %zu bytes, 2 nodes, opsets ai.onnx 13, local 1", sizeof text - 1);
    assert_int_equal(h.n, 1);
    assert_string_equal(h.lines[0], want);
    ob_report *report = NULL;
    assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
    ob_report_close(&report);
    assert_non_null(line_with(&h, "pass propagate: "));
    assert_null(line_with(&h, "pass lower_expand"));
    ob_model *copy = NULL;
    assert_int_equal(ob_model_clone(model, &copy, NULL), OB_OK);
    assert_int_equal(ob_rewrite(copy, OB_FORM_EXPAND, NULL, NULL, NULL), OB_OK);
    assert_non_null(line_with(&h, "pass lower_expand: "));
    ob_model_close(&copy);
    h.n = 0;
    float x[6] = {0};
    ob_session_config config;
    ob_session *session = NULL;
    ob_session_config_init(&config);
    config.max_plans = 1;
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    char processors[60];
    snprintf(processors, sizeof processors, ", 1 thread; the process may use %d processor", ob_machine_processors());
    const char *line = line_with(&h, "g.onnx: session: 2 nodes, kernels for ");
    assert_non_null(line);
    assert_non_null(strstr(line, processors));
    h.n = 0;
    ob_view in = view_of(x, OB_FLOAT, 2, 1, 3), out = {0};
    run_ok(session, &in, 1, &out, 1);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.levels[0], OB_LOG_INFO);
    assert_non_null(line_with(
        &h, "g.onnx: plan: 1 steps (0 in place, 0 dynamic), 0 views, 0 folded; 0 bytes of work memory, 64 of results; "));
    out.data = NULL;
    run_ok(session, &in, 1, &out, 1); /* nothing new, no message */
    assert_int_equal(h.n, 1);
    in = view_of(x, OB_FLOAT, 2, 2, 3);
    out.data = NULL;
    run_ok(session, &in, 1, &out, 1);
    assert_int_equal(h.n, 3);
    assert_non_null(line_with(&h, "g.onnx: a plan is forgotten: 1 are kept"));
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_of_a_session(void **state) {
    (void)state;
    static heard of_model, of_session;
    of_model.n = of_session.n = 0;
    ob_logger first = {OB_LOG_INFO, listen, &of_model}, second = {OB_LOG_INFO, listen, &of_session};
    ob_model *model = load_with(&first);
    ob_session_config config;
    ob_session *session = NULL;
    ob_session_config_init(&config);
    config.logger = &second;
    assert_int_equal(of_model.n, 1);
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    assert_int_equal(of_model.n, 1);
    assert_int_equal(of_session.n, 1);
    ob_session_close(&session);
    second.level = OB_LOG_OFF; /* no messages from this session */
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    assert_int_equal(of_session.n, 1);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* A misaligned weight is reported at the debug level only. */
static void test_copied_weights(void **state) {
    (void)state;
    static heard h;
    static _Alignas(8) char odd[40];
    h.n = 0;
    ob_logger logger = {OB_LOG_INFO, listen, &h};
    ob_model *model = scale_model();
    model->logger = logger;
    ob_tensor *weight = (ob_tensor *)(uintptr_t)model->graph->initializers[0]->data;
    memcpy(odd + 1, weight->data, 12);
    weight->data = odd + 1;
    ob_session *session = open_session(model, true);
    assert_string_equal(h.lines[0], "test.onnx: weights copied because they are not aligned in the file: 1 (12 bytes)");
    ob_session_close(&session);
    ob_model_close(&model);
}

static int touch(int *n) {
    return ++*n;
}

static void test_no_listener_no_text(void **state) {
    (void)state;
    static heard h;
    int n = 0;
    h.n = 0;
    ob_logger none = {0}, few = {OB_LOG_WARNING, listen, &h};
    OB_LOG(&none, OB_LOG_WARNING, "%d", touch(&n));
    OB_LOG(&few, OB_LOG_INFO, "%d", touch(&n));
    assert_int_equal(n, 0);
    OB_LOG(&few, OB_LOG_WARNING, "%d", touch(&n));
    assert_int_equal(n, 1);
    assert_string_equal(h.lines[0], "1");
    ob__log(&few, OB_LOG_WARNING, "%300d%300d", 1, 2); /* truncated, with its terminating zero */
    assert_int_equal(strlen(h.lines[1]), 511);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_a_model),
        cmocka_unit_test(test_of_a_session),
        cmocka_unit_test(test_copied_weights),
        cmocka_unit_test(test_no_listener_no_text),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
