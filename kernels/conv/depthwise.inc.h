/* Template of conv.c: one plane by one filter of 3 x 3 or 5 x 5, stride 1 or 2. Parameters: T, NAME(n), VECTOR, REGISTER,
 * FMA(a, b, c), EVENS(a, b), ODDS(a, b), MASK, MAKE_MASK(first, end), LOAD_MASKED(from, mask).
 *
 * A tile has DEPTHWISE_ROWS rows of results by one or 2 vectors; the plane is read in place. Padding is read as
 * zeros, which are multiplied like elements, so that bits are those of the other loops. */

#if OBK_PLAIN_REAL || OBK_SMALL_CODE
/* Some results of a row, with the same bits in less code. checks: they may read padding. x: what the first of them would read
 * first, in row `row` and column `column` of the plane. */
OBK_INLINE void NAME(plain)(const int n, const bool checks, const obk_window *win, const T *x, const T *w, T start, ptrdiff_t row,
                            ptrdiff_t column, T *y) {
    const ptrdiff_t size = (ptrdiff_t)win->axes[0].kernel, rows = (ptrdiff_t)win->axes[0].in,
                    columns = (ptrdiff_t)win->axes[1].in, stride = (ptrdiff_t)win->axes[1].stride;
    T sum[4];
    OBK_UNROLL
    for (int i = 0; i < n; i++) sum[i] = start;
    for (ptrdiff_t r = 0; r < size; r++, x += columns, w += size) {
        const bool real = !checks || (row + r >= 0 && row + r < rows);
        for (ptrdiff_t k = 0; k < size; k++) {
            const T weight = w[k], *from = x + k;
            OBK_UNROLL
            for (int i = 0; i < n; i++)
                sum[i] =
                    FMA_ONE(weight, !checks || (real && column + k >= 0 && column + k < columns) ? from[i * stride] : 0, sum[i]);
        }
    }
    OBK_UNROLL
    for (int i = 0; i < n; i++) y[i] = sum[i];
}

void OBK_FN(NAME(conv_depthwise))(const obk_conv *c, const void *x, const void *w, const void *bias, void *y, int64_t b,
                                  int64_t first, int64_t end, void *lane, obk_pace *pace) {
    const obk_window *win = &c->window;
    const obk_axis *down = &win->axes[0], *across = &win->axes[1];
    const int64_t last = ob__least((b + 1) * c->rows, down->out), n = across->out;
    int64_t low, high;
    (void)lane;
    obk_inner_results(across, &low, &high);
    for (int64_t m = first; m < end; m++) {
        const T *filter = (const T *)w + m * win->n_kernel, start = bias ? ((const T *)bias)[m] : 0;
        T *to = (T *)y + (m - first) * c->y_channel;
        for (int64_t r = b * c->rows; r < last && !obk_stops(pace, n * win->n_kernel); r++, to += n) {
            const int64_t row = r * down->stride - down->before;
            const bool inside = row >= 0 && row + down->kernel <= down->in;
            for (int64_t o = 0; o < n;) {
                const int64_t column = o * across->stride - across->before,
                              n_at_once = inside && o >= low && o + 4 <= high ? 4 : 1;
                const T *from = (const T *)((uintptr_t)x + (uintptr_t)(row * across->in + column) * sizeof(T));
                if (n_at_once == 4)
                    NAME(plain)(4, false, win, from, filter, start, 0, 0, to + o);
                else /* the address may lie before the plane */
                    NAME(plain)(1, true, win, from, filter, start, (ptrdiff_t)row, (ptrdiff_t)column, to + o);
                o += n_at_once;
            }
        }
    }
}
#else
/* The columns of results that tiles compute: one vector, or two that begin `apart` from each other. */
typedef struct NAME(strip) {
    const obk_window *window;
    const T *x, *w;
    T start;
    int64_t column, apart; /* the column of the input that the first result reads first; negative: padding */
    MASK mask[2][6];       /* by vector and load: the operands that are not padding */
} NAME(strip);

/* Loads for one row of the filter, and the first column of load l, counted from that of the vector. */
#ifdef SHIFTED
#define DEPTHWISE_LOADS(axis)     ((axis)->stride + 1)
#define DEPTHWISE_LOAD(stride, l) ((l)*LANES)
#else
#define DEPTHWISE_LOADS(axis)     ((axis)->kernel + (axis)->stride - 1)
#define DEPTHWISE_LOAD(stride, l) ((stride) == 1 ? (l) : (l) / 2 * 2 + (l) % 2 * LANES)
#endif

/* The operand of column k of the filter for vector v of the strip. from: what its first result reads first in a row. With a mask
 * the address may lie outside of the plane. Loads that reach into a second cache line take as long as two, so that where vectors
 * can be shifted, a row is loaded once. */
OBK_INLINE REGISTER NAME(operand)(const int stride, const bool inside, const NAME(strip) * s, const T *from, int v, const int k) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const T *at = from + v * stride * s->apart;
#define LOADED(l)                                                                                                                \
    (inside ? (REGISTER)(*(const VECTOR *)(const void *)(at + DEPTHWISE_LOAD(stride, l)))                                        \
            : LOAD_MASKED(at + DEPTHWISE_LOAD(stride, l), s->mask[v][l]))
#ifdef SHIFTED
    if (stride == 1) return SHIFTED(LOADED(0), LOADED(1), k);
    return k % 2 == 0 ? SHIFTED(EVENS(LOADED(0), LOADED(1)), EVENS(LOADED(2), LOADED(2)), k / 2)
                      : SHIFTED(ODDS(LOADED(0), LOADED(1)), ODDS(LOADED(2), LOADED(2)), k / 2);
#else
    if (stride == 1) return LOADED(k);
    return k % 2 == 0 ? EVENS(LOADED(k), LOADED(k + 1)) : ODDS(LOADED(k - 1), LOADED(k));
#endif
#undef LOADED
}

/* Some rows of a strip. Each row of the input is loaded once, for all rows of the filter that read it. whole: all these rows
 * exist, and so do all rows of results; otherwise there are n_rows. */
OBK_INLINE void NAME(tile_of_rows)(const int size, const int stride, const int vectors, const bool inside, const bool whole,
                                   const NAME(strip) * s, int64_t row, T *restrict to, int64_t to_row, int64_t n_rows) {
    enum { LANES = sizeof(VECTOR) / sizeof(T), MOST_READ = (DEPTHWISE_ROWS - 1) * 2 + 5 };
    static const T padding[6 * LANES]; /* as far as a strip reads from its first column on */
    const int64_t columns = s->window->axes[1].in;
    const T *plane = s->x + row * columns + s->column, *from[MOST_READ];
    T unused[2 * LANES], *y[DEPTHWISE_ROWS];
    /* All branches come first: the compiler would move products behind those that follow. */
    for (int i = 0; !whole && !DEPTHWISE_SKIPS && i < (DEPTHWISE_ROWS - 1) * stride + size; i++)
        from[i] = row + i >= 0 && row + i < s->window->axes[0].in ? plane + i * columns : padding;
    for (int r = 0; r < DEPTHWISE_ROWS; r++) y[r] = whole || DEPTHWISE_SKIPS || r < n_rows ? to + r * to_row : unused;
    REGISTER sum[DEPTHWISE_ROWS][2];
    OBK_UNROLL
    for (int r = 0; r < DEPTHWISE_ROWS; r++) OBK_UNROLL
    for (int v = 0; v < vectors; v++) sum[r][v] = s->start - (REGISTER){0};
    OBK_UNROLL
    for (int i = 0; i < (DEPTHWISE_ROWS - 1) * stride + size; i++) {
        const bool real = whole || !DEPTHWISE_SKIPS || (row + i >= 0 && row + i < s->window->axes[0].in);
        const T *at = whole || DEPTHWISE_SKIPS ? plane + i * columns : from[i], *w = s->w;
        __asm__("" : "+r"(w)); /* keeps the compiler from holding all weights in registers, which are too few */
        OBK_UNROLL
        for (int k = 0; k < size; k++) {
            REGISTER x[2];
            OBK_UNROLL
            for (int v = 0; v < vectors; v++) x[v] = real ? NAME(operand)(stride, inside, s, at, v, k) : (REGISTER){0};
            OBK_UNROLL
            for (int r = 0; r < DEPTHWISE_ROWS; r++) {
                const int of_filter = i - r * stride;
                if (of_filter < 0 || of_filter >= size) continue;
                const REGISTER weight = w[of_filter * size + k] - (REGISTER){0};
                OBK_UNROLL
                for (int v = 0; v < vectors; v++) sum[r][v] = FMA(weight, x[v], sum[r][v]);
            }
        }
    }
    OBK_UNROLL
    for (int r = 0; r < DEPTHWISE_ROWS; r++)
        if (whole || !DEPTHWISE_SKIPS || r < n_rows) {
            OBK_UNROLL
            for (int v = 0; v < vectors; v++) *(VECTOR *)(void *)(y[r] + v * s->apart) = sum[r][v];
        }
}

/* Rows first .. end of a strip. Filters of 5 x 5 have one loop for all tiles: a second one would be thousands of bytes. */
OBK_INLINE void NAME(strip_rows)(const int size, const int stride, const int vectors, const bool inside, const NAME(strip) * s,
                                 int64_t first, int64_t end, T *to, int64_t to_row) {
    const obk_axis *down = &s->window->axes[0];
    for (int64_t r = first; r < end; r += DEPTHWISE_ROWS, to += DEPTHWISE_ROWS * to_row) {
        const int64_t row = r * stride - down->before;
        if (size == 3 && row >= 0 && row + (DEPTHWISE_ROWS - 1) * stride + size <= down->in && r + DEPTHWISE_ROWS <= end)
            NAME(tile_of_rows)(size, stride, vectors, inside, true, s, row, to, to_row, DEPTHWISE_ROWS);
        else
            NAME(tile_of_rows)(size, stride, vectors, inside, false, s, row, to, to_row, end - r);
    }
}

/* The loops for one masked vector, and for two: masked, or inside of the plane. */
typedef void (*NAME(strip_loop))(const NAME(strip) * s, int64_t first, int64_t end, T *to, int64_t to_row);
typedef struct NAME(strip_loops) {
    NAME(strip_loop) narrow, wide;
} NAME(strip_loops);

#define STRIPS(size, stride)                                                                                                     \
    static __attribute__((noinline)) void NAME(narrow_##size##_##stride)(const NAME(strip) * s, int64_t first, int64_t end,      \
                                                                         T * to, int64_t to_row) {                               \
        NAME(strip_rows)(size, stride, 1, false, s, first, end, to, to_row);                                                     \
    }                                                                                                                            \
    static __attribute__((noinline)) void NAME(wide_##size##_##stride)(const NAME(strip) * s, int64_t first, int64_t end,        \
                                                                       T * to, int64_t to_row) {                                 \
        NAME(strip_rows)(size, stride, 2, !DEPTHWISE_WIDE_MASKED, s, first, end, to, to_row);                                    \
    }
STRIPS(3, 1)
STRIPS(3, 2)
STRIPS(5, 1)
STRIPS(5, 2)
#undef STRIPS

/* Fewer results in a row than a vector has. A tile is stored in whole vectors, of which the next row overwrites the rest; the
 * last rows go through a copy. */
static void NAME(short_rows)(NAME(strip_loop) loop, const NAME(strip) * s, int64_t first, int64_t end, T *to) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const int64_t n = s->window->axes[1].out, safe = (LANES - n + n - 1) / n, /* rows that a vector may overwrite */
        whole = end - first > safe ? (end - first - safe) / DEPTHWISE_ROWS * DEPTHWISE_ROWS : 0;
    T few[DEPTHWISE_ROWS * LANES];
    if (whole > 0) loop(s, first, first + whole, to, n);
    to += whole * n;
    for (int64_t r = first + whole; r < end; r += DEPTHWISE_ROWS) {
        const int64_t rows = ob__least(end - r, DEPTHWISE_ROWS);
        loop(s, r, r + rows, few, LANES);
        for (int64_t i = 0; i < rows; i++, to += n) obk_copy_row(to, few + i * LANES, n * (int64_t)sizeof(T));
    }
}

/* Sets the strip's first result, and what its masks hide. */
static void NAME(begin_strip)(NAME(strip) * s, int64_t at, int64_t apart, int vectors, bool masked) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const obk_axis *across = &s->window->axes[1];
    const int stride = (int)across->stride;
    s->apart = apart;
    s->column = at * stride - across->before;
    for (int v = 0; masked && v < vectors; v++)
        for (int l = 0; l < DEPTHWISE_LOADS(across); l++) {
            const int64_t column = s->column + v * stride * apart + DEPTHWISE_LOAD(stride, l), begin = column < 0 ? -column : 0,
                          left = across->in - column;
            s->mask[v][l] = MAKE_MASK(ob__least(begin, LANES), left < 0 ? 0 : ob__least(left, LANES));
        }
}

static void NAME(depthwise_rows)(const NAME(strip_loops) * loops, NAME(strip) * s, int64_t first, int64_t end, T *y,
                                 obk_pace *pace) {
    enum { LANES = sizeof(VECTOR) / sizeof(T), WIDE = 2 * LANES };
    const obk_axis *across = &s->window->axes[1];
    const int64_t n = across->out, stride = across->stride, size = across->kernel;
    for (int64_t c = 0; c < n && !obk_stops(pace, (end - first) * LANES * size);) {
        const int64_t column = c * stride - across->before;
        const bool inside = c + WIDE <= n && column >= 0 && column + (WIDE - 1) * stride + size + (stride == 2) <= across->in;
        if (DEPTHWISE_WIDE_MASKED ? n - c > LANES : inside) { /* the last vector ends with the row */
            NAME(begin_strip)(s, c, ob__least(LANES, n - LANES - c), 2, DEPTHWISE_WIDE_MASKED);
            loops->wide(s, first, end, y + c, n);
            c += WIDE;
            continue;
        }
        const int64_t at = c + LANES <= n ? c : n >= LANES ? n - LANES : 0; /* some results are computed twice */
        NAME(begin_strip)(s, at, LANES, 1, true);
        if (n < LANES)
            NAME(short_rows)(loops->narrow, s, first, end, y);
        else
            loops->narrow(s, first, end, y + at, n);
        c += LANES;
    }
}

void OBK_FN(NAME(conv_depthwise))(const obk_conv *c, const void *x, const void *w, const void *bias, void *y, int64_t b,
                                  int64_t first, int64_t end, void *lane, obk_pace *pace) {
    static const NAME(strip_loops) all[2][2] = {
        {{NAME(narrow_3_1), NAME(wide_3_1)}, {NAME(narrow_3_2), NAME(wide_3_2)}},
        {{NAME(narrow_5_1), NAME(wide_5_1)}, {NAME(narrow_5_2), NAME(wide_5_2)}},
    };
    const obk_window *win = &c->window;
    const int64_t row = b * c->rows, last = ob__least(row + c->rows, win->axes[0].out);
    const NAME(strip_loops) *loops = &all[win->axes[0].kernel == 5][win->axes[0].stride == 2];
    (void)lane;
    for (int64_t m = first; m < end; m++) {
        NAME(strip) s = {.window = win, .x = x, .w = (const T *)w + m * win->n_kernel, .start = bias ? ((const T *)bias)[m] : 0};
        NAME(depthwise_rows)(loops, &s, row, last, (T *)y + (m - first) * c->y_channel, pace);
    }
}
#undef DEPTHWISE_LOADS
#undef DEPTHWISE_LOAD
#endif
