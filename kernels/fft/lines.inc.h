/* Loads points of REAL into lanes and stores them. For an inverse transform, real and imaginary parts are exchanged before and
 * after. */
static void LINE(load)(const obk_fft *fft, const obk_fft_lines *l, double *x) {
    const int64_t known = l->n_from < fft->n ? l->n_from : fft->n;
    const int re = l->inverse ? OBK_FFT_LANES : 0, im = OBK_FFT_LANES - re;
    IN_PIECES(k, 0, 2 * OBK_FFT_LANES * fft->n, l->pace) x[k] = 0;
    for (int lane = 0; lane < l->n; lane++) {
        IN_PIECES(k, 0, known, l->pace) {
            double *to = x + lane + 2 * OBK_FFT_LANES * k;
            const REAL *from = (const REAL *)(l->from[lane] + k * l->from_step);
            const double factor = l->window ? l->window[k] : 1;
            to[re] = (double)from[0] * factor;
            if (l->from_complex) to[im] = (double)from[1] * factor;
        }
    }
}

static void LINE(store)(const obk_fft *fft, const obk_fft_lines *l, const double *z) {
    const double scale = l->inverse ? 1 / (double)fft->n : 1;
    const int re = l->inverse ? OBK_FFT_LANES : 0, im = OBK_FFT_LANES - re;
    for (int lane = 0; lane < l->n; lane++) IN_PIECES(k, 0, l->n_to, l->pace) {
            REAL *to = (REAL *)(l->to[lane] + k * l->to_step);
            const double *from = z + 2 * OBK_FFT_LANES * k + lane;
            to[0] = (REAL)(from[re] * scale);
            if (l->to_complex) to[1] = (REAL)(from[im] * scale);
        }
}

#undef REAL
#undef LINE
