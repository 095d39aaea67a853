/* Loops of normalizations. Compiled once for each instruction-set level. */
#include "kernels/norm/norm.h"
#include "kernels/level.h"

#include "kernels/vmath/vmath.h"

#define T       float
#define S       f32
#define M(name) name##f
#include "kernels/norm/norm.inc.h"
#define T       double
#define S       f64
#define M(name) name
#include "kernels/norm/norm.inc.h"

#define BOTH(name)                                                                                                               \
    { name##_f32, name##_f64 }

const obk_norms OBK_TABLE(norm) = {
    .sum = BOTH(sum),
    .sum_abs = BOTH(sum_abs),
    .sum_squares = BOTH(sum_squares),
    .columns_sum = BOTH(columns_sum),
    .columns_abs = BOTH(columns_abs),
    .columns_squares = BOTH(columns_squares),
    .affine = BOTH(affine),
    .affine_loop = BOTH(affine_loop),
    .scaled = BOTH(scaled),
    .divided = BOTH(divided),
    .columns_divided = BOTH(columns_divided),
    .lrn_add = BOTH(lrn_add),
    .lrn_divide = BOTH(lrn_divide),
};
