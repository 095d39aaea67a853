/* The loops of one operand for one integer type. Parameters: T, S, U (wraps, at least as wide as int), IS_SIGNED. The file that
 * includes it defines NAME(op), a name for S, and LOOP(op), the symbol of a loop. */
#if IS_SIGNED
#define FN    LOOP(u_abs)
#define TI    T
#define TO    T
#define OP(x) ((x) < 0 ? (T)((U)0 - (U)(x)) : (x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_neg)
#define TI    T
#define TO    T
#define OP(x) ((U)0 - (U)(x))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_sign)
#define TI    T
#define TO    T
#define OP(x) (((x) > 0) - ((x) < 0))
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_relu)
#define TI    T
#define TO    T
#define OP(x) ((x) < 0 ? 0 : (x))
#include "kernels/elementwise/loop1.inc.h"
#else
#define FN    LOOP(u_abs)
#define TI    T
#define TO    T
#define OP(x) (x)
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_sign)
#define TI    T
#define TO    T
#define OP(x) ((x) > 0)
#include "kernels/elementwise/loop1.inc.h"
#define FN    LOOP(u_bit_not)
#define TI    T
#define TO    T
#define OP(x) (~(U)(x))
#include "kernels/elementwise/loop1.inc.h"
#endif
#define FN    LOOP(u_erf)
#define TI    T
#define TO    T
#define OP(x) erf((double)(x))
#include "kernels/elementwise/loop1.inc.h"

static void NAME(block_shrink)(T *z, const T *x, int64_t n, const void *params) {
    const obk_unary_params *p = params;
    for (int64_t i = 0; i < n; i++) {
        double value = (double)x[i];
        value = value < -p->alpha ? value + p->beta : value > p->alpha ? value - p->beta : 0;
        z[i] = OBK_CAT(saturate_f64_, S)(value);
    }
}
#define FN    LOOP(u_shrink)
#define BLOCK NAME(block_shrink)
#include "kernels/elementwise/block1.inc.h"

#include "kernels/elementwise/clip1.inc.h"

#undef T
#undef S
#undef U
#undef IS_SIGNED
