/* For tests of operators from libraries: models as text, registries, the first finding, one run. */
#ifndef OB_TESTS_OPLIB_H
#define OB_TESTS_OPLIB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/onnx_broadcast.h"

/* False, with one message, in a build without dlopen: main then returns 77. */
static inline bool libraries_can_be_loaded(void) {
    ob_operators *operators = NULL;
    ob_error error;
    if (ob_operators_create(NULL, &operators) != OB_OK) return false;
    bool refused = ob_operators_load(operators, "any.so", &error) == OB_E_UNSUPPORTED;
    if (refused) printf("skipped: %s\n", error.message);
    ob_operators_close(&operators);
    return !refused;
}

#define LIBRARY_FILE(name) OB_BINARY_DIR "/tests/op_library/" name ".so"

static inline ob_operators *new_registry(void) {
    ob_operators *operators = NULL;
    assert_int_equal(ob_operators_create(NULL, &operators), OB_OK);
    return operators;
}

static inline ob_operators *registry_of_file(const char *path) {
    ob_operators *operators = new_registry();
    ob_error error;
    if (ob_operators_load(operators, path, &error) != OB_OK) fail_msg("%s", error.message);
    return operators;
}

static inline ob_model *model_of_text(const char *text, const ob_operators *operators) {
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, strlen(text), "test", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(ob_model_set_operators(model, operators), OB_OK);
    return model;
}

/* y = OPERATOR(x) of domain `domain`, x of one type and shape, such as "float[4] x". */
static inline ob_model *model_of_operator(const char *domain, const char *call, const char *inputs, const char *output,
                                          const ob_operators *operators) {
    char text[1000];
    snprintf(text, sizeof text, "<ir_version: 8, opset_import: [\"\" : 17, \"%s\" : 1]>\ng (%s) => (%s) {\n  [n] y = %s.%s\n}\n",
             domain, inputs, output, domain, call);
    return model_of_text(text, operators);
}

/* "OB0605 message" of the first finding that is an error; "" when there is none. */
static inline const char *first_error_of(ob_model *model, char *text, size_t n_bytes) {
    ob_report *report = NULL;
    ob_error error;
    *text = '\0';
    if (ob_check(model, NULL, &report, &error) != OB_OK) {
        snprintf(text, n_bytes, "%s", ob_status_text(error.code));
        return text;
    }
    for (size_t i = 0; i < ob_report_finding_count(report) && !*text; i++) {
        ob_finding_info finding;
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        if (finding.severity == OB_SEVERITY_ERROR) snprintf(text, n_bytes, "%s %s", finding.id, finding.message);
    }
    ob_report_close(&report);
    return text;
}

/* Makes a session and runs it once; returns the message of the failure, "": none. outputs: copied while the session exists. */
static inline ob_status run_once(const ob_model *model, const ob_view *inputs, size_t n_inputs, void *out, size_t n_bytes,
                                 ob_view *result, ob_error *error) {
    ob_session *session = NULL;
    ob_status status = ob_session_create(model, NULL, &session, error);
    if (status != OB_OK) return status;
    ob_view output = {0};
    status = ob_session_run(session, inputs, n_inputs, &output, 1, error);
    if (status == OB_OK) {
        size_t n = (size_t)ob_view_count(&output) * ob_dtype_size(output.dtype);
        assert_true(n <= n_bytes);
        if (n) memcpy(out, output.data, n);
        *result = output;
    }
    ob_session_close(&session);
    return status;
}

#endif
