#include "ops/training/params.h"

#include <string.h>

ob_optimizer_params ob__optimizer_params(const ob_node *node) {
    const bool adagrad = strcmp(node->op_type, "Adagrad") == 0, adam = strcmp(node->op_type, "Adam") == 0;
    ob_optimizer_params p = {.kind = adagrad ? OB_ADAGRAD : adam ? OB_ADAM : OB_MOMENTUM, .n_states = adam ? 2 : 1};
    if (!adagrad && !adam) {
        const char *mode = ob__node_string(node, "mode", "");
        p.bad_mode = strcmp(mode, "standard") != 0 && strcmp(mode, "nesterov") != 0;
        if (strcmp(mode, "nesterov") == 0) p.kind = OB_NESTEROV;
    }
    p.alpha = (double)ob__node_float(node, "alpha", adam ? 0.9f : 0);
    p.beta = (double)ob__node_float(node, "beta", adam ? 0.999f : 0);
    p.epsilon = (double)ob__node_float(node, "epsilon", 0);
    p.norm = (double)ob__node_float(node, "norm_coefficient", 0);
    p.norm_post = (double)ob__node_float(node, "norm_coefficient_post", 0);
    p.decay = (double)ob__node_float(node, "decay_factor", 0);
    return p;
}

bool ob__is_gradient(const ob_node *node) {
    return node->op && strcmp(node->op->name, "Gradient") == 0 && strcmp(node->op->domain, "ai.onnx.preview.training") == 0;
}

static const ob_string *names(const ob_node *node, const char *name, uint32_t *n) {
    const ob_attribute *attribute = ob__node_attribute(node, name);
    const bool given = attribute && attribute->type == OB_ATTR_STRINGS;
    *n = given ? attribute->n : 0;
    return given ? attribute->u.strings : NULL;
}

ob_gradient_params ob__gradient_params(const ob_node *node) {
    uint32_t n_zs;
    const char *y = ob__node_string(node, "y", "");
    ob_gradient_params p = {.zs = names(node, "zs", &n_zs), .y = ob__value_find(node->graph, y, strlen(y))};
    p.xs = names(node, "xs", &p.n_xs);
    p.n = p.n_xs + n_zs;
    return p;
}
