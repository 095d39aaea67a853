/* Shape rules of operators that keep operand 0's shape and work along some of its axes. */
#include <string.h>

#include "core/error.h"
#include "ops/table/op.h"

OB_RULE(same);
OB_RULE(softmax);
OB_RULE(cumsum);
OB_RULE(lp_norm);
OB_RULE(mean_variance);
OB_RULE(lrn);
OB_RULE(trilu);
OB_RULE(reverse_sequence);

/* Before opset 13 the axis cuts the shape in two: in front of an axis all the same, never behind the last one. */
ob_status ob__infer_softmax(ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0), axis;
    OB_TRY(ob__rank_unknown(infer, 0));
    if (rank >= 0) ob__axis_in(infer, ob__node_int(infer->node, "axis", ob__since(infer) < 13 ? 1 : -1), rank, &axis);
    return ob__infer_same(infer);
}

ob_status ob__infer_cumsum(ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0), axis;
    int64_t given;
    OB_TRY(ob__require_one(infer, 1));
    bool known = ob__in_const_int(infer, 1, &given);
    if (!known) OB_TRY(ob__unverified(infer, 1, -1, "the axis depends on data"));
    if (ob__rank_in(infer, 0, 1, OB_MAX_RANK) && rank > 0 && known) ob__axis_in(infer, given, rank, &axis);
    return ob__infer_same(infer);
}

ob_status ob__infer_lp_norm(ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0), axis;
    OB_TRY(ob__rank_unknown(infer, 0));
    if (rank >= 0) ob__axis_in(infer, ob__node_int(infer->node, "axis", -1), rank, &axis);
    return ob__infer_same(infer);
}

ob_status ob__infer_mean_variance(ob_infer *infer) {
    static const int64_t usual[3] = {0, 2, 3};
    int32_t rank = ob__in_rank(infer, 0), axis;
    uint32_t n;
    const int64_t *axes = ob__node_ints(infer->node, "axes", &n);
    if (!axes) {
        axes = usual;
        n = 3;
    }
    for (uint32_t i = 0; ob__rank_in(infer, 0, 1, OB_MAX_RANK) && rank > 0 && i < n; i++)
        if (!ob__axis_in(infer, axes[i], rank, &axis)) break;
    return ob__infer_same(infer);
}

ob_status ob__infer_lrn(ob_infer *infer) {
    int64_t size = ob__node_int(infer->node, "size", 0);
    if (size < 1 || size > INT32_MAX) ob__problem(infer, OB0602, -1, -1, "size is %lld", (long long)size);
    ob__rank_in(infer, 0, 2, OB_MAX_RANK);
    return ob__infer_same(infer);
}

ob_status ob__infer_trilu(ob_infer *infer) {
    ob__rank_in(infer, 0, 2, OB_MAX_RANK);
    OB_TRY(ob__require_one(infer, 1));
    return ob__infer_same(infer);
}

/* One length for each sequence of the batch, at most the size of the time axis. */
ob_status ob__infer_reverse_sequence(ob_infer *infer) {
    int64_t batch = ob__node_int(infer->node, "batch_axis", 1), time = ob__node_int(infer->node, "time_axis", 0);
    ob_dim n = ob__in_dim(infer, 0, batch);
    if (batch < 0 || batch > 1 || time != 1 - batch)
        ob__problem(infer, OB0602, -1, -1, "batch_axis %lld and time_axis %lld are not 0 and 1, or 1 and 0", (long long)batch,
                    (long long)time);
    else if (ob__rank_in(infer, 0, 2, OB_MAX_RANK)) {
        if (ob__in_rank(infer, 0) >= 0) OB_TRY(ob__require_shape(infer, 1, (ob_shape){1, &n}, OB0601));
        OB_TRY(ob__require_lengths(infer, 1, ob__in_dim(infer, 0, time)));
    }
    return ob__infer_same(infer);
}
