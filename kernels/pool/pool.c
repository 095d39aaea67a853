/* Pooling. Compiled once for each instruction-set level. */
#include "kernels/pool/pool.h"

#include <math.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/pool/lanes.h"
#include "kernels/vector.h"
#include "kernels/window/window.h"
#include "onnx_broadcast/broadcast.h"

#include "kernels/window/visit.inc.h"

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

#define T         float
#define PAD       obk_pad_f32
#define NAME(n)   n##_f32
#define IS_NAN(x) ((x) != (x))
#define VECTOR    obk_v_f32
#define REGISTER  obk_r_f32
#define LOWEST    (-INFINITY)
#define UNORDERED UNORDERED_F32
#include "kernels/pool/max.inc.h"
#define T         double
#define PAD       obk_pad_f64
#define NAME(n)   n##_f64
#define IS_NAN(x) ((x) != (x))
#define VECTOR    obk_v_f64
#define REGISTER  obk_r_f64
#define LOWEST    ((double)-INFINITY)
#define UNORDERED UNORDERED_F64
#include "kernels/pool/max.inc.h"
#define T         int8_t
#define PAD       obk_pad_1
#define NAME(n)   n##_i8
#define IS_NAN(x) 0
#define LOWEST    INT8_MIN
#include "kernels/pool/max.inc.h"
#define T         uint8_t
#define PAD       obk_pad_1
#define NAME(n)   n##_u8
#define IS_NAN(x) 0
#define LOWEST    0
#include "kernels/pool/max.inc.h"

#define T        float
#define PAD      obk_pad_f32
#define NAME(n)  n##_f32
#define VECTOR   obk_v_f32
#define REGISTER obk_r_f32
#define POW      powf
#define SQRT     sqrtf
#define ABS      fabsf
#include "kernels/pool/sum.inc.h"
#define T        double
#define PAD      obk_pad_f64
#define NAME(n)  n##_f64
#define VECTOR   obk_v_f64
#define REGISTER obk_r_f64
#define POW      pow
#define SQRT     sqrt
#define ABS      fabs
#include "kernels/pool/sum.inc.h"

static void divide(const obk_pool *p, void *y, int64_t first, int64_t rows) {
    const int64_t n = p->window.axes[p->window.rank - 1].out;
    float *restrict sums = y;
    const float *restrict divisors = p->divisors + (p->divisors ? first * n : 0);
    for (int64_t i = 0; p->divisors && i < rows * n; i++) sums[i] /= divisors[i];
    if (p->divisors) return;
    for (int64_t r = first; r < first + rows; r++, sums += n) finish_f32(p, sums, sums, r, 0, n);
}

const obk_pools OBK_TABLE(pool) = {
    .max = {max_f32, max_f64, max_i8, max_u8},
    .sum = {sum_f32, sum_f64},
    .divide = divide,
    .global = {global_f32, global_f64},
};
