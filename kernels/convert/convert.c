/* Conversions between element types over contiguous arrays. Compiled once for each instruction-set level. */
#include <math.h>
#include <string.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "kernels/convert/convert.h"
#include "kernels/convert/narrow.h"
#include "kernels/convert/text.h"
#include "kernels/convert/wrap.h"
#include "kernels/level.h"
#include "kernels/loop.h"

#define MEMBER convert
#define ROWS   "kernels/convert/convert.def"
#include "kernels/declare.inc.h"
#define MEMBER text
#define ROWS   "kernels/convert/text.def"
#include "kernels/declare.inc.h"

/* ---- Floats to integers: saturating, NaN gives 0 ---- */

#define T    float
#define S    f32
#define RINT rintf
#include "kernels/convert/saturate.inc.h"

/* ---- Native types ---- */

#define LOOP(to_from) OBK_FN(OBK_CAT3(to_from, _, S))

#define FROM     float
#define S        f32
#define IS_FLOAT 1
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     int8_t
#define S        i8
#define IS_FLOAT 0
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     uint8_t
#define S        u8
#define IS_FLOAT 0
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     int32_t
#define S        i32
#define IS_FLOAT 0
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     int64_t
#define S        i64
#define IS_FLOAT 0
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     uint8_t
#define S        b8
#define IS_FLOAT 0
#define IS_BOOL  1
#include "kernels/convert/convert_from.inc.h"

/* ---- float and the narrow floats ---- */

#ifdef __F16C__
void OBK_FN(f32_from_f16)(void *target, const void *source, int64_t n) {
    float *z = target;
    const uint16_t *x = source;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(z + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(x + i))));
    for (; i < n; i++) z[i] = _cvtsh_ss(x[i]);
}
void OBK_FN(f16_from_f32)(void *target, const void *source, int64_t n) {
    uint16_t *z = target;
    const float *x = source;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(z + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < n; i++) z[i] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
}
#else
#define FN         OBK_FN(f32_from_f16)
#define FROM       uint16_t
#define TO         float
#define EXPRESSION obk_f16_to_f32
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         OBK_FN(f16_from_f32)
#define FROM       float
#define TO         uint16_t
#define EXPRESSION obk_f32_to_f16
#include "kernels/convert/convert1.inc.h"
#undef FROM
#endif

#define FN         OBK_FN(f32_from_bf16)
#define FROM       uint16_t
#define TO         float
#define EXPRESSION obk_bf16_to_f32
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         OBK_FN(bf16_from_f32)
#define FROM       float
#define TO         uint16_t
#define EXPRESSION obk_f32_to_bf16
#include "kernels/convert/convert1.inc.h"
#undef FROM

const obk_convert OBK_TABLE(convert)[OBK_CONVERT_COUNT][OB_DTYPE_COUNT] = {
#define ROWS "kernels/convert/convert.def"
#include "kernels/table.inc.h"
};

const obk_texts OBK_TABLE(text) = {
#define ROWS "kernels/convert/text.def"
#include "kernels/table.inc.h"
};
