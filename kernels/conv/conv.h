/* Convolution: products of weights with a plane laid out as window/window.h says, so that what a tap sees at neighbouring results
 * is a row of the other operand; nothing is unfolded. */
#ifndef OB_KERNELS_CONV_CONV_H
#define OB_KERNELS_CONV_CONV_H

#include "kernels/window/window.h"

typedef struct obk_conv {
    obk_window window;
    obk_tiling tiling;
    bool tiled;             /* false: taps are looked at one by one, in one block */
    bool as_is;             /* tiled, one tap that sees each element at its own place. Blocks are cut out of the whole plane,
                             * the last takes what is left; each has OBK_CONV_LEAST elements or more */
    int64_t channels, maps; /* of one group */
    int64_t pitch;          /* from a channel's copy to the next; 0: nothing is copied, where that is as_is */
} obk_conv;

/* At most so many maps are computed at once. */
enum { OBK_CONV_MAPS = 6, OBK_CONV_LEAST = 16 };

/* The pitch for copies of n elements: an odd number of cache lines, so that a cache keeps what lies at the same place in all. */
static inline int64_t obk_conv_pitch(int64_t n) {
    return ((n + 15) / 16 | 1) * 16;
}

/* Elements of lane that one call needs. */
static inline int64_t obk_conv_lane(const obk_conv *c) {
    if (!c->tiled) return 0;
    if (c->as_is) return c->pitch > 0 ? c->channels * c->pitch + OBK_SLACK : 0;
    return c->channels * c->pitch + OBK_SLACK + OBK_CONV_MAPS * (c->tiling.n_flat + OBK_SLACK);
}

/* Maps first .. end of block b: y[m] = bias[m] + sum over channels, then taps, each product added in turn. x, y: planes of one
 * image and group; w: [maps][channels][taps]; bias: NULL for none. */
typedef void (*obk_conv_run)(const obk_conv *conv, const void *x, const void *w, const void *bias, void *y, int64_t b,
                             int64_t first, int64_t end, void *lane);
/* z[m - first] = sum over c of w[c * rows + m] * x[c], m first .. end, n elements each; x: [channels][n]. lane: room for
 * channels * n + (1 + OBK_CONV_MAPS) * OBK_SLACK elements where n is less than OBK_CONV_LEAST. */
typedef void (*obk_conv_columns)(const void *x, int64_t channels, int64_t n, const void *w, int64_t rows, int64_t first,
                                 int64_t end, void *z, void *lane);
/* The window's input, each element the sum of what its taps give to it: y[i] = bias + sum of columns[tap][result]. */
typedef void (*obk_conv_fold)(const obk_window *window, const void *columns, const void *bias, void *y);

typedef struct obk_convs {
    obk_conv_run run[2]; /* F32, F64 */
    obk_conv_columns columns[2];
    obk_conv_fold fold[2];
} obk_convs;

#endif
