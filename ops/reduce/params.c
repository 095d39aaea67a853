#include "ops/reduce/params.h"

#include <string.h>

#include "ops/table/attributes.h"

static const struct {
    const char *name;
    obk_fold fold;
    obk_finish finish;
} kinds[] = {
    {"ReduceSum", OBK_FOLD_SUM, OBK_FINISH_NONE},   {"ReduceMean", OBK_FOLD_SUM, OBK_FINISH_MEAN},
    {"ReduceMax", OBK_FOLD_MAX, OBK_FINISH_NONE},   {"ReduceMin", OBK_FOLD_MIN, OBK_FINISH_NONE},
    {"ReduceProd", OBK_FOLD_PROD, OBK_FINISH_NONE}, {"ReduceL1", OBK_FOLD_ABS, OBK_FINISH_NONE},
    {"ReduceL2", OBK_FOLD_SQUARE, OBK_FINISH_SQRT}, {"ReduceSumSquare", OBK_FOLD_SQUARE, OBK_FINISH_NONE},
    {"ReduceLogSum", OBK_FOLD_SUM, OBK_FINISH_LOG}, {"ReduceLogSumExp", OBK_FOLD_EXP, OBK_FINISH_EXP},
};

/* With noop_with_empty_axes, in the versions whose axes are an operand. */
static bool reduces_nothing(const ob_node *node, const ob_op *op) {
    return ob__op_input_types(op, 1) != 0 && ob__attribute_flag(node, "noop_with_empty_axes");
}

ob_reduce_params ob__reduce_params(const ob_node *node, const ob_op *op) {
    ob_reduce_params p = {.keep_axes = ob__attribute_flag(node, "keepdims"), .nothing_by_default = reduces_nothing(node, op)};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, op->name) == 0) {
            p.fold = kinds[i].fold;
            p.finish = kinds[i].finish;
        }
    return p;
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
