/* Discrete Fourier transforms of any length, in double. Four lines are transformed at a time, so that every loop is a loop over
 * lanes. All levels give the same bits. */
#ifndef OB_KERNELS_FFT_H
#define OB_KERNELS_FFT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/pace.h"

enum { OBK_FFT_LANES = 4, OBK_FFT_RADIX = 31, OBK_FFT_FACTORS = 64 };

/* Lengths with small factors are transformed factor by factor (Stockham). Others are a convolution with a chirp (Bluestein), for
 * which a power of two is transformed. */
typedef struct obk_fft {
    int64_t n;      /* points */
    int64_t length; /* the transformed length: n, or the power of two */
    int n_factors;
    int32_t factors[OBK_FFT_FACTORS];
    const double *roots; /* `length` pairs: e^(-2 pi i k / length) */
    const double *chirp; /* n pairs: e^(-pi i k^2 / n); NULL: not needed */
} obk_fft;

/* Up to four lines, each with points at a fixed distance. */
typedef struct obk_fft_lines {
    int n;
    bool is_double, from_complex, to_complex;
    bool inverse;  /* also divided by the number of points */
    bool mirrored; /* only points 0 .. n / 2 are given, the others are their conjugates */
    const char *from[OBK_FFT_LANES];
    char *to[OBK_FFT_LANES];
    int64_t from_step, to_step; /* bytes from point to point */
    int64_t n_from, n_to;       /* points that are given, the others being 0; points that are wanted */
    const double *window;       /* a factor for each point; NULL: none */
    obk_pace *pace;
} obk_fft_lines;

/* x and y: `length` points of four lanes, one pair each: 64 bytes a point, 64-byte aligned. */
typedef void (*obk_fft_function)(const obk_fft *fft, const double *filter, const obk_fft_lines *lines, double *x, double *y);
/* Transforms the chirp, `length` pairs. Called before the first lines, for lengths with a chirp. */
typedef void (*obk_fft_filter)(const obk_fft *fft, double *filter, double *x, double *y, obk_pace *pace);

typedef struct obk_ffts {
    obk_fft_function lines;
    obk_fft_filter filter;
} obk_ffts;

/* Sets everything but the tables. False: too long. */
bool obk_fft_init(obk_fft *fft, int64_t n, bool *chirps);
void obk_fft_roots(int64_t length, double *roots, obk_pace *pace);
void obk_fft_chirp(int64_t n, double *chirp, obk_pace *pace);

#endif
