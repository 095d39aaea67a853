/* Random numbers by counting: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"). Number i
 * of a key depends on i and the key alone, so that whoever draws it gets the same. One version for all processors: only
 * additions, multiplications, divisions and roots, which are rounded the same everywhere, and no function whose last bit the C
 * library chooses. */
#ifndef OB_KERNELS_RANDOM_RANDOM_H
#define OB_KERNELS_RANDOM_RANDOM_H

#include <stdint.h>

typedef struct obk_random_key {
    uint32_t word[2];
} obk_random_key;

/* The four words of a counter. */
void obk_random_words(obk_random_key key, const uint32_t counter[4], uint32_t words[4]);

/* Numbers first .. first + n - 1. Uniform: multiples of 2^-53 from 0 on, below 1. Normal: mean 0, variance 1. */
void obk_random_uniform(obk_random_key key, int64_t first, int64_t n, double *numbers);
void obk_random_normal(obk_random_key key, int64_t first, int64_t n, double *numbers);

/* Logarithms of weights become running sums of the weights, the greatest being 1. The last sum is no number above 0 when no class
 * has a weight, or one is none. */
void obk_random_classes(double *sums, int64_t n);
/* The class that a uniform number draws: the first whose running sum is above that share of all. */
int64_t obk_random_class(const double *sums, int64_t n, double uniform);

#endif
