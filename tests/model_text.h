/* Models as text: reading, checking, writing. Every function fails the test on an error. */
#ifndef OB_TESTS_MODEL_TEXT_H
#define OB_TESTS_MODEL_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "onnx_broadcast/onnx_broadcast.h"

static inline ob_model *read_model(const void *bytes, size_t n, ob_model_format format, const ob_allocator *allocator) {
    ob_load_options options;
    ob_model *model = NULL;
    ob_error error;
    ob_error_clear(&error);
    ob_load_options_init(&options);
    options.format = format;
    options.allocator = allocator;
    if (ob_model_load_memory(bytes, n, "test", &options, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

static inline ob_model *read_text(const char *text) {
    return read_model(text, strlen(text), OB_FORMAT_TEXT, NULL);
}

static inline ob_report *check_model(ob_model *model) {
    ob_report *report = NULL;
    ob_error error;
    ob_error_clear(&error);
    if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("%s", error.message);
    return report;
}

static inline ob_status append_to_text(void *text, const void *bytes, size_t n) {
    ob__text_append(text, bytes, n);
    return ((ob_text *)text)->failed ? OB_E_MEMORY : OB_OK;
}

/* Replaces `text` by the model's bytes or text. */
static inline void write_model(const ob_model *model, ob_model_format format, ob_text *text) {
    ob_error error;
    ob_error_clear(&error);
    text->n = 0;
    if (ob_model_write(model, format, append_to_text, text, &error) != OB_OK) fail_msg("%s", error.message);
}

/* "[N, 3, ?]", "[...]" for an unknown rank. */
static inline void write_shape(const ob_dims *dims, const ob_shape *shape, char text[400]) {
    strcpy(text, shape->rank < 0 ? "[..." : "[");
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        char size[64];
        ob_dim_format(dims, shape->dims[axis], size, sizeof size);
        if (strlen(text) + strlen(size) + 4 > 400) fail_msg("a shape of more than 400 bytes");
        if (axis) strcat(text, ", ");
        strcat(text, size[0] == '?' ? "?" : size);
    }
    strcat(text, "]");
}

#endif
