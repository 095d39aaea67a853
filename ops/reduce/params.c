#include "ops/reduce/params.h"

#include <string.h>

#include "ops/table/attributes.h"

/* Whether empty axes reduce nothing: noop_with_empty_axes, in the versions with axes as an operand. */
static bool reduces_nothing(const ob_node *node, const ob_op *op) {
    return ob__op_input_types(op, 1) != 0 && ob__attribute_flag(node, "noop_with_empty_axes");
}

ob_reduce_params ob__reduce_params(const ob_node *node, const ob_op *op) {
    return (ob_reduce_params){.fold = op->loop.number,
                              .finish = op->loop.finish,
                              .keep_axes = ob__attribute_flag(node, "keepdims"),
                              .nothing_by_default = reduces_nothing(node, op)};
}

ob_argreduce_params ob__argreduce_params(const ob_node *node, const ob_op *op) {
    return (ob_argreduce_params){.axis = ob__attribute_int(node, "axis"),
                                 .keep_axes = ob__attribute_flag(node, "keepdims"),
                                 .smallest = strcmp(op->name, "ArgMin") == 0,
                                 .last = ob__attribute_flag(node, "select_last_index")};
}

ob_running_params ob__running_params(const ob_node *node, const ob_op *op) {
    return (ob_running_params){.exclusive = ob__attribute_flag(node, "exclusive"),
                               .reverse = ob__attribute_flag(node, "reverse"),
                               .product = strcmp(op->name, "CumProd") == 0};
}
