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

/** One buffer of the caller's that an allocator gives out, and how much of it is in use. Filled by ob_fixed_allocator(); the
 * first four members are for reading, the others are the allocator's own. */
typedef struct ob_fixed_memory {
    void *buffer;    /**< the caller's; must live as long as anything that was made with the allocator */
    size_t n_bytes;  /**< of the buffer */
    size_t used;     /**< bytes of blocks that are out, 16 more than was asked for each and rounded up to 16 */
    size_t peak;     /**< the most that `used` has been; may be set back */
    void *first;     /**< internal: the first block */
    size_t capacity; /**< internal: bytes of all blocks */
} ob_fixed_memory;

/** An allocator over one buffer, for programs without a heap: a model can be loaded from memory and run with it and nothing of
 * the library calls malloc. Blocks are aligned to 16 bytes; the first gap that is large enough serves, gaps that meet become one.
 * Time is linear in the number of blocks. NULL when there is no room. Not thread-safe: for what one thread uses.
 * - memory: filled in; becomes the allocator's context, so it must stay where it is.
 * - buffer: n_bytes, any alignment; NULL or too few bytes: every allocation fails. */
OB_API ob_allocator ob_fixed_allocator(ob_fixed_memory *memory, void *buffer, size_t n_bytes);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
