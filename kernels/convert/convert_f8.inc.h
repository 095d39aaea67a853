/* Conversions of a kind of floats of 8 bits: to float, and from it saturated or wrapped. Parameter: KIND. */
#define FN            OBK_SHARED(OBK_CAT(f32_from_, KIND))
#define FROM          uint8_t
#define TO            float
#define EXPRESSION(x) obk_f8_to_f32(x, &OBK_CAT(obk_, KIND))
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(OBK_CAT(KIND, _from_f32))
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f32_to_f8(x, &OBK_CAT(obk_, KIND), true)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#define FN            OBK_SHARED(OBK_CAT(KIND, _wrap_from_f32))
#define FROM          float
#define TO            uint8_t
#define EXPRESSION(x) obk_f32_to_f8(x, &OBK_CAT(obk_, KIND), false)
#include "kernels/convert/convert1.inc.h"
#undef FROM
#undef KIND
