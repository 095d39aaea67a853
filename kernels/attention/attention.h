/* Loops of attention for one head. Distances count elements. */
#ifndef OB_KERNELS_ATTENTION_ATTENTION_H
#define OB_KERNELS_ATTENTION_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

/* Linear attention of one head of keys and the heads of queries that share it. A state of key_size rows of value_size elements is
 * updated with each token: state = exp(decay) * state; state += key x value, or with `corrects` key x (beta * (value - key .
 * state)); y = scale * query . state. */
typedef struct obk_linear_attention {
    int64_t n_tokens, key_size, value_size, n_queries;
    const float *query, *key, *value; /* heads of queries are key_size apart */
    int64_t query_step, key_step, value_step;
    const float *decay, *beta; /* beta: only with `corrects`; decay NULL: none */
    int64_t decay_step, beta_step;
    bool decay_is_one; /* decay has one element for all rows of the state, else one for each row */
    bool corrects;
    float scale;
    float *y; /* heads are value_size apart */
    int64_t y_step;
    float *state; /* initial state, replaced by the final one */
    float *room;  /* scratch of key_size + value_size elements */
} obk_linear_attention;

/* Rotary embedding of the heads of one token. Elements l and half + l of a head (interleaved: 2l and 2l + 1) are rotated by an
 * angle; elements after all pairs are copied. y does not overlap x. */
typedef struct obk_rotary {
    int64_t n_heads, size, half; /* heads are `size` apart */
    const float *x, *cos, *sin;  /* an angle for each pair */
    float *y;
    bool interleaved;
} obk_rotary;

typedef struct obk_attention {
    void (*linear)(const obk_linear_attention *call);
    void (*rotate)(const obk_rotary *call);
} obk_attention;

#endif
