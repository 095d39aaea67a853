/* What operators that make shapes and constants have as attributes: read here and nowhere else. */
#ifndef OB_OPS_SHAPE_PARAMS_H
#define OB_OPS_SHAPE_PARAMS_H

#include "core/graph/graph.h"
#include "ops/table/attributes.h"

/* Shape: axes from .. to - 1 of an operand of that rank (from version 15 on; before, all). */
typedef struct ob_axes_range {
    int32_t from, to;
} ob_axes_range;
ob_axes_range ob__shape_axes(const ob_node *node, int32_t since, int32_t rank);

/* What Constant holds, in whichever attribute. Elements and sizes are the attribute's. */
typedef struct ob_constant_params {
    bool given;
    ob_dtype dtype;
    int32_t rank;
    const int64_t *dims; /* of a tensor; else NULL, and n is the size of the one axis, where there is one */
    int64_t n;
    const void *elements; /* NULL: external or malformed */
    const ob_tensor *tensor;
} ob_constant_params;
ob_constant_params ob__constant_params(const ob_node *node);

/* ConstantOfShape: the element, NULL for 0; *wrong when the attribute holds none. */
const ob_tensor *ob__fill_of(const ob_node *node, bool *wrong);

/* EyeLike: the diagonal of ones. */
static inline int64_t ob__eye_diagonal(const ob_node *node) {
    return ob__attribute_int(node, "k");
}

#endif
