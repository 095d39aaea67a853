/* The attributes of BroadcastInDim, read only here. */
#ifndef OB_OPS_BROADCAST_PARAMS_H
#define OB_OPS_BROADCAST_PARAMS_H

#include "ops/table/attributes.h"

typedef struct ob_in_dim_params {
    ob_ints dimensions; /* axis i of the operand becomes axis dimensions[i] of the result */
    ob_ints shape;      /* of the result, if no operand gives it */
} ob_in_dim_params;

static inline ob_in_dim_params ob__in_dim_params(const ob_node *node) {
    return (ob_in_dim_params){ob__attribute_ints(node, "broadcast_dimensions"), ob__attribute_ints(node, "shape")};
}

#endif
