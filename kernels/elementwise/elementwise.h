/* Elementwise loops. */
#ifndef OB_KERNELS_ELEMENTWISE_H
#define OB_KERNELS_ELEMENTWISE_H

#include <stdbool.h>

#include "kernels/loop.h"

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

/* Parameters of unary loops, from the operator's attributes. */
typedef struct obk_unary_params {
    double alpha, beta, gamma;
    bool positive, negative; /* IsInf */
} obk_unary_params;

#endif
