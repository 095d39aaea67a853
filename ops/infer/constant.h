/* Constant nodes. Code that needs a constant treats them like initializers. */
#ifndef OB_OPS_INFER_CONSTANT_H
#define OB_OPS_INFER_CONSTANT_H

#include "core/graph/graph.h"

/* Whether the node is an ONNX Constant, according to its row. */
bool ob__is_constant(const ob_node *node);

/* The value of a Constant, from whichever attribute holds it. Elements and sizes belong to the attribute. */
typedef struct ob_constant_params {
    bool given;
    ob_dtype dtype;
    int32_t rank;
    const int64_t *dims; /* of a tensor; otherwise NULL, and n is the size of the only axis, if any */
    int64_t n;
    const void *elements; /* NULL: external or malformed */
    const ob_tensor *tensor;
} ob_constant_params;
ob_constant_params ob__constant_params(const ob_node *node);

#endif
