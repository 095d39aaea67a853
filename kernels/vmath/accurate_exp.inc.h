/* exp, tanh, erf and sigmoid of floats, for vmath.h, in vectors. They need fused multiply-add. Errors are within 1.1 ulp, for
 * tanh 2 and for the sigmoid 2.5. The polynomials minimise the greatest relative error of the result, or of exp if they are a
 * part of it. */

typedef int32_t accurate_int __attribute__((vector_size(OBK_VECTOR_BYTES)));
typedef uint32_t accurate_bits __attribute__((vector_size(OBK_VECTOR_BYTES)));

OBK_INLINE obk_r_f32 accurate_splat(float x) {
    return x - (obk_r_f32){0};
}

/* a * b + c */
OBK_INLINE obk_r_f32 accurate_fma(obk_r_f32 a, obk_r_f32 b, float c) {
    return obk_fma_v_f32(a, b, accurate_splat(c));
}

/* The maximum. `least` is not NaN; a NaN of x stays. */
OBK_INLINE obk_r_f32 accurate_least(float least, obk_r_f32 x) {
    return obk_max_v_f32(accurate_splat(least), x);
}

OBK_INLINE obk_r_f32 accurate_most(float most, obk_r_f32 x) {
#if defined(__AVX512F__)
    return (obk_r_f32)_mm512_min_ps((__m512)accurate_splat(most), (__m512)x);
#elif defined(__AVX2__)
    return (obk_r_f32)_mm256_min_ps((__m256)accurate_splat(most), (__m256)x);
#else
    const accurate_int is_less = (accurate_int)(accurate_splat(most) < x);
    return (obk_r_f32)(((accurate_int)accurate_splat(most) & is_less) | ((accurate_int)x & ~is_less));
#endif
}

OBK_INLINE obk_r_f32 accurate_magnitude(obk_r_f32 x) {
    return (obk_r_f32)((accurate_int)x & INT32_MAX);
}

/* `near` for z below the limit, else `far`, with the sign of x. */
OBK_INLINE obk_r_f32 accurate_choose(obk_r_f32 z, float limit, obk_r_f32 near, obk_r_f32 far, obk_r_f32 x) {
    const accurate_int is_near = (accurate_int)(z < accurate_splat(limit));
    return (obk_r_f32)(((accurate_int)near & is_near) | ((accurate_int)far & ~is_near) | ((accurate_int)x & INT32_MIN));
}

/* 2^k, for k or for k in the form of accurate_exp_parts. For NaN, k and the result may be anything. */
OBK_INLINE obk_r_f32 accurate_power(accurate_bits k) {
    return (obk_r_f32)((k << 23) + 0x3f800000);
}

/* e^x = 2^k (1 + r + r^2 P(r)) with x = k ln 2 + r. Returns the second factor minus 1, and k + 0x4b400000. x is in -177 .. 92. */
OBK_INLINE obk_r_f32 accurate_exp_parts(obk_r_f32 x, accurate_bits *k) {
    const obk_r_f32 steps = accurate_fma(x, accurate_splat(0x1.715476p+0f), 0x1.8p23f);
    const obk_r_f32 whole = steps - 0x1.8p23f;
    obk_r_f32 r = obk_fma_v_f32(whole, accurate_splat(-0x1.62e400p-1f),
                                x); /* ln 2 in two parts: 16 bits, whose products are exact, and the remainder */
    r = obk_fma_v_f32(whole, accurate_splat(-0x1.7f7d1cp-20f), r);
    const obk_r_f32 square = r * r, low = accurate_fma(accurate_splat(0.1666651964187622f), r, 0.4999999403953552f);
    obk_r_f32 p = accurate_fma(accurate_splat(0.008368780836462975f), r, 0.04166839271783829f);
    p = obk_fma_v_f32(accurate_splat(0.0013814467238262296f), square, p);
    p = obk_fma_v_f32(p, square, low);
    *k = (accurate_bits)steps;
    return obk_fma_v_f32(p, square, r);
}

/* x * 2^k, rounded once, for k in the form of accurate_exp_parts. */
OBK_INLINE obk_r_f32 accurate_scale(obk_r_f32 x, accurate_bits k) {
#if defined(__AVX512F__)
    return (obk_r_f32)_mm512_scalef_ps((__m512)x, (__m512)((obk_r_f32)k - 0x1.8p23f));
#else
    const accurate_bits half = (accurate_bits)((accurate_int)(k - 0x4b400000) >> 1);
    return x * accurate_power(half) * accurate_power(k - half);
#endif
}

#if defined(__AVX512F__)
/* p + 1, and 0 for x below -104, for which p may be anything. A NaN stays. */
OBK_INLINE obk_r_f32 accurate_factor(obk_r_f32 x, obk_r_f32 p) {
    const __mmask16 counts = _mm512_cmp_ps_mask((__m512)x, (__m512)accurate_splat(-104.0f), _CMP_NLT_UQ);
    return (obk_r_f32)_mm512_maskz_add_ps(counts, (__m512)p, (__m512)accurate_splat(1));
}
#endif

/* Below -104 the result is 0. Where elements are far below, as those that a mask excludes, no product may underflow to it:
 * processors take a hundred times as long for one. So the exponent is one whose power is written as 0, or with AVX-512 the factor
 * is 0. */

/* The last product may be denormal. */
OBK_INLINE obk_r_f32 accurate_exp(obk_r_f32 x) {
    accurate_bits k;
#if defined(__AVX512F__)
    const obk_r_f32 p = accurate_exp_parts(accurate_most(92.0f, x), &k);
    return accurate_scale(accurate_factor(x, p), k);
#else
    const obk_r_f32 p = accurate_exp_parts(accurate_most(92.0f, accurate_least(-176.05f, x)), &k); /* k = -254 */
    return accurate_scale(p + 1, k);
#endif
}

/* exp for x at most 0, or NaN. */
OBK_INLINE obk_r_f32 accurate_exp_low(obk_r_f32 x) {
    accurate_bits k;
#if defined(__AVX512F__)
    const obk_r_f32 p = accurate_exp_parts(x, &k);
    return accurate_scale(accurate_factor(x, p), k);
#else
    const obk_r_f32 p = accurate_exp_parts(accurate_least(-132.4f, x), &k); /* k = -191 */
    return (p + 1) * accurate_power(k + 64) * 0x1p-64f;                     /* so that results may be denormal */
#endif
}

/* exp for |x| at most 80. */
OBK_INLINE obk_r_f32 accurate_exp_near(obk_r_f32 x) {
    accurate_bits k;
    const obk_r_f32 p = accurate_exp_parts(x, &k), power = accurate_power(k);
    return obk_fma_v_f32(p, power, power);
}

/* tanh = (1 - e) / (1 + e) with e = e^(-2 z) = 2^k (1 - p). Both terms are rounded once; the first is exact for k = 0, where p is
 * small. z = r - k ln 2 / 2, with a constant that is precise enough for the few possible k. */
OBK_INLINE obk_r_f32 accurate_tanh(obk_r_f32 x) {
    const obk_r_f32 z = accurate_most(10.0f, accurate_magnitude(x));
    const obk_r_f32 steps = accurate_fma(z, accurate_splat(-0x1.715476p+1f), 0x1.8p23f), whole = steps - 0x1.8p23f;
    const obk_r_f32 r = obk_fma_v_f32(whole, accurate_splat(0x1.62e430p-2f), z), square = r * r;
    const obk_r_f32 low = accurate_fma(accurate_splat(1.3333215713500977f), r, -1.9999997615814209f);
    obk_r_f32 p = accurate_fma(accurate_splat(0.2678009867668152f), r, -0.6666942834854126f);
    p = obk_fma_v_f32(accurate_splat(-0.08841259032487869f), square, p);
    p = obk_fma_v_f32(p, square, low);
    p = obk_fma_v_f32(p, square, r + r);
    const obk_r_f32 power = accurate_power((accurate_bits)steps);
    const obk_r_f32 t = obk_fma_v_f32(power, p, 1 - power) / obk_fma_v_f32(-power, p, 1 + power);
    return (obk_r_f32)((accurate_int)t | ((accurate_int)x & INT32_MIN));
}

/* 1 / (1 + e^-x). Above 88.4 in -x, e^-x is infinite and the result 0. */
OBK_INLINE obk_r_f32 accurate_sigmoid(obk_r_f32 x) {
    accurate_bits k;
    const obk_r_f32 p = accurate_exp_parts(accurate_most(89.0f, accurate_least(-87.0f, -x)), &k);
    return 1 / (1 + (p + 1) * accurate_power(k));
}

/* erf = z + z P(z^2) below 1, else 1 - e^(z Q(z) - z). */
OBK_INLINE obk_r_f32 accurate_erf(obk_r_f32 x) {
    const obk_r_f32 z = accurate_most(4.0f, accurate_magnitude(x)), s = z * z;
    obk_r_f32 p = accurate_fma(accurate_splat(7.853860006434843e-05f), s, -0.0008010193123482168f);
    p = accurate_fma(p, s, 0.005188327748328447f);
    p = accurate_fma(p, s, -0.026853812858462334f);
    p = accurate_fma(p, s, 0.1128358542919159f);
    p = accurate_fma(p, s, -0.3761262595653534f);
    p = accurate_fma(p, s, 0.12837916612625122f);
    obk_r_f32 q = accurate_fma(accurate_splat(0.000214595056604594f), z, -0.003219975857064128f);
    q = accurate_fma(q, z, 0.02290603145956993f);
    q = accurate_fma(q, z, -0.1052868589758873f);
    q = accurate_fma(q, z, -0.6356993913650513f);
    q = accurate_fma(q, z, -0.1285199522972107f);
    const obk_r_f32 large = 1 - accurate_exp_near(obk_fma_v_f32(q, z, -z));
    return accurate_choose(z, 1.0f, obk_fma_v_f32(z, p, z), large, x);
}

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

#define FN      vexp_f32
#define CALL(x) accurate_exp(x)
#include "kernels/vmath/accurate_exp1.inc.h"
#define FN      vtanh_f32
#define CALL(x) accurate_tanh(x)
#include "kernels/vmath/accurate_exp1.inc.h"
#define FN      vsigmoid_f32
#define CALL(x) accurate_sigmoid(x)
#include "kernels/vmath/accurate_exp1.inc.h"
#define FN      verf_f32
#define CALL(x) accurate_erf(x)
#include "kernels/vmath/accurate_exp1.inc.h"
