/* Convolution 3 x 3 with stride 1 by Winograd's F(2 x 2, 3 x 3), with the parameters of panels.inc.h, EVENS and ODDS. For relaxed
 * numerics: 16 products compute four results, where the others use 36, but sums are added in another way.
 *
 * A tile is 4 x 4 inputs, which overlap by two, and 2 x 2 results. lay_out transforms the tiles of a block into 16 planes
 * [frequency][channel][tile]. For each frequency the products are those of a convolution with one kernel position, so the tiles
 * of panels compute them; then sums are transformed back, vectors along output channels. */

/* Rows of the block and of its tiles. */
static inline int64_t NAME(winograd_rows)(const obk_conv *c, int64_t b) {
    return ob__least(c->rows, c->window.axes[0].out - b * c->rows);
}

/* One row of the padded input, from `before` on; the elements around it are zeros already. */
static void NAME(winograd_row)(const obk_conv *c, const T *x, int64_t row, T *to, int64_t n) {
    const obk_axis *down = &c->window.axes[0], *along = &c->window.axes[1];
    if (row < 0 || row >= down->in)
        memset(to, 0, (size_t)n * sizeof(T));
    else
        memcpy(to + along->before, x + row * along->in, (size_t)along->in * sizeof(T));
}

/* The tiles of four rows. to: the first frequency; frequencies are `step` apart. */
static void NAME(winograd_tiles)(T *const *row, int64_t tiles, T *to, int64_t step) {
    for (int64_t t = 0; t < tiles; t += NAME(LANES)) {
        REGISTER v[4][4];
        OBK_UNROLL
        for (int k = 0; k < 4; k++) {
            const VECTOR *from = (const VECTOR *)(const void *)(row[k] + 2 * t),
                         *behind = (const VECTOR *)(const void *)(row[k] + 2 * t + 2);
            const REGISTER e0 = EVENS(from[0], from[1]), o0 = ODDS(from[0], from[1]), e1 = EVENS(behind[0], behind[1]),
                           o1 = ODDS(behind[0], behind[1]);
            v[k][0] = e0 - e1, v[k][1] = o0 + e1, v[k][2] = e1 - o0, v[k][3] = o0 - o1;
        }
        OBK_UNROLL
        for (int j = 0; j < 4; j++) {
            *(VECTOR *)(void *)(to + j * step + t) = v[0][j] - v[2][j];
            *(VECTOR *)(void *)(to + (4 + j) * step + t) = v[1][j] + v[2][j];
            *(VECTOR *)(void *)(to + (8 + j) * step + t) = v[2][j] - v[1][j];
            *(VECTOR *)(void *)(to + (12 + j) * step + t) = v[1][j] - v[3][j];
        }
    }
}

void OBK_FN(NAME(winograd_lay_out))(const obk_conv *c, const void *x, uint32_t padding, int64_t b, int64_t first, int64_t end,
                                    void *copies, obk_pace *pace) {
    (void)padding;
    const int64_t across = obk_winograd_across(c), tile_rows = (NAME(winograd_rows)(c, b) + 1) / 2, step = c->channels * c->pitch,
                  length = obk_winograd_row_length(c), top = b * c->rows - c->window.axes[0].before;
    T *rows = (T *)copies + 16 * step;
    memset(rows, 0, (size_t)(4 * length) * sizeof(T));
    for (int64_t i = first; i < end && !obk_stops(pace, 16 * c->pitch); i++) {
        const T *plane = (const T *)x + i * c->window.n_in;
        T *to = (T *)copies + i * c->pitch, *row[4] = {rows, rows + length, rows + 2 * length, rows + 3 * length};
        /* two rows of a tile are the last ones of the tile before it */
        for (int64_t r = 0; r < 2; r++) NAME(winograd_row)(c, plane, top + r, row[2 + r], length);
        for (int64_t t = 0; t < tile_rows; t++) {
            T *const last[2] = {row[0], row[1]};
            row[0] = row[2], row[1] = row[3], row[2] = last[0], row[3] = last[1];
            for (int64_t r = 2; r < 4; r++) NAME(winograd_row)(c, plane, top + 2 * t + r, row[r], length);
            NAME(winograd_tiles)(row, across, to + t * across, step);
        }
    }
}

/* Four results of a tile for one vector of output channels. sums: the first frequency. */
OBK_INLINE void NAME(winograd_back)(const T *sums, int64_t step, REGISTER bias, REGISTER *y) {
    REGISTER s[2][4];
    OBK_UNROLL
    for (int j = 0; j < 4; j++) {
        const REGISTER a = *(const VECTOR *)(const void *)(sums + j * step),
                       b = *(const VECTOR *)(const void *)(sums + (4 + j) * step),
                       d = *(const VECTOR *)(const void *)(sums + (8 + j) * step),
                       e = *(const VECTOR *)(const void *)(sums + (12 + j) * step);
        s[0][j] = a + b + d;
        s[1][j] = b - d - e;
    }
    OBK_UNROLL
    for (int i = 0; i < 2; i++) {
        y[2 * i] = s[i][0] + s[i][1] + s[i][2] + bias;
        y[2 * i + 1] = s[i][1] - s[i][2] - s[i][3] + bias;
    }
}

/* `tiles` tiles in rows of `across`, whose results are `width` wide: to[position][output channel], rows of positions `row` apart.
 */
static void NAME(winograd_results)(const T *sums, int64_t tiles, int64_t across, int64_t columns, int64_t row, int64_t vectors,
                                   const T *bias, T *to) {
    const int64_t width = vectors * NAME(LANES), step = OBK_WINOGRAD_ROOM * width;
    for (int64_t q = 0, i = 0, t = 0; q < tiles; q++) {
        const bool whole = 2 * t + 1 < columns;
        T *at = to + (2 * i * row + 2 * t) * width;
        for (int64_t v = 0; v < vectors; v++) {
            REGISTER y[4];
            NAME(winograd_back)
            (sums + q * width + v * NAME(LANES), step, *(const VECTOR *)(const void *)(bias + v * NAME(LANES)), y);
            VECTOR *upper = (VECTOR *)(void *)(at + v * NAME(LANES)),
                   *lower = (VECTOR *)(void *)(at + row * width + v * NAME(LANES));
            upper[0] = y[0], lower[0] = y[2];
            if (whole) upper[vectors] = y[1], lower[vectors] = y[3];
        }
        if (++t == across) t = 0, i++;
    }
}

static void NAME(winograd_products)(const obk_conv *c, const T *tiles, int64_t n, const obk_panel *panel, const T *packed,
                                    T *sums, obk_pace *pace) {
    static const int64_t zero = 0;
    static const T none[PANEL_VECTORS * NAME(LANES)];
    const int64_t width = panel->vectors * NAME(LANES);
    for (int64_t f = 0; f < 16; f++)
        for (int64_t channel = 0; channel < c->channels; channel += c->k_channels) {
            const int64_t k = ob__least(c->channels - channel, c->k_channels);
            const NAME(walk) walk = {tiles + (f * c->channels + channel) * c->pitch, &zero, INT64_MAX, 0};
            const T *w = packed + (f * c->channels + channel) * width, *from = channel == 0 ? none : NULL;
            if (obk_stops(pace, k * n / 4 + n)) return;
            NAME(panel_block)(panel->vectors, n, k, c->k_offset, walk, w, from, sums + f * OBK_WINOGRAD_ROOM * width);
        }
}

void OBK_FN(NAME(winograd_run))(const obk_conv *c, const void *copies, const void *packed, const void *bias, void *results,
                                int64_t b, int64_t first, int64_t end, const obk_epilogue *after, void *lane, obk_pace *pace) {
    const int64_t columns = c->window.axes[1].out, n_rows = NAME(winograd_rows)(c, b), tile_rows = (n_rows + 1) / 2,
                  across = obk_winograd_across(c), parts = ob__ceil_div(across, OBK_WINOGRAD_TILES),
                  each = ob__ceil_div(across, parts), high = parts > 1 ? 1 : OBK_WINOGRAD_TILES / across;
    T *sums = lane, *placed = sums + 16 * OBK_WINOGRAD_ROOM * PANEL_VECTORS * NAME(LANES),
      *finished = placed + OBK_PANEL_ROOM * PANEL_VECTORS * NAME(LANES);
    const int64_t origin = obk_panel_at(NAME(LANES), PANEL_VECTORS, c->out_channels, first).first;
    for (int64_t p = first; p < end; p++) {
        const obk_panel panel = obk_panel_at(NAME(LANES), PANEL_VECTORS, c->out_channels, p);
        const int64_t width = panel.vectors * NAME(LANES);
        const T *w = (const T *)packed + panel.first * 16 * c->channels;
        T start[PANEL_VECTORS * NAME(LANES)] = {0};
        if (bias) memcpy(start, (const T *)bias + panel.first, (size_t)panel.channels * sizeof(T));
        for (int64_t i = 0; i < tile_rows; i += high)
            for (int64_t t = 0; t < across; t += each) {
                const int64_t some_rows = ob__least(tile_rows - i, high), some = ob__least(across - t, each),
                              row = parts > 1 ? OBK_PANEL_ROOM / 2 : columns, n_columns = ob__least(columns - 2 * t, 2 * some),
                              rows = ob__least(n_rows - 2 * i, 2 * some_rows);
                NAME(winograd_products)(c, (const T *)copies + i * across + t, some_rows * some, &panel, w, sums, pace);
                NAME(winograd_results)(sums, some_rows * some, some, n_columns, row, panel.vectors, start, placed);
                if (parts == 1) {
                    NAME(finish_panel)
                    (results, c->y_channel, placed, &panel, panel.first - origin, 2 * i * columns, rows * columns, after,
                     finished);
                    continue;
                }
                for (int64_t r = 0; r < rows; r++) NAME(finish_panel)
                (results, c->y_channel, placed + r * row * width, &panel, panel.first - origin, (2 * i + r) * columns + 2 * t,
                 n_columns, after, finished);
            }
    }
}

/* G w G', rounded once. */
static void NAME(winograd_kernel)(const T *w, T *to, int64_t step) {
    double g[4][3];
    for (int j = 0; j < 3; j++) {
        const double a = (double)w[j], b = (double)w[3 + j], c = (double)w[6 + j];
        g[0][j] = a, g[1][j] = (a + b + c) / 2, g[2][j] = (a - b + c) / 2, g[3][j] = c;
    }
    for (int i = 0; i < 4; i++) {
        const double a = g[i][0], b = g[i][1], c = g[i][2];
        to[(4 * i) * step] = (T)a;
        to[(4 * i + 1) * step] = (T)((a + b + c) / 2);
        to[(4 * i + 2) * step] = (T)((a - b + c) / 2);
        to[(4 * i + 3) * step] = (T)c;
    }
}

/* [panel][frequency][channel][output channel of the panel] */
void OBK_FN(NAME(winograd_pack))(void *to, const void *from, int64_t out_channels, int64_t k) {
    const int64_t channels = k / 9;
    for (int64_t p = 0, n = obk_panels(NAME(LANES), PANEL_VECTORS, out_channels); p < n; p++) {
        const obk_panel panel = obk_panel_at(NAME(LANES), PANEL_VECTORS, out_channels, p);
        const int64_t width = panel.vectors * NAME(LANES);
        T *here = (T *)to + panel.first * 16 * channels;
        if (panel.channels < width) memset(here, 0, (size_t)(16 * channels * width) * sizeof(T));
        for (int64_t m = 0; m < panel.channels; m++)
            for (int64_t c = 0; c < channels; c++)
                NAME(winograd_kernel)((const T *)from + (panel.first + m) * k + c * 9, here + c * width + m, channels * width);
    }
}
