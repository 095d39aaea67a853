/* What pool.c and pool_f64.c share. */
#include "kernels/pool/pool.h"

#include <math.h>

#include "core/base/integers.h"
#include "kernels/plain.h"
#include "kernels/pool/lanes.h"
#include "kernels/vector.h"
#include "kernels/window/visit.inc.h"
#include "kernels/window/window.h"
#include "onnx_broadcast/broadcast.h"

static int64_t column_major(const obk_window *w, int64_t at) {
    int64_t index[OB_MAX_RANK], result = 0;
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        index[a] = at % w->axes[a].in;
        at /= w->axes[a].in;
    }
    for (int32_t a = w->rank - 1; a >= 0; a--) result = result * w->axes[a].in + index[a];
    return result;
}

/* The kernel positions from the returned one up to *end that result o reads inside the input. The axis has no dilation. */
static inline int64_t small_kernel_range(const obk_axis *x, int64_t o, int64_t *end) {
    const int64_t start = o * x->stride - x->before, left = x->in - start, first = start < 0 ? -start : 0;
    *end = left < x->kernel ? left : x->kernel;
    return first;
}

/* A small kernel over two axes, without dilation. Copying the plane would take longer than reading it in place. */
static bool is_small(const obk_window *w) {
    const obk_axis *rows = &w->axes[0], *last = &w->axes[w->rank - 1];
    return w->rank == 2 && rows->kernel <= 4 && rows->dilation == 1 && rows->stride <= rows->kernel && last->dilation == 1 &&
           last->stride <= 2 && (last->kernel == 2 || last->kernel == 3);
}
