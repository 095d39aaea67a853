/* Steps of chains. Compiled once for each instruction-set level. */
#include "kernels/elementwise/chain.h"

#include <stddef.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/kernels.h"
#include "kernels/level.h"
#include "kernels/norm/norm.h"
#include "kernels/vector.h"

#define MEMBER form
#define ROWS   "kernels/elementwise/form.def"
#include "kernels/declare.inc.h"

/* Only where functions get vectors in registers. */
#if defined(__x86_64__) || defined(__aarch64__)

#define MEMBER chain
#define ROWS   "kernels/elementwise/chain.def"
#include "kernels/declare.inc.h"

/* a < b ? a : b; the square root; x where it is NaN, otherwise y; y where x < 0, otherwise x. */
#if defined(__AVX512F__)
#define MIN_f32(a, b) ((obk_r_f32)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define MIN_f64(a, b) ((obk_r_f64)_mm512_min_pd((__m512d)(a), (__m512d)(b)))
#define SQRT_f32(a)   ((obk_r_f32)_mm512_sqrt_ps((__m512)(a)))
#define SQRT_f64(a)   ((obk_r_f64)_mm512_sqrt_pd((__m512d)(a)))
#define UNLESS_NAN_f32(x, y)                                                                                                     \
    ((obk_r_f32)_mm512_mask_blend_ps(_mm512_cmp_ps_mask((__m512)(x), (__m512)(x), _CMP_UNORD_Q), (__m512)(y), (__m512)(x)))
#define UNLESS_NAN_f64(x, y)                                                                                                     \
    ((obk_r_f64)_mm512_mask_blend_pd(_mm512_cmp_pd_mask((__m512d)(x), (__m512d)(x), _CMP_UNORD_Q), (__m512d)(y), (__m512d)(x)))
#define NEGATIVE_f32(x, y)                                                                                                       \
    ((obk_r_f32)_mm512_mask_blend_ps(_mm512_cmp_ps_mask((__m512)(x), _mm512_setzero_ps(), _CMP_LT_OQ), (__m512)(x), (__m512)(y)))
#define NEGATIVE_f64(x, y)                                                                                                       \
    ((obk_r_f64)_mm512_mask_blend_pd(_mm512_cmp_pd_mask((__m512d)(x), _mm512_setzero_pd(), _CMP_LT_OQ), (__m512d)(x),            \
                                     (__m512d)(y)))
#else
#if defined(__AVX2__)
#define MIN_f32(a, b) ((obk_r_f32)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define MIN_f64(a, b) ((obk_r_f64)_mm256_min_pd((__m256d)(a), (__m256d)(b)))
#define SQRT_f32(a)   ((obk_r_f32)_mm256_sqrt_ps((__m256)(a)))
#define SQRT_f64(a)   ((obk_r_f64)_mm256_sqrt_pd((__m256d)(a)))
#elif defined(__SSE2__)
#define MIN_f32(a, b) ((obk_r_f32)_mm_min_ps((__m128)(a), (__m128)(b)))
#define MIN_f64(a, b) ((obk_r_f64)_mm_min_pd((__m128d)(a), (__m128d)(b)))
#define SQRT_f32(a)   ((obk_r_f32)_mm_sqrt_ps((__m128)(a)))
#define SQRT_f64(a)   ((obk_r_f64)_mm_sqrt_pd((__m128d)(a)))
#else
#define MIN_f32(a, b) SELECT(obk_r_f32, obk_m_f32, (a) < (b), a, b)
#define MIN_f64(a, b) SELECT(obk_r_f64, obk_m_f64, (a) < (b), a, b)
#define SQRT_f32(a)   ((obk_r_f32)vsqrtq_f32((float32x4_t)(a)))
#define SQRT_f64(a)   ((obk_r_f64)vsqrtq_f64((float64x2_t)(a)))
#endif
#define SELECT(V, M, condition, x, y)                                                                                            \
    ((V)(((M)(condition) & (M)(x)) | (~(M)(condition) & (M)(y)))) /* NOLINT(bugprone-macro-parentheses) */
#define UNLESS_NAN_f32(x, y) SELECT(obk_r_f32, obk_m_f32, (x) != (x), x, y)
#define UNLESS_NAN_f64(x, y) SELECT(obk_r_f64, obk_m_f64, (x) != (x), x, y)
#define NEGATIVE_f32(x, y)   SELECT(obk_r_f32, obk_m_f32, (x) < 0, y, x)
#define NEGATIVE_f64(x, y)   SELECT(obk_r_f64, obk_m_f64, (x) < 0, y, x)
#endif

/* The elements of a vector that are loaded and stored. Without masks rows end at their last whole vector. */
#if defined(__AVX512F__)
#define HAS_MASKS 1
typedef __mmask16 mask_f32;
typedef __mmask8 mask_f64;
#define MASKED_LOAD_f32(p, m)     ((obk_r_f32)_mm512_maskz_loadu_ps(m, p))
#define MASKED_LOAD_f64(p, m)     ((obk_r_f64)_mm512_maskz_loadu_pd(m, p))
#define MASKED_STORE_f32(p, m, x) _mm512_mask_storeu_ps(p, m, (__m512)(x))
#define MASKED_STORE_f64(p, m, x) _mm512_mask_storeu_pd(p, m, (__m512d)(x))
#else
#define HAS_MASKS                 0
typedef uint8_t mask_f32, mask_f64;
#define MASKED_LOAD_f32(p, m)     ((void)(m), (obk_r_f32) * (const obk_v_f32 *)(const void *)(p))
#define MASKED_LOAD_f64(p, m)     ((void)(m), (obk_r_f64) * (const obk_v_f64 *)(const void *)(p))
#define MASKED_STORE_f32(p, m, x) ((void)(m), (void)(*(obk_v_f32 *)(void *)(p) = (x)))
#define MASKED_STORE_f64(p, m, x) ((void)(m), (void)(*(obk_v_f64 *)(void *)(p) = (x)))
#endif

#define T     float
#define S     f32
#define V     obk_r_f32
#define U     obk_v_f32
#define M     obk_m_f32
#define DTYPE OB_FLOAT
#include "kernels/elementwise/chain.inc.h"

#define T     double
#define S     f64
#define V     obk_r_f64
#define U     obk_v_f64
#define M     obk_m_f64
#define DTYPE OB_DOUBLE
#include "kernels/elementwise/chain.inc.h"

const obk_link_form *OBK_FN(form_find)(obk_loop loop) {
    if (!loop) return NULL;
    for (size_t i = 0; rows_f32[i].loop; i++)
        if (*rows_f32[i].loop == loop) return rows_f32[i].form;
    for (size_t i = 0; rows_f64[i].loop; i++)
        if (*rows_f64[i].loop == loop) return rows_f64[i].form;
    return NULL;
}

int64_t OBK_FN(chain_run)(obk_link *links, int n_links, bool is_double, int64_t n_bytes, int64_t rows) {
    for (int64_t j = 0; j < rows; j++) {
        if (is_double)
            row_f64(links, n_bytes);
        else
            row_f32(links, n_bytes);
        for (int i = 0; i < n_links; i++) {
            links[i].p[0] += links[i].row[0];
            links[i].p[1] += links[i].row[1];
        }
    }
    return HAS_MASKS ? n_bytes : n_bytes / OBK_VECTOR_BYTES * OBK_VECTOR_BYTES;
}

void OBK_FN(chain_run_rows)(obk_link *links, const bool (*is_vector)[2], int n_links, bool is_double, int64_t n_bytes,
                            int64_t rows) {
    if (is_double)
        short_rows_f64(links, is_vector, n_links, n_bytes, rows);
    else
        short_rows_f32(links, is_vector, n_links, n_bytes, rows);
}

#define CODES_OF(name)                                                                                                           \
    { (obk_link_code) name##_wide, (obk_link_code)name##_one, (obk_link_code)name##_rows }
#define BOTH(name)                                                                                                               \
    { CODES_OF(name##_f32), CODES_OF(name##_f64) }

const obk_chains OBK_TABLE(chain) = {
#define ROWS "kernels/elementwise/chain.def"
#include "kernels/table.inc.h"
};

#else

const obk_link_form *OBK_FN(form_find)(obk_loop loop) {
    (void)loop;
    return NULL;
}

const obk_chains OBK_TABLE(chain) = {.unit = 1};

#endif

const obk_forms OBK_TABLE(form) = {
#define ROWS "kernels/elementwise/form.def"
#include "kernels/table.inc.h"
};
