/* Running sums and products. Compiled once for each instruction-set level. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

#define T float
#define S f32
#include "kernels/reduce/run_up.inc.h"

/* Signed overflow is undefined, unsigned numbers wrap to the same bits. */
const obk_run_ups OBK_TABLE(run_up) = {.by_type = {
                                           [OB_FLOAT] = run_up_f32,
                                           [OB_DOUBLE] = obk_run_up_f64,
                                           [OB_INT32] = obk_run_up_u32,
                                           [OB_UINT32] = obk_run_up_u32,
                                           [OB_INT64] = obk_run_up_u64,
                                           [OB_UINT64] = obk_run_up_u64,
                                       }};
