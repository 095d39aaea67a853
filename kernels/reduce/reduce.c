/* Folding along axes. Compiled once for each instruction-set level. */
#include "kernels/reduce/parts.inc.h"
#include "kernels/vector.h"

#define MEMBER reduce
#define ROWS   "kernels/reduce/reduce.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_FN(name)

/* ---- Greatest and least floats ---- */

enum { RUN_LANES = 64, LANE_VECTORS = RUN_LANES * 4 / OBK_VECTOR_BYTES };

/* Notes whether an element of v is NaN. */
#if defined(__AVX512F__)
typedef __mmask16 found;
#define NOTE_NAN(any, v) ((any) |= _mm512_cmp_ps_mask((__m512)(v), (__m512)(v), _CMP_UNORD_Q))
#define IS_NOTED(any)    ((any) != 0)
#elif defined(__AVX2__)
typedef __m256 found;
#define NOTE_NAN(any, v) ((any) = _mm256_or_ps(any, _mm256_cmp_ps((__m256)(v), (__m256)(v), _CMP_UNORD_Q)))
#define IS_NOTED(any)    (_mm256_movemask_ps(any) != 0)
#endif

#ifdef NOTE_NAN
/* The first lane of the tree of a fold: of two equal ones, the first. */
OBK_INLINE float merge_vectors(obk_r_f32 *best) {
    for (int half = LANE_VECTORS / 2; half > 0; half /= 2)
        for (int v = 0; v < half; v++) best[v] = obk_max_v_f32(best[v + half], best[v]);
#if defined(__AVX512F__)
    const __m256 low = _mm512_castps512_ps256((__m512)best[0]), high = _mm512_extractf32x8_ps((__m512)best[0], 1);
    const __m256 eight = _mm256_max_ps(high, low);
#else
    const __m256 eight = (__m256)best[0];
#endif
    const __m128 four = _mm_max_ps(_mm256_extractf128_ps(eight, 1), _mm256_castps256_ps128(eight));
    const __m128 two = _mm_max_ps(_mm_movehl_ps(four, four), four);
    return _mm_cvtss_f32(_mm_max_ss(_mm_movehdup_ps(two), two));
}

/* Folds whole runs of RUN_LANES elements into `lanes`, in vectors that do not look at NaN; returns their number. *merged: these
 * were all elements, and lanes[0] is the result. 0: there is a NaN, and nothing has changed. negate: the least ones. */
OBK_INLINE int64_t fold_vectors(float *lanes, const float *x, int64_t n, bool negate, bool *merged) {
    obk_r_f32 best[LANE_VECTORS];
    const float sign = negate ? -1 : 1;
    found any = {0};
    int64_t i = 0;
    for (int v = 0; v < LANE_VECTORS; v++) best[v] = sign * ((const obk_v_f32 *)(const void *)lanes)[v];
    for (; i + RUN_LANES <= n; i += RUN_LANES)
        for (int v = 0; v < LANE_VECTORS; v++) {
            obk_r_f32 a = ((const obk_v_f32 *)(const void *)(x + i))[v];
            NOTE_NAN(any, a);
            if (negate) a = -a;
            best[v] = obk_max_v_f32(a, best[v]); /* a > best ? a : best */
        }
    if (IS_NOTED(any)) return 0;
    *merged = i == n;
    if (*merged)
        lanes[0] = sign * merge_vectors(best);
    else
        for (int v = 0; v < LANE_VECTORS; v++) ((obk_v_f32 *)(void *)lanes)[v] = sign * best[v];
    return i;
}
#endif

#ifdef NOTE_NAN
#define HAS_VECTORS
#endif
#define T         float
#define S         f32
#define IS_FLOAT  1
#define IS_SIGNED 1
#define LOWEST    (-INFINITY)
#define HIGHEST   INFINITY
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"

const obk_reduces OBK_TABLE(reduce) = {
#define ROWS "kernels/reduce/reduce.def"
#include "kernels/table.inc.h"
};
