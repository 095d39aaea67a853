/* Vectors with some lanes outside a row, and checks for NaN, for max_strips.inc.h. */
#ifndef OB_KERNELS_POOL_LANES_H
#define OB_KERNELS_POOL_LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/vector.h"

typedef obk_m_f32 mask_f32;
typedef obk_m_f64 mask_f64;

/* load_lanes: `sees` has all bits of the lanes to load, the others stay as in `other`; memory from begin to end may be read.
 * store_lanes: the first n. UNORDERED: the lanes where a or b is NaN. */
#if defined(__AVX512F__)
OBK_INLINE obk_r_f32 load_lanes_f32(const float *x, mask_f32 sees, obk_r_f32 other, const float *begin, const float *end) {
    (void)begin, (void)end;
    return (obk_r_f32)_mm512_mask_loadu_ps((__m512)other, _mm512_movepi32_mask((__m512i)sees), x);
}
OBK_INLINE obk_r_f64 load_lanes_f64(const double *x, mask_f64 sees, obk_r_f64 other, const double *begin, const double *end) {
    (void)begin, (void)end;
    return (obk_r_f64)_mm512_mask_loadu_pd((__m512d)other, _mm512_movepi64_mask((__m512i)sees), x);
}
OBK_INLINE void store_lanes_f32(float *to, obk_r_f32 v, int64_t n) {
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << n) - 1), (__m512)v);
}
OBK_INLINE void store_lanes_f64(double *to, obk_r_f64 v, int64_t n) {
    _mm512_mask_storeu_pd(to, (__mmask8)((1u << n) - 1), (__m512d)v);
}
/* The lanes of v from the second one on, and x. */
OBK_INLINE obk_r_f32 append_f32(obk_r_f32 v, float x) {
    return (obk_r_f32)_mm512_alignr_epi32((__m512i)_mm512_set1_ps(x), (__m512i)v, 1);
}
OBK_INLINE obk_r_f64 append_f64(obk_r_f64 v, double x) {
    return (obk_r_f64)_mm512_alignr_epi64((__m512i)_mm512_set1_pd(x), (__m512i)v, 1);
}
typedef unsigned nans_f32, nans_f64;
#define UNORDERED_F32(a, b) _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_UNORD_Q)
#define UNORDERED_F64(a, b) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_UNORD_Q)
#elif defined(__AVX2__)
OBK_INLINE obk_r_f32 load_lanes_f32(const float *x, mask_f32 sees, obk_r_f32 other, const float *begin, const float *end) {
    (void)begin, (void)end;
    return (obk_r_f32)_mm256_blendv_ps((__m256)other, _mm256_maskload_ps(x, (__m256i)sees), (__m256)sees);
}
OBK_INLINE obk_r_f64 load_lanes_f64(const double *x, mask_f64 sees, obk_r_f64 other, const double *begin, const double *end) {
    (void)begin, (void)end;
    return (obk_r_f64)_mm256_blendv_pd((__m256d)other, _mm256_maskload_pd(x, (__m256i)sees), (__m256d)sees);
}
typedef mask_f32 nans_f32;
typedef mask_f64 nans_f64;
#define UNORDERED_F32(a, b) (mask_f32) _mm256_cmp_ps((__m256)(a), (__m256)(b), _CMP_UNORD_Q)
#define UNORDERED_F64(a, b) (mask_f64) _mm256_cmp_pd((__m256d)(a), (__m256d)(b), _CMP_UNORD_Q)
#else
#define LOAD_LANES(T, N, M)                                                                                                      \
    __attribute__((noinline)) static void load_few_##N(const T *x, const M *sees,                                                \
                                                       obk_v_##N *to) { /* near the ends of the plane */                         \
        for (int l = 0; l < (int)(OBK_VECTOR_BYTES / sizeof(T)); l++)                                                            \
            if ((*sees)[l]) (*to)[l] = x[l];                                                                                     \
    }                                                                                                                            \
    OBK_INLINE obk_r_##N load_lanes_##N(const T *x, M sees, obk_r_##N other, const T *begin, const T *end) {                     \
        if ((uintptr_t)x >= (uintptr_t)begin && (uintptr_t)x + OBK_VECTOR_BYTES <= (uintptr_t)end)                               \
            return (obk_r_##N)(((M) * (const obk_v_##N *)(const void *)x & sees) | ((M)other & ~sees));                          \
        obk_v_##N few = other;                                                                                                   \
        load_few_##N(x, &sees, &few);                                                                                            \
        return few;                                                                                                              \
    }
LOAD_LANES(float, f32, mask_f32)
LOAD_LANES(double, f64, mask_f64)
#undef LOAD_LANES
typedef mask_f32 nans_f32;
typedef mask_f64 nans_f64;
#define UNORDERED_F32(a, b) ((mask_f32)((a) != (a)) | (mask_f32)((b) != (b)))
#define UNORDERED_F64(a, b) ((mask_f64)((a) != (a)) | (mask_f64)((b) != (b)))
#endif

/* Every second element of two vectors, in an order that IN_ORDER mends. AVX2 takes one instruction less for each. */
#if defined(__AVX2__) && !defined(__AVX512F__)
OBK_INLINE obk_r_f32 some_evens_f32(obk_r_f32 a, obk_r_f32 b) {
    return (obk_r_f32)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
}
OBK_INLINE obk_r_f32 some_odds_f32(obk_r_f32 a, obk_r_f32 b) {
    return (obk_r_f32)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
}
OBK_INLINE obk_r_f64 some_evens_f64(obk_r_f64 a, obk_r_f64 b) {
    return (obk_r_f64)_mm256_unpacklo_pd((__m256d)a, (__m256d)b);
}
OBK_INLINE obk_r_f64 some_odds_f64(obk_r_f64 a, obk_r_f64 b) {
    return (obk_r_f64)_mm256_unpackhi_pd((__m256d)a, (__m256d)b);
}
#define IN_ORDER(v) ((__typeof__(v))_mm256_permute4x64_pd((__m256d)(v), 0xd8))
#else
#define some_evens_f32 obk_evens_f32
#define some_odds_f32  obk_odds_f32
#define some_evens_f64 obk_evens_f64
#define some_odds_f64  obk_odds_f64
#define IN_ORDER(v)    (v)
#endif

#ifdef __AVX512F__
#define any_nan_f32(n) ((n) != 0)
#define any_nan_f64(n) ((n) != 0)
#else
#define LANES(T, N)                                                                                                              \
    OBK_INLINE void store_lanes_##N(T *to, obk_r_##N v, int64_t n) {                                                             \
        OBK_UNROLL                                                                                                               \
        for (int l = 0; l < (int)(sizeof v / sizeof v[0]); l++)                                                                  \
            if (l < n) to[l] = v[l];                                                                                             \
    }                                                                                                                            \
    OBK_INLINE bool any_nan_##N(nans_##N n) {                                                                                    \
        bool any = false;                                                                                                        \
        for (size_t l = 0; l < sizeof n / sizeof n[0]; l++) any = any || n[l];                                                   \
        return any;                                                                                                              \
    }
LANES(float, f32)
LANES(double, f64)
#undef LANES
#endif

#endif
