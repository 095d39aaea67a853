/* Loops of two operands for doubles and integers of 32 and 64 bits. Compiled once for each instruction-set level. */
#include <math.h>

#include "kernels/elementwise/binary_types.h"

#define LINKAGE
#define NAME(op) OBK_CAT3(OBK_CAT3(obk_, op, OBK_CAT(_, S)), __, OBK_ISA)

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
