/* Folding along axes. Compiled once for each instruction-set level. */
#include "kernels/reduce/reduce.h"
#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/vector.h"

#include "kernels/vmath/vmath.h"

#define T    double
#define S    f64
#define RINT rint
#include "kernels/convert/saturate.inc.h"

enum { EXP_ELEMS = 128 }; /* whole rows of sums */

/* Folds into cells: doubles, unsigned integers of 64 bits, or elements. `high`: the shift of exponents, one for each cell. */
typedef struct loops {
    void (*start)(void *to, int64_t n);
    void (*run)(void *to, const void *x, int64_t n, const void *high);
    void (*columns)(void *to, const void *x, int64_t n, int64_t rows, int64_t stride, const void *high);
    void (*merge)(void *to, int64_t n, int64_t times);
} loops;

typedef struct type {
    int64_t element_bytes;
    void (*shifts)(void *high, int64_t n, bool nothing);
    void (*finish)(const obk_reduction *r, void *out, const void *folded, const void *high, int64_t n);
    loops folds[OBK_FOLD_EXP + 1];
} type;

/* Folds the innermost reduced axis of columns, or one run. */
static void fold_inner(const loops *f, const obk_reduction *r, void *to, const char *x, int64_t n, int64_t times,
                       int64_t element_bytes, const void *high) {
    if (!r->columns) {
        f->run(to, x, r->inner, high);
        return;
    }
    const int64_t rows = r->n_reduced > 0 ? r->reduced[r->n_reduced - 1] : 1;
    const int64_t stride = r->n_reduced > 0 ? r->reduced_strides[r->n_reduced - 1] : 0;
    if (times == 1) {
        f->columns(to, x, n, rows, stride, high);
        return;
    }
    f->columns(to, x, n * times, rows / times, n * times, high);
    if (rows % times) f->columns(to, x + rows / times * times * n * element_bytes, n * (rows % times), 1, 0, high);
}

/* Folds all elements of n cells, whose columns (or whose run) start at x. */
static void fold_all(const type *t, const loops *f, const obk_reduction *r, void *to, const char *x, int64_t n, int64_t times,
                     const void *high) {
    int64_t index[OB_MAX_RANK / 2] = {0};
    f->start(to, n * times);
    while (r->n_folded > 0) {
        fold_inner(f, r, to, x, n, times, t->element_bytes, high);
        int32_t a = r->n_reduced - 1 - r->columns;
        for (; a >= 0; a--) {
            x += r->reduced_strides[a] * t->element_bytes;
            if (++index[a] < r->reduced[a]) break;
            x -= index[a] * r->reduced_strides[a] * t->element_bytes;
            index[a] = 0;
        }
        if (a < 0) break;
    }
    f->merge(to, n, times);
}

static void reduce_parts(const type *t, const obk_reduction *r, void *out, const void *in, int64_t begin, int64_t end,
                         void *memory) {
    const int64_t n_columns = r->columns ? r->inner : 1, blocks = ob__ceil_div(n_columns, OBK_REDUCE_COLUMNS);
    const int64_t times = obk_side_by_side(r, n_columns);
    void *acc = memory, *high = (char *)memory + obk_reduce_bytes(r) / 2;
    for (int64_t part = begin; part < end; part++) {
        const int64_t first = part % blocks * OBK_REDUCE_COLUMNS;
        int64_t outer = part / blocks, n = n_columns - first, offset = first;
        if (n > OBK_REDUCE_COLUMNS) n = OBK_REDUCE_COLUMNS;
        char *z = (char *)out + (outer * n_columns + first) * t->element_bytes;
        for (int32_t a = r->n_kept - 1; a >= 0; a--) {
            offset += outer % r->kept[a] * r->kept_strides[a];
            outer /= r->kept[a];
        }
        const char *x = r->n_folded > 0 ? (const char *)in + offset * t->element_bytes
                                        : NULL; /* without elements `in` may not be addressed */
        if (r->fold == OBK_FOLD_EXP) {
            fold_all(t, &t->folds[OBK_FOLD_MAX], r, high, x, n, times, NULL);
            t->shifts(high, n, r->n_folded == 0);
            for (int64_t k = 1; k < times; k++)
                memcpy((char *)high + k * n * t->element_bytes, high, (size_t)(n * t->element_bytes));
        }
        fold_all(t, &t->folds[r->fold], r, acc, x, n, times, high);
        t->finish(r, z, acc, high, n);
        if (r->is_bool && r->n_folded == 0 && r->fold == OBK_FOLD_MIN) memset(z, 1, (size_t)n);
    }
}

static inline int64_t number_1(uint64_t x) {
    return (int64_t)x;
}
static inline uint64_t number_0(uint64_t x) {
    return x;
}

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

#define T         double
#define S         f64
#define IS_FLOAT  1
#define IS_SIGNED 1
#define LOWEST    ((double)-INFINITY)
#define HIGHEST   ((double)INFINITY)
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
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
#define T         int8_t
#define S         i8
#define IS_FLOAT  0
#define IS_SIGNED 1
#define LOWEST    INT8_MIN
#define HIGHEST   INT8_MAX
#define HAS_SUMS  0
#include "kernels/reduce/type.inc.h"
#define T         uint8_t
#define S         u8
#define IS_FLOAT  0
#define IS_SIGNED 0
#define LOWEST    0
#define HIGHEST   UINT8_MAX
#define HAS_SUMS  0
#include "kernels/reduce/type.inc.h"
#define T         int32_t
#define S         i32
#define IS_FLOAT  0
#define IS_SIGNED 1
#define LOWEST    INT32_MIN
#define HIGHEST   INT32_MAX
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
#define T         uint32_t
#define S         u32
#define IS_FLOAT  0
#define IS_SIGNED 0
#define LOWEST    0
#define HIGHEST   UINT32_MAX
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
#define T         int64_t
#define S         i64
#define IS_FLOAT  0
#define IS_SIGNED 1
#define LOWEST    INT64_MIN
#define HIGHEST   INT64_MAX
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
#define T         uint64_t
#define S         u64
#define IS_FLOAT  0
#define IS_SIGNED 0
#define LOWEST    0
#define HIGHEST   UINT64_MAX
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"

const obk_reduces OBK_TABLE(reduce) = {.by_type = {
                                           [OB_FLOAT] = reduce_f32,
                                           [OB_DOUBLE] = reduce_f64,
                                           [OB_INT8] = reduce_i8,
                                           [OB_UINT8] = reduce_u8,
                                           [OB_BOOL] = reduce_u8,
                                           [OB_INT32] = reduce_i32,
                                           [OB_UINT32] = reduce_u32,
                                           [OB_INT64] = reduce_i64,
                                           [OB_UINT64] = reduce_u64,
                                       }};
