/* Links of operators that make shapes and constants. */
#include "ops/infer/axes.h"
#include "ops/table/op.h"

OB_AXES(reshape);
OB_AXES(flatten);
OB_AXES(squeeze);
OB_AXES(unsqueeze);
OB_AXES(constant_of_shape);
OB_AXES(range);
OB_AXES(eye_like);

void ob__axes_reshape(ob_axes *axes) {
    ob__link_reshaped(axes, 0, 0);
    ob__link_sizes(axes, 0, 1);
}

void ob__axes_flatten(ob_axes *axes) {
    ob__link_reshaped(axes, 0, 0);
}

/* Marks the listed axes of `rank`; false: they are not known. *given: there is a list. */
static bool mark_listed(ob_infer *infer, int32_t rank, bool *listed, bool *given) {
    uint32_t n;
    bool known;
    const int64_t *axes = ob__axes(infer, "axes", 1, &n, &known);
    *given = axes != NULL;
    for (int32_t axis = 0; axis < OB_MAX_RANK; axis++) listed[axis] = false;
    if (!known || rank < 0 || rank > OB_MAX_RANK) return false;
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, axes[i], rank, &axis)) return false;
        listed[axis] = true;
    }
    return true;
}

/* Without axes the sizes tell. */
void ob__axes_squeeze(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool removed[OB_MAX_RANK], given;
    if (!mark_listed(axes->infer, rank, removed, &given)) return;
    if (!given) {
        ob__link_reshaped(axes, 0, 0);
        return;
    }
    for (int32_t axis = 0, out = 0; axis < rank; axis++)
        if (removed[axis])
            ob__link(axes, 0, -1, 0, axis, OB_LINK_GONE);
        else
            ob__link(axes, 0, out++, 0, axis, OB_LINK_SAME);
}

void ob__axes_unsqueeze(ob_axes *axes) {
    const int32_t rank = ob__out_rank_of(axes, 0);
    bool added[OB_MAX_RANK], given;
    if (!mark_listed(axes->infer, rank, added, &given) || !given) return;
    for (int32_t axis = 0, in = 0; axis < rank; axis++)
        if (!added[axis]) ob__link(axes, 0, axis, 0, in++, OB_LINK_SAME);
}

void ob__axes_constant_of_shape(ob_axes *axes) {
    ob__link_sizes(axes, 0, 0);
}

void ob__axes_range(ob_axes *axes) {
    for (uint32_t i = 0; i < axes->infer->node->n_inputs; i++) ob__link(axes, 0, 0, i, -1, OB_LINK_PLACE);
}

void ob__axes_eye_like(ob_axes *axes) {
    for (int32_t axis = 0; axis < 2; axis++) {
        ob__link(axes, 0, axis, 0, -1, OB_LINK_PLACE);
        ob__link(axes, 0, axis, 0, axis, OB_LINK_SIZED);
    }
}
