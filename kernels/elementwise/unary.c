/* Loops of one operand, and Clip. Compiled once for each instruction-set level. */
#include <math.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/level.h"
#include "kernels/loop.h"
#include "kernels/vmath/vmath.h"

#define MEMBER unary
#define ROWS   "kernels/elementwise/unary.def"
#include "kernels/declare.inc.h"
#define MEMBER clip
#define ROWS   "kernels/elementwise/clip.def"
#include "kernels/declare.inc.h"

#define LOOP(op) OBK_FN(OBK_CAT3(op, _, S))

/* For the current type T: a block on the stack has 1 KiB. */
#define BLOCK_ELEMS (1024 / (int64_t)sizeof(T))

#define T       float
#define S       f32
#define M(name) name##f
#include "kernels/elementwise/unary_float.inc.h"

#ifndef OBK_LOWER
#define T       double
#define S       f64
#define M(name) name
#include "kernels/elementwise/unary_float.inc.h"
#endif

#define FN    OBK_FN(u_not_bool)
#define TI    uint8_t
#define TO    uint8_t
#define OP(x) ((x) == 0)
#include "kernels/elementwise/loop1.inc.h"

const obk_loop OBK_TABLE(unary)[OBK_UNARY_COUNT][OB_DTYPE_COUNT] = {
#define ROWS "kernels/elementwise/unary.def"
#include "kernels/table.inc.h"
};

const obk_loop OBK_TABLE(clip)[OB_DTYPE_COUNT] = {
#define ROWS "kernels/elementwise/clip.def"
#include "kernels/table.inc.h"
};
