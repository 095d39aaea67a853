/* exp, tanh, erf and sigmoid of floats, for vmath.h, in vectors. They need fused multiply-add. Errors are within 1.1 ulp, for
 * tanh 2 and for the sigmoid 2.5. The polynomials minimise the greatest relative error of the result, or of exp if they are a
 * part of it. */

#ifdef OBK_FUSES
enum { ACCURATE_BYTES = OBK_VECTOR_BYTES };
typedef obk_r_f32 accurate_real;
typedef obk_v_f32 accurate_memory;
#define accurate_fused obk_fma_v_f32
#define accurate_max   obk_max_v_f32
#else /* a vector is one number */
enum { ACCURATE_BYTES = sizeof(float) };
typedef float accurate_real __attribute__((vector_size(ACCURATE_BYTES)));
typedef float accurate_memory __attribute__((vector_size(ACCURATE_BYTES), aligned(sizeof(float)), may_alias));
OBK_INLINE accurate_real accurate_fused(accurate_real a, accurate_real b, accurate_real c) {
    return (accurate_real){__builtin_fmaf(a[0], b[0], c[0])};
}
OBK_INLINE accurate_real accurate_max(accurate_real a, accurate_real b) {
    return a[0] > b[0] ? a : b;
}
#endif
typedef int32_t accurate_int __attribute__((vector_size(ACCURATE_BYTES)));
typedef uint32_t accurate_bits __attribute__((vector_size(ACCURATE_BYTES)));

OBK_INLINE accurate_real accurate_splat(float x) {
    return x - (accurate_real){0};
}

/* a * b + c */
OBK_INLINE accurate_real accurate_fma(accurate_real a, accurate_real b, float c) {
    return accurate_fused(a, b, accurate_splat(c));
}

/* The maximum. `least` is not NaN; a NaN of x stays. */
OBK_INLINE accurate_real accurate_least(float least, accurate_real x) {
    return accurate_max(accurate_splat(least), x);
}

OBK_INLINE accurate_real accurate_most(float most, accurate_real x) {
#if defined(__AVX512F__)
    return (accurate_real)_mm512_min_ps((__m512)accurate_splat(most), (__m512)x);
#elif defined(__AVX2__)
    return (accurate_real)_mm256_min_ps((__m256)accurate_splat(most), (__m256)x);
#else
    const accurate_int is_less = (accurate_int)(accurate_splat(most) < x);
    return (accurate_real)(((accurate_int)accurate_splat(most) & is_less) | ((accurate_int)x & ~is_less));
#endif
}

OBK_INLINE accurate_real accurate_magnitude(accurate_real x) {
    return (accurate_real)((accurate_int)x & INT32_MAX);
}

/* `near` for z below the limit, else `far`, with the sign of x. */
OBK_INLINE accurate_real accurate_choose(accurate_real z, float limit, accurate_real near, accurate_real far, accurate_real x) {
    const accurate_int is_near = (accurate_int)(z < accurate_splat(limit));
    return (accurate_real)(((accurate_int)near & is_near) | ((accurate_int)far & ~is_near) | ((accurate_int)x & INT32_MIN));
}

/* 2^k, for k or for k in the form of accurate_exp_parts. For NaN, k and the result may be anything. */
OBK_INLINE accurate_real accurate_power(accurate_bits k) {
    return (accurate_real)((k << 23) + 0x3f800000);
}

/* e^x = 2^k (1 + r + r^2 P(r)) with x = k ln 2 + r. Returns the second factor minus 1, and k + 0x4b400000. x is in -177 .. 92. */
OBK_INLINE accurate_real accurate_exp_parts(accurate_real x, accurate_bits *k) {
    const accurate_real steps = accurate_fma(x, accurate_splat(0x1.715476p+0f), 0x1.8p23f);
    const accurate_real whole = steps - 0x1.8p23f;
    accurate_real r = accurate_fused(whole, accurate_splat(-0x1.62e400p-1f),
                                     x); /* ln 2 in two parts: 16 bits, whose products are exact, and the remainder */
    r = accurate_fused(whole, accurate_splat(-0x1.7f7d1cp-20f), r);
    const accurate_real square = r * r, low = accurate_fma(accurate_splat(0.1666651964187622f), r, 0.4999999403953552f);
    accurate_real p = accurate_fma(accurate_splat(0.008368780836462975f), r, 0.04166839271783829f);
    p = accurate_fused(accurate_splat(0.0013814467238262296f), square, p);
    p = accurate_fused(p, square, low);
    *k = (accurate_bits)steps;
    return accurate_fused(p, square, r);
}

/* x * 2^k, rounded once, for k in the form of accurate_exp_parts. */
OBK_INLINE accurate_real accurate_scale(accurate_real x, accurate_bits k) {
#if defined(__AVX512F__)
    return (accurate_real)_mm512_scalef_ps((__m512)x, (__m512)((accurate_real)k - 0x1.8p23f));
#else
    const accurate_bits half = (accurate_bits)((accurate_int)(k - 0x4b400000) >> 1);
    return x * accurate_power(half) * accurate_power(k - half);
#endif
}

#if defined(__AVX512F__)
/* p + 1, and 0 for x below -104, for which p may be anything. A NaN stays. */
OBK_INLINE accurate_real accurate_factor(accurate_real x, accurate_real p) {
    const __mmask16 counts = _mm512_cmp_ps_mask((__m512)x, (__m512)accurate_splat(-104.0f), _CMP_NLT_UQ);
    return (accurate_real)_mm512_maskz_add_ps(counts, (__m512)p, (__m512)accurate_splat(1));
}
#endif

/* Below -104 the result is 0. Where elements are far below, as those that a mask excludes, no product may underflow to it:
 * processors take a hundred times as long for one. So the exponent is one whose power is written as 0, or with AVX-512 the factor
 * is 0. */

/* The last product may be denormal. */
OBK_INLINE accurate_real accurate_exp(accurate_real x) {
    accurate_bits k;
#if defined(__AVX512F__)
    const accurate_real p = accurate_exp_parts(accurate_most(92.0f, x), &k);
    return accurate_scale(accurate_factor(x, p), k);
#else
    const accurate_real p = accurate_exp_parts(accurate_most(92.0f, accurate_least(-176.05f, x)), &k); /* k = -254 */
    return accurate_scale(p + 1, k);
#endif
}

/* exp for x at most 0, or NaN. */
OBK_INLINE accurate_real accurate_exp_low(accurate_real x) {
    accurate_bits k;
#if defined(__AVX512F__)
    const accurate_real p = accurate_exp_parts(x, &k);
    return accurate_scale(accurate_factor(x, p), k);
#else
    const accurate_real p = accurate_exp_parts(accurate_least(-132.4f, x), &k); /* k = -191 */
    return (p + 1) * accurate_power(k + 64) * 0x1p-64f;                         /* so that results may be denormal */
#endif
}

/* exp for |x| at most 80. */
OBK_INLINE accurate_real accurate_exp_near(accurate_real x) {
    accurate_bits k;
    const accurate_real p = accurate_exp_parts(x, &k), power = accurate_power(k);
    return accurate_fused(p, power, power);
}

/* tanh = (1 - e) / (1 + e) with e = e^(-2 z) = 2^k (1 - p). Both terms are rounded once; the first is exact for k = 0, where p is
 * small. z = r - k ln 2 / 2, with a constant that is precise enough for the few possible k. */
OBK_INLINE accurate_real accurate_tanh(accurate_real x) {
    const accurate_real z = accurate_most(10.0f, accurate_magnitude(x));
    const accurate_real steps = accurate_fma(z, accurate_splat(-0x1.715476p+1f), 0x1.8p23f), whole = steps - 0x1.8p23f;
    const accurate_real r = accurate_fused(whole, accurate_splat(0x1.62e430p-2f), z), square = r * r;
    const accurate_real low = accurate_fma(accurate_splat(1.3333215713500977f), r, -1.9999997615814209f);
    accurate_real p = accurate_fma(accurate_splat(0.2678009867668152f), r, -0.6666942834854126f);
    p = accurate_fused(accurate_splat(-0.08841259032487869f), square, p);
    p = accurate_fused(p, square, low);
    p = accurate_fused(p, square, r + r);
    const accurate_real power = accurate_power((accurate_bits)steps);
    const accurate_real t = accurate_fused(power, p, 1 - power) / accurate_fused(-power, p, 1 + power);
    return (accurate_real)((accurate_int)t | ((accurate_int)x & INT32_MIN));
}

/* 1 / (1 + e^-x). Above 88.4 in -x, e^-x is infinite and the result 0. */
OBK_INLINE accurate_real accurate_sigmoid(accurate_real x) {
    accurate_bits k;
    const accurate_real p = accurate_exp_parts(accurate_most(89.0f, accurate_least(-87.0f, -x)), &k);
    return 1 / (1 + (p + 1) * accurate_power(k));
}

/* erf = z + z P(z^2) below 1, else 1 - e^(z Q(z) - z). */
OBK_INLINE accurate_real accurate_erf(accurate_real x) {
    const accurate_real z = accurate_most(4.0f, accurate_magnitude(x)), s = z * z;
    accurate_real p = accurate_fma(accurate_splat(7.853860006434843e-05f), s, -0.0008010193123482168f);
    p = accurate_fma(p, s, 0.005188327748328447f);
    p = accurate_fma(p, s, -0.026853812858462334f);
    p = accurate_fma(p, s, 0.1128358542919159f);
    p = accurate_fma(p, s, -0.3761262595653534f);
    p = accurate_fma(p, s, 0.12837916612625122f);
    accurate_real q = accurate_fma(accurate_splat(0.000214595056604594f), z, -0.003219975857064128f);
    q = accurate_fma(q, z, 0.02290603145956993f);
    q = accurate_fma(q, z, -0.1052868589758873f);
    q = accurate_fma(q, z, -0.6356993913650513f);
    q = accurate_fma(q, z, -0.1285199522972107f);
    const accurate_real large = 1 - accurate_exp_near(accurate_fused(q, z, -z));
    return accurate_choose(z, 1.0f, accurate_fused(z, p, z), large, x);
}

#ifdef OBK_FUSES /* else compound.inc.h has it, and the sigmoid */
/* z = exp(x - less), where less is the maximum of x; element i is added to sums[i % 16]. z may be x, or NULL. */
__attribute__((unused)) static void vexp_sums_f32(float *z, const float *x, float less, int64_t n, float *sums) {
    enum { W = OBK_VECTOR_BYTES / sizeof(float), PARTS = 16 / W };
    obk_r_f32 part[PARTS];
    int64_t i = 0;
    OBK_UNROLL
    for (int v = 0; v < PARTS; v++) part[v] = *(const obk_v_f32 *)(sums + v * W);
    for (; i + 16 <= n; i += 16) {
        OBK_UNROLL
        for (int v = 0; v < PARTS; v++) {
            const obk_r_f32 e = accurate_exp_low(*(const obk_v_f32 *)(x + i + v * W) - less);
            if (z) *(obk_v_f32 *)(z + i + v * W) = e;
            part[v] += e;
        }
    }
    if (i < n) { /* the exponential of negative infinity adds 0 */
        float remainder[16];
        for (int l = 0; l < 16; l++) remainder[l] = -INFINITY;
        memcpy(remainder, x + i, (size_t)(n - i) * sizeof(float));
        OBK_UNROLL
        for (int v = 0; v < PARTS; v++) {
            const obk_r_f32 e = accurate_exp_low(*(const obk_v_f32 *)(remainder + v * W) - less);
            *(obk_v_f32 *)(remainder + v * W) = e;
            part[v] += e;
        }
        if (z) memcpy(z + i, remainder, (size_t)(n - i) * sizeof(float));
    }
    OBK_UNROLL
    for (int v = 0; v < PARTS; v++) *(obk_v_f32 *)(sums + v * W) = part[v];
}

#define FN      vsigmoid_f32
#define CALL(x) accurate_sigmoid(x)
#include "kernels/vmath/accurate_exp1.inc.h"
#endif

#define FN      vexp_f32
#define CALL(x) accurate_exp(x)
#include "kernels/vmath/accurate_exp1.inc.h"
#define FN      vtanh_f32
#define CALL(x) accurate_tanh(x)
#include "kernels/vmath/accurate_exp1.inc.h"
#define FN      verf_f32
#define CALL(x) accurate_erf(x)
#include "kernels/vmath/accurate_exp1.inc.h"
