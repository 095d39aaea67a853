/* Vectors as wide as the instruction set's registers, for loops whose accumulators must stay there. Never passed to a function
 * that is not inlined. */
#ifndef OB_KERNELS_VECTOR_H
#define OB_KERNELS_VECTOR_H

#include <stdint.h>

#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

/* OBK_TILE_ROWS rows of two vectors each are the sums of a product's tile: what the registers hold beside its operands. */
#if defined(__AVX512F__)
#define OBK_VECTOR_BYTES 64
#define OBK_TILE_ROWS    12
#elif defined(__AVX2__)
#define OBK_VECTOR_BYTES 32
#define OBK_TILE_ROWS    6
#else
#define OBK_VECTOR_BYTES 16
#define OBK_TILE_ROWS    4
#endif

/* Aligned as an element is: they are read and written through pointers to elements. */
typedef float obk_v_f32 __attribute__((vector_size(OBK_VECTOR_BYTES), aligned(4), may_alias));
typedef double obk_v_f64 __attribute__((vector_size(OBK_VECTOR_BYTES), aligned(8), may_alias));
typedef uint32_t obk_v_u32 __attribute__((vector_size(OBK_VECTOR_BYTES), aligned(4), may_alias));

/* For accumulators and other variables: GCC 12 keeps those that are aligned less in memory, which halves the speed of a tile. */
typedef float obk_r_f32 __attribute__((vector_size(OBK_VECTOR_BYTES)));
typedef double obk_r_f64 __attribute__((vector_size(OBK_VECTOR_BYTES)));
typedef uint32_t obk_r_u32 __attribute__((vector_size(OBK_VECTOR_BYTES)));

/* OBK_FMA (kernels/fma.h) of vectors. */
#if defined(__AVX512F__)
#define obk_fma_v_f32(a, b, c) ((obk_v_f32)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define obk_fma_v_f64(a, b, c) ((obk_v_f64)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#elif defined(__AVX2__) && defined(__FMA__)
#define obk_fma_v_f32(a, b, c) ((obk_v_f32)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define obk_fma_v_f64(a, b, c) ((obk_v_f64)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#else
#define obk_fma_v_f32(a, b, c) ((a) * (b) + (c))
#define obk_fma_v_f64(a, b, c) ((a) * (b) + (c))
#endif

#define OBK_INLINE static inline __attribute__((always_inline))

/* Before a loop of at most 16 steps, whose number is known when all is inlined: arrays of vectors then become registers. */
#ifdef __clang__
#define OBK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define OBK_UNROLL _Pragma("GCC unroll 16")
#endif

#endif
