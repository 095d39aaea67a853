/* All functions of vmath.h for one type, through SLEEF's vectors. Parameters: ACCURATE (exp, tanh and erf are in
 * accurate_exp.inc.h), T, S, VEC (vector type), W (lanes), LOAD, STORE, SLEEF(name), WAYS (vtrig.inc.h). */
#ifndef ACCURATE /* else accurate_exp.inc.h has them */
#define FN   OBK_CAT(vexp_, S)
#define CALL SLEEF(exp)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vtanh_, S)
#define CALL SLEEF(tanh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(verf_, S)
#define CALL SLEEF(erf)
#include "kernels/vmath/vmath1.inc.h"
#endif
#define FN   OBK_CAT(vexpm1_, S)
#define CALL SLEEF(expm1)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vlog_, S)
#define CALL SLEEF(log)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vlog1p_, S)
#define CALL SLEEF(log1p)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vsin_, S)
#define CALL SLEEF(sin)
#include "kernels/vmath/vtrig.inc.h"
#define FN   OBK_CAT(vcos_, S)
#define CALL SLEEF(cos)
#include "kernels/vmath/vtrig.inc.h"
#define FN   OBK_CAT(vtan_, S)
#define CALL SLEEF(tan)
#include "kernels/vmath/vtrig.inc.h"
#define FN   OBK_CAT(vasin_, S)
#define CALL SLEEF(asin)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vacos_, S)
#define CALL SLEEF(acos)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vatan_, S)
#define CALL SLEEF(atan)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vsinh_, S)
#define CALL SLEEF(sinh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vcosh_, S)
#define CALL SLEEF(cosh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vasinh_, S)
#define CALL SLEEF(asinh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vacosh_, S)
#define CALL SLEEF(acosh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vatanh_, S)
#define CALL SLEEF(atanh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   OBK_CAT(vpow_, S)
#define CALL SLEEF(pow)
#include "kernels/vmath/vpow.inc.h"
#undef ACCURATE
#undef T
#undef S
#undef VEC
#undef W
#undef LOAD
#undef STORE
#undef SLEEF
#undef WAYS
