/* Loops of two operands, floats. Compiled once for each instruction-set level, OBK_ISA. */
#include <math.h>
#include <string.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/level.h"
#include "kernels/loop.h"

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

const obk_loop OBK_TABLE(binary)[OBK_BINARY_COUNT][OB_DTYPE_COUNT] = {
#define ROWS "kernels/elementwise/binary.def"
#include "kernels/table.inc.h"
};
