/* Links of quantization and of quantized operators. */
#include "ops/infer/axes.h"
#include "ops/quantize/quantized.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_AXES(quantize);
OB_AXES(dynamic_quantize);
OB_AXES(qlinear_softmax);
OB_AXES(qlinear_binary);
OB_AXES(qlinear_where);
OB_AXES(qlinear_concat);
OB_AXES(qgemm);
OB_AXES(scaled_matmul);
OB_AXES(matmul_nbits);

/* A scale for each slice along an axis lies along it; elements of one block share a scale. */
void ob__axes_quantize(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    bool blocked[OB_MAX_RANK] = {false};
    ob_scale_layout layout;
    if (rank < 0 || rank > OB_MAX_RANK) return;
    ob__scale_layout(infer->node, infer->op, infer->dims, ob__in_shape(infer, 0), ob__in_shape(infer, 1), &layout);
    if (layout.kind == OB_SCALE_UNKNOWN || layout.kind == OB_SCALE_MISFIT) return;
    if (layout.kind == OB_SCALE_BLOCKED && layout.axis >= 0 && layout.axis < rank) blocked[layout.axis] = true;
    ob__link_each(axes, 0, 0, blocked, OB_LINK_MOVED);
    for (uint32_t i = 1; i < 3; i++) {
        if (layout.kind == OB_SCALE_BLOCKED) ob__link_each(axes, 0, i, blocked, OB_LINK_MOVED);
        if (layout.kind == OB_SCALE_AXIS && ob__in_rank(infer, i) == 1) ob__link(axes, 0, layout.axis, i, 0, OB_LINK_SAME);
    }
}

/* One scale for all elements, from their least and greatest. */
void ob__axes_dynamic_quantize(ob_axes *axes) {
    bool whole[OB_MAX_RANK];
    for (int32_t axis = 0; axis < OB_MAX_RANK; axis++) whole[axis] = true;
    if (ob__in_rank(axes->infer, 0) > OB_MAX_RANK) return;
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
    for (uint32_t output = 1; output < 3; output++) ob__link_gone(axes, output, 0);
}

/* ---- com.microsoft: each quantized operand is followed by its scale and zero point ---- */

/* As Softmax of the opset that an attribute names: before 13 all axes from `axis` on are one vector. */
void ob__axes_qlinear_softmax(ob_axes *axes) {
    const ob_node *node = axes->infer->node;
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool whole[OB_MAX_RANK] = {false};
    int32_t axis;
    if (rank < 0 || rank > OB_MAX_RANK || !ob__axis_in(axes->infer, ob__attribute_int(node, "axis"), rank, &axis)) return;
    const int32_t end = ob__attribute_int(node, "opset") < 13 ? rank : axis + 1;
    for (int32_t k = axis; k < end; k++) whole[k] = true;
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
}

void ob__axes_qlinear_binary(ob_axes *axes) {
    ob__link_last(axes, 0, 0, OB_LINK_SAME);
    ob__link_last(axes, 0, 3, OB_LINK_SAME);
}

void ob__axes_qlinear_where(ob_axes *axes) {
    static const uint32_t operands[] = {0, 1, 4};
    for (int i = 0; i < 3; i++) ob__link_last(axes, 0, operands[i], OB_LINK_SAME);
}

void ob__axes_qlinear_concat(ob_axes *axes) {
    const int32_t rank = ob__out_rank_of(axes, 0);
    bool joined[OB_MAX_RANK] = {false};
    int32_t axis;
    if (rank < 0 || rank > OB_MAX_RANK) return;
    if (!ob__axis_in(axes->infer, ob__attribute_int(axes->infer->node, "axis"), rank, &axis)) return;
    joined[axis] = true;
    for (uint32_t i = 2; i < axes->infer->node->n_inputs; i += 3) ob__link_each(axes, 0, i, joined, OB_LINK_MOVED);
}

/* A is operand 0, B operand 3, with one scale for each column; C is operand 6. */
void ob__axes_qgemm(ob_axes *axes) {
    const ob_node *node = axes->infer->node;
    const int32_t row = ob__attribute_flag(node, "transA"), column = !ob__attribute_flag(node, "transB");
    ob__link(axes, 0, 0, 0, row, OB_LINK_SAME);
    ob__link(axes, 0, -1, 0, 1 - row, OB_LINK_GONE);
    ob__link(axes, 0, 1, 3, column, OB_LINK_SAME);
    ob__link(axes, 0, -1, 3, 1 - column, OB_LINK_GONE);
    for (uint32_t i = 4; i < 6; i++) ob__link_last(axes, 0, i, OB_LINK_SAME);
    ob__link_last(axes, 0, 6, OB_LINK_SAME);
}

/* DynamicQuantizeMatMul takes one scale for all of A, so its rows mix; MatMulIntegerToFloat takes it from operand 2. */
void ob__axes_scaled_matmul(ob_axes *axes) {
    const bool dynamic = ob__op_is(axes->infer, "DynamicQuantizeMatMul");
    const int32_t rank = ob__out_rank_of(axes, 0), own = ob__in_rank(axes->infer, 0), other = ob__in_rank(axes->infer, 1);
    if (rank < 0 || own < 2 || other != 2) return;
    for (int32_t axis = 0; axis < own - 1; axis++) ob__link(axes, 0, axis, 0, axis, dynamic ? OB_LINK_ALL : OB_LINK_SAME);
    ob__link(axes, 0, -1, 0, own - 1, OB_LINK_GONE);
    if (dynamic) return;
    ob__link(axes, 0, -1, 1, 0, OB_LINK_GONE);
    ob__link(axes, 0, rank - 1, 1, 1, OB_LINK_SAME);
    for (uint32_t i = 3; i < 7; i++)
        if (i != 4 && ob__in_rank(axes->infer, i) == 1) ob__link(axes, 0, rank - 1, i, 0, OB_LINK_SAME);
}

/* B is packed: its columns are rows of operand 1. */
void ob__axes_matmul_nbits(ob_axes *axes) {
    const int32_t own = ob__in_rank(axes->infer, 0);
    for (int32_t axis = 0; axis < own - 1; axis++) ob__link(axes, 0, axis, 0, axis, OB_LINK_SAME);
    ob__link(axes, 0, -1, 0, own - 1, OB_LINK_GONE);
}
