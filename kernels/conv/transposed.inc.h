/* Template of conv.inc.h, with its parameters: the transposed convolution. */

void OBK_FN(NAME(conv_columns))(const void *from, int64_t channels, int64_t n, const void *weights, int64_t rows, int64_t first,
                                int64_t end, void *to, void *lane, obk_pace *pace) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const T *x = from, *w = weights;
    T *z = to, *copy = lane, *out = copy + channels * n + OBK_SLACK;
    const bool narrow = n < LANES;
    const int64_t step = narrow ? OBK_SLACK : n;
    const obk_product q = {channels, 1, n, 1, rows, NULL};
    if (narrow) {
        if (channels > 0) memcpy(copy, x, (size_t)(channels * n) * sizeof(T)); /* without channels x may be NULL */
        memset(copy + channels * n, 0, OBK_SLACK * sizeof(T));
        x = copy;
    }
    for (int64_t m = first; m < end;) {
        const int64_t at_once = channels_at_once(end - m), some = at_once < end - m ? at_once : end - m;
        NAME(rows)(&q, x, n, w + m, NULL, at_once, some, narrow ? out : z + (m - first) * n, step, narrow ? step : n, pace);
        for (int64_t r = 0; narrow && r < some; r++)
            obk_copy_row(z + (m - first + r) * n, out + r * step, n * (int64_t)sizeof(T));
        m += some;
    }
}

/* Adds the columns of one or two kernel positions to a row. Two neighbouring kernel positions at stride 2 are added in one loop,
 * which then writes contiguous elements. */
static inline void NAME(give)(T *restrict y, const T *restrict one, const T *restrict other, int64_t n, int64_t stride) {
    if (other)
        for (int64_t i = 0; i < n; i++) {
            y[2 * i] += one[i];
            y[2 * i + 1] += other[i];
        }
    else if (stride == 1)
        for (int64_t i = 0; i < n; i++) y[i] += one[i];
    else if (stride == 2)
        for (int64_t i = 0; i < n; i++) y[2 * i] += one[i];
    else
        for (int64_t i = 0; i < n; i++) y[i * stride] += one[i];
}

void OBK_FN(NAME(conv_fold))(const obk_window *w, const void *from, const void *bias, void *to, obk_pace *pace) {
    const int32_t last = w->rank - 1;
    const obk_axis *row = &w->axes[last];
    const bool pairs = row->stride == 2 && row->dilation == 1;
    const T *columns = from;
    T *y = to;
    const T start = bias ? *(const T *)bias : 0;
    for (int64_t i = 0; i < w->n_in; i++) y[i] = start;
    for (int64_t k = 0, step; k < w->n_kernel && !obk_stops(pace, w->n_out); k += step, columns += step * w->n_out) {
        int64_t first[OB_MAX_RANK], end[OB_MAX_RANK], shift[OB_MAX_RANK], index[OB_MAX_RANK], remainder = k, next = 0,
                                                                                              next_end = 0;
        bool any = true;
        for (int32_t a = last; a >= 0; a--) {
            shift[a] = remainder % w->axes[a].kernel * w->axes[a].dilation - w->axes[a].before;
            obk_result_range(&w->axes[a], remainder % w->axes[a].kernel, &first[a], &end[a]);
            remainder /= w->axes[a].kernel;
            index[a] = first[a];
            any = any && (a == last || end[a] > first[a]);
        }
        step = pairs && k % row->kernel + 1 < row->kernel ? 2 : 1;
        if (step == 2) obk_result_range(row, k % row->kernel + 1, &next, &next_end);
        const int64_t both = next > first[last] ? next : first[last], both_end = next_end < end[last] ? next_end : end[last];
        while (any) {
            int64_t out = 0, in = 0;
            for (int32_t a = 0; a < last; a++) {
                out = out * w->axes[a].out + index[a];
                in = in * w->axes[a].in + index[a] * w->axes[a].stride + shift[a];
            }
            const T *one = columns + out * row->out, *other = one + w->n_out;
            T *take = y + in * row->in + shift[last];
            if (step == 1) {
                NAME(give)(take + first[last] * row->stride, one + first[last], NULL, end[last] - first[last], row->stride);
            } else if (both_end > both) {
                NAME(give)(take + first[last] * 2, one + first[last], NULL, both - first[last], 2);
                NAME(give)(take + 1 + next * 2, other + next, NULL, both - next, 2);
                NAME(give)(take + both * 2, one + both, other + both, both_end - both, 2);
                NAME(give)(take + both_end * 2, one + both_end, NULL, end[last] - both_end, 2);
                NAME(give)(take + 1 + both_end * 2, other + both_end, NULL, next_end - both_end, 2);
            } else {
                NAME(give)(take + first[last] * 2, one + first[last], NULL, end[last] - first[last], 2);
                NAME(give)(take + 1 + next * 2, other + next, NULL, next_end - next, 2);
            }
            int32_t a = last - 1;
            for (; a >= 0; a--) {
                if (++index[a] < end[a]) break;
                index[a] = first[a];
            }
            any = a >= 0;
        }
    }
}
