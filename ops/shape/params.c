#include "ops/shape/params.h"

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

const ob_tensor *ob__fill_of(const ob_node *node, bool *wrong) {
    const ob_attribute *a = ob__node_attribute(node, "value");
    const ob_tensor *fill = a && a->type == OB_ATTR_TENSOR && !a->ref ? a->u.tensor : NULL;
    *wrong = a && (!fill || fill->n_elems != 1 || !fill->data);
    return fill;
}
