/* Pairs of 16-bit integers as vectors. */
#ifndef OB_KERNELS_GEMM_PAIR_H
#define OB_KERNELS_GEMM_PAIR_H

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#elif defined(__ARM_FEATURE_SIMD32)
#include <arm_acle.h>
#endif
#if defined(__ARM_NEON) && !defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "kernels/vector.h"

typedef uint32_t obk_any_pair __attribute__((may_alias)); /* an obk_pair as one number */

/* sum + the two products of a pair; wraps. */
static inline uint32_t obk_add_pair(uint32_t a, uint32_t b, uint32_t sum) {
#ifdef __ARM_FEATURE_SIMD32
    return (uint32_t)__smlad((int16x2_t)a, (int16x2_t)b, (int32_t)sum);
#else
    return sum + (uint32_t)((int16_t)a * (int16_t)b) + (uint32_t)((int16_t)(a >> 16) * (int16_t)(b >> 16));
#endif
}

/* For each pair: the sum of its two products. */
OBK_INLINE obk_r_u32 obk_pair_products(obk_r_u32 a, obk_r_u32 b) {
#if defined __AVX512BW__
    return (obk_r_u32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined __AVX2__
    return (obk_r_u32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined __SSE2__
    return (obk_r_u32)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined __aarch64__
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    return (obk_r_u32)vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
#elif defined __ARM_NEON
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y)), high = vmull_s16(vget_high_s16(x), vget_high_s16(y));
    return (obk_r_u32)vcombine_s32(vpadd_s32(vget_low_s32(low), vget_high_s32(low)),
                                   vpadd_s32(vget_low_s32(high), vget_high_s32(high)));
#elif defined __riscv_vector
    typedef int32_t halves __attribute__((vector_size(OBK_VECTOR_BYTES)));
    const halves low = ((halves)(a << 16) >> 16) * ((halves)(b << 16) >> 16), high = ((halves)a >> 16) * ((halves)b >> 16);
    return (obk_r_u32)low + (obk_r_u32)high;
#else
    enum { W = OBK_VECTOR_BYTES / 4 };
    int16_t x[2 * W], y[2 * W];
    uint32_t z[W];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < W; i++) z[i] = (uint32_t)(x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1]);
    memcpy(&a, z, sizeof z);
    return a;
#endif
}

#endif
