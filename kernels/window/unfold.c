#include "kernels/window/unfold.h"

static int64_t between(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Where the tap's row of inputs for a row of results begins; -1: outside. */
static int64_t row_of_inputs(const obk_window *w, int64_t tap, int64_t row) {
    int32_t last = w->rank - 1;
    int64_t size = w->axes[last].in, at = 0;
    tap /= w->axes[last].kernel;
    for (int32_t a = last - 1; a >= 0; a--) {
        const obk_axis *x = &w->axes[a];
        int64_t in = row % x->out * x->stride - x->before + tap % x->kernel * x->dilation;
        if (in < 0 || in >= x->in) return -1;
        at += in * size;
        size *= x->in;
        row /= x->out;
        tap /= x->kernel;
    }
    return at;
}

/* Results from .. from + n of a row. */
static void unfold_row(const obk_axis *x, int64_t tap, const uint8_t *inputs, int64_t from, int64_t n, uint8_t padding,
                       uint8_t *to) {
    int64_t first, end;
    obk_reach(x, tap, &first, &end);
    first = between(first, from, from + n);
    end = between(end, first, from + n);
    memset(to, padding, (size_t)(first - from));
    memset(to + (end - from), padding, (size_t)(from + n - end));
    const uint8_t *in = inputs + (first * x->stride - x->before + tap * x->dilation);
    if (first == end) return;
    if (x->stride == 1)
        obk_copy_row(to + (first - from), in, end - first);
    else
        for (int64_t i = first; i < end; i++, in += x->stride) to[i - from] = *in;
}

void obk_unfold_bytes(const obk_window *window, const uint8_t *plane, int64_t first, int64_t end, uint8_t padding,
                      uint8_t *columns) {
    const obk_axis *last = &window->axes[window->rank - 1];
    for (int64_t tap = 0; tap < window->n_taps; tap++)
        for (int64_t at = first, n; at < end; at += n, columns += n) {
            int64_t from = at % last->out, row = row_of_inputs(window, tap, at / last->out);
            n = last->out - from < end - at ? last->out - from : end - at;
            if (row < 0)
                memset(columns, padding, (size_t)n);
            else
                unfold_row(last, tap % last->kernel, plane + row, from, n, padding, columns);
        }
}
