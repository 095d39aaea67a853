/* Pow. Compiled once for each instruction-set level. */
#include <math.h>
#include <string.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/level.h"
#include "kernels/loop.h"
#include "kernels/vmath/vmath.h"

#define MEMBER binary
#define ROWS   "kernels/elementwise/binary.def"
#include "kernels/declare.inc.h"

/* Wraps like repeated multiplication. A negative exponent gives the truncated reciprocal, and 0 for base 0. */
static inline int64_t int_power(int64_t base, int64_t exponent) {
    if (exponent < 0) {
        if (base == 1) return 1;
        return base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    }
    uint64_t result = 1, square = (uint64_t)base;
    for (uint64_t e = (uint64_t)exponent; e; e >>= 1, square *= square)
        if (e & 1) result *= square;
    return (int64_t)result;
}

#define FN       OBK_FN(pow_i64)
#define TI       int64_t
#define TO       int64_t
#define OP(a, b) int_power(a, b)
#include "kernels/elementwise/loop2.inc.h"

#include "kernels/elementwise/pow_f32.inc.h"

#define T       float
#define S       f32
#define SQRT    sqrtf
#define CUBE(x) (float)((double)(x) * (double)(x) * (double)(x))
#include "kernels/elementwise/pow.inc.h"

#ifndef OBK_LOWER
static void pow_any_f64(double *z, const double *x, bool x_vector, const double *y, bool y_vector, int64_t n) {
    vpow_f64(z, x, x_vector, y, y_vector, n);
}

#define T    double
#define S    f64
#define SQRT sqrt
#include "kernels/elementwise/pow.inc.h"
#endif
