#include "ops/shape/params.h"

#include <string.h>

#include "ops/table/attributes.h"

ob_axes_range ob__shape_axes(const ob_node *node, int32_t since, int32_t rank) {
    int64_t from = 0, to = rank;
    if (since >= 15) {
        from = ob__attribute_int(node, "start");
        to = ob__attribute_int_or(node, "end", rank);
    }
    from = from < -rank ? 0 : from < 0 ? from + rank : from > rank ? rank : from;
    to = to < -rank ? 0 : to < 0 ? to + rank : to > rank ? rank : to;
    return (ob_axes_range){(int32_t)from, (int32_t)(to > from ? to : from)};
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
                                    /* members of a union: a list is where its address stands */
                                    .elements = list ? (const void *)a->u.ints : &a->u};
    }
    return (ob_constant_params){0};
}

const ob_tensor *ob__fill_of(const ob_node *node, bool *wrong) {
    const ob_attribute *a = ob__node_attribute(node, "value");
    const ob_tensor *fill = a && a->type == OB_ATTR_TENSOR && !a->ref ? a->u.tensor : NULL;
    *wrong = a && (!fill || fill->n_elems != 1 || !fill->data);
    return fill;
}
