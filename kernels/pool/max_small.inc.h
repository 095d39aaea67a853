/* Template of max.inc.h: maxima of integers for small kernels over two axes, read in place: first along the last axis, then
 * across rows. Parameters: T, NAME(n), LOWEST. */

/* The maxima of two or three neighbours, n results. */
OBK_INLINE void NAME(max_neighbours)(const int64_t stride, const int64_t kernel, const T *restrict x, int64_t n, T *restrict y) {
    for (int64_t i = 0; i < n; i++) {
        const T a = x[i * stride], b = x[i * stride + 1], best = b > a ? b : a;
        y[i] = kernel == 3 && x[i * stride + 2] > best ? x[i * stride + 2] : best;
    }
}

/* Results first .. end, which read partly from the padding. */
static void NAME(max_border)(const obk_axis *axis, const T *x, int64_t first, int64_t end, T *y) {
    for (int64_t o = first; o < end; o++) {
        int64_t behind;
        T best = LOWEST;
        for (int64_t k = small_kernel_range(axis, o, &behind); k < behind; k++) {
            const T next = x[o * axis->stride - axis->before + k];
            best = next > best ? next : best;
        }
        y[o] = best;
    }
}

/* One row of the input; results first .. end read no padding. */
static void NAME(max_row)(const obk_axis *axis, int64_t first, int64_t end, const T *x, T *y) {
    const T *from = x + first * axis->stride - axis->before;
    T *to = y + first;
    if (axis->stride == 2 && axis->kernel == 2)
        NAME(max_neighbours)(2, 2, from, end - first, to);
    else if (axis->stride == 2)
        NAME(max_neighbours)(2, 3, from, end - first, to);
    else if (axis->kernel == 2)
        NAME(max_neighbours)(1, 2, from, end - first, to);
    else
        NAME(max_neighbours)(1, 3, from, end - first, to);
    NAME(max_border)(axis, x, 0, first, y);
    NAME(max_border)(axis, x, end, axis->out, y);
}

/* y = the maxima of two or three rows, in whole vectors if n allows. */
OBK_INLINE void NAME(max_of_few)(const int64_t rows, const T *restrict x, int64_t step, int64_t n, T *restrict y) {
    enum { W = OBK_VECTOR_BYTES / sizeof(T) };
    const T *a = x, *b = a + step, *c = rows == 3 ? b + step : b;
    for (int64_t begin = 0, end = n < W ? n : n - n % W; begin < n; begin = n - W, end = n) {
        for (int64_t i = begin; i < end; i++) {
            const T best = b[i] > a[i] ? b[i] : a[i];
            y[i] = rows == 3 && c[i] > best ? c[i] : best;
        }
        if (end == n) break;
    }
}

/* y = the maxima of `rows` rows that lie `step` apart. */
static void NAME(max_rows)(const T *x, int64_t step, int64_t rows, int64_t n, T *y) {
    if (rows <= 0)
        for (int64_t i = 0; i < n; i++) y[i] = LOWEST;
    else if (rows == 1)
        obk_copy_row(y, x, n * (int64_t)sizeof(T));
    else if (rows == 2)
        NAME(max_of_few)(2, x, step, n, y);
    else
        NAME(max_of_few)(3, x, step, n, y);
    for (int64_t k = 3; k < rows; k++) {
        const T *restrict more = x + k * step;
        for (int64_t i = 0; i < n; i++) y[i] = more[i] > y[i] ? more[i] : y[i];
    }
}

/* Computes block b. Always true, unlike the strips of floats. lane: rows of the input, each as long as a row of results. */
static bool NAME(max_small)(const obk_pool *p, const T *x, T *y, int64_t b, T *lane) {
    const obk_window *w = &p->window;
    const obk_axis *rows = &w->axes[0], *last = &w->axes[1];
    const int64_t first = b * p->tiling.block, end = first + obk_block_size(w, &p->tiling, b);
    int64_t begin = first * rows->stride - rows->before, behind = (end - 1) * rows->stride - rows->before + rows->kernel;
    int64_t low, high;
    obk_inner_results(last, &low, &high);
    begin = begin > 0 ? begin : 0;
    behind = behind < rows->in ? behind : rows->in;
    for (int64_t r = begin; r < behind; r++) NAME(max_row)(last, low, high, x + r * last->in, lane + (r - begin) * last->out);
    for (int64_t o = first; o < end; o++) {
        int64_t some;
        const int64_t k = small_kernel_range(rows, o, &some), at = o * rows->stride - rows->before + k - begin;
        NAME(max_rows)(lane + (some > k ? at : 0) * last->out, last->out, some - k, last->out, y + o * last->out);
    }
    return true;
}
