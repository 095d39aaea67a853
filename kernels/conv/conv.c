/* Convolution. Built once per instruction set. */
#include "kernels/conv/conv.h"

#include "kernels/fma.h"
#include "kernels/kernels.h"
#include "kernels/tables.h"
#include "kernels/vector.h"
#include "kernels/window/visit.inc.h"

/* A product: weight of map m, channel c and tap k at m * w_down + (c * taps + k) * w_across; the operand at c * plane + tap[k].
 * tap NULL: one tap, at 0. */
typedef struct obk_product {
    int64_t channels, taps, plane, w_down, w_across;
    const int64_t *tap;
} obk_product;

/* How many maps to compute at once, of those that are left: whole tiles as far as they go. */
static int64_t maps_at_once(int64_t left) {
    if (left <= 2) return left;
    if (left <= 4) return 4;
    return left % 6 == 2 ? 4 : 6;
}

#define T   float
#define PAD pad_f32
#include "kernels/window/pad.inc.h"
#define T   double
#define PAD pad_f64
#include "kernels/window/pad.inc.h"

#define T        float
#define PAD      pad_f32
#define NAME(n)  n##_f32
#define VECTOR   obk_v_f32
#define REGISTER obk_r_f32
#define FMA      obk_fma_v_f32
#include "kernels/conv/conv.inc.h"
#define T        double
#define PAD      pad_f64
#define NAME(n)  n##_f64
#define VECTOR   obk_v_f64
#define REGISTER obk_r_f64
#define FMA      obk_fma_v_f64
#include "kernels/conv/conv.inc.h"

const obk_convs OBK_TABLE(obk_conv_functions) = {
    .run = {conv_f32, conv_f64}, .columns = {columns_f32, columns_f64}, .fold = {fold_f32, fold_f64}};
