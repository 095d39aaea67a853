/* Loops of normalizations. Statistics are doubles, summed in 16 parts that are added as a tree. [0] is for floats, [1] for
 * doubles. y may be x. */
#ifndef OB_KERNELS_NORM_H
#define OB_KERNELS_NORM_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/loop.h"

/* LRN: y = x / (bias + factor * the sum of squares of the channels c - before .. c + behind) ^ beta. */
typedef struct obk_lrn {
    int64_t channels, before, behind;
    double factor, beta, bias;
} obk_lrn;
enum { OBK_LRN_BYTES = 1024 }; /* bytes of a row of columns */

/* Sums over n dense elements: x, |x|; (x - mean)^2. */
typedef double (*obk_norm_sum)(const void *x, int64_t n);
typedef double (*obk_norm_squares)(const void *x, int64_t n, double mean);
/* Adds the same to one cell for each of n columns; mean NULL: 0. */
typedef void (*obk_norm_columns)(double *sums, const void *x, int64_t n);
typedef void (*obk_norm_columns_squares)(double *sums, const void *x, const double *mean, int64_t n);
/* y = x * factor + offset, computed in the elements' type. */
typedef void (*obk_norm_affine)(void *y, const void *x, int64_t n, double factor, double offset);
/* y = (x - shift) * factor * scale + bias in the elements' type, scale and bias of n elements or NULL. */
typedef void (*obk_norm_scaled)(void *y, const void *x, int64_t n, double shift, double factor, const void *scale,
                                const void *bias);
/* y = (x - shift) / divisor in doubles, and 0 for divisor 0. One divisor for all, or one for each column; shifts may be NULL. */
typedef void (*obk_norm_divided)(void *y, const void *x, int64_t n, double shift, double divisor);
typedef void (*obk_norm_columns_divided)(void *y, const void *x, int64_t n, const double *shifts, const double *divisors);
/* LRN of one channel at a time, for `width` columns, at most OBK_LRN_BYTES. obk_lrn_add adds the squares of n_rows channels,
 * which lie `stride` elements apart, to `sums`, of the elements' type. Then y = x / (bias + factor * sums) ^ beta, which
 * overwrites the sums. y is not x. */
typedef void (*obk_lrn_add)(void *sums, const void *x, int64_t stride, int64_t width, int64_t n_rows);
typedef void (*obk_lrn_divide)(const obk_lrn *p, void *y, const void *x, void *sums, int64_t width);

typedef struct obk_norms {
    obk_norm_sum sum[2], sum_abs[2];
    obk_norm_squares sum_squares[2];
    obk_norm_columns columns_abs[2], columns_sum[2];
    obk_norm_columns_squares columns_squares[2];
    obk_norm_affine affine[2];
    obk_loop affine_loop[2]; /* the same as an elementwise loop of x, factors and offsets */
    obk_norm_scaled scaled[2];
    obk_norm_divided divided[2];
    obk_norm_columns_divided columns_divided[2];
    obk_lrn_add lrn_add[2];
    obk_lrn_divide lrn_divide[2];
} obk_norms;

#endif
