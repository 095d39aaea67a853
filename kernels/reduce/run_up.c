/* Running sums and products. Compiled once for each instruction-set level. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

#define MEMBER run_up
#define ROWS   "kernels/reduce/run_up.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_FN(name)

#define T float
#define S f32
#include "kernels/reduce/run_up.inc.h"

/* Signed overflow is undefined, unsigned numbers wrap to the same bits. */
const obk_run_ups OBK_TABLE(run_up) = {
#define ROWS "kernels/reduce/run_up.def"
#include "kernels/table.inc.h"
};
