#include "ops/window/window.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "ops/infer/contents.h"
#include "ops/kernel/common.h"
#include "ops/table/attributes.h"

/* ---- attributes ---- */

ob_status ob__read_sizes(const ob_node *node, const char *name, int32_t n, int64_t least, int64_t otherwise, int64_t *sizes,
                         int32_t room, ob_error *error) {
    uint32_t n_given = 0;
    OB_FAIL_IF(n > room, error, OB_E_LIMIT, "%s: %d entries, at most %d are supported", name, n, room);
    const int64_t *given = ob__attribute_list(node, name, &n_given);
    bool there = ob__node_attribute(node, name) != NULL;
    OB_FAIL_IF(there && (!given || n_given != (uint32_t)n), error, OB_E_ARGUMENT, "%s has %u entries for %d spatial axes", name,
               n_given, n);
    for (int32_t i = 0; i < n; i++) {
        sizes[i] = there ? given[i] : otherwise;
        OB_FAIL_IF(sizes[i] < least || sizes[i] > INT32_MAX, error, OB_E_ARGUMENT, "%s holds %lld", name, (long long)sizes[i]);
    }
    return OB_OK;
}

static ob_status read_padding(const ob_node *node, ob_window_params *w, ob_error *error) {
    static const char *const modes[] = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
    const char *mode = ob__attribute_text(node, "auto_pad");
    int64_t pads[2 * OB_MAX_RANK];
    uint32_t known = 0;
    while (known < 4 && strcmp(mode, modes[known]) != 0) known++;
    if (known == 4 && mode[0] != 0) w->unknown_pad = mode;
    w->auto_pad = known == 4 ? OB_PAD_GIVEN : (ob_auto_pad)known;
    if (w->auto_pad != OB_PAD_GIVEN) return OB_OK;
    OB_TRY(ob__read_sizes(node, "pads", 2 * w->rank, 0, 0, pads, 2 * OB_MAX_RANK, error));
    for (int32_t i = 0; i < w->rank; i++) {
        w->before[i] = pads[i];
        w->after[i] = pads[w->rank + i];
    }
    return OB_OK;
}

ob_status ob__read_window(const ob_node *node, int64_t n_axes, ob_window_params *w, ob_error *error) {
    uint32_t n_given = 0;
    ob__attribute_list(node, "kernel_shape", &n_given);
    if (n_axes < 0) n_axes = n_given;
    memset(w, 0, sizeof *w);
    OB_FAIL_IF(n_axes > OB_MAX_RANK - 2, error, OB_E_LIMIT, "%lld spatial axes, at most %d are supported", (long long)n_axes,
               OB_MAX_RANK - 2);
    const int32_t rank = (int32_t)n_axes;
    w->rank = rank;
    w->ceil_mode = ob__attribute_flag(node, "ceil_mode");
    w->kernel_given = ob__node_attribute(node, "kernel_shape") != NULL;
    for (int32_t i = 0; i < rank; i++) w->kernel[i] = OB_DIM_UNKNOWN;
    if (w->kernel_given) OB_TRY(ob__read_sizes(node, "kernel_shape", rank, 1, 1, w->kernel, OB_MAX_RANK, error));
    OB_TRY(ob__read_sizes(node, "strides", rank, 1, 1, w->strides, OB_MAX_RANK, error));
    OB_TRY(ob__read_sizes(node, "dilations", rank, 1, 1, w->dilations, OB_MAX_RANK, error));
    OB_TRY(read_padding(node, w, error));
    if (w->auto_pad == OB_PAD_VALID)
        w->ceil_mode =
            false; /* the specification defines VALID as ceil((input - extent + 1) / stride), whatever ceil_mode says */
    return OB_OK;
}

/* ---- numbers ---- */

static bool is_same(const ob_window_params *w) {
    return w->auto_pad == OB_PAD_SAME_UPPER || w->auto_pad == OB_PAD_SAME_LOWER;
}

static obk_axis axis_of(const ob_window_params *w, int32_t a, int64_t in, int64_t out) {
    obk_axis axis = {in, out, w->kernel[a], w->strides[a], w->dilations[a], w->before[a], w->after[a]};
    if (!is_same(w)) return axis;
    int64_t total = (out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - in;
    if (total < 0) total = 0;
    axis.before = w->auto_pad == OB_PAD_SAME_UPPER ? total / 2 : total - total / 2;
    axis.after = total - axis.before;
    return axis;
}

ob_status ob__plan_window(const ob_kernel_site *site, const ob_window_params *w, const int64_t *in, const int64_t *out,
                          bool merges, obk_window *window, ob_error *error) {
    OB_FAIL_IF(w->unknown_pad, error, OB_E_ARGUMENT, "auto_pad is \"%s\"", w->unknown_pad);
    int32_t rank = w->rank > 0 ? w->rank : 1; /* a plane without axes has one element */
    obk_axis *axes = ob__tail(site, (uint64_t)rank, sizeof *axes);
    if (!axes) return ob__fail(error, OB_E_MEMORY, "no memory for a plan");
    *window = (obk_window){rank, axes, 1, 1, 1};
    axes[0] = (obk_axis){1, 1, 1, 1, 1, 0, 0};
    for (int32_t a = 0; a < w->rank; a++) {
        bool bad = w->kernel[a] < 0 || w->kernel[a] > INT32_MAX || in[a] > INT32_MAX || out[a] > INT32_MAX;
        OB_FAIL_IF(bad || ob__mul_overflows(window->n_kernel, w->kernel[a], &window->n_kernel), error, OB_E_LIMIT,
                   "spatial axis %d is too large", a);
        const int64_t *padding = site->padding ? site->padding + 2 + a : NULL; /* around the planes in memory */
        const int64_t before = padding ? padding[0] : 0, after = padding ? padding[w->rank + 2] : 0;
        axes[a] = axis_of(w, a, in[a] + before + after, out[a]);
        axes[a].in = in[a];
        axes[a].before += before;
        axes[a].after += after;
    }
    if (merges) window->rank = obk_merge_axes(axes, rank);
    window->n_in = ob__product(in, 0, w->rank);
    window->n_out = ob__product(out, 0, w->rank);
    return OB_OK;
}

ob_status ob__plan_tiling(const ob_kernel_site *site, const obk_window *window, int64_t wish, obk_tiling *tiling, bool *tiled,
                          ob_error *error) {
    int64_t n_tables;
    *tiled = obk_choose_tiling(window, wish, tiling, &n_tables);
    if (!*tiled) return OB_OK;
    int64_t *tables = ob__tail(site, (uint64_t)n_tables, sizeof *tables);
    if (!tables) return ob__fail(error, OB_E_MEMORY, "no memory for a plan");
    obk_fill_tiling(window, tiling, tables);
    return OB_OK;
}

/* ---- terms ---- */

ob_dim ob__window_extent(ob_infer *infer, const ob_window_params *w, int32_t i) {
    ob_dim last = ob_dim_mul(infer->dims, ob_dim_sub(infer->dims, w->kernel[i], 1), w->dilations[i]);
    return ob_dim_add(infer->dims, last, 1);
}

static ob_dim padded(ob_infer *infer, const ob_window_params *w, int32_t i, ob_dim size) {
    return ob_dim_add(infer->dims, size, w->before[i] + w->after[i]);
}

/* How far the first window may extend past the end: with ceil_mode, rounding up then gives one position. */
static int64_t overhang(const ob_window_params *w, int32_t i) {
    return w->ceil_mode ? w->strides[i] - 1 : 0;
}

ob_status ob__require_window(ob_infer *infer, const ob_window_params *w, int32_t i, ob_dim size) {
    ob_dim all = padded(infer, w, i, size), extent = ob_dim_sub(infer->dims, ob__window_extent(infer, w, i), overhang(w, i));
    bool numbers = ob_dim_is_const(all) && ob_dim_is_const(extent); /* ob__window_positions reports these */
    if (is_same(w) || (numbers && all != OB_DIM_UNKNOWN && extent != OB_DIM_UNKNOWN)) return OB_OK;
    return ob__require(infer, OB_COND_AT_LEAST, all, extent, 0, i + 2, OB0601);
}

ob_dim ob__window_positions(ob_infer *infer, const ob_window_params *w, int32_t i, ob_dim size) {
    if (is_same(w)) return ob_dim_ceil_div(infer->dims, size, w->strides[i]);
    ob_dim extent = ob__window_extent(infer, w, i), all = padded(infer, w, i, size);
    ob_dim span = ob_dim_sub(infer->dims, all, extent);
    if (ob_dim_is_const(span) && span < -overhang(w, i)) {
        ob__problem(infer, OB0601, 0, i + 2, "axis %d: the window of %lld does not fit into the padded size %lld", i + 2,
                    (long long)extent, (long long)all);
        return OB_DIM_UNKNOWN;
    }
    if (!w->ceil_mode) return ob_dim_add(infer->dims, ob_dim_div(infer->dims, span, w->strides[i]), 1);
    ob_dim n = ob_dim_add(infer->dims, ob_dim_ceil_div(infer->dims, span, w->strides[i]), 1);
    /* A last window that would start after the input and its leading padding does not count. */
    bool never = ob_dim_is_const(extent) && w->after[i] + w->strides[i] - 1 < extent;
    if (never || n == OB_DIM_UNKNOWN) return n;
    ob_dim start = ob_dim_mul(infer->dims, ob_dim_sub(infer->dims, n, 1), w->strides[i]);
    return ob_dim_sub(infer->dims, n, ob__term_at_least(infer, start, ob_dim_add(infer->dims, size, w->before[i])));
}

ob_dim ob__unwindowed(ob_infer *infer, const ob_window_params *w, int32_t i, ob_dim size, int64_t extra) {
    ob_dim spread = ob_dim_mul(infer->dims, ob_dim_sub(infer->dims, size, 1), w->strides[i]);
    ob_dim whole = ob_dim_add(infer->dims, ob_dim_add(infer->dims, spread, ob__window_extent(infer, w, i)), extra);
    return ob_dim_sub(infer->dims, whole, w->before[i] + w->after[i]);
}

ob_status ob__require_unwindowed(ob_infer *infer, ob_dim *size, int32_t axis) {
    OB_TRY(ob__require_size(infer, *size, 0, axis, OB0601));
    if (ob_dim_is_const(*size) && *size < 0) *size = OB_DIM_UNKNOWN;
    return OB_OK;
}
