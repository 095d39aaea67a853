#include "ops/infer/axes.h"

#include "ops/infer/legacy.h"

static int32_t rank_of(const ob_type *type) {
    return type->kind == OB_TYPE_TENSOR ? type->shape.rank : OB_RANK_UNKNOWN;
}

void ob__link(ob_axes *axes, uint32_t output, int32_t axis, uint32_t input, int32_t input_axis, ob_link_kind kind) {
    const ob_infer *infer = axes->infer;
    if (output >= infer->node->n_outputs || !infer->node->outputs[output] || !ob__in_given(infer, input)) return;
    if (axis >= rank_of(&infer->out_types[output]) || input_axis >= ob__in_rank(infer, input)) return;
    axes->link(axes, &(ob_link){output, input, axis, input_axis, kind});
}

void ob__axes_unknown(ob_axes *axes) {
    (void)axes;
}

void ob__axes_same(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    for (uint32_t output = 0; output < axes->infer->node->n_outputs; output++) {
        if (rank_of(&axes->infer->out_types[output]) != rank) continue;
        for (int32_t axis = 0; axis < rank; axis++) ob__link(axes, output, axis, 0, axis, OB_LINK_SAME);
    }
}

/* Operand `input`, whose axis 0 is axis `first` of the result. */
static void link_from(ob_axes *axes, uint32_t input, int32_t first) {
    const int32_t rank = ob__in_rank(axes->infer, input);
    for (uint32_t output = 0; output < axes->infer->node->n_outputs; output++)
        for (int32_t axis = 0; axis < rank; axis++)
            if (first + axis >= 0) ob__link(axes, output, first + axis, input, axis, OB_LINK_SAME);
}

void ob__axes_broadcast(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const int32_t rank = infer->node->n_outputs ? rank_of(&infer->out_types[0]) : OB_RANK_UNKNOWN;
    const ob_legacy_axis placed = infer->op->broadcast == OB_BCAST_LEGACY ? ob__legacy_axis(infer->node) : (ob_legacy_axis){0};
    if (rank == OB_RANK_UNKNOWN) return;
    for (uint32_t input = 0; input < infer->node->n_inputs; input++) {
        int32_t axis;
        if (!ob__in_given(infer, input)) continue;
        if (input == 0 || !placed.given)
            link_from(axes, input, rank - ob__in_rank(infer, input));
        else if (placed.axis >= -rank && placed.axis < rank) {
            axis = (int32_t)(placed.axis < 0 ? placed.axis + rank : placed.axis);
            link_from(axes, input, axis);
        }
    }
}
