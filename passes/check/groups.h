/* The broadcast of a node: one description for the report, the rule books and the rewriting passes. */
#ifndef OB_PASSES_CHECK_GROUPS_H
#define OB_PASSES_CHECK_GROUPS_H

#include "core/dims/shape.h"
#include "ops/table/op.h"
#include "passes/check/facts.h"
#include "passes/check/names.h"

enum { OB_GROUP_INLINE = 6 };
#define OB_NOT_AN_INPUT UINT32_MAX

/* Operands that broadcast with each other. Holds pointers into itself: do not copy. */
typedef struct ob_group {
    ob_broadcast_kind kind;
    uint32_t n;       /* operands that take part */
    uint32_t *inputs; /* their indices among the node's inputs; OB_NOT_AN_INPUT: the shape that Expand's second input holds */
    ob_shape *shapes; /* as they align with the result (after a mapping); matrix axes included */
    ob_shape result;
    int32_t n_fixed_axes; /* trailing axes that do not take part: 2 for a matrix product, else 0 */
    int32_t target;       /* one way: the operand that must keep its shape; -1: none */
    bool plain;           /* provably nothing is stretched */
    bool mapped;          /* operand 1 (opset 1-6) or 0 (BroadcastInDim) goes through `mapping` */
    int32_t n_mapping;
    int64_t mapping[OB_MAX_RANK];

    uint32_t inline_inputs[OB_GROUP_INLINE];
    ob_shape inline_shapes[OB_GROUP_INLINE];
    ob_dim aligned[OB_MAX_RANK];
} ob_group;

/* Describes the broadcast of the node. *found is false if nothing broadcasts (another operator, fewer than two operands,
 * broadcast=0). `arena` serves operators with many operands. E_MEMORY. */
ob_status ob__group_of(const ob_facts *facts, ob_dims *dims, const ob_node *node, ob_arena *arena, ob_group *group, bool *found);

/* The size of operand `i` along `axis` of the result; 1 if it does not have this axis; OB_DIM_UNKNOWN for an unknown rank. */
ob_dim ob__group_dim(const ob_group *group, uint32_t i, int32_t axis);
/* True if the operand's size there differs, or may differ, from that of the result. */
bool ob__group_stretched(const ob_group *group, uint32_t i, int32_t axis);
/* False if the size of an operand cannot broadcast to the result: the broadcast fails, and the result is only declared. */
bool ob__group_fits(const ob_group *group);
/* The opposite, with the first operand and axis of the result that do not fit; axis -1: the operand has the higher rank. */
bool ob__group_misfit(const ob_group *group, uint32_t *operand, int32_t *axis);

#endif
