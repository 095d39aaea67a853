/* What broadcasts at a node: one description for the report, the rule books and the rewriting passes. */
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
    int32_t target;       /* one way: the operand that must keep its shape; -1 when none is */
    bool plain;           /* provably nothing is stretched */
    bool mapped;          /* operand 1 (opset 1-6) or 0 (BroadcastInDim) goes through `mapping` */
    int32_t n_mapping;
    int64_t mapping[OB_MAX_RANK];

    uint32_t inline_inputs[OB_GROUP_INLINE];
    ob_shape inline_shapes[OB_GROUP_INLINE];
    ob_dim aligned[OB_MAX_RANK];
} ob_group;

/* Describes what broadcasts at the node; *found is false when nothing does (another operator, fewer than two operands,
 * broadcast=0). `arena` serves operators with many operands. E_MEMORY. */
ob_status ob__group_of(const ob_facts *facts, ob_dims *dims, const ob_node *node, ob_arena *arena, ob_group *group, bool *found);

/* Dim of operand `i` at `axis` of the result, 1 where it has none; OB_DIM_UNKNOWN for an unknown rank. */
ob_dim ob__group_dim(const ob_group *group, uint32_t i, int32_t axis);
/* True when the operand has, or may have, another size there than the result. */
bool ob__group_stretched(const ob_group *group, uint32_t i, int32_t axis);
/* False when an operand's size can become no size of the result: the broadcast fails and the result is only what is declared. */
bool ob__group_fits(const ob_group *group);
/* The opposite, with the first operand and axis of the result that do not fit; axis -1: the operand's rank is the higher one. */
bool ob__group_misfit(const ob_group *group, uint32_t *operand, int32_t *axis);

#endif
