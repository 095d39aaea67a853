#include "kernels/random/random.h"

#include <math.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- Bits ---------------------------------------------------------------------------------------------------------- */

void obk_random_words(obk_random_key key, const uint32_t counter[4], uint32_t words[4]) {
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k0 = key.word[0], k1 = key.word[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t p = UINT64_C(0xD2511F53) * a, q = UINT64_C(0xCD9E8D57) * c;
        a = (uint32_t)(q >> 32) ^ b ^ k0;
        b = (uint32_t)q;
        c = (uint32_t)(p >> 32) ^ d ^ k1;
        d = (uint32_t)p;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    words[0] = a, words[1] = b, words[2] = c, words[3] = d;
}

static uint64_t bits_of(obk_random_key key, int64_t i) {
    uint32_t words[4];
    obk_random_words(key, (const uint32_t[4]){(uint32_t)i, (uint32_t)((uint64_t)i >> 32), 0, 0}, words);
    return (uint64_t)words[1] << 32 | words[0];
}

/* Two counters side by side, one word to a lane. */
typedef uint64_t lanes __attribute__((vector_size(16)));

/* Of numbers below 2^32. */
static inline lanes product(lanes a, uint64_t factor) {
#ifdef __SSE2__
    return (lanes)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x((long long)factor));
#else
    return a * factor;
#endif
}

/* The first two words of `n` counters from `first` on, as bits_of. */
static void many_bits(obk_random_key key, int64_t first, int64_t n, uint64_t *bits) {
    const uint64_t low = UINT32_MAX;
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        lanes a[2], b[2], c[2] = {{0}}, d[2] = {{0}};
        for (int v = 0; v < 2; v++) {
            const uint64_t at = (uint64_t)(first + i) + 2 * (uint64_t)v;
            a[v] = (lanes){at & low, (at + 1) & low};
            b[v] = (lanes){at >> 32, (at + 1) >> 32};
        }
        uint32_t k0 = key.word[0], k1 = key.word[1];
        for (int round = 0; round < 10; round++, k0 += 0x9E3779B9, k1 += 0xBB67AE85)
            for (int v = 0; v < 2; v++) {
                const lanes p = product(a[v], 0xD2511F53), q = product(c[v], 0xCD9E8D57);
                a[v] = (q >> 32) ^ b[v] ^ k0;
                b[v] = q & low;
                c[v] = (p >> 32) ^ d[v] ^ k1;
                d[v] = p & low;
            }
        for (int v = 0; v < 2; v++) {
            const lanes both = b[v] << 32 | a[v];
            memcpy(bits + i + 2 * v, &both, sizeof both);
        }
    }
    for (; i < n; i++) bits[i] = bits_of(key, first + i);
}

enum { BLOCK = 128 };

void obk_random_uniform(obk_random_key key, int64_t first, int64_t n, double *numbers) {
    uint64_t bits[BLOCK];
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t some = n - done < BLOCK ? n - done : BLOCK;
        many_bits(key, first + done, some, bits);
        for (int64_t i = 0; i < some; i++) numbers[done + i] = (double)(int64_t)(bits[i] >> 11) * 0x1p-53;
    }
}

/* ---- Functions that are the same everywhere ------------------------------------------------------------------------- */

/* x in (0, 1]: x = m 2^e with m around 1; log m by the series of 2 artanh((m - 1) / (m + 1)). */
static double natural_log(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) m *= 2, e--;
    const double s = (m - 1) / (m + 1), square = s * s;
    static const double odd[12] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                   1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    double sum = 0;
    for (int k = 11; k >= 0; k--) sum = sum * square + odd[k];
    return 2 * s * sum + e * 0.69314718055994531;
}

/* 2^k, k at least -1022. */
static inline double power_of_two(int64_t k) {
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* x <= 0: the series of e^r for the rest beside multiples of ln 2. */
static inline double exponential(double x) {
    static const double inverse[14] = {
        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,          1.0 / 5040,
        1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0, 1.0 / 87178291200.0};
    const double least = x < -745 ? -745 : x, shifted = least * 1.4426950408889634 + 0x1.8p52, k = shifted - 0x1.8p52;
    const double r = (least - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    double sum = 0;
    for (int i = 13; i >= 0; i--) sum = sum * r + inverse[i];
    const int64_t whole = (int64_t)k, half = whole / 2;
    const double value = (1 + r * sum) * power_of_two(half) * power_of_two(whole - half);
    return x < -745 ? 0 : value;
}

static double polynomial(const double coefficients[8], double x) {
    double sum = 0;
    for (int i = 7; i >= 0; i--) sum = sum * x + coefficients[i];
    return sum;
}

/* The number that a normal one is below with probability p, 0 < p < 1: Wichura's rational functions (AS 241), within 1e-15. */
static double normal_quantile(double p) {
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
                                5.2264952788528545610e3},
                        c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4},
                        d[8] = {1,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9},
                        e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
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
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(a, r) / polynomial(b, r);
    }
    const double r = sqrt(-natural_log(q < 0 ? p : 1 - p));
    const double size = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
    return q < 0 ? -size : size;
}

/* ---- Distributions -------------------------------------------------------------------------------------------------- */

void obk_random_normal(obk_random_key key, int64_t first, int64_t n, double *numbers) {
    /* In the middle of one of 2^53 parts of 0 .. 1, of which the middles are no double near 1: 2^52 parts. */
    uint64_t bits[BLOCK];
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t some = n - done < BLOCK ? n - done : BLOCK;
        many_bits(key, first + done, some, bits);
        for (int64_t i = 0; i < some; i++)
            numbers[done + i] = normal_quantile(((double)(int64_t)(bits[i] >> 12) + 0.5) * 0x1p-52);
    }
}

void obk_random_classes(double *sums, int64_t n) {
    double highest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) highest = sums[i] > highest ? sums[i] : highest;
    for (int64_t i = 0; i < n; i++) {
        sum += isfinite(highest) && sums[i] <= highest ? exponential(sums[i] - highest) : (double)NAN;
        sums[i] = sum;
    }
}

int64_t obk_random_class(const double *sums, int64_t n, double uniform) {
    const double share = uniform * sums[n - 1];
    int64_t low = 0, high = n - 1; /* the class lies between them */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sums[middle] > share)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
