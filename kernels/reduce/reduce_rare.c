/* Folding along axes for types that hardly any model has there. */
#include "kernels/reduce/parts.inc.h"

#define MEMBER reduce
#define ROWS   "kernels/reduce/reduce.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_SHARED(name)

#define T         uint32_t
#define S         u32
#define IS_FLOAT  0
#define IS_SIGNED 0
#define LOWEST    0
#define HIGHEST   UINT32_MAX
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
#define T         uint64_t
#define S         u64
#define IS_FLOAT  0
#define IS_SIGNED 0
#define LOWEST    0
#define HIGHEST   UINT64_MAX
#define HAS_SUMS  1
#include "kernels/reduce/type.inc.h"
