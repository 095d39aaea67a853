/* Mathematical functions over arrays: v<name>_f32 and v<name>_f64. SLEEF's vectors (at most 1 ulp) when the build found it, the C
 * library otherwise. z may equal x. */
#ifndef OBK_VMATH
#define OBK_VMATH

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

#define VMATH_LIST(X)                                                                                                            \
    X(exp)                                                                                                                       \
    X(expm1)                                                                                                                     \
    X(log) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf)

#if defined(OB_WITH_SLEEF) && defined(__SSE2__)
#include <immintrin.h>
#include <sleef.h>

#ifdef __AVX2__
#define SLEEF_F32(name) OBK_CAT3(Sleef_, name, f8_u10avx2)
#define SLEEF_F64(name) OBK_CAT3(Sleef_, name, d4_u10avx2)
#else
#define SLEEF_F32(name) OBK_CAT3(Sleef_, name, f4_u10sse2)
#define SLEEF_F64(name) OBK_CAT3(Sleef_, name, d2_u10sse2)
#endif

#define T float
#ifdef __AVX2__
#define VEC   __m256
#define W     8
#define LOAD  _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#else
#define VEC   __m128
#define W     4
#define LOAD  _mm_loadu_ps
#define STORE _mm_storeu_ps
#endif
#define FN   vexp_f32
#define CALL SLEEF_F32(exp)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vexpm1_f32
#define CALL SLEEF_F32(expm1)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vlog_f32
#define CALL SLEEF_F32(log)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vlog1p_f32
#define CALL SLEEF_F32(log1p)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vsin_f32
#define CALL SLEEF_F32(sin)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vcos_f32
#define CALL SLEEF_F32(cos)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vtan_f32
#define CALL SLEEF_F32(tan)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vasin_f32
#define CALL SLEEF_F32(asin)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vacos_f32
#define CALL SLEEF_F32(acos)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vatan_f32
#define CALL SLEEF_F32(atan)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vsinh_f32
#define CALL SLEEF_F32(sinh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vcosh_f32
#define CALL SLEEF_F32(cosh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vtanh_f32
#define CALL SLEEF_F32(tanh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vasinh_f32
#define CALL SLEEF_F32(asinh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vacosh_f32
#define CALL SLEEF_F32(acosh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vatanh_f32
#define CALL SLEEF_F32(atanh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   verf_f32
#define CALL SLEEF_F32(erf)
#include "kernels/vmath/vmath1.inc.h"
#define VPOW      f32
#define VPOW_CALL SLEEF_F32(pow)
#include "kernels/vmath/vpow.inc.h"
#undef T
#undef VEC
#undef W
#undef LOAD
#undef STORE

#define T double
#ifdef __AVX2__
#define VEC   __m256d
#define W     4
#define LOAD  _mm256_loadu_pd
#define STORE _mm256_storeu_pd
#else
#define VEC   __m128d
#define W     2
#define LOAD  _mm_loadu_pd
#define STORE _mm_storeu_pd
#endif
#define FN   vexp_f64
#define CALL SLEEF_F64(exp)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vexpm1_f64
#define CALL SLEEF_F64(expm1)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vlog_f64
#define CALL SLEEF_F64(log)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vlog1p_f64
#define CALL SLEEF_F64(log1p)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vsin_f64
#define CALL SLEEF_F64(sin)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vcos_f64
#define CALL SLEEF_F64(cos)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vtan_f64
#define CALL SLEEF_F64(tan)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vasin_f64
#define CALL SLEEF_F64(asin)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vacos_f64
#define CALL SLEEF_F64(acos)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vatan_f64
#define CALL SLEEF_F64(atan)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vsinh_f64
#define CALL SLEEF_F64(sinh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vcosh_f64
#define CALL SLEEF_F64(cosh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vtanh_f64
#define CALL SLEEF_F64(tanh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vasinh_f64
#define CALL SLEEF_F64(asinh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vacosh_f64
#define CALL SLEEF_F64(acosh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   vatanh_f64
#define CALL SLEEF_F64(atanh)
#include "kernels/vmath/vmath1.inc.h"
#define FN   verf_f64
#define CALL SLEEF_F64(erf)
#include "kernels/vmath/vmath1.inc.h"
#define VPOW      f64
#define VPOW_CALL SLEEF_F64(pow)
#include "kernels/vmath/vpow.inc.h"
#undef T
#undef VEC
#undef W
#undef LOAD
#undef STORE

#else

#define VMATH_LIBM(name)                                                                                                         \
    __attribute__((unused)) static void v##name##_f32(float *z, const float *x, int64_t n) {                                     \
        for (int64_t i = 0; i < n; i++) z[i] = name##f(x[i]);                                                                    \
    }                                                                                                                            \
    __attribute__((unused)) static void v##name##_f64(double *z, const double *x, int64_t n) {                                   \
        for (int64_t i = 0; i < n; i++) z[i] = name(x[i]);                                                                       \
    }
VMATH_LIST(VMATH_LIBM)

__attribute__((unused)) static void vpow_f32(float *z, const float *x, bool x_vector, const float *y, bool y_vector, int64_t n) {
    for (int64_t i = 0; i < n; i++) z[i] = powf(x[x_vector ? i : 0], y[y_vector ? i : 0]);
}
__attribute__((unused)) static void vpow_f64(double *z, const double *x, bool x_vector, const double *y, bool y_vector,
                                             int64_t n) {
    for (int64_t i = 0; i < n; i++) z[i] = pow(x[x_vector ? i : 0], y[y_vector ? i : 0]);
}

#endif
#endif
