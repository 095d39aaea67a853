/** @file
 * The caller-supplied allocator. */
#ifndef ONNX_BROADCAST_ALLOCATOR_H
#define ONNX_BROADCAST_ALLOCATOR_H

#include <stddef.h>

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Three functions and a context. Blocks are aligned for any object (at least 16 bytes).
 * - alloc:   n_bytes > 0; returns NULL on failure.
 * - realloc: grows or shrinks a block of old_bytes; on failure returns NULL and leaves the block as it was.
 * - free:    n_bytes is the size that was asked for; block may be NULL.
 * The functions must be safe for use from the threads that use the object created with them. */
typedef struct ob_allocator {
    void *(*alloc)(void *context, size_t n_bytes);
    void *(*realloc)(void *context, void *block, size_t old_bytes, size_t new_bytes);
    void (*free)(void *context, void *block, size_t n_bytes);
    void *context;
} ob_allocator;

/** malloc, realloc and free of the C library. Wherever a parameter `const ob_allocator *` is NULL, this one serves.
 * The library copies the struct; the context must outlive what was created with it. Thread-safe. */
OB_API const ob_allocator *ob_allocator_default(void);

#ifdef __cplusplus
}
#endif
#endif
