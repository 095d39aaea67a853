/* Mathematical functions over arrays, for the files of this layer: v<name>_f32 and v<name>_f64 (z, x, n); z may equal x.
 *
 * They use SLEEF's vectors (at most 1 ulp) if the build found SLEEF, otherwise the C library. With fused multiply-add, in vectors
 * or where there are none, exp and erf of floats are our own loops (at most 1.1 ulp), and so is tanh (at most 2). The result of
 * an element does not depend on its position: arrays may be split anywhere. */
#ifndef OB_KERNELS_VMATH_H
#define OB_KERNELS_VMATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/level.h"
#include "kernels/plain.h"
#include "kernels/vector.h"

#if defined(OBK_FUSES) || (OBK_PLAIN_REAL && defined(__FP_FAST_FMAF))
#define OBK_OWN_EXP
#include "kernels/vmath/accurate_exp.inc.h"
#endif

#if defined(OB_WITH_SLEEF) && defined(__SSE2__)
#include <immintrin.h>
#include <sleef.h>

#define T    float
#define S    f32
#define WAYS 125
#ifdef OBK_FUSES
#define ACCURATE
#endif
#if defined(__AVX512F__)
#define VEC         __m512
#define W           16
#define LOAD        _mm512_loadu_ps
#define STORE       _mm512_storeu_ps
#define SLEEF(name) OBK_CAT3(Sleef_, name, f16_u10avx512f)
#elif defined(__AVX2__)
#define VEC         __m256
#define W           8
#define LOAD        _mm256_loadu_ps
#define STORE       _mm256_storeu_ps
#define SLEEF(name) OBK_CAT3(Sleef_, name, f8_u10avx2)
#else
#define VEC         __m128
#define W           4
#define LOAD        _mm_loadu_ps
#define STORE       _mm_storeu_ps
#define SLEEF(name) OBK_CAT3(Sleef_, name, f4_u10sse2)
#endif
#include "kernels/vmath/sleef.inc.h"

#define T    double
#define S    f64
#define WAYS 15, 1e14
#if defined(__AVX512F__)
#define VEC         __m512d
#define W           8
#define LOAD        _mm512_loadu_pd
#define STORE       _mm512_storeu_pd
#define SLEEF(name) OBK_CAT3(Sleef_, name, d8_u10avx512f)
#elif defined(__AVX2__)
#define VEC         __m256d
#define W           4
#define LOAD        _mm256_loadu_pd
#define STORE       _mm256_storeu_pd
#define SLEEF(name) OBK_CAT3(Sleef_, name, d4_u10avx2)
#else
#define VEC         __m128d
#define W           2
#define LOAD        _mm_loadu_pd
#define STORE       _mm_storeu_pd
#define SLEEF(name) OBK_CAT3(Sleef_, name, d2_u10sse2)
#endif
#include "kernels/vmath/sleef.inc.h"

#else

#define T       float
#define S       f32
#define M(name) name##f
#ifdef OBK_OWN_EXP
#define ACCURATE
#endif
#include "kernels/vmath/libm.inc.h"
#define T       double
#define S       f64
#define M(name) name
#include "kernels/vmath/libm.inc.h"

#endif

#define T float
#define S f32
#ifdef OBK_FUSES
#define ACCURATE
#endif
#include "kernels/vmath/compound.inc.h"
#define T double
#define S f64
#include "kernels/vmath/compound.inc.h"

#endif
