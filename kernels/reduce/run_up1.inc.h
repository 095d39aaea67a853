/* Running sums or products. Parameters: FN, T, OP(a, b), NEUTRAL. */

/* `rows` dense vectors, at most ROWS. */
static void OBK_CAT(rows_, FN)(T *y, const T *x, int64_t n, int64_t rows, bool exclusive, bool reverse) {
    T sums[ROWS];
    for (int64_t k = 0; k < ROWS; k++) sums[k] = NEUTRAL;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = reverse ? n - 1 - i : i;
        if (rows == ROWS)
            for (int64_t k = 0; k < ROWS; k++) {
                const T before = sums[k];
                sums[k] = OP(before, x[k * n + at]);
                y[k * n + at] = exclusive ? before : sums[k];
            }
        else
            for (int64_t k = 0; k < rows; k++) {
                const T before = sums[k];
                sums[k] = OP(before, x[k * n + at]);
                y[k * n + at] = exclusive ? before : sums[k];
            }
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
