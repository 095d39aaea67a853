/* For elements of type T; S names it. */
static void OBK_CAT(sum_, S)(void *to, const void *from, const obk_sampling *s) {
    const int32_t n = s->n_points, n_taps = s->n_taps;
    for (int64_t c = 0; c < s->n_planes; c++) {
        T sums[OBK_SAMPLE_POINTS];
        const T *restrict x = (const T *)from + c * s->x_step;
        T *restrict y = (T *)to + c * s->y_step;
        for (int32_t p = 0; p < n; p++) sums[p] = s->adds ? y[p] : 0;
        for (int32_t t = 0; t < n_taps; t++) {
            const int32_t *restrict offsets = s->offsets + t * OBK_SAMPLE_POINTS;
            const T *restrict weights = (const T *)s->weights + t * OBK_SAMPLE_POINTS;
            for (int32_t p = 0; p < n; p++) {
                const T product = weights[p] * x[offsets[p]];
                sums[p] += weights[p] != 0 ? product : 0;
            }
        }
        for (int32_t p = 0; p < n; p++) y[p] = sums[p];
    }
}

static void OBK_CAT(max_, S)(void *to, const void *from, const obk_sampling *s) {
    const int32_t n = s->n_points, n_taps = s->n_taps;
    for (int64_t c = 0; c < s->n_planes; c++) {
        const T *restrict x = (const T *)from + c * s->x_step;
        T *restrict y = (T *)to + c * s->y_step;
        for (int32_t t = 0; t < n_taps; t++) {
            const int32_t *restrict offsets = s->offsets + t * OBK_SAMPLE_POINTS;
            const T *restrict weights = (const T *)s->weights + t * OBK_SAMPLE_POINTS;
            const bool first = t == 0 && !s->adds;
            for (int32_t p = 0; p < n; p++) {
                const T product = weights[p] * x[offsets[p]], value = weights[p] != 0 ? product : 0;
                y[p] = first || value > y[p] ? value : y[p];
            }
        }
    }
}
#undef T
#undef S
