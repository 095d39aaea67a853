/* Cells of recurrent layers. Compiled once for each instruction-set level. */
#include "kernels/recurrent/recurrent.h"
#include "kernels/level.h"

#include <stddef.h>

#define T float
#define S f32
#include "kernels/recurrent/recurrent.inc.h"
#define T double
#define S f64
#include "kernels/recurrent/recurrent.inc.h"

const obk_recurrent OBK_TABLE(recurrent) = {
    .add_product = {add_product_f32, add_product_f64},
    .complement = {complement_f32, complement_f64},
    .carry = {carry_f32, carry_f64},
    .blend = {blend_f32, blend_f64},
    .add_reset = {add_reset_f32, add_reset_f64},
};
