/** @defgroup view Tensor views
 * @brief Shape, byte strides and a pointer. A broadcast operand is a view with stride 0; nothing is copied.
 *
 * Views are plain values: copy them freely. All functions here are thread-safe where no two threads write the same elements.
 * @{ */
#ifndef ONNX_BROADCAST_VIEW_H
#define ONNX_BROADCAST_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A tensor in memory that somebody else owns. Entries of dims and strides beyond the rank are not looked at. */
typedef struct ob_view {
    void *data;                /**< borrows; addresses element (0, ..., 0). May be NULL when a size is 0: there is no element */
    ob_dtype dtype;            /**< of the elements; OB_NONE where a function allows an operand that is left out */
    int32_t rank;              /**< 0 .. OB_MAX_RANK; 0 is one element */
    int64_t dims[OB_MAX_RANK]; /**< sizes, 0 or more */
    int64_t strides[OB_MAX_RANK]; /**< in bytes, along each axis; 0: broadcast, negative: a reversed slice */
} ob_view;

/** Makes a contiguous row-major view. dims may be NULL for rank 0, data when a size is 0. Errors: E_ARGUMENT (NULL, a negative
 * rank or size, no element type), E_LIMIT (rank over OB_MAX_RANK, bytes over INT64_MAX). */
OB_API ob_status ob_view_init(ob_view *view, void *data, ob_dtype dtype, int32_t rank, const int64_t *dims);
/** Elements: the product of the dims, 1 for rank 0. The product was checked when the view was made. */
OB_API int64_t ob_view_count(const ob_view *view);
/** True when elements lie row-major without gaps (sizes of 0 and 1 do not count). */
OB_API bool ob_view_is_contiguous(const ob_view *view);

/** Right-aligned broadcast of `from` to `dims`: out has stride 0 along every stretched axis. One way. out may be &from's own
 * struct. Source: NumPy broadcast_to; array API, in-place operators.
 * Errors: E_SHAPE (with error->axis of the result; -1 when from has the higher rank), E_ARGUMENT (NULL, a negative size), E_LIMIT
 * (rank over OB_MAX_RANK, bytes over INT64_MAX). */
OB_API ob_status ob_view_broadcast(const ob_view *from, int32_t rank, const int64_t *dims, ob_view *out, ob_error *error);
/** XLA's BroadcastInDim as a view: axis i of `from` becomes axis broadcast_dimensions[i] of `dims`, by the rules of
 * ob_align_in_dim(); then one-way stretching. Errors of ob_align_in_dim() and ob_view_broadcast(). */
OB_API ob_status ob_view_broadcast_in_dim(const ob_view *from, const int64_t *broadcast_dimensions, size_t n_dimensions,
                                          int32_t rank, const int64_t *dims, ob_view *out, ob_error *error);
/** Broadcasts n views of any types to their common shape, written to out[0 .. n - 1], all or none. Types are kept, elements are
 * not touched. n 0 does nothing. out may be `from`. Source: SONNX, "Broadcast"; ONNX, multidirectional. Errors: E_SHAPE with axis
 * and both operands, E_ARGUMENT, E_LIMIT. */
OB_API ob_status ob_view_broadcast_all(const ob_view *from, size_t n, ob_view *out, ob_error *error);
/** x[...] = a: copies a, broadcast to x's shape, into x. The two may be the same view; a partial overlap is undefined. Strings
 * are copied as references to their bytes. Source: array API, in-place operators. Errors: E_SHAPE (a does not broadcast to x's
 * shape, which never changes), E_TYPE (dtypes differ), E_ARGUMENT (NULL; x has stride 0 along an axis larger than 1). */
OB_API ob_status ob_view_assign(const ob_view *x, const ob_view *a, ob_error *error);
/** The part of ob_view_assign that concerns elements first .. first + n - 1 of x in row-major order, for threads that share a
 * large copy: parts that do not overlap may be assigned at once, in any order, and all of them together are the whole. x must be
 * contiguous; x and a are the whole views in every call and must not overlap. n 0 only checks. Errors as ob_view_assign, and
 * E_ARGUMENT for an x with gaps and for elements that are not in x. */
OB_API ob_status ob_view_assign_part(const ob_view *x, const ob_view *a, int64_t first, int64_t n, ob_error *error);

/* ---- N-operand iteration ---- */

/** The one loop type of the library: n >= 1 elements, one pointer and one byte stride per operand, inputs first, outputs last. A
 * stride may be 0 (a stretched input) or negative. An output pointer may equal an input pointer exactly (in place), never overlap
 * it partially. `parameters` is what the caller of the iteration gave. */
typedef void (*ob_loop)(char *const *pointers, const int64_t *strides_bytes, int64_t n, const void *parameters);

/** Broadcasts n_inputs inputs against each other to the outputs' shape and calls `loop` over runs as long as the strides allow,
 * in the calling thread; not at all when a size is 0. Every output must have exactly the common shape.
 * - outputs: n_outputs views; 0 is allowed: the shape is then that of the inputs.
 * - parameters: handed to the loop; may be NULL.
 * - allocator: NULL for the default; used where there are more than 16 operands, or the operands times the axes are more than
 *   128.
 *
 * Errors: E_SHAPE (with axis; operands that do not broadcast, an output of another shape), E_ARGUMENT (NULL, a negative size,
 * more than 4096 operands), E_LIMIT (rank over OB_MAX_RANK, elements over INT64_MAX), E_MEMORY. */
OB_API ob_status ob_for_each(const ob_view *inputs, size_t n_inputs, const ob_view *outputs, size_t n_outputs, ob_loop loop,
                             const void *parameters, const ob_allocator *allocator, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
