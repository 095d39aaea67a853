/* The loops of two operands for one element type. Parameters: T the type, S its suffix, U an unsigned type at least as wide as
 * int in which T's arithmetic wraps (integers only), IS_FLOAT, IS_SIGNED. The file that includes it defines NAME(op), a name
 * for S, and LOOP(op), the symbol of a loop. */
#if IS_FLOAT
#define FN       LOOP(add)
#define TI       T
#define TO       T
#define OP(a, b) ((a) + (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(sub)
#define TI       T
#define TO       T
#define OP(a, b) ((a) - (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(mul)
#define TI       T
#define TO       T
#define OP(a, b) ((a) * (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(div)
#define TI       T
#define TO       T
#define OP(a, b) ((a) / (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(fmod)
#define TI       T
#define TO       T
#define OP(a, b) FMOD(a, b)
#include "kernels/elementwise/loop2.inc.h"
/* NaN wins, as in NumPy. */
#define FN       LOOP(max)
#define TI       T
#define TO       T
#define OP(a, b) ((a) != (a) ? (a) : (a) > (b) ? (a) : (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(min)
#define TI       T
#define TO       T
#define OP(a, b) ((a) != (a) ? (a) : (a) < (b) ? (a) : (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(prelu)
#define TI       T
#define TO       T
#define OP(a, b) ((a) < 0 ? (a) * (b) : (a))
#include "kernels/elementwise/loop2.inc.h"
#else
#if !IS_SIGNED /* the signed types use these, too */
#define FN       LOOP(add)
#define TI       T
#define TO       T
#define OP(a, b) ((U)(a) + (U)(b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(sub)
#define TI       T
#define TO       T
#define OP(a, b) ((U)(a) - (U)(b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(mul)
#define TI       T
#define TO       T
#define OP(a, b) ((U)(a) * (U)(b))
#include "kernels/elementwise/loop2.inc.h"
#endif
#define FN       LOOP(max)
#define TI       T
#define TO       T
#define OP(a, b) ((a) > (b) ? (a) : (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(min)
#define TI       T
#define TO       T
#define OP(a, b) ((a) < (b) ? (a) : (b))
#include "kernels/elementwise/loop2.inc.h"
/* Division truncates. Division by zero gives 0, and so does its remainder; the one quotient that does not fit wraps. */
#if IS_SIGNED
static inline T NAME(quotient)(T a, T b) {
    return b == 0 ? 0 : b == -1 ? (T)((U)0 - (U)a) : (T)(a / b);
}
static inline T NAME(remainder)(T a, T b) {
    return b == 0 || b == -1 ? 0 : (T)(a % b);
}
static inline T NAME(modulus)(T a, T b) {
    T r = NAME(remainder)(a, b);
    return r != 0 && (r < 0) != (b < 0) ? (T)(r + b) : r;
}
#else
static inline T NAME(quotient)(T a, T b) {
    return b == 0 ? 0 : (T)(a / b);
}
static inline T NAME(remainder)(T a, T b) {
    return b == 0 ? 0 : (T)(a % b);
}
#endif
#define FN       LOOP(div)
#define TI       T
#define TO       T
#define OP(a, b) NAME(quotient)(a, b)
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(fmod)
#define TI       T
#define TO       T
#define OP(a, b) NAME(remainder)(a, b)
#include "kernels/elementwise/loop2.inc.h"
#if IS_SIGNED
#define FN       LOOP(mod)
#define TI       T
#define TO       T
#define OP(a, b) NAME(modulus)(a, b)
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(prelu)
#define TI       T
#define TO       T
#define OP(a, b) ((a) < 0 ? (T)((U)(a) * (U)(b)) : (a))
#include "kernels/elementwise/loop2.inc.h"
#else
#define FN       LOOP(prelu)
#define TI       T
#define TO       T
#define OP(a, b) ((void)(b), (a))
#include "kernels/elementwise/loop2.inc.h"
/* A shift by the width or more gives 0. */
#define FN       LOOP(shift_left)
#define TI       T
#define TO       T
#define OP(a, b) ((b) < sizeof(T) * 8 ? (U)(a) << ((b) & (sizeof(T) * 8 - 1)) : 0)
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(shift_right)
#define TI       T
#define TO       T
#define OP(a, b) ((b) < sizeof(T) * 8 ? (U)(a) >> ((b) & (sizeof(T) * 8 - 1)) : 0)
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(bit_and)
#define TI       T
#define TO       T
#define OP(a, b) ((a) & (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(bit_or)
#define TI       T
#define TO       T
#define OP(a, b) ((a) | (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(bit_xor)
#define TI       T
#define TO       T
#define OP(a, b) ((a) ^ (b))
#include "kernels/elementwise/loop2.inc.h"
#endif
#endif

#define FN       LOOP(less)
#define TI       T
#define TO       uint8_t
#define OP(a, b) ((a) < (b))
#include "kernels/elementwise/loop2.inc.h"
#define FN       LOOP(less_equal)
#define TI       T
#define TO       uint8_t
#define OP(a, b) ((a) <= (b))
#include "kernels/elementwise/loop2.inc.h"
#if IS_FLOAT || !IS_SIGNED
#define FN       LOOP(equal)
#define TI       T
#define TO       uint8_t
#define OP(a, b) ((a) == (b))
#include "kernels/elementwise/loop2.inc.h"
#endif

#undef T
#undef S
#undef U
#undef IS_FLOAT
#undef IS_SIGNED
#undef FMOD
