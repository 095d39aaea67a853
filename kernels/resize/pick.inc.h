/* Template of resize.c: elements picked. Parameters: T, NAME(n). */

static void NAME(each)(const int32_t *restrict index, int64_t n, const T *restrict x, T *restrict y) {
    for (int64_t i = 0; i < n; i++) y[i] = x[index[i]];
}

/* Repeats each of n elements two, three or four times, with shuffles and whole vectors. */
static void NAME(twice)(const T *restrict x, int64_t n, T *restrict y) {
    for (int64_t i = 0; i < n; i++) y[2 * i] = y[2 * i + 1] = x[i];
}

static void NAME(thrice)(const T *restrict x, int64_t n, T *restrict y) {
    for (int64_t i = 0; i < n; i++) y[3 * i] = y[3 * i + 1] = y[3 * i + 2] = x[i];
}

static void NAME(four_times)(const T *restrict x, int64_t n, T *restrict y) {
    for (int64_t i = 0; i < n; i++) y[4 * i] = y[4 * i + 1] = y[4 * i + 2] = y[4 * i + 3] = x[i];
}

static void NAME(pick)(const obk_resize_axis *axis, const void *from, void *to) {
    const T *x = from;
    T *y = to;
    if (!repeats(axis))
        NAME(each)(axis->index, axis->n_out, x, y);
    else if (axis->times == 2)
        NAME(twice)(x, axis->n_in, y);
    else if (axis->times == 3)
        NAME(thrice)(x, axis->n_in, y);
    else
        NAME(four_times)(x, axis->n_in, y);
}

#undef T
#undef NAME
