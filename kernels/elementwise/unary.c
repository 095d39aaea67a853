/* Loops of one operand, and Clip. Compiled once for each instruction-set level. */
#include <math.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/unary_types.h"
#include "kernels/level.h"
#include "kernels/loop.h"
#include "kernels/vmath/vmath.h"

#define LINKAGE static

/* For the current type T: a block on the stack has 1 KiB. */
#define BLOCK_ELEMS (1024 / (int64_t)sizeof(T))

#define T       float
#define S       f32
#define M(name) name##f
#include "kernels/elementwise/unary_float.inc.h"

#define T       double
#define S       f64
#define M(name) name
#include "kernels/elementwise/unary_float.inc.h"

#define FN    u_not_bool
#define TI    uint8_t
#define TO    uint8_t
#define OP(x) ((x) == 0)
#include "kernels/elementwise/loop1.inc.h"

#define FLOATS(op)      [OB_FLOAT] = op##_f32, [OB_DOUBLE] = op##_f64
#define OF_8_16(op, s)  [OB_INT8] = obk_##op##_##s##8, [OB_INT16] = obk_##op##_##s##16
#define OF_32_64(op, s) [OB_INT32] = obk_##op##_##s##32, [OB_INT64] = obk_##op##_##s##64
#define INTS(op)        OF_8_16(op, i), OF_32_64(op, i)
#define UINTS_8_16(op)  [OB_UINT8] = obk_##op##_u8, [OB_UINT16] = obk_##op##_u16
#define UINTS(op)       UINTS_8_16(op), [OB_UINT32] = obk_##op##_u32, [OB_UINT64] = obk_##op##_u64
#define BITS(op)        OF_8_16(op, u), OF_32_64(op, u), UINTS(op)

const obk_loop OBK_TABLE(unary)[OBK_UNARY_COUNT][OB_DTYPE_COUNT] = {
    [OBK_U_ABS] = {FLOATS(u_abs), INTS(u_abs), UINTS(u_abs)},
    [OBK_U_NEG] = {FLOATS(u_neg), INTS(u_neg)},
    [OBK_U_CEIL] = {FLOATS(u_ceil)},
    [OBK_U_FLOOR] = {FLOATS(u_floor)},
    [OBK_U_ROUND] = {FLOATS(u_round)},
    [OBK_U_SQRT] = {FLOATS(u_sqrt)},
    [OBK_U_EXP] = {FLOATS(u_exp)},
    [OBK_U_LOG] = {FLOATS(u_log)},
    [OBK_U_SIN] = {FLOATS(u_sin)},
    [OBK_U_COS] = {FLOATS(u_cos)},
    [OBK_U_TAN] = {FLOATS(u_tan)},
    [OBK_U_ASIN] = {FLOATS(u_asin)},
    [OBK_U_ACOS] = {FLOATS(u_acos)},
    [OBK_U_ATAN] = {FLOATS(u_atan)},
    [OBK_U_SINH] = {FLOATS(u_sinh)},
    [OBK_U_COSH] = {FLOATS(u_cosh)},
    [OBK_U_TANH] = {FLOATS(u_tanh)},
    [OBK_U_ASINH] = {FLOATS(u_asinh)},
    [OBK_U_ACOSH] = {FLOATS(u_acosh)},
    [OBK_U_ATANH] = {FLOATS(u_atanh)},
    [OBK_U_ERF] = {FLOATS(u_erf), INTS(u_erf), UINTS(u_erf)},
    [OBK_U_RELU] = {FLOATS(u_relu), INTS(u_relu)},
    [OBK_U_RECIPROCAL] = {FLOATS(u_reciprocal)},
    [OBK_U_SIGN] = {FLOATS(u_sign), INTS(u_sign), UINTS(u_sign)},
    [OBK_U_IS_NAN] = {FLOATS(u_is_nan)},
    [OBK_U_SOFTSIGN] = {FLOATS(u_softsign)},
    [OBK_U_LEAKY_RELU] = {FLOATS(u_leaky_relu)},
    [OBK_U_THRESHOLDED_RELU] = {FLOATS(u_thresholded_relu)},
    [OBK_U_HARD_SIGMOID] = {FLOATS(u_hard_sigmoid)},
    [OBK_U_HARD_SWISH] = {FLOATS(u_hard_swish)},
    [OBK_U_SHRINK] = {FLOATS(u_shrink), INTS(u_shrink), UINTS(u_shrink)},
    [OBK_U_CLIP] = {FLOATS(u_clip)},
    [OBK_U_AFFINE] = {FLOATS(u_affine)},
    [OBK_U_SIGMOID] = {FLOATS(u_sigmoid)},
    [OBK_U_ELU] = {FLOATS(u_elu)},
    [OBK_U_SELU] = {FLOATS(u_selu)},
    [OBK_U_CELU] = {FLOATS(u_celu)},
    [OBK_U_SOFTPLUS] = {FLOATS(u_softplus)},
    [OBK_U_MISH] = {FLOATS(u_mish)},
    [OBK_U_GELU] = {FLOATS(u_gelu)},
    [OBK_U_GELU_TANH] = {FLOATS(u_gelu_tanh)},
    [OBK_U_SWISH] = {FLOATS(u_swish)},
    [OBK_U_SCALED_TANH] = {FLOATS(u_scaled_tanh)},
    [OBK_U_IS_INF] = {FLOATS(u_is_inf)},
    [OBK_U_PARAMETRIC_SOFTPLUS] = {FLOATS(u_parametric_softplus)},
    [OBK_U_NOT] = {[OB_BOOL] = u_not_bool},
    [OBK_U_BIT_NOT] = {BITS(u_bit_not)},
};

const obk_loop OBK_TABLE(clip)[OB_DTYPE_COUNT] = {FLOATS(clip), INTS(clip), UINTS(clip)};
