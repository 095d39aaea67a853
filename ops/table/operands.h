/* Compares the operands of a node with its row. */
#ifndef OB_OPS_TABLE_OPERANDS_H
#define OB_OPS_TABLE_OPERANDS_H

#include "core/base/finding.h"
#include "ops/table/op.h"

/* Why the operands of a node do not fit its row. */
typedef struct ob_misfit {
    ob_finding_id id;
    int32_t operand; /* the index of the input; -1: their number is wrong */
    char text[200];
} ob_misfit;

/* Whether the node has a number of inputs and outputs that its row allows, no required one is omitted, and all known types are
 * allowed. Shape rules, kernels and bodies read operands by index, so this must be checked before, also for deprecated operators.
 * `in_types` NULL: types are not checked. `why` may be NULL. */
bool ob__op_fits(const ob_op *op, const ob_node *node, const ob_type *in_types, ob_misfit *why);

#endif
