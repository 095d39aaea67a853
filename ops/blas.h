/* Row-major matrix products: c = alpha * op(a) op(b) + beta * c. OpenBLAS when built with it, else plain loops. */
#ifndef OB_OPS_BLAS_H
#define OB_OPS_BLAS_H

#include <stdbool.h>
#include <stdint.h>

/* The library's own threads split the work, so OpenBLAS must not start its own: call before the first product (plan does). */
void ob__blas_single_thread(void);
/* The sizes and leading dimensions that the functions below take: up to 2^31 - 1. */
static inline bool ob__blas_fits(int64_t n) {
    return n >= 0 && n <= INT32_MAX;
}
/* beta 0 does not read c. lda, ldb, ldc: elements between rows, as stored. Any size may be 0. */
void ob__gemm_float(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
                    const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
void ob__gemm_double(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                     int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc);

/* How many rows of a product to compute between two questions whether to stop, when a grain of them is worth a task: a multiple
 * of every width that the library cuts matrices into, so that each row is computed as it would be in one piece. */
int64_t ob__blas_part(int64_t grain);

#endif
