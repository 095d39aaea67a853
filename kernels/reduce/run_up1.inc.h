/* Running sums or products. Parameters: FN, T, OP(a, b), NEUTRAL. */

/* Computes `rows` dense vectors, at most ROWS, stretch by stretch, because rows that lie a power of 2 apart share few cache
 * lines. */
static void OBK_CAT(rows_, FN)(T *y, const T *x, int64_t n, int64_t rows, bool exclusive, bool reverse) {
    enum { STRETCH = STRETCH_BYTES / sizeof(T) };
    T sums[ROWS], t[ROWS][STRETCH] = {{0}};
    for (int64_t k = 0; k < ROWS; k++) sums[k] = NEUTRAL;
    for (int64_t done = 0; done < n; done += STRETCH) {
        const int64_t some = n - done < STRETCH ? n - done : STRETCH, start = reverse ? n - done - some : done;
        for (int64_t k = 0; k < rows; k++) memcpy(t[k], x + k * n + start, (size_t)some * sizeof(T));
        for (int64_t i = 0; i < some; i++) {
            const int64_t at = reverse ? some - 1 - i : i;
            for (int64_t k = 0; k < ROWS; k++) {
                const T before = sums[k];
                sums[k] = OP(before, t[k][at]);
                t[k][at] = exclusive ? before : sums[k];
            }
        }
        for (int64_t k = 0; k < rows; k++) memcpy(y + k * n + start, t[k], (size_t)some * sizeof(T));
    }
}

/* Computes `width` vectors side by side: a row of results follows from the previous row. */
static void OBK_CAT(columns_, FN)(T *restrict y, const T *restrict x, int64_t n, int64_t stride, int64_t width, bool exclusive,
                                  bool reverse) {
    const int64_t onward = reverse ? -stride : stride, lag = exclusive ? onward : 0;
    int64_t at = reverse ? (n - 1) * stride : 0;
    for (int64_t k = 0; k < width; k++) y[at + k] = exclusive ? NEUTRAL : OP(NEUTRAL, x[at + k]);
    for (int64_t i = 1; i < n; i++) {
        at += onward;
        T *restrict to = y + at;
        const T *restrict before = y + at - onward, *restrict added = x + at - lag;
        for (int64_t k = 0; k < width; k++) to[k] = OP(before[k], added[k]);
    }
}
#undef FN
#undef OP
#undef NEUTRAL
