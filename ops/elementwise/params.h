/* What nodes of elementwise operators say, for rules, kernels and passes. */
#ifndef OB_OPS_ELEMENTWISE_PARAMS_H
#define OB_OPS_ELEMENTWISE_PARAMS_H

#include "core/graph/graph.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* Cast, BitCast: the type of the result, before version 6 of Cast by its name in any case; OB_NONE: missing, or none. */
ob_dtype ob__cast_target(const ob_node *node, int32_t since);

/* Mod: the sign of the dividend, else that of the divisor. */
static inline bool ob__mod_of_dividend(const ob_node *node) {
    return ob__attribute_flag(node, "fmod");
}

/* Elements of one operand are set against those of the other: subtracted, or compared. */
bool ob__sets_against(const struct ob_op *op);

#endif
