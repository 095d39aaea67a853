/* The shape rule of a library's operators, and the functions that the host offers to it. */
#include <string.h>

#include "core/base/error.h"
#include "ops/library/library.h"

/* ---- The rule ---- */

static ob_finding_id finding_of(const ob_library_call *c) {
    if (c->misbehaved) return OB0605;
    return c->failure == OB_E_TYPE ? OB0604 : c->failure == OB_E_ARGUMENT ? OB0602 : OB0601;
}

static void forget_shapes(ob_infer *infer) {
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) infer->out_types[i].shape = (ob_shape){OB_RANK_UNKNOWN, NULL};
}

static ob_status infer_broadcast(ob_infer *infer) {
    uint32_t n = infer->node->n_inputs, given = 0;
    uint32_t *inputs = OB_ARENA_ARRAY(infer->arena, uint32_t, n);
    if (!inputs) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        if (ob__in_given(infer, i)) inputs[given++] = i;
    ob_broadcast_result result;
    OB_TRY(ob__broadcast_inputs(infer, inputs, given, &result));
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) OB_TRY(ob__out_tensor(infer, i, OB_NONE, result.rank, result.dims));
    return OB_OK;
}

static ob_status call_rule(ob_infer *infer, const ob_library_op *op) {
    ob_library_call c;
    ob__library_call_init(&c, OB_PHASE_SHAPE, op, infer->node);
    c.infer = infer;
    c.set = OB_ARENA_ARRAY(infer->arena, bool, infer->node->n_outputs);
    if (!c.set) return OB_E_MEMORY;
    ob_status status = ob__library_conclude(&c, "shape", op->row->shape(&c.open));
    for (uint32_t i = 0; i < infer->node->n_outputs && status == OB_OK; i++)
        if (!c.set[i]) status = ob__library_misbehaves(&c, "sets no shape for output %u", i);
    if (status == OB_OK) return OB_OK;
    if (status == OB_E_MEMORY) return status;
    forget_shapes(infer);
    if (!c.reported) ob__problem(infer, finding_of(&c), c.operand, c.axis, "%s", c.message);
    return OB_OK;
}

ob_status ob__library_infer(ob_infer *infer) {
    const ob_library_op *op = (const ob_library_op *)infer->op;
    bool open;
    if (!ob__library_attributes_fit(infer, op->row, &open) || open) return OB_OK;
    return op->row->flags & OB_OPERATOR_BROADCASTS ? infer_broadcast(infer) : call_rule(infer, op);
}

/* ---- Inputs ---- */

static ob_infer *infer_of(ob_operator_call *call, const char *function) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_SHAPE, function);
    return c ? c->infer : NULL;
}

ob_shape ob__host_input_shape(ob_operator_call *call, uint32_t input) {
    ob_infer *infer = infer_of(call, "input_shape");
    return infer ? ob__in_shape(infer, input) : (ob_shape){OB_RANK_UNKNOWN, NULL};
}

ob_dtype ob__host_input_dtype(ob_operator_call *call, uint32_t input) {
    ob_infer *infer = infer_of(call, "input_dtype");
    return infer ? ob__in_dtype(infer, input) : OB_NONE;
}

bool ob__host_input_given(ob_operator_call *call, uint32_t input) {
    ob_infer *infer = infer_of(call, "input_given");
    return infer && ob__in_given(infer, input);
}

const ob_dim *ob__host_input_integers(ob_operator_call *call, uint32_t input, size_t *n) {
    ob_infer *infer = infer_of(call, "input_integers");
    ob_content content = infer ? ob__in_content(infer, input) : (ob_content){0};
    if (n) *n = content.elems ? content.n : 0;
    return content.elems;
}

/* ---- Dims ---- */

/* Whether d is a number, a term of this pool or OB_DIM_UNKNOWN. A library may pass any value. */
static bool is_dim(const ob_infer *infer, ob_dim d) {
    return d == OB_DIM_UNKNOWN || ob_dim_is_const(d) || ob_dim_get_kind(infer->dims, d) != OB_DIM_KIND_UNKNOWN;
}

typedef ob_dim (*arithmetic)(ob_dims *pool, ob_dim a, ob_dim b);

static ob_dim compute(ob_operator_call *call, const char *function, arithmetic apply, ob_dim a, ob_dim b) {
    ob_infer *infer = infer_of(call, function);
    if (!infer || a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN || !is_dim(infer, a) || !is_dim(infer, b)) return OB_DIM_UNKNOWN;
    return apply(infer->dims, a, b);
}

ob_dim ob__host_add(ob_operator_call *call, ob_dim a, ob_dim b) {
    return compute(call, "add", ob_dim_add, a, b);
}

ob_dim ob__host_sub(ob_operator_call *call, ob_dim a, ob_dim b) {
    return compute(call, "sub", ob_dim_sub, a, b);
}

ob_dim ob__host_mul(ob_operator_call *call, ob_dim a, ob_dim b) {
    return compute(call, "mul", ob_dim_mul, a, b);
}

static ob_dim floor_div(ob_dims *pool, ob_dim a, ob_dim divisor) {
    return divisor > 0 && ob_dim_is_const(divisor) ? ob_dim_div(pool, a, divisor) : OB_DIM_UNKNOWN;
}

static ob_dim ceil_div(ob_dims *pool, ob_dim a, ob_dim divisor) {
    return divisor > 0 && ob_dim_is_const(divisor) ? ob_dim_ceil_div(pool, a, divisor) : OB_DIM_UNKNOWN;
}

ob_dim ob__host_floor_div(ob_operator_call *call, ob_dim a, int64_t divisor) {
    return compute(call, "floor_div", floor_div, a, divisor);
}

ob_dim ob__host_ceil_div(ob_operator_call *call, ob_dim a, int64_t divisor) {
    return compute(call, "ceil_div", ceil_div, a, divisor);
}

size_t ob__host_dim_text(ob_operator_call *call, ob_dim d, char *text, size_t n_bytes) {
    ob_infer *infer = infer_of(call, "dim_text");
    if (!text) n_bytes = 0;
    return ob_dim_format(infer ? infer->dims : NULL, infer && is_dim(infer, d) ? d : OB_DIM_UNKNOWN, text, n_bytes);
}

/* ---- Requirements and findings ---- */

ob_status ob__host_require(ob_operator_call *call, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand, int32_t axis) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_SHAPE, "require");
    if (!c) return OB_E_INTERNAL;
    if ((int)kind < OB_COND_EQUAL || kind > OB_COND_AT_LEAST)
        return ob__library_misbehaves(c, "requires condition %d, which does not exist", (int)kind);
    if (!is_dim(c->infer, a) || !is_dim(c->infer, b))
        return ob__library_misbehaves(c, "requires a condition on a value that is not a dim");
    if (kind == OB_COND_DIVISIBLE && (!ob_dim_is_const(b) || b <= 0))
        return ob__library_misbehaves(c, "requires a multiple of a number below 1");
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN || c->failure != OB_OK) return c->failure;
    if (operand < 0 || (uint32_t)operand >= c->node->n_inputs) operand = -1;
    if (axis >= OB_MAX_RANK) axis = -1;
    const ob_condition condition = {kind, a, b};
    ob_truth truth = ob_condition_decide(c->infer->dims, &condition);
    ob_status status = ob__require(c->infer, kind, a, b, operand, axis, OB0601);
    if (status != OB_OK) return ob__library_fail(c, status, operand, axis, "%s", ob_status_text(status));
    if (truth != OB_FALSE) return OB_OK;
    ob__library_fail(c, OB_E_SHAPE, operand, axis, "a condition is broken");
    c->reported = true;
    return OB_E_SHAPE;
}

ob_status ob__host_broadcast(ob_operator_call *call, const uint32_t *inputs, size_t n, ob_broadcast_result *result) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_SHAPE, "broadcast");
    if (!c) return OB_E_INTERNAL;
    if (!result || (n && !inputs)) return ob__library_misbehaves(c, "broadcasts NULL");
    result->rank = OB_RANK_UNKNOWN;
    if (c->failure != OB_OK) return c->failure;
    bool known = true;
    if (n > c->node->n_inputs) return ob__library_misbehaves(c, "broadcasts %zu operands of %u", n, c->node->n_inputs);
    for (size_t i = 0; i < n; i++) {
        if (!ob__in_given(c->infer, inputs[i]))
            return ob__library_misbehaves(c, "broadcasts operand %u, which does not exist", inputs[i]);
        int32_t rank = ob__in_rank(c->infer, inputs[i]);
        known &= rank >= 0 && rank <= OB_MAX_RANK;
    }
    if (!known) return OB_OK;
    ob_status status = ob__broadcast_inputs(c->infer, inputs, (uint32_t)n, result);
    if (status != OB_OK) return ob__library_fail(c, status, -1, -1, "%s", ob_status_text(status));
    if (result->rank != OB_RANK_UNKNOWN) return OB_OK;
    ob__library_fail(c, OB_E_SHAPE, -1, -1, "operands do not broadcast");
    c->reported = true;
    return OB_E_SHAPE;
}

/* ---- Outputs ---- */

static ob_status check_dtype(ob_library_call *c, uint32_t output, ob_dtype dtype) {
    const ob_op *op = &c->op->op;
    ob_dtype told = output < c->node->n_outputs ? c->infer->out_types[output].dtype : OB_NONE;
    if (dtype == OB_NONE) {
        bool by_letter = ob__op_output_follows(op, output);
        return by_letter ? OB_OK : ob__library_misbehaves(c, "leaves the element type of output %u open", output);
    }
    bool exists = (int)dtype > OB_NONE && dtype < OB_DTYPE_COUNT;
    if (!exists || !(ob__op_output_types(op, output) & OB_OPERATOR_TYPE(dtype)) || (told != OB_NONE && told != dtype))
        return ob__library_misbehaves(c, "sets output %u to element type %s, which its signature does not allow", output,
                                      ob_dtype_name(dtype));
    return OB_OK;
}

ob_status ob__host_set_output(ob_operator_call *call, uint32_t output, ob_dtype dtype, int32_t rank, const ob_dim *dims) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_SHAPE, "set_output");
    if (!c) return OB_E_INTERNAL;
    const ob_op *op = &c->op->op;
    if (op->out_max != INT16_MAX && output >= (uint32_t)op->out_max)
        return ob__library_misbehaves(c, "sets output %u, but has %d", output, op->out_max);
    if (rank < OB_RANK_UNKNOWN || rank > OB_MAX_RANK)
        return ob__library_misbehaves(c, "sets output %u to rank %d; at most %d is possible", output, rank, OB_MAX_RANK);
    if (rank > 0 && !dims) return ob__library_misbehaves(c, "sets output %u to rank %d without dims", output, rank);
    for (int32_t axis = 0; axis < rank; axis++) {
        if (ob_dim_is_const(dims[axis]) && dims[axis] < 0)
            return ob__library_misbehaves(c, "sets axis %d of output %u to the size %lld", axis, output, (long long)dims[axis]);
        if (!is_dim(c->infer, dims[axis]))
            return ob__library_misbehaves(c, "sets axis %d of output %u to a value that is not a dim", axis, output);
    }
    ob_status status = check_dtype(c, output, dtype);
    if (status != OB_OK || output >= c->node->n_outputs) return status;
    status = ob__out_tensor(c->infer, output, dtype, rank, dims);
    if (status != OB_OK) return ob__library_fail(c, status, -1, -1, "%s", ob_status_text(status));
    c->set[output] = true;
    return OB_OK;
}
