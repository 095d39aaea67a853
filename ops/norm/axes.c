/* Links of normalizations: the axes over which statistics are taken mix their elements. */
#include "ops/infer/axes.h"
#include "ops/norm/params.h"
#include "ops/table/op.h"

OB_AXES(batch_norm);
OB_AXES(instance_norm);
OB_AXES(group_norm);
OB_AXES(layer_norm);
OB_AXES(dropout);
OB_AXES(skip_layer_norm);
OB_AXES(embed_layer_norm);
OB_AXES(softmax);
OB_AXES(lp_norm);
OB_AXES(mean_variance);
OB_AXES(lrn);

/* Marks the axes from .. to - 1. */
static void mark(bool *marked, int32_t from, int32_t to) {
    for (int32_t axis = 0; axis < OB_MAX_RANK; axis++) marked[axis] = axis >= from && axis < to;
}

/* Before opset 13 all axes from `axis` on are one vector. */
void ob__axes_softmax(ob_axes *axes) {
    const ob_softmax_params p = ob__softmax_params(axes->infer->node, axes->infer->op);
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool whole[OB_MAX_RANK];
    int32_t axis;
    if (rank < 0 || rank > OB_MAX_RANK || !ob__axis_in(axes->infer, p.axis, rank, &axis)) return;
    mark(whole, axis, p.flattens ? rank : axis + 1);
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
}

void ob__axes_lp_norm(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool whole[OB_MAX_RANK];
    int32_t axis;
    if (rank < 0 || rank > OB_MAX_RANK) return;
    if (!ob__axis_in(axes->infer, ob__lp_norm_params(axes->infer->node).axis, rank, &axis)) return;
    mark(whole, axis, axis + 1);
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
}

void ob__axes_mean_variance(ob_axes *axes) {
    const ob_mean_variance_params p = ob__mean_variance_params(axes->infer->node);
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool whole[OB_MAX_RANK] = {false};
    if (rank < 0 || rank > OB_MAX_RANK) return;
    for (uint32_t i = 0; i < p.n_axes; i++) {
        int32_t axis;
        if (!ob__axis_in(axes->infer, p.axes[i], rank, &axis)) return;
        whole[axis] = true;
    }
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
}

/* Each channel is divided by a sum over channels around it. */
void ob__axes_lrn(ob_axes *axes) {
    bool near[OB_MAX_RANK];
    mark(near, 1, 2);
    if (ob__in_rank(axes->infer, 0) <= OB_MAX_RANK) ob__link_each(axes, 0, 0, near, OB_LINK_NEAR);
}

/* The operands after X have an element for each channel, or (per_channel false) for each channel and position. Training takes
 * statistics over all axes except the channels. */
void ob__axes_batch_norm(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const ob_batch_norm_params p = ob__batch_norm_params(infer->node, infer->op);
    const int32_t rank = ob__in_rank(infer, 0);
    bool whole[OB_MAX_RANK];
    if (rank < 1 || rank > OB_MAX_RANK) return;
    for (int32_t axis = 0; axis < rank; axis++) whole[axis] = p.training && axis != 1;
    if (p.training && !p.per_channel) return;
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
    for (uint32_t i = 1; i < 5 && rank >= 2; i++) ob__link_from(axes, 0, i, 1, OB_LINK_SAME);
}

void ob__axes_instance_norm(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool whole[OB_MAX_RANK];
    if (rank < 2 || rank > OB_MAX_RANK) return;
    mark(whole, 2, rank);
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
    for (uint32_t i = 1; i < 3; i++) ob__link_from(axes, 0, i, 1, OB_LINK_SAME);
}

/* Channels of one group mix; scale and bias have one element for each group or for each channel. */
void ob__axes_group_norm(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool whole[OB_MAX_RANK];
    if (rank < 2 || rank > OB_MAX_RANK) return;
    mark(whole, 1, rank);
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
    for (uint32_t i = 1; i < 3; i++) ob__link_from(axes, 0, i, 1, OB_LINK_MOVED);
}

/* An operand that is aligned with the last axes of X and multiplied or added after the statistics over axes `first` and later. */
static void link_scale(ob_axes *axes, uint32_t output, uint32_t input, int32_t first) {
    const int32_t rank = ob__in_rank(axes->infer, 0), own = ob__in_rank(axes->infer, input);
    for (int32_t axis = 0; axis < own; axis++)
        if (rank - own + axis >= 0)
            ob__link(axes, output, rank - own + axis, input, axis, rank - own + axis < first ? OB_LINK_SAME : OB_LINK_MOVED);
}

/* Results after the first are statistics, which keep the axes before `axis`. */
void ob__axes_layer_norm(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const ob_layer_norm_params p = ob__layer_norm_params(infer->node, infer->op);
    const int32_t rank = ob__in_rank(infer, 0);
    bool whole[OB_MAX_RANK];
    int32_t first;
    if (rank < 0 || rank > OB_MAX_RANK || !ob__axis_in(axes->infer, p.axis, rank, &first)) return;
    mark(whole, first, rank);
    for (uint32_t output = 0; output < infer->node->n_outputs; output++)
        ob__link_each(axes, output, 0, whole, output ? OB_LINK_LEFT : OB_LINK_ALL);
    for (uint32_t i = 1; i < 3; i++) link_scale(axes, 0, i, first);
}

/* Unless it trains, a Dropout gives its operand; its mask is true everywhere. */
void ob__axes_dropout(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    int64_t asked = 0;
    if (ob__dropout_params(infer->node, infer->op).trains) return;
    if (ob__in_given(infer, 2) && (!ob__in_const_int(infer, 2, &asked) || asked != 0)) return;
    ob__axes_same(axes);
}

/* com.microsoft: the sum of operands 0, 1 and 4 (a vector) is result 3; it is normalized along its last axis. */
void ob__axes_skip_layer_norm(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    bool whole[OB_MAX_RANK];
    if (rank < 1 || rank > OB_MAX_RANK) return;
    const bool simplified = ob__op_is(axes->infer, "SkipSimplifiedLayerNormalization");
    mark(whole, rank - 1, rank);
    for (uint32_t output = 0; output < 4; output++) {
        const ob_link_kind last = output == 0 ? OB_LINK_ALL : output == 3 ? OB_LINK_SAME : OB_LINK_LEFT;
        const int32_t skip = ob__in_rank(infer, 1);
        ob__link_each(axes, output, 0, whole, last);
        for (int32_t axis = 0; axis < skip; axis++)
            if (rank - skip + axis >= 0)
                ob__link(axes, output, rank - skip + axis, 1, axis, axis < skip - 1 ? OB_LINK_SAME : last);
    }
    ob__link_last(axes, 0, 2, OB_LINK_MOVED);
    if (!simplified) ob__link_last(axes, 0, 3, OB_LINK_MOVED);
    ob__link_last(axes, 3, simplified ? 3 : 4, OB_LINK_SAME);
}

/* com.microsoft: ids (batch, sequence) pick rows of tables. Without position_ids, operand 8, the place in the sequence does. */
void ob__axes_embed_layer_norm(ob_axes *axes) {
    const bool placed = ob__in_given(axes->infer, 8);
    for (uint32_t output = 0; output < 3; output += 2) {
        static const uint32_t ids[] = {0, 1, 8};
        for (int i = 0; i < 3; i++) {
            ob__link(axes, output, 0, ids[i], 0, OB_LINK_SAME);
            ob__link(axes, output, 1, ids[i], 1, placed ? OB_LINK_SAME : OB_LINK_PLACE);
        }
        for (uint32_t table = 2; table < 5; table++) {
            ob__link(axes, output, -1, table, 0, OB_LINK_GONE);
            ob__link(axes, output, 2, table, 1, output ? OB_LINK_SAME : OB_LINK_ALL);
        }
    }
    for (uint32_t i = 5; i < 7; i++) ob__link(axes, 0, 2, i, 0, OB_LINK_MOVED);
    ob__link(axes, 1, 0, 7, 0, OB_LINK_SAME);
    ob__link(axes, 1, -1, 7, 1, OB_LINK_GONE);
}
