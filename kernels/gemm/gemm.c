/* Products of floats and doubles. Compiled once for each instruction-set level: a tile fills the level's registers. */
#include "kernels/gemm/gemm.h"
#include "core/base/integers.h"
#include "kernels/level.h"

#include <string.h>

#include "kernels/vector.h"

enum { WHOLE = 384, BLOCK = 256, STRIP_ELEMENTS = 1 << 16 };

/* The size of a block of k: equal parts near BLOCK, or all of k. */
static int64_t block_of_k(int64_t k) {
    if (k <= WHOLE) return k;
    int64_t blocks = (k + BLOCK / 2) / BLOCK;
    return ob__round_up(ob__ceil_div(k, blocks), 8);
}

typedef float four_floats __attribute__((vector_size(16)));
typedef float four_floats_memory __attribute__((vector_size(16), aligned(4), may_alias));
typedef int four_ints __attribute__((vector_size(16)));

#ifdef __clang__
#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (four_ints){i, j, k, l})
#endif

/* to[i * to_row + j] = from[j * from_row + i], 4 x 4. */
OBK_INLINE void transpose_4_float(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row) {
    four_floats r[4], t[4];
    for (int i = 0; i < 4; i++) r[i] = (four_floats) * (const four_floats_memory *)(from + i * from_row);
    t[0] = SHUFFLE(r[0], r[1], 0, 4, 1, 5);
    t[1] = SHUFFLE(r[2], r[3], 0, 4, 1, 5);
    t[2] = SHUFFLE(r[0], r[1], 2, 6, 3, 7);
    t[3] = SHUFFLE(r[2], r[3], 2, 6, 3, 7);
    *(four_floats_memory *)to = SHUFFLE(t[0], t[1], 0, 1, 4, 5);
    *(four_floats_memory *)(to + to_row) = SHUFFLE(t[0], t[1], 2, 3, 6, 7);
    *(four_floats_memory *)(to + 2 * to_row) = SHUFFLE(t[2], t[3], 0, 1, 4, 5);
    *(four_floats_memory *)(to + 3 * to_row) = SHUFFLE(t[2], t[3], 2, 3, 6, 7);
}

OBK_INLINE void transpose_4_double(double *to, ptrdiff_t to_row, const double *from, ptrdiff_t from_row) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) to[i * to_row + j] = from[j * from_row + i];
}

#define REAL    float
#define VECTOR  obk_r_f32
#define MEMORY  obk_v_f32
#define FMA     obk_fma_v_f32
#define NAME(x) x##_float
#include "kernels/gemm/real.inc.h"
#undef REAL
#undef VECTOR
#undef MEMORY
#undef FMA
#undef NAME

#define REAL    double
#define VECTOR  obk_r_f64
#define MEMORY  obk_v_f64
#define FMA     obk_fma_v_f64
#define NAME(x) x##_double
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
    [OBK_GEMM_FLOAT] = {.mr = OBK_TILE_ROWS,
                        .nr = NR_float,
                        .panel_k = WHOLE,
                        .row_bytes = NR_float * sizeof(float),
                        .product = product_float,
                        .pack_a = pack_a_float,
                        .pack_b = pack_b_float,
                        .row = row_float},
    [OBK_GEMM_DOUBLE] = {.mr = OBK_TILE_ROWS,
                         .nr = NR_double,
                         .panel_k = WHOLE,
                         .row_bytes = NR_double * sizeof(double),
                         .product = product_double,
                         .pack_a = pack_a_double,
                         .pack_b = pack_b_double,
                         .row = row_double},
    [OBK_GEMM_INT32] = {.product = product_int32},
    [OBK_GEMM_UINT32] = {.product = product_uint32},
    [OBK_GEMM_INT64] = {.product = product_int64},
    [OBK_GEMM_UINT64] = {.product = product_uint64},
};
