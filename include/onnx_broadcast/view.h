/** @file
 * Tensor views: shape, byte strides and a pointer. A broadcast operand is a view with stride 0; nothing is copied. */
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

/** data borrows; it addresses element (0, ..., 0). strides are in bytes and may be 0 (broadcast) or negative (reversed slice).
 * A view with a size of 0 addresses nothing and its data may be NULL. rank 0 is one element. */
typedef struct ob_view {
    void *data;
    ob_dtype dtype;
    int32_t rank;
    int64_t dims[OB_MAX_RANK];
    int64_t strides[OB_MAX_RANK];
} ob_view;

/** A contiguous row-major view. E_ARGUMENT (NULL, negative size, dtype), E_LIMIT (rank, bytes over INT64_MAX). */
OB_API ob_status ob_view_init(ob_view *view, void *data, ob_dtype dtype, int32_t rank, const int64_t *dims);
/** Elements: the product of the dims, 1 for rank 0. The product was checked when the view was made. */
OB_API int64_t ob_view_count(const ob_view *view);
/** True when elements lie row-major without gaps (sizes of 0 and 1 do not count). */
OB_API bool ob_view_is_contiguous(const ob_view *view);

/** Right-aligned broadcast of `from` to `dims`: out has stride 0 along every stretched axis. One way, as NumPy broadcast_to and
 * the array API in-place rule. E_SHAPE with axis. out may be &from's own struct. */
OB_API ob_status ob_view_broadcast(const ob_view *from, int32_t rank, const int64_t *dims, ob_view *out, ob_error *error);
/** XLA BroadcastInDim as a view; rules of ob_align_in_dim, then one-way stretching to dims. */
OB_API ob_status ob_view_broadcast_in_dim(const ob_view *from, const int64_t *broadcast_dimensions, size_t n_dimensions,
                                          int32_t rank, const int64_t *dims, ob_view *out, ob_error *error);
/** SONNX/ONNX N-ary broadcast: n views of any types to their common shape. Types are kept, elements are not touched. */
OB_API ob_status ob_view_broadcast_all(const ob_view *from, size_t n, ob_view *out, ob_error *error);
/** Array API in-place assignment x[...] = a: copies a, broadcast to x's shape, into x. Same dtype. E_SHAPE when a does not
 * broadcast to x's shape (x never changes its shape), E_TYPE. x must not have stride 0 along an axis larger than 1 (E_ARGUMENT).
 * The two may be the same view; a partial overlap is undefined. */
OB_API ob_status ob_view_assign(const ob_view *x, const ob_view *a, ob_error *error);

/* ---- N-operand iteration -------------------------------------------------------------------------------------- */

/** The one loop type of the library: n elements, one pointer and one byte stride per operand, inputs first, outputs last. An
 * output pointer may equal an input pointer exactly (in place), never overlap it partially. */
typedef void (*ob_loop)(char *const *pointers, const int64_t *strides_bytes, int64_t n, const void *parameters);

/** Broadcasts n_inputs inputs against each other to the outputs' shape and calls `loop` over runs as long as the strides allow.
 * Every output must have exactly the common shape (E_SHAPE otherwise). At most 4096 operands. Allocates nothing for up to 16
 * operands; `allocator` NULL: the default. */
OB_API ob_status ob_for_each(const ob_view *inputs, size_t n_inputs, const ob_view *outputs, size_t n_outputs, ob_loop loop,
                             const void *parameters, const ob_allocator *allocator, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
