/* The common part of com.microsoft's operators on 8-bit elements. Each quantized operand is followed by its scale and zero point,
 * one of each for the whole operand. */
#ifndef OB_OPS_QUANTIZE_BYTES_H
#define OB_OPS_QUANTIZE_BYTES_H

#include "kernels/elementwise/elementwise.h"
#include "kernels/loop.h"
#include "kernels/quantize/quantize.h"
#include "ops/kernel/kernel.h"
#include "ops/kernel/members.h"

/* int8 or uint8. */
static inline obk_integer ob__byte_type(ob_dtype dtype) {
    return dtype == OB_INT8 ? OBK_Q_INT8 : OBK_Q_UINT8;
}

/* Checks that operand i is a scale (one float) and operand i + 1 a zero point (one element of type `dtype`) or missing. */
ob_status ob__check_scale(const ob_kernel_args *args, uint32_t i, ob_dtype dtype, ob_error *error);

/* Their values. */
typedef struct ob_byte_scale {
    float scale, zero;
} ob_byte_scale;
ob_byte_scale ob__read_scale(const ob_kernel_args *args, uint32_t i);

/* True if quantizing a dequantized element gives the same element: the scales and the zero points are equal, and no multiple of
 * the scale overflows. */
bool ob__keeps_bytes(const ob_byte_scale *from, const ob_byte_scale *to);

/* The same for the kernels, with the limits of `dtype`. The result points into `from`. */
obk_scales ob__byte_scales(const ob_byte_scale *from, ob_dtype dtype);

/* The loops of the functions below, for elements of one type. */
typedef struct ob_byte_loops {
    obk_dequantize_loop dequantize;
    obk_quantize_loop quantize;
    obk_lookup_loop lookup;
} ob_byte_loops;
ob_byte_loops ob__byte_loops(ob_dtype dtype);

/* A function of one 8-bit element: y = quantize(f(dequantize(x))). */
typedef struct ob_byte_function {
    ob_byte_loops loops;
    obk_loop loop; /* on floats; NULL: f(x) = x */
    obk_unary_params params;
    ob_byte_scale from, to;
    ob_dtype dtype; /* of x and y */
} ob_byte_function;
extern const ob_struct ob__byte_loops_struct;
enum { OB_BYTES = 256 };
/* Applies it to n <= OB_BYTES elements; y may be x. */
void ob__apply_to_bytes(const ob_byte_function *f, const uint8_t *x, int64_t n, uint8_t *y);
/* Fills a table with the results of all 256 elements, indexed by their bits, for `lookup` of kernels/quantize. */
void ob__tabulate_bytes(const ob_byte_function *f, uint8_t table[OB_BYTES]);

#endif
