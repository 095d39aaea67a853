/* Convolution. Compiled once for each instruction-set level. */
#include "kernels/conv/conv.h"

#include "core/base/integers.h"
#include "kernels/fma.h"
#include "kernels/gemm/integer.h"
#include "kernels/gemm/pair.h"
#include "kernels/gemm/quad.h"
#include "kernels/level.h"
#include "kernels/plain.h"
#include "kernels/transpose.h"
#include "kernels/vector.h"
#include "kernels/window/visit.inc.h"

#define MEMBER conv
#define ROWS   "kernels/conv/conv.def"
#include "kernels/declare.inc.h"

/* A sum of products. The weight of output channel m, channel c and kernel position k is at m * w_down + (c * n_kernel + k) *
 * w_across, its operand at c * plane + offset[k]. offset NULL: one kernel position, at 0. */
typedef struct obk_product {
    int64_t channels, n_kernel, plane, w_down, w_across;
    const int64_t *offset;
} obk_product;

/* The number of output channels to compute at once when `left` are left: full tiles as long as possible. */
static int64_t channels_at_once(int64_t left) {
    if (left <= 2) return left;
    if (left <= 4) return 4;
    return left % 6 == 2 ? 4 : 6;
}

/* A tile of a depthwise convolution: its rows, whether two vectors at the edge of a plane are one tile, and whether rows of
 * padding are skipped by a branch, because a masked load is a call. Loads that read zeros outside of first .. end. SHIFTED(a, b,
 * k): a vector of the elements of a and b from element k on, k at most 4. */
#if defined(__AVX512F__)
enum { DEPTHWISE_ROWS = 4, DEPTHWISE_WIDE_MASKED = true, DEPTHWISE_SKIPS = false };
#define MASK                  __mmask16
#define MAKE_MASK(first, end) ((end) > (first) ? ((1u << (end)) - 1) & ~((1u << (first)) - 1) : 0)
#define LOAD_MASKED(x, m)     ((obk_r_f32)_mm512_maskz_loadu_ps(m, x))
#define SHIFTED               shifted
OBK_INLINE obk_r_f32 shifted(obk_r_f32 a, obk_r_f32 b, const int k) {
    const __m512i low = (__m512i)a, high = (__m512i)b;
    switch (k) {
    case 0: return a;
    case 1: return (obk_r_f32)_mm512_alignr_epi32(high, low, 1);
    case 2: return (obk_r_f32)_mm512_alignr_epi32(high, low, 2);
    case 3: return (obk_r_f32)_mm512_alignr_epi32(high, low, 3);
    default: return (obk_r_f32)_mm512_alignr_epi32(high, low, 4);
    }
}
#elif defined(__AVX2__)
enum { DEPTHWISE_ROWS = 4, DEPTHWISE_WIDE_MASKED = false, DEPTHWISE_SKIPS = false };
#define MASK              __m256i
#define LOAD_MASKED(x, m) ((obk_r_f32)_mm256_maskload_ps(x, m))
OBK_INLINE __m256i MAKE_MASK(int64_t first, int64_t end) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32((int)first), lane),
                               _mm256_cmpgt_epi32(_mm256_set1_epi32((int)end), lane));
}
#elif !OBK_PLAIN_REAL && !OBK_SMALL_CODE
enum { DEPTHWISE_ROWS = 4, DEPTHWISE_WIDE_MASKED = false, DEPTHWISE_SKIPS = true };
typedef struct lane_range {
    int first, end;
} lane_range;
#define MASK lane_range
OBK_INLINE lane_range MAKE_MASK(int64_t first, int64_t end) {
    return (lane_range){(int)first, (int)end};
}
static __attribute__((noinline)) obk_r_f32 LOAD_MASKED(const float *x, lane_range m) {
    obk_r_f32 r = {0};
    for (int l = m.first; l < m.end; l++) r[l] = x[l];
    return r;
}
#endif

/* A tile with vectors along positions: output channels, and vectors. Types whose vectors have fewer elements than a tile has
 * output channels do without it, because it would read past a panel. */
#if defined(__AVX512F__)
enum { ALONG_CHANNELS = 8, ALONG_VECTORS = 3, ALONG_PRODUCTS = 192 };
#elif defined(OBK_32_REGISTERS)
enum { ALONG_CHANNELS = 4, ALONG_VECTORS = 6, ALONG_PRODUCTS = 192 };
#elif defined(__AVX2__)
enum { ALONG_CHANNELS = 4, ALONG_VECTORS = 3, ALONG_PRODUCTS = 144 };
#else
enum { ALONG_CHANNELS = 4, ALONG_VECTORS = 2, ALONG_PRODUCTS = 144 };
#endif

/* The widths of panels and the positions of a tile: as many sums as fit into the registers beside the operands. */
#if defined(__AVX512F__) || defined(OBK_32_REGISTERS)
enum { PANEL_ROWS = 12 };
#define PANEL_VECTORS   4
#define PANEL_ROWS_OF_2 12
#elif defined(__AVX2__)
enum { PANEL_ROWS = 12 };
#define PANEL_VECTORS   2
#define PANEL_ROWS_OF_2 6
#else
enum { PANEL_ROWS = 8 };
#define PANEL_VECTORS   2
#define PANEL_ROWS_OF_2 4
#endif

#define T        float
#define PLAIN    OBK_PLAIN_REAL
#define PAD      obk_pad_f32
#define NAME(n)  n##_f32
#define VECTOR   obk_v_f32
#define REGISTER obk_r_f32
#define FMA      obk_fma_v_f32
#define FMA_ONE  OBK_FMA
#define TRANSPOSED
#define DEPTHWISE
#define EVENS              obk_evens_f32
#define ODDS               obk_odds_f32
#define TRANSPOSED_AT_ONCE OBK_TRANSPOSED_F32
#define TRANSPOSE          obk_transpose_f32
#include "kernels/conv/conv.inc.h"
#ifdef OBK_LOWER /* doubles have the loops of AVX2 */
enum { LANES_f64 = 4, PANEL_VECTORS_f64 = 2, ALONG_PRODUCTS_f64 = 144 };
#else
#define T        double
#define PLAIN    OBK_PLAIN_REAL
#define PAD      obk_pad_f64
#define NAME(n)  n##_f64
#define VECTOR   obk_v_f64
#define REGISTER obk_r_f64
#define FMA      obk_fma_v_f64
#define FMA_ONE  OBK_FMA
#define TRANSPOSED
#define TRANSPOSED_AT_ONCE OBK_TRANSPOSED_F64
#define TRANSPOSE          obk_transpose_f64
#include "kernels/conv/conv.inc.h"
enum { PANEL_VECTORS_f64 = PANEL_VECTORS, ALONG_PRODUCTS_f64 = LANES_f64 % ALONG_CHANNELS == 0 ? ALONG_PRODUCTS : 0 };
#endif

/* Pairs of 16-bit integers; sums wrap around. */
#define T                  obk_any_pair
#define PLAIN              OBK_PLAIN_INTEGER
#define PAD                obk_pad_4
#define NAME(n)            n##_pairs
#define VECTOR             obk_v_u32
#define REGISTER           obk_r_u32
#define FMA(a, b, c)       ((c) + obk_pair_products(a, b))
#define FMA_ONE(a, b, c)   obk_add_pair(a, b, c)
#define TRANSPOSED_AT_ONCE OBK_TRANSPOSED_F32
#define TRANSPOSE(to, to_step, from, from_step)                                                                                  \
    obk_transpose_f32((float *)(void *)(to), to_step, (const float *)(const void *)(from), from_step)
#include "kernels/conv/conv.inc.h"

#define BYTE    int8_t
#define NAME(n) n##_signed
#include "kernels/conv/pair.inc.h"
#define BYTE    uint8_t
#define NAME(n) n##_unsigned
#include "kernels/conv/pair.inc.h"

void OBK_FN(conv_quad)(uint32_t *quads, const uint8_t *const *from, uint32_t flip, int64_t n) {
    static const uint8_t none[256];
    for (int64_t at = 0; at < n; at += (int64_t)sizeof none) {
        const int64_t some = ob__least(n - at, sizeof none);
        const uint8_t *restrict a = from[0] + at, *restrict b = from[1] ? from[1] + at : none,
                                *restrict c = from[2] ? from[2] + at : none, *restrict d = from[3] ? from[3] + at : none;
        uint32_t *restrict to = quads + at;
        for (int64_t i = 0; i < some; i++)
            to[i] = (a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16 | (uint32_t)d[i] << 24) ^ flip;
    }
}

#ifdef OBK_QUADS
OBK_QUADS_BEGIN
#define T                  obk_any_quad
#define PLAIN              OBK_PLAIN_INTEGER
#define PAD                obk_pad_4
#define NAME(n)            n##_quads
#define VECTOR             obk_v_u32
#define REGISTER           obk_r_u32
#define FMA(a, b, c)       obk_add_quads(a, b, c)
#define TRANSPOSED_AT_ONCE OBK_TRANSPOSED_F32
#define TRANSPOSE(to, to_step, from, from_step)                                                                                  \
    obk_transpose_f32((float *)(void *)(to), to_step, (const float *)(const void *)(from), from_step)
#include "kernels/conv/panels.inc.h"
OBK_QUADS_END
#endif

const obk_convs OBK_TABLE(conv) = {
#define ROWS "kernels/conv/conv.def"
#include "kernels/table.inc.h"
};
