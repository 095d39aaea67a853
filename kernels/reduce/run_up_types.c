/* Running sums and products of types that have one form for all levels. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

#define MEMBER run_up
#define ROWS   "kernels/reduce/run_up.def"
#include "kernels/declare.inc.h"

#define LOOP(name) OBK_SHARED(name)

#define T double
#define S f64
#include "kernels/reduce/run_up.inc.h"
#define T uint32_t
#define S u32
#include "kernels/reduce/run_up.inc.h"
#define T uint64_t
#define S u64
#include "kernels/reduce/run_up.inc.h"
