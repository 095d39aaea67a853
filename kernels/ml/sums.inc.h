/* One row against blocks of vectors. Parameters: FN, TERM(x, v). */
void FN(double *restrict y, const double *restrict x, const double *restrict vectors, ptrdiff_t n, ptrdiff_t blocks) {
    enum { W = OBK_VECTOR_BYTES / sizeof(double), PARTS = OBK_ML_BLOCK / W };
    for (ptrdiff_t block = 0; block < blocks; block++, y += OBK_ML_BLOCK) {
        obk_r_f64 sum[PARTS] = {{0}};
        for (ptrdiff_t i = 0; i < n; i++, vectors += OBK_ML_BLOCK) {
            const double xi = x[i];
            OBK_UNROLL
            for (int k = 0; k < PARTS; k++) {
                const obk_r_f64 v = *(const obk_v_f64 *)(vectors + k * W);
                sum[k] += TERM(xi, v);
            }
        }
        OBK_UNROLL
        for (int k = 0; k < PARTS; k++) *(obk_v_f64 *)(y + k * W) = sum[k];
    }
}

#undef FN
#undef TERM
