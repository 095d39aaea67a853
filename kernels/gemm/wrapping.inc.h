/* Template of gemm.c: INTEGER, its unsigned type BITS, SATURATED (a function from double), NAME(x). */

/* beta and d as in obk_gemm_call; through double where alpha or beta is not 1. */
static void NAME(finish)(BITS *c, const obk_gemm_call *call, int64_t i) {
    const BITS *d = call->d ? (const BITS *)call->d + i * call->d_row : NULL;
    const ptrdiff_t step = call->d_column;
    if (call->alpha == 1 && (!d || call->beta == 1)) {
        for (int64_t j = 0; d && j < call->n; j++) c[j] += d[j * step];
        return;
    }
    for (int64_t j = 0; j < call->n; j++)
        c[j] = (BITS)SATURATED(call->alpha * (double)(INTEGER)c[j] + (d ? call->beta * (double)(INTEGER)d[j * step] : 0));
}

static void NAME(product)(const obk_gemm_call *call) {
    const int64_t n = call->n;
    const ptrdiff_t b_column = call->b_column;
    for (int64_t i = 0; i < call->m; i++) {
        BITS *restrict c = (BITS *)call->c + i * call->c_row;
        if (!call->adds) memset(c, 0, (size_t)n * sizeof *c);
        for (int64_t l = 0; l < call->k; l++) {
            const BITS *restrict b = (const BITS *)call->b + l * call->b_k;
            const BITS factor = ((const BITS *)call->a)[i * call->a_row + l * call->a_k];
            if (b_column == 1)
                for (int64_t j = 0; j < n; j++) c[j] += factor * b[j];
            else
                for (int64_t j = 0; j < n; j++) c[j] += factor * b[j * b_column];
        }
        NAME(finish)(c, call, i);
    }
}
