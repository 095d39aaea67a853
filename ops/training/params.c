#include "ops/training/params.h"

#include <string.h>

#include "ops/table/attributes.h"

ob_optimizer_params ob__optimizer_params(const ob_node *node) {
    const bool adagrad = strcmp(node->op_type, "Adagrad") == 0, adam = strcmp(node->op_type, "Adam") == 0;
    ob_optimizer_params p = {.kind = adagrad ? OB_ADAGRAD : adam ? OB_ADAM : OB_MOMENTUM, .n_states = adam ? 2 : 1};
    if (!adagrad && !adam) {
        const char *mode = ob__attribute_text(node, "mode");
        p.bad_mode = strcmp(mode, "standard") != 0 && strcmp(mode, "nesterov") != 0;
        if (strcmp(mode, "nesterov") == 0) p.kind = OB_NESTEROV;
    }
    p.alpha = (double)ob__attribute_float(node, "alpha");
    p.beta = (double)ob__attribute_float(node, "beta");
    p.epsilon = (double)ob__attribute_float(node, "epsilon");
    p.norm = (double)ob__attribute_float(node, "norm_coefficient");
    p.norm_post = (double)ob__attribute_float(node, "norm_coefficient_post");
    p.decay = (double)ob__attribute_float(node, "decay_factor");
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
    const char *y = ob__attribute_text(node, "y");
    ob_gradient_params p = {.zs = names(node, "zs", &n_zs), .y = ob__value_find(node->graph, y, strlen(y))};
    p.xs = names(node, "xs", &p.n_xs);
    p.n = p.n_xs + n_zs;
    return p;
}
