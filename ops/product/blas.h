/* Row-major matrix products of kernels/gemm: c = alpha * op(a) op(b), or added to c. */
#ifndef OB_OPS_PRODUCT_BLAS_H
#define OB_OPS_PRODUCT_BLAS_H

#include <stdbool.h>
#include <stdint.h>

/* The sizes and leading dimensions that the functions below take: up to 2^31 - 1. */
static inline bool ob__blas_fits(int64_t n) {
    return n >= 0 && n <= INT32_MAX;
}
/* lda, ldb, ldc: elements between rows, as stored. Any size may be 0. `adds`: to what c holds; alpha is 1 then. */
void ob__gemm_float(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
                    const float *b, int64_t ldb, bool adds, float *c, int64_t ldc);
void ob__gemm_double(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                     int64_t lda, const double *b, int64_t ldb, bool adds, double *c, int64_t ldc);

#endif
