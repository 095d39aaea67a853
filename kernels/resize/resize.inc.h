/* Template of resize.c. Parameters: T, NAME(n). */

/* y = 0 + weight * x, or y + weight * x. */
static inline void NAME(add)(T *restrict y, const T *restrict x, T weight, int64_t n, int first) {
    if (first)
        for (int64_t i = 0; i < n; i++) y[i] = 0 + weight * x[i];
    else
        for (int64_t i = 0; i < n; i++) y[i] += weight * x[i];
}

/* Two taps in one pass. */
static inline void NAME(add_two)(T *restrict y, const T *restrict x0, const T *restrict x1, T w0, T w1, int64_t n, int first) {
    if (first)
        for (int64_t i = 0; i < n; i++) y[i] = (0 + w0 * x0[i]) + w1 * x1[i];
    else
        for (int64_t i = 0; i < n; i++) y[i] = (y[i] + w0 * x0[i]) + w1 * x1[i];
}

void OBK_FN(NAME(resize_along))(const obk_resize_axis *a, int64_t first, int64_t end, int64_t inner, const void *from,
                                int64_t x_first, void *to) {
    const T *weight = a->weight, *x = from;
    T *y = to;
    for (int64_t i = first; i < end; i++, y += inner) {
        int fresh = 1, waiting = 0;
        T w0 = 0;
        const T *x0 = x;
        for (int64_t k = 0; k < a->taps; k++) {
            const T w = weight[k * a->n_out + i], *row = x + (a->index[k * a->n_out + i] - x_first) * inner;
            if (w == 0) continue;
            if (!waiting) {
                w0 = w;
                x0 = row;
                waiting = 1;
                continue;
            }
            NAME(add_two)(y, x0, row, w0, w, inner, fresh);
            fresh = waiting = 0;
        }
        if (waiting)
            NAME(add)(y, x0, w0, inner, fresh);
        else if (fresh)
            for (int64_t s = 0; s < inner; s++) y[s] = 0;
    }
}

/* Results first .. end of a row, one by one. */
static inline void NAME(places)(const obk_resize_axis *a, const T *restrict x, int64_t first, int64_t end, T *restrict y) {
    const T *weight = a->weight;
    const int64_t n = a->n_out, taps = a->taps;
    for (int64_t i = first; i < end; i++) {
        T sum = 0;
        for (int64_t k = 0; k < taps; k++) {
            const T w = weight[k * n + i];
            if (w != 0) sum += w * x[a->index[k * n + i]];
        }
        y[i] = sum;
    }
}

#undef T
#undef NAME
