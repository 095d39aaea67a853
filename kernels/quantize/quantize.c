/* Quantization. Loops that the compiler vectorises. */
#include "kernels/quantize/quantize.h"
#include "kernels/level.h"

#include <float.h>
#include <string.h>

#include "kernels/quantize/bytes.h"
#include "kernels/vector.h"

#define MEMBER quantize
#define ROWS   "kernels/quantize/quantize.def"
#include "kernels/declare.inc.h"

_Static_assert(FLT_EVAL_METHOD == 0, "a sum of floats must be a float: adding 1.5 * 2^23 rounds (cmake/target.cmake)");

/* The nearest integer to a number below 2^22, halves to even. */
OBK_INLINE int32_t nearest(float x) {
    float sum = x + 12582912.0f; /* 1.5 * 2^23: the addition rounds, and the last bits are the integer */
    int32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits - 0x4b400000;
}

/* NaN becomes `low`. */
OBK_INLINE float clamped(float x, float low, float high) {
    x = x > low ? x : low;
    return x < high ? x : high;
}

enum {
    SOME = 1 << 23,
    FEW = 128,
    COLUMNS = 64
}; /* 8-bit elements whose sums fit into 32 and 16 bits; columns that are summed together */

#define INTEGER int8_t
#define NAME(x) x##_int8
#define NARROW
#include "kernels/quantize/integer.inc.h"
#undef INTEGER
#undef NAME

#define INTEGER uint8_t
#define NAME(x) x##_uint8
#include "kernels/quantize/integer.inc.h"
#undef INTEGER
#undef NAME
#undef NARROW

#define INTEGER int16_t
#define NAME(x) x##_int16
#include "kernels/quantize/integer.inc.h"
#undef INTEGER
#undef NAME

#define INTEGER uint16_t
#define NAME(x) x##_uint16
#include "kernels/quantize/integer.inc.h"
#undef INTEGER
#undef NAME

#define INTEGER int32_t
#define NAME(x) x##_int32
#include "kernels/quantize/dequantize.inc.h"
#undef INTEGER
#undef NAME

void OBK_FN(dequantize_float)(float *y, const float *x, int64_t n, const obk_scales *scales) {
    if (scales->each) {
        const float *scale = scales->scale, *zero = scales->zero;
        for (int64_t i = 0; i < n; i++) y[i] = (x[i] - zero[i]) * scale[i];
    } else {
        const float scale = *scales->scale, zero = *scales->zero;
        for (int64_t i = 0; i < n; i++) y[i] = (x[i] - zero) * scale;
    }
}

void OBK_FN(quantize_divide)(float *y, const float *x, int64_t n, const obk_scales *scales) {
    if (scales->each) {
        const float *scale = scales->scale, *zero = scales->zero;
        for (int64_t i = 0; i < n; i++) {
            float quotient = x[i] / scale[i];
            y[i] = zero[i] != 0 ? quotient + zero[i] : quotient; /* -0 stays -0 */
        }
        return;
    }
    const float scale = *scales->scale, zero = *scales->zero;
    if (zero != 0)
        for (int64_t i = 0; i < n; i++) y[i] = x[i] / scale + zero;
    else
        for (int64_t i = 0; i < n; i++) y[i] = x[i] / scale;
}

void OBK_FN(quantize_accumulate)(float *restrict y, const int32_t *restrict sums, int64_t n, const obk_scales *scales) {
    if (scales->each) {
        const float *restrict scale = scales->scale;
        for (int64_t i = 0; i < n; i++) y[i] += (float)sums[i] * scale[i];
    } else {
        const float scale = *scales->scale;
        for (int64_t i = 0; i < n; i++) y[i] += (float)sums[i] * scale;
    }
}

void OBK_FN(quantize_lookup)(uint8_t *z, const uint8_t *x, int64_t n, const uint8_t *table) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) { /* one load and one store for eight elements */
        uint64_t from, to = 0;
        memcpy(&from, x + i, sizeof from);
        OBK_UNROLL
        for (int k = 0; k < 64; k += 8) to |= (uint64_t)table[from >> k & 255] << k;
        memcpy(z + i, &to, sizeof to);
    }
    for (; i < n; i++) z[i] = table[x[i]];
}

void OBK_FN(quantize_range)(const float *x, int64_t n, float *low, float *high) {
    enum { WIDTH = 32 };
    float least[WIDTH] = {0}, most[WIDTH] = {0};
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (int k = 0; k < WIDTH; k++) {
            least[k] = x[i + k] < least[k] ? x[i + k] : least[k];
            most[k] = x[i + k] > most[k] ? x[i + k] : most[k];
        }
    for (; i < n; i++) {
        least[0] = x[i] < least[0] ? x[i] : least[0];
        most[0] = x[i] > most[0] ? x[i] : most[0];
    }
    for (int k = 1; k < WIDTH; k++) {
        least[0] = least[k] < least[0] ? least[k] : least[0];
        most[0] = most[k] > most[0] ? most[k] : most[0];
    }
    *low = least[0];
    *high = most[0];
}

const obk_quantize OBK_TABLE(quantize) = {
#define ROWS "kernels/quantize/quantize.def"
#include "kernels/table.inc.h"
};
