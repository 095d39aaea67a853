/* Links of reductions. */
#include "ops/infer/axes.h"
#include "ops/reduce/params.h"
#include "ops/table/op.h"

OB_AXES(reduce);
OB_AXES(argreduce);
OB_AXES(cumsum);

/* Marked axes of operand 0 are combined, and kept with size 1 or removed. */
static void link_reduced(ob_axes *axes, const bool *reduced, bool keep) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    for (int32_t axis = 0, out = 0; axis < rank; axis++) {
        if (!reduced[axis])
            ob__link(axes, 0, out++, 0, axis, OB_LINK_SAME);
        else if (keep)
            ob__link(axes, 0, out++, 0, axis, OB_LINK_LEFT);
        else
            ob__link(axes, 0, -1, 0, axis, OB_LINK_GONE);
    }
}

void ob__axes_reduce(ob_axes *axes) {
    ob_infer *infer = axes->infer;
    const ob_reduce_params p = ob__reduce_params(infer->node, infer->op);
    const bool scaled = ob__op_is(infer, "QLinearReduceMean"); /* its operand 1 is a scale */
    const int32_t rank = ob__in_rank(infer, 0);
    uint32_t n;
    bool known, reduced[OB_MAX_RANK];
    const int64_t *given = ob__axes(infer, "axes", scaled ? infer->node->n_inputs : 1, &n, &known);
    if (!known || rank < 0 || rank > OB_MAX_RANK) return;
    for (int32_t axis = 0; axis < rank; axis++) reduced[axis] = n == 0 && !p.nothing_by_default;
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, given[i], rank, &axis)) return;
        reduced[axis] = true;
    }
    link_reduced(axes, reduced, p.keep_axes || (n == 0 && p.nothing_by_default));
}

void ob__axes_argreduce(ob_axes *axes) {
    const ob_argreduce_params p = ob__argreduce_params(axes->infer->node, axes->infer->op);
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool reduced[OB_MAX_RANK] = {false};
    int32_t axis;
    if (rank < 0 || rank > OB_MAX_RANK || !ob__axis_in(axes->infer, p.axis, rank, &axis)) return;
    reduced[axis] = true;
    link_reduced(axes, reduced, p.keep_axes);
}

void ob__axes_cumsum(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool running[OB_MAX_RANK] = {false};
    int64_t given;
    int32_t axis;
    if (rank < 0 || rank > OB_MAX_RANK || !ob__in_const_int(axes->infer, 1, &given)) return;
    if (!ob__axis_in(axes->infer, given, rank, &axis)) return;
    running[axis] = true;
    ob__link_each(axes, 0, 0, running, OB_LINK_BEFORE);
}
