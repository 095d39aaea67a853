/* The index of the largest or smallest element, for types that hardly any model has there. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

#define MEMBER find
#define ROWS   "kernels/reduce/find.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_SHARED(name)

#define T      int16_t
#define S      i16
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      uint16_t
#define S      u16
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      uint32_t
#define S      u32
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      uint64_t
#define S      u64
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
