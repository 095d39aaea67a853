/* Loops of two operands for doubles, bool, and integers of 32 and 64 bits. Compiled once for each instruction-set level. */
#include <math.h>

#include "kernels/elementwise/elementwise.h"

#define MEMBER binary
#define ROWS   "kernels/elementwise/binary.def"
#include "kernels/declare.inc.h"

#define NAME(op) OBK_CAT3(op, _, S)
#define LOOP(op) OBK_FN(NAME(op))

#define T          double
#define S          f64
#define IS_FLOAT   1
#define IS_SIGNED  1
#define FMOD(a, b) fmod(a, b)
#include "kernels/elementwise/binary_ops.inc.h"

#define T         int32_t
#define S         i32
#define U         uint32_t
#define IS_FLOAT  0
#define IS_SIGNED 1
#include "kernels/elementwise/binary_ops.inc.h"

#define T         int64_t
#define S         i64
#define U         uint64_t
#define IS_FLOAT  0
#define IS_SIGNED 1
#include "kernels/elementwise/binary_ops.inc.h"

#define T         uint32_t
#define S         u32
#define U         uint32_t
#define IS_FLOAT  0
#define IS_SIGNED 0
#include "kernels/elementwise/binary_ops.inc.h"

#define T         uint64_t
#define S         u64
#define U         uint64_t
#define IS_FLOAT  0
#define IS_SIGNED 0
#include "kernels/elementwise/binary_ops.inc.h"

/* ---- bool: any byte other than 0 is true ---- */
#define FN       OBK_FN(and_bool)
#define TI       uint8_t
#define TO       uint8_t
#define OP(a, b) (((a) != 0) & ((b) != 0))
#include "kernels/elementwise/loop2.inc.h"
#define FN       OBK_FN(or_bool)
#define TI       uint8_t
#define TO       uint8_t
#define OP(a, b) (((a) | (b)) != 0)
#include "kernels/elementwise/loop2.inc.h"
#define FN       OBK_FN(xor_bool)
#define TI       uint8_t
#define TO       uint8_t
#define OP(a, b) (((a) != 0) ^ ((b) != 0))
#include "kernels/elementwise/loop2.inc.h"
#define FN       OBK_FN(equal_bool)
#define TI       uint8_t
#define TO       uint8_t
#define OP(a, b) (((a) != 0) == ((b) != 0))
#include "kernels/elementwise/loop2.inc.h"
