/* Shape rules of explicit broadcasts. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/shape.h"
#include "ops/broadcast/params.h"
#include "ops/infer/contents.h"
#include "ops/table/op.h"

OB_RULE(expand);
OB_RULE(explicit_broadcast);
OB_RULE(broadcast_in_dim);

static const char target_by_data[] = "the target shape depends on data";

/* The dims that a shape operand holds; the rank is unknown if nothing is known about it. */
ob_status ob__shape_operand(ob_infer *infer, uint32_t input, ob_shape *out) {
    *out = (ob_shape){OB_RANK_UNKNOWN, NULL};
    ob_content content = ob__in_content(infer, input);
    if (content.elems) {
        *out = (ob_shape){(int32_t)content.n, content.elems};
        return OB_OK;
    }
    ob_dim n = ob__in_dim(infer, input, 0);
    if (ob__in_rank(infer, input) != 1 || !ob_dim_is_const(n) || n < 0 || n > OB_MAX_RANK) return OB_OK;
    ob_dim *dims = ob__new_dims(infer, (size_t)n);
    if (!dims) return OB_E_MEMORY;
    for (ob_dim axis = 0; axis < n; axis++) dims[axis] = OB_DIM_UNKNOWN;
    *out = (ob_shape){(int32_t)n, dims};
    return OB_OK;
}

/* The result of broadcasting one size to a size of the target. If the target is data, inference assumes that the broadcast
 * succeeds and gives the only possible size; the run checks it. */
static ob_status expanded_dim(ob_infer *infer, ob_dim from, ob_dim target, int32_t axis, ob_dim *out) {
    *out = from == 1 ? target : from;
    if (target == OB_DIM_UNKNOWN) {
        if (!ob_dim_is_const(from) || from == 1) *out = OB_DIM_UNKNOWN;
        return ob__unverified(infer, 1, axis, target_by_data);
    }
    OB_TRY(ob__require_size(infer, target, 1, axis, OB0103));
    if (from == 1 || target == 1) return OB_OK;
    if (from == OB_DIM_UNKNOWN) {
        *out = ob_dim_is_const(target) ? target : OB_DIM_UNKNOWN;
        return ob__unverified(infer, 0, axis, "a size is not known");
    }
    const ob_condition condition = {OB_COND_BROADCAST, from, target};
    bool never = from != target && ob_condition_decide(infer->dims, &condition) == OB_FALSE;
    *out = never ? OB_DIM_UNKNOWN : ob_dim_bcast(infer->dims, from, target);
    return ob__require(infer, OB_COND_BROADCAST, from, target, 0, axis, OB0103);
}

/* For an unknown rank: the operand must broadcast to the target. It does if the target is the shape of a broadcast that includes
 * it. */
static ob_status expand_unknown(ob_infer *infer, bool target_known) {
    const ob_value *whole = ob__shape_is_of(infer->node->inputs[1]);
    if (whole && ob__in_given(infer, 0) && ob__has_taken_in(whole, infer->node->inputs[0])) return OB_OK;
    OB_TRY(ob__rank_unknown(infer, 0));
    if (target_known) return OB_OK;
    return ob__unverified(infer, 1, -1, whole ? "the rank of an operand is not known" : target_by_data);
}

/* Source: Expand-8, Expand-13. */
ob_status ob__infer_expand(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0), target;
    OB_TRY(ob__shape_operand(infer, 1, &target));
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__in_rank(infer, 1) >= 0 && ob__in_rank(infer, 1) != 1) {
        ob__problem(infer, OB0103, 1, -1, "the target shape must be a vector, its rank is %d", ob__in_rank(infer, 1));
        return OB_OK;
    }
    if (from.rank < 0 || target.rank < 0) OB_TRY(expand_unknown(infer, target.rank >= 0));
    if (target.rank >= 0 && !ob__rank_fits(infer, target.rank)) return OB_OK;
    if (from.rank < 0 || target.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    ob_broadcast_result result = {.rank = from.rank > target.rank ? from.rank : target.rank};
    for (int32_t axis = 0; axis < result.rank; axis++) {
        int32_t i = axis - (result.rank - from.rank), k = axis - (result.rank - target.rank);
        ob_dim wanted = k < 0 ? 1 : target.dims[k];
        if (ob_dim_is_const(wanted) && wanted < 0) {
            ob__problem(infer, OB0103, 1, axis, "axis %d: the target size %lld is negative", axis, (long long)wanted);
            result.dims[axis] = i >= 0 && ob_dim_is_const(from.dims[i]) && from.dims[i] != 1 ? from.dims[i] : OB_DIM_UNKNOWN;
        } else
            OB_TRY(expanded_dim(infer, i < 0 ? 1 : from.dims[i], wanted, axis, &result.dims[axis]));
    }
    OB_TRY(ob__out_broadcast(infer, 0, OB_NONE, &result));
    return ob__content_stretch(infer, 0, 0);
}

ob_status ob__infer_explicit_broadcast(ob_infer *infer) {
    uint32_t n = infer->node->n_outputs;
    if (n > infer->node->n_inputs) {
        ob__problem(infer, OB0603, -1, -1, "%u outputs for %u inputs: every output belongs to one input", n,
                    infer->node->n_inputs);
        return OB_OK;
    }
    ob_broadcast_result result;
    OB_TRY(ob__broadcast_all(infer, &result));
    for (uint32_t i = 0; i < n; i++) {
        OB_TRY(i == 0 ? ob__out_broadcast(infer, 0, ob__in_dtype(infer, 0), &result) : OB_OK);
        if (i > 0) ob__out_shape(infer, i, ob__in_dtype(infer, i), infer->out_types[0].shape);
        OB_TRY(ob__content_stretch(infer, i, i));
    }
    return OB_OK;
}

/* Source: XLA, Broadcasting, "BroadcastInDim". The shape is an attribute, or operand 1 when sizes are not constant. */
ob_status ob__infer_broadcast_in_dim(ob_infer *infer) {
    const ob_ints dimensions = ob__in_dim_params(infer->node).dimensions;
    uint32_t n_shape;
    const ob_dim *sizes;
    OB_TRY(ob__attribute_terms(infer, "shape", &sizes, &n_shape));
    ob_shape target = {(int32_t)n_shape, sizes}, from = ob__in_shape(infer, 0);
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__in_given(infer, 1))
        OB_TRY(ob__shape_operand(infer, 1, &target));
    else if (!sizes)
        ob__problem(infer, OB0602, -1, -1, "neither attribute shape nor operand 1 gives the result's shape");
    if (target.rank < 0) OB_TRY(ob__unverified(infer, 1, -1, target_by_data));
    if ((!sizes && !ob__in_given(infer, 1)) || target.rank < 0 || !ob__rank_fits(infer, target.rank)) return OB_OK;
    for (int32_t axis = 0; axis < target.rank; axis++)
        if (ob_dim_is_const(target.dims[axis]) && target.dims[axis] < 0) {
            ob__problem(infer, OB0602, -1, axis, "axis %d: the size %lld is negative", axis, (long long)target.dims[axis]);
            return OB_OK;
        }
    for (int32_t axis = 0; axis < target.rank; axis++)
        OB_TRY(target.dims[axis] == OB_DIM_UNKNOWN ? ob__unverified(infer, 1, axis, target_by_data)
                                                   : ob__require_size(infer, target.dims[axis], 1, axis, OB0602));
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, target.rank, target.dims));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0) return OB_OK;
    static const int64_t none[1] = {0};
    ob_broadcast_result aligned;
    ob_error *error = infer->trial;
    ob_error_clear(error);
    ob_status status = ob_align_in_dim(&from, dimensions.at ? dimensions.at : none, dimensions.n, target.rank, &aligned, error);
    if (status == OB_E_MEMORY) return status;
    if (status != OB_OK) {
        ob__problem(infer, OB0106, 0, error->axis, "%s", error->message);
        return OB_OK;
    }
    for (int32_t axis = 0; axis < target.rank; axis++) /* required above, as for Expand */
        if (target.dims[axis] == OB_DIM_UNKNOWN) aligned.dims[axis] = 1;
    return ob__broadcast_onto(infer, (ob_shape){aligned.rank, aligned.dims}, target, 0, OB0101);
}
