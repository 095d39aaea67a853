/* Running sums and products of types that have one form for all levels. */
#include <string.h>

#include "core/base/integers.h"
#include "kernels/level.h"
#include "kernels/reduce/reduce.h"

#define T double
#define S f64
#include "kernels/reduce/run_up.inc.h"
#define T uint32_t
#define S u32
#include "kernels/reduce/run_up.inc.h"
#define T uint64_t
#define S u64
#include "kernels/reduce/run_up.inc.h"

#define SHARED(type)                                                                                                             \
    void obk_run_up_##type(const obk_running *r, void *out, const void *in, int64_t begin, int64_t end) {                        \
        run_up_##type(r, out, in, begin, end);                                                                                   \
    }
SHARED(f64)
SHARED(u32)
SHARED(u64)
