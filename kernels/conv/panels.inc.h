/* Template of conv.c: convolution with vectors along output channels. Parameters: T, PAD, NAME(n), VECTOR, REGISTER, FMA(a, b,
 * c), PLAIN (OBK_PLAIN_REAL or OBK_PLAIN_INTEGER; if it is set FMA_ONE, too), TRANSPOSE(to, to_step, from, from_step): a square
 * of TRANSPOSED_AT_ONCE elements.
 *
 * A tile has a few results (positions) by up to PANEL_VECTORS vectors of output channels. Its sums stay in registers for a block
 * of k, and lie in `sums` from one block to the next: [position][output channel of the panel]. So the order of k is that of the
 * other loops, and so are the bits. At the end the sums of a panel are transposed into the planes of results. */

enum { NAME(LANES) = sizeof(VECTOR) / sizeof(T) };
#ifndef FAR_BYTES
#define FAR_BYTES (4 << 20)
#endif

#if PLAIN
/* n products for one position, `width` vectors of output channels: the tile where vectors are not in registers. */
OBK_INLINE void NAME(plain_tile)(const int width, ptrdiff_t n, const int64_t *restrict offset, const T *at, const T *restrict w,
                                 const T *start, T *restrict sums) {
    T sum[PANEL_VECTORS * NAME(LANES)];
    OBK_UNROLL
    for (int j = 0; j < width * NAME(LANES); j++) sum[j] = (start ? start : sums)[j];
    for (ptrdiff_t l = 0; l < n; l++, w += width * NAME(LANES)) {
        const T x = at[(ptrdiff_t)offset[l]];
        OBK_UNROLL
        for (int j = 0; j < width * NAME(LANES); j++) sum[j] = FMA_ONE(x, w[j], sum[j]);
    }
    OBK_UNROLL
    for (int j = 0; j < width * NAME(LANES); j++) sums[j] = sum[j];
}
#else
/* n products for `rows` positions. at[i] + offset[l]: the element of position i. start NULL: the sums continue. ahead: n cache
 * lines that are read soon. */
OBK_INLINE void NAME(panel_tile)(const int rows, const int width, int64_t n, const int64_t *restrict offset, const T *const *at,
                                 const T *restrict w, const T *start, T *restrict sums, const char *ahead) {
    enum { LINE = 64 };
    REGISTER sum[PANEL_ROWS][PANEL_VECTORS];
    const T *from[PANEL_ROWS];
    OBK_UNROLL
    for (int i = 0; i < rows; i++) {
        from[i] = at[i];
        const VECTOR *begin = (const VECTOR *)(const void *)(start ? start : sums + i * width * NAME(LANES));
        OBK_UNROLL
        for (int v = 0; v < width; v++) sum[i][v] = begin[v];
    }
    for (int64_t l = 0; l < n; l++, w += width * NAME(LANES)) {
        const VECTOR *weights = (const VECTOR *)(const void *)w;
        const int64_t o = offset[l];
        __builtin_prefetch(ahead + l * LINE, 0, 2);
        REGISTER weight[PANEL_VECTORS];
        OBK_UNROLL
        for (int v = 0; v < width; v++) weight[v] = weights[v];
        OBK_UNROLL
        for (int i = 0; i < rows; i++) {
            const REGISTER x = from[i][o] - (REGISTER){0};
            OBK_UNROLL
            for (int v = 0; v < width; v++) sum[i][v] = FMA(x, weight[v], sum[i][v]);
        }
    }
    OBK_UNROLL
    for (int i = 0; i < rows; i++) {
        VECTOR *end = (VECTOR *)(void *)(sums + i * width * NAME(LANES));
        OBK_UNROLL
        for (int v = 0; v < width; v++) end[v] = sum[i][v];
    }
}
#endif

/* Positions in the order of results: rows of `length`, which begin at row[i] of the copy. */
typedef struct NAME(walk) {
    const T *copy;
    const int64_t *row;
    int64_t length, at;
} NAME(walk);

static inline const T *NAME(next)(NAME(walk) * w) {
    const T *x = w->copy + *w->row + w->at;
    if (++w->at == w->length) {
        w->at = 0;
        w->row++;
    }
    return x;
}

#if PLAIN
#define PANEL_OF(width)                                                                                                          \
    static void NAME(panel_##width)(int64_t n, int64_t k, const int64_t *offset, NAME(walk) walk, const T *w, const T *start,    \
                                    T *sums) {                                                                                   \
        for (; n > 0; n--, sums += (width)*NAME(LANES))                                                                          \
            NAME(plain_tile)(width, (ptrdiff_t)k, offset, NAME(next)(&walk), w, start, sums);                                    \
    }
PANEL_OF(2)
PANEL_OF(1)
#undef PANEL_OF
#else
/* One block of k for n positions. The weights of the next block lie behind those of this one; the tiles fetch them together, each
 * a line for each product. */
#define PANEL_OF(width, most)                                                                                                    \
    static void NAME(panel_##width)(int64_t n, int64_t k, const int64_t *offset, NAME(walk) walk, const T *w, const T *start,    \
                                    T *sums) {                                                                                   \
        const T *at[PANEL_ROWS];                                                                                                 \
        const char *ahead = (const char *)(w + k * (width)*NAME(LANES)), *end = ahead + k * (width) * (int64_t)sizeof(VECTOR);   \
        for (; n > 0; n -= (most), sums += (most) * (width)*NAME(LANES)) {                                                       \
            for (int i = 0; i < (most); i++) at[i] = i < n ? NAME(next)(&walk) : at[0];                                          \
            if (n == 1)                                                                                                          \
                NAME(panel_tile)(1, width, k, offset, at, w, start, sums, ahead);                                                \
            else if (n <= ((most) + 1) / 2)                                                                                      \
                NAME(panel_tile)(((most) + 1) / 2, width, k, offset, at, w, start, sums, ahead);                                 \
            else                                                                                                                 \
                NAME(panel_tile)(most, width, k, offset, at, w, start, sums, ahead);                                             \
            if (ahead < end) ahead += k * 64;                                                                                    \
        }                                                                                                                        \
    }
#if PANEL_VECTORS == 4
PANEL_OF(4, 6)
PANEL_OF(3, 8)
#endif
PANEL_OF(2, PANEL_ROWS_OF_2)
PANEL_OF(1, 8)
#undef PANEL_OF
#endif

static void NAME(panel_block)(int64_t vectors, int64_t n, int64_t k, const int64_t *offset, NAME(walk) walk, const T *w,
                              const T *start, T *sums) {
    switch (vectors) {
#if PANEL_VECTORS == 4
    case 4: NAME(panel_4)(n, k, offset, walk, w, start, sums); break;
    case 3: NAME(panel_3)(n, k, offset, walk, w, start, sums); break;
#endif
    case 2: NAME(panel_2)(n, k, offset, walk, w, start, sums); break;
    default: NAME(panel_1)(n, k, offset, walk, w, start, sums); break;
    }
}

/* y[channel][position] = sums[position][channel], for `channels` of `width` and n positions. */
static void NAME(store_panel)(T *y, int64_t y_channel, const T *sums, int64_t width, int64_t channels, int64_t n) {
    const int64_t across = channels / TRANSPOSED_AT_ONCE * TRANSPOSED_AT_ONCE,
                  along = n / TRANSPOSED_AT_ONCE * TRANSPOSED_AT_ONCE;
    for (int64_t c = 0; c < across; c += TRANSPOSED_AT_ONCE) {
        for (int64_t i = 0; i < along; i += TRANSPOSED_AT_ONCE)
            TRANSPOSE(y + c * y_channel + i, y_channel, sums + i * width + c, width);
        for (int64_t r = c; r < c + TRANSPOSED_AT_ONCE; r++)
            for (int64_t i = along; i < n; i++) y[r * y_channel + i] = sums[i * width + r];
    }
    for (int64_t c = across; c < channels; c++)
        for (int64_t i = 0; i < n; i++) y[c * y_channel + i] = sums[i * width + c];
}

/* Stores n results of a panel whose first output channel is `row`, counted from that of y. */
static void NAME(finish_panel)(T *y, int64_t y_channel, const T *sums, const obk_panel *panel, int64_t row, int64_t column,
                               int64_t n, const obk_epilogue *after, T *finished) {
    const int64_t width = panel->vectors * NAME(LANES);
    if (!after) NAME(store_panel)(y + row * y_channel + column, y_channel, sums, width, panel->channels, n);
    for (int64_t c = 0; after && c < panel->channels; c += OBK_FINISHED_CHANNELS) {
        const int64_t some = panel->channels - c < OBK_FINISHED_CHANNELS ? panel->channels - c : OBK_FINISHED_CHANNELS;
        NAME(store_panel)(finished, OBK_FINISHED_ROW, sums + c, width, some, n);
        after->apply(after, finished, OBK_FINISHED_ROW * sizeof(T), row + c, some, column, n);
    }
}

/* ---- vectors along positions ---- */

#if PLAIN
/* n positions of some output channels of a panel, one position after the other. start: the bias. */
static void NAME(along)(const bool fetches, int64_t n, int64_t k, const int64_t *restrict offset, const T *x, const T *restrict w,
                        int64_t w_step, const T *restrict start, T *restrict to, int64_t to_row) {
    (void)fetches;
    for (ptrdiff_t i = 0; i < n; i++) {
        T sum[ALONG_CHANNELS];
        const T *weights = w;
        OBK_UNROLL
        for (int r = 0; r < ALONG_CHANNELS; r++) sum[r] = start[r];
        for (ptrdiff_t l = 0; l < k; l++, weights += w_step) {
            const T seen = x[i + (ptrdiff_t)offset[l]];
            OBK_UNROLL
            for (int r = 0; r < ALONG_CHANNELS; r++) sum[r] = FMA_ONE(seen, weights[r], sum[r]);
        }
        OBK_UNROLL
        for (int r = 0; r < ALONG_CHANNELS; r++) to[r * to_row + i] = sum[r];
    }
}
#else
/* Some output channels of a panel by `vectors` vectors of neighbouring positions, which begin at x. start: the bias. fetches: the
 * operands of the next tile are fetched. */
OBK_INLINE void NAME(along_tile)(const int vectors, const bool fetches, int64_t n, const int64_t *restrict offset, const T *x,
                                 const T *restrict w, int64_t w_step, const T *start, T *restrict to, int64_t to_row) {
    REGISTER sum[ALONG_CHANNELS][ALONG_VECTORS];
    OBK_UNROLL
    for (int r = 0; r < ALONG_CHANNELS; r++) OBK_UNROLL
    for (int v = 0; v < vectors; v++) sum[r][v] = start[r] - (REGISTER){0};
    for (int64_t l = 0; l < n; l++, w += w_step) {
        const VECTOR *from = (const VECTOR *)(const void *)(x + offset[l]);
        REGISTER seen[ALONG_VECTORS];
        OBK_UNROLL
        for (int v = 0; v < vectors; v++) seen[v] = from[v];
        OBK_UNROLL
        for (int v = 0; v < vectors && fetches; v++) __builtin_prefetch(from + vectors + v, 0, 3);
        OBK_UNROLL
        for (int r = 0; r < ALONG_CHANNELS; r++) {
            const REGISTER weight = w[r] - (REGISTER){0};
            OBK_UNROLL
            for (int v = 0; v < vectors; v++) sum[r][v] = FMA(seen[v], weight, sum[r][v]);
        }
    }
    OBK_UNROLL
    for (int r = 0; r < ALONG_CHANNELS; r++) {
        VECTOR *end = (VECTOR *)(void *)(to + r * to_row);
        OBK_UNROLL
        for (int v = 0; v < vectors; v++) end[v] = sum[r][v];
    }
}

/* n positions, at least a vector of them. The last ones are computed twice if n is not whole. */
OBK_INLINE void NAME(along)(const bool fetches, int64_t n, int64_t k, const int64_t *offset, const T *x, const T *w,
                            int64_t w_step, const T *start, T *to, int64_t to_row) {
    enum { WIDE = ALONG_VECTORS * NAME(LANES) };
    int64_t i = 0;
    for (; i + WIDE <= n; i += WIDE) NAME(along_tile)(ALONG_VECTORS, fetches, k, offset, x + i, w, w_step, start, to + i, to_row);
    for (; i < n; i += NAME(LANES)) {
        const int64_t at = i + NAME(LANES) <= n ? i : n - NAME(LANES);
        NAME(along_tile)(1, false, k, offset, x + at, w, w_step, start, to + at, to_row);
    }
}
#endif

/* Stores `n` positions from `from` on, which lie in `finished`, without those between the rows. */
static void NAME(finish_along)(const obk_conv *c, const T *finished, T *y, int64_t row, int64_t channels, int64_t from, int64_t n,
                               int64_t length, const int64_t *rows, int64_t n_rows, const obk_epilogue *after) {
    int64_t i = 0;
    for (int64_t end = n_rows; i < end;) { /* the first row that ends behind `from` */
        const int64_t middle = i + (end - i) / 2;
        if (rows[middle] + length > from)
            end = middle;
        else
            i = middle + 1;
    }
    for (; i < n_rows && rows[i] < from + n; i++) {
        const int64_t begin = rows[i] > from ? rows[i] : from, end = ob__least(rows[i] + length, from + n),
                      column = i * length + begin - rows[i];
        if (begin >= end) continue;
        if (after) {
            after->apply(after, finished + begin - from, OBK_FINISHED_ROW * sizeof(T), row, channels, column, end - begin);
            continue;
        }
        for (int64_t m = 0; m < channels; m++)
            obk_copy_row(y + (row + m) * c->y_channel + column, finished + m * OBK_FINISHED_ROW + begin - from,
                         (end - begin) * (int64_t)sizeof(T));
    }
}

/* As run_panels for few products, where transposing the results would take long. */
static void NAME(run_along)(const obk_conv *c, const T *copies, const T *packed, const T *bias, T *y, int64_t b, int64_t first,
                            int64_t end, const obk_epilogue *after, T *finished, obk_pace *pace) {
    enum { AT_ONCE = OBK_FINISHED_CHANNELS };
    const obk_tiling *t = &c->tiling;
    const int64_t zero = 0, K = c->channels * c->window.n_kernel,
                  n = c->pointwise ? obk_conv_results(c, b) : obk_block_flat(&c->window, t, b),
                  n_rows = c->pointwise ? 1 : obk_block_rows(&c->window, t, b),
                  length = c->pointwise ? n : obk_row_length(&c->window, t, b), *rows = c->pointwise ? &zero : t->row;
    const int64_t origin = obk_panel_at(NAME(LANES), PANEL_VECTORS, c->out_channels, first).first;
    for (int64_t p = first; p < end; p++) {
        const obk_panel panel = obk_panel_at(NAME(LANES), PANEL_VECTORS, c->out_channels, p);
        const int64_t width = panel.vectors * NAME(LANES);
        for (int64_t m = 0; m < panel.channels; m += AT_ONCE) {
            const int64_t channels = ob__least(panel.channels - m, AT_ONCE), row = panel.first - origin + m;
            T start[AT_ONCE] = {0};
            if (bias) memcpy(start, bias + panel.first + m, (size_t)channels * sizeof(T));
            const bool direct = !after && n_rows == 1 && channels % ALONG_CHANNELS == 0;
            for (int64_t done = 0; done < n; done += OBK_PANEL_POSITIONS) {
                const int64_t from = n - done < NAME(LANES) ? n - NAME(LANES) : done,
                              some = ob__least(n - from, OBK_PANEL_POSITIONS);
                T *to = direct ? y + row * c->y_channel + from : finished;
                const int64_t to_row = direct ? c->y_channel : OBK_FINISHED_ROW;
                if (obk_stops(pace, (K * some * channels >> 6) + some)) return;
                const T *w = packed + panel.first * K + m, *x = copies + from;
                NAME(along)(true, some, K, c->k_offset, x, w, width, start, to, to_row);
                for (int64_t r = ALONG_CHANNELS; r < channels; r += ALONG_CHANNELS)
                    NAME(along)(false, some, K, c->k_offset, x, w + r, width, start + r, to + r * to_row, to_row);
                if (!direct) NAME(finish_along)(c, finished, y, row, channels, from, some, length, rows, n_rows, after);
            }
        }
    }
}

/* ---- the whole ---- */

void OBK_FN(NAME(conv_run_panels))(const obk_conv *c, const void *copies, const void *packed, const void *bias, void *results,
                                   int64_t b, int64_t first, int64_t end, const obk_epilogue *after, void *lane, obk_pace *pace) {
    const obk_window *win = &c->window;
    const obk_tiling *t = &c->tiling;
    const int64_t zero = 0, n = obk_conv_results(c, b), K = c->channels * win->n_kernel,
                  length = c->pointwise ? n : obk_row_length(win, t, b), pitch = c->pitch > 0 ? c->pitch : win->n_out;
    const int64_t *rows = c->pointwise ? &zero : t->row;
    T *sums = lane, *finished = sums + OBK_PANEL_ROOM * PANEL_VECTORS * NAME(LANES);
    if (c->along && NAME(LANES) % ALONG_CHANNELS == 0 && n >= NAME(LANES)) {
        NAME(run_along)(c, copies, packed, bias, results, b, first, end, after, finished, pace);
        return;
    }
    for (int64_t p = first, before = -1; p < end; p++) {
        const obk_panel panel = obk_panel_at(NAME(LANES), PANEL_VECTORS, c->out_channels, p);
        T start[PANEL_VECTORS * NAME(LANES)] = {0};
        if (bias) memcpy(start, (const T *)bias + panel.first, (size_t)panel.channels * sizeof(T));
        if (before < 0) before = panel.first;
        for (int64_t done = 0; done < n; done += OBK_PANEL_POSITIONS) {
            const int64_t some = n - done < OBK_PANEL_POSITIONS ? n - done : OBK_PANEL_POSITIONS;
            NAME(walk) walk = {copies, rows + done / length, length, done % length};
            for (int64_t channel = 0; channel == 0 || channel < c->channels; channel += c->k_channels) {
                const int64_t channels = c->channels - channel < c->k_channels ? c->channels - channel : c->k_channels,
                              k = channels * win->n_kernel;
                const T *w = (const T *)packed + panel.first * K + channel * win->n_kernel * panel.vectors * NAME(LANES);
                const T *from = channel == 0 ? start : NULL;
                walk.copy = (const T *)copies + channel * pitch;
                if (obk_stops(pace, k * some / 4 + some)) return;
                NAME(panel_block)(panel.vectors, some, k, c->k_offset, walk, w, from, sums);
            }
            NAME(finish_panel)(results, c->y_channel, sums, &panel, panel.first - before, done, some, after, finished);
        }
    }
}

/* The rows of a plane that block b reads, for a window of two axes. */
static void NAME(fetch_ahead)(const obk_conv *c, const T *plane, int64_t b) {
    enum { LINE = 64 };
    const obk_axis *axes = c->window.axes;
    const char *at = (const char *)(plane + obk_block_start(&c->tiling, b) / axes[1].out * axes[0].stride * axes[1].in);
    for (int64_t k = 0; k < c->tiling.elems * (int64_t)sizeof(T); k += LINE) __builtin_prefetch(at + k);
}

void OBK_FN(NAME(conv_lay_out))(const obk_conv *c, const void *x, uint32_t padding, int64_t b, int64_t first, int64_t end,
                                void *copies, obk_pace *pace) {
    const obk_window *win = &c->window;
    const T *from = x;
    T *to = copies;
    const int64_t n = obk_conv_results(c, b), start = obk_conv_start(c, b);
    const bool far = win->rank == 2 && c->channels * win->n_in * (int64_t)sizeof(T) > FAR_BYTES; /* not in a cache */
    for (int64_t i = first; i < end && !obk_stops(pace, c->pitch); i++) {
        if (c->pointwise)
            memcpy(to + i * c->pitch, from + i * win->n_out + start, (size_t)n * sizeof(T));
        else {
            if (far && i + 2 < end) NAME(fetch_ahead)(c, from + (i + 2) * win->n_in, b);
            PAD(win, &c->tiling, from + i * win->n_in, b, (T)padding, to + i * c->pitch);
        }
    }
}

/* Panels one after the other, each [k][output channel of the panel]; channels that do not exist are zeros. */
void OBK_FN(NAME(conv_pack_panels))(void *to, const void *from, int64_t out_channels, int64_t k) {
    enum { AT_ONCE = TRANSPOSED_AT_ONCE };
    T *packed = to;
    for (int64_t p = 0, n = obk_panels(NAME(LANES), PANEL_VECTORS, out_channels); p < n; p++) {
        const obk_panel panel = obk_panel_at(NAME(LANES), PANEL_VECTORS, out_channels, p);
        const int64_t width = panel.vectors * NAME(LANES), across = panel.channels / AT_ONCE * AT_ONCE,
                      along = k / AT_ONCE * AT_ONCE;
        const T *w = (const T *)from + panel.first * k;
        T *here = packed + panel.first * k;
        for (int64_t l = 0; l < along; l += AT_ONCE)
            for (int64_t i = 0; i < across; i += AT_ONCE) TRANSPOSE(here + l * width + i, width, w + i * k + l, k);
        for (int64_t l = 0; l < k; l++)
            for (int64_t i = l < along ? across : 0; i < width; i++) here[l * width + i] = i < panel.channels ? w[i * k + l] : 0;
    }
}
