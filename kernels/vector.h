/* Vectors of the register width, for loops whose accumulators must stay in registers. Never passed to a function that is not
 * inlined. */
#ifndef OB_KERNELS_VECTOR_H
#define OB_KERNELS_VECTOR_H

#include <stdint.h>

#include "kernels/fma.h"

#ifdef __SSE2__
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if (defined(OBK_NEON) && defined(__aarch64__)) || defined(OBK_RVV)
#define OBK_32_REGISTERS /* of 16 bytes */
#endif

/* A product's tile has OBK_TILE_ROWS rows of two vectors each: as many sums as fit into the registers next to the operands. */
#if defined(__AVX512F__)
#define OBK_VECTOR_BYTES 64
#define OBK_TILE_ROWS    12
#elif defined(__AVX2__)
#define OBK_VECTOR_BYTES 32
#define OBK_TILE_ROWS    6
#elif defined(OBK_32_REGISTERS)
#define OBK_VECTOR_BYTES 16
#define OBK_TILE_ROWS    12
#else
#define OBK_VECTOR_BYTES 16
#define OBK_TILE_ROWS    4
#endif

/* Aligned like an element, because they are loaded and stored through pointers to elements. */
typedef float obk_v_f32 __attribute__((vector_size(OBK_VECTOR_BYTES), aligned(4), may_alias));
typedef double obk_v_f64 __attribute__((vector_size(OBK_VECTOR_BYTES), aligned(8), may_alias));
typedef uint32_t obk_v_u32 __attribute__((vector_size(OBK_VECTOR_BYTES), aligned(4), may_alias));

/* For accumulators and other variables. GCC 12 keeps less aligned ones in memory, which halves the speed of a tile. */
typedef float obk_r_f32 __attribute__((vector_size(OBK_VECTOR_BYTES)));
typedef double obk_r_f64 __attribute__((vector_size(OBK_VECTOR_BYTES)));
typedef uint32_t obk_r_u32 __attribute__((vector_size(OBK_VECTOR_BYTES)));

/* The results of comparisons: all bits or none. */
typedef int32_t obk_m_f32 __attribute__((vector_size(OBK_VECTOR_BYTES)));
typedef int64_t obk_m_f64 __attribute__((vector_size(OBK_VECTOR_BYTES)));

/* OBK_FMA (kernels/fma.h) for vectors. */
#if defined(__AVX512F__)
#define obk_fma_v_f32(a, b, c) ((obk_v_f32)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define obk_fma_v_f64(a, b, c) ((obk_v_f64)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#elif defined(OBK_FUSES) && defined(__AVX2__)
#define obk_fma_v_f32(a, b, c) ((obk_v_f32)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define obk_fma_v_f64(a, b, c) ((obk_v_f64)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#elif defined(OBK_FUSES)
#define obk_fma_v_f32(a, b, c) ((obk_v_f32)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b)))
#define obk_fma_v_f64(a, b, c) ((obk_v_f64)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b)))
#else
#define obk_fma_v_f32(a, b, c) ((a) * (b) + (c))
#define obk_fma_v_f64(a, b, c) ((a) * (b) + (c))
#endif

#define OBK_INLINE static inline __attribute__((always_inline))

/* Every second element of two vectors, starting from the first or from the second. */
#if OBK_VECTOR_BYTES == 64
#define OBK_EVENS_F32 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define OBK_ODDS_F32  1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define OBK_EVENS_F64 0, 2, 4, 6, 8, 10, 12, 14
#define OBK_ODDS_F64  1, 3, 5, 7, 9, 11, 13, 15
#elif OBK_VECTOR_BYTES == 32
#define OBK_EVENS_F32 0, 2, 4, 6, 8, 10, 12, 14
#define OBK_ODDS_F32  1, 3, 5, 7, 9, 11, 13, 15
#define OBK_EVENS_F64 0, 2, 4, 6
#define OBK_ODDS_F64  1, 3, 5, 7
#else
#define OBK_EVENS_F32 0, 2, 4, 6
#define OBK_ODDS_F32  1, 3, 5, 7
#define OBK_EVENS_F64 0, 2
#define OBK_ODDS_F64  1, 3
#endif
OBK_INLINE obk_r_f32 obk_evens_f32(obk_r_f32 a, obk_r_f32 b) {
    return __builtin_shufflevector(a, b, OBK_EVENS_F32);
}
OBK_INLINE obk_r_f32 obk_odds_f32(obk_r_f32 a, obk_r_f32 b) {
    return __builtin_shufflevector(a, b, OBK_ODDS_F32);
}
OBK_INLINE obk_r_f64 obk_evens_f64(obk_r_f64 a, obk_r_f64 b) {
    return __builtin_shufflevector(a, b, OBK_EVENS_F64);
}
OBK_INLINE obk_r_f64 obk_odds_f64(obk_r_f64 a, obk_r_f64 b) {
    return __builtin_shufflevector(a, b, OBK_ODDS_F64);
}

/* X(lane) for all lanes: gathers a vector from arbitrary elements. GCC 12 makes slower gathers from loops. */
#if OBK_VECTOR_BYTES == 64
#define OBK_EACH_F32(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15)
#define OBK_EACH_F64(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)
#elif OBK_VECTOR_BYTES == 32
#define OBK_EACH_F32(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)
#define OBK_EACH_F64(X) X(0), X(1), X(2), X(3)
#else
#define OBK_EACH_F32(X) X(0), X(1), X(2), X(3)
#define OBK_EACH_F64(X) X(0), X(1)
#endif

/* a > b ? a : b */
#if defined(__AVX512F__)
#define obk_max_v_f32(a, b) ((obk_r_f32)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define obk_max_v_f64(a, b) ((obk_r_f64)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#elif defined(__AVX2__)
#define obk_max_v_f32(a, b) ((obk_r_f32)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define obk_max_v_f64(a, b) ((obk_r_f64)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#elif defined(__SSE2__)
#define obk_max_v_f32(a, b) ((obk_r_f32)_mm_max_ps((__m128)(a), (__m128)(b)))
#define obk_max_v_f64(a, b) ((obk_r_f64)_mm_max_pd((__m128d)(a), (__m128d)(b)))
#elif defined(__aarch64__)
OBK_INLINE obk_r_f32 obk_max_v_f32(obk_r_f32 a, obk_r_f32 b) {
    return (obk_r_f32)vbslq_f32(vcgtq_f32((float32x4_t)a, (float32x4_t)b), (float32x4_t)a, (float32x4_t)b);
}
OBK_INLINE obk_r_f64 obk_max_v_f64(obk_r_f64 a, obk_r_f64 b) {
    return (obk_r_f64)vbslq_f64(vcgtq_f64((float64x2_t)a, (float64x2_t)b), (float64x2_t)a, (float64x2_t)b);
}
#elif defined(__riscv_vector)
OBK_INLINE obk_r_f32 obk_max_v_f32(obk_r_f32 a, obk_r_f32 b) {
    const obk_m_f32 higher = a > b;
    return (obk_r_f32)((higher & (obk_m_f32)a) | (~higher & (obk_m_f32)b));
}
OBK_INLINE obk_r_f64 obk_max_v_f64(obk_r_f64 a, obk_r_f64 b) {
    const obk_m_f64 higher = a > b;
    return (obk_r_f64)((higher & (obk_m_f64)a) | (~higher & (obk_m_f64)b));
}
#else
OBK_INLINE obk_r_f32 obk_max_v_f32(obk_r_f32 a, obk_r_f32 b) {
    for (int l = 0; l < 4; l++) a[l] = a[l] > b[l] ? a[l] : b[l];
    return a;
}
OBK_INLINE obk_r_f64 obk_max_v_f64(obk_r_f64 a, obk_r_f64 b) {
    for (int l = 0; l < 2; l++) a[l] = a[l] > b[l] ? a[l] : b[l];
    return a;
}
#endif

/* Put before a loop of at most 16 steps whose number is known after inlining, so that arrays of vectors become registers. */
#ifdef __clang__
#define OBK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define OBK_UNROLL _Pragma("GCC unroll 16")
#endif

/* The sum of all lanes, as a tree: lane l and the one half a vector after it first. */
OBK_INLINE float obk_sum_lanes_f32(obk_r_f32 v) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
    const __m256 eight = _mm512_castps512_ps256((__m512)v) + _mm512_extractf32x8_ps((__m512)v, 1);
#else
    const __m256 eight = (__m256)v;
#endif
    const __m128 four = _mm256_castps256_ps128(eight) + _mm256_extractf128_ps(eight, 1);
    const __m128 two = four + _mm_movehl_ps(four, four);
    return two[0] + two[1];
#else
    return (v[0] + v[2]) + (v[1] + v[3]);
#endif
}
OBK_INLINE double obk_sum_lanes_f64(obk_r_f64 v) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
    const __m256d four = _mm512_castpd512_pd256((__m512d)v) + _mm512_extractf64x4_pd((__m512d)v, 1);
#else
    const __m256d four = (__m256d)v;
#endif
    const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
    return two[0] + two[1];
#else
    return v[0] + v[1];
#endif
}

/* The greatest lane; NaN may be missed. */
OBK_INLINE float obk_highest_lane_f32(obk_r_f32 v) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
    const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256((__m512)v), _mm512_extractf32x8_ps((__m512)v, 1));
#else
    const __m256 eight = (__m256)v;
#endif
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
#else
    float high = v[0];
    for (int l = 1; l < 4; l++) high = v[l] > high ? v[l] : high;
    return high;
#endif
}
OBK_INLINE double obk_highest_lane_f64(obk_r_f64 v) {
    double high = v[0];
    OBK_UNROLL
    for (int l = 1; l < (int)(OBK_VECTOR_BYTES / sizeof(double)); l++) high = v[l] > high ? v[l] : high;
    return high;
}

#endif
