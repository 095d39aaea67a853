/** @defgroup cell Cells
 * @brief Values of any type: a tensor, a sequence, a map, or nothing.
 *
 * A view is all that a tensor needs. A cell is what a model with sequences, optionals or maps takes and gives beside it:
 * ob_session_run_cells(). It owns its elements, and sequences and maps share the cells that they hold. An optional is the
 * cell of its element, or a cell of kind OB_CELL_NONE.
 *
 *     ob_view view;
 *     ob_cell *items[2] = {NULL}, *sequence = NULL;
 *     ob_view_init(&view, data, OB_FLOAT, 1, (int64_t[]){3});
 *     if (ob_cell_tensor(&view, NULL, &items[0], &error) != OB_OK) ... // copies the elements
 *     ...
 *     if (ob_cell_sequence(OB_FLOAT, items, 2, NULL, &sequence, &error) != OB_OK) ...
 *     ob_cell_close(&items[0]); // the sequence has its own hold of them
 *     ob_cell_close(&items[1]);
 *     ...
 *     ob_cell_close(&sequence);
 *
 * Threads: a cell does not change once it is made, and counts its holders atomically. Any number of threads may read one, put it
 * into sequences or run models with it at once, where its allocator is safe for use from the threads that close it last. The
 * allocator's context must outlive every cell that was made with it, also those that others hold.
 * @{ */
#ifndef ONNX_BROADCAST_CELL_H
#define ONNX_BROADCAST_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

/** What a model declares a value to be. */
typedef enum ob_type_kind {
    OB_TYPE_UNKNOWN = 0,   /**< nothing is known */
    OB_TYPE_TENSOR,        /**< ob_type.dtype and ob_type.shape tell more */
    OB_TYPE_SPARSE_TENSOR, /**< the same; cannot be run */
    OB_TYPE_SEQUENCE,      /**< of ob_type.element */
    OB_TYPE_OPTIONAL,      /**< of ob_type.element, which may be missing */
    OB_TYPE_MAP            /**< ob_type.dtype is the keys', ob_type.element the values' type */
} ob_type_kind;

/** The type of a value: plain data, borrowed from what describes it. */
typedef struct ob_type {
    ob_type_kind kind;             /**< which of the members below mean something */
    ob_dtype dtype;                /**< of a tensor's elements; of a map's keys; OB_NONE: not known */
    ob_shape shape;                /**< of a tensor; rank OB_RANK_UNKNOWN otherwise */
    const struct ob_type *element; /**< of a sequence, optional or map; NULL: not known */
} ob_type;

/* ---- Cells ---- */

/** What a cell holds. */
typedef enum ob_cell_kind {
    OB_CELL_NONE,     /**< nothing: an optional without its element */
    OB_CELL_TENSOR,   /**< ob_cell_view() */
    OB_CELL_SEQUENCE, /**< ob_cell_count() cells, ob_cell_at() */
    OB_CELL_MAP       /**< the same, and a key for each, ob_cell_keys() */
} ob_cell_kind;

/** A value of any type. Opaque; made by the functions below, closed by ob_cell_close(). */
typedef struct ob_cell ob_cell;

/** Sequences and maps hold others to this depth; beyond it they are refused with E_LIMIT. */
#define OB_CELL_MAX_DEPTH 32

/** An optional without an element. `allocator` NULL: the default. Returns owned. Errors: E_MEMORY, E_ARGUMENT (out NULL). */
OB_API ob_status ob_cell_none(const ob_allocator *allocator, ob_cell **out, ob_error *error);
/** A tensor: a copy of the view's elements, any strides, and of the bytes of strings. Returns owned.
 * - view: borrows during the call; rank 0 .. OB_MAX_RANK, data NULL only where there is no element.
 *
 * Errors: E_ARGUMENT (NULL, not a usable view), E_LIMIT (too many bytes), E_MEMORY. */
OB_API ob_status ob_cell_tensor(const ob_view *view, const ob_allocator *allocator, ob_cell **out, ob_error *error);
/** A sequence of n cells, which it shares with whoever else holds them: the caller closes its own. Returns owned.
 * - dtype: of the elements of tensors in it, which tells what an empty sequence is of; OB_NONE: that of its first item.
 * - items: n cells, none of them NULL; may be NULL for n 0. Tensors of another type than dtype are refused.
 *
 * Errors: E_ARGUMENT (NULL), E_TYPE (items of different kinds or element types), E_LIMIT (OB_CELL_MAX_DEPTH), E_MEMORY. */
OB_API ob_status ob_cell_sequence(ob_dtype dtype, const ob_cell *const *items, size_t n, const ob_allocator *allocator,
                                  ob_cell **out, ob_error *error);
/** A map from keys to n cells, in the order that is given. Returns owned.
 * - keys: n integers or strings, copied; keys that occur twice are refused.
 * - items: as in ob_cell_sequence().
 *
 * Errors: E_ARGUMENT (NULL, keys that are not one axis of n elements, or occur twice), E_TYPE (keys of another type, items of
 * different kinds or element types), E_LIMIT, E_MEMORY. */
OB_API ob_status ob_cell_map(const ob_view *keys, const ob_cell *const *items, size_t n, const ob_allocator *allocator,
                             ob_cell **out, ob_error *error);
/** A copy that shares nothing with the cell: what keeps the result of a run beyond the next one. Returns owned. E_ARGUMENT
 * (NULL), E_MEMORY. */
OB_API ob_status ob_cell_copy(const ob_cell *cell, const ob_allocator *allocator, ob_cell **out, ob_error *error);
/** Gives the caller's hold of the cell up and sets *cell to NULL; the last one to do so frees it. For cells that a call returned
 * owned. NULL and *NULL are allowed. */
OB_API void ob_cell_close(ob_cell **cell);

/** What the cell holds; OB_CELL_NONE for NULL. */
OB_API ob_cell_kind ob_cell_get_kind(const ob_cell *cell);
/** The element type: of a tensor, or of the tensors in a sequence or map, OB_NONE when it holds none and was not told. */
OB_API ob_dtype ob_cell_get_dtype(const ob_cell *cell);
/** The tensor as a contiguous view, which lives as long as the cell; its elements must not be written to. False, and *out as it
 * was, when the cell is no tensor. */
OB_API bool ob_cell_view(const ob_cell *cell, ob_view *out);
/** Items of a sequence or map; 0 of anything else. */
OB_API size_t ob_cell_count(const ob_cell *cell);
/** Item `index` of a sequence or map: borrowed, lives as long as the cell. NULL when there is none. */
OB_API const ob_cell *ob_cell_at(const ob_cell *cell, size_t index);
/** The keys of a map, one axis, in the order of its items; lives as long as the cell. False, and *out as it was, when the cell is
 * no map. */
OB_API bool ob_cell_keys(const ob_cell *cell, ob_view *out);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
