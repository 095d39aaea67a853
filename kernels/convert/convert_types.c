/* Conversions from rare types: one form for all levels. */
#include "kernels/convert/convert.h"

#include <math.h>

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
