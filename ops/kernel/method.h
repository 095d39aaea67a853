/* How a product is computed. Methods add in different orders, so kernels that contain products share this choice. */
#ifndef OB_OPS_KERNEL_METHOD_H
#define OB_OPS_KERNEL_METHOD_H

#include "kernels/gemm/gemm.h"
#include "ops/kernel/matrices.h"

typedef enum ob_product_method {
    OB_BY_TILES,
    OB_BY_ROW,    /* m is 1 and B dense along k */
    OB_BY_COLUMN, /* n is 1 and A dense along k */
    OB_BY_BLAS    /* the session's OpenBLAS */
} ob_product_method;

/* For a product whose batches have been joined to rows where that is possible. Not OB_BY_BLAS. */
ob_product_method ob__product_method(const ob_matrices *p, const obk_gemm *gemm);
/* Computes the call, or some rows or columns of it, by tiles, row or column. By row or column no operand is packed. */
void ob__multiply_by(ob_product_method method, const obk_gemm *gemm, const obk_gemm_call *call);

#endif
