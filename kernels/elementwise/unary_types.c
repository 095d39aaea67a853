/* Loops of one operand for integers, and Clip: one form for all levels. */
#include <math.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/level.h"

#define MEMBER unary
#define ROWS   "kernels/elementwise/unary.def"
#include "kernels/declare.inc.h"
#define MEMBER clip
#define ROWS   "kernels/elementwise/clip.def"
#include "kernels/declare.inc.h"

#define NAME(op) OBK_CAT3(op, _, S)
#define LOOP(op) OBK_SHARED(NAME(op))

/* For the current type T: a block on the stack has 1 KiB. */
#define BLOCK_ELEMS (1024 / (int64_t)sizeof(T))

#define T    double
#define S    f64
#define RINT rint
#include "kernels/convert/saturate.inc.h"

#define T         int8_t
#define S         i8
#define U         uint32_t
#define IS_SIGNED 1
#include "kernels/elementwise/unary_int.inc.h"

#define T         uint8_t
#define S         u8
#define U         uint32_t
#define IS_SIGNED 0
#include "kernels/elementwise/unary_int.inc.h"

#define T         int16_t
#define S         i16
#define U         uint32_t
#define IS_SIGNED 1
#include "kernels/elementwise/unary_int.inc.h"

#define T         uint16_t
#define S         u16
#define U         uint32_t
#define IS_SIGNED 0
#include "kernels/elementwise/unary_int.inc.h"

#define T         int32_t
#define S         i32
#define U         uint32_t
#define IS_SIGNED 1
#include "kernels/elementwise/unary_int.inc.h"

#define T         uint32_t
#define S         u32
#define U         uint32_t
#define IS_SIGNED 0
#include "kernels/elementwise/unary_int.inc.h"

#define T         int64_t
#define S         i64
#define U         uint64_t
#define IS_SIGNED 1
#include "kernels/elementwise/unary_int.inc.h"

#define T         uint64_t
#define S         u64
#define U         uint64_t
#define IS_SIGNED 0
#include "kernels/elementwise/unary_int.inc.h"
