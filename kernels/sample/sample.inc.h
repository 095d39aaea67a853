/* Template of sample.c. Parameters: T, S its suffix, EACH of vector.h. */
#define NAME(n) OBK_CAT3(n, _, S)

/* The sums of a vector of points from p on. */
OBK_INLINE NAME(obk_r) NAME(sum_vector)(const obk_sampling *s, const T *x, int32_t p, NAME(obk_r) sum) {
    const NAME(obk_r) zero = {0};
    const int32_t *offsets = s->offsets + p;
    const T *weights = (const T *)s->weights + p;
    for (int32_t t = 0; t < s->n_taps; t++, offsets += OBK_SAMPLE_POINTS, weights += OBK_SAMPLE_POINTS) {
#define SEEN(l) x[offsets[l]]
        const NAME(obk_r) seen = {EACH(SEEN)}, weight = *(const NAME(obk_v) *)(const void *)weights, product = weight * seen;
#undef SEEN
        sum += (NAME(obk_r))((NAME(obk_m))product & (NAME(obk_m))(weight != zero));
    }
    return sum;
}

void OBK_FN(NAME(sample_sum))(void *to, const void *from, const obk_sampling *s) {
    enum { W = OBK_VECTOR_BYTES / sizeof(T) };
    for (int64_t c = 0; c < s->n_planes; c++) {
        const T *x = (const T *)from + c * s->x_step;
        T *y = (T *)to + c * s->y_step;
        int32_t p = 0;
        for (; p + W <= s->n_points; p += W) {
            NAME(obk_v) *at = (NAME(obk_v) *)(void *)(y + p);
            NAME(obk_r) before = {0};
            if (s->adds) before = *at;
            *at = NAME(sum_vector)(s, x, p, before);
        }
        for (; p < s->n_points; p++) {
            T sum = s->adds ? y[p] : 0;
            for (int32_t t = 0; t < s->n_taps; t++) {
                const T weight = ((const T *)s->weights)[t * OBK_SAMPLE_POINTS + p];
                const T product = weight * x[s->offsets[t * OBK_SAMPLE_POINTS + p]];
                sum += weight != 0 ? product : 0;
            }
            y[p] = sum;
        }
    }
}

void OBK_FN(NAME(sample_max))(void *to, const void *from, const obk_sampling *s) {
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
#undef EACH
#undef NAME
