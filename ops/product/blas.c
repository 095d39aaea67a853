#include "ops/product/blas.h"

#include "kernels/kernels.h"

/* What the columns of B go through: enough at every level. */
enum { PANEL_BYTES = 384 * 128 };

static void multiply(const obk_gemm *gemm, bool transpose_a, bool transpose_b, obk_gemm_call *call) {
    _Alignas(64) char panel[PANEL_BYTES];
    int64_t lda = call->a_row, ldb = call->b_k;
    call->panel = panel;
    if (call->m == 1 && transpose_b && (!transpose_a || lda == 1)) {
        gemm->row(call->c, 1, call->a, call->b, ldb, call->n, call->k, call->alpha, 1, call->adds ? call->c : NULL, 1);
        return;
    }
    if (call->n == 1 && !transpose_a && (transpose_b || ldb == 1)) {
        gemm->row(call->c, call->c_row, call->b, call->a, lda, call->m, call->k, call->alpha, 1, call->adds ? call->c : NULL,
                  call->c_row);
        return;
    }
    call->a_row = transpose_a ? 1 : lda;
    call->a_k = transpose_a ? lda : 1;
    call->b_k = transpose_b ? 1 : ldb;
    call->b_column = transpose_b ? ldb : 1;
    gemm->product(call);
}

void ob__gemm_float(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
                    const float *b, int64_t ldb, bool adds, float *c, int64_t ldc) {
    obk_gemm_call call = {.m = m,
                          .n = n,
                          .k = k,
                          .a = a,
                          .a_row = lda,
                          .b = b,
                          .b_k = ldb,
                          .c = c,
                          .c_row = ldc,
                          .adds = adds,
                          .alpha = (double)alpha};
    multiply(&ob__kernels()->gemm[OBK_GEMM_FLOAT], transpose_a, transpose_b, &call);
}

void ob__gemm_double(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                     int64_t lda, const double *b, int64_t ldb, bool adds, double *c, int64_t ldc) {
    obk_gemm_call call = {
        .m = m, .n = n, .k = k, .a = a, .a_row = lda, .b = b, .b_k = ldb, .c = c, .c_row = ldc, .adds = adds, .alpha = alpha};
    multiply(&ob__kernels()->gemm[OBK_GEMM_DOUBLE], transpose_a, transpose_b, &call);
}
