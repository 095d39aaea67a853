/* Conversions from one native type to every native type. Parameters: FROM the C type, S its suffix, IS_FLOAT, IS_BOOL. Integers
 * wrap; floats saturate (or keep the low bits: *_low_*); NaN becomes 0; bool is 0 or 1. */
#if IS_BOOL
#define VALUE(x) ((x) != 0)
#else
#define VALUE(x) (x)
#endif
#define ANY(x)     VALUE(x)
#define NONZERO(x) ((x) != 0)
#if IS_FLOAT
#define INTEGER(to, x) OBK_CAT3(saturate_, S, _##to)(x)
#else
#define INTEGER(to, x) VALUE(x)
#endif

#define FN         OBK_CAT(f32_from_, S)
#define TO         float
#define EXPRESSION ANY
#include "kernels/convert/convert1.inc.h"
#define FN         OBK_CAT(f64_from_, S)
#define TO         double
#define EXPRESSION ANY
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(i8_from_, S)
#define TO            int8_t
#define EXPRESSION(x) INTEGER(i8, x)
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(u8_from_, S)
#define TO            uint8_t
#define EXPRESSION(x) INTEGER(u8, x)
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(i16_from_, S)
#define TO            int16_t
#define EXPRESSION(x) INTEGER(i16, x)
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(u16_from_, S)
#define TO            uint16_t
#define EXPRESSION(x) INTEGER(u16, x)
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(i32_from_, S)
#define TO            int32_t
#define EXPRESSION(x) INTEGER(i32, x)
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(u32_from_, S)
#define TO            uint32_t
#define EXPRESSION(x) INTEGER(u32, x)
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(i64_from_, S)
#define TO            int64_t
#define EXPRESSION(x) INTEGER(i64, x)
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(u64_from_, S)
#define TO            uint64_t
#define EXPRESSION(x) INTEGER(u64, x)
#include "kernels/convert/convert1.inc.h"
#define FN         OBK_CAT(b8_from_, S)
#define TO         uint8_t
#define EXPRESSION NONZERO
#include "kernels/convert/convert1.inc.h"
#define FN OBK_CAT(i4_from_, S)
#define TO int8_t
#if IS_FLOAT
#define EXPRESSION(x) OBK_CAT(nibble_i_, S)(x)
#else
#define EXPRESSION(x) wrap_i4((uint8_t)VALUE(x))
#endif
#include "kernels/convert/convert1.inc.h"
#define FN OBK_CAT(u4_from_, S)
#define TO uint8_t
#if IS_FLOAT
#define EXPRESSION(x) OBK_CAT(nibble_u_, S)(x)
#else
#define EXPRESSION(x) wrap_u4((uint8_t)VALUE(x))
#endif
#include "kernels/convert/convert1.inc.h"

#define FN OBK_CAT(i2_from_, S)
#define TO int8_t
#if IS_FLOAT
#define EXPRESSION(x) OBK_CAT(crumb_i_, S)(x)
#else
#define EXPRESSION(x) wrap_i2((uint8_t)VALUE(x))
#endif
#include "kernels/convert/convert1.inc.h"
#define FN OBK_CAT(u2_from_, S)
#define TO uint8_t
#if IS_FLOAT
#define EXPRESSION(x) OBK_CAT(crumb_u_, S)(x)
#else
#define EXPRESSION(x) wrap_u2((uint8_t)VALUE(x))
#endif
#include "kernels/convert/convert1.inc.h"

#if IS_FLOAT
#define FN            OBK_CAT(i4_low_from_, S)
#define TO            int8_t
#define EXPRESSION(x) wrap_i4(OBK_CAT(low_bits_, S)(x))
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(u4_low_from_, S)
#define TO            uint8_t
#define EXPRESSION(x) wrap_u4(OBK_CAT(low_bits_, S)(x))
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(i2_low_from_, S)
#define TO            int8_t
#define EXPRESSION(x) wrap_i2(OBK_CAT(low_bits_, S)(x))
#include "kernels/convert/convert1.inc.h"
#define FN            OBK_CAT(u2_low_from_, S)
#define TO            uint8_t
#define EXPRESSION(x) wrap_u2(OBK_CAT(low_bits_, S)(x))
#include "kernels/convert/convert1.inc.h"
#endif

#undef VALUE
#undef ANY
#undef NONZERO
#undef INTEGER
#undef FROM
#undef S
#undef IS_FLOAT
#undef IS_BOOL
