/** @defgroup view Tensor views
 * @brief A tensor as a pointer, a shape and byte strides. A broadcast operand is a view with stride 0; its elements are not
 * copied.
 *
 * Views are plain values and can be copied freely. All functions here are thread-safe as long as no two threads write the same
 * elements.
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

/** A tensor in memory that the view does not own. Entries of dims and strides beyond the rank are ignored. */
typedef struct ob_view {
    void *data; /**< borrows; address of element (0, ..., 0). May be NULL when a size is 0, because there are no elements then */
    ob_dtype dtype;               /**< element type; OB_NONE where a function allows an omitted operand */
    int32_t rank;                 /**< 0 .. OB_MAX_RANK; rank 0 has one element */
    int64_t dims[OB_MAX_RANK];    /**< sizes, 0 or more */
    int64_t strides[OB_MAX_RANK]; /**< strides in bytes along each axis; 0: broadcast, negative: a reversed slice */
} ob_view;

/** Makes a contiguous row-major view. dims may be NULL for rank 0, data may be NULL when a size is 0. Errors: E_ARGUMENT
 * (NULL, a negative rank or size, no element type), E_LIMIT (rank over OB_MAX_RANK, bytes over INT64_MAX). */
OB_API ob_status ob_view_init(ob_view *view, void *data, ob_dtype dtype, int32_t rank, const int64_t *dims);
/** Number of elements: the product of the dims, 1 for rank 0. ob_view_init() has checked that the product does not overflow. */
OB_API int64_t ob_view_count(const ob_view *view);
/** True when the elements are in row-major order without gaps. Axes of size 0 and 1 do not matter. */
OB_API bool ob_view_is_contiguous(const ob_view *view);

/** Broadcasts `from` to `dims`, aligned on the right: out has stride 0 along every stretched axis. Only `from` is stretched
 * (one way). out may point to the same view as `from`. Source: NumPy broadcast_to; array API, in-place operators.
 *
 * Errors: E_SHAPE (error->axis is the axis of the result; -1 when `from` has the higher rank), E_ARGUMENT (NULL, a negative
 * size), E_LIMIT (rank over OB_MAX_RANK, bytes over INT64_MAX). */
OB_API ob_status ob_view_broadcast(const ob_view *from, int32_t rank, const int64_t *dims, ob_view *out, ob_error *error);
/** XLA's BroadcastInDim as a view: axis i of `from` becomes axis broadcast_dimensions[i] of `dims`, by the rules of
 * ob_align_in_dim(). Then the sizes are stretched one way. Errors of ob_align_in_dim() and ob_view_broadcast(). */
OB_API ob_status ob_view_broadcast_in_dim(const ob_view *from, const int64_t *broadcast_dimensions, size_t n_dimensions,
                                          int32_t rank, const int64_t *dims, ob_view *out, ob_error *error);
/** Broadcasts n views of any types to their common shape and writes them to out[0 .. n - 1]. On failure none is written. Types
 * are kept; elements are not read. n 0 does nothing. out may be `from`. Source: SONNX, "Broadcast"; ONNX, multidirectional.
 * Errors: E_SHAPE with axis and both operands, E_ARGUMENT, E_LIMIT. */
OB_API ob_status ob_view_broadcast_all(const ob_view *from, size_t n, ob_view *out, ob_error *error);
/** x[...] = a: copies a into x, with a broadcast to the shape of x. x and a may be the same view; a partial overlap is
 * undefined. Strings are copied as references to their bytes. Source: array API, in-place operators. Errors: E_SHAPE (a does
 * not broadcast to the shape of x, which never changes), E_TYPE (the dtypes differ), E_ARGUMENT (NULL; x has stride 0 along an
 * axis larger than 1). */
OB_API ob_status ob_view_assign(const ob_view *x, const ob_view *a, ob_error *error);
/** The part of ob_view_assign() for elements first .. first + n - 1 of x in row-major order. With it several threads can share
 * a large copy: parts that do not overlap may be assigned at the same time and in any order, and all parts together give the
 * whole copy. x must be contiguous. x and a are the whole views in every call and must not overlap. n 0 only checks. Errors as
 * ob_view_assign(), and E_ARGUMENT when x has gaps or the elements are not in x. */
OB_API ob_status ob_view_assign_part(const ob_view *x, const ob_view *a, int64_t first, int64_t n, ob_error *error);

/* ---- N-operand iteration ---- */

/** The only loop type of the library: n >= 1 elements, with one pointer and one byte stride for each operand, inputs first,
 * outputs last. A stride may be 0 (a stretched input) or negative. An output pointer may be equal to an input pointer (in
 * place), but must not overlap an input partially. `parameters` comes from the caller of the iteration. */
typedef void (*ob_loop)(char *const *pointers, const int64_t *strides_bytes, int64_t n, const void *parameters);

/** Broadcasts n_inputs inputs against each other to the shape of the outputs, and calls `loop` in the calling thread. Each
 * call handles as many elements as the strides allow. When a size is 0, `loop` is not called. Every output must have exactly
 * the common shape.
 * - outputs: n_outputs views; with n_outputs 0 the shape is that of the inputs.
 * - parameters: passed to the loop; may be NULL.
 * - allocator: NULL for the default; used only for more than 16 operands, or when the number of operands times the number of
 *   axes is more than 128.
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
