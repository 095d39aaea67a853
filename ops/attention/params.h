/* The attributes of attention operators, read only here. */
#ifndef OB_OPS_ATTENTION_PARAMS_H
#define OB_OPS_ATTENTION_PARAMS_H

#include "ops/table/op.h"

typedef struct ob_attention_params {
    int64_t q_heads, kv_heads; /* of operands of rank 3; 0: not given */
    int64_t left, right;       /* keys that a query sees before and after its own position; -1: all */
    int64_t mode;              /* the value of qk_matmul_output_mode: which scores the result qk_matmul_output holds */
    bool causal, has_scale, has_precision;
    double scale, softcap; /* scale if has_scale; softcap 0: none */
    ob_dtype precision;    /* of softmax, if has_precision; OB_NONE: not an element type */
} ob_attention_params;

ob_attention_params ob__attention_params(const ob_node *node);

/* How a LinearAttention updates its state. fades: the state is multiplied by `decay`; corrects: the value that the state already
 * holds for a key is subtracted. */
typedef struct ob_linear_attention_params {
    int64_t q_heads, kv_heads;
    double scale; /* 0: 1 / sqrt(size of a key) */
    bool fades, corrects;
} ob_linear_attention_params;

ob_linear_attention_params ob__linear_attention_params(const ob_node *node);

typedef struct ob_rotary_params {
    int64_t heads;  /* of an operand of rank 3; 0: not given */
    int64_t turned; /* rotated elements at the beginning of each head; 0: all */
    bool interleaved;
} ob_rotary_params;

ob_rotary_params ob__rotary_params(const ob_node *node);

typedef struct ob_flex_attention_params {
    ob_dtype precision;     /* of the scores; OB_NONE: not a float */
    ob_graph *modifiers[2]; /* of scores and of probabilities, or NULL */
} ob_flex_attention_params;

extern const char *const ob__flex_attention_modifiers[2];

ob_flex_attention_params ob__flex_attention_params(const ob_node *node, ob_dtype operands);

#endif
