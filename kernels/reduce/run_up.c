/* Running sums and products. Compiled once for each instruction-set level. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

enum {
    ROWS = 8,            /* vectors that are computed side by side, because each is a dependency chain */
    STRETCH_BYTES = 128, /* bytes of each that are computed at a time */
};

#define T float
#define S f32
#include "kernels/reduce/run_up.inc.h"
#define T double
#define S f64
#include "kernels/reduce/run_up.inc.h"
#define T uint32_t
#define S u32
#include "kernels/reduce/run_up.inc.h"
#define T uint64_t
#define S u64
#include "kernels/reduce/run_up.inc.h"

/* Signed overflow is undefined, unsigned numbers wrap to the same bits. */
const obk_run_ups OBK_TABLE(run_up) = {.by_type = {
                                           [OB_FLOAT] = run_up_f32,
                                           [OB_DOUBLE] = run_up_f64,
                                           [OB_INT32] = run_up_u32,
                                           [OB_UINT32] = run_up_u32,
                                           [OB_INT64] = run_up_u64,
                                           [OB_UINT64] = run_up_u64,
                                       }};
