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

#endif
