/* Products of floats and doubles. Compiled once for each instruction-set level: a tile fills the level's registers. */
#include "kernels/gemm/gemm.h"
#include "core/base/integers.h"
#include "kernels/level.h"

#include <string.h>

#include "kernels/plain.h"
#include "kernels/transpose.h"
#include "kernels/vector.h"

#define MEMBER gemm
#define ROWS   "kernels/gemm/gemm.def"
#include "kernels/declare.inc.h"

enum { WHOLE = 384, BLOCK = 256, STRIP_ELEMENTS = 1 << 16, LARGE_ROWS = 1 << 16 };

/* The size of a block of k: equal parts near BLOCK, or all of k. */
static int64_t block_of_k(int64_t k) {
    if (k <= WHOLE) return k;
    int64_t blocks = (k + BLOCK / 2) / BLOCK;
    return ob__round_up(ob__ceil_div(k, blocks), 8);
}

#define REAL        float
#define VECTOR      obk_r_f32
#define MEMORY      obk_v_f32
#define FMA         obk_fma_v_f32
#define TRANSPOSE_4 obk_transpose_4_f32
#define TRANSPOSE   obk_transpose_f32
#define TRANSPOSED  OBK_TRANSPOSED_F32
#define NAME(x)     x##_float
#include "kernels/gemm/real.inc.h"
#undef REAL
#undef VECTOR
#undef MEMORY
#undef FMA
#undef TRANSPOSE_4
#undef TRANSPOSE
#undef TRANSPOSED
#undef NAME

#define REAL        double
#define VECTOR      obk_r_f64
#define MEMORY      obk_v_f64
#define FMA         obk_fma_v_f64
#define TRANSPOSE_4 obk_transpose_4_f64
#define TRANSPOSE   obk_transpose_f64
#define TRANSPOSED  OBK_TRANSPOSED_F64
#define NAME(x)     x##_double
#include "kernels/gemm/real.inc.h"

#undef NAME

#define INTEGER   int32_t
#define BITS      uint32_t
#define SATURATED ob__int64_from
#define NAME(x)   x##_int32
#include "kernels/gemm/wrapping.inc.h"
#undef INTEGER
#undef BITS
#undef SATURATED
#undef NAME

#define INTEGER   uint32_t
#define BITS      uint32_t
#define SATURATED ob__int64_from
#define NAME(x)   x##_uint32
#include "kernels/gemm/wrapping.inc.h"
#undef INTEGER
#undef BITS
#undef SATURATED
#undef NAME

#define INTEGER   int64_t
#define BITS      uint64_t
#define SATURATED ob__int64_from
#define NAME(x)   x##_int64
#include "kernels/gemm/wrapping.inc.h"
#undef INTEGER
#undef BITS
#undef SATURATED
#undef NAME

#define INTEGER   uint64_t
#define BITS      uint64_t
#define SATURATED ob__uint64_from
#define NAME(x)   x##_uint64
#include "kernels/gemm/wrapping.inc.h"
#undef INTEGER
#undef BITS
#undef SATURATED

const obk_gemm OBK_TABLE(gemm)[OBK_GEMM_COUNT] = {
#define ROWS "kernels/gemm/gemm.def"
#include "kernels/table.inc.h"
};
