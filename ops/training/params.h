/* What the optimizers of domain ai.onnx.preview.training have as attributes, and how their operands lie: read here and nowhere
 * else. */
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

#endif
