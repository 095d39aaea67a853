/* All functions of vmath.h for one type, through the C library. Parameters: ACCURATE (exp, tanh and
 * erf are in accurate_exp.inc.h), T, S, M(name) of the C library's function. */
#ifndef ACCURATE /* else accurate_exp.inc.h has them */
#define FN   OBK_CAT(vexp_, S)
#define CALL M(exp)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vtanh_, S)
#define CALL M(tanh)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(verf_, S)
#define CALL M(erf)
#include "kernels/vmath/libm1.inc.h"
#endif
#define FN   OBK_CAT(vexpm1_, S)
#define CALL M(expm1)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vlog_, S)
#define CALL M(log)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vlog1p_, S)
#define CALL M(log1p)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vsin_, S)
#define CALL M(sin)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vcos_, S)
#define CALL M(cos)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vtan_, S)
#define CALL M(tan)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vasin_, S)
#define CALL M(asin)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vacos_, S)
#define CALL M(acos)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vatan_, S)
#define CALL M(atan)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vsinh_, S)
#define CALL M(sinh)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vcosh_, S)
#define CALL M(cosh)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vasinh_, S)
#define CALL M(asinh)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vacosh_, S)
#define CALL M(acosh)
#include "kernels/vmath/libm1.inc.h"
#define FN   OBK_CAT(vatanh_, S)
#define CALL M(atanh)
#include "kernels/vmath/libm1.inc.h"
__attribute__((unused)) static void OBK_CAT(vpow_, S)(T *z, const T *x, bool x_vector, const T *y, bool y_vector, int64_t n) {
    for (int64_t i = 0; i < n; i++) z[i] = M(pow)(x[x_vector ? i : 0], y[y_vector ? i : 0]);
}
#undef ACCURATE
#undef T
#undef S
#undef M
