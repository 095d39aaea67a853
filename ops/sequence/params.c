#include "ops/sequence/params.h"

#include "ops/table/attributes.h"

static bool is_given(const ob_node *node, uint32_t i) {
    return i < node->n_inputs && node->inputs[i];
}

void ob__sequence_params(const ob_node *node, ob_sequence_params *out) {
    int64_t dtype = ob__attribute_int_or(node, "dtype", OB_FLOAT);
    *out = (ob_sequence_params){
        .dtype = dtype > OB_NONE && dtype < OB_DTYPE_COUNT ? (ob_dtype)dtype : OB_NONE,
        .axis = ob__attribute_int(node, "axis"),
        .drops = !is_given(node, 1) && ob__attribute_int_or(node, "keepdims", 1) == 0,
        .stacks = ob__attribute_flag(node, "new_axis"),
    };
}

const ob_type *ob__optional_type(const ob_node *node) {
    const ob_attribute *stated = ob__node_attribute(node, "type");
    return stated && stated->type == OB_ATTR_TYPE_PROTO && !stated->ref ? stated->u.type : NULL;
}
