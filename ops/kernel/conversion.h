/* Conversions of elements from one type to another. */
#ifndef OB_OPS_KERNEL_CONVERSION_H
#define OB_OPS_KERNEL_CONVERSION_H

#include <stdbool.h>

#include "kernels/loop.h"
#include "ops/kernel/kernel.h"

/* The conversion of elements from one type to another: none (identity), one step, or two steps through float. */
typedef struct ob_conversion {
    int n_steps; /* 0: the same bytes; -1: not possible */
    obk_convert steps[2];
    ob_dtype between; /* the type after the first of two steps */
} ob_conversion;
/* Without `saturate`, floats out of range become infinity or NaN in 8-bit floats, and their low bits in 4- and 2-bit integers.
 * For other types saturate has no effect. */
ob_conversion ob__find_conversion(ob_dtype from, ob_dtype to, bool saturate);

/* The conversions of a run, which saturate. A session has all of them; a plan that is written as C has those that planning has
 * asked for, so that no others are linked. */
typedef struct ob_conversions {
    ob_conversion (*find)(const struct ob_conversions *all, ob_dtype from, ob_dtype to);
    const void *rows; /* for `find` */
    uint32_t n_rows;
} ob_conversions;
extern const ob_conversions ob__all_conversions;

/* Planning asks for a conversion of a run. */
void ob__need_conversion(ob_kernel_needs *needs, ob_dtype from, ob_dtype to);
/* The conversion of n contiguous elements, in a run. E_UNSUPPORTED if nobody has asked for it, or if there is none. */
ob_status ob__convert_in_run(const ob_kernel_args *args, void *to, ob_dtype to_dtype, const void *from, ob_dtype from_dtype,
                             int64_t n, ob_error *error);
/* The same for many elements; checks for cancellation. */
ob_status ob__convert_many(const ob_kernel_args *args, void *to, ob_dtype to_dtype, const void *from, ob_dtype from_dtype,
                           int64_t n, ob_error *error);
/* The conversion of n contiguous elements. */
void ob__apply_conversion(const ob_conversion *conversion, void *to, size_t to_size, const void *from, size_t from_size,
                          int64_t n);

#endif
