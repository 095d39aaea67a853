/* Elementwise parts of recurrent cells besides products and activations, over n elements. [0] is for floats, [1] for doubles. */
#ifndef OB_KERNELS_RECURRENT_H
#define OB_KERNELS_RECURRENT_H

#include <stdint.h>

typedef struct obk_recurrent {
    void (*add_product[2])(void *z, const void *a, const void *b, int64_t n);          /* z += a * b */
    void (*complement[2])(void *z, const void *x, int64_t n);                          /* z = 1 - x */
    void (*carry[2])(void *c, const void *f, const void *i, const void *g, int64_t n); /* c = f * c + i * g */
    void (*blend[2])(void *h, const void *z, const void *fresh, int64_t n);            /* h = (1 - z) * fresh + z * h */
    void (*add_reset[2])(void *g, const void *r, const void *t, const void *bias,
                         int64_t n); /* g += r * (t + bias); bias NULL: 0 */
} obk_recurrent;

#endif
