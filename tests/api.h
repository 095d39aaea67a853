/* Shared by the test_api_*.c. They use the public headers only, like a host program. */
#ifndef OB_TESTS_API_H
#define OB_TESTS_API_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/onnx_broadcast.h"

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static inline ob_model *model_of(const char *text) {
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, strlen(text), "text", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

/* n_dims sizes for symbols. */
static inline ob_session *session_of(const ob_model *model, const ob_named_size *dims, size_t n_dims) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.dims = dims;
    config.n_dims = n_dims;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    return session;
}

static inline ob_view floats(float *data, int32_t rank, const int64_t *dims) {
    ob_view view;
    assert_int_equal(ob_view_init(&view, data, OB_FLOAT, rank, dims), OB_OK);
    return view;
}

#endif
