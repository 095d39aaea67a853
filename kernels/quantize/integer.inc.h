/* Template of quantize.c. Parameters: INTEGER, NAME(x); NARROW: products have results of this type. */
#include "kernels/quantize/dequantize.inc.h"

void OBK_FN(NAME(quantize))(void *to, const float *restrict x, int64_t n, const obk_scales *scales) {
    INTEGER *restrict y = to;
    const float low = scales->low, high = scales->high;
    if (scales->each) {
        const float *restrict scale = scales->scale, *restrict zero = scales->zero;
        for (int64_t i = 0; i < n; i++)
            y[i] = (INTEGER)(nearest(clamped(x[i] / scale[i], low - zero[i], high - zero[i])) + nearest(zero[i]));
    } else {
        const float scale = *scales->scale, zero = *scales->zero, lowest = low - zero, highest = high - zero;
        const int32_t whole = (int32_t)zero;
        for (int64_t i = 0; i < n; i++) y[i] = (INTEGER)(nearest(clamped(x[i] / scale, lowest, highest)) + whole);
    }
}

#ifdef NARROW
#define OP(a, b) ((a) + (b))
#define FN       OBK_FN(NAME(qlinear_add))
#include "kernels/quantize/qlinear.inc.h"
#define OP(a, b) ((a) * (b))
#define FN       OBK_FN(NAME(qlinear_mul))
#include "kernels/quantize/qlinear.inc.h"
#define SELECTS
#define FN OBK_FN(NAME(qlinear_where))
#include "kernels/quantize/qlinear.inc.h"

/* The sum of the bytes of a row. Without AVX2 it is summed in pieces whose sum fits into 32 bits. */
static int64_t NAME(sum_row)(const INTEGER *x, int64_t n) {
#ifdef __AVX2__
    const bool is_signed = (INTEGER)-1 < 0;
    const int64_t sum = obk_sum((const uint8_t *)x, n, _mm256_set1_epi8((char)(is_signed ? 0x80 : 0)));
    return is_signed ? sum - 128 * n : sum;
#else
    int64_t sum = 0;
    for (int64_t from = 0; from < n; from += SOME) {
        const int64_t to = n - from < SOME ? n : from + SOME;
        int32_t some = 0;
        for (int64_t i = from; i < to; i++) some += x[i];
        sum += some;
    }
    return sum;
#endif
}

/* Sums of columns, COLUMNS of them in registers, over as many rows as a sum of 16 bits can hold. */
static void NAME(sum_columns)(int64_t *sums, const INTEGER *x, int64_t m, int64_t n, int64_t step) {
    for (int64_t from = 0; from < n; from += FEW) {
        const int64_t to = n - from < FEW ? n : from + FEW;
        int16_t some[COLUMNS] = {0};
        if (m == COLUMNS)
            for (int64_t i = from; i < to; i++)
                for (int k = 0; k < COLUMNS; k++) some[k] = (int16_t)(some[k] + x[i * step + k]);
        else
            for (int64_t i = from; i < to; i++)
                for (int k = 0; k < m; k++) some[k] = (int16_t)(some[k] + x[i * step + k]);
        for (int k = 0; k < m; k++) sums[k] += some[k];
    }
}

void OBK_FN(NAME(quantize_sums))(int64_t *sums, const void *from, int64_t m, int64_t next, int64_t n, int64_t step) {
    const INTEGER *x = from;
    if (step == 1) {
        for (int64_t i = 0; i < m; i++) sums[i] = NAME(sum_row)(x + i * next, n);
        return;
    }
    memset(sums, 0, (size_t)m * sizeof *sums);
    for (int64_t i = 0; i < m; i += COLUMNS) NAME(sum_columns)(sums + i, x + i, m - i < COLUMNS ? m - i : COLUMNS, n, step);
}

void OBK_FN(NAME(requantize))(void *to, const int32_t *restrict sums, int64_t n, const obk_requantized *q) {
    INTEGER *restrict y = to;
    const float low = q->low - q->zero, high = q->high - q->zero, *restrict scale = q->scale;
    const int32_t zero = (int32_t)q->zero;
    if (q->each) {
        for (int64_t i = 0; i < n; i++) {
            float sum = (float)sums[i];
            y[i] = (INTEGER)(nearest(clamped(sum * scale[i], low, high)) + zero);
        }
    } else {
        const float factor = *scale;
        for (int64_t i = 0; i < n; i++) {
            float sum = (float)sums[i];
            y[i] = (INTEGER)(nearest(clamped(sum * factor, low, high)) + zero);
        }
    }
}
#endif
