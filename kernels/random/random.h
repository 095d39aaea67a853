/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"). Number
 * i depends on the key and i alone, so that any thread can compute it. All processors and levels give the same bits: only
 * additions, multiplications, divisions and square roots are used, which are rounded the same everywhere, and no function of the
 * C library. */
#ifndef OB_KERNELS_RANDOM_RANDOM_H
#define OB_KERNELS_RANDOM_RANDOM_H

#include <stdint.h>

#include "core/base/pace.h"

typedef struct obk_random_key {
    uint32_t word[2];
} obk_random_key;

/* Numbers first .. first + n - 1. */
typedef void (*obk_random_loop)(obk_random_key key, int64_t first, int64_t n, double *numbers);
/* Turns logarithms of weights into running sums of the weights, scaled so that the greatest weight is 1. The last sum is not
 * above 0 if no class has a weight or a weight is NaN. */
typedef void (*obk_random_classes)(double *sums, int64_t n, obk_pace *pace);

typedef struct obk_randoms {
    /* The first two words of counters first .. first + n - 1, the first word in the low half; n is a multiple of OBK_RANDOM_STEP.
     */
    void (*bits)(obk_random_key key, int64_t first, int64_t n, uint64_t *bits);
    obk_random_loop uniform; /* multiples of 2^-53 in [0, 1) */
    obk_random_loop normal;  /* mean 0, variance 1 */
    obk_random_classes classes;
} obk_randoms;

enum { OBK_RANDOM_STEP = 16 };

/* The class for a uniform number: the first whose running sum is above that share of the total. */
static inline int64_t obk_random_class(const double *sums, int64_t n, double uniform) {
    const double share = uniform * sums[n - 1];
    int64_t low = 0, high = n - 1; /* the class is in low .. high */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sums[middle] > share)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

#endif
