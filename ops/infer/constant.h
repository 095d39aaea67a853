/* Constant nodes: whoever asks for a constant looks through them as through an initializer. */
#ifndef OB_OPS_INFER_CONSTANT_H
#define OB_OPS_INFER_CONSTANT_H

#include "core/graph/graph.h"

/* The node is a Constant of ONNX. Asks the node's row. */
bool ob__is_constant(const ob_node *node);

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

#endif
