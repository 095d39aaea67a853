/* Shape rules of elementwise operators. */
#include "core/dims/shape.h"
#include "core/base/error.h"
#include "core/graph/types.h"
#include "ops/elementwise/contents.h"
#include "ops/elementwise/loops.h"
#include "ops/elementwise/params.h"
#include "ops/infer/contents.h"
#include "ops/infer/legacy.h"
#include "ops/table/op.h"

OB_RULE(same);
OB_RULE(alike);
OB_RULE(broadcast);
OB_RULE(where);
OB_RULE(quotient);
OB_RULE(bias);
OB_RULE(prelu);
OB_RULE(cast);
OB_RULE(clip);
OB_RULE(bit_cast);

/* ---- Output as operand 0 ---- */

/* Source: SwiGLU-28: "identical shapes; broadcasting is not applied". */
ob_status ob__infer_alike(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    return ob__require_shape(infer, 1, ob__in_shape(infer, 0), OB0601);
}

ob_status ob__infer_same(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    OB_TRY(ob__in_content(infer, 0).elems ? ob__content_unary(infer) : ob__range_unary(infer));
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
    const ob_legacy_axis placed = ob__legacy_axis(infer->node);
    return ob__broadcast_legacy(infer, a, b, placed.given, placed.axis);
}

/* The shape of all operands if they share one dims array, which is the common case; otherwise false, although shapes may be
 * equal. */
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

/* Max-1, Sum-6 and similar operators require operands of one shape. */
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

static ob_status broadcast_shape(ob_infer *infer) {
    ob_shape shape;
    /* before opset 7 an attribute may place even an operand of equal shape out of range */
    bool placed = infer->op->broadcast == OB_BCAST_LEGACY && ob__stretch_asked(infer->node, infer->op);
    if (!placed && plainly_equal(infer, &shape)) {
        ob__out_shape(infer, 0, OB_NONE, shape);
        return OB_OK;
    }
    if (infer->op->broadcast == OB_BCAST_LEGACY) return legacy(infer);
    if (infer->op->broadcast == OB_BCAST_NONE) return all_equal(infer);
    ob_broadcast_result result;
    OB_TRY(ob__broadcast_all(infer, &result));
    return ob__out_broadcast(infer, 0, OB_NONE, &result);
}

ob_status ob__infer_broadcast(ob_infer *infer) {
    OB_TRY(broadcast_shape(infer));
    if (all_contents_known(infer)) OB_TRY(ob__content_elementwise(infer));
    OB_TRY(ob__range_elementwise(infer));
    return ob__fractions_elementwise(infer);
}

ob_status ob__infer_where(ob_infer *infer) {
    OB_TRY(broadcast_shape(infer));
    if (all_contents_known(infer)) OB_TRY(ob__content_where(infer));
    return ob__range_where(infer);
}

/* For divisors with unknown elements: their range may show that none is 0. */
static ob_status require_unknown_divisors(ob_infer *infer, ob_dim n) {
    ob_range range;
    if (n == 0 || ob__in_const_without_0(infer, 1)) return OB_OK;
    if (ob__in_range(infer, 1, &range))
        if (ob__known_at_least(infer, range.lowest, 1) || ob__known_at_least(infer, -1, range.highest)) return OB_OK;
    return ob__unverified(infer, 1, -1, "whether a divisor is 0 depends on data");
}

/* Requires that no integer is divided by 0, if any is divided. */
static ob_status require_divisors(ob_infer *infer) {
    ob_content divisors = ob__in_content(infer, 1);
    if (!ob__dtype_is_integer(ob__in_dtype(infer, 1)) || !infer->node->n_outputs) return OB_OK;
    ob_shape to = infer->out_types[0].shape;
    ob_dim n = to.rank < 0 ? OB_DIM_UNKNOWN : ob__dims_product(infer, to.dims, 0, to.rank);
    if (!divisors.elems) return require_unknown_divisors(infer, n);
    for (uint32_t i = 0; i < divisors.n; i++) {
        ob_dim divisor = divisors.elems[i];
        OB_TRY(ob__term_fit(infer, &divisor, ob__in_dtype(infer, 1), 1));
        if (divisor == OB_DIM_UNKNOWN) OB_TRY(ob__unverified(infer, 1, -1, "whether a divisor is 0 depends on data"));
        if (divisor == OB_DIM_UNKNOWN || ob__known_at_least(infer, divisor, 1) || ob__known_at_least(infer, -1, divisor))
            continue;
        bool is_size = ob__known_at_least(infer, divisor, 0);
        ob_dim apart = is_size ? divisor : ob_dim_mul(infer->dims, divisor, divisor);
        OB_TRY(ob__require_where(infer, n, OB_COND_AT_LEAST, apart, 1, 1, -1, OB0601));
    }
    return OB_OK;
}

ob_status ob__infer_quotient(ob_infer *infer) {
    ob_dtype dtype = ob__in_dtype(infer, 0);
    if (ob__dtype_is_float(dtype) && ob__applies(infer->op, OBK_MOD) && !ob__mod_of_dividend(infer->node))
        ob__problem(infer, OB0602, -1, -1, "attribute fmod must be 1 for %s", ob_dtype_name(dtype));
    OB_TRY(ob__infer_broadcast(infer));
    return require_divisors(infer);
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

static ob_dtype cast_target(const ob_infer *infer) {
    return ob__op_is(infer, "CastLike") ? ob__in_dtype(infer, 1) : ob__cast_target(infer->node, ob__since(infer));
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
    /* The specification says scalar; a vector with one element is common and harmless. */
    for (uint32_t i = 1; i < 3; i++) OB_TRY(ob__require_one(infer, i));
    return ob__content_clip(infer);
}

ob_status ob__infer_bit_cast(ob_infer *infer) {
    ob_dtype from = ob__in_dtype(infer, 0), to = ob__cast_target(infer->node, ob__since(infer));
    OB_TRY(ob__out_like(infer, 0, 0));
    if (infer->node->n_outputs) infer->out_types[0].dtype = OB_NONE;
    ob__out_dtype(infer, 0, to);
    if (to == OB_NONE)
        ob__problem(infer, OB0602, -1, -1, "attribute to names no element type");
    else if (from != OB_NONE && ob_dtype_file_bits(from) != ob_dtype_file_bits(to))
        ob__problem(infer, OB0604, 0, -1, "elements of %s and %s have different numbers of bits", ob_dtype_name(from),
                    ob_dtype_name(to));
    return OB_OK;
}

/* com.microsoft BiasGelu, FastGelu: a vector along the last axis. */
ob_status ob__infer_bias(ob_infer *infer) {
    ob_dim width = ob__in_dim(infer, 0, -1);
    OB_TRY(ob__out_like(infer, 0, 0));
    if (!ob__in_given(infer, 1) || !ob__rank_in(infer, 0, 1, OB_MAX_RANK)) return OB_OK;
    return ob__require_shape(infer, 1, (ob_shape){1, &width}, OB0601);
}
