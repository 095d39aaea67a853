/* Pooling. Compiled once for each instruction-set level. */
#include "kernels/level.h"
#include "kernels/pool/small.inc.h"

#define MEMBER pool
#define ROWS   "kernels/pool/pool.def"
#include "kernels/declare.inc.h"

#define LOOP(n) OBK_FN(NAME(n))

#define T         float
#define PAD       obk_pad_f32
#define NAME(n)   n##_f32
#define IS_NAN(x) ((x) != (x))
#define VECTOR    obk_v_f32
#define REGISTER  obk_r_f32
#define LOWEST    (-INFINITY)
#define UNORDERED UNORDERED_F32
#include "kernels/pool/max.inc.h"
#ifndef OBK_LOWER
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
#endif

#define T        float
#define PAD      obk_pad_f32
#define NAME(n)  n##_f32
#define VECTOR   obk_v_f32
#define REGISTER obk_r_f32
#define POW      powf
#define SQRT     sqrtf
#define ABS      fabsf
#include "kernels/pool/sum.inc.h"

void OBK_FN(pool_divide)(const obk_pool *p, void *y, int64_t first, int64_t rows) {
    const int64_t n = p->window.axes[p->window.rank - 1].out;
    float *restrict sums = y;
    const float *restrict divisors = p->divisors + (p->divisors ? first * n : 0);
    for (int64_t i = 0; p->divisors && i < rows * n; i++) sums[i] /= divisors[i];
    if (p->divisors) return;
    for (int64_t r = first; r < first + rows; r++, sums += n) finish_f32(p, sums, sums, r, 0, n);
}

const obk_pools OBK_TABLE(pool) = {
#define ROWS "kernels/pool/pool.def"
#include "kernels/table.inc.h"
};
