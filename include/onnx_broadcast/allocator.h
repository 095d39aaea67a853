/** @defgroup allocator Memory
 * @brief The allocator that the caller supplies.
 *
 * Every object of the library takes its memory from the allocator that it was made with and gives all of it back when it is
 * closed. Only writing files (ob_model_save(), ob_tensor_file_write(), ob_npy_write()) uses malloc for its buffers.
 * @{ */
#ifndef ONNX_BROADCAST_ALLOCATOR_H
#define ONNX_BROADCAST_ALLOCATOR_H

#include <stddef.h>

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Three functions and a context. Blocks are aligned for any object (at least 16 bytes). The functions must be safe for use from
 * the threads that use the object created with them. All three must be set. */
typedef struct ob_allocator {
    /** A new block of n_bytes > 0, its contents undefined; NULL: there is none (the call that needed it fails with E_MEMORY). */
    void *(*alloc)(void *context, size_t n_bytes);
    /** Grows or shrinks a block of old_bytes to new_bytes > 0, keeping its contents; returns it, perhaps at another address.
     * NULL: there is no room, and the block is as it was. */
    void *(*realloc)(void *context, void *block, size_t old_bytes, size_t new_bytes);
    /** Gives a block back. n_bytes is the size that was asked for last; block may be NULL. */
    void (*free)(void *context, void *block, size_t n_bytes);
    void *context; /**< handed to the three functions; borrowed, must outlive every object made with the allocator */
} ob_allocator;

/** malloc, realloc and free of the C library: what serves wherever a parameter `const ob_allocator *` is NULL. Static, never
 * NULL; thread-safe. The library copies the struct of any allocator that it is given: only the context must live on. */
OB_API const ob_allocator *ob_allocator_default(void);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
