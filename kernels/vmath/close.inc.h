/* exp, tanh, erf and the sigmoid of floats, for vmath.h, by vectors. They need instructions that multiply and add with one
 * rounding; results are then within 1.1 ulp, tanh within 2, the sigmoid within 2.5. The polynomials are those of the least
 * greatest relative error of the result, or of exp where they stand for it. */

typedef int32_t close_int __attribute__((vector_size(OBK_VECTOR_BYTES)));
typedef uint32_t close_bits __attribute__((vector_size(OBK_VECTOR_BYTES)));

OBK_INLINE obk_r_f32 close_all(float x) {
    return x - (obk_r_f32){0};
}

/* a * b + c */
OBK_INLINE obk_r_f32 close_step(obk_r_f32 a, obk_r_f32 b, float c) {
    return obk_fma_v_f32(a, b, close_all(c));
}

/* The first is no NaN, the second stays one. */
OBK_INLINE obk_r_f32 close_least(float least, obk_r_f32 x) {
    return obk_max_v_f32(close_all(least), x);
}

OBK_INLINE obk_r_f32 close_most(float most, obk_r_f32 x) {
#if defined(__AVX512F__)
    return (obk_r_f32)_mm512_min_ps((__m512)close_all(most), (__m512)x);
#elif defined(__AVX2__)
    return (obk_r_f32)_mm256_min_ps((__m256)close_all(most), (__m256)x);
#else
    const close_int is_less = (close_int)(close_all(most) < x);
    return (obk_r_f32)(((close_int)close_all(most) & is_less) | ((close_int)x & ~is_less));
#endif
}

OBK_INLINE obk_r_f32 close_size(obk_r_f32 x) {
    return (obk_r_f32)((close_int)x & INT32_MAX);
}

/* `near` where z is below the limit, else `far`; with the sign of x. */
OBK_INLINE obk_r_f32 close_choose(obk_r_f32 z, float limit, obk_r_f32 near, obk_r_f32 far, obk_r_f32 x) {
    const close_int is_near = (close_int)(z < close_all(limit));
    return (obk_r_f32)(((close_int)near & is_near) | ((close_int)far & ~is_near) | ((close_int)x & INT32_MIN));
}

/* 2^k, of k or of k as close_exp_parts has it; of NaN, whose k may be anything, anything. */
OBK_INLINE obk_r_f32 close_power(close_bits k) {
    return (obk_r_f32)((k << 23) + 0x3f800000);
}

/* e^x = 2^k (1 + r + r^2 P(r)), x = k ln 2 + r: the second factor less 1, and k + 0x4b400000. x is from -104 to 92. */
OBK_INLINE obk_r_f32 close_exp_parts(obk_r_f32 x, close_bits *k) {
    const obk_r_f32 steps = close_step(x, close_all(0x1.715476p+0f), 0x1.8p23f);
    const obk_r_f32 whole = steps - 0x1.8p23f;
    obk_r_f32 r =
        obk_fma_v_f32(whole, close_all(-0x1.62e400p-1f), x); /* of ln 2: 16 bits, whose products are exact, and the rest */
    r = obk_fma_v_f32(whole, close_all(-0x1.7f7d1cp-20f), r);
    const obk_r_f32 square = r * r, low = close_step(close_all(0.1666651964187622f), r, 0.4999999403953552f);
    obk_r_f32 p = close_step(close_all(0.008368780836462975f), r, 0.04166839271783829f);
    p = obk_fma_v_f32(close_all(0.0013814467238262296f), square, p);
    p = obk_fma_v_f32(p, square, low);
    *k = (close_bits)steps;
    return obk_fma_v_f32(p, square, r);
}

/* 2^k comes in two steps, so that results may be denormal. */
OBK_INLINE obk_r_f32 close_exp(obk_r_f32 x) {
    close_bits k;
    const obk_r_f32 p = close_exp_parts(close_most(92.0f, close_least(-104.0f, x)), &k);
    const close_bits half = (close_bits)((close_int)(k - 0x4b400000) >> 1);
    return (p + 1) * close_power(half) * close_power(k - half);
}

/* x is at most 0, or NaN. */
OBK_INLINE obk_r_f32 close_exp_low(obk_r_f32 x) {
    close_bits k;
    const obk_r_f32 p = close_exp_parts(close_least(-104.0f, x), &k);
    return (p + 1) * close_power(k + 64) * 0x1p-64f; /* so that results may be denormal */
}

/* |x| at most 80. */
OBK_INLINE obk_r_f32 close_exp_near(obk_r_f32 x) {
    close_bits k;
    const obk_r_f32 p = close_exp_parts(x, &k), power = close_power(k);
    return obk_fma_v_f32(p, power, power);
}

/* (1 - e) / (1 + e), e = e^(-2 z) = 2^k (1 - p): both are rounded once, and the first not at all for k = 0, where p is small.
 * z = r - k ln 2 / 2, whose constant is good enough for the few k that there are. */
OBK_INLINE obk_r_f32 close_tanh(obk_r_f32 x) {
    const obk_r_f32 z = close_most(10.0f, close_size(x));
    const obk_r_f32 steps = close_step(z, close_all(-0x1.715476p+1f), 0x1.8p23f), whole = steps - 0x1.8p23f;
    const obk_r_f32 r = obk_fma_v_f32(whole, close_all(0x1.62e430p-2f), z), square = r * r;
    const obk_r_f32 low = close_step(close_all(1.3333215713500977f), r, -1.9999997615814209f);
    obk_r_f32 p = close_step(close_all(0.2678009867668152f), r, -0.6666942834854126f);
    p = obk_fma_v_f32(close_all(-0.08841259032487869f), square, p);
    p = obk_fma_v_f32(p, square, low);
    p = obk_fma_v_f32(p, square, r + r);
    const obk_r_f32 power = close_power((close_bits)steps);
    const obk_r_f32 t = obk_fma_v_f32(power, p, 1 - power) / obk_fma_v_f32(-power, p, 1 + power);
    return (obk_r_f32)((close_int)t | ((close_int)x & INT32_MIN));
}

/* 1 / (1 + e^-x). Above 88.4, -x gives an infinity, and with it 0. */
OBK_INLINE obk_r_f32 close_sigmoid(obk_r_f32 x) {
    close_bits k;
    const obk_r_f32 p = close_exp_parts(close_most(89.0f, close_least(-87.0f, -x)), &k);
    return 1 / (1 + (p + 1) * close_power(k));
}

/* z + z P(z^2) below 1, 1 - e^(z Q(z) - z) from there on. */
OBK_INLINE obk_r_f32 close_erf(obk_r_f32 x) {
    const obk_r_f32 z = close_most(4.0f, close_size(x)), s = z * z;
    obk_r_f32 p = close_step(close_all(7.853860006434843e-05f), s, -0.0008010193123482168f);
    p = close_step(p, s, 0.005188327748328447f);
    p = close_step(p, s, -0.026853812858462334f);
    p = close_step(p, s, 0.1128358542919159f);
    p = close_step(p, s, -0.3761262595653534f);
    p = close_step(p, s, 0.12837916612625122f);
    obk_r_f32 q = close_step(close_all(0.000214595056604594f), z, -0.003219975857064128f);
    q = close_step(q, z, 0.02290603145956993f);
    q = close_step(q, z, -0.1052868589758873f);
    q = close_step(q, z, -0.6356993913650513f);
    q = close_step(q, z, -0.1285199522972107f);
    const obk_r_f32 large = 1 - close_exp_near(obk_fma_v_f32(q, z, -z));
    return close_choose(z, 1.0f, obk_fma_v_f32(z, p, z), large, x);
}

/* exp(x - less), less is the greatest of x: element i is added to sums[i % 16]. z may be x, or NULL. */
__attribute__((unused)) static void vexp_sums_f32(float *z, const float *x, float less, int64_t n, float *sums) {
    enum { W = OBK_VECTOR_BYTES / sizeof(float), PARTS = 16 / W };
    obk_r_f32 part[PARTS];
    int64_t i = 0;
    OBK_UNROLL
    for (int v = 0; v < PARTS; v++) part[v] = *(const obk_v_f32 *)(sums + v * W);
    for (; i + 16 <= n; i += 16) {
        OBK_UNROLL
        for (int v = 0; v < PARTS; v++) {
            const obk_r_f32 e = close_exp_low(*(const obk_v_f32 *)(x + i + v * W) - less);
            if (z) *(obk_v_f32 *)(z + i + v * W) = e;
            part[v] += e;
        }
    }
    OBK_UNROLL
    for (int v = 0; v < PARTS; v++) *(obk_v_f32 *)(sums + v * W) = part[v];
    if (i < n) {
        float rest[16] = {0};
        memcpy(rest, x + i, (size_t)(n - i) * sizeof(float));
        OBK_UNROLL
        for (int v = 0; v < PARTS; v++) {
            obk_v_f32 *at = (obk_v_f32 *)(rest + v * W);
            *at = close_exp_low(*at - less);
        }
        for (int64_t l = 0; l < n - i; l++) sums[l] += rest[l];
        if (z) memcpy(z + i, rest, (size_t)(n - i) * sizeof(float));
    }
}

#define FN      vexp_f32
#define CALL(x) close_exp(x)
#include "kernels/vmath/close1.inc.h"
#define FN      vtanh_f32
#define CALL(x) close_tanh(x)
#include "kernels/vmath/close1.inc.h"
#define FN      vsigmoid_f32
#define CALL(x) close_sigmoid(x)
#include "kernels/vmath/close1.inc.h"
#define FN      verf_f32
#define CALL(x) close_erf(x)
#include "kernels/vmath/close1.inc.h"
