/* The forms in which conformance and ort/equality run every test: rewritten, written to bytes and read back, like the command
 * with -o. */
#ifndef OB_TESTS_VARIANTS_H
#define OB_TESTS_VARIANTS_H

#include <stdlib.h>
#include <string.h>

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct byte_buffer {
    char *data;
    size_t n, capacity;
} byte_buffer;

static inline ob_status append_bytes(void *context, const void *bytes, size_t n) {
    byte_buffer *buffer = context;
    if (buffer->n + n > buffer->capacity) {
        size_t capacity = (buffer->n + n) * 2;
        char *grown = realloc(buffer->data, capacity);
        if (!grown) return OB_E_MEMORY;
        buffer->data = grown;
        buffer->capacity = capacity;
    }
    if (n) memcpy(buffer->data + buffer->n, bytes, n);
    buffer->n += n;
    return OB_OK;
}

/* The same for a form, or with `target` for that deployment target. */
static inline ob_status make_variant_for(const ob_model *model, ob_form form, const char *target, byte_buffer *buffer,
                                         ob_model **out, ob_error *error) {
    ob_model *copy = NULL;
    ob_status status = ob_model_clone(model, &copy, error);
    if (status == OB_OK && target)
        status = ob_rewrite_for_target(copy, target, NULL, NULL, error);
    else if (status == OB_OK)
        status = ob_rewrite(copy, form, NULL, NULL, error);
    if (status == OB_OK) status = ob_model_write(copy, OB_FORMAT_PROTOBUF, append_bytes, buffer, error);
    ob_model_close(&copy);
    if (status == OB_OK) status = ob_model_load_memory(buffer->data, buffer->n, ob_model_path(model), NULL, out, error);
    return status;
}

/* Rewrites a copy of `model`; the result borrows from *buffer, which the caller frees after closing it. */
static inline ob_status make_variant(const ob_model *model, ob_form form, byte_buffer *buffer, ob_model **out, ob_error *error) {
    return make_variant_for(model, form, NULL, buffer, out, error);
}

#endif
