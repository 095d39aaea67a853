/* Taps: the elements from which a value between elements is interpolated. Each axis has a few, with weights; in a plane, weights
 * of axes are multiplied. */
#ifndef OB_OPS_KERNEL_TAPS_H
#define OB_OPS_KERNEL_TAPS_H

#include "ops/kernel/kernel.h"

enum { OB_AXIS_TAPS = 4 };

typedef struct ob_axis_taps {
    int32_t n;
    int64_t index[OB_AXIS_TAPS]; /* negative: no element */
    double weight[OB_AXIS_TAPS];
} ob_axis_taps;

/* Tables for a block of points (kernels/sample/sample.h). */
typedef struct ob_tap_table {
    bool is_double;
    int32_t n_taps;
    int32_t *offsets;
    void *weights;
} ob_tap_table;

/* Memory of one table: requested for each lane in needs, then taken from *memory. */
ob_status ob__need_taps(ob_kernel_needs *needs, int64_t n_taps, bool is_double, ob_error *error);
ob_tap_table ob__take_taps(char **memory, int64_t n_taps, bool is_double);
/* Sets point `p` of the table to every combination of taps of the axes, last axis fastest, with the product of their weights and
 * `factor`. dims: sizes of the plane. */
void ob__put_taps(const ob_tap_table *table, int32_t p, int32_t rank, const ob_axis_taps *axes, const int64_t *dims,
                  double factor);
/* For |x| below 2^52. The C library's floor is a function call if the processor may lack the instruction. */
static inline int64_t ob__floor(double x) {
    const int64_t whole = (int64_t)x;
    return whole - (x < (double)whole);
}

static inline void ob__two_taps(ob_axis_taps *taps, int64_t low, int64_t high, double below, double above) {
    taps->n = 2;
    taps->index[0] = low;
    taps->index[1] = high;
    taps->weight[0] = below;
    taps->weight[1] = above;
}

/* The two neighbours of a position on an axis of n elements. Neighbours outside the axis have weight 0; if n > 0, NaN gives
 * weights NaN. */
static inline void ob__linear_taps(ob_axis_taps *taps, double at, int64_t n) {
    if (at != at) {
        ob__two_taps(taps, 0, 0, at, at);
    } else if (!(at > -1 && at < (double)n)) {
        ob__two_taps(taps, -1, -1, 0, 0);
    } else {
        const int64_t low = ob__floor(at);
        const double above = at - (double)low;
        ob__two_taps(taps, low, low + 1 < n ? low + 1 : -1, 1 - above, above);
    }
}

#endif
