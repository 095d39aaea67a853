/* Random numbers that are the same on every machine: a case is its seed and its number. */
#ifndef OB_TESTS_DIFFERENTIAL_RNG_H
#define OB_TESTS_DIFFERENTIAL_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t rng_next(rng *r) {
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline rng rng_make(uint64_t seed, uint64_t number) {
    rng r = {seed * UINT64_C(0xd1342543de82ef95) + number};
    r.state = rng_next(&r);
    return r;
}

/* lowest .. highest, both included. */
static inline int64_t rng_range(rng *r, int64_t lowest, int64_t highest) {
    return lowest + (int64_t)(rng_next(r) % (uint64_t)(highest - lowest + 1));
}

static inline bool rng_chance(rng *r, int percent) {
    return rng_range(r, 0, 99) < percent;
}

#endif
