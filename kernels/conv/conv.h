/* Convolution: products of weights with a plane laid out as window/window.h says, so that what a tap sees at neighbouring results
 * is a row of the other operand; nothing is unfolded. */
#ifndef OB_KERNELS_CONV_CONV_H
#define OB_KERNELS_CONV_CONV_H

#include "core/base/pace.h"
#include "kernels/gemm/integer.h"
#include "kernels/window/window.h"

typedef struct obk_conv {
    obk_window window;
    obk_tiling tiling;
    bool tiled;             /* false: taps are looked at one by one, in one block */
    bool as_is;             /* tiled, one tap that sees each element at its own place. Blocks are cut out of the whole plane,
                             * the last takes what is left; each has OBK_CONV_LEAST elements or more */
    int64_t channels, maps; /* of one group */
    int64_t pitch;          /* from a channel's copy to the next; 0: nothing is copied, where that is as_is */
    int64_t y_map;          /* from a map's results to the next one's */
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

/* Of block b: how many results, and where in the plane of results they begin. */
static inline int64_t obk_conv_start(const obk_conv *c, int64_t b) {
    return !c->tiled ? 0 : c->as_is ? b * c->tiling.block : obk_block_start(&c->tiling, b);
}
static inline int64_t obk_conv_results(const obk_conv *c, int64_t b) {
    if (!c->tiled) return c->window.n_out;
    if (!c->as_is) return obk_block_size(&c->window, &c->tiling, b) * c->tiling.results_each;
    return b + 1 < c->tiling.n_blocks ? c->tiling.block : c->window.n_out - b * c->tiling.block;
}

/* Maps first .. end of block b: y[m - first] = bias[m] + sum over channels, then taps, each product added in turn. x: planes of
 * one image and group; w: [maps][channels][taps]; bias: NULL for none; y: the block's results of map `first`.
 * Of pairs: channels are pairs of them, the elements of x and w obk_pair, those of bias and y 32-bit integers, which wrap. */
typedef void (*obk_conv_run)(const obk_conv *conv, const void *x, const void *w, const void *bias, void *y, int64_t b,
                             int64_t first, int64_t end, void *lane, obk_pace *pace);
/* z[m - first] = sum over c of w[c * rows + m] * x[c], m first .. end, n elements each; x: [channels][n]. lane: room for
 * channels * n + (1 + OBK_CONV_MAPS) * OBK_SLACK elements where n is less than OBK_CONV_LEAST. */
typedef void (*obk_conv_columns)(const void *x, int64_t channels, int64_t n, const void *w, int64_t rows, int64_t first,
                                 int64_t end, void *z, void *lane, obk_pace *pace);
/* The window's input, each element the sum of what its taps give to it: y[i] = bias + sum of columns[tap][result]. */
typedef void (*obk_conv_fold)(const obk_window *window, const void *columns, const void *bias, void *y, obk_pace *pace);

/* pairs[i] = {first[i] - zero, second[i] - zero}, of bytes; second NULL: 0. */
typedef void (*obk_conv_pair)(obk_pair *pairs, const void *first, const void *second, int16_t zero, int64_t n);

enum { OBK_CONV_F32, OBK_CONV_F64, OBK_CONV_PAIRS, OBK_CONV_TYPES };

typedef struct obk_convs {
    obk_conv_run run[OBK_CONV_TYPES];
    obk_conv_pair pair[2]; /* of uint8_t, int8_t */
    /* F32, F64: */
    obk_conv_columns columns[2];
    obk_conv_fold fold[2];
} obk_convs;

#endif
