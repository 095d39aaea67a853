/* Resampling. Compiled once for each instruction-set level. */
#include "kernels/resize/resize.h"

#include <string.h>

#include "kernels/level.h"
#include "kernels/vector.h"

#define MEMBER resize
#define ROWS   "kernels/resize/resize.def"
#include "kernels/declare.inc.h"

#ifdef __AVX2__
enum { WINDOW = 8 };

/* If the result is larger than the input, eight neighbouring results read few neighbouring elements, which one load and a
 * permutation gather. Returns the first of these elements, or -1 if they are too far apart. */
static inline int64_t window_of(const int32_t *index, int64_t n_in) {
    int64_t first = index[0] <= n_in - WINDOW ? index[0] : n_in - WINDOW;
    return first >= 0 && index[WINDOW - 1] - first < WINDOW ? first : -1;
}
static inline __m256i lanes_of(const int32_t *index, int64_t first) {
    const __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)index);
    return _mm256_sub_epi32(at, _mm256_set1_epi32((int32_t)first));
}
#endif

#define T       float
#define NAME(n) n##_f32
#include "kernels/resize/resize.inc.h"
#define T       double
#define NAME(n) n##_f64
#include "kernels/resize/resize.inc.h"

#ifdef __AVX2__
static inline __m256 eight_f32(const float *x, const int32_t *index, int64_t first) {
    return _mm256_permutevar8x32_ps(_mm256_loadu_ps(x + first), lanes_of(index, first));
}

/* Results i .. i + 8 of a row. */
static inline void eight_places(const obk_resize_axis *a, const float *restrict x, int64_t i, float *restrict y) {
    const int64_t n = a->n_out, taps = a->taps;
    const int32_t *index = a->index;
    const float *weight = a->weight;
    __m256 sum = _mm256_setzero_ps();
    for (int64_t k = 0; k < taps; k++) {
        const int64_t first = window_of(index + k * n + i, a->n_in);
        if (first < 0) {
            places_f32(a, x, i, i + WINDOW, y);
            return;
        }
        const __m256 w = _mm256_loadu_ps(weight + k * n + i), product = _mm256_mul_ps(w, eight_f32(x, index + k * n + i, first));
        const __m256 counts = _mm256_cmp_ps(w, _mm256_setzero_ps(), _CMP_NEQ_UQ);
        sum = _mm256_add_ps(sum, _mm256_and_ps(product, counts)); /* 0 if the element is not used: it may be infinite */
    }
    _mm256_storeu_ps(y + i, sum);
}
#endif

void OBK_FN(resize_rows_f32)(const obk_resize_axis *a, int64_t rows, const void *from, void *to) {
    const float *x = from;
    float *y = to;
    for (int64_t r = 0; r < rows; r++, x += a->n_in, y += a->n_out) {
#ifdef __AVX2__
        if (a->rises && a->n_out >= WINDOW) {
            for (int64_t i = 0; i + WINDOW <= a->n_out; i += WINDOW) eight_places(a, x, i, y);
            if (a->n_out % WINDOW) eight_places(a, x, a->n_out - WINDOW, y);
            continue;
        }
#endif
        places_f32(a, x, 0, a->n_out, y);
    }
}

void OBK_FN(resize_rows_f64)(const obk_resize_axis *a, int64_t rows, const void *from, void *to) {
    const double *x = from;
    double *y = to;
    for (int64_t r = 0; r < rows; r++, x += a->n_in, y += a->n_out) places_f64(a, x, 0, a->n_out, y);
}

/* ---- picked elements ---- */

/* True if each element is repeated two, three or four times, for which there are loops. */
static inline bool repeats(const obk_resize_axis *axis) {
    return axis->times >= 2 && axis->times <= 4;
}

/* Elements may be aligned less than an integer of their size. */
typedef uint8_t any_1;
typedef uint16_t any_2 __attribute__((aligned(1), may_alias));
typedef uint32_t any_4 __attribute__((aligned(1), may_alias));
typedef uint64_t any_8 __attribute__((aligned(1), may_alias));

#define T       any_1
#define NAME(n) n##_1
#include "kernels/resize/pick.inc.h"
#define T       any_2
#define NAME(n) n##_2
#include "kernels/resize/pick.inc.h"
#define T       any_4
#define NAME(n) n##_4
#include "kernels/resize/pick.inc.h"
#define T       any_8
#define NAME(n) n##_8
#include "kernels/resize/pick.inc.h"

#ifdef __AVX2__
/* y[i] = x[index[i]], with indices that never decrease. */
static void pick_near(const obk_resize_axis *axis, const any_4 *restrict x, any_4 *restrict y) {
    const int32_t *restrict index = axis->index;
    const int64_t n = axis->n_out;
    int64_t i = 0;
    for (; i + WINDOW <= n; i += WINDOW) {
        const int64_t first = window_of(index + i, axis->n_in);
        if (first < 0) {
            each_4(index + i, WINDOW, x, y + i);
            continue;
        }
        const __m256i seen = _mm256_loadu_si256((const __m256i *)(const void *)(x + first));
        _mm256_storeu_si256((__m256i *)(void *)(y + i), _mm256_permutevar8x32_epi32(seen, lanes_of(index + i, first)));
    }
    each_4(index + i, n - i, x, y + i);
}
#endif

static void pick_words(const obk_resize_axis *axis, const void *from, void *to) {
#ifdef __AVX2__
    if (axis->rises && !repeats(axis)) {
        pick_near(axis, from, to);
        return;
    }
#endif
    pick_4(axis, from, to);
}

void OBK_FN(resize_pick)(const obk_resize_axis *axis, int64_t n_bytes, const void *from, void *to) {
    const int32_t *index = axis->index;
    const int64_t n = axis->n_out;
    const char *x = from;
    char *y = to;
    switch (n_bytes) {
    case 1: pick_1(axis, from, to); break;
    case 2: pick_2(axis, from, to); break;
    case 4: pick_words(axis, from, to); break;
    case 8: pick_8(axis, from, to); break;
    default:
        for (int64_t i = 0; i < n; i++) memcpy(y + n_bytes * i, x + n_bytes * index[i], (size_t)n_bytes);
    }
}

const obk_resizes OBK_TABLE(resize) = {
#define ROWS "kernels/resize/resize.def"
#include "kernels/table.inc.h"
};
