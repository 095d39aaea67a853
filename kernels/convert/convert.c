/* Conversions between element types over contiguous arrays. Compiled once for each instruction-set level. */
#include <math.h>
#include <string.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "kernels/convert/convert.h"
#include "kernels/convert/convert_types.h"
#include "kernels/convert/narrow.h"
#include "kernels/convert/wrap.h"
#include "kernels/level.h"
#include "kernels/loop.h"

/* ---- Floats to integers: saturating, NaN gives 0 ---- */

#define T    float
#define S    f32
#define RINT rintf
#include "kernels/convert/saturate.inc.h"

/* ---- Native types ---- */

#define LINKAGE       static
#define NAME(to_from) OBK_CAT3(to_from, _, S)

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
static void f32_from_f16(void *target, const void *source, int64_t n) {
    float *z = target;
    const uint16_t *x = source;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(z + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(x + i))));
    for (; i < n; i++) z[i] = _cvtsh_ss(x[i]);
}
static void f16_from_f32(void *target, const void *source, int64_t n) {
    uint16_t *z = target;
    const float *x = source;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(z + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < n; i++) z[i] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
}
#else
#define FN         f32_from_f16
#define FROM       uint16_t
#define TO         float
#define EXPRESSION obk_f16_to_f32
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         f16_from_f32
#define FROM       float
#define TO         uint16_t
#define EXPRESSION obk_f32_to_f16
#include "kernels/convert/convert1.inc.h"
#undef FROM
#endif

#define FN         f32_from_bf16
#define FROM       uint16_t
#define TO         float
#define EXPRESSION obk_bf16_to_f32
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         bf16_from_f32
#define FROM       float
#define TO         uint16_t
#define EXPRESSION obk_f32_to_bf16
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f32_from_e4m3fn
#define FROM          uint8_t
#define TO            float
#define EXPRESSION(x) obk_f32_from_f8(x, &obk_e4m3fn)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e4m3fn_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f8_from_f32(x, &obk_e4m3fn, true)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e4m3fn_wrap_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f8_from_f32(x, &obk_e4m3fn, false)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f32_from_e4m3fnuz
#define FROM          uint8_t
#define TO            float
#define EXPRESSION(x) obk_f32_from_f8(x, &obk_e4m3fnuz)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e4m3fnuz_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f8_from_f32(x, &obk_e4m3fnuz, true)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e4m3fnuz_wrap_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f8_from_f32(x, &obk_e4m3fnuz, false)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f32_from_e5m2
#define FROM          uint8_t
#define TO            float
#define EXPRESSION(x) obk_f32_from_f8(x, &obk_e5m2)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e5m2_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f8_from_f32(x, &obk_e5m2, true)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e5m2_wrap_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f8_from_f32(x, &obk_e5m2, false)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f32_from_e5m2fnuz
#define FROM          uint8_t
#define TO            float
#define EXPRESSION(x) obk_f32_from_f8(x, &obk_e5m2fnuz)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e5m2fnuz_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f8_from_f32(x, &obk_e5m2fnuz, true)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e5m2fnuz_wrap_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f8_from_f32(x, &obk_e5m2fnuz, false)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         f32_odd_from_f64
#define FROM       double
#define TO         float
#define EXPRESSION obk_f64_to_f32_odd
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f32_odd_from_i64
#define FROM          int64_t
#define TO            float
#define EXPRESSION(x) obk_f64_to_f32_odd(obk_i64_to_f64_odd(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f32_odd_from_u64
#define FROM          uint64_t
#define TO            float
#define EXPRESSION(x) obk_f64_to_f32_odd(obk_u64_to_f64_odd(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f32_odd_from_i32
#define FROM          int32_t
#define TO            float
#define EXPRESSION(x) obk_f64_to_f32_odd((double)(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f32_odd_from_u32
#define FROM          uint32_t
#define TO            float
#define EXPRESSION(x) obk_f64_to_f32_odd((double)(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM

#define FN         f32_from_f4
#define FROM       uint8_t
#define TO         float
#define EXPRESSION obk_f32_from_f4
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         f4_from_f32
#define FROM       float
#define TO         uint8_t
#define EXPRESSION obk_f4_from_f32
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         f32_from_e8m0
#define FROM       uint8_t
#define TO         float
#define EXPRESSION obk_f32_from_e8m0
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            e8m0_from_f32
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_e8m0_from_f32(x, OBK_ROUND_UP, true)
#include "kernels/convert/convert1.inc.h"
#undef FROM

/* double and the 16-bit floats in one step, because Pow mixes them. */
#define FN            f64_from_f16
#define FROM          uint16_t
#define TO            double
#define EXPRESSION(x) (double)obk_f16_to_f32(x)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f64_from_bf16
#define FROM          uint16_t
#define TO            double
#define EXPRESSION(x) (double)obk_bf16_to_f32(x)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            f16_from_f64
#define FROM          double
#define TO            uint16_t
#define EXPRESSION(x) obk_f32_to_f16(obk_f64_to_f32_odd(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            bf16_from_f64
#define FROM          double
#define TO            uint16_t
#define EXPRESSION(x) obk_f32_to_bf16(obk_f64_to_f32_odd(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM

#define FROM_INTEGERS(to)                                                                                                        \
    [OB_INT8] = to##_from_i8, [OB_UINT8] = to##_from_u8, [OB_INT16] = obk_##to##_from_i16, [OB_UINT16] = obk_##to##_from_u16,    \
    [OB_INT32] = to##_from_i32, [OB_UINT32] = obk_##to##_from_u32, [OB_INT64] = to##_from_i64,                                   \
    [OB_UINT64] = obk_##to##_from_u64, [OB_BOOL] = to##_from_b8, [OB_INT4] = to##_from_i8, [OB_UINT4] = to##_from_u8,            \
    [OB_INT2] = to##_from_i8, [OB_UINT2] = to##_from_u8
#define FROM_NATIVE(to) FROM_INTEGERS(to), [OB_FLOAT] = to##_from_f32, [OB_DOUBLE] = obk_##to##_from_f64
#define FROM_LOW(to)    FROM_INTEGERS(to), [OB_FLOAT] = to##_low_from_f32, [OB_DOUBLE] = obk_##to##_low_from_f64

const obk_convert OBK_TABLE(convert)[OBK_CONVERT_COUNT][OB_DTYPE_COUNT] = {
    [OB_FLOAT] = {FROM_NATIVE(f32), [OB_FLOAT16] = f32_from_f16, [OB_BFLOAT16] = f32_from_bf16,
                  [OB_FLOAT8E4M3FN] = f32_from_e4m3fn, [OB_FLOAT8E4M3FNUZ] = f32_from_e4m3fnuz, [OB_FLOAT8E5M2] = f32_from_e5m2,
                  [OB_FLOAT8E5M2FNUZ] = f32_from_e5m2fnuz, [OB_FLOAT4E2M1] = f32_from_f4, [OB_FLOAT8E8M0] = f32_from_e8m0},
    [OB_DOUBLE] = {FROM_NATIVE(f64), [OB_FLOAT16] = f64_from_f16, [OB_BFLOAT16] = f64_from_bf16},
    [OB_INT8] = {FROM_NATIVE(i8)},
    [OB_UINT8] = {FROM_NATIVE(u8)},
    [OB_INT16] = {FROM_NATIVE(i16)},
    [OB_UINT16] = {FROM_NATIVE(u16)},
    [OB_INT32] = {FROM_NATIVE(i32)},
    [OB_UINT32] = {FROM_NATIVE(u32)},
    [OB_INT64] = {FROM_NATIVE(i64)},
    [OB_UINT64] = {FROM_NATIVE(u64)},
    [OB_BOOL] = {FROM_NATIVE(b8)},
    [OB_INT4] = {FROM_NATIVE(i4)},
    [OB_UINT4] = {FROM_NATIVE(u4)},
    [OB_INT2] = {FROM_NATIVE(i2)},
    [OB_UINT2] = {FROM_NATIVE(u2)},
    [OB_FLOAT4E2M1] = {[OB_FLOAT] = f4_from_f32},
    [OB_FLOAT8E8M0] = {[OB_FLOAT] = e8m0_from_f32},
    [OB_FLOAT16] = {[OB_FLOAT] = f16_from_f32, [OB_DOUBLE] = f16_from_f64},
    [OB_BFLOAT16] = {[OB_FLOAT] = bf16_from_f32, [OB_DOUBLE] = bf16_from_f64},
    [OB_FLOAT8E4M3FN] = {[OB_FLOAT] = e4m3fn_from_f32},
    [OB_FLOAT8E4M3FNUZ] = {[OB_FLOAT] = e4m3fnuz_from_f32},
    [OB_FLOAT8E5M2] = {[OB_FLOAT] = e5m2_from_f32},
    [OB_FLOAT8E5M2FNUZ] = {[OB_FLOAT] = e5m2fnuz_from_f32},
    [OBK_TO_F32_ODD] = {[OB_DOUBLE] = f32_odd_from_f64,
                        [OB_INT64] = f32_odd_from_i64,
                        [OB_UINT64] = f32_odd_from_u64,
                        [OB_INT32] = f32_odd_from_i32,
                        [OB_UINT32] = f32_odd_from_u32},
    [OBK_TO_E4M3FN_WRAP] = {[OB_FLOAT] = e4m3fn_wrap_from_f32},
    [OBK_TO_E4M3FNUZ_WRAP] = {[OB_FLOAT] = e4m3fnuz_wrap_from_f32},
    [OBK_TO_E5M2_WRAP] = {[OB_FLOAT] = e5m2_wrap_from_f32},
    [OBK_TO_E5M2FNUZ_WRAP] = {[OB_FLOAT] = e5m2fnuz_wrap_from_f32},
    [OBK_TO_UINT4_LOW] = {FROM_LOW(u4)},
    [OBK_TO_INT4_LOW] = {FROM_LOW(i4)},
    [OBK_TO_UINT2_LOW] = {FROM_LOW(u2)},
    [OBK_TO_INT2_LOW] = {FROM_LOW(i2)},
};
