#include "kernels/random/random.h"

#include <math.h>
#include <string.h>

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

void obk_random_uniform(obk_random_key key, int64_t first, int64_t n, double *numbers) {
    for (int64_t i = 0; i < n; i++) numbers[i] = (double)(bits_of(key, first + i) >> 11) * 0x1p-53;
}

/* ---- Functions that are the same everywhere ------------------------------------------------------------------------- */

/* x in (0, 1]: x = m 2^e with m around 1; log m by the series of 2 artanh((m - 1) / (m + 1)). */
static double natural_log(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) m *= 2, e--;
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2 * s * sum + e * 0.69314718055994531;
}

/* x <= 0. */
static double exponential(double x) {
    if (x < -745) return 0;
    const double k = floor(x * 1.4426950408889634 + 0.5), r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    double sum = 1;
    for (int i = 14; i >= 1; i--) sum = 1 + r * sum / i;
    return ldexp(sum, (int)k);
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
    for (int64_t i = 0; i < n; i++) numbers[i] = normal_quantile(((double)(bits_of(key, first + i) >> 12) + 0.5) * 0x1p-52);
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
