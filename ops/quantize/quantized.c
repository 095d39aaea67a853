#include "ops/quantize/quantized.h"
#include "ops/table/attributes.h"

#include <string.h>

#include "core/dims/shape.h"
#include "ops/table/op.h"

static void misfit(ob_scale_layout *out, const char *problem) {
    out->kind = OB_SCALE_MISFIT;
    out->problem = problem;
}

static void demand(ob_scale_layout *out, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t axis) {
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return;
    out->conditions[out->n_conditions].condition = (ob_condition){kind, a, b};
    out->conditions[out->n_conditions++].axis = axis;
}

/* A size that is still open may turn out to be 1. */
static bool may_be_one_element(ob_shape shape) {
    for (int32_t axis = 0; axis < shape.rank; axis++)
        if (shape.dims[axis] != 1 && ob_dim_is_const(shape.dims[axis])) return false;
    return true;
}

/* A scale that fits in no other way must be one number. */
static void one_or_misfit(ob_scale_layout *out, ob_shape scale, const char *problem) {
    if (!may_be_one_element(scale)) {
        misfit(out, problem);
        return;
    }
    out->kind = OB_SCALE_TENSOR;
    for (int32_t axis = 0; axis < scale.rank; axis++)
        if (scale.dims[axis] != 1) demand(out, OB_COND_EQUAL, scale.dims[axis], 1, -1);
}

/* 0 if every size of the shape is 1, else above 0. */
static ob_dim differs_from_one(ob_dims *dims, ob_shape shape) {
    ob_dim most = 0;
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        ob_dim above = ob_dim_sub(dims, shape.dims[axis], 1), below = ob_dim_sub(dims, 1, shape.dims[axis]);
        most = ob_dim_max(dims, most, ob_dim_max(dims, above, below));
    }
    return most;
}

bool ob__scale_fits(const ob_scale_layout *layout) {
    if (layout->kind == OB_SCALE_UNKNOWN || layout->kind == OB_SCALE_MISFIT) return false;
    for (uint32_t i = 0; i < layout->n_conditions; i++)
        if (ob_condition_decide(NULL, &layout->conditions[i].condition) != OB_TRUE) return false;
    return true;
}

/* ---- QuantizeLinear, DequantizeLinear ---- */

/* Blocks exist since opset 21, and not in com.microsoft. */
static bool has_blocks(const ob_op *op) {
    return op->since >= 21;
}

/* `size` elements in `n` blocks: blocks of block_size elements, or the smallest blocks that give this number. */
static void demand_blocks(ob_scale_layout *out, ob_dims *dims, ob_dim size, ob_dim n) {
    bool numbers = ob_dim_is_const(size) && ob_dim_is_const(n);
    if (out->block == 0 && numbers) out->block = n > 0 && size > 0 ? ob_dim_ceil_div(dims, size, n) : 1;
    ob_dim exact = out->block == 0 ? ob_dim_div_exact(dims, size, n) : OB_DIM_UNKNOWN;
    out->open = out->block == 0 && !(ob_dim_is_const(exact) && exact > 0);
    if (out->block > 0) demand(out, OB_COND_EQUAL, n, ob_dim_ceil_div(dims, size, out->block), out->axis);
}

void ob__scale_layout(const ob_node *node, const ob_op *op, ob_dims *dims, ob_shape x, ob_shape scale, ob_scale_layout *out) {
    memset(out, 0, sizeof *out);
    out->guard = 1;
    if (x.rank < 0 || scale.rank < 0 || x.rank > OB_MAX_RANK) return;
    int64_t block = has_blocks(op) ? ob__attribute_int(node, "block_size") : 0;
    int64_t axis = ob__attribute_int_or(node, "axis", 1);
    bool blocked = has_blocks(op) && scale.rank == x.rank && (scale.rank > 1 || (scale.rank == 1 && block != 0));
    out->kind = OB_SCALE_TENSOR;
    if (ob__is_single(&scale) && !(blocked && block != 0)) return;
    if (block < 0) return misfit(out, "block_size is negative");
    if (!blocked && scale.rank != 1)
        return one_or_misfit(out, scale, "the scale is neither one number, nor a vector, nor of the operand's rank in blocks");
    if (axis < -(int64_t)x.rank || axis >= x.rank) {
        const char *problem = "the axis of the scale is outside the operand";
        if (blocked && block != 0) return misfit(out, problem);
        return one_or_misfit(out, scale, problem);
    }
    out->axis = (int32_t)(axis < 0 ? axis + x.rank : axis);
    if (!blocked) {
        out->kind = OB_SCALE_AXIS;
        out->block = 1;
        demand(out, OB_COND_BROADCAST_TO, scale.dims[0], x.dims[out->axis], out->axis);
        return;
    }
    out->kind = OB_SCALE_BLOCKED;
    out->block = block;
    if (block == 0 && may_be_one_element(scale)) out->guard = differs_from_one(dims, scale);
    for (int32_t a = 0; a < x.rank; a++)
        if (a != out->axis) demand(out, OB_COND_EQUAL, scale.dims[a], x.dims[a], a);
    demand_blocks(out, dims, x.dims[out->axis], scale.dims[out->axis]);
}

/* ---- Products ---- */

void ob__product_scale_layout(ob_scale_of of, ob_shape operand, ob_shape scale, ob_scale_layout *out, ob_dim *aligned) {
    memset(out, 0, sizeof *out);
    out->guard = 1;
    if (operand.rank < 0 || scale.rank < 0 || operand.rank > OB_MAX_RANK) return;
    out->kind = OB_SCALE_TENSOR;
    if (ob__is_single(&scale)) return;
    if (of == OB_SCALE_OF_ALL || operand.rank < 2) {
        one_or_misfit(out, scale, "the scale or zero point must be one number");
        return;
    }
    int32_t matrix = operand.rank - 2, shared = of == OB_SCALE_OF_ROW ? matrix + 1 : matrix;
    bool whole = scale.rank == operand.rank && of != OB_SCALE_OF_CHANNEL;
    if (scale.rank != 1 && !whole)
        return one_or_misfit(out, scale,
                             of == OB_SCALE_OF_CHANNEL
                                 ? "the scale or zero point must be one number or a vector"
                                 : "the scale or zero point must be one number, a vector or of the operand's rank");
    out->kind = OB_SCALE_AXIS;
    out->axis = of == OB_SCALE_OF_CHANNEL ? 0 : of == OB_SCALE_OF_ROW ? matrix : matrix + 1;
    for (int32_t a = 0; a < operand.rank; a++) {
        aligned[a] = whole ? scale.dims[a] : a == out->axis ? scale.dims[0] : 1;
        bool one = of != OB_SCALE_OF_CHANNEL && a == shared;
        if (one)
            demand(out, OB_COND_EQUAL, aligned[a], 1, a);
        else
            demand(out, OB_COND_BROADCAST_TO, aligned[a], operand.dims[a], a);
    }
}
