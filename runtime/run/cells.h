/* Values of a run that are not tensors: their cells, holders and lifetimes. For runtime/ only. */
#ifndef OB_RUNTIME_CELLS_H
#define OB_RUNTIME_CELLS_H

#include "core/graph/cell.h"
#include "ops/kernel/cells.h"
#include "runtime/session.h"

/* True if the declared type may be something other than a tensor, so that only a cell can hold the value. */
static inline bool ob__is_cell_type(const ob_type *type) {
    return type->kind == OB_TYPE_SEQUENCE || type->kind == OB_TYPE_OPTIONAL || type->kind == OB_TYPE_MAP;
}
/* Tests that the cell given for input i has its declared type; declared symbols are not tested. E_TYPE, E_SHAPE. */
ob_status ob__check_input_cell(const ob_session *session, uint32_t i, const ob_cell *cell, ob_error *error);
/* The type of the cell's value, for shape rules, without the sizes of its elements. `declared` (may be NULL) tells whether it
 * is an optional, which the cell does not. E_MEMORY. */
ob_status ob__type_of_cell(const ob_cell *cell, const ob_type *declared, ob_arena *arena, ob_type *out);
/* Bytes of all elements in it; saturates. */
uint64_t ob__cell_bytes(const ob_cell *cell);

/* Operands of a node that are cells, each with one more hold. If the node is the last reader of a value, the frame passes its
 * own hold, so that a sequence without other holders can grow in place. n_inputs entries, NULL for tensors. */
void ob__take_operands(ob_frame *frame, const ob_node *node, ob_cell **in);
/* Releases the remaining holds of n operands. */
void ob__drop_cells(ob_cell **cells, uint32_t n);
/* Makes the frame hold the cell as the value. */
void ob__keep_cell(ob_frame *frame, const ob_value *value, ob_cell *cell);
/* True if output i is not a tensor: by its declared type, or, if that is unknown, by its value. */
bool ob__gives_cell(const ob_frame *frame, size_t i);
/* After a run, also a failed one: releases all holds. */
void ob__forget_cells(ob_frame *frame);

#endif
