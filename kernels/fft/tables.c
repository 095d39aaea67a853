/* The tables of transforms: factors of lengths, roots of unity. */
#include <math.h>

#include "kernels/fft/fft.h"

static void factor(obk_fft *fft, int64_t n) {
    fft->n_factors = 0;
    while (n % 4 == 0) fft->factors[fft->n_factors++] = 4, n /= 4;
    for (int32_t p = 2; p <= OBK_FFT_RADIX && n > 1; p++)
        while (n % p == 0) fft->factors[fft->n_factors++] = p, n /= p;
    if (n > 1) fft->n_factors = -1;
}

bool obk_fft_init(obk_fft *fft, int64_t n, bool *chirps) {
    if (n < 1 || n > INT64_C(1) << 40) return false;
    fft->n = fft->length = n;
    factor(fft, n);
    *chirps = fft->n_factors < 0;
    if (!*chirps) return true;
    fft->length = 1;
    while (fft->length < 2 * n - 1) fft->length *= 2;
    factor(fft, fft->length);
    return true;
}

/* e^(-2 pi i k / n). The angle is reduced to the first eighth of a turn, where sine and cosine are precise. */
static void root(int64_t k, int64_t n, double pair[2]) {
    const double pi = 3.14159265358979323846;
    const int64_t eighth = 8 * k / n;                               /* 0 .. 7 */
    int64_t quarter = (eighth + 1) / 2, left = 4 * k - quarter * n; /* angle = quarter turns + left / (4 n) of a turn */
    const double angle = pi / 2 * (double)left / (double)n, c = cos(angle), s = sin(angle);
    switch (quarter % 4) {
    case 0: pair[0] = c, pair[1] = -s; break;
    case 1: pair[0] = -s, pair[1] = -c; break;
    case 2: pair[0] = -c, pair[1] = s; break;
    default: pair[0] = s, pair[1] = c; break;
    }
}

enum { WORK_OF_ROOT = 32 };

void obk_fft_roots(int64_t length, double *roots, obk_pace *pace) {
    for (int64_t k = 0; k < length && !obk_stops(pace, WORK_OF_ROOT); k++) root(k, length, roots + 2 * k);
}

void obk_fft_chirp(int64_t n, double *chirp, obk_pace *pace) {
    int64_t square = 0; /* k^2 modulo 2 n; the next one is 2 k + 1 more */
    for (int64_t k = 0; k < n && !obk_stops(pace, WORK_OF_ROOT); k++) {
        root(square, 2 * n, chirp + 2 * k);
        square = (square + 2 * k + 1) % (2 * n);
    }
}
