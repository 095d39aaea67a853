/* What operators of attention have as attributes: read here and nowhere else. */
#ifndef OB_OPS_ATTENTION_PARAMS_H
#define OB_OPS_ATTENTION_PARAMS_H

#include "ops/table/op.h"

typedef struct ob_attention_params {
    int64_t q_heads, kv_heads; /* of operands of rank 3; 0: not given */
    int64_t left, right;       /* keys that a query sees before and behind its own place; -1: all */
    int64_t mode;              /* which scores are the result qk_matmul_output */
    bool causal, has_scale, has_precision;
    double scale, softcap; /* scale where it is given; softcap 0: none */
    ob_dtype precision;    /* of softmax, where it is given; OB_NONE: no type */
} ob_attention_params;

ob_attention_params ob__attention_params(const ob_node *node);

/* How the state of a LinearAttention goes on: it fades by `decay`, and what it says of a key already is taken back. */
typedef struct ob_linear_attention_params {
    int64_t q_heads, kv_heads;
    double scale; /* 0: 1 / sqrt(size of a key) */
    bool fades, corrects;
} ob_linear_attention_params;

ob_linear_attention_params ob__linear_attention_params(const ob_node *node);

typedef struct ob_rotary_params {
    int64_t heads;  /* of an operand of rank 3; 0: not given */
    int64_t turned; /* elements at the beginning of each head; 0: all */
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
