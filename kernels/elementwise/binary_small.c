/* Loops of two operands for integers of 8 and 16 bits: one form for all levels. */
#include "kernels/elementwise/elementwise.h"

#define MEMBER binary
#define ROWS   "kernels/elementwise/binary.def"
#include "kernels/declare.inc.h"

#define NAME(op) OBK_CAT3(op, _, S)
#define LOOP(op) OBK_SHARED(NAME(op))

#define T         int8_t
#define S         i8
#define U         uint32_t
#define IS_FLOAT  0
#define IS_SIGNED 1
#include "kernels/elementwise/binary_ops.inc.h"

#define T         int16_t
#define S         i16
#define U         uint32_t
#define IS_FLOAT  0
#define IS_SIGNED 1
#include "kernels/elementwise/binary_ops.inc.h"

#define T         uint8_t
#define S         u8
#define U         uint32_t
#define IS_FLOAT  0
#define IS_SIGNED 0
#include "kernels/elementwise/binary_ops.inc.h"

#define T         uint16_t
#define S         u16
#define U         uint32_t
#define IS_FLOAT  0
#define IS_SIGNED 0
#include "kernels/elementwise/binary_ops.inc.h"
