/* The one-dimensional loops: tables per instruction set, filled from include templates. */
#ifndef OB_KERNELS_KERNELS_H
#define OB_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/attention/attention.h"
#include "kernels/boxes/boxes.h"
#include "kernels/conv/conv.h"
#include "kernels/fft/fft.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/ml/ml.h"
#include "kernels/norm/norm.h"
#include "kernels/pool/pool.h"
#include "kernels/quantize/quantize.h"
#include "kernels/random/random.h"
#include "kernels/recurrent/recurrent.h"
#include "kernels/reduce/reduce.h"
#include "kernels/resize/resize.h"
#include "kernels/sample/sample.h"
#include "kernels/softmax/softmax.h"
#include "onnx_broadcast/dtype.h"

/* `rows` rows of n elements. pointers: inputs, then the output. step[k] is 0 or the size of input k's element; not every step is
 * 0 unless n is 1; the output is contiguous within a row. row[k] is the distance in bytes from row to row, any value. An output
 * may equal an input exactly, never overlap it partially. */
typedef void (*obk_loop)(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows,
                         const void *params);
/* n contiguous elements; dst and src do not overlap. */
typedef void (*obk_convert)(void *dst, const void *src, int64_t n);

#define OBK_BINARY_LIST(X)                                                                                                       \
    X(ADD)                                                                                                                       \
    X(SUB)                                                                                                                       \
    X(MUL)                                                                                                                       \
    X(DIV)                                                                                                                       \
    X(POW)                                                                                                                       \
    X(MOD)                                                                                                                       \
    X(FMOD)                                                                                                                      \
    X(MAX)                                                                                                                       \
    X(MIN)                                                                                                                       \
    X(PRELU) X(AND) X(OR) X(XOR) X(EQUAL) X(LESS) X(LESS_EQUAL) X(SHIFT_LEFT) X(SHIFT_RIGHT) X(BIT_AND) X(BIT_OR) X(BIT_XOR)

typedef enum obk_binary {
#define OBK_ENUM(name) OBK_##name,
    OBK_BINARY_LIST(OBK_ENUM) OBK_BINARY_COUNT
} obk_binary;

/* clang-format off */
#define OBK_UNARY_LIST(X)                                                           \
    X(ABS) X(NEG) X(CEIL) X(FLOOR) X(ROUND) X(SQRT)                                 \
    X(EXP) X(LOG) X(SIN) X(COS) X(TAN) X(ASIN)                                      \
    X(ACOS) X(ATAN) X(SINH) X(COSH) X(TANH) X(ASINH)                                \
    X(ACOSH) X(ATANH) X(SIGMOID) X(RELU) X(ERF) X(RECIPROCAL)                       \
    X(SIGN) X(NOT) X(BIT_NOT) X(IS_NAN) X(IS_INF) X(ELU)                            \
    X(SELU) X(LEAKY_RELU) X(THRESHOLDED_RELU) X(HARD_SIGMOID) X(HARD_SWISH) X(CELU) \
    X(SOFTPLUS) X(SOFTSIGN) X(SHRINK) X(MISH) X(GELU) X(GELU_TANH)                  \
    X(SWISH) X(CLIP) X(AFFINE) X(SCALED_TANH) X(PARAMETRIC_SOFTPLUS)
/* clang-format on */

typedef enum obk_unary {
#define OBK_UNARY_ENUM(name) OBK_U_##name,
    OBK_UNARY_LIST(OBK_UNARY_ENUM) OBK_UNARY_COUNT
} obk_unary;

/* Parameters of unary loops: attributes as the operator gives them. */
typedef struct obk_unary_params {
    double alpha, beta, gamma;
    bool positive, negative; /* IsInf */
} obk_unary_params;

/* Conversions beyond one per target type. */
enum {
    OBK_TO_F32_ODD = OB_DTYPE_COUNT, /* float, inexact results rounded to odd: a second rounding to fewer bits is then exact */
    OBK_TO_E4M3FN_WRAP,              /* 8-bit floats without saturation */
    OBK_TO_E4M3FNUZ_WRAP,
    OBK_TO_E5M2_WRAP,
    OBK_TO_E5M2FNUZ_WRAP,
    OBK_TO_UINT4_LOW, /* 4- and 2-bit integers: floats keep the low bits instead of saturating */
    OBK_TO_INT4_LOW,
    OBK_TO_UINT2_LOW,
    OBK_TO_INT2_LOW,
    OBK_CONVERT_COUNT
};

/* Moving elements. */
typedef struct obk_moves {
    void (*repeat_4)(void *target, const void *source, int64_t m, int64_t n); /* m dense elements of 4 bytes, each n times */
} obk_moves;

typedef struct obk_table {
    const char *name;
    const obk_loop (*binary)[OB_DTYPE_COUNT];     /* [obk_binary][type of the operands] */
    const obk_loop (*unary)[OB_DTYPE_COUNT];      /* [obk_unary][type]; params: obk_unary_params */
    const obk_loop *where;                        /* [log2 of the element's bytes]; inputs: condition, X, Y */
    const obk_convert (*convert)[OB_DTYPE_COUNT]; /* [to][from], NULL: in two steps, through float or OBK_TO_F32_ODD */
    const obk_moves *move;
    const obk_gemm *gemm; /* [OBK_GEMM_...] */
    const obk_pools *pool;
    const obk_convs *conv;
    const obk_resizes *resize;
    const obk_softmax *softmax;
    const obk_norms *norm;
    const obk_recurrent *recurrent;
    const obk_reduce *reduce; /* [type] */
    const obk_find *find;     /* [type] */
    const obk_run_up *run_up; /* [type] */
    const obk_loop *clip;     /* [type]: inputs x, low, high */
    const obk_integer_gemm *integer_gemm;
    const obk_quantize *quantize;
    const obk_boxes *boxes;
    const obk_ml *ml;
    const obk_ffts *fft;
    const obk_attention *attention;
    const obk_samples *sample;
    const obk_randoms *random;
} obk_table;

#define OBK_CAT_(a, b)     a##b
#define OBK_CAT(a, b)      OBK_CAT_(a, b)
#define OBK_CAT3_(a, b, c) a##b##c
#define OBK_CAT3(a, b, c)  OBK_CAT3_(a, b, c)

/* Levels above the baseline. AVX2 means also FMA and F16C; AVX-512 F, BW, DQ, VL and CD. */
enum { OBK_ISA_AVX2 = 1, OBK_ISA_AVX512 = 2 };
/* The highest level that the build, the processor and the variable OB_ISA of the environment allow. */
const obk_table *ob__kernels(void);
/* Which levels ob__kernels may choose from now on, for tests: bits of OBK_ISA_*, 0: the baseline, ~0u: all. */
void ob__kernels_limit(unsigned isa_mask);

#endif
