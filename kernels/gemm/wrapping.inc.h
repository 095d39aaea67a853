/* Template of gemm.c. Parameters: INTEGER, its unsigned type BITS, SATURATED (from double), NAME(x). */

/* The epilogue of a row. Computed in double if alpha or beta is not 1. */
static void NAME(finish)(BITS *y, const obk_gemm_call *call, int64_t i) {
    const BITS *c = call->c ? (const BITS *)call->c + i * call->c_row : NULL;
    const ptrdiff_t step = call->c_column;
    if (call->alpha == 1 && (!c || call->beta == 1)) {
        for (int64_t j = 0; c && j < call->n; j++) y[j] += c[j * step];
        return;
    }
    for (int64_t j = 0; j < call->n; j++)
        y[j] =
            (BITS)SATURATED(OBK_ALONE(call->alpha * (double)(INTEGER)y[j] + (c ? call->beta * (double)(INTEGER)c[j * step] : 0)));
}

void OBK_FN(NAME(gemm_product))(const obk_gemm_call *call) {
    const int64_t n = call->n;
    const ptrdiff_t b_column = call->b_column;
    for (int64_t i = 0; i < call->m; i++) {
        BITS *restrict y = (BITS *)call->y + i * call->y_row;
        if (!call->adds) memset(y, 0, (size_t)n * sizeof *y);
        for (int64_t l = 0; l < call->k; l++) {
            const BITS *restrict b = (const BITS *)call->b + l * call->b_k;
            const BITS factor = ((const BITS *)call->a)[i * call->a_row + l * call->a_k];
            if (b_column == 1)
                for (int64_t j = 0; j < n; j++) y[j] += factor * b[j];
            else
                for (int64_t j = 0; j < n; j++) y[j] += factor * b[j * b_column];
        }
        NAME(finish)(y, call, i);
    }
}
