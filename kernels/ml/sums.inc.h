/* One row against blocks of vectors. Parameters: FN, TERM(x, v). */
static void FN(double *restrict y, const double *restrict x, const double *restrict vectors, ptrdiff_t n, ptrdiff_t blocks) {
    for (ptrdiff_t block = 0; block < blocks; block++, y += OBK_ML_BLOCK) {
        double sum[OBK_ML_BLOCK] = {0};
        for (ptrdiff_t i = 0; i < n; i++, vectors += OBK_ML_BLOCK)
            for (int k = 0; k < OBK_ML_BLOCK; k++) sum[k] += TERM(x[i], vectors[k]);
        for (int k = 0; k < OBK_ML_BLOCK; k++) y[k] = sum[k];
    }
}

#undef FN
#undef TERM
