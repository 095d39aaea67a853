#include "ops/infer/constant.h"

#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(constant);

bool ob__is_constant(const ob_node *node) {
    return node->op && node->op->infer == ob__infer_constant;
}

ob_constant_params ob__constant_params(const ob_node *node) {
    static const struct {
        const char *name;
        ob_attribute_type type;
        ob_dtype dtype;
    } kinds[] = {{"value_float", OB_ATTR_FLOAT, OB_FLOAT},    {"value_int", OB_ATTR_INT, OB_INT64},
                 {"value_string", OB_ATTR_STRING, OB_STRING}, {"value_floats", OB_ATTR_FLOATS, OB_FLOAT},
                 {"value_ints", OB_ATTR_INTS, OB_INT64},      {"value_strings", OB_ATTR_STRINGS, OB_STRING}};
    const ob_attribute *a = ob__node_attribute(node, "value"), *sparse = ob__node_attribute(node, "sparse_value");
    if (!a && sparse && sparse->type == OB_ATTR_SPARSE_TENSOR) a = sparse;
    if (a && a->type == (a == sparse ? OB_ATTR_SPARSE_TENSOR : OB_ATTR_TENSOR) && !a->ref && a->u.tensor) {
        const ob_tensor *tensor = a->u.tensor;
        return (ob_constant_params){true, tensor->dtype, tensor->rank, tensor->dims, tensor->n_elems, tensor->data, tensor};
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        a = ob__node_attribute(node, kinds[i].name);
        if (!a || a->type != kinds[i].type || a->ref) continue;
        bool list = a->type >= OB_ATTR_FLOATS;
        return (ob_constant_params){.given = true,
                                    .dtype = kinds[i].dtype,
                                    .rank = list,
                                    .n = list ? a->n : 1,
                                    /* a list is a pointer in the union, a number is in the union itself */
                                    .elements = list ? (const void *)a->u.ints : &a->u};
    }
    return (ob_constant_params){0};
}
