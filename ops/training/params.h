/* What the operators of domain ai.onnx.preview.training have as attributes, and how the optimizers' operands lie: read here and
 * nowhere else. */
#ifndef OB_OPS_TRAINING_PARAMS_H
#define OB_OPS_TRAINING_PARAMS_H

#include "ops/table/op.h"

typedef enum ob_optimizer { OB_ADAGRAD, OB_ADAM, OB_MOMENTUM, OB_NESTEROV } ob_optimizer;

typedef struct ob_optimizer_params {
    ob_optimizer kind;
    bool bad_mode;     /* of Momentum: none that there is */
    uint32_t n_states; /* tensors that are carried on beside each that is optimized: results are it and these */
    double alpha, beta, epsilon, norm, norm_post, decay;
} ob_optimizer_params;
ob_optimizer_params ob__optimizer_params(const ob_node *node);

/* Operands: the rate, the count, then n tensors, their n gradients, and n of each state. 0: there are none, or not as many of
 * each. */
static inline uint32_t ob__optimized(const ob_optimizer_params *p, uint32_t n_inputs) {
    return n_inputs > 2 && (n_inputs - 2) % (2 + p->n_states) == 0 ? (n_inputs - 2) / (2 + p->n_states) : 0;
}

bool ob__is_gradient(const ob_node *node);
/* What a Gradient names: values of its graph and of those around it, NULL where there is none of that name. */
typedef struct ob_gradient_params {
    uint32_t n_xs, n; /* those that y is differentiated by, and with those of zs */
    const ob_string *xs, *zs;
    ob_value *y;
} ob_gradient_params;
ob_gradient_params ob__gradient_params(const ob_node *node);
/* Name i of xs and zs, and its value. */
static inline ob_string ob__gradient_name(const ob_gradient_params *p, uint32_t i) {
    return i < p->n_xs ? p->xs[i] : p->zs[i - p->n_xs];
}
static inline ob_value *ob__gradient_value(const ob_node *node, const ob_gradient_params *p, uint32_t i) {
    const ob_string name = ob__gradient_name(p, i);
    return ob__value_find(node->graph, name.data, name.n);
}

#endif
