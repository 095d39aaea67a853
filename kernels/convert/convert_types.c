/* Conversions from and to rare types: one form for all levels. */
#include "kernels/convert/convert.h"

#include <math.h>

#include "kernels/convert/narrow.h"
#include "kernels/convert/wrap.h"
#include "kernels/level.h"

#define MEMBER convert
#define ROWS   "kernels/convert/convert.def"
#include "kernels/declare.inc.h"

#define LOOP(to_from) OBK_SHARED(OBK_CAT3(to_from, _, S))

#define T    double
#define S    f64
#define RINT rint
#include "kernels/convert/saturate.inc.h"

#define FROM     double
#define S        f64
#define IS_FLOAT 1
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     int16_t
#define S        i16
#define IS_FLOAT 0
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     uint16_t
#define S        u16
#define IS_FLOAT 0
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     uint32_t
#define S        u32
#define IS_FLOAT 0
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"
#define FROM     uint64_t
#define S        u64
#define IS_FLOAT 0
#define IS_BOOL  0
#include "kernels/convert/convert_from.inc.h"

/* ---- Floats of 8 and 4 bits, and floats that are rounded to odd on the way to them ---- */

#define KIND e4m3fn
#include "kernels/convert/convert_f8.inc.h"
#define KIND e4m3fnuz
#include "kernels/convert/convert_f8.inc.h"
#define KIND e5m2
#include "kernels/convert/convert_f8.inc.h"
#define KIND e5m2fnuz
#include "kernels/convert/convert_f8.inc.h"

#define FN         OBK_SHARED(f32_odd_from_f64)
#define FROM       double
#define TO         float
#define EXPRESSION obk_f64_to_f32_odd
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(f32_odd_from_i64)
#define FROM          int64_t
#define TO            float
#define EXPRESSION(x) obk_f64_to_f32_odd(obk_i64_to_f64_odd(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(f32_odd_from_u64)
#define FROM          uint64_t
#define TO            float
#define EXPRESSION(x) obk_f64_to_f32_odd(obk_u64_to_f64_odd(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(f32_odd_from_i32)
#define FROM          int32_t
#define TO            float
#define EXPRESSION(x) obk_f64_to_f32_odd((double)(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(f32_odd_from_u32)
#define FROM          uint32_t
#define TO            float
#define EXPRESSION(x) obk_f64_to_f32_odd((double)(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM

#define FN         OBK_SHARED(f32_from_f4)
#define FROM       uint8_t
#define TO         float
#define EXPRESSION obk_f4_to_f32
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         OBK_SHARED(f4_from_f32)
#define FROM       float
#define TO         uint8_t
#define EXPRESSION obk_f32_to_f4
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN         OBK_SHARED(f32_from_e8m0)
#define FROM       uint8_t
#define TO         float
#define EXPRESSION obk_e8m0_to_f32
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(e8m0_from_f32)
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f32_to_e8m0(x, OBK_ROUND_UP, true)
#include "kernels/convert/convert1.inc.h"
#undef FROM

/* double and the 16-bit floats in one step, because Pow mixes them. */
#define FN            OBK_SHARED(f64_from_f16)
#define FROM          uint16_t
#define TO            double
#define EXPRESSION(x) (double)obk_f16_to_f32(x)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(f64_from_bf16)
#define FROM          uint16_t
#define TO            double
#define EXPRESSION(x) (double)obk_bf16_to_f32(x)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(f16_from_f64)
#define FROM          double
#define TO            uint16_t
#define EXPRESSION(x) obk_f32_to_f16(obk_f64_to_f32_odd(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(bf16_from_f64)
#define FROM          double
#define TO            uint16_t
#define EXPRESSION(x) obk_f32_to_bf16(obk_f64_to_f32_odd(x))
#include "kernels/convert/convert1.inc.h"
#undef FROM
