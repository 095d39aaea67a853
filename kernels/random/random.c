/* Compiled once for each instruction-set level. All levels give the same bits, since every lane computes as a scalar would. */
#include "kernels/random/random.h"
#include "core/base/integers.h"
#include "kernels/level.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/vector.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define MEMBER random
#define ROWS   "kernels/random/random.def"
#include "kernels/declare.inc.h"

/* Numbers that are computed together, so that their memory stays in the cache. */
enum { BLOCK = 48, UNIFORM_BLOCK = 128 };

/* ---- Bits ---- */

typedef uint64_t lanes __attribute__((vector_size(OBK_VECTOR_BYTES)));
enum { W = OBK_VECTOR_BYTES / 8, AT_ONCE = 2 };

/* The low halves of x times the factor. */
#if defined(__AVX512F__)
#define PRODUCT(x, factor) ((lanes)_mm512_mul_epu32((__m512i)(x), _mm512_set1_epi64(factor)))
#elif defined(__AVX2__)
#define PRODUCT(x, factor) ((lanes)_mm256_mul_epu32((__m256i)(x), _mm256_set1_epi64x(factor)))
#elif defined(__SSE2__)
#define PRODUCT(x, factor) ((lanes)_mm_mul_epu32((__m128i)(x), _mm_set1_epi64x(factor)))
#else
#define PRODUCT(x, factor) (((x)&UINT32_MAX) * UINT64_C(factor))
#endif

/* Puts a word of each counter into the low half of a lane; the high half may hold anything. */
void OBK_FN(random_bits)(obk_random_key key, int64_t first, int64_t n, uint64_t *bits) {
    for (int64_t i = 0; i < n; i += W * AT_ONCE) {
        lanes a[AT_ONCE], b[AT_ONCE], c[AT_ONCE], d[AT_ONCE];
        OBK_UNROLL
        for (int v = 0; v < AT_ONCE; v++) {
            OBK_UNROLL
            for (int l = 0; l < W; l++) a[v][l] = (uint64_t)(first + i + v * W + l);
            b[v] = a[v] >> 32;
            c[v] = d[v] = (lanes){0};
        }
        uint32_t k0 = key.word[0], k1 = key.word[1];
        for (int round = 0; round < 10; round++, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
            OBK_UNROLL
            for (int v = 0; v < AT_ONCE; v++) {
                const lanes p = PRODUCT(a[v], 0xD2511F53), q = PRODUCT(c[v], 0xCD9E8D57);
                a[v] = (q >> 32) ^ b[v] ^ k0;
                b[v] = q;
                c[v] = (p >> 32) ^ d[v] ^ k1;
                d[v] = p;
            }
        }
        OBK_UNROLL
        for (int v = 0; v < AT_ONCE; v++) {
            const lanes both = b[v] << 32 | (a[v] & UINT32_MAX);
            memcpy(bits + i + v * W, &both, sizeof both);
        }
    }
}

/* Fills at most a block; numbers beyond n only complete a step. */
static void block_of_bits(obk_random_key key, int64_t first, int64_t n, uint64_t *bits) {
    OBK_FN(random_bits)(key, first, ob__round_up(n, OBK_RANDOM_STEP), bits);
}

/* The double with these bits. */
static inline double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The double of a number below 2^52, by the bits of 2^52 + number. */
static inline double whole(uint64_t number) {
    return from_bits(number | UINT64_C(0x4330000000000000)) - 0x1p52;
}

void OBK_FN(random_uniform)(obk_random_key key, int64_t first, int64_t n, double *numbers) {
    uint64_t bits[UNIFORM_BLOCK];
    for (int64_t done = 0; done < n; done += UNIFORM_BLOCK, numbers += UNIFORM_BLOCK) {
        const int64_t some = n - done < UNIFORM_BLOCK ? n - done : UNIFORM_BLOCK;
        block_of_bits(key, first + done, some, bits);
        for (int64_t i = 0; i < some; i++)
            numbers[i] = whole(bits[i] >> 43) * 0x1p-21 + whole(bits[i] >> 11 & UINT32_MAX) * 0x1p-53; /* exact */
    }
}

/* ---- Functions with the same bits everywhere ---- */

/* log x for x in (0, 1]: x = m 2^e with m around 1; log m by the series of 2 artanh((m - 1) / (m + 1)). */
static inline double natural_log(double x) {
    static const double odd[12] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                   1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    const uint64_t bits = bits_of(x), of_fraction = (UINT64_C(1) << 52) - 1;
    const double half = from_bits((bits & of_fraction) | UINT64_C(0x3fe0000000000000)), power = whole(bits >> 52) - 1022;
    const bool small = half < 0.70710678118654752;
    const double m = small ? 2 * half : half, e = small ? power - 1 : power;
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int k = 11; k >= 0; k--) sum = sum * square + odd[k];
    return 2 * s * sum + e * 0.69314718055994531;
}

/* exp x for x <= 0: the series of e^r for the remainder r after multiples of ln 2. */
static inline double exponential(double x) {
    static const double inverse[14] = {
        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,          1.0 / 5040,
        1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0, 1.0 / 87178291200.0};
    const double shift = 0x1.8p52, least = x < -745 ? -745 : x, shifted = least * 1.4426950408889634 + shift, k = shifted - shift;
    const double r = (least - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    double sum = 0;
    for (int i = 13; i >= 0; i--) sum = sum * r + inverse[i];
    /* 2^k as two factors, which are normal numbers */
    const uint64_t power = bits_of(shifted) - bits_of(shift), part = (power + 2048) / 2 - 1024;
    const double value = (1 + r * sum) * from_bits((part + 1023) << 52) * from_bits((power - part + 1023) << 52);
    return x < -745 ? 0 : value;
}

static inline double polynomial(const double coefficients[8], double x) {
    double sum = 0;
    for (int i = 7; i >= 0; i--) sum = sum * x + coefficients[i];
    return sum;
}

/* The quantile of the normal distribution for a probability p, 0 < p < 1: Wichura's rational functions (AS 241), within 1e-15.
 * One is for the middle, with q = p - 1/2 up to MIDDLE, and two for the tails, with r = sqrt(-log(probability)). */
#define MIDDLE 0.425

static inline double quantile_of_middle(double q) {
    static const double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                3.3430575583588128105e4, 2.5090809287301226727e3},
                        b[8] = {1,
                                4.2313330701600911252e1,
                                6.8718700749205790830e2,
                                5.3941960214247511077e3,
                                2.1213794301586595867e4,
                                3.9307895800092710610e4,
                                2.8729085735721942674e4,
                                5.2264952788528545610e3};
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
}

static inline double quantile_of_tail(double r) {
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4},
                        d[8] = {1,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    return polynomial(c, r - 1.6) / polynomial(d, r - 1.6);
}

static inline double quantile_of_far_tail(double r) {
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7},
                        f[8] = {1,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    return polynomial(e, r - 5) / polynomial(f, r - 5);
}

/* ---- Distributions ---- */

/* Quantiles for the elements `tails` of p, which lie outside the middle. */
static void quantiles_of_tails(const double *p, const int32_t *tails, int32_t n, double *r, double *numbers) {
    double size[BLOCK];
    for (int32_t k = 0; k < n; k++) r[k] = p[tails[k]] < 0.5 ? p[tails[k]] : 1 - p[tails[k]];
    for (int32_t k = 0; k < n; k++) {
        r[k] = sqrt(-natural_log(r[k]));
        size[k] = quantile_of_tail(r[k]);
    }
    for (int32_t k = 0; k < n; k++) {
        if (r[k] > 5) size[k] = quantile_of_far_tail(r[k]);
        numbers[tails[k]] = p[tails[k]] < 0.5 ? -size[k] : size[k];
    }
}

/* The middles of 2^52 equal parts of 0 .. 1. With 2^53 parts, the middles near 1 would not be doubles. */
void OBK_FN(random_normal)(obk_random_key key, int64_t first, int64_t n, double *numbers) {
    union {
        uint64_t bits[BLOCK];
        double r[BLOCK];
    } of;
    double p[BLOCK];
    int32_t tails[BLOCK + 1];
    for (int64_t done = 0; done < n; done += BLOCK, numbers += BLOCK) {
        const int32_t some = n - done < BLOCK ? (int32_t)(n - done) : BLOCK;
        block_of_bits(key, first + done, some, of.bits);
        for (int32_t i = 0; i < some; i++) p[i] = (whole(of.bits[i] >> 12) + 0.5) * 0x1p-52;
        for (int32_t i = 0; i < some; i++) numbers[i] = quantile_of_middle(p[i] - 0.5);
        int32_t n_tails = 0;
        for (int32_t i = 0; i < some; i++) {
            tails[n_tails] = i;
            n_tails += fabs(p[i] - 0.5) > MIDDLE;
        }
        quantiles_of_tails(p, tails, n_tails, of.r, numbers);
    }
}

void OBK_FN(random_classes)(double *sums, int64_t n, obk_pace *pace) {
    double highest = -INFINITY, sum = 0, weights[BLOCK];
    for (int64_t i = 0; i < n; i++) highest = sums[i] > highest ? sums[i] : highest;
    const bool finite = isfinite(highest);
    for (int64_t done = 0; done < n && !obk_stops(pace, 8 * BLOCK); done += BLOCK, sums += BLOCK) {
        const int64_t some = n - done < BLOCK ? n - done : BLOCK;
        for (int64_t i = 0; i < some; i++) {
            const double weight = exponential(sums[i] - highest);
            weights[i] = (finite & (sums[i] <= highest)) ? weight : (double)NAN;
        }
        for (int64_t i = 0; i < some; i++) {
            sum += weights[i];
            sums[i] = sum;
        }
    }
}

const obk_randoms OBK_TABLE(random) = {
#define ROWS "kernels/random/random.def"
#include "kernels/table.inc.h"
};
