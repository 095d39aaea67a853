/* The operands of a node against its row. */
#ifndef OB_OPS_TABLE_OPERANDS_H
#define OB_OPS_TABLE_OPERANDS_H

#include "core/base/finding.h"
#include "ops/table/op.h"

/* Why the operands of a node are not those of its row. */
typedef struct ob_misfit {
    ob_finding_id id;
    int32_t operand; /* the index of the input; -1: their number */
    char text[200];
} ob_misfit;

/* The node has as many inputs and outputs as its row, none is left out that is needed, and those whose type is known have one
 * that the row takes. Whatever reads operands by their index asks first: shape rules, kernels, bodies; of deprecated operators
 * too. `in_types` NULL: types are not looked at. `why` may be NULL. */
bool ob__op_fits(const ob_op *op, const ob_node *node, const ob_type *in_types, ob_misfit *why);

#endif
