/* Template of blas.c, included once per REAL. */

void GEMM(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, REAL alpha, const REAL *a, int64_t lda,
          const REAL *b, int64_t ldb, REAL beta, REAL *c, int64_t ldc) {
    if (m <= 0 || n <= 0) return;
    if (k <= 0) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) c[i * ldc + j] = beta != 0 ? beta * c[i * ldc + j] : 0;
        return;
    }
#ifdef OB_HAVE_OPENBLAS
    if (m == 1) { /* c' = op(b)' a', a and c as vectors */
        CBLAS_GEMV(CblasRowMajor, transpose_b ? CblasNoTrans : CblasTrans, (int)(transpose_b ? n : k), (int)(transpose_b ? k : n),
                   alpha, b, (int)ldb, a, transpose_a ? (int)lda : 1, beta, c, 1);
        return;
    }
    if (n == 1) {
        CBLAS_GEMV(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, (int)(transpose_a ? k : m), (int)(transpose_a ? m : k),
                   alpha, a, (int)lda, b, transpose_b ? 1 : (int)ldb, beta, c, (int)ldc);
        return;
    }
    CBLAS_GEMM(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans, (int)m, (int)n,
               (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
#else
    for (int64_t i = 0; i < m; i++) {
        REAL *row = c + i * ldc;
        if (beta == 0)
            memset(row, 0, (size_t)n * sizeof(REAL));
        else if (beta != 1)
            for (int64_t j = 0; j < n; j++) row[j] *= beta;
        for (int64_t l = 0; l < k; l++) {
            REAL factor = alpha * (transpose_a ? a[l * lda + i] : a[i * lda + l]);
            if (transpose_b)
                for (int64_t j = 0; j < n; j++) row[j] += factor * b[j * ldb + l];
            else
                for (int64_t j = 0; j < n; j++) row[j] += factor * b[l * ldb + j];
        }
    }
#endif
}
