/* Running sums or products. Parameters: FN, T, OP(a, b), NEUTRAL. */

/* `rows` dense vectors, at most ROWS, stretch by stretch: elements of rows that lie a power of 2 apart share few lines of a
 * cache.
 */
static void OBK_CAT(rows_, FN)(T *y, const T *x, int64_t n, int64_t rows, bool exclusive, bool reverse) {
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

/* `width` vectors side by side. */
static void OBK_CAT(columns_, FN)(T *restrict y, const T *restrict x, int64_t n, int64_t stride, int64_t width, bool exclusive,
                                  bool reverse) {
    T sums[OBK_REDUCE_COLUMNS];
    for (int64_t k = 0; k < width; k++) sums[k] = NEUTRAL;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (reverse ? n - 1 - i : i) * stride;
        if (exclusive) memcpy(y + at, sums, (size_t)width * sizeof(T));
        for (int64_t k = 0; k < width; k++) sums[k] = OP(sums[k], x[at + k]);
        if (!exclusive) memcpy(y + at, sums, (size_t)width * sizeof(T));
    }
}
#undef FN
#undef OP
#undef NEUTRAL
