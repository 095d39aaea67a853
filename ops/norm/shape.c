/* Shape rules of normalizations and losses. */
#include <string.h>

#include "core/error.h"
#include "ops/table/op.h"

OB_RULE(same);
OB_RULE(batch_norm);
OB_RULE(instance_norm);
OB_RULE(group_norm);
OB_RULE(layer_norm);
OB_RULE(dropout);
OB_RULE(loss);

/* One element for each channel, or with spatial = 0 (before opset 9) for each channel and place. An operand of rank 1 has one
 * channel. */
ob_status ob__infer_batch_norm(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    bool per_channel = ob__since(infer) >= 9 || ob__node_int(infer->node, "spatial", 1) != 0;
    ob_dim channels = x.rank >= 2 ? x.dims[1] : x.rank == 1 ? 1 : OB_DIM_UNKNOWN;
    OB_TRY(ob__out_like(infer, 0, 0));
    if (!ob__rank_in(infer, 0, 1, OB_MAX_RANK) || x.rank < 0) return OB_OK;
    bool vector = per_channel || x.rank < 2;
    const ob_shape wanted = vector ? (ob_shape){1, &channels} : (ob_shape){x.rank - 1, x.dims + 1};
    for (uint32_t i = 1; i < 5; i++) OB_TRY(ob__require_shape(infer, i, wanted, OB0601));
    if (!per_channel) return OB_OK;
    for (uint32_t i = 1; i < infer->node->n_outputs; i++) OB_TRY(ob__out_tensor(infer, i, OB_NONE, 1, &channels));
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
    return ob__infer_same(infer);
}

/* Version 18 has one scale for each group, 21 for each channel. */
ob_status ob__infer_group_norm(ob_infer *infer) {
    int64_t groups = ob__node_int(infer->node, "num_groups", 0);
    if (groups < 1 || groups > OB_DIM_CONST_MAX)
        ob__problem(infer, OB0602, -1, -1, "num_groups is %lld", (long long)groups);
    else if (ob__rank_in(infer, 0, 2, OB_MAX_RANK) && ob__in_rank(infer, 0) >= 0) {
        ob_dim channels = ob__in_dim(infer, 0, 1);
        OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, channels, groups, 0, 1, OB0601));
        OB_TRY(require_vectors(infer, ob__since(infer) < 21 ? groups : channels));
    }
    return ob__infer_same(infer);
}

/* LayerNormalization and RMSNormalization: scale and bias stretch to the operand, statistics keep the axes before `axis`. */
ob_status ob__infer_layer_norm(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    int32_t first;
    OB_TRY(ob__out_like(infer, 0, 0));
    for (uint32_t i = 1; i < infer->node->n_outputs; i++) {
        ob_dtype stash = (ob_dtype)ob__node_int(infer->node, "stash_type", OB_FLOAT);
        ob__out_dtype(infer, i, stash > OB_NONE && stash < OB_DTYPE_COUNT ? stash : OB_NONE);
    }
    OB_TRY(ob__rank_unknown(infer, 0));
    if (x.rank < 0 || x.rank > OB_MAX_RANK) return OB_OK;
    if (!ob__axis_in(infer, ob__node_int(infer->node, "axis", -1), x.rank, &first)) return OB_OK;
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

ob_status ob__infer_loss(ob_infer *infer) {
    ob_shape scores = ob__in_shape(infer, 0), labels = ob__in_shape(infer, 1);
    OB_TRY(ob__out_like(infer, 1, 0));
    bool scalar = strcmp(ob__node_string(infer->node, "reduction", "mean"), "none") != 0;
    ob__out_shape(infer, 0, OB_NONE, scalar ? (ob_shape){0, NULL} : labels);
    OB_TRY(ob__rank_unknown(infer, 1));
    if (!ob__rank_in(infer, 0, 2, OB_MAX_RANK)) return OB_OK;
    if (scores.rank >= 0 && labels.rank >= 0) {
        if (labels.rank != scores.rank - 1) {
            ob__problem(infer, OB0601, 1, -1, "the labels have rank %d, rank %d is needed", labels.rank, scores.rank - 1);
            return OB_OK;
        }
        for (int32_t axis = 0; axis < labels.rank; axis++)
            OB_TRY(ob__require(infer, OB_COND_EQUAL, labels.dims[axis], scores.dims[axis ? axis + 1 : 0], 1, axis, OB0601));
    }
    if (ob__in_given(infer, 2) && scores.rank >= 2) {
        ob_dim classes = ob__in_dim(infer, 0, 1);
        OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &classes}, OB0601));
    }
    return OB_OK;
}
