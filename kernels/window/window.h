/* The sliding window of convolutions and pooling, for any number of spatial axes, and the layout of a plane for it.
 *
 * A block of the plane is copied once with its padding, so that later loops need no border checks. Along an axis of stride s the
 * elements are separated by their remainder modulo s; the elements of one remainder are a phase. The elements that one kernel
 * position reads for neighbouring results are then contiguous. One loop over flat positions computes all results of a block; the
 * positions after the end of a row are computed but not used.
 *
 * A kernel position is an index into the kernel, 0 .. n_kernel - 1. */
#ifndef OB_KERNELS_WINDOW_WINDOW_H
#define OB_KERNELS_WINDOW_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct obk_axis {
    int64_t in, out, kernel, stride, dilation, before, after; /* before, after: padding. All below 2^31 */
} obk_axis;

typedef struct obk_window {
    int32_t rank; /* spatial axes, at least 1 */
    const obk_axis *axes;
    int64_t n_in, n_out, n_kernel; /* elements of one input plane, one output plane and the kernel */
} obk_window;

/* The same window over fewer axes. An axis where each result reads only the element at its own position joins the axis before it,
 * or is removed if its size is 1. Planes and the order of kernel positions stay the same. Returns the new rank, at least 1. */
int32_t obk_merge_axes(obk_axis *axes, int32_t rank);

typedef struct obk_tiling {
    int64_t rank, n_kernel;             /* of the window */
    int64_t block, n_blocks;            /* results along axis 0 in a block, and blocks */
    int64_t phases, phase_elems, elems; /* of a block's copy; elems = phases * phase_elems */
    int64_t n_flat;                     /* flat positions from a block's first result to its last, inclusive */
    int64_t n_rows;                     /* rows of results (along the last axis) in a block */
    int64_t rows_each, results_each;    /* for one index along axis 0: rows of results (0 if there is one axis), and results */
    int64_t inputs_each;                /* input elements for one index along axis 0 */
    const int64_t *pitch;               /* [rank] flat distance between neighbouring results along the axis */
    const int64_t *extent;              /* [rank] positions of a phase */
    const int64_t *axis_phases;         /* [rank] */
    const int64_t *offset;              /* [n_kernel] where kernel position k reads for flat position 0 */
    const int64_t *row;                 /* [n_rows] flat position of a row's first result */
} obk_tiling;

/* Flat loops compute whole tiles, so they read up to this many elements after a copy, or after the last of several. */
enum { OBK_SLACK = 128 };

/* Chooses the layout for copies of about `wish` elements at most. False if padding or stride would make the copy or the loops
 * many times larger than the input; kernel positions must then be visited one by one (obk_kernel_range). Fills everything except
 * the tables, which need n_tables elements. */
bool obk_choose_tiling(const obk_window *window, int64_t wish, obk_tiling *tiling, int64_t *n_tables);
void obk_fill_tiling(const obk_window *window, obk_tiling *tiling, int64_t *tables);

/* For block b: results along axis 0, rows of results, their length, and the offset of the block in the plane of results. */
static inline int64_t obk_block_size(const obk_window *w, const obk_tiling *t, int64_t b) {
    int64_t left = w->axes[0].out - b * t->block;
    return left < t->block ? left : t->block;
}
static inline int64_t obk_block_rows(const obk_window *w, const obk_tiling *t, int64_t b) {
    return w->rank == 1 ? 1 : t->rows_each * obk_block_size(w, t, b);
}
static inline int64_t obk_row_length(const obk_window *w, const obk_tiling *t, int64_t b) {
    return w->rank == 1 ? obk_block_size(w, t, b) : w->axes[w->rank - 1].out;
}
static inline int64_t obk_block_start(const obk_tiling *t, int64_t b) {
    return b * t->block * t->results_each;
}
/* The number of flat positions of block b. */
static inline int64_t obk_block_flat(const obk_window *w, const obk_tiling *t, int64_t b) {
    return t->n_flat - (t->block - obk_block_size(w, t, b)) * t->pitch[0];
}

/* The kernel positions first .. end along the axis that result o reads inside the input. */
void obk_kernel_range(const obk_axis *axis, int64_t o, int64_t *first, int64_t *end);
/* The number of kernel positions of result o that lie inside the input and its padding. */
int64_t obk_padded_positions(const obk_axis *axis, int64_t o);
/* The results first .. end for which kernel position k of the axis lies inside the input. */
void obk_result_range(const obk_axis *axis, int64_t k, int64_t *first, int64_t *end);
/* The results first .. end whose kernel positions all lie inside the input. */
void obk_inner_results(const obk_axis *axis, int64_t *first, int64_t *end);
/* The number of input reads of all results, at most INT64_MAX / 2. Along an axis with over a million results and kernel positions
 * it is an upper bound. */
int64_t obk_window_work(const obk_window *window);

/* Copies block b of the plane x together with its padding of value `fill`. Elements have 1, 4 or 8 bytes. */
void obk_pad_1(const obk_window *w, const obk_tiling *t, const void *x, int64_t b, uint8_t fill, void *to);
void obk_pad_4(const obk_window *w, const obk_tiling *t, const void *x, int64_t b, uint32_t fill, void *to);
void obk_pad_8(const obk_window *w, const obk_tiling *t, const void *x, int64_t b, uint64_t fill, void *to);
static inline void obk_pad_f32(const obk_window *w, const obk_tiling *t, const void *x, int64_t b, float fill, void *to) {
    uint32_t bits;
    memcpy(&bits, &fill, sizeof bits);
    obk_pad_4(w, t, x, b, bits, to);
}
static inline void obk_pad_f64(const obk_window *w, const obk_tiling *t, const void *x, int64_t b, double fill, void *to) {
    uint64_t bits;
    memcpy(&bits, &fill, sizeof bits);
    obk_pad_8(w, t, x, b, bits, to);
}

/* For short rows, for which a call of memcpy takes longer than the copy. */
static inline void obk_copy_row(void *to, const void *from, int64_t n_bytes) {
    char *t = to;
    const char *f = from;
    size_t n = (size_t)n_bytes;
    if (n >= 512) {
        memcpy(t, f, n);
    } else if (n >= 16) {
        size_t i = 0;
        for (; i + 32 <= n; i += 32) memcpy(t + i, f + i, 32);
        if (i + 16 <= n) memcpy(t + i, f + i, 16);
        memcpy(t + n - 16, f + n - 16, 16);
    } else if (n >= 8) {
        memcpy(t, f, 8);
        memcpy(t + n - 8, f + n - 8, 8);
    } else if (n >= 4) {
        memcpy(t, f, 4);
        memcpy(t + n - 4, f + n - 4, 4);
    } else {
        for (size_t i = 0; i < n; i++) t[i] = f[i];
    }
}

#endif
