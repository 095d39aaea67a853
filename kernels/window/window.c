#include "kernels/window/window.h"

#include "core/base/error.h"
#include "core/base/integers.h"

void obk_kernel_range(const obk_axis *x, int64_t o, int64_t *first, int64_t *end) {
    int64_t start = o * x->stride - x->before; /* the element that kernel position 0 reads */
    *first = start < 0 ? ob__ceil_div(-start, x->dilation) : 0;
    *end = x->in > start ? ob__least(ob__ceil_div(x->in - start, x->dilation), x->kernel) : 0;
    if (*end < *first) *end = *first;
}

int64_t obk_padded_positions(const obk_axis *x, int64_t o) {
    int64_t start = o * x->stride - x->before, behind = x->in + x->after; /* no window starts before the padding */
    return behind > start ? ob__least(ob__ceil_div(behind - start, x->dilation), x->kernel) : 0;
}

void obk_result_range(const obk_axis *x, int64_t k, int64_t *first, int64_t *end) {
    int64_t shift = x->before - k * x->dilation; /* input = o * stride - shift */
    *first = shift > 0 ? ob__ceil_div(shift, x->stride) : 0;
    *end = ob__least(ob__ceil_div(x->in + shift, x->stride), x->out);
    if (*end < *first) *end = *first;
}

void obk_inner_results(const obk_axis *x, int64_t *first, int64_t *end) {
    int64_t behind, begin;
    obk_result_range(x, 0, first, &behind);
    obk_result_range(x, x->kernel - 1, &begin, end);
    if (*end < *first) *first = *end = *first < x->out ? *first : x->out;
}

/* Each result reads only the element at its own position. */
static bool is_plain(const obk_axis *x) {
    return x->kernel == 1 && x->before == 0 && x->in == x->out && (x->stride == 1 || x->in == 1);
}

/* Joins the plain axis `inner` to the axis before it. False: the sizes would become too large. */
static bool join(obk_axis *x, const obk_axis *inner) {
    int64_t n = inner->in, most = x->in > x->out ? x->in : x->out;
    most = most > x->before ? most : x->before;
    most = most > x->after ? most : x->after;
    most = most > x->dilation ? most : x->dilation;
    if (x->stride != 1 || n < 1 || most > INT32_MAX / n) return false;
    *x = (obk_axis){x->in * n, x->out * n, x->kernel, 1, x->dilation * n, x->before * n, x->after * n};
    return true;
}

int32_t obk_merge_axes(obk_axis *axes, int32_t rank) {
    int32_t n = 0;
    for (int32_t a = 0; a < rank; a++) {
        if (is_plain(&axes[a]) && (axes[a].in == 1 || (n > 0 && join(&axes[n - 1], &axes[a])))) continue;
        axes[n++] = axes[a];
    }
    if (n == 0) axes[n++] = (obk_axis){1, 1, 1, 1, 1, 0, 0};
    return n;
}

static int64_t saturated_product(int64_t a, int64_t b) {
    int64_t product;
    return ob__mul_overflows(a, b, &product) || product > INT64_MAX / 2 ? INT64_MAX / 2 : product;
}

/* The visits along one axis, summed over its results or its kernel positions, whichever are fewer. */
static int64_t visits_of(const obk_axis *x) {
    enum { MANY = 1 << 20 };
    const bool by_kernel = x->kernel < x->out;
    const int64_t n = by_kernel ? x->kernel : x->out;
    int64_t visits = 0;
    if (n > MANY) return saturated_product(x->kernel, x->out);
    for (int64_t i = 0; i < n; i++) {
        int64_t first, end;
        if (by_kernel)
            obk_result_range(x, i, &first, &end);
        else
            obk_kernel_range(x, i, &first, &end);
        visits += end - first;
    }
    return visits;
}

int64_t obk_window_work(const obk_window *w) {
    int64_t work = 1;
    for (int32_t a = 0; a < w->rank; a++) work = saturated_product(work, visits_of(&w->axes[a]));
    return work;
}

static int64_t phases_of(const obk_axis *x) {
    return ob__least(x->stride, (x->kernel - 1) * x->dilation + 1);
}
/* The positions of a phase that `out` results read. */
static int64_t extent_of(const obk_axis *x, int64_t out) {
    return (x->kernel - 1) * x->dilation / x->stride + out;
}

/* The elements of a block's copy, without slack. */
static int64_t copied(const obk_window *w, int64_t block) {
    int64_t n = 1;
    for (int32_t a = 0; a < w->rank; a++) {
        n = saturated_product(n, phases_of(&w->axes[a]));
        n = saturated_product(n, extent_of(&w->axes[a], a == 0 ? block : w->axes[a].out));
    }
    return n;
}

static int64_t flat(const obk_window *w, int64_t block) {
    int64_t pitch = 1, n = 0;
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        int64_t out = a == 0 ? block : w->axes[a].out;
        n += (out - 1) * pitch;
        pitch *= extent_of(&w->axes[a], out);
    }
    return n + 1;
}

bool obk_choose_tiling(const obk_window *w, int64_t wish, obk_tiling *t, int64_t *n_tables) {
    const int64_t some = 1 << 14;
    *t = (obk_tiling){.rank = w->rank, .n_kernel = w->n_kernel};
    for (int32_t a = 0; a < w->rank; a++)
        if (w->axes[a].out <= 0 || w->axes[a].kernel <= 0) return false;
    int64_t whole = copied(w, w->axes[0].out), rows = w->axes[0].out;
    if (whole > 4 * saturated_product(w->n_in + w->n_out, 1) + some) return false;
    if (saturated_product(flat(w, rows), w->n_kernel) > saturated_product(4, obk_window_work(w)) + some) return false;
    if (whole > wish) { /* `one`: elements of a block with one result along axis 0; `each`: of every further result */
        int64_t one = copied(w, 1), each = copied(w, 2) - one;
        rows = wish > one && each > 0 ? 1 + (wish - one) / each : 1;
        int64_t blocks = ob__ceil_div(w->axes[0].out, rows);
        rows = ob__ceil_div(w->axes[0].out, blocks);
    }
    t->block = rows;
    t->n_blocks = ob__ceil_div(w->axes[0].out, rows);
    t->n_flat = flat(w, rows);
    t->n_rows = w->rank == 1 ? 1 : rows;
    t->phases = t->phase_elems = 1;
    for (int32_t a = 0; a < w->rank; a++) {
        t->phases *= phases_of(&w->axes[a]);
        t->phase_elems *= extent_of(&w->axes[a], a == 0 ? rows : w->axes[a].out);
        if (a > 0 && a < w->rank - 1) t->n_rows *= w->axes[a].out;
    }
    t->elems = t->phases * t->phase_elems;
    t->rows_each = w->rank == 1 ? 0 : t->n_rows / t->block;
    t->results_each = w->n_out / w->axes[0].out;
    t->inputs_each = w->n_in / (w->axes[0].in > 0 ? w->axes[0].in : 1);
    *n_tables = 3 * (int64_t)w->rank + w->n_kernel + t->n_rows;
    return true;
}

void obk_fill_tiling(const obk_window *w, obk_tiling *t, int64_t *tables) {
    int64_t *pitch = tables, *extent = pitch + w->rank, *phases = extent + w->rank, *offset = phases + w->rank,
            *row = offset + w->n_kernel, next = 1;
    for (int32_t a = w->rank - 1; a >= 0; a--) {
        pitch[a] = next;
        extent[a] = extent_of(&w->axes[a], a == 0 ? t->block : w->axes[a].out);
        phases[a] = phases_of(&w->axes[a]);
        next *= extent[a];
    }
    for (int64_t k = 0; k < w->n_kernel; k++) {
        int64_t remainder = k, slot = 1;
        offset[k] = 0;
        for (int32_t a = w->rank - 1; a >= 0; a--) {
            const obk_axis *x = &w->axes[a];
            int64_t at = remainder % x->kernel * x->dilation;
            offset[k] += at / x->stride * pitch[a] + at % x->stride * slot * t->phase_elems;
            slot *= phases[a];
            remainder /= x->kernel;
        }
    }
    for (int64_t i = 0; i < t->n_rows; i++) {
        int64_t remainder = i;
        row[i] = 0;
        for (int32_t a = w->rank - 2; a >= 0; a--) {
            int64_t out = a == 0 ? t->block : w->axes[a].out;
            row[i] += remainder % out * pitch[a];
            remainder /= out;
        }
    }
    t->pitch = pitch;
    t->extent = extent;
    t->axis_phases = phases;
    t->offset = offset;
    t->row = row;
}
