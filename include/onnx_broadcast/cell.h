/** @defgroup cell Cells
 * @brief Values of any type: a tensor, a sequence, a map, or nothing.
 *
 * A tensor needs only a view. Cells are the inputs and outputs of models with sequences, optionals or maps:
 * ob_session_run_cells(). A cell owns its elements. Sequences and maps share the cells that they contain. An optional is the cell
 * of its element, or a cell of kind OB_CELL_NONE.
 *
 *     ob_view view;
 *     ob_cell *items[2] = {NULL}, *sequence = NULL;
 *     ob_view_init(&view, data, OB_FLOAT, 1, (int64_t[]){3});
 *     if (ob_cell_tensor(&view, NULL, &items[0], &error) != OB_OK) ... // copies the elements
 *     ...
 *     if (ob_cell_sequence(OB_FLOAT, items, 2, NULL, &sequence, &error) != OB_OK) ...
 *     ob_cell_close(&items[0]); // the sequence keeps its own references
 *     ob_cell_close(&items[1]);
 *     ...
 *     ob_cell_close(&sequence);
 *
 * Threads: a cell never changes after it was created, and its reference count is atomic. Any number of threads may at the same
 * time read a cell, put it into sequences or run models with it. The allocator of the cell must be safe for use from the thread
 * that closes the last reference. The context of the allocator must outlive every cell created with it, including cells that
 * other cells contain.
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

/** The kind of a declared type. */
typedef enum ob_type_kind {
    OB_TYPE_UNKNOWN = 0,   /**< nothing is known */
    OB_TYPE_TENSOR,        /**< described by ob_type.dtype and ob_type.shape */
    OB_TYPE_SPARSE_TENSOR, /**< the same; sparse tensors cannot be run */
    OB_TYPE_SEQUENCE,      /**< its elements have type ob_type.element */
    OB_TYPE_OPTIONAL,      /**< its element has type ob_type.element and may be missing */
    OB_TYPE_MAP            /**< ob_type.dtype is the type of the keys, ob_type.element the type of the values */
} ob_type_kind;

/** The type of a value. Plain data, borrowed from the object that it describes. */
typedef struct ob_type {
    ob_type_kind kind;             /**< decides which of the members below are used */
    ob_dtype dtype;                /**< type of the elements of a tensor, or of the keys of a map; OB_NONE: unknown */
    ob_shape shape;                /**< shape of a tensor; else rank OB_RANK_UNKNOWN */
    const struct ob_type *element; /**< type of the elements of a sequence, optional or map; NULL: unknown */
} ob_type;

/* ---- Cells ---- */

/** The kind of a cell. */
typedef enum ob_cell_kind {
    OB_CELL_NONE,     /**< nothing: an optional without an element */
    OB_CELL_TENSOR,   /**< a tensor: ob_cell_view() */
    OB_CELL_SEQUENCE, /**< ob_cell_count() cells: ob_cell_at() */
    OB_CELL_MAP       /**< the same, with one key for each cell: ob_cell_keys() */
} ob_cell_kind;

/** A value of any type. Opaque. The functions below create cells; ob_cell_close() closes them. */
typedef struct ob_cell ob_cell;

/** Maximum nesting depth of sequences and maps. Deeper ones fail with E_LIMIT. */
#define OB_CELL_MAX_DEPTH 32

/** Creates an optional without an element. `allocator` NULL: the default. Returns owned. Errors: E_MEMORY, E_ARGUMENT (out is
 * NULL). */
OB_API ob_status ob_cell_none(const ob_allocator *allocator, ob_cell **out, ob_error *error);
/** Creates a tensor: copies the elements of the view (any strides), and the bytes of strings. Returns owned.
 * - view: borrows during the call; rank 0 .. OB_MAX_RANK; data may be NULL only when there are no elements.
 *
 * Errors: E_ARGUMENT (NULL, an invalid view), E_LIMIT (too many bytes), E_MEMORY. */
OB_API ob_status ob_cell_tensor(const ob_view *view, const ob_allocator *allocator, ob_cell **out, ob_error *error);
/** Creates a sequence of n cells. The sequence keeps its own references to the cells, so the caller closes its references.
 * Returns owned.
 * - dtype: element type of the tensors in the sequence, also for an empty sequence; OB_NONE: that of the first item.
 * - items: n cells, none of them NULL; may be NULL for n 0. Tensors of another type than dtype are an error.
 *
 * Errors: E_ARGUMENT (NULL), E_TYPE (items of different kinds or element types), E_LIMIT (OB_CELL_MAX_DEPTH), E_MEMORY. */
OB_API ob_status ob_cell_sequence(ob_dtype dtype, const ob_cell *const *items, size_t n, const ob_allocator *allocator,
                                  ob_cell **out, ob_error *error);
/** Creates a map from keys to n cells, in the given order. Returns owned.
 * - keys: n integers or strings, copied; duplicate keys are an error.
 * - items: as in ob_cell_sequence().
 *
 * Errors: E_ARGUMENT (NULL, keys that are not one axis of n elements, duplicate keys), E_TYPE (keys of another type, items of
 * different kinds or element types), E_LIMIT, E_MEMORY. */
OB_API ob_status ob_cell_map(const ob_view *keys, const ob_cell *const *items, size_t n, const ob_allocator *allocator,
                             ob_cell **out, ob_error *error);
/** Makes a deep copy of a cell. Use it to keep the result of a run after the next run. Returns owned. Errors: E_ARGUMENT
 * (NULL), E_MEMORY. */
OB_API ob_status ob_cell_copy(const ob_cell *cell, const ob_allocator *allocator, ob_cell **out, ob_error *error);
/** Releases a reference that a function returned as owned, and sets *cell to NULL. The last release frees the cell. NULL and
 * *NULL are allowed. */
OB_API void ob_cell_close(ob_cell **cell);

/** The kind of the cell; OB_CELL_NONE for NULL. */
OB_API ob_cell_kind ob_cell_get_kind(const ob_cell *cell);
/** The element type of a tensor, or of the tensors in a sequence or map. OB_NONE when it contains no tensor and no type was
 * given. */
OB_API ob_dtype ob_cell_get_dtype(const ob_cell *cell);
/** Gets the tensor as a contiguous view, valid as long as the cell. Its elements must not be written. Returns false and does
 * not change *out when the cell is not a tensor. */
OB_API bool ob_cell_view(const ob_cell *cell, ob_view *out);
/** Number of items of a sequence or map; 0 for any other cell. */
OB_API size_t ob_cell_count(const ob_cell *cell);
/** Item `index` of a sequence or map: borrowed, valid as long as the cell. NULL when `index` is out of range. */
OB_API const ob_cell *ob_cell_at(const ob_cell *cell, size_t index);
/** Gets the keys of a map as a view with one axis, in the order of its items, valid as long as the cell. Returns false and
 * does not change *out when the cell is not a map. */
OB_API bool ob_cell_keys(const ob_cell *cell, ob_view *out);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
