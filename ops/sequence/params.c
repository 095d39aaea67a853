#include "ops/sequence/params.h"

static bool is_given(const ob_node *node, uint32_t i) {
    return i < node->n_inputs && node->inputs[i];
}

void ob__sequence_params(const ob_node *node, ob_sequence_params *out) {
    int64_t dtype = ob__node_int(node, "dtype", OB_FLOAT);
    *out = (ob_sequence_params){
        .dtype = dtype > OB_NONE && dtype < OB_DTYPE_COUNT ? (ob_dtype)dtype : OB_NONE,
        .axis = ob__node_int(node, "axis", 0),
        .drops = !is_given(node, 1) && ob__node_int(node, "keepdims", 1) == 0,
        .stacks = ob__node_int(node, "new_axis", 0) != 0,
    };
}

const ob_type *ob__optional_type(const ob_node *node) {
    const ob_attribute *stated = ob__node_attribute(node, "type");
    return stated && stated->type == OB_ATTR_TYPE_PROTO && !stated->ref ? stated->u.type : NULL;
}
