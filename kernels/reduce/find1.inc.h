/* Largest or smallest elements. Parameters: FN, T, IS_NAN, BEATS(x, best). */

/* The largest (smallest) of n dense elements, or NaN if there is one. */
static T OBK_CAT(best_, FN)(const T *x, int64_t n) {
    T lanes[STRETCH], best = x[0];
    int64_t i = 0;
    if (!OBK_SMALL_CODE && n >= STRETCH) {
        memcpy(lanes, x, sizeof lanes);
        for (i = STRETCH; i + STRETCH <= n; i += STRETCH)
            for (int l = 0; l < STRETCH; l++) lanes[l] = BEATS(x[i + l], lanes[l]) || IS_NAN(x[i + l]) ? x[i + l] : lanes[l];
        for (int half = STRETCH / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++)
                lanes[l] = BEATS(lanes[l + half], lanes[l]) || IS_NAN(lanes[l + half]) ? lanes[l + half] : lanes[l];
        best = lanes[0];
    }
    for (; i < n; i++) best = BEATS(x[i], best) || IS_NAN(x[i]) ? x[i] : best;
    return best;
}

/* For each of `width` columns, at most SIDE_BY_SIDE, the index of the first (last) of `rows` rows with the best element. */
static void OBK_CAT(few_columns_, FN)(int64_t *out, const T *x, int64_t rows, int64_t stride, int64_t width, bool last) {
    T best[SIDE_BY_SIDE];
    int32_t at[SIDE_BY_SIDE];
    for (int64_t k = 0; k < width; k++) best[k] = x[k];
    for (int64_t k = 0; k < width; k++) out[k] = 0;
    for (int64_t begin = 0; begin < rows; begin += MOST_ROWS) {
        const int32_t n = (int32_t)(rows - begin < MOST_ROWS ? rows - begin : MOST_ROWS);
        for (int64_t k = 0; k < width; k++) at[k] = -1;
        for (int32_t i = 0; i < n; i++) {
            const T *row = x + (begin + i) * stride;
            if (last)
                for (int64_t k = 0; k < width; k++) {
                    const bool better = (!BEATS(best[k], row[k]) & !IS_NAN(best[k])) | IS_NAN(row[k]);
                    best[k] = better ? row[k] : best[k];
                    at[k] = better ? i : at[k];
                }
            else
                for (int64_t k = 0; k < width; k++) {
                    const bool better = (BEATS(row[k], best[k]) | IS_NAN(row[k])) & !IS_NAN(best[k]);
                    best[k] = better ? row[k] : best[k];
                    at[k] = better ? i : at[k];
                }
        }
        for (int64_t k = 0; k < width; k++) out[k] = at[k] < 0 ? out[k] : begin + at[k];
    }
}

static void OBK_CAT(columns_, FN)(int64_t *out, const T *x, int64_t rows, int64_t stride, int64_t width, bool last) {
    for (int64_t k = 0; k < width; k += SIDE_BY_SIDE)
        OBK_CAT(few_columns_, FN)(out + k, x + k, rows, stride, width - k < SIDE_BY_SIDE ? width - k : SIDE_BY_SIDE, last);
}
#undef FN
#undef BEATS
