/* Values of a run that are more than tensors: which cell a value is, who holds it, when it goes. For runtime/ only. */
#ifndef OB_RUNTIME_CELLS_H
#define OB_RUNTIME_CELLS_H

#include "core/graph/cell.h"
#include "ops/kernel/cells.h"
#include "runtime/session.h"

/* What a value is declared to be may be more than a tensor: only a cell can hold it. */
static inline bool ob__is_cell_type(const ob_type *type) {
    return type->kind == OB_TYPE_SEQUENCE || type->kind == OB_TYPE_OPTIONAL || type->kind == OB_TYPE_MAP;
}
/* The cell, given for input i, is of its declared type, as far as numbers tell: E_TYPE, E_SHAPE. */
ob_status ob__check_input_cell(const ob_session *session, uint32_t i, const ob_cell *cell, ob_error *error);
/* The type of what the cell holds, for shape rules; its elements' sizes are not told. `declared` tells an optional, which the
 * cell does not; may be NULL. E_MEMORY. */
ob_status ob__type_of_cell(const ob_cell *cell, const ob_type *declared, ob_arena *arena, ob_type *out);
/* Bytes of all elements in it; saturates. */
uint64_t ob__cell_bytes(const ob_cell *cell);

/* Operands of a node that are cells, each held once more; where the node is the last reader of a value the frame's own hold goes
 * to it, so that a sequence that nobody else holds can grow where it is. n_inputs entries, NULL for tensors. */
void ob__take_operands(ob_frame *frame, const ob_node *node, ob_cell **in);
/* What is left of the holds of n operands. */
void ob__drop_cells(ob_cell **cells, uint32_t n);
/* The frame holds the cell as the value's from now on. */
void ob__keep_cell(ob_frame *frame, const ob_value *value, ob_cell *cell);
/* Output i is more than a tensor, or of no type that was known and no tensor now. */
bool ob__gives_cell(const ob_frame *frame, size_t i);
/* After a run, also one that failed: nothing is held any more. */
void ob__forget_cells(ob_frame *frame);

#endif
