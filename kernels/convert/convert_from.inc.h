/* Conversions from one native type to every native type. Parameters: FROM the C type, S its suffix, IS_FLOAT, IS_BOOL. Integers
 * wrap; floats saturate (or keep the low bits: *_low_*); NaN becomes 0; bool is 0 or 1. The file that includes it defines
 * LOOP(to_from), the symbol of a conversion from S. */
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

#define FN         LOOP(f32_from)
#define TO         float
#define EXPRESSION ANY
#include "kernels/convert/convert1.inc.h"
#define FN         LOOP(f64_from)
#define TO         double
#define EXPRESSION ANY
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(i8_from)
#define TO            int8_t
#define EXPRESSION(x) INTEGER(i8, x)
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(u8_from)
#define TO            uint8_t
#define EXPRESSION(x) INTEGER(u8, x)
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(i16_from)
#define TO            int16_t
#define EXPRESSION(x) INTEGER(i16, x)
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(u16_from)
#define TO            uint16_t
#define EXPRESSION(x) INTEGER(u16, x)
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(i32_from)
#define TO            int32_t
#define EXPRESSION(x) INTEGER(i32, x)
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(u32_from)
#define TO            uint32_t
#define EXPRESSION(x) INTEGER(u32, x)
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(i64_from)
#define TO            int64_t
#define EXPRESSION(x) INTEGER(i64, x)
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(u64_from)
#define TO            uint64_t
#define EXPRESSION(x) INTEGER(u64, x)
#include "kernels/convert/convert1.inc.h"
#define FN         LOOP(b8_from)
#define TO         uint8_t
#define EXPRESSION NONZERO
#include "kernels/convert/convert1.inc.h"
#define FN LOOP(i4_from)
#define TO int8_t
#if IS_FLOAT
#define EXPRESSION(x) OBK_CAT(nibble_i_, S)(x)
#else
#define EXPRESSION(x) wrap_i4((uint8_t)VALUE(x))
#endif
#include "kernels/convert/convert1.inc.h"
#define FN LOOP(u4_from)
#define TO uint8_t
#if IS_FLOAT
#define EXPRESSION(x) OBK_CAT(nibble_u_, S)(x)
#else
#define EXPRESSION(x) wrap_u4((uint8_t)VALUE(x))
#endif
#include "kernels/convert/convert1.inc.h"

#define FN LOOP(i2_from)
#define TO int8_t
#if IS_FLOAT
#define EXPRESSION(x) OBK_CAT(crumb_i_, S)(x)
#else
#define EXPRESSION(x) wrap_i2((uint8_t)VALUE(x))
#endif
#include "kernels/convert/convert1.inc.h"
#define FN LOOP(u2_from)
#define TO uint8_t
#if IS_FLOAT
#define EXPRESSION(x) OBK_CAT(crumb_u_, S)(x)
#else
#define EXPRESSION(x) wrap_u2((uint8_t)VALUE(x))
#endif
#include "kernels/convert/convert1.inc.h"

#if IS_FLOAT
#define FN            LOOP(i4_low_from)
#define TO            int8_t
#define EXPRESSION(x) wrap_i4(OBK_CAT(low_bits_, S)(x))
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(u4_low_from)
#define TO            uint8_t
#define EXPRESSION(x) wrap_u4(OBK_CAT(low_bits_, S)(x))
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(i2_low_from)
#define TO            int8_t
#define EXPRESSION(x) wrap_i2(OBK_CAT(low_bits_, S)(x))
#include "kernels/convert/convert1.inc.h"
#define FN            LOOP(u2_low_from)
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
