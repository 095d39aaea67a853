/* The index of the largest or smallest element. Compiled once for each instruction-set level. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

#define T      float
#define S      f32
#define IS_NAN FLOAT_NAN
#include "kernels/reduce/find.inc.h"

const obk_finds OBK_TABLE(find) = {.by_type = {
                                       [OB_FLOAT] = find_f32,
                                       [OB_DOUBLE] = obk_find_f64,
                                       [OB_INT8] = obk_find_i8,
                                       [OB_UINT8] = obk_find_u8,
                                       [OB_INT16] = obk_find_i16,
                                       [OB_UINT16] = obk_find_u16,
                                       [OB_INT32] = obk_find_i32,
                                       [OB_UINT32] = obk_find_u32,
                                       [OB_INT64] = obk_find_i64,
                                       [OB_UINT64] = obk_find_u64,
                                   }};
