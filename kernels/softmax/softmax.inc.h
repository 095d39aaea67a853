/* Template of softmax.c for one type. Parameters: T, S, M(name) of the C library's function. Sums have 16 parts, added as a tree.
 */
#define NAME(name)  OBK_CAT3(name, _, S)
#define VMATH(name) OBK_CAT3(v##name, _, S)

void OBK_FN(NAME(softmax_log))(void *sum) {
    *(T *)sum = M(log)(*(T *)sum);
}

/* n >= 16. NaN may be missed here; it makes the sum NaN later. */
static T NAME(highest)(const T *x, int64_t n) {
#if OBK_PLAIN_REAL
    T high = x[0];
    for (int64_t i = 1; i < n; i++) high = x[i] > high ? x[i] : high;
    return high;
#else
    enum { W = OBK_VECTOR_BYTES / sizeof(T), AT_ONCE = 4 };
    NAME(obk_r) best[AT_ONCE];
    int64_t i = 0;
    OBK_UNROLL
    for (int v = 0; v < AT_ONCE; v++) best[v] = *(const NAME(obk_v) *)x;
    for (; i + AT_ONCE * W <= n; i += AT_ONCE * W) {
        OBK_UNROLL
        for (int v = 0; v < AT_ONCE; v++) best[v] = NAME(obk_max_v)(*(const NAME(obk_v) *)(x + i + v * W), best[v]);
    }
    for (; i < n; i += W) best[0] = NAME(obk_max_v)(*(const NAME(obk_v) *)(x + (i + W <= n ? i : n - W)), best[0]);
    best[0] = NAME(obk_max_v)(NAME(obk_max_v)(best[0], best[1]), NAME(obk_max_v)(best[2], best[3]));
    return NAME(obk_highest_lane)(best[0]);
#endif
}

/* The sum of the 16 parts. */
OBK_INLINE T NAME(sum_parts)(const T *sums) {
    enum { W = OBK_VECTOR_BYTES / sizeof(T), PARTS = 16 / W };
    NAME(obk_r) part[PARTS];
    OBK_UNROLL
    for (int v = 0; v < PARTS; v++) part[v] = *(const NAME(obk_v) *)(sums + v * W);
    OBK_UNROLL
    for (int half = PARTS / 2; half > 0; half /= 2) OBK_UNROLL
    for (int v = 0; v < half; v++) part[v] += part[v + half];
    return NAME(obk_sum_lanes)(part[0]);
}

/* From the exponentials in y, or from x for logarithms. */
OBK_INLINE void NAME(finish)(T *y, const T *x, int64_t n, T high, T sum, obk_softmax_log *logarithm) {
    enum { W = OBK_VECTOR_BYTES / sizeof(T) };
    int64_t i = 0;
    if (logarithm) {
        T shift = sum;
        logarithm(&shift);
        for (; i < n; i++) y[i] = x[i] - high - shift;
        return;
    }
    const T factor = 1 / sum;
    for (; i + W <= n; i += W) *(NAME(obk_v) *)(y + i) *= factor;
    for (; i < n; i++) y[i] *= factor;
}

/* `rows` vectors of 16 elements or more, few enough for the first-level cache. Each step is done for all of them, so that one
 * does not wait for the maximum or the sum of another. */
static void NAME(some_rows)(T *y, int64_t y_row, const T *x, int64_t x_row, int64_t rows, int64_t n, obk_softmax_log *logarithm) {
    T high[TOGETHER], sums[TOGETHER][16] = {{0}};
    for (int64_t r = 0; r < rows; r++) high[r] = NAME(highest)(x + r * x_row, n);
    for (int64_t r = 0; r < rows; r++) VMATH(exp_sums)(logarithm ? NULL : y + r * y_row, x + r * x_row, high[r], n, sums[r]);
    for (int64_t r = 0; r < rows; r++) sums[r][0] = NAME(sum_parts)(sums[r]);
    for (int64_t r = 0; r < rows; r++) NAME(finish)(y + r * y_row, x + r * x_row, n, high[r], sums[r][0], logarithm);
}

/* Works in pieces of a multiple of 16 elements: element i of a vector is added to sum i % 16, as without pieces. */
static void NAME(long_row)(T *y, const T *x, int64_t n, obk_softmax_log *logarithm, obk_pace *pace) {
    T high = x[0], sums[16] = {0};
    for (int64_t i = 0, some; i < n; i += some) {
        some = n - i < 2 * PIECE ? n - i : PIECE;
        const T higher = NAME(highest)(x + i, some);
        high = higher > high ? higher : high;
        if (obk_stops(pace, some / 4)) return;
    }
    for (int64_t i = 0, some; i < n; i += some) {
        some = n - i < PIECE ? n - i : PIECE;
        VMATH(exp_sums)(logarithm ? NULL : y + i, x + i, high, some, sums);
        if (obk_stops(pace, some)) return;
    }
    const T sum = NAME(sum_parts)(sums);
    for (int64_t i = 0, some; i < n && !obk_stops(pace, PIECE / 4); i += some) {
        some = n - i < PIECE ? n - i : PIECE;
        NAME(finish)(y + i, x + i, some, high, sum, logarithm);
    }
}

/* `rows` vectors of less than 16 elements that fit into a block together: their exponentials are computed as one array. */
static void NAME(short_rows)(T *y, int64_t y_row, const T *x, int64_t x_row, int64_t rows, int64_t n,
                             obk_softmax_log *logarithm) {
    T t[BLOCK_ELEMS];
    for (int64_t r = 0; r < rows; r++) {
        const T *row = x + r * x_row;
        T high = row[0];
        for (int64_t i = 1; i < n; i++) high = row[i] > high ? row[i] : high;
        for (int64_t i = 0; i < n; i++) t[r * n + i] = row[i] - high;
    }
    for (int64_t r = 0; r < rows && logarithm; r++) memcpy(y + r * y_row, t + r * n, (size_t)n * sizeof(T));
    VMATH(exp)(t, t, rows * n);
    for (int64_t r = 0; r < rows; r++) {
        const T *e = t + r * n;
        T *row = y + r * y_row, sum = e[0];
        for (int64_t i = 1; i < n; i++) sum += e[i];
        const T factor = 1 / sum;
        T shift = sum;
        if (logarithm) logarithm(&shift);
        for (int64_t i = 0; i < n; i++) row[i] = logarithm ? row[i] - shift : e[i] * factor;
    }
}

void OBK_FN(NAME(softmax_rows))(void *to, int64_t y_row, const void *from, int64_t x_row, int64_t rows, int64_t n,
                                obk_softmax_log *logarithm, obk_pace *pace) {
    T *y = to;
    const T *x = from;
    const int64_t fitting = n < 16 ? BLOCK_ELEMS / n : TOGETHER_BYTES / (n * (int64_t)sizeof(T));
    const int64_t together = n < 16 || fitting < TOGETHER ? fitting : TOGETHER;
    for (int64_t r = 0, some; r < rows; r += some) {
        some = together < 1 ? 1 : rows - r < together ? rows - r : together;
        if (n < 16)
            NAME(short_rows)(y + r * y_row, y_row, x + r * x_row, x_row, some, n, logarithm);
        else if (n > PIECE)
            NAME(long_row)(y + r * y_row, x + r * x_row, n, logarithm, pace);
        else if (!obk_stops(pace, some * n))
            NAME(some_rows)(y + r * y_row, y_row, x + r * x_row, x_row, some, n, logarithm);
    }
}

void OBK_FN(NAME(softmax_columns))(void *to, const void *from, int64_t n, int64_t stride, int64_t width, bool logarithm,
                                   void *memory, obk_pace *pace) {
    T *restrict high = memory, *restrict sums = high + OBK_SOFTMAX_COLUMNS, *restrict t = sums + OBK_SOFTMAX_COLUMNS, *y = to;
    const T *x = from;
    const size_t row_bytes = (size_t)width * sizeof(T);
    memcpy(high, x, row_bytes);
    memset(sums, 0, row_bytes);
    IN_PIECES(i, 1, n, width, pace) {
        const T *row = x + i * stride;
        for (int64_t k = 0; k < width; k++) high[k] = row[k] > high[k] ? row[k] : high[k];
    }
    IN_PIECES(i, 0, n, width, pace) {
        const T *row = x + i * stride;
        for (int64_t k = 0; k < width; k++) t[k] = row[k] - high[k];
        if (logarithm) memcpy(y + i * stride, t, row_bytes);
        T *e = logarithm ? t : y + i * stride;
        VMATH(exp)(e, t, width);
        for (int64_t k = 0; k < width; k++) sums[k] += e[k];
    }
    if (logarithm)
        VMATH(log)(sums, sums, width);
    else
        for (int64_t k = 0; k < width; k++) sums[k] = 1 / sums[k];
    IN_PIECES(i, 0, n, width, pace) {
        T *row = y + i * stride;
        if (logarithm)
            for (int64_t k = 0; k < width; k++) row[k] -= sums[k];
        else
            for (int64_t k = 0; k < width; k++) row[k] *= sums[k];
    }
}

#undef NAME
#undef VMATH
#undef T
#undef S
#undef M
