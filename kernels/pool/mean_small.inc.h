/* Template of pool.c: means for small kernels over two axes, with stride 2 along the last one, read in place, in the order of
 * kernel positions. Parameters: T, NAME(n). */

/* Adds two or three neighbours at stride 2 to sums[i], or to 0 if `fresh`. */
OBK_INLINE void NAME(add_neighbours)(const int64_t kernel, const T *restrict x, int64_t n, bool fresh, T *restrict sums) {
    if (fresh)
        for (int64_t i = 0; i < n; i++) {
            const T two = 0 + x[2 * i] + x[2 * i + 1];
            sums[i] = kernel == 3 ? two + x[2 * i + 2] : two;
        }
    else
        for (int64_t i = 0; i < n; i++) {
            const T two = sums[i] + x[2 * i] + x[2 * i + 1];
            sums[i] = kernel == 3 ? two + x[2 * i + 2] : two;
        }
}

/* Results first .. end, which read partly from the padding. */
static void NAME(add_border)(const obk_axis *axis, const T *x, int64_t first, int64_t end, bool fresh, T *sums) {
    for (int64_t o = first; o < end; o++) {
        int64_t behind;
        T sum = fresh ? 0 : sums[o];
        for (int64_t k = small_kernel_range(axis, o, &behind); k < behind; k++) sum += x[o * axis->stride - axis->before + k];
        sums[o] = sum;
    }
}

/* Adds one row of the input; results first .. end read no padding. */
static void NAME(add_row)(const obk_axis *axis, int64_t first, int64_t end, const T *x, bool fresh, T *sums) {
    const T *from = x + first * axis->stride - axis->before;
    if (axis->kernel == 2)
        NAME(add_neighbours)(2, from, end - first, fresh, sums + first);
    else
        NAME(add_neighbours)(3, from, end - first, fresh, sums + first);
    NAME(add_border)(axis, x, 0, first, fresh, sums);
    NAME(add_border)(axis, x, end, axis->out, fresh, sums);
}

static void NAME(mean_small)(const obk_pool *p, const T *x, T *y, int64_t b, T *sums) {
    const obk_axis *rows = &p->window.axes[0], *last = &p->window.axes[1];
    const int64_t first = b * p->tiling.block, end = first + obk_block_size(&p->window, &p->tiling, b);
    int64_t low, high;
    obk_inner_results(last, &low, &high);
    for (int64_t o = first; o < end; o++) {
        int64_t behind;
        bool fresh = true;
        for (int64_t k = small_kernel_range(rows, o, &behind); k < behind; k++, fresh = false)
            NAME(add_row)(last, low, high, x + (o * rows->stride - rows->before + k) * last->in, fresh, sums);
        for (int64_t i = 0; fresh && i < last->out; i++) sums[i] = 0;
        NAME(finish)(p, sums, y + o * last->out, o, 0, last->out);
    }
}
