/* Shape rules of operators that slide a window: convolution and pooling. */
#include <string.h>

#include "core/error.h"
#include "ops/infer/content.h"
#include "ops/table/op.h"

OB_RULE(conv);
OB_RULE(conv_transpose);
OB_RULE(pool);
OB_RULE(global_pool);
OB_RULE(max_unpool);
OB_RULE(roi);
OB_RULE(col2im);

typedef enum auto_pad { PAD_GIVEN, PAD_VALID, PAD_SAME } auto_pad;

/* The attributes that all windows share, resolved for n spatial axes. */
typedef struct window {
    int32_t n;
    ob_dim kernel[OB_MAX_RANK];
    int64_t strides[OB_MAX_RANK], dilations[OB_MAX_RANK], before[OB_MAX_RANK], after[OB_MAX_RANK];
    auto_pad pad;
    bool ceil_mode;
} window;

/* A list attribute with one entry for each axis, none below `least`; `otherwise` when absent. */
static bool read_list(ob_infer *infer, const char *name, int32_t n, int64_t least, int64_t otherwise, int64_t *out) {
    uint32_t count;
    const int64_t *ints = ob__node_ints(infer->node, name, &count);
    for (int32_t i = 0; i < n; i++) out[i] = otherwise;
    if (!ob__node_attribute(infer->node, name)) return true;
    if (!ints || count != (uint32_t)n) {
        ob__problem(infer, OB0602, -1, -1, "%s has %u entries for %d spatial axes", name, count, n);
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        if (ints[i] < least || ints[i] > INT32_MAX) {
            ob__problem(infer, OB0602, -1, -1, "%s holds %lld", name, (long long)ints[i]);
            return false;
        }
        out[i] = ints[i];
    }
    return true;
}

static bool read_pads(ob_infer *infer, window *w) {
    int64_t pads[2 * OB_MAX_RANK];
    memset(w->before, 0, sizeof w->before);
    memset(w->after, 0, sizeof w->after);
    const char *mode = ob__node_string(infer->node, "auto_pad", "NOTSET");
    w->pad = strcmp(mode, "VALID") == 0 ? PAD_VALID : strncmp(mode, "SAME_", 5) == 0 ? PAD_SAME : PAD_GIVEN;
    if (w->pad != PAD_GIVEN) return true;
    if (!read_list(infer, "pads", 2 * w->n, 0, 0, pads)) return false;
    memcpy(w->before, pads, (size_t)w->n * sizeof *pads);
    memcpy(w->after, pads + w->n, (size_t)w->n * sizeof *pads);
    return true;
}

/* `weights`: the kernel's sizes when the attribute kernel_shape is absent (dims from axis 2), or rank unknown. */
static bool read_window(ob_infer *infer, int32_t n, ob_shape weights, window *w) {
    int64_t kernel[OB_MAX_RANK];
    w->n = n;
    w->ceil_mode = ob__node_int(infer->node, "ceil_mode", 0) != 0;
    if (!read_list(infer, "strides", n, 1, 1, w->strides) || !read_list(infer, "dilations", n, 1, 1, w->dilations)) return false;
    if (!read_pads(infer, w)) return false;
    bool given = ob__node_attribute(infer->node, "kernel_shape") != NULL;
    if (given && !read_list(infer, "kernel_shape", n, 1, 1, kernel)) return false;
    for (int32_t i = 0; i < n; i++) {
        w->kernel[i] = given ? kernel[i] : weights.rank == n + 2 ? weights.dims[i + 2] : OB_DIM_UNKNOWN;
        if (given && weights.rank == n + 2)
            if (ob__require(infer, OB_COND_EQUAL, weights.dims[i + 2], kernel[i], -1, i + 2, OB0601) != OB_OK) return false;
    }
    return true;
}

/* (k - 1) * dilation + 1 */
static ob_dim reach(ob_infer *infer, const window *w, int32_t i) {
    ob_dim last = ob_dim_mul(infer->dims, ob_dim_sub(infer->dims, w->kernel[i], 1), w->dilations[i]);
    return ob_dim_add(infer->dims, last, 1);
}

/* That the window fits once, where that is known when the sizes are. */
static ob_status require_place(ob_infer *infer, const window *w, int32_t i, ob_dim size) {
    ob_dim padded = ob_dim_add(infer->dims, size, w->before[i] + w->after[i]), extent = reach(infer, w, i);
    bool numbers = ob_dim_is_const(padded) && ob_dim_is_const(extent); /* `places` tells of these */
    if (w->pad == PAD_SAME || (numbers && padded != OB_DIM_UNKNOWN && extent != OB_DIM_UNKNOWN)) return OB_OK;
    return ob__require(infer, OB_COND_AT_LEAST, padded, extent, 0, i + 2, OB0601);
}

/* Places of the window along spatial axis i of `size`. */
static ob_dim places(ob_infer *infer, const window *w, int32_t i, ob_dim size) {
    if (w->pad == PAD_SAME) return ob_dim_ceil_div(infer->dims, size, w->strides[i]);
    ob_dim extent = reach(infer, w, i);
    ob_dim padded = ob_dim_add(infer->dims, size, w->before[i] + w->after[i]);
    ob_dim span = ob_dim_sub(infer->dims, padded, extent);
    if (ob_dim_is_const(span) && span < 0) {
        ob__problem(infer, OB0601, 0, i + 2, "axis %d: the window of %lld does not fit into the padded size %lld", i + 2,
                    (long long)extent, (long long)padded);
        return OB_DIM_UNKNOWN;
    }
    if (!w->ceil_mode) return ob_dim_add(infer->dims, ob_dim_div(infer->dims, span, w->strides[i]), 1);
    ob_dim n = ob_dim_add(infer->dims, ob_dim_ceil_div(infer->dims, span, w->strides[i]), 1);
    /* A last window that would start behind the input and its front padding does not count. */
    bool never = ob_dim_is_const(extent) && w->after[i] + w->strides[i] - 1 < extent;
    if (never || n == OB_DIM_UNKNOWN) return n;
    ob_dim start = ob_dim_mul(infer->dims, ob_dim_sub(infer->dims, n, 1), w->strides[i]);
    return ob_dim_sub(infer->dims, n, ob__term_at_least(infer, start, ob_dim_add(infer->dims, size, w->before[i])));
}

/* Checks a filter (M, C/group, k...) against an input (N, C, ...); *channels is M. */
static ob_status check_filter(ob_infer *infer, ob_shape x, ob_shape w, uint32_t filter, int64_t group) {
    if (x.rank < 0 || w.rank < 0) return OB_OK; /* called unverified by ob__rank_in */
    if (x.rank != w.rank) {
        ob__problem(infer, OB0601, (int32_t)filter, -1, "the filter has rank %d, the input rank %d", w.rank, x.rank);
        return OB_OK;
    }
    ob_dim expected = ob_dim_mul(infer->dims, w.dims[1], group);
    OB_TRY(ob__require(infer, OB_COND_EQUAL, x.dims[1], expected, 0, 1, OB0601));
    if (group > 1) OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, w.dims[0], group, (int32_t)filter, 0, OB0601));
    return OB_OK;
}

static int64_t read_group(ob_infer *infer) {
    int64_t group = ob__node_int(infer->node, "group", 1);
    if (group >= 1 && group <= INT32_MAX) return group;
    ob__problem(infer, OB0602, -1, -1, "group is %lld", (long long)group);
    return 0;
}

ob_status ob__infer_conv(ob_infer *infer) {
    bool linear = ob__op_is(infer, "QLinearConv"), deform = ob__op_is(infer, "DeformConv");
    uint32_t filter = linear ? 3 : 1, bias = linear ? 8 : deform ? 3 : 2;
    ob_shape x = ob__in_shape(infer, 0), w = ob__in_shape(infer, filter);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__require_product_scales(infer));
    if (!ob__rank_in(infer, 0, 3, OB_MAX_RANK) || !ob__rank_in(infer, filter, 3, OB_MAX_RANK)) return OB_OK;
    int64_t group = read_group(infer);
    int32_t rank = x.rank >= 0 ? x.rank : w.rank;
    if (rank < 0 || rank > OB_MAX_RANK || group == 0) return OB_OK;
    OB_TRY(check_filter(infer, x, w, filter, group));
    if (x.rank >= 0 && w.rank >= 0 && x.rank != w.rank) return OB_OK;
    ob_dim channels = w.rank >= 0 ? w.dims[0] : OB_DIM_UNKNOWN;
    if (!ob__op_is(infer, "ConvInteger") && ob__in_given(infer, bias))
        OB_TRY(ob__require_shape(infer, bias, (ob_shape){1, &channels}, OB0601));
    window win;
    ob_dim dims[OB_MAX_RANK];
    if (!read_window(infer, rank - 2, w, &win)) return ob__out_rank(infer, 0, rank);
    dims[0] = ob__in_dim(infer, 0, 0);
    dims[1] = channels;
    for (int32_t i = 0; i < rank - 2; i++) {
        OB_TRY(require_place(infer, &win, i, ob__in_dim(infer, 0, i + 2)));
        dims[i + 2] = places(infer, &win, i, ob__in_dim(infer, 0, i + 2));
    }
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

/* stride * (size - 1) + output_padding + reach - pads */
static ob_dim unwindowed(ob_infer *infer, const window *w, int32_t i, ob_dim size, int64_t extra) {
    ob_dim spread = ob_dim_mul(infer->dims, ob_dim_sub(infer->dims, size, 1), w->strides[i]);
    ob_dim whole = ob_dim_add(infer->dims, ob_dim_add(infer->dims, spread, reach(infer, w, i)), extra);
    return ob_dim_sub(infer->dims, whole, w->before[i] + w->after[i]);
}

/* Paddings may take away more than there is; nothing is left of a size that is below 0. */
static ob_status require_result(ob_infer *infer, ob_dim *size, int32_t axis) {
    OB_TRY(ob__require_size(infer, *size, 0, axis, OB0601));
    if (ob_dim_is_const(*size) && *size < 0) *size = OB_DIM_UNKNOWN;
    return OB_OK;
}

ob_status ob__infer_conv_transpose(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0), w = ob__in_shape(infer, 1);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 3, OB_MAX_RANK) || !ob__rank_in(infer, 1, 3, OB_MAX_RANK)) return OB_OK;
    int64_t group = read_group(infer), extra[OB_MAX_RANK];
    if (x.rank < 0 || x.rank > OB_MAX_RANK || group == 0) return OB_OK;
    if (w.rank >= 0 && w.rank != x.rank) {
        ob__problem(infer, OB0601, 1, -1, "the filter has rank %d, the input rank %d", w.rank, x.rank);
        return OB_OK;
    }
    if (w.rank >= 0) OB_TRY(ob__require(infer, OB_COND_EQUAL, x.dims[1], w.dims[0], 0, 1, OB0601));
    if (group > 1) OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, x.dims[1], group, 0, 1, OB0601));
    window win;
    ob_dim dims[OB_MAX_RANK];
    int32_t n = x.rank - 2;
    if (!read_window(infer, n, w, &win) || !read_list(infer, "output_padding", n, 0, 0, extra))
        return ob__out_rank(infer, 0, x.rank);
    uint32_t n_given;
    const int64_t *given = ob__node_ints(infer->node, "output_shape", &n_given);
    dims[0] = x.dims[0];
    dims[1] = w.rank >= 0 ? ob_dim_mul(infer->dims, w.dims[1], group) : OB_DIM_UNKNOWN;
    if (ob__in_given(infer, 2)) OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &dims[1]}, OB0601));
    for (int32_t i = 0; i < n; i++) {
        if (given && n_given >= (uint32_t)n)
            dims[i + 2] = ob__saturated(given[n_given - (uint32_t)n + (uint32_t)i]);
        else if (win.pad == PAD_SAME)
            dims[i + 2] = ob_dim_mul(infer->dims, x.dims[i + 2], win.strides[i]);
        else
            dims[i + 2] = unwindowed(infer, &win, i, x.dims[i + 2], extra[i]);
        OB_TRY(require_result(infer, &dims[i + 2], i + 2));
    }
    return ob__out_tensor(infer, 0, OB_NONE, x.rank, dims);
}

/* The norm of LpPool and GlobalLpPool. */
static void check_p(ob_infer *infer) {
    const ob_attribute *p = ob__node_attribute(infer->node, "p");
    if (!p || (!ob__op_is(infer, "LpPool") && !ob__op_is(infer, "GlobalLpPool"))) return;
    bool above = p->type == OB_ATTR_FLOAT ? p->u.f > 0 : ob__node_int(infer->node, "p", 2) > 0;
    if (!above) ob__problem(infer, OB0602, -1, -1, "p must be above 0");
}

ob_status ob__infer_pool(ob_infer *infer) {
    check_p(infer);
    ob_shape x = ob__in_shape(infer, 0);
    uint32_t count;
    const int64_t *kernel = ob__node_ints(infer->node, "kernel_shape", &count);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, OB_NONE);
    if (!kernel) ob__problem(infer, OB0602, -1, -1, "attribute kernel_shape is missing");
    if (!kernel || !ob__rank_in(infer, 0, 3, OB_MAX_RANK)) return OB_OK;
    if (x.rank < 0) return count <= OB_MAX_RANK - 2 ? ob__out_rank(infer, 0, (int32_t)count + 2) : OB_OK;
    window win;
    ob_dim dims[OB_MAX_RANK] = {x.dims[0], x.dims[1]};
    if (!read_window(infer, x.rank - 2, (ob_shape){OB_RANK_UNKNOWN, NULL}, &win)) return ob__out_rank(infer, 0, x.rank);
    for (int32_t i = 0; i < x.rank - 2; i++) {
        OB_TRY(require_place(infer, &win, i, x.dims[i + 2]));
        dims[i + 2] = places(infer, &win, i, x.dims[i + 2]);
    }
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) OB_TRY(ob__out_tensor(infer, i, OB_NONE, x.rank, dims));
    return OB_OK;
}

ob_status ob__infer_global_pool(ob_infer *infer) {
    check_p(infer);
    ob_shape x = ob__in_shape(infer, 0);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 2, OB_MAX_RANK) || x.rank < 0 || x.rank > OB_MAX_RANK) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    for (int32_t axis = 0; axis < x.rank; axis++) dims[axis] = axis < 2 ? x.dims[axis] : 1;
    return ob__out_tensor(infer, 0, OB_NONE, x.rank, dims);
}

ob_status ob__infer_max_unpool(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0), given;
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__require_shape(infer, 1, x, OB0601));
    if (ob__in_given(infer, 2)) {
        OB_TRY(ob__shape_operand(infer, 2, &given));
        if (given.rank < 0) OB_TRY(ob__unverified(infer, 2, -1, "the target shape depends on data"));
        for (int32_t axis = 0; axis < given.rank; axis++) OB_TRY(ob__require_size(infer, given.dims[axis], 2, axis, OB0601));
        return given.rank >= 0 ? ob__out_tensor(infer, 0, OB_NONE, given.rank, given.dims) : ob__out_rank(infer, 0, x.rank);
    }
    if (!ob__rank_in(infer, 0, 3, OB_MAX_RANK) || x.rank < 0) return OB_OK;
    window win;
    ob_dim dims[OB_MAX_RANK] = {x.dims[0], x.dims[1]};
    if (!read_window(infer, x.rank - 2, (ob_shape){OB_RANK_UNKNOWN, NULL}, &win)) return ob__out_rank(infer, 0, x.rank);
    for (int32_t i = 0; i < x.rank - 2; i++) {
        dims[i + 2] = unwindowed(infer, &win, i, x.dims[i + 2], 0);
        OB_TRY(require_result(infer, &dims[i + 2], i + 2));
    }
    return ob__out_tensor(infer, 0, OB_NONE, x.rank, dims);
}

ob_status ob__infer_roi(ob_infer *infer) {
    bool align = ob__op_is(infer, "RoiAlign");
    uint32_t n;
    const int64_t *pooled = ob__node_ints(infer->node, "pooled_shape", &n);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 4, 4) || !ob__rank_in(infer, 1, 2, 2)) return OB_OK;
    ob_dim dims[4] = {ob__in_dim(infer, 1, 0), ob__in_dim(infer, 0, 1), OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    /* A region is its corners, in MaxRoiPool behind the number of its image. */
    if (ob__in_rank(infer, 1) >= 0)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 1, 1), align ? 4 : 5, 1, 1, OB0601));
    if (align) {
        OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &dims[0]}, OB0601));
        dims[2] = ob__node_int(infer->node, "output_height", 1);
        dims[3] = ob__node_int(infer->node, "output_width", 1);
        if (dims[0] == OB_DIM_UNKNOWN) dims[0] = ob__in_dim(infer, 2, 0);
    } else if (pooled && n == 2) {
        dims[2] = pooled[0];
        dims[3] = pooled[1];
    } else
        ob__problem(infer, OB0602, -1, -1, "pooled_shape must have two entries");
    for (int i = 2; i < 4; i++)
        if (dims[i] != OB_DIM_UNKNOWN && (dims[i] < 0 || dims[i] > INT32_MAX)) dims[i] = OB_DIM_UNKNOWN;
    return ob__out_tensor(infer, 0, OB_NONE, 4, dims);
}

/* The blocks of Col2Im: as many as places of its window in the image, one axis of the operand. */
static ob_status require_blocks(ob_infer *infer, ob_shape image, ob_shape block) {
    window win;
    ob_dim count = 1;
    if (!read_window(infer, image.rank, (ob_shape){OB_RANK_UNKNOWN, NULL}, &win)) return OB_OK;
    for (int32_t i = 0; i < image.rank; i++) {
        win.kernel[i] = block.dims[i];
        OB_TRY(require_place(infer, &win, i, image.dims[i]));
        count = ob_dim_mul(infer->dims, count, places(infer, &win, i, image.dims[i]));
    }
    return ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 2), count, 0, 2, OB0601);
}

ob_status ob__infer_col2im(ob_infer *infer) {
    ob_shape image, block;
    OB_TRY(ob__shape_operand(infer, 1, &image));
    OB_TRY(ob__shape_operand(infer, 2, &block));
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 3, 3)) return OB_OK;
    if (image.rank < 0 || block.rank < 0) OB_TRY(ob__unverified(infer, 1, -1, "the target shape depends on data"));
    if (image.rank < 0 || image.rank > OB_MAX_RANK - 2) return OB_OK;
    ob_dim dims[OB_MAX_RANK] = {ob__in_dim(infer, 0, 0), OB_DIM_UNKNOWN};
    for (int32_t axis = 0; axis < image.rank; axis++) OB_TRY(ob__require_size(infer, image.dims[axis], 1, axis + 2, OB0601));
    if (block.rank >= 0 && block.rank != image.rank) {
        ob__problem(infer, OB0601, 2, -1, "%d sizes of a block are given for %d of the image", block.rank, image.rank);
        return OB_OK;
    }
    if (block.rank >= 0 && ob__in_rank(infer, 0) == 3) {
        ob_dim columns = ob__in_dim(infer, 0, 1), count = ob__dims_product(infer, block.dims, 0, block.rank);
        OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, columns, count, 0, 1, OB0601));
        if (ob_dim_is_const(count) && count > 0)
            dims[1] = ob_dim_div(infer->dims, columns, count);
        else if (count != OB_DIM_UNKNOWN)
            dims[1] = ob_dim_div_exact(infer->dims, columns, count);
        OB_TRY(require_blocks(infer, image, block));
    }
    memcpy(dims + 2, image.dims, (size_t)image.rank * sizeof *dims);
    return ob__out_tensor(infer, 0, OB_NONE, image.rank + 2, dims);
}
