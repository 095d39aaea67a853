#include "ops/conv/window.h"

static ob_status read_sizes(const ob_kernel_args *args, const char *name, int32_t n, int64_t least, int64_t otherwise,
                            int64_t *sizes, ob_error *error) {
    uint32_t n_given;
    const int64_t *given = ob__node_ints(args->node, name, &n_given);
    OB_FAIL_IF(given && n_given != (uint32_t)n, error, OB_E_ARGUMENT, "%s: %u %s for %d axes", args->node->op_type, n_given, name,
               n);
    for (int32_t i = 0; i < n; i++) {
        sizes[i] = given ? given[i] : otherwise;
        OB_FAIL_IF(sizes[i] < least || sizes[i] > INT32_MAX, error, OB_E_ARGUMENT, "%s: %s[%d] is %lld", args->node->op_type,
                   name, i, (long long)sizes[i]);
    }
    return OB_OK;
}

static ob_status read_padding(const ob_kernel_args *args, ob__window *w, ob_error *error) {
    const char *mode = ob__node_string(args->node, "auto_pad", "NOTSET");
    bool upper = strcmp(mode, "SAME_UPPER") == 0, lower = strcmp(mode, "SAME_LOWER") == 0;
    int64_t pads[2 * OB_MAX_RANK] = {0};
    if (!upper && !lower && strcmp(mode, "VALID") != 0) {
        OB_FAIL_IF(strcmp(mode, "NOTSET") != 0 && mode[0] != 0, error, OB_E_ARGUMENT, "%s: auto_pad \"%s\"", args->node->op_type,
                   mode);
        OB_TRY(read_sizes(args, "pads", 2 * w->rank, 0, 0, pads, error));
    }
    for (int32_t a = 0; a < w->rank; a++) {
        w->before[a] = pads[a];
        w->after[a] = pads[w->rank + a];
        if (!upper && !lower) continue;
        int64_t total = (w->out[a] - 1) * w->stride[a] + (w->kernel[a] - 1) * w->dilation[a] + 1 - w->in[a];
        if (total < 0) total = 0;
        w->before[a] = upper ? total / 2 : total - total / 2;
        w->after[a] = total - w->before[a];
    }
    return OB_OK;
}

ob_status ob__read_window(const ob_kernel_args *args, const ob_view *in, const ob_view *out, const int64_t *kernel, ob__window *w,
                          ob_error *error) {
    const char *op = args->node->op_type;
    memset(w, 0, sizeof *w);
    OB_FAIL_IF(in->rank < 2 || out->rank != in->rank, error, OB_E_SHAPE, "%s: ranks %d and %d", op, in->rank, out->rank);
    w->rank = in->rank - 2;
    w->n_taps = 1;
    if (kernel)
        for (int32_t a = 0; a < w->rank; a++) w->kernel[a] = kernel[a];
    else
        OB_TRY(read_sizes(args, "kernel_shape", w->rank, 1, 1, w->kernel, error));
    OB_TRY(read_sizes(args, "strides", w->rank, 1, 1, w->stride, error));
    OB_TRY(read_sizes(args, "dilations", w->rank, 1, 1, w->dilation, error));
    for (int32_t a = 0; a < w->rank; a++) {
        w->in[a] = in->dims[a + 2];
        w->out[a] = out->dims[a + 2];
        bool bad = w->kernel[a] < 0 || w->kernel[a] > INT32_MAX || w->in[a] > INT32_MAX || w->out[a] > INT32_MAX;
        OB_FAIL_IF(bad || ob__mul_overflows(w->n_taps, w->kernel[a], &w->n_taps), error, OB_E_LIMIT, "%s: axis %d is too large",
                   op, a);
    }
    w->n_in = ob__product(w->in, 0, w->rank);
    w->n_out = ob__product(w->out, 0, w->rank);
    return read_padding(args, w, error);
}

static int64_t ceil_div(int64_t a, int64_t b) {
    return a > 0 ? (a - 1) / b + 1 : -(-a / b);
}

void ob__window_reach(const ob__window *w, int32_t a, int64_t k, int64_t *first, int64_t *end) {
    int64_t shift = w->before[a] - k * w->dilation[a]; /* input index = o * stride - shift */
    *first = shift > 0 ? ceil_div(shift, w->stride[a]) : 0;
    *end = ceil_div(w->in[a] + shift, w->stride[a]);
    if (*end > w->out[a]) *end = w->out[a];
    if (*end < *first) *end = *first;
}

int64_t ob__window_taps(const ob__window *w, int32_t a, int64_t o, bool padded) {
    int64_t start = o * w->stride[a] - w->before[a], low = padded ? -w->before[a] : 0,
            high = w->in[a] + (padded ? w->after[a] : 0);
    int64_t first = start < low ? ceil_div(low - start, w->dilation[a]) : 0;
    int64_t end = high > start ? ceil_div(high - start, w->dilation[a]) : 0;
    if (end > w->kernel[a]) end = w->kernel[a];
    return end > first ? end - first : 0;
}

/* The first tap of axis a from k on that meets the input at any result; kernel[a]: none does. Steps over whole runs of taps that
 * see padding only, so that a kernel of any size costs no more than input and result. */
static int64_t next_tap(const ob__window *w, int32_t a, int64_t k) {
    while (k < w->kernel[a]) {
        int64_t first, end, start = w->before[a] - k * w->dilation[a]; /* of the input, seen from result 0 */
        ob__window_reach(w, a, k, &first, &end);
        if (end > first) return k;
        /* The result before the first one that is not in front of the input is the next to enter it. */
        int64_t o = start > 0 ? ceil_div(start, w->stride[a]) : 0;
        if (o > w->out[a]) o = w->out[a];
        if (o == 0) break; /* every result looks behind the input, and further taps do all the more */
        int64_t distance = start - (o - 1) * w->stride[a];
        k += ceil_div(distance, w->dilation[a]);
    }
    return w->kernel[a];
}

int64_t ob__window_work(const ob__window *w) {
    int64_t work = 1;
    for (int32_t a = 0; a < w->rank; a++) {
        /* taps times results, of which at most every input element is met by every result, or by every tap */
        int64_t taps = w->kernel[a] < w->in[a] ? w->kernel[a] : w->in[a];
        if (ob__mul_overflows(work, w->out[a], &work) || ob__mul_overflows(work, taps > 0 ? taps : 1, &work))
            return INT64_MAX / 2;
    }
    return work < INT64_MAX / 2 ? work + 1 : INT64_MAX / 2;
}

/* All rows of results that one tap reaches. */
static void walk_tap(const ob__window *w, int64_t tap, const int64_t *k, ob__window_row row, void *context) {
    int64_t first[OB_MAX_RANK], end[OB_MAX_RANK], index[OB_MAX_RANK];
    int32_t last = w->rank - 1;
    if (w->rank == 0) {
        row(context, tap, 0, 0, 1, 1);
        return;
    }
    for (int32_t a = 0; a < w->rank; a++) {
        ob__window_reach(w, a, k[a], &first[a], &end[a]);
        if (first[a] == end[a]) return;
        index[a] = first[a];
    }
    for (;;) {
        int64_t out = 0, in = 0;
        for (int32_t a = 0; a < w->rank; a++) {
            out = out * w->out[a] + index[a];
            in = in * w->in[a] + index[a] * w->stride[a] - w->before[a] + k[a] * w->dilation[a];
        }
        row(context, tap, out, in, end[last] - first[last], w->stride[last]);
        int32_t a = last - 1;
        while (a >= 0 && ++index[a] == end[a]) {
            index[a] = first[a];
            a--;
        }
        if (a < 0) return;
    }
}

void ob__window_walk(const ob__window *w, ob__window_row row, void *context) {
    int64_t k[OB_MAX_RANK] = {0}, least[OB_MAX_RANK];
    for (int32_t a = 0; a < w->rank; a++) {
        k[a] = least[a] = next_tap(w, a, 0);
        if (k[a] == w->kernel[a]) return;
    }
    for (;;) {
        int64_t tap = 0;
        for (int32_t a = 0; a < w->rank; a++) tap = tap * w->kernel[a] + k[a];
        walk_tap(w, tap, k, row, context);
        int32_t a = w->rank - 1;
        while (a >= 0 && (k[a] = next_tap(w, a, k[a] + 1)) == w->kernel[a]) {
            k[a] = least[a];
            a--;
        }
        if (a < 0) return;
    }
}
