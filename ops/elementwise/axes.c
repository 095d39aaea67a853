/* Links of elementwise operators whose operands do not all broadcast with each other. */
#include "ops/infer/axes.h"
#include "ops/table/op.h"

OB_AXES(prelu);
OB_AXES(bias);

/* A slope for each channel (before version 7) lies along axis 1; other slopes are aligned with the last axes. */
void ob__axes_prelu(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    const bool channels = infer->op->stretch.onto == OB_ONTO_CHANNELS && ob__in_rank(infer, 1) == 1 && rank >= 1;
    ob__link_each(axes, 0, 0, NULL, OB_LINK_SAME);
    if (channels)
        ob__link(axes, 0, rank >= 2 ? 1 : 0, 1, 0, OB_LINK_SAME);
    else
        ob__link_last(axes, 0, 1, OB_LINK_SAME);
}

/* com.microsoft BiasGelu, FastGelu: operand 1 is a vector along the last axis. */
void ob__axes_bias(ob_axes *axes) {
    ob__link_each(axes, 0, 0, NULL, OB_LINK_SAME);
    ob__link_last(axes, 0, 1, OB_LINK_SAME);
}
