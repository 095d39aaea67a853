/* Template: ROWS output channels by COLUMNS vectors of results, kept in registers. Parameters: T, VECTOR, REGISTER, FMA(a, b, c),
 * TILE its name, ROWS, COLUMNS. */
static inline void TILE(const obk_product *q, const T *restrict x, const T *restrict w, const T *restrict bias, int64_t rows,
                        T *restrict out, int64_t out_step) {
    const int64_t plane = q->plane, across = q->w_across, down = q->w_down, *restrict offset = q->offset;
    const int64_t outer = offset ? q->channels : 1, inner = offset ? q->n_kernel : q->channels;
    const T *row[ROWS];
    REGISTER sum[ROWS][COLUMNS];
    OBK_UNROLL
    for (int r = 0; r < ROWS; r++) { /* rows beyond the last one repeat it and are not stored */
        const int64_t m = r < rows ? r : rows - 1;
        row[r] = w + m * down;
        const T start = bias ? bias[m] : 0;
        OBK_UNROLL
        for (int v = 0; v < COLUMNS; v++) sum[r][v] = start - (REGISTER){0};
    }
    int64_t at = 0;
    for (int64_t c = 0; c < outer; c++, x += plane)
        for (int64_t k = 0; k < inner; k++, at += across) {
            const VECTOR *restrict from = (const VECTOR *)(const void *)(x + (offset ? offset[k] : k * plane));
            REGISTER seen[COLUMNS];
            OBK_UNROLL
            for (int v = 0; v < COLUMNS; v++) seen[v] = from[v];
            OBK_UNROLL
            for (int r = 0; r < ROWS; r++) {
                const REGISTER weight = row[r][at] - (REGISTER){0};
                OBK_UNROLL
                for (int v = 0; v < COLUMNS; v++) sum[r][v] = FMA(weight, seen[v], sum[r][v]);
            }
        }
    OBK_UNROLL
    for (int r = 0; r < ROWS; r++)
        if (r < rows) {
            VECTOR *to = (VECTOR *)(void *)(out + r * out_step);
            OBK_UNROLL
            for (int v = 0; v < COLUMNS; v++) to[v] = sum[r][v];
        }
}

#undef TILE
#undef ROWS
#undef COLUMNS
