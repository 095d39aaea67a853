/* Elements of every number type as double or integer, independent of the library's conversions. */
#ifndef OB_TESTS_DIFFERENTIAL_NUMBER_H
#define OB_TESTS_DIFFERENTIAL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "onnx_broadcast/onnx_broadcast.h"

bool is_float_type(ob_dtype dtype);   /* of any width */
bool is_signed_type(ob_dtype dtype);  /* integers */
bool is_integer_type(ob_dtype dtype); /* not bool */
int integer_bits(ob_dtype dtype);     /* 2 .. 64 */
double type_epsilon(ob_dtype dtype);  /* distance of 1 to the next number */
double type_highest(ob_dtype dtype);  /* the largest finite number, also of integers */
double type_smallest(ob_dtype dtype); /* the smallest normal number */
/* Numbers of all types but strings and complex ones. */
double number_get(const ob_view *view, int64_t index);
/* To nearest, ties to even; beyond the largest: infinity where there is one. Integers must fit. */
void number_set(const ob_view *view, int64_t index, double value);
/* Of integers and bools, unsigned ones as their bits. */
int64_t integer_get(const ob_view *view, int64_t index);
void integer_set(const ob_view *view, int64_t index, int64_t value); /* keeps the low bits */

#endif
