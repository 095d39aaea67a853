/* Interpolation between the elements of a plane: each value is a weighted sum of a few elements (the taps), which are the same in
 * all planes. Tables are [tap][OBK_SAMPLE_POINTS]. A tap of weight 0 counts as 0, whatever its element is. Taps are added in
 * order. */
#ifndef OB_KERNELS_SAMPLE_H
#define OB_KERNELS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum { OBK_SAMPLE_POINTS = 64 };

typedef struct obk_sampling {
    int64_t n_planes, x_step, y_step; /* planes, and elements from one to the next */
    int32_t n_points, n_taps;         /* at most OBK_SAMPLE_POINTS; at least 1 */
    const int32_t *offsets;           /* offset from the beginning of a plane; 0 for a tap without weight */
    const void *weights;              /* of the elements' type */
    bool adds;                        /* adds to y; for a maximum, y takes part */
} obk_sampling;

typedef void (*obk_sample)(void *y, const void *x, const obk_sampling *s);

/* [0] is for floats, [1] for doubles. y is dense within a plane and overlaps nothing. */
typedef struct obk_samples {
    obk_sample sum[2];
    obk_sample max[2]; /* the largest weighted element. NaN is only found if it comes first */
} obk_samples;

#endif
