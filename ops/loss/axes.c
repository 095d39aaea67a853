/* Links of losses. */
#include <string.h>

#include "ops/infer/axes.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_AXES(loss);

/* Scores (batch, classes, ...), labels (batch, ...). With a reduction the loss is one number. Result 1 of
 * SoftmaxCrossEntropyLoss is the logarithm of probabilities. */
void ob__axes_loss(ob_axes *axes) {
    const bool reduced = strcmp(ob__attribute_text(axes->infer->node, "reduction"), "none") != 0;
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool classes[OB_MAX_RANK] = {false, true};
    if (rank < 2 || rank > OB_MAX_RANK) return;
    ob__link_each(axes, 1, 0, classes, OB_LINK_ALL);
    ob__link_gone(axes, 0, 2);
    if (reduced) {
        ob__link_gone(axes, 0, 0);
        ob__link_gone(axes, 0, 1);
        return;
    }
    for (int32_t axis = 0; axis < rank; axis++) {
        const int32_t out = axis == 0 ? 0 : axis - 1;
        ob__link(axes, 0, axis == 1 ? -1 : out, 0, axis, axis == 1 ? OB_LINK_GONE : OB_LINK_SAME);
        if (axis < rank - 1) ob__link(axes, 0, axis, 1, axis, OB_LINK_SAME);
    }
}
