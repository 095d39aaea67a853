/* The inside of cells: counted values of any type (onnx_broadcast/cell.h). A cell changes only while it has one holder; a
 * shared one is copied first. */
#ifndef OB_CORE_GRAPH_CELL_H
#define OB_CORE_GRAPH_CELL_H

#include <stdatomic.h>

#include "core/base/pace.h"
#include "onnx_broadcast/cell.h"

enum { OB_CELL_ALIGNMENT = 64 };

struct ob_cell {
    atomic_uint refs;
    ob_cell_kind kind;
    ob_dtype dtype; /* of the elements of a tensor, or of the tensors in a sequence or map; OB_NONE: not known */
    uint32_t depth; /* nesting of sequences and maps; 0 for other cells */
    ob_allocator allocator;
    size_t n_bytes; /* of the block that begins with this struct */
    /* A tensor: its elements, contiguous, in the same block, as are the bytes of strings. */
    char *data;
    int32_t rank;
    /* A sequence or map: */
    size_t n, capacity;
    ob_cell **items;
    ob_cell *keys;  /* of a map: a tensor */
    int64_t dims[]; /* of a tensor */
};

/* A tensor whose elements the caller writes (strings point to bytes elsewhere that live as long). Errors: E_LIMIT, E_MEMORY. */
ob_status ob__cell_new_tensor(ob_dtype dtype, int32_t rank, const int64_t *dims, const ob_allocator *allocator, ob_cell **out,
                              ob_error *error);
/* As ob_cell_tensor; asks `pace` while it copies (not for strings). If it must stop, the elements of the cell are not set. */
ob_status ob__cell_copy(const ob_view *view, const ob_allocator *allocator, ob_cell **out, obk_pace *pace, ob_error *error);
/* An empty sequence or map with room for `capacity` items. E_MEMORY. */
ob_status ob__cell_new_list(ob_cell_kind kind, ob_dtype dtype, size_t capacity, const ob_allocator *allocator, ob_cell **out,
                            ob_error *error);
/* Adds a holder and returns the cell. */
static inline ob_cell *ob__cell_hold(const ob_cell *cell) {
    ob_cell *held = (ob_cell *)(uintptr_t)cell;
    if (held) atomic_fetch_add_explicit(&held->refs, 1, memory_order_relaxed);
    return held;
}
/* True if the caller is the only holder. A change is then visible to no other holder. */
static inline bool ob__cell_is_own(const ob_cell *cell) {
    return atomic_load_explicit(&cell->refs, memory_order_acquire) == 1;
}
/* Changes of a list. *list is the caller's hold. A list with other holders is replaced by a copy of its array. */
/* Inserts the item before position `at` (at most n). The list takes over one hold of the item, also on failure. */
ob_status ob__cell_insert(ob_cell **list, size_t at, ob_cell *item, ob_error *error);
ob_status ob__cell_erase(ob_cell **list, size_t at, ob_error *error);

#endif
