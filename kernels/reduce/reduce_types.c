/* Folding along axes for types that have one form for all levels. */
#include "kernels/reduce/parts.inc.h"

#define MEMBER reduce
#define ROWS   "kernels/reduce/reduce.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_SHARED(name)

#define T         double
#define S         f64
#define IS_FLOAT  1
#define IS_SIGNED 1
#define LOWEST    ((double)-INFINITY)
#define HIGHEST   ((double)INFINITY)
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
#define T         int8_t
#define S         i8
#define IS_FLOAT  0
#define IS_SIGNED 1
#define LOWEST    INT8_MIN
#define HIGHEST   INT8_MAX
#define HAS_SUMS  0
#include "kernels/reduce/type.inc.h"
#define T         uint8_t
#define S         u8
#define IS_FLOAT  0
#define IS_SIGNED 0
#define LOWEST    0
#define HIGHEST   UINT8_MAX
#define HAS_SUMS  0
#include "kernels/reduce/type.inc.h"
