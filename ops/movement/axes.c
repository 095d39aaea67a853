/* Links of operators that slice, join, pick and repeat. */
#include "ops/infer/axes.h"
#include "ops/movement/params.h"
#include "ops/table/op.h"

OB_AXES(concat);
OB_AXES(split);
OB_AXES(slice);
OB_AXES(pad);
OB_AXES(tile);
OB_AXES(center_crop_pad);
OB_AXES(depth_space);
OB_AXES(reverse_sequence);
OB_AXES(transpose);

static bool is_ranked(int32_t rank) {
    return rank >= 0 && rank <= OB_MAX_RANK;
}

void ob__axes_concat(ob_axes *axes) {
    const int32_t rank = ob__out_rank_of(axes, 0);
    bool joined[OB_MAX_RANK] = {false};
    int32_t axis;
    if (!is_ranked(rank) || !ob__axis_in(axes->infer, ob__concat_axis(axes->infer->node), rank, &axis)) return;
    joined[axis] = axes->infer->node->n_inputs > 1;
    for (uint32_t i = 0; i < axes->infer->node->n_inputs; i++) ob__link_each(axes, 0, i, joined, OB_LINK_MOVED);
}

void ob__axes_split(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool cut[OB_MAX_RANK] = {false};
    int32_t axis;
    if (!is_ranked(rank) || !ob__axis_in(axes->infer, ob__split_axis(axes->infer->node), rank, &axis)) return;
    cut[axis] = true;
    for (uint32_t output = 0; output < axes->infer->node->n_outputs; output++) ob__link_each(axes, output, 0, cut, OB_LINK_MOVED);
}

void ob__axes_transpose(ob_axes *axes) {
    const ob_ints order = ob__transpose_order(axes->infer->node);
    const int32_t rank = ob__in_rank(axes->infer, 0);
    if (!is_ranked(rank) || (order.at && order.n != (uint32_t)rank)) return;
    for (int32_t axis = 0; axis < rank; axis++) {
        const int64_t source = order.at ? order.at[axis] : rank - 1 - axis;
        if (source >= -rank && source < rank)
            ob__link(axes, 0, axis, 0, (int32_t)(source < 0 ? source + rank : source), OB_LINK_SAME);
    }
}

/* ---- Slice ---- */

/* Element i of a bound or step; OB_DIM_UNKNOWN if it is not known. */
static ob_dim bound(const ob_infer *infer, ob_ints given, uint32_t input, uint32_t i) {
    const ob_content content = ob__in_content(infer, input);
    if (given.at) return i < given.n ? ob__saturated(given.at[i]) : OB_DIM_UNKNOWN;
    return content.elems && i < content.n ? content.elems[i] : OB_DIM_UNKNOWN;
}

/* An axis from 0 to its end by 1 is whole for every size. The operands that say so state only a size there. */
void ob__axes_slice(ob_axes *axes) {
    ob_infer *infer = axes->infer;
    const bool attributes = ob__since(infer) < 10 && !ob__op_is(infer, "DynamicSlice");
    const ob_slice_params given = attributes ? ob__slice_params(infer->node) : (ob_slice_params){0};
    const int32_t rank = ob__in_rank(infer, 0);
    bool cut[OB_MAX_RANK] = {false}, whole[OB_MAX_RANK] = {false}, known = true, plain = true;
    uint32_t n_axes;
    const int64_t *listed = ob__axes(infer, "axes", attributes ? UINT32_MAX : 3, &n_axes, &known);
    const ob_dim count = attributes ? given.starts.n : ob__in_count(infer, 1);
    if (!is_ranked(rank) || !known || !ob_dim_is_const(count) || count < 0 || count > rank) return;
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        int32_t axis;
        if (listed && i >= n_axes) return;
        if (!ob__axis_in(infer, listed ? listed[i] : (int64_t)i, rank, &axis)) return;
        const ob_dim start = bound(infer, given.starts, 1, i), end = bound(infer, given.ends, 2, i),
                     step = !attributes && ob__in_given(infer, 4) ? bound(infer, (ob_ints){0}, 4, i) : 1,
                     size = ob__in_dim(infer, 0, axis);
        whole[axis] = start == 0 && step == 1 && size != OB_DIM_UNKNOWN && ob__out_dim(axes, 0, axis) == size;
        cut[axis] = !whole[axis];
        plain = plain && (whole[axis] || (ob_dim_is_const(start) && ob_dim_is_const(end) && ob_dim_is_const(step)));
    }
    ob__link_each(axes, 0, 0, cut, OB_LINK_MOVED);
    for (int32_t axis = 0; axis < rank && plain && !attributes; axis++)
        for (uint32_t i = 1; whole[axis] && i < 3; i++) ob__link(axes, 0, axis, i, -1, OB_LINK_SIZED);
}

/* ---- Pad, Tile ---- */

void ob__axes_pad(ob_axes *axes) {
    ob_infer *infer = axes->infer;
    const bool attributes = ob__since(infer) < 11;
    const ob_ints pads = ob__pad_params(infer->node, ob__since(infer)).pads;
    const int32_t rank = ob__in_rank(infer, 0);
    bool padded[OB_MAX_RANK] = {false}, known;
    uint32_t n_axes;
    const int64_t *listed = ob__axes(infer, "axes", 3, &n_axes, &known);
    if (!is_ranked(rank) || !known) return;
    const uint32_t n = listed ? n_axes : (uint32_t)rank;
    if (n > (uint32_t)rank || (attributes && (!pads.at || pads.n != 2 * n))) return;
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, listed ? listed[i] : (int64_t)i, rank, &axis)) return;
        padded[axis] = bound(infer, attributes ? pads : (ob_ints){0}, 1, i) != 0 ||
                       bound(infer, attributes ? pads : (ob_ints){0}, 1, i + n) != 0;
    }
    ob__link_each(axes, 0, 0, padded, OB_LINK_MOVED);
}

/* Tile-1 repeats along the axis in operand 2. */
static void link_tile_1(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool repeated[OB_MAX_RANK] = {false};
    int64_t given;
    int32_t axis;
    if (!is_ranked(rank) || !ob__in_const_int(axes->infer, 2, &given) || !ob__axis_in(axes->infer, given, rank, &axis)) return;
    repeated[axis] = true;
    ob__link_each(axes, 0, 0, repeated, OB_LINK_MOVED);
    ob__link(axes, 0, axis, 1, -1, OB_LINK_SIZED);
}

/* An axis of size 1 gives its only element everywhere. */
void ob__axes_tile(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    bool repeated[OB_MAX_RANK];
    if (ob__since(infer) < 6) {
        link_tile_1(axes);
        return;
    }
    if (!is_ranked(rank)) return;
    for (int32_t axis = 0; axis < rank; axis++)
        repeated[axis] = ob__in_dim(infer, 0, axis) != 1 && bound(infer, (ob_ints){0}, 1, (uint32_t)axis) != 1;
    ob__link_each(axes, 0, 0, repeated, OB_LINK_MOVED);
    ob__link_sizes(axes, 0, 1);
}

/* ---- Others ---- */

void ob__axes_center_crop_pad(ob_axes *axes) {
    ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    bool changed[OB_MAX_RANK];
    uint32_t n;
    const int64_t *listed = ob__attribute_list(infer->node, "axes", &n);
    if (!is_ranked(rank)) return;
    for (int32_t axis = 0; axis < rank; axis++) changed[axis] = !listed;
    for (uint32_t i = 0; listed && i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, listed[i], rank, &axis)) return;
        changed[axis] = true;
    }
    ob__link_each(axes, 0, 0, changed, OB_LINK_MOVED);
}

/* Channels of a block become places, or places become channels. */
void ob__axes_depth_space(ob_axes *axes) {
    bool moved[OB_MAX_RANK] = {false, true, true, true};
    if (ob__in_rank(axes->infer, 0) == 4) ob__link_each(axes, 0, 0, moved, OB_LINK_MOVED);
}

/* Operand 1 has a length for each sequence of the batch. */
void ob__axes_reverse_sequence(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool reversed[OB_MAX_RANK] = {false};
    ob_reverse_params p;
    if (rank < 2 || rank > OB_MAX_RANK || ob__reverse_params(axes->infer->node, &p, axes->infer->trial) != OB_OK) return;
    reversed[p.time_axis] = true;
    ob__link_each(axes, 0, 0, reversed, OB_LINK_PICKED);
    ob__link(axes, 0, p.batch_axis, 1, 0, OB_LINK_SAME);
}
