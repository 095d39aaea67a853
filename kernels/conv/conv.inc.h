/* Template of conv.c. Parameters: T, PAD, NAME(n), VECTOR, REGISTER, FMA(a, b, c) of vectors, FMA_ONE of one element, PLAIN as
 * in panels.inc.h. TRANSPOSED adds the transposed convolution. */

#if !PLAIN
#define TILE    NAME(tile_6x2)
#define ROWS    6
#define COLUMNS 2
#include "kernels/conv/tile.inc.h"
#define TILE    NAME(tile_4x3)
#define ROWS    4
#define COLUMNS 3
#include "kernels/conv/tile.inc.h"
#define TILE    NAME(tile_2x4)
#define ROWS    2
#define COLUMNS 4
#include "kernels/conv/tile.inc.h"
#define TILE    NAME(tile_1x8)
#define ROWS    1
#define COLUMNS 8
#include "kernels/conv/tile.inc.h"
#define TILE    NAME(tile_6x1)
#define ROWS    6
#define COLUMNS 1
#include "kernels/conv/tile.inc.h"
#endif
#define TILE    NAME(tile_1x1)
#define ROWS    1
#define COLUMNS 1
#include "kernels/conv/tile.inc.h"

static void NAME(tile)(int64_t out_channels, bool narrow, const obk_product *q, const T *x, const T *w, const T *bias,
                       int64_t rows, T *out, int64_t out_step) {
#if PLAIN
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const int64_t columns = narrow ? 1 : out_channels == 6 ? 2 : out_channels == 4 ? 3 : out_channels == 2 ? 4 : 8;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t v = 0; v < columns * LANES; v += LANES)
            NAME(tile_1x1)(q, x + v, w + r * q->w_down, bias ? bias + r : NULL, 1, out + r * out_step + v, out_step);
#else
    if (narrow && out_channels == 1)
        NAME(tile_1x1)(q, x, w, bias, rows, out, out_step);
    else if (narrow)
        NAME(tile_6x1)(q, x, w, bias, rows, out, out_step);
    else if (out_channels == 6)
        NAME(tile_6x2)(q, x, w, bias, rows, out, out_step);
    else if (out_channels == 4)
        NAME(tile_4x3)(q, x, w, bias, rows, out, out_step);
    else if (out_channels == 2)
        NAME(tile_2x4)(q, x, w, bias, rows, out, out_step);
    else
        NAME(tile_1x8)(q, x, w, bias, rows, out, out_step);
#endif
}

/* Computes n positions of `out_channels` (from channels_at_once) output channels, of which the first `rows` are stored. A row of
 * `out` has room for at least n elements and at least one vector. A tile that would pass the end of the room starts earlier and
 * computes some results again, with the same bits. */
static void NAME(rows)(const obk_product *q, const T *x, int64_t n, const T *w, const T *bias, int64_t out_channels, int64_t rows,
                       T *out, int64_t out_step, int64_t room, obk_pace *pace) {
    enum { LANES = sizeof(VECTOR) / sizeof(T) };
    const double each =
        (double)out_channels * (double)q->channels * (double)q->n_kernel / 16; /* roughly the nanoseconds of a position */
    const bool is_long = each * (double)n > OBK_PACE_WORK / 16;
    if (!is_long && obk_stops(pace, (int64_t)(each * (double)n))) return;
    const int64_t wide = (out_channels == 6 ? 2 : out_channels == 4 ? 3 : out_channels == 2 ? 4 : 8) * LANES;
    for (int64_t i = 0; i < n;) {
        const bool narrow = n - i <= LANES || room < wide;
        const int64_t width = narrow ? LANES : wide, at = i + width <= room ? i : room - width;
        if (is_long && obk_stops(pace, each < OBK_PACE_WORK ? (int64_t)(each * (double)width) : OBK_PACE_WORK)) return;
        NAME(tile)(out_channels, narrow, q, x + at, w, bias, rows, out + at, out_step);
        i = at + width;
    }
}

static void NAME(conv_tiled)(const obk_conv *c, const T *x, const T *w, const T *bias, T *y, int64_t b, int64_t first,
                             int64_t end, T *lane, obk_pace *pace) {
    const obk_window *win = &c->window;
    const obk_tiling *t = &c->tiling;
    const int64_t rows = obk_block_rows(win, t, b), length = obk_row_length(win, t, b), n = obk_block_flat(win, t, b),
                  step = t->n_flat + OBK_SLACK;
    const obk_product q = {c->channels, win->n_kernel, c->pitch, c->channels * win->n_kernel, 1, t->offset};
    for (int64_t i = 0; i < c->channels && !obk_stops(pace, n); i++) PAD(win, t, x + i * win->n_in, b, 0, lane + i * c->pitch);
    T *behind = lane + c->channels * c->pitch, *out = behind + OBK_SLACK;
    memset(behind, 0, OBK_SLACK * sizeof(T));
    for (int64_t m = first; m < end;) {
        const int64_t at_once = channels_at_once(end - m), some = at_once < end - m ? at_once : end - m;
        NAME(rows)(&q, lane, n, w + m * q.w_down, bias ? bias + m : NULL, at_once, some, out, step, step, pace);
        for (int64_t r = 0; r < some; r++, m++)
            for (int64_t i = 0; i < rows; i++)
                obk_copy_row(y + (m - first) * c->y_channel + i * length, out + r * step + t->row[i],
                             length * (int64_t)sizeof(T));
    }
}

static void NAME(conv_pointwise)(const obk_conv *c, const T *x, const T *w, const T *bias, T *y, int64_t b, int64_t first,
                                 int64_t end, T *lane, obk_pace *pace) {
    const int64_t n_out = c->window.n_out, n = obk_conv_results(c, b);
    const obk_product q = {c->channels, 1, c->pitch > 0 ? c->pitch : n_out, c->channels, 1, NULL};
    const T *from = x + obk_conv_start(c, b);
    if (c->pitch > 0) {
        for (int64_t i = 0; i < c->channels; i++) memcpy(lane + i * c->pitch, from + i * n_out, (size_t)n * sizeof(T));
        from = lane;
    }
    for (int64_t m = first; m < end;) {
        const int64_t at_once = channels_at_once(end - m), some = at_once < end - m ? at_once : end - m;
        NAME(rows)
        (&q, from, n, w + m * q.w_down, bias ? bias + m : NULL, at_once, some, y + (m - first) * c->y_channel, c->y_channel, n,
         pace);
        m += some;
    }
}

/* Visits kernel positions one by one. */
static void NAME(conv_each)(const obk_conv *c, const T *x, const T *w, const T *bias, T *y, int64_t first, int64_t end,
                            obk_pace *pace) {
    const obk_window *win = &c->window;
    const int32_t last = win->rank - 1;
    for (int64_t m = first; m < end; m++)
        for (int64_t o = 0; o < win->n_out; o++) {
            T sum = bias ? bias[m] : 0;
            for (int64_t i = 0; i < c->channels; i++) {
                const T *plane = x + i * win->n_in, *weights = w + (m * c->channels + i) * win->n_kernel;
                if (obk_stops(pace, win->n_kernel)) return;
                obk_visit v;
                obk_start_visit(win, o, &v);
                if (v.any) do {
                        int64_t at = obk_seen(win, &v, o), weight = 0;
                        for (int32_t a = 0; a <= last; a++) weight = weight * win->axes[a].kernel + v.position[a];
                        for (int64_t k = v.first[last]; k < v.end[last]; k++, at += win->axes[last].dilation)
                            sum = FMA_ONE(weights[weight++], plane[at], sum);
                    } while (obk_next_row(win, &v));
            }
            y[(m - first) * c->y_channel + o] = sum;
        }
}

void OBK_FN(NAME(conv))(const obk_conv *c, const void *x, const void *w, const void *bias, void *y, int64_t b, int64_t first,
                        int64_t end, void *lane, obk_pace *pace) {
    if (!c->tiled)
        NAME(conv_each)(c, x, w, bias, y, first, end, pace);
    else if (c->pointwise)
        NAME(conv_pointwise)(c, x, w, bias, y, b, first, end, lane, pace);
    else
        NAME(conv_tiled)(c, x, w, bias, y, b, first, end, lane, pace);
}

#include "kernels/conv/panels.inc.h"
#ifdef EVENS
#include "kernels/conv/winograd.inc.h"
#endif
#ifdef DEPTHWISE
#include "kernels/conv/depthwise.inc.h"
#endif
#ifdef TRANSPOSED
#include "kernels/conv/transposed.inc.h"
#endif

#undef T
#undef PAD
#undef NAME
#undef VECTOR
#undef REGISTER
#undef FMA
#undef FMA_ONE
#undef PLAIN
#undef TRANSPOSED
#undef TRANSPOSED_AT_ONCE
#undef TRANSPOSE
#undef DEPTHWISE
#undef EVENS
#undef ODDS
