/* What elementwise operators have as attributes that rules and kernels both want: read here and nowhere else. */
#ifndef OB_OPS_ELEMENTWISE_PARAMS_H
#define OB_OPS_ELEMENTWISE_PARAMS_H

#include "core/graph/graph.h"
#include "ops/table/attributes.h"

/* Cast, BitCast: the type of the result, before version 6 of Cast by its name in any case; OB_NONE: missing, or none. */
ob_dtype ob__cast_target(const ob_node *node, int32_t since);

/* Mod: the sign of the dividend, else that of the divisor. */
static inline bool ob__mod_of_dividend(const ob_node *node) {
    return ob__attribute_flag(node, "fmod");
}

#endif
