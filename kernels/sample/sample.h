/* Values between the elements of a plane: each is made of a few elements with weights, its taps, which are the same in all
 * planes. Tables are [tap][OBK_SAMPLE_POINTS]. A tap of weight 0 counts as 0, whatever its element is. Taps are added in their
 * order. */
#ifndef OB_KERNELS_SAMPLE_H
#define OB_KERNELS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum { OBK_SAMPLE_POINTS = 64 };

typedef struct obk_sampling {
    int64_t n_planes, x_step, y_step; /* planes, and elements from one to the next */
    int32_t n_points, n_taps;         /* at most OBK_SAMPLE_POINTS; at least 1 */
    const int32_t *offsets;           /* elements from the beginning of a plane; that of what has no weight is 0 */
    const void *weights;              /* of the elements' type */
    bool adds;                        /* to what y holds; of a maximum: y takes part */
} obk_sampling;

/* [0] of floats, [1] of doubles. y is dense within a plane and overlaps nothing. */
typedef struct obk_samples {
    void (*sum[2])(void *y, const void *x, const obk_sampling *s);
    /* The largest of the weighted elements; NaN is only found where it comes first. */
    void (*max[2])(void *y, const void *x, const obk_sampling *s);
} obk_samples;

#endif
