/* The attributes of operators of ai.onnx.preview.training and the order of the optimizers' operands, read only here. */
#ifndef OB_OPS_TRAINING_PARAMS_H
#define OB_OPS_TRAINING_PARAMS_H

#include "ops/table/op.h"

typedef enum ob_optimizer { OB_ADAGRAD, OB_ADAM, OB_MOMENTUM, OB_NESTEROV } ob_optimizer;

typedef struct ob_optimizer_params {
    ob_optimizer kind;
    bool bad_mode;     /* of Momentum: an undefined mode */
    uint32_t n_states; /* state tensors for each optimized tensor; the results are the tensor and its state */
    double alpha, beta, epsilon, norm, norm_post, decay;
} ob_optimizer_params;
ob_optimizer_params ob__optimizer_params(const ob_node *node);

/* Operands: the learning rate, the update count, then n tensors, their n gradients, and n of each state. Returns n, or 0 if there
 * are none or the numbers differ. */
static inline uint32_t ob__optimized(const ob_optimizer_params *p, uint32_t n_inputs) {
    return n_inputs > 2 && (n_inputs - 2) % (2 + p->n_states) == 0 ? (n_inputs - 2) / (2 + p->n_states) : 0;
}

bool ob__is_gradient(const ob_node *node);
/* The values that a Gradient names, of its graph and the graphs around it; NULL if no value has the name. */
typedef struct ob_gradient_params {
    uint32_t n_xs, n; /* the number of xs, and of xs and zs together */
    const ob_string *xs, *zs;
    ob_value *y;
} ob_gradient_params;
ob_gradient_params ob__gradient_params(const ob_node *node);
/* The name at index i in xs and zs, and its value. */
static inline ob_string ob__gradient_name(const ob_gradient_params *p, uint32_t i) {
    return i < p->n_xs ? p->xs[i] : p->zs[i - p->n_xs];
}
static inline ob_value *ob__gradient_value(const ob_node *node, const ob_gradient_params *p, uint32_t i) {
    const ob_string name = ob__gradient_name(p, i);
    return ob__value_find(node->graph, name.data, name.n);
}

#endif
