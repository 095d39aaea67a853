/* Fourier transforms of four lines at a time. Compiled once for each instruction-set level. Nothing is fused, so all levels give
 * the same bits. */
#include "kernels/fft/fft.h"
#include "kernels/level.h"

#include <stddef.h>

#define MEMBER fft
#define ROWS   "kernels/fft/fft.def"
#include "kernels/declare.inc.h"

/* The four lanes of a real or imaginary part; a point is two of them. */
typedef double lanes __attribute__((vector_size(OBK_FFT_LANES * sizeof(double)), may_alias));

/* Loops over the points k of a line, begin .. n - 1, in pieces; between them the caller may stop the run. */
enum { APART = 1 << 14, WORK = 4 };
#define IN_PIECES(k, begin, n, pace)                                                                                             \
    for (int64_t piece_ = (begin), end_; piece_ < (n) && !obk_stops(pace, APART * WORK); piece_ = end_)                          \
        for (int64_t k = (end_ = (n)-piece_ < APART ? (n) : piece_ + APART, piece_); k < end_; k++)

/* One pass of radix 4 over n points that lie s apart (Stockham); y gets them in the order of the next pass. */
static void by_4(const obk_fft *fft, int64_t n, int64_t s, const lanes *restrict x, lanes *restrict y, obk_pace *pace) {
    const int64_t m = n / 4;
    for (int64_t p = 0; p < m && !obk_stops(pace, 8 * s); p++) {
        const double *w1 = fft->roots + 2 * p * s, *w2 = fft->roots + 4 * p * s, *w3 = fft->roots + 6 * p * s;
        for (int64_t q = 0; q < s; q++) {
            const lanes *a = x + 2 * (q + s * p), *b = a + 2 * s * m, *c = b + 2 * s * m, *d = c + 2 * s * m;
            lanes *to = y + 2 * (q + 4 * s * p);
            const lanes sum_r = a[0] + c[0], sum_i = a[1] + c[1], less_r = a[0] - c[0], less_i = a[1] - c[1];
            const lanes odd_r = b[0] + d[0], odd_i = b[1] + d[1], turn_r = b[1] - d[1], turn_i = d[0] - b[0]; /* -i (b - d) */
            const lanes r1 = less_r + turn_r, i1 = less_i + turn_i, r2 = sum_r - odd_r, i2 = sum_i - odd_i;
            const lanes r3 = less_r - turn_r, i3 = less_i - turn_i;
            to[0] = sum_r + odd_r;
            to[1] = sum_i + odd_i;
            to[2 * s] = r1 * w1[0] - i1 * w1[1];
            to[2 * s + 1] = r1 * w1[1] + i1 * w1[0];
            to[4 * s] = r2 * w2[0] - i2 * w2[1];
            to[4 * s + 1] = r2 * w2[1] + i2 * w2[0];
            to[6 * s] = r3 * w3[0] - i3 * w3[1];
            to[6 * s + 1] = r3 * w3[1] + i3 * w3[0];
        }
    }
}

/* One pass of any radix. */
static void by_any(const obk_fft *fft, int32_t radix, int64_t n, int64_t s, const lanes *restrict x, lanes *restrict y,
                   obk_pace *pace) {
    const int64_t m = n / radix, unit = fft->length / radix;
    for (int64_t p = 0; p < m && !obk_stops(pace, 2 * s * radix * radix); p++)
        for (int64_t q = 0; q < s; q++) {
            const lanes *a = x + 2 * (q + s * p);
            for (int32_t j = 0; j < radix; j++) {
                lanes r = a[0], i = a[1];
                for (int32_t k = 1; k < radix; k++) {
                    const lanes *b = a + 2 * s * m * k;
                    const double *w = fft->roots + 2 * (j * k % radix) * unit;
                    r += b[0] * w[0] - b[1] * w[1];
                    i += b[0] * w[1] + b[1] * w[0];
                }
                const double *w = fft->roots + 2 * p * j * s;
                lanes *to = y + 2 * (q + s * (radix * p + j));
                to[0] = r * w[0] - i * w[1];
                to[1] = r * w[1] + i * w[0];
            }
        }
}

/* Transforms `length` points of x. Returns x or y, which holds the result. */
static lanes *transform(const obk_fft *fft, lanes *x, lanes *y, obk_pace *pace) {
    int64_t n = fft->length, s = 1;
    for (int i = 0; i < fft->n_factors; i++) {
        const int32_t radix = fft->factors[i];
        if (radix == 4)
            by_4(fft, n, s, x, y, pace);
        else
            by_any(fft, radix, n, s, x, y, pace);
        n /= radix;
        s *= radix;
        lanes *other = x;
        x = y;
        y = other;
    }
    return x;
}

/* ---- Lengths with a chirp (Bluestein) ---- */

void OBK_FN(fft_filter)(const obk_fft *fft, double *to, double *x_room, double *y_room, obk_pace *pace) {
    lanes *x = (lanes *)x_room, *y = (lanes *)y_room;
    const lanes zero = {0};
    IN_PIECES(k, 0, 2 * fft->length, pace) x[k] = zero;
    IN_PIECES(k, 0, fft->n, pace) {
        const int64_t mirror = k ? fft->length - k : 0;
        x[2 * k] = x[2 * mirror] = zero + fft->chirp[2 * k];
        x[2 * k + 1] = x[2 * mirror + 1] = zero - fft->chirp[2 * k + 1];
    }
    const lanes *all = transform(fft, x, y, pace);
    IN_PIECES(k, 0, 2 * fft->length, pace) to[k] = all[k][0] / (double)fft->length;
}

/* Convolves n points of x, which has room for `length`. */
static lanes *convolve(const obk_fft *fft, const double *f, lanes *x, lanes *y, obk_pace *pace) {
    const lanes zero = {0};
    IN_PIECES(k, 0, fft->n, pace) {
        const double *w = fft->chirp + 2 * k;
        const lanes r = x[2 * k], i = x[2 * k + 1];
        x[2 * k] = r * w[0] - i * w[1];
        x[2 * k + 1] = r * w[1] + i * w[0];
    }
    IN_PIECES(k, 2 * fft->n, 2 * fft->length, pace) x[k] = zero;
    lanes *z = transform(fft, x, y, pace), *other = z == x ? y : x;
    IN_PIECES(k, 0, fft->length, pace) { /* exchanging real and imaginary parts gives the inverse */
        const lanes r = z[2 * k], i = z[2 * k + 1];
        z[2 * k + 1] = r * f[2 * k] - i * f[2 * k + 1];
        z[2 * k] = r * f[2 * k + 1] + i * f[2 * k];
    }
    z = transform(fft, z, other, pace);
    IN_PIECES(k, 0, fft->n, pace) {
        const double *w = fft->chirp + 2 * k;
        const lanes i = z[2 * k], r = z[2 * k + 1];
        z[2 * k] = r * w[0] - i * w[1];
        z[2 * k + 1] = r * w[1] + i * w[0];
    }
    return z;
}

/* ---- Lines ---- */

#define REAL       float
#define LINE(name) name##_float
#include "kernels/fft/lines.inc.h"

#define REAL       double
#define LINE(name) name##_double
#include "kernels/fft/lines.inc.h"

void OBK_FN(fft_lines)(const obk_fft *fft, const double *f, const obk_fft_lines *l, double *x_room, double *y_room) {
    lanes *x = (lanes *)x_room, *y = (lanes *)y_room;
    (l->is_double ? load_double : load_float)(fft, l, x_room);
    if (l->mirrored)
        IN_PIECES(k, fft->n / 2 + 1, fft->n,
                  l->pace) { /* parts are exchanged: the real part of the conjugate is the second one */
            x[2 * k] = -x[2 * (fft->n - k)];
            x[2 * k + 1] = x[2 * (fft->n - k) + 1];
        }
    const lanes *z = fft->chirp ? convolve(fft, f, x, y, l->pace) : transform(fft, x, y, l->pace);
    (l->is_double ? store_double : store_float)(fft, l, (const double *)z);
}

const obk_ffts OBK_TABLE(fft) = {
#define ROWS "kernels/fft/fft.def"
#include "kernels/table.inc.h"
};
