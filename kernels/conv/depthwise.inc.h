/* Template of conv.c: one plane by one filter of 3 x 3 or 5 x 5, stride 1 or 2. Parameters: T, NAME(n), VECTOR, REGISTER,
 * FMA(a, b, c), EVENS(a, b), ODDS(a, b), MASK, MAKE_MASK(first, end), LOAD_MASKED(from, mask).
 *
 * A tile has DEPTHWISE_ROWS rows of results by one or DEPTHWISE_VECTORS vectors; the plane is read in place. Padding is read as
 * zeros, which are multiplied like elements, so that bits are those of the other loops. */

/* The columns of results that tiles compute: one or more vectors from `at` on. */
typedef struct NAME(strip) {
    const obk_window *window;
    const T *x, *w;
    T start;
    int64_t column; /* of the input that the first result reads first; negative: padding */
    MASK mask[6];   /* for each load of a strip of one vector: the operands that are not padding */
} NAME(strip);

/* The operands of one row of the filter, for vector v of the strip. from: the row's first element. With a mask the address may
 * lie outside of the plane. */
OBK_INLINE void NAME(row_operands)(const int size, const int stride, const bool inside, const NAME(strip) * s, const T *from,
                                   int v, REGISTER *x) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const int n = stride == 1 ? size : (size + 1) / 2 * 2; /* loads */
    REGISTER loaded[6];
    OBK_UNROLL
    for (int l = 0; l < n; l++) {
        const T *at = from + s->column + v * stride * LANES + (stride == 1 ? l : l / 2 * 2 + l % 2 * LANES);
        loaded[l] = inside ? (REGISTER)(*(const VECTOR *)(const void *)at) : LOAD_MASKED(at, s->mask[l]);
    }
    OBK_UNROLL
    for (int k = 0; k < size; k++)
        x[k] = stride == 1 ? loaded[k] : k % 2 == 0 ? EVENS(loaded[k], loaded[k + 1]) : ODDS(loaded[k - 1], loaded[k]);
}

/* A tile for which each row of the input is loaded once. whole: all these rows exist, and so do all rows of results; otherwise
 * there are n_rows. */
OBK_INLINE void NAME(inner_tile)(const int size, const int stride, const int vectors, const bool inside, const bool whole,
                                 const NAME(strip) * s, int64_t row, T *restrict to, int64_t to_row, int64_t n_rows) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const int64_t columns = s->window->axes[1].in;
    REGISTER sum[DEPTHWISE_ROWS][DEPTHWISE_VECTORS], weight[9];
    OBK_UNROLL
    for (int k = 0; k < size * size; k++) weight[k] = s->w[k] - (REGISTER){0};
    OBK_UNROLL
    for (int r = 0; r < DEPTHWISE_ROWS; r++) OBK_UNROLL
    for (int v = 0; v < vectors; v++) sum[r][v] = s->start - (REGISTER){0};
    OBK_UNROLL
    for (int i = 0; i < (DEPTHWISE_ROWS - 1) * stride + size; i++) OBK_UNROLL
    for (int v = 0; v < vectors; v++) {
        REGISTER x[5];
        if (whole || (row + i >= 0 && row + i < s->window->axes[0].in)) {
            NAME(row_operands)(size, stride, inside, s, s->x + (row + i) * columns, v, x);
        } else {
            OBK_UNROLL
            for (int k = 0; k < size; k++) x[k] = (REGISTER){0};
        }
        OBK_UNROLL
        for (int r = 0; r < DEPTHWISE_ROWS; r++) {
            const int y = i - r * stride;
            OBK_UNROLL
            for (int k = 0; k < size; k++)
                if (y >= 0 && y < size) sum[r][v] = FMA(weight[y * size + k], x[k], sum[r][v]);
        }
    }
    OBK_UNROLL
    for (int r = 0; r < DEPTHWISE_ROWS; r++)
        if (whole || r < n_rows) {
            OBK_UNROLL
            for (int v = 0; v < vectors; v++) *(VECTOR *)(void *)(to + r * to_row + v * LANES) = sum[r][v];
        }
}

/* Any rows: one row of the filter after the other. */
OBK_INLINE void NAME(edge_tile)(const int size, const int stride, const int vectors, const bool inside, const NAME(strip) * s,
                                int64_t row, T *restrict to, int64_t to_row, int64_t n_rows) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const obk_axis *down = &s->window->axes[0];
    const int64_t columns = s->window->axes[1].in;
    REGISTER sum[DEPTHWISE_ROWS][DEPTHWISE_VECTORS];
    OBK_UNROLL
    for (int r = 0; r < DEPTHWISE_ROWS; r++) OBK_UNROLL
    for (int v = 0; v < vectors; v++) sum[r][v] = s->start - (REGISTER){0};
    for (int y = 0; y < size; y++) {
        REGISTER weight[5];
        OBK_UNROLL
        for (int k = 0; k < size; k++) weight[k] = s->w[y * size + k] - (REGISTER){0};
        OBK_UNROLL
        for (int r = 0; r < DEPTHWISE_ROWS; r++) {
            const int64_t of_row = row + r * stride + y;
            const bool real = of_row >= 0 && of_row < down->in;
            OBK_UNROLL
            for (int v = 0; v < vectors; v++) {
                REGISTER x[5];
                OBK_UNROLL
                for (int k = 0; k < size; k++) x[k] = (REGISTER){0};
                if (real) NAME(row_operands)(size, stride, inside, s, s->x + of_row * columns, v, x);
                OBK_UNROLL
                for (int k = 0; k < size; k++) sum[r][v] = FMA(weight[k], x[k], sum[r][v]);
            }
        }
    }
    OBK_UNROLL
    for (int r = 0; r < DEPTHWISE_ROWS; r++)
        if (r < n_rows) {
            OBK_UNROLL
            for (int v = 0; v < vectors; v++) *(VECTOR *)(void *)(to + r * to_row + v * LANES) = sum[r][v];
        }
}

/* Rows first .. end of a strip. */
OBK_INLINE void NAME(strip_rows)(const int size, const int stride, const int vectors, const bool inside, const NAME(strip) * s,
                                 int64_t first, int64_t end, T *to, int64_t to_row) {
    const obk_axis *down = &s->window->axes[0];
    for (int64_t r = first; r < end; r += DEPTHWISE_ROWS, to += DEPTHWISE_ROWS * to_row) {
        const int64_t row = r * stride - down->before;
        if (size == 3 && row >= 0 && row + (DEPTHWISE_ROWS - 1) * stride + size <= down->in && r + DEPTHWISE_ROWS <= end)
            NAME(inner_tile)(size, stride, vectors, inside, true, s, row, to, to_row, DEPTHWISE_ROWS);
        else if (size == 3)
            NAME(inner_tile)(size, stride, vectors, inside, false, s, row, to, to_row, end - r);
        else
            NAME(edge_tile)(size, stride, vectors, inside, s, row, to, to_row, end - r);
    }
}

/* Fewer results in a row than a vector has. A tile is stored in whole vectors, of which the next row overwrites the rest; the
 * last rows go through a copy. */
OBK_INLINE void NAME(short_rows)(const int size, const int stride, const NAME(strip) * s, int64_t first, int64_t end, T *to) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const int64_t n = s->window->axes[1].out;
    T few[DEPTHWISE_ROWS * LANES];
    int64_t r = first;
    for (; (end - r - DEPTHWISE_ROWS + 1) * n >= LANES; r += DEPTHWISE_ROWS, to += DEPTHWISE_ROWS * n)
        NAME(strip_rows)(size, stride, 1, false, s, r, r + DEPTHWISE_ROWS, to, n);
    for (; r < end; r += DEPTHWISE_ROWS) {
        const int64_t rows = ob__least(end - r, DEPTHWISE_ROWS);
        NAME(strip_rows)(size, stride, 1, false, s, r, r + rows, few, LANES);
        for (int64_t i = 0; i < rows; i++, to += n) obk_copy_row(to, few + i * LANES, n * (int64_t)sizeof(T));
    }
}

OBK_INLINE void NAME(depthwise_rows)(const int size, const int stride, NAME(strip) * s, int64_t first, int64_t end, T *y,
                                     obk_pace *pace) {
    enum { LANES = sizeof(VECTOR) / sizeof(T), WIDE = DEPTHWISE_VECTORS * LANES };
    const obk_axis *across = &s->window->axes[1];
    const int64_t n = across->out;
    for (int64_t c = 0, width; c < n && !obk_stops(pace, (end - first) * LANES * size); c += width) {
        s->column = c * stride - across->before;
        const bool inside =
            c + WIDE <= n && s->column >= 0 && s->column + (WIDE - 1) * stride + size + (stride == 2) <= across->in;
        width = inside ? WIDE : LANES;
        if (inside) {
            NAME(strip_rows)(size, stride, DEPTHWISE_VECTORS, true, s, first, end, y + c, n);
            continue;
        }
        const int64_t at = c + LANES <= n ? c : n >= LANES ? n - LANES : 0; /* some results are computed twice */
        s->column = at * stride - across->before;
        for (int l = 0; l < (stride == 1 ? size : (size + 1) / 2 * 2); l++) {
            const int64_t column = s->column + (stride == 1 ? l : l / 2 * 2 + l % 2 * LANES), begin = column < 0 ? -column : 0,
                          left = across->in - column;
            s->mask[l] = MAKE_MASK(ob__least(begin, LANES), left < 0 ? 0 : ob__least(left, LANES));
        }
        if (n < LANES)
            NAME(short_rows)(size, stride, s, first, end, y);
        else
            NAME(strip_rows)(size, stride, 1, false, s, first, end, y + at, n);
    }
}

#define DEPTHWISE_OF(size, stride)                                                                                               \
    static void NAME(depthwise_##size##_##stride)(NAME(strip) * s, int64_t first, int64_t end, T * y, obk_pace * pace) {         \
        NAME(depthwise_rows)(size, stride, s, first, end, y, pace);                                                              \
    }
DEPTHWISE_OF(3, 1)
DEPTHWISE_OF(3, 2)
DEPTHWISE_OF(5, 1)
DEPTHWISE_OF(5, 2)
#undef DEPTHWISE_OF

static void NAME(depthwise)(const obk_conv *c, const void *x, const void *w, const void *bias, void *y, int64_t b, int64_t first,
                            int64_t end, void *lane, obk_pace *pace) {
    const obk_window *win = &c->window;
    const int64_t row = b * c->rows, last = ob__least(row + c->rows, win->axes[0].out);
    (void)lane;
    for (int64_t m = first; m < end; m++) {
        NAME(strip) s = {.window = win, .x = x, .w = (const T *)w + m * win->n_kernel, .start = bias ? ((const T *)bias)[m] : 0};
        T *to = (T *)y + (m - first) * c->y_channel;
        const bool large = win->axes[0].kernel == 5;
        if (win->axes[0].stride == 1)
            (large ? NAME(depthwise_5_1) : NAME(depthwise_3_1))(&s, row, last, to, pace);
        else
            (large ? NAME(depthwise_5_2) : NAME(depthwise_3_2))(&s, row, last, to, pace);
    }
}
