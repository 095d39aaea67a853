/* The attributes of operators that make shapes and constants, read only here. */
#ifndef OB_OPS_SHAPE_PARAMS_H
#define OB_OPS_SHAPE_PARAMS_H

#include "core/graph/graph.h"
#include "ops/table/attributes.h"

/* Shape: axes from .. to - 1 of an operand of that rank (since version 15; before, all axes). */
typedef struct ob_axes_range {
    int32_t from, to;
} ob_axes_range;
ob_axes_range ob__shape_axes(const ob_node *node, int32_t since, int32_t rank);

/* ConstantOfShape: the value, NULL for 0; *wrong if the attribute does not hold one element. */
const ob_tensor *ob__fill_of(const ob_node *node, bool *wrong);

/* EyeLike: the diagonal of ones. */
static inline int64_t ob__eye_diagonal(const ob_node *node) {
    return ob__attribute_int(node, "k");
}

#endif
