/** @defgroup allocator Memory
 * @brief Allocators that the caller provides.
 *
 * Every object of the library allocates from the allocator that it was created with, and frees all of this memory when it is
 * closed. There are two exceptions: functions that write files (ob_model_save(), ob_tensor_file_write(), ob_npy_write()) use
 * malloc for their buffers, and ob_tensor_set_read() lets zlib use it while it unpacks.
 * @{ */
#ifndef ONNX_BROADCAST_ALLOCATOR_H
#define ONNX_BROADCAST_ALLOCATOR_H

#include <stddef.h>

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Three functions and a context; all three functions must be set. Blocks are aligned for any object (at least 16 bytes). The
 * functions must be safe for use from all threads that use an object created with them. */
typedef struct ob_allocator {
    /** Allocates a block of n_bytes > 0 with undefined contents. NULL: out of memory; the library function then fails with
     * E_MEMORY. */
    void *(*alloc)(void *context, size_t n_bytes);
    /** Resizes a block of old_bytes to new_bytes > 0, keeps its contents and returns it, possibly at another address. NULL:
     * out of memory; the old block is then unchanged. */
    void *(*realloc)(void *context, void *block, size_t old_bytes, size_t new_bytes);
    /** Frees a block. n_bytes is the last requested size; block may be NULL. */
    void (*free)(void *context, void *block, size_t n_bytes);
    void *context; /**< passed to the three functions; borrowed, must outlive every object created with the allocator */
} ob_allocator;

/** The default allocator: malloc, realloc and free of the C library. It is used where a parameter `const ob_allocator *` is
 * NULL. Static, never NULL; thread-safe. The library copies the struct of every allocator that it receives, so only the
 * context must stay valid. */
OB_API const ob_allocator *ob_allocator_default(void);

/** One buffer of the caller for an allocator, and its current use. Set by ob_fixed_allocator(). The caller may read the first
 * six members; the others are internal. */
typedef struct ob_fixed_memory {
    void *buffer;   /**< the buffer of the caller; must stay valid as long as any object created with the allocator */
    size_t n_bytes; /**< size of the buffer */
    size_t used;    /**< bytes in use: for each block the requested size plus 16, rounded up to a multiple of 16 */
    size_t peak;    /**< maximum of `used` so far; the caller may reset it */
    /** Bytes from the beginning of the buffer to the end of the furthest block so far, gaps included. A buffer of this size, and
     * of the same alignment, serves the same calls. */
    size_t reached;
    size_t refused;  /**< bytes of the last request for which no gap was large enough; 0: none yet */
    void *first;     /**< internal: the first block */
    size_t capacity; /**< internal: bytes of all blocks */
} ob_fixed_memory;

/** Makes an allocator over one buffer, for programs without a heap. With it a program can load a model from memory and run it,
 * and the library never calls malloc. Blocks are aligned to 16 bytes. The allocator uses the first gap that is large enough
 * and joins adjacent gaps. Its time is linear in the number of blocks. It returns NULL when no gap is large enough. Not
 * thread-safe: use it only for objects of one thread.
 * ob_session_memory_bytes() tells how large the buffer of a session has to be.
 * - memory: is initialised here and becomes the context of the allocator, so it must not move.
 * - buffer: n_bytes, any alignment; with NULL or too few bytes, every allocation fails. */
OB_API ob_allocator ob_fixed_allocator(ob_fixed_memory *memory, void *buffer, size_t n_bytes);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
