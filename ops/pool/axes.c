/* Links of pooling. */
#include "ops/infer/axes.h"
#include "ops/pool/params.h"
#include "ops/table/op.h"

OB_AXES(pool);
OB_AXES(global_pool);
OB_AXES(roi);

/* The indices of a MaxPool, its result 1, count over all axes of the operand. */
void ob__axes_pool(ob_axes *axes) {
    ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    ob_pool_params p;
    if (rank < 3 || rank > OB_MAX_RANK || ob__read_pool(infer->node, rank - 2, &p, infer->trial) != OB_OK) return;
    const int32_t channels = p.channels_last ? rank - 1 : 1;
    for (uint32_t output = 0; output < infer->node->n_outputs; output++)
        for (int32_t axis = 0; axis < rank; axis++) {
            const bool whole = axis == 0 || axis == channels;
            ob__link(axes, output, axis, 0, axis, !whole ? OB_LINK_NEAR : output ? OB_LINK_PLACE : OB_LINK_SAME);
        }
}

void ob__axes_global_pool(ob_axes *axes) {
    ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    bool combined[OB_MAX_RANK];
    ob_pool_params p;
    if (rank < 2 || rank > OB_MAX_RANK || ob__read_pool(infer->node, 0, &p, infer->trial) != OB_OK) return;
    const int32_t channels = p.channels_last ? rank - 1 : 1;
    for (int32_t axis = 0; axis < rank; axis++) combined[axis] = axis != 0 && axis != channels;
    ob__link_each(axes, 0, 0, combined, OB_LINK_LEFT);
}

/* A result for each region. A region names its image by number, in operand 2 of RoiAlign, or in column 0 of MaxRoiPool's. */
void ob__axes_roi(ob_axes *axes) {
    ob__link(axes, 0, 0, 1, 0, OB_LINK_SAME);
    ob__link(axes, 0, 0, 2, 0, OB_LINK_SAME);
    ob__link(axes, 0, 0, 0, 0, OB_LINK_PICKED);
    ob__link(axes, 0, 1, 0, 1, OB_LINK_SAME);
    for (int32_t axis = 2; axis < 4; axis++) ob__link(axes, 0, axis, 0, axis, OB_LINK_NEAR);
}
