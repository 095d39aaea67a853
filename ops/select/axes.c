/* Links of operators that select elements by index, value or rank. */
#include "ops/infer/axes.h"
#include "ops/select/params.h"
#include "ops/table/op.h"

OB_AXES(gather);
OB_AXES(gather_elements);
OB_AXES(gather_nd);
OB_AXES(scatter_elements);
OB_AXES(scatter_nd);
OB_AXES(tensor_scatter);
OB_AXES(one_hot);
OB_AXES(trilu);
OB_AXES(compress);
OB_AXES(topk);

/* The axes of the indices take the place of the picked axis. */
void ob__axes_gather(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0), own = ob__in_rank(axes->infer, 1);
    int32_t axis;
    if (rank < 1 || own < 0 || !ob__axis_in(axes->infer, ob__gather_axis(axes->infer->node), rank, &axis)) return;
    for (int32_t k = 0; k < rank; k++)
        if (k != axis) ob__link(axes, 0, k < axis ? k : k - 1 + own, 0, k, OB_LINK_SAME);
    for (int32_t k = 0; k < own; k++) {
        ob__link(axes, 0, axis + k, 0, axis, OB_LINK_PICKED);
        ob__link(axes, 0, axis + k, 1, k, OB_LINK_SAME);
    }
    if (own == 0) ob__link(axes, 0, -1, 0, axis, OB_LINK_GONE);
}

/* The data may be larger than the indices along the other axes. */
void ob__axes_gather_elements(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    int32_t axis;
    if (rank < 1 || ob__in_rank(axes->infer, 1) != rank) return;
    if (!ob__axis_in(axes->infer, ob__gather_axis(axes->infer->node), rank, &axis)) return;
    for (int32_t k = 0; k < rank; k++) {
        const ob_dim size = ob__in_dim(axes->infer, 0, k);
        const bool equal = size != OB_DIM_UNKNOWN && size == ob__in_dim(axes->infer, 1, k);
        ob__link(axes, 0, k, 0, k, k == axis ? OB_LINK_PICKED : equal ? OB_LINK_SAME : OB_LINK_MOVED);
        ob__link(axes, 0, k, 1, k, k == axis || equal ? OB_LINK_SAME : OB_LINK_MOVED);
    }
}

/* Data and indices share `batch` axes; then `depth` axes of the data are picked by an index, and the others follow. */
void ob__axes_gather_nd(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0), own = ob__in_rank(axes->infer, 1);
    const int64_t batch = ob__gather_batch(axes->infer->node);
    const ob_dim depth = ob__in_dim(axes->infer, 1, -1);
    if (rank < 1 || own < 1 || !ob_dim_is_const(depth) || depth < 0 || batch < 0 || batch >= own || batch + depth > rank) return;
    for (int32_t k = 0; k < rank; k++) {
        if (k < batch)
            ob__link(axes, 0, k, 0, k, OB_LINK_SAME);
        else if (k >= batch + depth)
            ob__link(axes, 0, own - 1 + k - (int32_t)(batch + depth), 0, k, OB_LINK_SAME);
        else if (batch == own - 1)
            ob__link(axes, 0, -1, 0, k, OB_LINK_GONE);
        else
            for (int32_t to = (int32_t)batch; to < own - 1; to++) ob__link(axes, 0, to, 0, k, OB_LINK_PICKED);
    }
    for (int32_t k = 0; k < own - 1; k++) ob__link(axes, 0, k, 1, k, OB_LINK_SAME);
    ob__link(axes, 0, -1, 1, own - 1, OB_LINK_GONE);
}

/* Indices and updates may be smaller than the data along the other axes. */
void ob__axes_scatter_elements(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    int32_t axis;
    if (rank < 1 || ob__in_rank(axes->infer, 1) != rank || ob__in_rank(axes->infer, 2) != rank) return;
    if (!ob__axis_in(axes->infer, ob__gather_axis(axes->infer->node), rank, &axis)) return;
    for (int32_t k = 0; k < rank; k++) {
        const ob_dim size = ob__in_dim(axes->infer, 0, k);
        const bool equal =
            k != axis && size != OB_DIM_UNKNOWN && size == ob__in_dim(axes->infer, 1, k) && size == ob__in_dim(axes->infer, 2, k);
        ob__link(axes, 0, k, 0, k, equal ? OB_LINK_SAME : OB_LINK_MOVED);
        ob__link(axes, 0, k, 1, k, equal ? OB_LINK_SAME : OB_LINK_NEAR);
        ob__link(axes, 0, k, 2, k, equal ? OB_LINK_SAME : OB_LINK_NEAR);
    }
}

/* An index leads to a place along the first `depth` axes; the later axes of the updates are those of the data. */
void ob__axes_scatter_nd(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0), own = ob__in_rank(axes->infer, 1);
    const ob_dim depth = ob__in_dim(axes->infer, 1, -1);
    if (rank < 1 || own < 1 || !ob_dim_is_const(depth) || depth < 0 || depth > rank) return;
    if (ob__in_rank(axes->infer, 2) != own - 1 + rank - (int32_t)depth) return;
    for (int32_t k = 0; k < rank; k++) {
        ob__link(axes, 0, k, 0, k, k < depth ? OB_LINK_MOVED : OB_LINK_SAME);
        if (k >= depth) ob__link(axes, 0, k, 2, own - 1 + k - (int32_t)depth, OB_LINK_SAME);
    }
}

/* The update, operand 1, begins along its axis where operand 2 says, for each element of the batch. */
void ob__axes_tensor_scatter(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    ob_cache_params params;
    int32_t axis;
    if (rank < 1 || ob__in_rank(axes->infer, 1) != rank) return;
    if (ob__read_cache(axes->infer->node, &params, axes->infer->trial) != OB_OK) return;
    if (!ob__axis_in(axes->infer, params.axis, rank, &axis) || axis == 0) return;
    for (int32_t k = 0; k < rank; k++) {
        ob__link(axes, 0, k, 0, k, k == axis ? OB_LINK_MOVED : OB_LINK_SAME);
        ob__link(axes, 0, k, 1, k, k == axis ? OB_LINK_PICKED : OB_LINK_SAME);
    }
    ob__link(axes, 0, 0, 2, 0, OB_LINK_SAME);
}

/* The new axis compares each index with the places along it. */
void ob__axes_one_hot(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    int32_t axis;
    if (rank < 0 || !ob__axis_in(axes->infer, ob__one_hot_axis(axes->infer->node), rank + 1, &axis)) return;
    for (int32_t k = 0; k < rank; k++) ob__link(axes, 0, k < axis ? k : k + 1, 0, k, OB_LINK_SAME);
    ob__link(axes, 0, axis, 0, -1, OB_LINK_PLACE);
    ob__link(axes, 0, axis, 1, -1, OB_LINK_SIZED);
    ob__link(axes, 0, -1, 2, 0, OB_LINK_GONE);
}

void ob__axes_trilu(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool placed[OB_MAX_RANK] = {false};
    if (rank < 2 || rank > OB_MAX_RANK) return;
    placed[rank - 2] = placed[rank - 1] = true;
    ob__link_each(axes, 0, 0, placed, OB_LINK_PLACE);
}

/* Without an axis, elements of all axes become one vector. */
void ob__axes_compress(ob_axes *axes) {
    const ob_slices_params p = ob__slices_params(axes->infer->node);
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool picked[OB_MAX_RANK] = {false};
    int32_t axis;
    if (p.flat || rank < 1 || rank > OB_MAX_RANK || !ob__axis_in(axes->infer, p.axis, rank, &axis)) return;
    picked[axis] = true;
    ob__link_each(axes, 0, 0, picked, OB_LINK_PICKED);
}

void ob__axes_topk(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool picked[OB_MAX_RANK] = {false};
    int32_t axis;
    if (rank < 1 || rank > OB_MAX_RANK) return;
    if (!ob__axis_in(axes->infer, ob__topk_params(axes->infer->node, ob__since(axes->infer)).axis, rank, &axis)) return;
    picked[axis] = true;
    for (uint32_t output = 0; output < 2; output++) ob__link_each(axes, output, 0, picked, OB_LINK_PICKED);
}
