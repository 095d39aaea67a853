/* Folding along axes for int32 and int64. Compiled once for each instruction-set level. */
#include "kernels/reduce/parts.inc.h"

#define MEMBER reduce
#define ROWS   "kernels/reduce/reduce.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_FN(name)

#define T         int32_t
#define S         i32
#define IS_FLOAT  0
#define IS_SIGNED 1
#define LOWEST    INT32_MIN
#define HIGHEST   INT32_MAX
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
#define T         int64_t
#define S         i64
#define IS_FLOAT  0
#define IS_SIGNED 1
#define LOWEST    INT64_MIN
#define HIGHEST   INT64_MAX
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
