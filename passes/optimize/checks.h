/* Private to passes/optimize/: the checks of rules (ob_rule_check). In all of them scales are floats, quantized values that the
 * rule leaves in integers have known types, and a scale or zero point of the rule has one element, except those of W. */
#ifndef OB_PASSES_OPTIMIZE_CHECKS_H
#define OB_PASSES_OPTIMIZE_CHECKS_H

#include "passes/optimize/match.h"

/* ---- quantized.c ---- */

/* To quantize a dequantized integer gives the integer: the scale is a constant, positive and normal, and no multiple of it
 * overflows. Integers of 8 or 16 bits, or only of 8. */
ob_rule_check ob__check_same_scale, ob__check_same_scale_of_bytes;
/* The operators of com.microsoft: bytes of one type. Scales and zero points may be computed. */
ob_rule_check ob__check_bytes;
/* As `bytes`, with constant scales for which no NaN and no infinity arises; _low: the result's zero point is its lowest integer,
 * so that an activation that makes negative numbers zero does nothing. */
ob_rule_check ob__check_bytes_finite, ob__check_bytes_low;

/* Bytes of any types, zero points of A with one element, and of the scales one is a float and the other one or a vector. */
ob_rule_check ob__check_scaled_product;

/* ---- products.c: Conv, MatMul and Gemm of bytes ----
 *
 * The scales are normal and positive, and so are the factors between sums and results; all scales, zero points and the bias are
 * constants, and the sizes of W numbers; sums do not overflow. Then integers differ from floats by rounding alone.
 *
 * Bits stay if W is a constant, all scales are powers of two, the bias consists of multiples of x_scale * w_scale, and the sum of
 * all |x - x_zero| |w - w_zero| and |bias| is at most 2^24 in units of x_scale * w_scale, for each output channel: every partial
 * sum of the floats is an integer of 24 bits times a power of two, in any order, and no step rounds before QuantizeLinear does.
 */

ob_rule_check ob__check_product;
/* _low: the zero point of the result is its lowest integer; _full: the limits of Clip are beyond the range of the result;
 * _limits: they are constants and numbers. */
ob_rule_check ob__check_product_low, ob__check_product_full, ob__check_product_limits;

/* The same for a result of floats: as if its scale were 1. */
ob_rule_check ob__check_product_to_float;

/* ---- What the checks share: quantized.c ---- */

/* The type of a value; OB_NONE: not known, or no tensor. */
ob_dtype ob__known_dtype(const ob_match *match, const ob_value *value);
bool ob__is_byte(ob_dtype dtype);
/* All QuantizeLinear and DequantizeLinear of the match compute with floats. */
bool ob__floats_only(const ob_match *match);
/* An operand that is one constant float, or one constant integer of 8 or 16 bits; an omitted zero point is 0. */
bool ob__one_scale(const ob_match *match, const char *operand, float *out);
bool ob__one_zero(const ob_match *match, const char *operand, int *out);
/* Positive, normal and below 2^100. */
bool ob__is_plain_scale(float scale);
/* The lowest integer of the rule's result, and its highest. */
int ob__lowest(ob_dtype dtype);
int ob__highest(ob_dtype dtype);
/* The result of the rule. */
ob_dtype ob__result_dtype(const ob_match *match);

#endif
