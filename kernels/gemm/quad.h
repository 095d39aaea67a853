/* Quads of bytes as vectors, for processors with dot products of bytes: unsigned by signed on x86-64, both signed on arm64
 * (OBK_QUADS_SIGNED; only newer processors mix them). OBK_QUADS is defined where the compiler has them; the
 * functions must be compiled between OBK_QUADS_BEGIN and OBK_QUADS_END, and called only if ob__kernels_dot8(). */
#ifndef OB_KERNELS_GEMM_QUAD_H
#define OB_KERNELS_GEMM_QUAD_H

#include "kernels/vector.h"

typedef uint32_t obk_any_quad __attribute__((may_alias)); /* four bytes as one number */

#if defined(__AVX512F__) && (defined(__clang__) || __GNUC__ >= 8)
#define OBK_QUADS_TARGET "avx512vnni"
#elif defined(__AVX2__) && !defined(__AVX512F__) &&                                                                              \
    ((defined(__clang__) && __clang_major__ >= 12) || (!defined(__clang__) && __GNUC__ >= 11))
#define OBK_QUADS_TARGET "avxvnni"
#elif defined(OBK_NEON) && defined(__aarch64__) && defined(__linux__) &&                                                         \
    ((defined(__clang__) && __clang_major__ >= 15) || (!defined(__clang__) && __GNUC__ >= 9))
#ifdef __clang__
#define OBK_QUADS_TARGET "dotprod"
#else
#define OBK_QUADS_TARGET "arch=armv8.2-a+dotprod"
#endif
#define OBK_QUADS_SIGNED 1
#if (defined(__clang__) && __clang_major__ >= 15) || (!defined(__clang__) && __GNUC__ >= 10)
#define OBK_EIGHTS /* and matrices of bytes (i8mm) */
#endif
#endif
#ifndef OBK_QUADS_SIGNED
#define OBK_QUADS_SIGNED 0
#endif

#ifdef OBK_QUADS_TARGET
#define OBK_QUADS
#define OBK_PRAGMA(x) _Pragma(#x)
#ifdef __clang__
#define OBK_QUADS_BEGIN_(t) OBK_PRAGMA(clang attribute push(__attribute__((target(t))), apply_to = function))
#define OBK_QUADS_BEGIN     OBK_QUADS_BEGIN_(OBK_QUADS_TARGET)
#define OBK_QUADS_END       _Pragma("clang attribute pop")
#else
#define OBK_QUADS_BEGIN_(t) _Pragma("GCC push_options") OBK_PRAGMA(GCC target(t))
#define OBK_QUADS_BEGIN     OBK_QUADS_BEGIN_(OBK_QUADS_TARGET)
#define OBK_QUADS_END       _Pragma("GCC pop_options")
#endif

OBK_QUADS_BEGIN
/* sum + the products of the four bytes of each element: a unsigned, or signed (OBK_QUADS_SIGNED); b signed. Wraps. */
OBK_INLINE obk_r_u32 obk_add_quads(obk_r_u32 a, obk_r_u32 b, obk_r_u32 sum) {
#ifdef __AVX512F__
    return (obk_r_u32)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#elif defined(__aarch64__)
    return (obk_r_u32)vdotq_s32((int32x4_t)sum, (int8x16_t)a, (int8x16_t)b);
#else
    return (obk_r_u32)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)a, (__m256i)b);
#endif
}
OBK_QUADS_END
#endif

#endif
