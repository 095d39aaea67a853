/* Loops of norm.c for one type. Parameters: T, S, M(name) of the C library's function. */
#define NAME(name) OBK_CAT3(name, _, S)
#define LOOP(name) OBK_FN(OBK_CAT(norm_, NAME(name)))

#define FN         LOOP(sum)
#define PARAMETERS (const void *from, int64_t n)
#define TERM(x)    (x)
#include "kernels/norm/sum.inc.h"
#define FN         LOOP(sum_abs)
#define PARAMETERS (const void *from, int64_t n)
#define TERM(x)    fabs(x)
#include "kernels/norm/sum.inc.h"
#define FN         LOOP(sum_squares)
#define PARAMETERS (const void *from, int64_t n, double mean)
#define TERM(x)    (((x)-mean) * ((x)-mean))
#include "kernels/norm/sum.inc.h"

void LOOP(columns_sum)(double *sums, const void *from, int64_t n) {
    const T *x = from;
    for (int64_t i = 0; i < n; i++) sums[i] += (double)x[i];
}

void LOOP(columns_abs)(double *sums, const void *from, int64_t n) {
    const T *x = from;
    for (int64_t i = 0; i < n; i++) sums[i] += fabs((double)x[i]);
}

void LOOP(columns_squares)(double *sums, const void *from, const double *mean, int64_t n) {
    const T *x = from;
    if (mean)
        for (int64_t i = 0; i < n; i++) sums[i] += ((double)x[i] - mean[i]) * ((double)x[i] - mean[i]);
    else
        for (int64_t i = 0; i < n; i++) sums[i] += (double)x[i] * (double)x[i];
}

void LOOP(affine)(void *to, const void *from, int64_t n, double factor, double offset) {
    T *y = to;
    const T *x = from, f = (T)factor, o = (T)offset;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] = x[i] * f + o;
}

void LOOP(affine_loop)(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows,
                       const void *params) {
    (void)params;
    const char *from = pointers[0], *factors = pointers[1], *offsets = pointers[2];
    char *to = pointers[3];
    for (int64_t j = 0; j < rows; j++, from += row[0], factors += row[1], offsets += row[2], to += row[3]) {
        const T *x = (const T *)(const void *)from, *f = (const T *)(const void *)factors, *o = (const T *)(const void *)offsets;
        T *y = (T *)(void *)to;
        if (step[0] && !step[1] && !step[2])
            LOOP(affine)(y, x, n, (double)f[0], (double)o[0]);
        else if (step[0] && step[1] && step[2]) {
            OBK_INDEPENDENT
            for (int64_t i = 0; i < n; i++) y[i] = x[i] * f[i] + o[i];
        } else
            for (int64_t i = 0; i < n; i++) {
                const int64_t a = step[0] ? i : 0, b = step[1] ? i : 0, c = step[2] ? i : 0;
                y[i] = x[a] * f[b] + o[c];
            }
    }
}

void LOOP(scaled)(void *to, const void *from, int64_t n, double shift, double factor, const void *scale, const void *bias) {
    T *y = to;
    const T *x = from, *s = scale, *b = bias, m = (T)shift, f = (T)factor;
    if (s && b) {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) y[i] = (x[i] - m) * f * s[i] + b[i];
    } else if (s) {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) y[i] = (x[i] - m) * f * s[i];
    } else if (b) {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) y[i] = (x[i] - m) * f + b[i];
    } else {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) y[i] = (x[i] - m) * f;
    }
}

void LOOP(divided)(void *to, const void *from, int64_t n, double shift, double divisor) {
    T *y = to;
    const T *x = from;
    if (divisor == 0)
        memset(y, 0, (size_t)n * sizeof(T));
    else {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) y[i] = (T)(((double)x[i] - shift) / divisor);
    }
}

void LOOP(columns_divided)(void *to, const void *from, int64_t n, const double *shifts, const double *divisors) {
    T *y = to;
    const T *x = from;
    if (shifts) {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) {
            const double z = ((double)x[i] - shifts[i]) / divisors[i];
            y[i] = divisors[i] == 0 ? 0 : (T)z;
        }
    } else {
        OBK_INDEPENDENT
        for (int64_t i = 0; i < n; i++) {
            const double z = (double)x[i] / divisors[i];
            y[i] = divisors[i] == 0 ? 0 : (T)z;
        }
    }
}

/* z = z ^ beta. The exponent of nearly all models is computed without logarithms, to 2 ulp. */
static void NAME(raise)(T *z, T beta, int64_t n) {
    if (beta == (T)0.75)
        for (int64_t i = 0; i < n; i++) {
            const T root = M(sqrt)(z[i]);
            z[i] = root * M(sqrt)(root);
        }
    else
        OBK_CAT(vpow_, S)(z, z, true, &beta, false, n);
}

void LOOP(lrn_add)(void *cells, const void *from, int64_t stride, int64_t width, int64_t n_rows) {
    T *restrict sums = cells;
    const T *restrict x = from;
    for (int64_t k = 0; k < n_rows; k++, x += stride)
        for (int64_t i = 0; i < width; i++) sums[i] += x[i] * x[i];
}

void LOOP(lrn_divide)(const obk_lrn *p, void *to, const void *from, void *cells, int64_t width) {
    T *restrict sums = cells, *restrict y = to;
    const T *restrict x = from, factor = (T)p->factor, bias = (T)p->bias, beta = (T)p->beta;
    for (int64_t i = 0; i < width; i++) sums[i] = bias + factor * sums[i];
    NAME(raise)(sums, beta, width);
    for (int64_t i = 0; i < width; i++) y[i] = x[i] / sums[i];
}

#undef NAME
#undef LOOP
#undef T
#undef S
#undef M
