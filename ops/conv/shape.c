/* Shape rules of convolutions. */
#include <string.h>

#include "core/base/error.h"
#include "ops/conv/params.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

OB_RULE(conv);
OB_RULE(fused_conv);
OB_RULE(conv_transpose);
OB_RULE(col2im);

/* Checks a filter (M, C/group, k...) against an input (N, C, ...), or (N, ..., C) if channels are last. */
static ob_status check_filter(ob_infer *infer, ob_shape x, ob_shape w, uint32_t filter, const ob_conv_params *p) {
    const int64_t group = p->group;
    if (x.rank < 0 || w.rank < 0) return OB_OK; /* ob__rank_in reports it as unverified */
    if (x.rank != w.rank) {
        ob__problem(infer, OB0601, (int32_t)filter, -1, "the filter has rank %d, the input rank %d", w.rank, x.rank);
        return OB_OK;
    }
    ob_dim expected = ob_dim_mul(infer->dims, w.dims[1], group);
    const int32_t axis = p->channels_last ? x.rank - 1 : 1;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, x.dims[axis], expected, 0, axis, OB0601));
    if (group > 1) OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, w.dims[0], group, (int32_t)filter, 0, OB0601));
    return OB_OK;
}

/* Reads the attributes; kernel sizes that no attribute gives are those of the filter. *read false: an error was reported. */
static ob_status read_attributes(ob_infer *infer, int32_t rank, ob_shape filter, ob_conv_params *p, bool *read) {
    ob_error *error = infer->trial;
    *read = ob__read_conv(infer->node, rank, p, error) == OB_OK;
    if (!*read) ob__problem(infer, OB0602, -1, -1, "%s", error->message);
    for (int32_t i = 0; *read && filter.rank == rank + 2 && i < rank; i++) {
        ob_dim size = filter.dims[i + 2];
        if (p->window.kernel_given)
            OB_TRY(ob__require(infer, OB_COND_EQUAL, size, p->window.kernel[i], -1, i + 2, OB0601));
        else
            p->window.kernel[i] = size;
    }
    return OB_OK;
}

/* DeformConv: for each result, each kernel position has an offset along each axis and a factor in the mask. The channels are
 * divided among the offset groups. */
static ob_status require_offsets(ob_infer *infer, const ob_conv_params *p, int32_t rank, const ob_dim *result) {
    ob_dim dims[OB_MAX_RANK], positions = p->offset_group;
    for (int32_t i = 0; i < rank - 2; i++) positions = ob_dim_mul(infer->dims, positions, p->window.kernel[i]);
    memcpy(dims, result, (size_t)rank * sizeof *dims);
    dims[1] = ob_dim_mul(infer->dims, positions, rank - 2);
    OB_TRY(ob__require_shape(infer, 2, (ob_shape){rank, dims}, OB0601));
    dims[1] = positions;
    if (ob__in_given(infer, 4)) OB_TRY(ob__require_shape(infer, 4, (ob_shape){rank, dims}, OB0601));
    return p->offset_group == 1 ? OB_OK
                                : ob__require(infer, OB_COND_DIVISIBLE, ob__in_dim(infer, 0, 1), p->offset_group, 0, 1, OB0601);
}

ob_status ob__infer_conv(ob_infer *infer) {
    bool linear = ob__op_is(infer, "QLinearConv"), deform = ob__op_is(infer, "DeformConv");
    uint32_t filter = linear ? 3 : 1, bias = linear ? 8 : deform ? 3 : 2;
    ob_shape x = ob__in_shape(infer, 0), w = ob__in_shape(infer, filter);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__require_product_scales(infer));
    if (!ob__rank_in(infer, 0, 3, OB_MAX_RANK) || !ob__rank_in(infer, filter, 3, OB_MAX_RANK)) return OB_OK;
    int32_t rank = x.rank >= 0 ? x.rank : w.rank;
    if (rank < 0 || rank > OB_MAX_RANK) return OB_OK;
    ob_conv_params *p = ob__rule_room(infer, sizeof *p);
    bool read;
    if (!p) return OB_E_MEMORY;
    OB_TRY(read_attributes(infer, rank - 2, w, p, &read));
    if (!read) return ob__out_rank(infer, 0, rank);
    OB_TRY(check_filter(infer, x, w, filter, p));
    if (x.rank >= 0 && w.rank >= 0 && x.rank != w.rank) return OB_OK;
    ob_dim channels = w.rank >= 0 ? w.dims[0] : OB_DIM_UNKNOWN;
    if (!ob__op_is(infer, "ConvInteger") && ob__in_given(infer, bias))
        OB_TRY(ob__require_shape(infer, bias, (ob_shape){1, &channels}, OB0601));
    ob_dim dims[OB_MAX_RANK];
    dims[0] = ob__in_dim(infer, 0, 0);
    const int32_t first = p->channels_last ? 1 : 2; /* first spatial axis */
    dims[p->channels_last ? rank - 1 : 1] = channels;
    for (int32_t i = 0; i < rank - 2; i++) {
        OB_TRY(ob__require_window(infer, &p->window, i, ob__in_dim(infer, 0, i + first)));
        dims[i + first] = ob__window_positions(infer, &p->window, i, ob__in_dim(infer, 0, i + first));
    }
    if (deform) OB_TRY(require_offsets(infer, p, rank, dims));
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

/* com.microsoft: operand 3 is added before the activation. */
ob_status ob__infer_fused_conv(ob_infer *infer) {
    OB_TRY(ob__infer_conv(infer));
    ob_shape result = infer->node->n_outputs ? infer->out_types[0].shape : (ob_shape){OB_RANK_UNKNOWN, NULL};
    return ob__in_given(infer, 3) && result.rank >= 0 ? ob__require_shape(infer, 3, result, OB0601) : ob__rank_unknown(infer, 3);
}

ob_status ob__infer_conv_transpose(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0), w = ob__in_shape(infer, 1);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 3, OB_MAX_RANK) || !ob__rank_in(infer, 1, 3, OB_MAX_RANK)) return OB_OK;
    if (x.rank < 0 || x.rank > OB_MAX_RANK) return OB_OK;
    if (w.rank >= 0 && w.rank != x.rank) {
        ob__problem(infer, OB0601, 1, -1, "the filter has rank %d, the input rank %d", w.rank, x.rank);
        return OB_OK;
    }
    if (w.rank >= 0) OB_TRY(ob__require(infer, OB_COND_EQUAL, x.dims[1], w.dims[0], 0, 1, OB0601));
    ob_conv_params *p = ob__rule_room(infer, sizeof *p);
    bool read;
    if (!p) return OB_E_MEMORY;
    int32_t n = x.rank - 2;
    OB_TRY(read_attributes(infer, n, w, p, &read));
    if (!read) return ob__out_rank(infer, 0, x.rank);
    if (p->group > 1) OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, x.dims[1], p->group, 0, 1, OB0601));
    ob_dim dims[OB_MAX_RANK];
    dims[0] = x.dims[0];
    dims[1] = w.rank >= 0 ? ob_dim_mul(infer->dims, w.dims[1], p->group) : OB_DIM_UNKNOWN;
    if (ob__in_given(infer, 2)) OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &dims[1]}, OB0601));
    for (int32_t i = 0; i < n; i++) {
        const ob_window_params *win = &p->window;
        if (p->shaped)
            dims[i + 2] = ob__saturated(p->output_shape[i]);
        else if (win->auto_pad == OB_PAD_SAME_UPPER || win->auto_pad == OB_PAD_SAME_LOWER)
            dims[i + 2] = ob_dim_mul(infer->dims, x.dims[i + 2], win->strides[i]);
        else
            dims[i + 2] = ob__unwindowed(infer, win, i, x.dims[i + 2], p->output_padding[i]);
        OB_TRY(ob__require_unwindowed(infer, &dims[i + 2], i + 2));
    }
    return ob__out_tensor(infer, 0, OB_NONE, x.rank, dims);
}

/* Col2Im has one block for each position of its window in the image. The blocks are one axis of the operand. */
static ob_status require_blocks(ob_infer *infer, ob_shape image, ob_shape block) {
    ob_window_params w;
    ob_error *error = infer->trial;
    ob_dim count = 1;
    if (ob__read_window(infer->node, image.rank, &w, error) != OB_OK) {
        ob__problem(infer, OB0602, -1, -1, "%s", error->message);
        return OB_OK;
    }
    for (int32_t i = 0; i < image.rank; i++) {
        w.kernel[i] = block.dims[i];
        OB_TRY(ob__require_window(infer, &w, i, image.dims[i]));
        count = ob_dim_mul(infer->dims, count, ob__window_positions(infer, &w, i, image.dims[i]));
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
    if (image.rank < 0 || !ob__rank_fits(infer, (int64_t)image.rank + 2)) return OB_OK;
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
