/* Resampling along one axis: each result is a weighted sum of a few elements (the taps of the filter), or one of them. */
#ifndef OB_KERNELS_RESIZE_RESIZE_H
#define OB_KERNELS_RESIZE_RESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* index[k * n_out + i]: the element that tap k of result i reads, below n_in. `rises`: the indices of a tap never decrease.
 * `times`: the first tap reads each element this many times, in order; else 0. weight: float, or with `wide` double, with the
 * same layout; elements with weight 0 are not read. */
typedef struct obk_resize_axis {
    int64_t n_in, n_out, taps, times;
    bool rises, wide; /* wide: weights are double */
    const int32_t *index;
    const void *weight;
} obk_resize_axis;

/* Results first .. end along an axis, of `inner` elements each: x [n_in - x_first][inner], starting with element x_first of the
 * axis; y [end - first][inner]. Taps are added in order, products are rounded. */
typedef void (*obk_resize_along)(const obk_resize_axis *axis, int64_t first, int64_t end, int64_t inner, const void *x,
                                 int64_t x_first, void *y);
/* All results along the last axis, for `rows` rows: x [rows][n_in], y [rows][n_out]. */
typedef void (*obk_resize_rows)(const obk_resize_axis *axis, int64_t rows, const void *x, void *y);
/* y[i] = x[index[i]], elements of n_bytes. */
typedef void (*obk_resize_pick)(const obk_resize_axis *axis, int64_t n_bytes, const void *x, void *y);

typedef struct obk_resizes {
    obk_resize_along along[2]; /* float, double */
    obk_resize_rows rows[2];
    obk_resize_pick pick;
} obk_resizes;

#endif
