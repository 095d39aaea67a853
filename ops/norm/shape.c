/* Shape rules of normalizations. */
#include "core/base/error.h"
#include "ops/infer/infer.h"
#include "ops/norm/params.h"

OB_RULE(batch_norm);
OB_RULE(instance_norm);
OB_RULE(group_norm);
OB_RULE(layer_norm);
OB_RULE(dropout);
OB_RULE(skip_layer_norm);
OB_RULE(embed_layer_norm);
OB_RULE(softmax);
OB_RULE(lp_norm);
OB_RULE(mean_variance);
OB_RULE(lrn);

/* There is one element for each channel, or with spatial = 0 (before opset 9) for each channel and position. An operand of rank 1
 * has one channel. */
ob_status ob__infer_batch_norm(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    bool per_channel = ob__batch_norm_params(infer->node, infer->op).per_channel;
    ob_dim channels = x.rank >= 2 ? x.dims[1] : x.rank == 1 ? 1 : OB_DIM_UNKNOWN;
    OB_TRY(ob__out_like(infer, 0, 0));
    if (!ob__rank_in(infer, 0, 1, OB_MAX_RANK) || x.rank < 0) return OB_OK;
    bool vector = per_channel || x.rank < 2;
    const ob_shape wanted = vector ? (ob_shape){1, &channels} : (ob_shape){x.rank - 1, x.dims + 1};
    for (uint32_t i = 1; i < 5; i++) OB_TRY(ob__require_shape(infer, i, wanted, OB0601));
    for (uint32_t i = 1; i < infer->node->n_outputs; i++) OB_TRY(ob__out_tensor(infer, i, OB_NONE, wanted.rank, wanted.dims));
    return OB_OK;
}

/* Operands 1 and 2 have `n` elements. */
static ob_status require_vectors(ob_infer *infer, ob_dim n) {
    for (uint32_t i = 1; i < 3; i++) OB_TRY(ob__require_shape(infer, i, (ob_shape){1, &n}, OB0601));
    return OB_OK;
}

ob_status ob__infer_instance_norm(ob_infer *infer) {
    if (ob__rank_in(infer, 0, 2, OB_MAX_RANK) && ob__in_rank(infer, 0) >= 0)
        OB_TRY(require_vectors(infer, ob__in_dim(infer, 0, 1)));
    return ob__out_like(infer, 0, 0);
}

/* Version 18 has a scale for each group, version 21 for each channel. */
ob_status ob__infer_group_norm(ob_infer *infer) {
    const ob_group_norm_params p = ob__group_norm_params(infer->node, infer->op);
    const int64_t groups = p.groups;
    if (groups < 1 || groups > OB_DIM_CONST_MAX)
        ob__problem(infer, OB0602, -1, -1, "num_groups is %lld", (long long)groups);
    else if (ob__rank_in(infer, 0, 2, OB_MAX_RANK) && ob__in_rank(infer, 0) >= 0) {
        ob_dim channels = ob__in_dim(infer, 0, 1);
        OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, channels, groups, 0, 1, OB0601));
        OB_TRY(require_vectors(infer, p.scale_per_group ? groups : channels));
    }
    return ob__out_like(infer, 0, 0);
}

/* LayerNormalization and RMSNormalization: scale and bias broadcast to the operand; statistics keep the axes before `axis`. */
ob_status ob__infer_layer_norm(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    const ob_layer_norm_params p = ob__layer_norm_params(infer->node, infer->op);
    int32_t first;
    OB_TRY(ob__out_like(infer, 0, 0));
    for (uint32_t i = 1; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, p.stash);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (x.rank < 0 || x.rank > OB_MAX_RANK) return OB_OK;
    if (!ob__axis_in(infer, p.axis, x.rank, &first)) return OB_OK;
    for (uint32_t i = 1; i < 3; i++) OB_TRY(ob__broadcast_onto(infer, ob__in_shape(infer, i), x, (int32_t)i, OB0102));
    ob_dim dims[OB_MAX_RANK];
    for (int32_t axis = 0; axis < x.rank; axis++) dims[axis] = axis < first ? x.dims[axis] : 1;
    for (uint32_t i = 1; i < infer->node->n_outputs; i++) OB_TRY(ob__out_tensor(infer, i, OB_NONE, x.rank, dims));
    return OB_OK;
}

ob_status ob__infer_dropout(ob_infer *infer) {
    for (uint32_t i = 1; i < 3; i++) OB_TRY(ob__require_one(infer, i));
    OB_TRY(ob__out_like(infer, 0, 0));
    return ob__out_like(infer, 1, 0);
}

/* Before opset 13 the shape is flattened at the axis. It must still be an existing axis, so not after the last one. */
ob_status ob__infer_softmax(ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0), axis;
    OB_TRY(ob__rank_unknown(infer, 0));
    if (rank >= 0) ob__axis_in(infer, ob__softmax_params(infer->node, infer->op).axis, rank, &axis);
    return ob__out_like(infer, 0, 0);
}

ob_status ob__infer_lp_norm(ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0), axis;
    OB_TRY(ob__rank_unknown(infer, 0));
    if (rank >= 0) ob__axis_in(infer, ob__lp_norm_params(infer->node).axis, rank, &axis);
    return ob__out_like(infer, 0, 0);
}

ob_status ob__infer_mean_variance(ob_infer *infer) {
    const ob_mean_variance_params p = ob__mean_variance_params(infer->node);
    int32_t rank = ob__in_rank(infer, 0), axis;
    for (uint32_t i = 0; ob__rank_in(infer, 0, 1, OB_MAX_RANK) && rank > 0 && i < p.n_axes; i++)
        if (!ob__axis_in(infer, p.axes[i], rank, &axis)) break;
    return ob__out_like(infer, 0, 0);
}

ob_status ob__infer_lrn(ob_infer *infer) {
    const ob_lrn_params p = ob__lrn_params(infer->node);
    if (!p.size_fits) ob__problem(infer, OB0602, -1, -1, "size is %lld", (long long)p.size);
    ob__rank_in(infer, 0, 2, OB_MAX_RANK);
    return ob__out_like(infer, 0, 0);
}

/* com.microsoft: operand 1 is added to operand 0; later operands are vectors. */
ob_status ob__infer_skip_layer_norm(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    ob_dim width = ob__in_dim(infer, 0, -1), dims[3];
    OB_TRY(ob__out_like(infer, 0, 0));
    OB_TRY(ob__out_like(infer, 3, 0));
    if (!ob__rank_in(infer, 0, 2, 3)) return OB_OK;
    for (uint32_t i = 2; i < infer->node->n_inputs; i++)
        if (ob__in_given(infer, i)) OB_TRY(ob__require_shape(infer, i, (ob_shape){1, &width}, OB0601));
    if (x.rank < 0) return OB_OK;
    OB_TRY(ob__broadcast_onto(infer, ob__in_shape(infer, 1), x, 1, OB0102));
    for (int32_t axis = 0; axis < x.rank; axis++) dims[axis] = axis + 1 < x.rank ? x.dims[axis] : 1;
    for (uint32_t i = 1; i < 3; i++) OB_TRY(ob__out_tensor(infer, i, OB_FLOAT, x.rank, dims));
    return OB_OK;
}

ob_status ob__infer_embed_layer_norm(ob_infer *infer) {
    ob_shape ids = ob__in_shape(infer, 0);
    ob_dim width = ob__in_dim(infer, 2, 1);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, OB_NONE);
    if (ob__in_given(infer, 1) != ob__in_given(infer, 4))
        ob__problem(infer, OB0602, -1, -1, "segment_ids and segment_embedding must be given together, or neither");
    if (!ob__rank_in(infer, 0, 2, 2)) return OB_OK;
    for (uint32_t i = 2; i < 7; i++) {
        bool vector = i >= 5;
        if (!ob__in_given(infer, i)) continue;
        if (!ob__rank_in(infer, i, vector ? 1 : 2, vector ? 1 : 2)) return OB_OK;
        if (i > 2 && ob__in_rank(infer, i) >= 0 && ob__in_rank(infer, 2) >= 0)
            OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, i, -1), width, (int32_t)i, vector ? 0 : 1, OB0601));
    }
    if (ids.rank < 0) return OB_OK;
    if (ob__in_given(infer, 1)) OB_TRY(ob__require_shape(infer, 1, ids, OB0601));
    OB_TRY(ob__require_places(infer, 0, ob__in_dim(infer, 2, 0), 2, 0));
    OB_TRY(ob__require_places(infer, 1, ob__in_dim(infer, 4, 0), 4, 0));
    OB_TRY(ob__require_places(infer, 8, ob__in_dim(infer, 3, 0), 3, 0));
    if (ob__in_given(infer, 7)) OB_TRY(ob__require_shape(infer, 7, ids, OB0601));
    if (ob__in_given(infer, 8)) {
        if (ob__rank_in(infer, 8, 2, 2)) OB_TRY(ob__broadcast_onto(infer, ob__in_shape(infer, 8), ids, 8, OB0102));
    } else if (ob__in_rank(infer, 3) == 2) {
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, ob__in_dim(infer, 3, 0), ids.dims[1], 3, 0, OB0601));
    }
    const ob_dim dims[3] = {ids.dims[0], ids.dims[1], width};
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 3, dims));
    OB_TRY(ob__out_tensor(infer, 1, OB_INT32, 1, dims));
    return ob__out_tensor(infer, 2, OB_NONE, 3, dims);
}
