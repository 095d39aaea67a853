/* The common part of products of quantized operands: zero points, scales, results. */
#ifndef OB_OPS_QUANTIZE_INTEGER_H
#define OB_OPS_QUANTIZE_INTEGER_H

#include "kernels/gemm/integer.h"
#include "kernels/quantize/quantize.h"
#include "ops/kernel/kernel.h"
#include "ops/quantize/quantized.h"

/* The indices of the operands among the inputs; -1: there is none. A (X) is input 0. */
typedef struct ob_integer_places {
    int8_t w, x_zero, w_zero, x_scale, w_scale, y_scale, y_zero, bias;
} ob_integer_places;

/* A zero point or scale, broadcast to its operand: its stride along each axis, in elements. */
typedef struct ob_spread {
    int64_t count;
    int64_t steps[OB_MAX_RANK];
} ob_spread;

typedef struct ob_integers {
    ob_integer_places at;
    ob_spread x_zero, w_zero, x_scale, w_scale;
    const obk_integer_gemm *gemm;
    obk_requantize_loop requantize;       /* if `requantizes` */
    obk_accumulate_loop accumulate;       /* if `to_float` */
    bool requantizes, to_float, w_packed; /* to_float: sums times scales, with a bias; w_packed: the session packs it */
    int16_t w_zero_value;                 /* the one zero point of W, if w_packed */
} ob_integers;
extern const struct ob_struct ob__integers_struct;

/* For MatMulInteger, QLinearMatMul and MatMulIntegerToFloat, or (`conv`) ConvInteger and QLinearConv. E_UNSUPPORTED for types
 * other than int8 and uint8. */
ob_status ob__plan_integers(const ob_kernel_site *site, const ob_kernel_args *args, bool conv, ob_integers *s,
                            ob_kernel_needs *needs, ob_error *error);

/* Element i of a zero point, int8 or uint8. */
int16_t ob__zero_at(const ob_view *view, int64_t i);

/* True if the session can pack this constant of 8 bits: it has elements, and its `n` zero points (`zeros`; NULL: 0) are known and
 * all equal to *zero. */
bool ob__packs_bytes(const ob_view *constant, const ob_view *zeros, int64_t n, int16_t *zero);

/* True if all elements of this constant minus the zero point have 8 bits. */
bool ob__bytes_fit(const ob_view *constant, int zero);

/* Requests operand `input`, matrices of k rows and n columns of bytes, packed by gemm->pack_b. *matrix: units from one packed
 * matrix to the next. k, n and the number of elements are not 0. E_LIMIT, E_MEMORY. */
ob_status ob__want_packed_bytes(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t input,
                                const obk_integer_gemm *gemm, int64_t k, int64_t n, int16_t zero, ob_kernel_needs *needs,
                                int64_t *matrix, ob_error *error);

/* The zero points and scales of a run. */
typedef struct ob_integer_values {
    int16_t *x_zero, *w_zero;
    float *x_scale, *w_scale;
    float y_scale, y_zero, low, high;
} ob_integer_values;

/* Takes the scratch memory that ob__plan_integers requested. */
ob_status ob__read_integers(const ob_kernel_args *args, const ob_integers *s, char **scratch, ob_integer_values *values,
                            ob_error *error);

/* The index in the zero point or scale at which a row of the tensor (along the last axis) begins. */
int64_t ob__spread_row(const ob_spread *spread, const ob_view *tensor, int64_t row);

static inline bool ob__is_signed(const ob_view *view) {
    return view->dtype == OB_INT8;
}

#endif
