/* The loops of one operand for one floating type. Parameters: T, S, and M(name) for C library functions. Activations are plain
 * loops in blocks around the array functions of vmath. */
#define NAME(op)  OBK_CAT3(op, _, S)
#define VMATH(op) OBK_CAT3(v##op, _, S)
#define PARAMS    const obk_unary_params *p = params

#define FN                LOOP(u_exp)
#define BLOCK(z, x, n, p) VMATH(exp)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_log)
#define BLOCK(z, x, n, p) VMATH(log)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_sin)
#define BLOCK(z, x, n, p) VMATH(sin)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_cos)
#define BLOCK(z, x, n, p) VMATH(cos)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_tan)
#define BLOCK(z, x, n, p) VMATH(tan)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_asin)
#define BLOCK(z, x, n, p) VMATH(asin)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_acos)
#define BLOCK(z, x, n, p) VMATH(acos)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_atan)
#define BLOCK(z, x, n, p) VMATH(atan)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
/* Some vector functions overflow too early; the C library's do not. */
static void NAME(block_sinh)(T *z, const T *x, int64_t n) {
    T t[BLOCK_ELEMS];
    VMATH(sinh)(t, x, n);
    for (int64_t i = 0; i < n; i++) z[i] = M(fabs)(x[i]) > (sizeof(T) == 4 ? 88 : 709) ? M(sinh)(x[i]) : t[i];
}
#define FN                LOOP(u_sinh)
#define BLOCK(z, x, n, p) NAME(block_sinh)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
static void NAME(block_cosh)(T *z, const T *x, int64_t n) {
    T t[BLOCK_ELEMS];
    VMATH(cosh)(t, x, n);
    for (int64_t i = 0; i < n; i++) z[i] = M(fabs)(x[i]) > (sizeof(T) == 4 ? 88 : 709) ? M(cosh)(x[i]) : t[i];
}
#define FN                LOOP(u_cosh)
#define BLOCK(z, x, n, p) NAME(block_cosh)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_tanh)
#define BLOCK(z, x, n, p) VMATH(tanh)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
static void NAME(block_asinh)(T *z, const T *x, int64_t n) {
    T t[BLOCK_ELEMS];
    VMATH(asinh)(t, x, n);
    for (int64_t i = 0; i < n; i++) z[i] = M(fabs)(x[i]) > (T)(sizeof(T) == 4 ? 1e15 : 1e150) ? M(asinh)(x[i]) : t[i];
}
#define FN                LOOP(u_asinh)
#define BLOCK(z, x, n, p) NAME(block_asinh)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
static void NAME(block_acosh)(T *z, const T *x, int64_t n) {
    T t[BLOCK_ELEMS];
    VMATH(acosh)(t, x, n);
    for (int64_t i = 0; i < n; i++) z[i] = M(fabs)(x[i]) > (T)(sizeof(T) == 4 ? 1e15 : 1e150) ? M(acosh)(x[i]) : t[i];
}
#define FN                LOOP(u_acosh)
#define BLOCK(z, x, n, p) NAME(block_acosh)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_atanh)
#define BLOCK(z, x, n, p) VMATH(atanh)(z, x, n)
#include "kernels/elementwise/block1.inc.h"
#define FN                LOOP(u_erf)
#define BLOCK(z, x, n, p) VMATH(erf)(z, x, n)
#include "kernels/elementwise/block1.inc.h"

#define FN    LOOP(u_abs)
#define TI    T
#define TO    T
#define OP(x) (M(fabs)(x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_neg)
#define TI    T
#define TO    T
#define OP(x) (-(x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_ceil)
#define TI    T
#define TO    T
#define OP(x) (M(ceil)(x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_floor)
#define TI    T
#define TO    T
#define OP(x) (M(floor)(x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_round)
#define TI    T
#define TO    T
#define OP(x) (M(rint)(x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_sqrt)
#define TI    T
#define TO    T
#define OP(x) (M(sqrt)(x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_relu)
#define TI    T
#define TO    T
#define OP(x) ((x) < 0 ? 0 : (x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_reciprocal)
#define TI    T
#define TO    T
#define OP(x) (1 / (x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_sign)
#define TI    T
#define TO    T
#define OP(x) ((x) > 0 ? 1 : (x) < 0 ? -1 : (x) == 0 ? 0 : (x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_is_nan)
#define TI    T
#define TO    uint8_t
#define OP(x) ((x) != (x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_softsign)
#define TI    T
#define TO    T
#define OP(x) ((x) / (1 + M(fabs)(x)))
#include "kernels/elementwise/loop1.inc.h"

/* Loops with parameters hold them in local variables of type T. */
static void NAME(block_leaky_relu)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T alpha = (T)p->alpha;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] < 0 ? alpha * x[i] : x[i];
}
#define FN    LOOP(u_leaky_relu)
#define BLOCK NAME(block_leaky_relu)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_thresholded_relu)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T alpha = (T)p->alpha;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] > alpha ? x[i] : 0; /* NaN gives 0, too */
}
#define FN    LOOP(u_thresholded_relu)
#define BLOCK NAME(block_thresholded_relu)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_hard_sigmoid)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T alpha = (T)p->alpha, beta = (T)p->beta;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const T t = alpha * x[i] + beta;
        z[i] = t < 0 ? 0 : t > 1 ? 1 : t;
    }
}
#define FN    LOOP(u_hard_sigmoid)
#define BLOCK NAME(block_hard_sigmoid)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_hard_swish)(T *z, const T *x, int64_t n, const void *params) {
    (void)params;
    const T sixth = (T)1 / 6;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const T t = x[i] * sixth + (T)0.5;
        z[i] = x[i] * (t < 0 ? 0 : t > 1 ? 1 : t);
    }
}
#define FN    LOOP(u_hard_swish)
#define BLOCK NAME(block_hard_swish)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_shrink)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T lambda = (T)p->alpha, bias = (T)p->beta;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] < -lambda ? x[i] + bias : x[i] > lambda ? x[i] - bias : 0;
}
#define FN    LOOP(u_shrink)
#define BLOCK NAME(block_shrink)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_clip)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T low = (T)p->alpha, high = (T)p->beta;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const T t = x[i] < low ? low : x[i];
        z[i] = t > high ? high : t;
    }
}
#define FN    LOOP(u_clip)
#define BLOCK NAME(block_clip)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_affine)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T alpha = (T)p->alpha, beta = (T)p->beta;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = alpha * x[i] + beta;
}
#define FN    LOOP(u_affine)
#define BLOCK NAME(block_affine)
#include "kernels/elementwise/block1.inc.h"

#define FN                LOOP(u_sigmoid)
#define BLOCK(z, x, n, p) VMATH(sigmoid)(z, x, n)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_elu)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T alpha = (T)p->alpha;
    T t[BLOCK_ELEMS];
    for (int64_t i = 0; i < n; i++) t[i] = x[i] < 0 ? x[i] : 0;
    VMATH(expm1)(t, t, n);
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] < 0 ? alpha * t[i] : x[i];
}
#define FN    LOOP(u_elu)
#define BLOCK NAME(block_elu)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_selu)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T gamma = (T)p->gamma, both = (T)(p->alpha * p->gamma);
    T t[BLOCK_ELEMS];
    for (int64_t i = 0; i < n; i++) t[i] = x[i] > 0 ? 0 : x[i];
    VMATH(expm1)(t, t, n);
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] > 0 ? gamma * x[i] : both * t[i];
}
#define FN    LOOP(u_selu)
#define BLOCK NAME(block_selu)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_celu)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T alpha = (T)p->alpha;
    T t[BLOCK_ELEMS];
    for (int64_t i = 0; i < n; i++) t[i] = x[i] > 0 ? 0 : x[i] / alpha;
    VMATH(expm1)(t, t, n);
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] > 0 ? x[i] : alpha * t[i];
}
#define FN    LOOP(u_celu)
#define BLOCK NAME(block_celu)
#include "kernels/elementwise/block1.inc.h"

#define FN                LOOP(u_softplus)
#define BLOCK(z, x, n, p) VMATH(softplus)(z, x, n)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_mish)(T *z, const T *x, int64_t n, const void *params) {
    (void)params;
    T t[BLOCK_ELEMS];
    VMATH(softplus)(t, x, n);
    VMATH(tanh)(t, t, n);
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] * t[i];
}
#define FN    LOOP(u_mish)
#define BLOCK NAME(block_mish)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_gelu)(T *z, const T *x, int64_t n, const void *params) {
    (void)params;
    const T root_half = (T)0.70710678118654752440;
    T t[BLOCK_ELEMS];
    for (int64_t i = 0; i < n; i++) t[i] = x[i] * root_half;
    VMATH(erf)(t, t, n);
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = (T)0.5 * x[i] * (1 + t[i]);
}
#define FN    LOOP(u_gelu)
#define BLOCK NAME(block_gelu)
#include "kernels/elementwise/block1.inc.h"

/* x / 2 (1 + tanh(u)), which is x / (1 + exp(-2 u)). */
static void NAME(block_gelu_tanh)(T *z, const T *x, int64_t n, const void *params) {
    (void)params;
    const T twice = (T)1.59576912160573071176, cubic = (T)0.044715;
    T t[BLOCK_ELEMS];
    for (int64_t i = 0; i < n; i++) t[i] = twice * (x[i] + cubic * x[i] * x[i] * x[i]);
    VMATH(sigmoid)(t, t, n);
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] * t[i];
}
#define FN    LOOP(u_gelu_tanh)
#define BLOCK NAME(block_gelu_tanh)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_swish)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T alpha = (T)p->alpha;
    T t[BLOCK_ELEMS];
    for (int64_t i = 0; i < n; i++) t[i] = -alpha * x[i];
    VMATH(exp)(t, t, n);
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = x[i] / (1 + t[i]);
}
#define FN    LOOP(u_swish)
#define BLOCK NAME(block_swish)
#include "kernels/elementwise/block1.inc.h"

static void NAME(block_scaled_tanh)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    const T alpha = (T)p->alpha, beta = (T)p->beta;
    T t[BLOCK_ELEMS];
    for (int64_t i = 0; i < n; i++) t[i] = beta * x[i];
    VMATH(tanh)(t, t, n);
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = alpha * t[i];
}
#define FN    LOOP(u_scaled_tanh)
#define BLOCK NAME(block_scaled_tanh)
#include "kernels/elementwise/block1.inc.h"

/* alpha * ln(exp(beta * x) + 1), without overflow. */
static void NAME(block_parametric_softplus)(T *z, const T *x, int64_t n, const void *params) {
    PARAMS;
    T t[BLOCK_ELEMS];
    for (int64_t i = 0; i < n; i++) t[i] = (T)p->beta * x[i];
    VMATH(softplus)(t, t, n);
    for (int64_t i = 0; i < n; i++) z[i] = (T)p->alpha * t[i];
}
#define FN    LOOP(u_parametric_softplus)
#define BLOCK NAME(block_parametric_softplus)
#include "kernels/elementwise/block1.inc.h"

void LOOP(u_is_inf)(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params) {
    (void)step;
    PARAMS;
    const char *a = pointers[0];
    char *out = pointers[1];
    for (int64_t j = 0; j < rows; j++, a += row[0], out += row[1]) {
        const T *x = (const T *)(const void *)a;
        for (int64_t i = 0; i < n; i++)
            out[i] = (char)((p->positive & (x[i] == (T)INFINITY)) | (p->negative & (x[i] == -(T)INFINITY)));
    }
}

#include "kernels/elementwise/clip1.inc.h"

#undef NAME
#undef VMATH
#undef PARAMS
#undef T
#undef S
#undef M
