/* Conversions of elements from one type to another. */
#ifndef OB_OPS_KERNEL_CONVERSION_H
#define OB_OPS_KERNEL_CONVERSION_H

#include <stdbool.h>

#include "kernels/loop.h"

/* The conversion of elements from one type to another: none (identity), one step, or two steps through float. */
typedef struct ob_conversion {
    int n_steps; /* 0: the same bytes; -1: not possible */
    obk_convert steps[2];
    ob_dtype between; /* the type after the first of two steps */
} ob_conversion;
/* Without `saturate`, floats out of range become infinity or NaN in 8-bit floats, and their low bits in 4- and 2-bit integers.
 * For other types saturate has no effect. */
ob_conversion ob__find_conversion(ob_dtype from, ob_dtype to, bool saturate);

#endif
