/* Loops of two operands. Compiled once for each instruction-set level, OBK_ISA. */
#include <math.h>
#include <string.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/level.h"
#include "kernels/loop.h"
#include "kernels/vmath/vmath.h"

#define MEMBER binary
#define ROWS   "kernels/elementwise/binary.def"
#include "kernels/declare.inc.h"

#define NAME(op) OBK_CAT3(op, _, S)
#define LOOP(op) OBK_FN(NAME(op))

#define T          float
#define S          f32
#define IS_FLOAT   1
#define IS_SIGNED  1
#define FMOD(a, b) fmodf(a, b)
#include "kernels/elementwise/binary_ops.inc.h"

/* ---- bool: any byte other than 0 is true ---- */
#define FN       OBK_FN(and_bool)
#define TI       uint8_t
#define TO       uint8_t
#define OP(a, b) (((a) != 0) & ((b) != 0))
#include "kernels/elementwise/loop2.inc.h"
#define FN       OBK_FN(or_bool)
#define TI       uint8_t
#define TO       uint8_t
#define OP(a, b) (((a) | (b)) != 0)
#include "kernels/elementwise/loop2.inc.h"
#define FN       OBK_FN(xor_bool)
#define TI       uint8_t
#define TO       uint8_t
#define OP(a, b) (((a) != 0) ^ ((b) != 0))
#include "kernels/elementwise/loop2.inc.h"
#define FN       OBK_FN(equal_bool)
#define TI       uint8_t
#define TO       uint8_t
#define OP(a, b) (((a) != 0) == ((b) != 0))
#include "kernels/elementwise/loop2.inc.h"

/* ---- float16 on processors that convert it: without tiles ---- */

#if defined(__F16C__) && defined(__AVX2__)
#include <immintrin.h>

#include "kernels/vector.h"

enum { F16_LANES = OBK_VECTOR_BYTES / 4 };

#if OBK_VECTOR_BYTES == 64
static inline obk_r_f32 f16_load(const char *p) {
    return (obk_r_f32)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
static inline void f16_store(char *p, obk_r_f32 x) {
    _mm256_storeu_si256((__m256i *)(void *)p, _mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT));
}
#else
static inline obk_r_f32 f16_load(const char *p) {
    return (obk_r_f32)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}
static inline void f16_store(char *p, obk_r_f32 x) {
    _mm_storeu_si128((__m128i *)(void *)p, _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
}
#endif
static inline obk_r_f32 f16_splat(const char *p) {
    uint16_t h;
    memcpy(&h, p, sizeof h);
    return _cvtsh_ss(h) - (obk_r_f32){0};
}
#define FN       OBK_FN(add_f16)
#define OP(a, b) ((a) + (b))
#include "kernels/elementwise/loop2_f16.inc.h"
#define FN       OBK_FN(sub_f16)
#define OP(a, b) ((a) - (b))
#include "kernels/elementwise/loop2_f16.inc.h"
#define FN       OBK_FN(mul_f16)
#define OP(a, b) ((a) * (b))
#include "kernels/elementwise/loop2_f16.inc.h"
#define FN       OBK_FN(div_f16)
#define OP(a, b) ((a) / (b))
#include "kernels/elementwise/loop2_f16.inc.h"
#endif

/* ---- Pow ---- */

/* Wraps like repeated multiplication. A negative exponent gives the truncated reciprocal, and 0 for base 0. */
static inline int64_t int_power(int64_t base, int64_t exponent) {
    if (exponent < 0) {
        if (base == 1) return 1;
        return base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    }
    uint64_t result = 1, square = (uint64_t)base;
    for (uint64_t e = (uint64_t)exponent; e; e >>= 1, square *= square)
        if (e & 1) result *= square;
    return (int64_t)result;
}

#define FN       OBK_FN(pow_i64)
#define TI       int64_t
#define TO       int64_t
#define OP(a, b) int_power(a, b)
#include "kernels/elementwise/loop2.inc.h"

#include "kernels/elementwise/pow_f32.inc.h"

#define T    float
#define S    f32
#define SQRT sqrtf
#include "kernels/elementwise/pow.inc.h"

#define T    double
#define S    f64
#define SQRT sqrt
#include "kernels/elementwise/pow.inc.h"

const obk_loop OBK_TABLE(binary)[OBK_BINARY_COUNT][OB_DTYPE_COUNT] = {
#define ROWS "kernels/elementwise/binary.def"
#include "kernels/table.inc.h"
};
