/* Template of conv.inc.h, whose parameters it has: the transposed convolution. */

static void NAME(columns)(const void *from, int64_t channels, int64_t n, const void *weights, int64_t rows, int64_t first,
                          int64_t end, void *to, void *lane) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const T *x = from, *w = weights;
    T *z = to, *copy = lane, *out = copy + channels * n + OBK_SLACK;
    const bool narrow = n < LANES;
    const int64_t step = narrow ? OBK_SLACK : n;
    const obk_product q = {channels, 1, n, 1, rows, NULL};
    if (narrow) {
        if (channels > 0) memcpy(copy, x, (size_t)(channels * n) * sizeof(T)); /* none: x may be NULL */
        memset(copy + channels * n, 0, OBK_SLACK * sizeof(T));
        x = copy;
    }
    for (int64_t m = first; m < end;) {
        const int64_t at_once = maps_at_once(end - m), some = at_once < end - m ? at_once : end - m;
        NAME(rows)(&q, x, n, w + m, NULL, at_once, some, narrow ? out : z + (m - first) * n, step, narrow ? step : n);
        for (int64_t r = 0; narrow && r < some; r++)
            obk_copy_row(z + (m - first + r) * n, out + r * step, n * (int64_t)sizeof(T));
        m += some;
    }
}

static void NAME(fold)(const obk_window *w, const void *from, const void *bias, void *to) {
    const int32_t last = w->rank - 1;
    const T *columns = from;
    T *y = to;
    const T start = bias ? *(const T *)bias : 0;
    for (int64_t i = 0; i < w->n_in; i++) y[i] = start;
    for (int64_t k = 0; k < w->n_taps; k++, columns += w->n_out) {
        int64_t first[OB_MAX_RANK], end[OB_MAX_RANK], tap[OB_MAX_RANK], index[OB_MAX_RANK], rest = k;
        bool any = true;
        for (int32_t a = last; a >= 0; a--) {
            tap[a] = rest % w->axes[a].kernel * w->axes[a].dilation - w->axes[a].before;
            obk_reach(&w->axes[a], rest % w->axes[a].kernel, &first[a], &end[a]);
            rest /= w->axes[a].kernel;
            index[a] = first[a];
            any = any && end[a] > first[a];
        }
        const int64_t n = end[last] - first[last], stride = w->axes[last].stride;
        while (any) {
            int64_t out = 0, in = 0;
            for (int32_t a = 0; a <= last; a++) {
                out = out * w->axes[a].out + index[a];
                in = in * w->axes[a].in + index[a] * w->axes[a].stride + tap[a];
            }
            const T *give = columns + out;
            T *take = y + in;
            if (stride == 1)
                for (int64_t i = 0; i < n; i++) take[i] += give[i];
            else if (stride == 2)
                for (int64_t i = 0; i < n; i++) take[2 * i] += give[i];
            else
                for (int64_t i = 0; i < n; i++) take[i * stride] += give[i];
            int32_t a = last - 1;
            for (; a >= 0; a--) {
                if (++index[a] < end[a]) break;
                index[a] = first[a];
            }
            any = a >= 0;
        }
    }
}
