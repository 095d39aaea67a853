/* The attributes of elementwise operators, for rules, kernels and passes. */
#ifndef OB_OPS_ELEMENTWISE_PARAMS_H
#define OB_OPS_ELEMENTWISE_PARAMS_H

#include "core/graph/graph.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* Cast, BitCast: the type of the result. Before version 6, Cast gives it by name, in any case. OB_NONE: missing or invalid. */
ob_dtype ob__cast_target(const ob_node *node, int32_t since);

/* Mod: the result has the sign of the dividend; otherwise that of the divisor. */
static inline bool ob__mod_of_dividend(const ob_node *node) {
    return ob__attribute_flag(node, "fmod");
}

/* Whether the operator subtracts or compares elements of its two operands. */
bool ob__sets_against(const struct ob_op *op);
/* Whether the operator adds its operands, or subtracts the second. */
bool ob__adds(const struct ob_op *op);
/* If one number is added to operand `input`, by which other operand is that number multiplied in the result? *factor: the input
 * index, or UINT32_MAX for none, in a sum. False: the result changes in another way. */
bool ob__keeps_summand(const struct ob_op *op, uint32_t input, uint32_t *factor);
/* Whether its two operands can change places. */
bool ob__commutes(const struct ob_op *op);

#endif
