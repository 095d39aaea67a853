/* Template of quantize.c: INTEGER, NAME(x); NARROW: results of products have the type. */
#include "kernels/quantize/dequantize.inc.h"

static void NAME(quantize)(void *to, const float *restrict x, int64_t n, const obk_scales *scales) {
    INTEGER *restrict y = to;
    const float low = scales->low, high = scales->high;
    if (scales->each) {
        const float *restrict scale = scales->scale, *restrict zero = scales->zero;
        for (int64_t i = 0; i < n; i++) y[i] = (INTEGER)(int32_t)clamped(rounded(x[i] / scale[i]) + zero[i], low, high);
    } else {
        const float scale = *scales->scale, zero = *scales->zero;
        for (int64_t i = 0; i < n; i++) y[i] = (INTEGER)(int32_t)clamped(rounded(x[i] / scale) + zero, low, high);
    }
}

#ifdef NARROW
static void NAME(requantize)(void *to, const int32_t *restrict sums, int64_t n, const obk_requantized *q) {
    enum { BLOCK = 256 };
    INTEGER *restrict y = to;
    const float zero = q->zero, low = q->low, high = q->high;
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t m = n - done < BLOCK ? n - done : BLOCK;
        float x[BLOCK];
        if (q->bias && q->bias_each)
            for (int64_t i = 0; i < m; i++) x[i] = (float)(int32_t)((uint32_t)sums[done + i] + (uint32_t)q->bias[done + i]);
        else {
            const uint32_t bias = q->bias ? (uint32_t)*q->bias : 0;
            for (int64_t i = 0; i < m; i++) x[i] = (float)(int32_t)((uint32_t)sums[done + i] + bias);
        }
        if (q->scale_each)
            for (int64_t i = 0; i < m; i++) x[i] *= q->scale[done + i];
        else {
            const float scale = *q->scale;
            for (int64_t i = 0; i < m; i++) x[i] *= scale;
        }
        for (int64_t i = 0; i < m; i++) y[done + i] = (INTEGER)(int32_t)clamped(rounded(x[i]) + zero, low, high);
    }
}
#endif
