#include "ops/norm/params.h"

#include <string.h>

#include "ops/table/attributes.h"

ob_softmax_params ob__softmax_params(const ob_node *node, const ob_op *op) {
    const bool flattens = op->since < 13;
    return (ob_softmax_params){
        .axis = ob__attribute_int(node, "axis"), .flattens = flattens, .logarithm = strcmp(op->name, "LogSoftmax") == 0};
}

/* Before opset 14 a node trains if it has more than one result; before opset 7 it does not if is_test is set. */
static bool trains(const ob_node *node, const ob_op *op) {
    bool any = false;
    if (op->since >= 14) return ob__attribute_flag(node, "training_mode");
    if (op->since < 7 && ob__attribute_flag(node, "is_test")) return false;
    for (uint32_t i = 1; i < node->n_outputs; i++) any = any || node->outputs[i];
    return any;
}

ob_batch_norm_params ob__batch_norm_params(const ob_node *node, const ob_op *op) {
    return (ob_batch_norm_params){.epsilon = (double)ob__attribute_float(node, "epsilon"),
                                  .momentum = (double)ob__attribute_float(node, "momentum"),
                                  .per_channel = op->since >= 9 || ob__attribute_flag(node, "spatial"),
                                  .training = trains(node, op)};
}

ob_group_norm_params ob__group_norm_params(const ob_node *node, const ob_op *op) {
    const bool grouped = strcmp(op->name, "GroupNormalization") == 0;
    return (ob_group_norm_params){.epsilon = (double)ob__attribute_float(node, "epsilon"),
                                  .grouped = grouped,
                                  .groups = grouped ? ob__attribute_int(node, "num_groups") : 0,
                                  .scale_per_group = grouped && op->since < 21};
}

ob_layer_norm_params ob__layer_norm_params(const ob_node *node, const ob_op *op) {
    const int64_t stash = ob__attribute_int(node, "stash_type");
    return (ob_layer_norm_params){.axis = ob__attribute_int(node, "axis"),
                                  .epsilon = (double)ob__attribute_float(node, "epsilon"),
                                  .stash = stash > OB_NONE && stash < OB_DTYPE_COUNT ? (ob_dtype)stash : OB_NONE,
                                  .without_mean = strcmp(op->name, "RMSNormalization") == 0};
}

ob_lp_norm_params ob__lp_norm_params(const ob_node *node) {
    return (ob_lp_norm_params){.axis = ob__attribute_int(node, "axis"), .p = ob__attribute_int(node, "p")};
}

ob_mean_variance_params ob__mean_variance_params(const ob_node *node) {
    ob_mean_variance_params p;
    p.axes = ob__attribute_list(node, "axes", &p.n_axes);
    return p;
}

ob_lrn_params ob__lrn_params(const ob_node *node) {
    const int64_t size = ob__attribute_int(node, "size");
    return (ob_lrn_params){.size = size,
                           .size_fits = size >= 1 && size <= INT32_MAX,
                           .alpha = (double)ob__attribute_float(node, "alpha"),
                           .beta = (double)ob__attribute_float(node, "beta"),
                           .bias = (double)ob__attribute_float(node, "bias")};
}

ob_dropout_params ob__dropout_params(const ob_node *node, const ob_op *op) {
    return (ob_dropout_params){.trains = op->since < 7 && ob__attribute_int(node, "is_test") == 0,
                               .ratio = op->since < 12 ? (double)ob__attribute_float(node, "ratio") : 0.5};
}
