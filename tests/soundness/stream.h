/* Choices: everything that is random about a model. Shrinking changes the stream and never the model, so that every result is
 * well formed: fewer blocks are fewer nodes, and smaller numbers are simpler choices. */
#ifndef OB_TESTS_SOUNDNESS_STREAM_H
#define OB_TESTS_SOUNDNESS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

enum { STREAM_BLOCKS = 24, STREAM_CHOICES = 96 };

typedef struct stream {
    bool guards;       /* branches on conditions of several comparisons, around nodes with requirements on sizes */
    uint32_t n_blocks; /* block 0: opset, symbols and inputs; each further block: a node and the nodes that it needs */
    uint32_t blocks[STREAM_BLOCKS][STREAM_CHOICES];
} stream;

static inline uint32_t stream_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* The stream of a seed. */
static inline void stream_fill(stream *s, uint64_t seed) {
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    stream_random(&state);
    s->guards = false;
    s->n_blocks = 2 + stream_random(&state) % (stream_random(&state) % 4 ? 6 : 14);
    for (uint32_t i = 0; i < STREAM_BLOCKS; i++)
        for (uint32_t k = 0; k < STREAM_CHOICES; k++) s->blocks[i][k] = stream_random(&state) & 0xffff;
}

/* The same with guards: longer, because a condition is a separate node. */
static inline void stream_fill_guards(stream *s, uint64_t seed) {
    stream_fill(s, seed);
    s->guards = true;
    s->n_blocks = 4 + (uint32_t)(seed * UINT64_C(0x9E3779B97F4A7C15) >> 40) % 12;
}

#endif
