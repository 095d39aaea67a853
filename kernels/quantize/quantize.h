/* Quantization and dequantization by scales and zero points. */
#ifndef OB_KERNELS_QUANTIZE_QUANTIZE_H
#define OB_KERNELS_QUANTIZE_QUANTIZE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 4- and 2-bit integers occupy a byte each and have their own low and high. */
typedef enum obk_integer {
    OBK_Q_INT8,
    OBK_Q_UINT8,
    OBK_Q_INT16,
    OBK_Q_UINT16,
    OBK_Q_INT32, /* only for dequantization */
    OBK_Q_COUNT
} obk_integer;

typedef struct obk_scales {
    const float *scale, *zero; /* one for all elements, or (`each`) one for each element */
    bool each;
    float low, high; /* range of the integers */
} obk_scales;

/* Requantization of n sums of an integer product. */
typedef struct obk_requantized {
    const float *scale; /* the factor of a sum: one for all, or (`each`) one for each element */
    bool each;
    float zero, low, high; /* integers */
} obk_requantized;

/* Operations on elements of 8 bits: scales and zero points of the operands and of the result, with `each` false. */
typedef struct obk_qlinear {
    float scale[2], zero[2];
    obk_scales to;
} obk_qlinear;

typedef enum obk_qlinear_kind {
    OBK_QLINEAR_ADD,
    OBK_QLINEAR_MUL,
    OBK_QLINEAR_WHERE, /* operands: condition (0 or 1), x, y; the scales belong to x and y */
    OBK_QLINEAR_COUNT
} obk_qlinear_kind;

typedef void (*obk_quantize_loop)(void *y, const float *x, int64_t n, const obk_scales *scales);
typedef void (*obk_dequantize_loop)(float *y, const void *x, int64_t n, const obk_scales *scales);
typedef void (*obk_divide_loop)(float *y, const float *x, int64_t n, const obk_scales *scales);
typedef void (*obk_requantize_loop)(void *y, const int32_t *sums, int64_t n, const obk_requantized *to);
typedef void (*obk_accumulate_loop)(float *y, const int32_t *sums, int64_t n, const obk_scales *scales);
typedef void (*obk_qlinear_loop)(void *z, const void *const *operands, int64_t n, const obk_qlinear *q);
typedef void (*obk_lookup_loop)(uint8_t *z, const uint8_t *x, int64_t n, const uint8_t *table);
typedef void (*obk_range_loop)(const float *x, int64_t n, float *low, float *high);

typedef struct obk_quantize {
    /* y = saturate(round(x / scale) + zero), halves to even; NaN becomes the lowest. zero is an integer. */
    obk_quantize_loop quantize[OBK_Q_INT32];
    /* y = x / scale + zero; a zero of 0 is not added. y may be x. */
    obk_divide_loop divide;
    /* y = (x - zero) * scale. low and high are ignored. */
    obk_dequantize_loop dequantize[OBK_Q_COUNT];
    obk_divide_loop dequantize_float; /* y may be x */
    /* y = saturate(round(sum * scale) + zero), halves to even, as [OBK_Q_INT8] or [OBK_Q_UINT8]. */
    obk_requantize_loop requantize[2];
    /* y += sum * scale. zero, low and high are ignored. */
    obk_accumulate_loop accumulate;
    /* z = quantize(f(dequantize(x), dequantize(y))) of n bytes, to [OBK_Q_INT8] or [OBK_Q_UINT8]. z may be an operand. */
    obk_qlinear_loop qlinear[OBK_QLINEAR_COUNT][2];
    /* z = table[x]; z may be x. */
    obk_lookup_loop lookup;
    /* m sums of n bytes each: sum i begins at byte i * next, its bytes lie `step` apart. One of next and step is 1. */
    void (*sums[2])(int64_t *sums, const void *x, int64_t m, int64_t next, int64_t n, int64_t step);
    /* The least and the greatest of x and 0. NaN is ignored. */
    obk_range_loop range;
} obk_quantize;

/* The scale and zero point of bytes that cover low .. high, which includes 0: DynamicQuantizeLinear 11. If all elements are zeros
 * the scale is 1. */
static inline void obk_byte_scale(float low, float high, float *scale, float *zero) {
    *scale = high == low ? 1 : (high - low) / 255;
    const float place = rintf(-low / *scale);
    *zero = place > 0 ? place < 255 ? place : 255 : 0;
}

#endif
