/* Template of quantize.c: INTEGER, NAME(x); NARROW: results of products have the type. */
#include "kernels/quantize/dequantize.inc.h"

static void NAME(quantize)(void *to, const float *restrict x, int64_t n, const obk_scales *scales) {
    INTEGER *restrict y = to;
    const float low = scales->low, high = scales->high;
    if (scales->each) {
        const float *restrict scale = scales->scale, *restrict zero = scales->zero;
        for (int64_t i = 0; i < n; i++)
            y[i] = (INTEGER)(nearest(clamped(x[i] / scale[i], low - zero[i], high - zero[i])) + (int32_t)zero[i]);
    } else {
        const float scale = *scales->scale, zero = *scales->zero, lowest = low - zero, highest = high - zero;
        const int32_t whole = (int32_t)zero;
        for (int64_t i = 0; i < n; i++) y[i] = (INTEGER)(nearest(clamped(x[i] / scale, lowest, highest)) + whole);
    }
}

#ifdef NARROW
#define OP(a, b) ((a) + (b))
#define FN       NAME(add)
#include "kernels/quantize/qlinear.inc.h"
#define OP(a, b) ((a) * (b))
#define FN       NAME(mul)
#include "kernels/quantize/qlinear.inc.h"
#define SELECTS
#define FN NAME(where)
#include "kernels/quantize/qlinear.inc.h"

static void NAME(requantize)(void *to, const int32_t *restrict sums, int64_t n, const obk_requantized *q) {
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
