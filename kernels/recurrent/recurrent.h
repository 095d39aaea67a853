/* Elementwise parts of recurrent cells besides products and activations, over n elements. [0] is for floats, [1] for doubles. */
#ifndef OB_KERNELS_RECURRENT_H
#define OB_KERNELS_RECURRENT_H

#include <stdint.h>

typedef void (*obk_add_product)(void *z, const void *a, const void *b, int64_t n);          /* z += a * b */
typedef void (*obk_complement)(void *z, const void *x, int64_t n);                          /* z = 1 - x */
typedef void (*obk_carry)(void *c, const void *f, const void *i, const void *g, int64_t n); /* c = f * c + i * g */
typedef void (*obk_blend)(void *h, const void *z, const void *fresh, int64_t n);            /* h = (1 - z) * fresh + z * h */
typedef void (*obk_add_reset)(void *g, const void *r, const void *t, const void *bias,
                              int64_t n); /* g += r * (t + bias); bias NULL: 0 */

typedef struct obk_recurrent {
    obk_add_product add_product[2];
    obk_complement complement[2];
    obk_carry carry[2];
    obk_blend blend[2];
    obk_add_reset add_reset[2];
} obk_recurrent;

#endif
