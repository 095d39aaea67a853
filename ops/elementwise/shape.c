/* Shape rules of elementwise operators, of the operators that broadcast, and of the explicit broadcasts. */
#include <string.h>

#include "core/error.h"
#include "core/shape.h"
#include "ops/infer/content.h"
#include "ops/table/op.h"

OB_RULE(same);
OB_RULE(broadcast);
OB_RULE(prelu);
OB_RULE(cast);
OB_RULE(clip);
OB_RULE(expand);
OB_RULE(explicit_broadcast);
OB_RULE(broadcast_in_dim);
OB_RULE(qlinear_binary);

/* ---- Output as operand 0 ---- */

ob_status ob__infer_same(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    OB_TRY(ob__in_content(infer, 0).elems ? ob__content_same(infer) : ob__range_unary(infer));
    return ob__fractions_round(infer);
}

/* ---- Broadcasting ---- */

static ob_status legacy(ob_infer *infer) {
    ob_shape a = ob__in_shape(infer, 0), b = ob__in_shape(infer, 1);
    OB_TRY(ob__out_like(infer, 0, 0));
    if (!ob__stretch_asked(infer->node, infer->op)) {
        OB_TRY(ob__require_shape(infer, 1, a, OB0105));
        return OB_OK;
    }
    const ob_attribute *axis = ob__node_attribute(infer->node, "axis");
    bool given = axis && axis->type == OB_ATTR_INT && !axis->ref;
    return ob__broadcast_legacy(infer, a, b, given, given ? axis->u.i : 0);
}

/* A shape that all operands have in one array already, the common case; false when it takes the algebra to tell. */
static bool plainly_equal(const ob_infer *infer, ob_shape *shape) {
    ob_shape first = ob__in_shape(infer, 0);
    if (first.rank < 0) return false;
    for (uint32_t i = 1; i < infer->node->n_inputs; i++) {
        ob_shape other = ob__in_shape(infer, i);
        if (other.rank == first.rank && other.dims == first.dims) continue;
        if (!ob__same_shape(&first, &other)) return false;
    }
    *shape = first;
    return true;
}

/* The dims array of an operand that has the result's shape already, else a new one. */
static ob_status set_result(ob_infer *infer, uint32_t output, ob_dtype dtype, const ob_broadcast_result *result) {
    for (uint32_t i = 0; i < infer->node->n_inputs; i++) {
        ob_shape shape = ob__in_shape(infer, i);
        if (shape.rank != result->rank || result->rank < 0) continue;
        if (shape.rank > 0 && memcmp(shape.dims, result->dims, (size_t)shape.rank * sizeof(ob_dim)) != 0) continue;
        ob__out_shape(infer, output, dtype, shape);
        return OB_OK;
    }
    return ob__out_tensor(infer, output, dtype, result->rank, result->dims);
}

static ob_status broadcast_all(ob_infer *infer, ob_broadcast_result *result) {
    uint32_t n = infer->node->n_inputs, few[16], *inputs = few;
    if (n > 16) {
        inputs = OB_ARENA_ARRAY(infer->arena, uint32_t, n);
        if (!inputs) return OB_E_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) inputs[i] = i;
    return ob__broadcast_inputs(infer, inputs, n, result);
}

/* Max-1, Sum-6 and kin take operands of one shape. */
static ob_status all_equal(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    for (uint32_t i = 1; i < infer->node->n_inputs; i++) OB_TRY(ob__require_shape(infer, i, ob__in_shape(infer, 0), OB0601));
    return OB_OK;
}

static bool all_contents_known(const ob_infer *infer) {
    for (uint32_t i = 0; i < infer->node->n_inputs; i++)
        if (!ob__in_content(infer, i).elems) return false;
    return infer->node->n_inputs > 0;
}

ob_status ob__infer_broadcast(ob_infer *infer) {
    ob_shape shape;
    ob_dtype dtype = ob__in_dtype(infer, 0);
    bool real = dtype == OB_FLOAT || dtype == OB_DOUBLE || dtype == OB_FLOAT16 || dtype == OB_BFLOAT16;
    if (real && ob__op_is(infer, "Mod") && ob__node_int(infer->node, "fmod", 0) == 0)
        ob__problem(infer, OB0602, -1, -1, "attribute fmod must be 1 for %s", ob_dtype_name(dtype));
    /* Before opset 7 an attribute may place even an operand of equal shape outside. */
    bool placed = infer->op->broadcast == OB_BCAST_LEGACY && ob__stretch_asked(infer->node, infer->op);
    if (!placed && plainly_equal(infer, &shape))
        ob__out_shape(infer, 0, OB_NONE, shape);
    else if (infer->op->broadcast == OB_BCAST_LEGACY)
        OB_TRY(legacy(infer));
    else if (infer->op->broadcast == OB_BCAST_NONE)
        OB_TRY(all_equal(infer));
    else {
        ob_broadcast_result result;
        OB_TRY(broadcast_all(infer, &result));
        OB_TRY(set_result(infer, 0, OB_NONE, &result));
    }
    if (all_contents_known(infer)) OB_TRY(ob__content_elementwise(infer));
    OB_TRY(ob__range_elementwise(infer));
    return ob__fractions_elementwise(infer);
}

/* com.microsoft QLinearAdd and QLinearMul: the operands stand at 0 and 3, each followed by its scale and zero point. */
ob_status ob__infer_qlinear_binary(ob_infer *infer) {
    static const uint32_t operands[2] = {0, 3};
    ob_broadcast_result result;
    OB_TRY(ob__broadcast_inputs(infer, operands, 2, &result));
    return ob__out_tensor(infer, 0, OB_NONE, result.rank, result.dims);
}

/* Source: PRelu-1 (one slope, or one for each channel), PRelu-7 and later (one-way broadcasting). */
ob_status ob__infer_prelu(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0), slope = ob__in_shape(infer, 1);
    OB_TRY(ob__out_like(infer, 0, 0));
    if (infer->op->stretch.onto == OB_ONTO_CHANNELS && slope.rank == 1 && x.rank >= 1) {
        if (slope.dims[0] == 1) return OB_OK;
        int32_t axis = x.rank >= 2 ? 1 : 0;
        return ob__require(infer, OB_COND_BROADCAST_TO, slope.dims[0], x.dims[axis], 1, axis, OB0102);
    }
    return ob__broadcast_onto(infer, slope, x, 1, OB0102);
}

/* ---- Conversions and bounds ---- */

static ob_dtype cast_target(ob_infer *infer) {
    if (ob__op_is(infer, "CastLike")) return ob__in_dtype(infer, 1);
    if (ob__since(infer) < 6) {
        const char *name = ob__node_string(infer->node, "to", "");
        char lower[24] = "";
        for (size_t i = 0; i + 1 < sizeof lower && name[i]; i++)
            lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
        return ob_dtype_from_name(lower);
    }
    int64_t to = ob__node_int(infer->node, "to", 0);
    return to > 0 && to < OB_DTYPE_COUNT ? (ob_dtype)to : OB_NONE;
}

ob_status ob__infer_cast(ob_infer *infer) {
    ob_dtype to = cast_target(infer);
    if (to == OB_NONE && !ob__op_is(infer, "CastLike"))
        ob__problem(infer, OB0602, -1, -1, "attribute to is missing or names no element type");
    OB_TRY(ob__out_like(infer, 0, 0));
    if (infer->node->n_outputs) infer->out_types[0].dtype = OB_NONE;
    ob__out_dtype(infer, 0, to);
    return ob__content_cast(infer, ob__in_dtype(infer, 0), to);
}

ob_status ob__infer_clip(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    /* The text says scalar; a vector of one element is common and harmless. */
    for (uint32_t i = 1; i < 3; i++) OB_TRY(ob__require_one(infer, i));
    return ob__content_clip(infer);
}

/* ---- Explicit broadcasting ---- */

/* The dims that a shape operand holds; rank unknown when nothing is known about it. */
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

/* What a size becomes under one of the target. Data may tell the target: then a run that goes on has the size that can only stay,
 * and whether it goes on is not known here. */
static ob_status expanded_dim(ob_infer *infer, ob_dim from, ob_dim target, int32_t axis, ob_dim *out) {
    *out = from == 1 ? target : from;
    if (target == OB_DIM_UNKNOWN) {
        if (!ob_dim_is_const(from) || from == 1) *out = OB_DIM_UNKNOWN;
        return ob__unverified(infer, 1, axis, "the target shape depends on data");
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

/* Source: Expand-8, Expand-13. */
ob_status ob__infer_expand(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0), target;
    OB_TRY(ob__shape_operand(infer, 1, &target));
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__in_rank(infer, 1) >= 0 && ob__in_rank(infer, 1) != 1) {
        ob__problem(infer, OB0103, 1, -1, "the target shape must be a vector, its rank is %d", ob__in_rank(infer, 1));
        return OB_OK;
    }
    OB_TRY(ob__rank_unknown(infer, 0));
    if (target.rank < 0) OB_TRY(ob__unverified(infer, 1, -1, "the target shape depends on data"));
    if (from.rank < 0 || target.rank < 0 || from.rank > OB_MAX_RANK || target.rank > OB_MAX_RANK) return OB_OK;
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
    OB_TRY(set_result(infer, 0, OB_NONE, &result));
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
    OB_TRY(broadcast_all(infer, &result));
    for (uint32_t i = 0; i < n; i++) {
        OB_TRY(i == 0 ? set_result(infer, 0, ob__in_dtype(infer, 0), &result) : OB_OK);
        if (i > 0) ob__out_shape(infer, i, ob__in_dtype(infer, i), infer->out_types[0].shape);
        OB_TRY(ob__content_stretch(infer, i, i));
    }
    return OB_OK;
}

/* Source: XLA, Broadcasting, "BroadcastInDim". The shape is an attribute, or operand 1 when sizes are not constant. */
ob_status ob__infer_broadcast_in_dim(ob_infer *infer) {
    uint32_t n_dimensions, n_shape;
    const int64_t *dimensions = ob__node_ints(infer->node, "broadcast_dimensions", &n_dimensions);
    const ob_dim *sizes;
    OB_TRY(ob__attribute_terms(infer, "shape", &sizes, &n_shape));
    ob_shape target = {(int32_t)n_shape, sizes}, from = ob__in_shape(infer, 0);
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__in_given(infer, 1))
        OB_TRY(ob__shape_operand(infer, 1, &target));
    else if (!sizes)
        ob__problem(infer, OB0602, -1, -1, "neither attribute shape nor operand 1 gives the result's shape");
    if (target.rank < 0) OB_TRY(ob__unverified(infer, 1, -1, "the target shape depends on data"));
    if ((!sizes && !ob__in_given(infer, 1)) || target.rank < 0 || target.rank > OB_MAX_RANK) return OB_OK;
    for (int32_t axis = 0; axis < target.rank; axis++)
        if (ob_dim_is_const(target.dims[axis]) && target.dims[axis] < 0) {
            ob__problem(infer, OB0602, -1, axis, "axis %d: the size %lld is negative", axis, (long long)target.dims[axis]);
            return OB_OK;
        }
    for (int32_t axis = 0; axis < target.rank; axis++) OB_TRY(ob__require_size(infer, target.dims[axis], 1, axis, OB0602));
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, target.rank, target.dims));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0) return OB_OK;
    static const int64_t none[1] = {0};
    ob_broadcast_result aligned;
    ob_error error;
    ob_error_clear(&error);
    ob_status status = ob_align_in_dim(&from, dimensions ? dimensions : none, n_dimensions, target.rank, &aligned, &error);
    if (status == OB_E_MEMORY) return status;
    if (status != OB_OK) {
        ob__problem(infer, OB0106, 0, error.axis, "%s", error.message);
        return OB_OK;
    }
    return ob__broadcast_onto(infer, (ob_shape){aligned.rank, aligned.dims}, target, 0, OB0101);
}
