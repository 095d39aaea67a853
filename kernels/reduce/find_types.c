/* The index of the largest or smallest element, for types that have one form for all levels. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

#define MEMBER find
#define ROWS   "kernels/reduce/find.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_SHARED(name)

#define T      double
#define S      f64
#define IS_NAN FLOAT_NAN
#include "kernels/reduce/find.inc.h"
#define T      int8_t
#define S      i8
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      uint8_t
#define S      u8
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      int32_t
#define S      i32
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      int64_t
#define S      i64
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
