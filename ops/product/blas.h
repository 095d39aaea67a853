/* Row-major matrix products: c = alpha * op(a) op(b) + beta * c. OpenBLAS when built with it, else plain loops. */
#ifndef OB_OPS_PRODUCT_BLAS_H
#define OB_OPS_PRODUCT_BLAS_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/kernel/kernel.h"

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

/* How a product is cut into parts that threads share: rows x columns each (fewer at the far edges), down x across of them. The
 * cut follows from the product's sizes alone: what the library computes for an element depends on the part in which it lies, so
 * any other cut would let the bits of a result follow the number of threads. */
typedef struct ob__product_cut {
    int64_t rows, columns, down, across;
    int64_t work; /* multiplications of a whole part */
} ob__product_cut;

/* For an m x k matrix by a k x n one, all up to 2^31 - 1. down and across are 0 where m or n is. */
ob__product_cut ob__cut_product(int64_t m, int64_t n, int64_t k);
/* Part `index` of cut->down * cut->across: its first row and column, and how many. */
typedef struct ob__product_part {
    int64_t row, rows, column, columns;
} ob__product_part;
ob__product_part ob__part_of_product(const ob__product_cut *cut, int64_t m, int64_t n, int64_t index);
/* Shares n_products * down * across parts between the threads. */
void ob__parallel_products(const ob_threads *threads, const ob__product_cut *cut, int64_t n_products,
                           void (*task)(void *context, int64_t begin, int64_t end), void *context);

#endif
