/* The sliding window of convolutions and pooling, in any number of spatial axes, and how a plane is laid out for it.
 *
 * A block of the plane is copied once with its padding, so that nothing behind the copy asks where the border is. Along an axis
 * of stride s the elements are parted by their remainder modulo s (phases), each phase by itself: what a tap sees at neighbouring
 * results is then contiguous. All results of the block are computed in one loop over flat positions, of which those beyond the
 * end of a row are of no use. */
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
    int64_t n_in, n_out, n_taps; /* elements of one plane and of the kernel */
} obk_window;

/* The same window over fewer axes, where one sees each element at its own place: it joins the axis before it, or is left out
 * where its size is 1. Planes lie as they did; taps come in the same order. Returns the new rank, at least 1. */
int32_t obk_merge_axes(obk_axis *axes, int32_t rank);

typedef struct obk_tiling {
    int64_t block, n_blocks;            /* results along axis 0 in a block */
    int64_t phases, phase_elems, elems; /* of the copy; elems = phases * phase_elems */
    int64_t n_flat;                     /* flat positions from a block's first result to behind its last */
    int64_t n_rows;                     /* rows of results (runs along the last axis) in a block */
    int64_t rows_each, results_each;    /* of one result along axis 0: rows of results, 0 of one axis; results */
    int64_t inputs_each;                /* elements of one place along axis 0 of the input */
    const int64_t *pitch;               /* [rank] from a result to its neighbour along the axis, flat */
    const int64_t *extent;              /* [rank] positions of a phase */
    const int64_t *axis_phases;         /* [rank] */
    const int64_t *tap;                 /* [n_taps] what a tap sees at flat position 0 */
    const int64_t *row;                 /* [n_rows] flat position of a row's first result */
} obk_tiling;

/* Elements behind a copy, or behind the last of several, that flat loops read: they end with whole tiles. */
enum { OBK_SLACK = 128 };

/* The layout for copies of about `wish` elements at most. False where padding or stride would make the copy or the loops many
 * times larger than what is to be read: then taps have to be looked at one by one (obk_taps). Fills all but the tables,
 * which are n_tables elements. */
bool obk_choose_tiling(const obk_window *window, int64_t wish, obk_tiling *tiling, int64_t *n_tables);
void obk_fill_tiling(const obk_window *window, obk_tiling *tiling, int64_t *tables);

/* Of block b: results along axis 0, rows of results and their length, and where in the plane of results it begins. */
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
/* Flat positions of block b. */
static inline int64_t obk_block_flat(const obk_window *w, const obk_tiling *t, int64_t b) {
    return t->n_flat - (t->block - obk_block_size(w, t, b)) * t->pitch[0];
}

/* The taps first .. end of the axis that result o sees inside the input. Without a table: few calls ask. */
void obk_taps(const obk_axis *axis, int64_t o, int64_t *first, int64_t *end);
/* Taps of result o that lie inside the input and its padding. */
int64_t obk_padded_taps(const obk_axis *axis, int64_t o);
/* The results first .. end that tap k of the axis lets see the input. */
void obk_reach(const obk_axis *axis, int64_t k, int64_t *first, int64_t *end);
/* The results first .. end whose taps all lie in the input. */
void obk_inside(const obk_axis *axis, int64_t *first, int64_t *end);
/* Visits of inputs that all results make together, at most INT64_MAX / 2; of an axis of a million results and as many taps not
 * fewer than they are. */
int64_t obk_window_work(const obk_window *window);

/* Short rows: a call of memcpy costs more than they do. */
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
