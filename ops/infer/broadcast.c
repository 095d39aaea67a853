/* Broadcasts in shape rules: applies core/dims/broadcast.c to operands and passes on its conditions and errors. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/clash.h"
#include "ops/infer/infer.h"

typedef struct sink_context {
    ob_infer *infer;
    const uint32_t *inputs; /* numbers of the inputs; NULL: `operand` for all */
    int32_t operand;
    bool numbered; /* messages name the inputs, because there are more than two */
} sink_context;

static ob_status forward_condition(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    const sink_context *sink = context;
    ob_infer *infer = sink->infer;
    if (!infer->condition) return OB_OK;
    bool known = condition->a != OB_DIM_UNKNOWN && condition->b != OB_DIM_UNKNOWN;
    return infer->condition(infer, condition, 1, sink->inputs ? (int32_t)sink->inputs[operand] : sink->operand, axis,
                            known ? NULL : "a size is not known");
}

/* For two operands, the shapes below the message identify them; for more, the message gives the numbers of the node's inputs. */
static void report_clash(const sink_context *sink, ob_finding_id id, ob_clash clash) {
    char text[sizeof sink->infer->trial->message];
    if (sink->inputs) {
        clash.a_operand = sink->inputs[clash.a_operand];
        clash.b_operand = sink->inputs[clash.b_operand];
    }
    ob__clash_text(sink->infer->dims, &clash, sink->numbered, text, sizeof text);
    ob__problem(sink->infer, id, sink->operand, clash.axis, "%s", text);
}

/* Handles a failure of the broadcast: an error of the model becomes a finding, lack of memory stays a status. */
static ob_status judge(const sink_context *sink, ob_status status, ob_finding_id id, const ob_clash *clash,
                       const ob_error *error) {
    if (status == OB_E_SHAPE && clash->kind != OB_CLASH_NONE) {
        report_clash(sink, id, *clash);
        return OB_OK;
    }
    if (status == OB_E_SHAPE || status == OB_E_ARGUMENT)
        ob__problem(sink->infer, id, sink->operand, error->axis, "%s", error->message);
    if (status == OB_E_LIMIT)
        return ob__unverified(sink->infer, sink->operand, error->axis, "a limit of broadcasting is reached");
    return status == OB_E_MEMORY ? status : OB_OK;
}

/* Called when sizes do not broadcast along one axis: reports it and continues with the other axes, which remain known. `sink`
 * maps operands to inputs. */
static ob_status broadcast_good_axes(ob_infer *infer, ob_shape *shapes, uint32_t n, sink_context *sink, ob_finding_id id,
                                     ob_clash *clash, ob_broadcast_result *result) {
    ob_error *error = infer->trial;
    uint32_t bad = 0; /* one bit for each axis */
    ob_status status = OB_E_SHAPE;
    for (uint32_t i = 0; i < n; i++) { /* copies the shapes with size 1 along these axes */
        if (shapes[i].rank <= 0) continue;
        ob_dim *dims = ob__new_dims(infer, (size_t)shapes[i].rank);
        if (!dims) return OB_E_MEMORY;
        memcpy(dims, shapes[i].dims, (size_t)shapes[i].rank * sizeof *dims);
        shapes[i].dims = dims;
    }
    int32_t rank = 0;
    for (uint32_t i = 0; i < n; i++) rank = shapes[i].rank > rank ? shapes[i].rank : rank;
    while (status == OB_E_SHAPE && clash->kind != OB_CLASH_NONE && clash->axis < rank) {
        int32_t axis = clash->axis;
        report_clash(sink, id, *clash);
        bad |= UINT32_C(1) << axis;
        for (uint32_t i = 0; i < n; i++) {
            int32_t own = axis - (rank - shapes[i].rank);
            if (shapes[i].rank > 0 && own >= 0) ((ob_dim *)shapes[i].dims)[own] = 1;
        }
        status = ob__try_broadcast(shapes, n, infer->dims, forward_condition, sink, result, clash, error);
    }
    if (status != OB_OK) {
        result->rank = OB_RANK_UNKNOWN;
        return judge(sink, status, id, clash, error);
    }
    for (int32_t axis = 0; axis < result->rank; axis++)
        if (bad >> axis & 1) result->dims[axis] = OB_DIM_UNKNOWN;
    return OB_OK;
}

ob_status ob__broadcast_inputs(ob_infer *infer, const uint32_t *inputs, uint32_t n, ob_broadcast_result *result) {
    ob_shape few[16], *shapes = few;
    few[0] = (ob_shape){0, NULL}; /* if n is 0 */
    result->rank = OB_RANK_UNKNOWN;
    if (n > 16) {
        shapes = OB_ARENA_ARRAY(infer->arena, ob_shape, n);
        if (!shapes) return OB_E_MEMORY;
    }
    bool known = true;
    for (uint32_t i = 0; i < n; i++) {
        shapes[i] = ob__in_shape(infer, inputs[i]);
        known &= shapes[i].rank >= 0;
    }
    const bool asks = n > 1 && !known && !ob__made_same_shape(infer, inputs, n);
    for (uint32_t i = 0; i < n && asks; i++) OB_TRY(ob__rank_unknown(infer, inputs[i]));
    ob_error *error = infer->trial;
    ob_clash clash;
    sink_context sink = {infer, inputs, -1, n > 2};
    ob_broadcast_result found;
    ob_status status = ob__try_broadcast(shapes, n, infer->dims, forward_condition, &sink, &found, &clash, error);
    if (status == OB_E_SHAPE && clash.axis >= 0) return broadcast_good_axes(infer, shapes, n, &sink, OB0101, &clash, result);
    if (status != OB_OK) return judge(&sink, status, OB0101, &clash, error);
    *result = found;
    return OB_OK;
}

ob_status ob__broadcast_pair(ob_infer *infer, ob_shape a, ob_shape b, int32_t operand, ob_finding_id id,
                             ob_broadcast_result *result) {
    ob_shape shapes[2] = {a, b};
    if (a.rank < 0 || b.rank < 0) OB_TRY(ob__unverified(infer, operand, -1, "the rank of an operand is not known"));
    ob_error *error = infer->trial;
    ob_clash clash;
    sink_context sink = {infer, NULL, operand, false};
    ob_broadcast_result found;
    result->rank = OB_RANK_UNKNOWN;
    ob_status status = ob__try_broadcast(shapes, 2, infer->dims, forward_condition, &sink, &found, &clash, error);
    if (status == OB_E_SHAPE && clash.axis >= 0) return broadcast_good_axes(infer, shapes, 2, &sink, id, &clash, result);
    if (status != OB_OK) return judge(&sink, status, id, &clash, error);
    *result = found;
    return OB_OK;
}

/* The same one way, from axis `first` of `to` on. The shape of the result is known, so only its axes are checked. */
static ob_status stretch_good_axes(ob_infer *infer, const ob_shape *from, const ob_shape *to, int32_t first, sink_context *sink,
                                   ob_finding_id id, ob_clash *clash) {
    ob_error *error = infer->trial;
    ob_dim dims[OB_MAX_RANK];
    const ob_shape aligned = {to->rank, dims};
    ob_status status = OB_E_SHAPE;
    for (int32_t axis = 0; axis < to->rank; axis++)
        dims[axis] = axis < first || axis >= first + from->rank ? 1 : from->dims[axis - first];
    while (status == OB_E_SHAPE && clash->kind != OB_CLASH_NONE && clash->axis >= 0 && clash->axis < to->rank) {
        report_clash(sink, id, *clash);
        dims[clash->axis] = 1;
        status = ob__try_stretch(&aligned, to, infer->dims, forward_condition, sink, clash, error);
    }
    return judge(sink, status, id, clash, error);
}

ob_status ob__broadcast_onto(ob_infer *infer, ob_shape from, ob_shape to, int32_t operand, ob_finding_id id) {
    if (from.rank < 0 || to.rank < 0)
        return ob__in_given(infer, (uint32_t)operand) ? ob__unverified(infer, operand, -1, "the rank of an operand is not known")
                                                      : OB_OK;
    ob_error *error = infer->trial;
    ob_clash clash;
    sink_context sink = {infer, NULL, operand, false};
    ob_status status = ob__try_stretch(&from, &to, infer->dims, forward_condition, &sink, &clash, error);
    if (status == OB_E_SHAPE && clash.axis >= 0)
        return stretch_good_axes(infer, &from, &to, to.rank - from.rank, &sink, id, &clash);
    return status == OB_OK ? OB_OK : judge(&sink, status, id, &clash, error);
}

ob_status ob__broadcast_legacy(ob_infer *infer, ob_shape a, ob_shape b, bool axis_given, int64_t axis) {
    if (a.rank < 0 || b.rank < 0) return ob__unverified(infer, 1, -1, "the rank of an operand is not known");
    ob_error *error = infer->trial;
    ob_clash clash;
    sink_context sink = {infer, NULL, 1, false};
    int64_t dimensions[OB_MAX_RANK];
    ob_status status = ob__try_legacy(&a, &b, axis_given, axis, infer->dims, forward_condition, &sink, dimensions, &clash, error);
    if (status == OB_E_SHAPE && clash.axis >= 0) { /* the axes correspond, but the sizes differ */
        ob_dim ones[OB_MAX_RANK];
        for (int32_t i = 0; i < b.rank; i++) ones[i] = 1;
        const ob_shape fits = {b.rank, ones};
        OB_TRY(ob_broadcast_legacy(&a, &fits, axis_given, axis, infer->dims, NULL, NULL, dimensions, NULL));
        return stretch_good_axes(infer, &b, &a, (int32_t)dimensions[0], &sink, OB0105, &clash);
    }
    return status == OB_OK ? OB_OK : judge(&sink, status, OB0105, &clash, error);
}

ob_status ob__broadcast_all(ob_infer *infer, ob_broadcast_result *result) {
    uint32_t n = infer->node->n_inputs, few[16], *inputs = few;
    if (n > 16) {
        inputs = OB_ARENA_ARRAY(infer->arena, uint32_t, n);
        if (!inputs) return OB_E_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) inputs[i] = i;
    return ob__broadcast_inputs(infer, inputs, n, result);
}

ob_status ob__out_broadcast(ob_infer *infer, uint32_t output, ob_dtype dtype, const ob_broadcast_result *result) {
    for (uint32_t i = 0; i < infer->node->n_inputs; i++) {
        ob_shape shape = ob__in_shape(infer, i);
        if (shape.rank != result->rank || result->rank < 0) continue;
        if (shape.rank > 0 && memcmp(shape.dims, result->dims, (size_t)shape.rank * sizeof(ob_dim)) != 0) continue;
        ob__out_shape(infer, output, dtype, shape);
        return OB_OK;
    }
    return ob__out_tensor(infer, output, dtype, result->rank, result->dims);
}
