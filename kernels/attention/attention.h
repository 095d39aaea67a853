/* Loops of attention, of one head. Distances count elements. */
#ifndef OB_KERNELS_ATTENTION_ATTENTION_H
#define OB_KERNELS_ATTENTION_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

/* A state of key_size rows of value_size elements goes from token to token, of one head of keys and the heads of queries that
 * share it: state = exp(decay) * state; state += key x (value - what `corrects` takes back, by beta); y = scale * query . state.
 */
typedef struct obk_linear_attention {
    int64_t n_tokens, key_size, value_size, n_queries;
    const float *query, *key, *value; /* heads of queries are key_size apart */
    int64_t query_step, key_step, value_step;
    const float *decay, *beta; /* beta is there where `corrects` is; decay NULL: the state does not fade */
    int64_t decay_step, beta_step;
    bool decay_is_one; /* for all rows of the state; else one for each */
    bool corrects;
    float scale;
    float *y; /* heads are value_size apart */
    int64_t y_step;
    float *state; /* what was before, and what is then */
    float *room;  /* key_size + value_size elements */
} obk_linear_attention;

/* The heads of one token: elements l and half + l of a head (interleaved: 2l and 2l + 1) are turned by an angle; those behind all
 * pairs are copied. y does not overlap x. */
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
