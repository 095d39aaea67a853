/* A sink that collects the output of a writer. */
#ifndef OB_TESTS_BYTES_H
#define OB_TESTS_BYTES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/status.h"

/* data is the caller's to free. */
typedef struct bytes {
    uint8_t *data;
    size_t n, capacity;
} bytes;

static inline ob_status collect(void *context, const void *data, size_t n) {
    bytes *b = context;
    if (b->n + n > b->capacity) {
        b->capacity = (b->n + n) * 2;
        b->data = realloc(b->data, b->capacity);
        assert_non_null(b->data);
    }
    memcpy(b->data + b->n, data, n);
    b->n += n;
    return OB_OK;
}

#endif
