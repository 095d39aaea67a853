/* The index of the largest or smallest element. Compiled once for each instruction-set level. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

enum {
    STRETCH = 64,        /* elements that are searched at a time */
    MOST_ROWS = 1 << 30, /* rows whose indices fit into 32 bits */
};

/* Columns of the current type T whose best elements are kept on the stack together. */
#define SIDE_BY_SIDE (512 / (int)sizeof(T) < OBK_REDUCE_COLUMNS ? 512 / (int)sizeof(T) : OBK_REDUCE_COLUMNS)

#define FLOAT_NAN(x) ((x) != (x))
#define INT_NAN(x)   0

#define T      float
#define S      f32
#define IS_NAN FLOAT_NAN
#include "kernels/reduce/find.inc.h"
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
#define T      int16_t
#define S      i16
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      uint16_t
#define S      u16
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      int32_t
#define S      i32
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      uint32_t
#define S      u32
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      int64_t
#define S      i64
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"
#define T      uint64_t
#define S      u64
#define IS_NAN INT_NAN
#include "kernels/reduce/find.inc.h"

const obk_finds OBK_TABLE(find) = {.by_type = {
                                       [OB_FLOAT] = find_f32,
                                       [OB_DOUBLE] = find_f64,
                                       [OB_INT8] = find_i8,
                                       [OB_UINT8] = find_u8,
                                       [OB_INT16] = find_i16,
                                       [OB_UINT16] = find_u16,
                                       [OB_INT32] = find_i32,
                                       [OB_UINT32] = find_u32,
                                       [OB_INT64] = find_i64,
                                       [OB_UINT64] = find_u64,
                                   }};
