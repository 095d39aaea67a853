/* What operators of com.microsoft on 8-bit elements share: each quantized operand is followed by its scale and zero point, one
 * number for all of it. */
#ifndef OB_OPS_QUANTIZE_QLINEAR_H
#define OB_OPS_QUANTIZE_QLINEAR_H

#include "kernels/elementwise/elementwise.h"
#include "kernels/loop.h"
#include "kernels/quantize/quantize.h"
#include "ops/kernel/kernel.h"

/* int8 or uint8. */
static inline obk_integer ob__byte_type(ob_dtype dtype) {
    return dtype == OB_INT8 ? OBK_Q_INT8 : OBK_Q_UINT8;
}

/* Operand i is a scale of one element, a float, operand i + 1 a zero point of one element of type `dtype`, or omitted. */
ob_status ob__check_scale(const ob_kernel_args *args, uint32_t i, ob_dtype dtype, ob_error *error);

/* What they hold. */
typedef struct ob_byte_scale {
    float scale, zero;
} ob_byte_scale;
ob_byte_scale ob__read_scale(const ob_kernel_args *args, uint32_t i);

/* Quantized anew an element stays what it is: the scales are one number that none of its multiples makes infinite, the zero
 * points are equal. */
bool ob__keeps_bytes(const ob_byte_scale *from, const ob_byte_scale *to);

/* With the limits of `dtype`. What it points to is `from`. */
obk_scales ob__byte_scales(const ob_byte_scale *from, ob_dtype dtype);

/* A function of one element, of 256 values: y = quantize(f(dequantize(x))). */
typedef struct ob_byte_function {
    obk_loop loop; /* of floats; NULL: f(x) = x */
    obk_unary_params params;
    ob_byte_scale from, to;
    ob_dtype dtype; /* of x and y */
} ob_byte_function;
enum { OB_BYTES = 256 };
/* Of n <= OB_BYTES elements; y may be x. */
void ob__apply_to_bytes(const ob_byte_function *f, const uint8_t *x, int64_t n, uint8_t *y);
/* Of every element, at the place that its bits tell: for `lookup` of kernels/. */
void ob__tabulate_bytes(const ob_byte_function *f, uint8_t table[OB_BYTES]);

#endif
