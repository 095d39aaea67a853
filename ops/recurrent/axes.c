/* Links of recurrent operators: elements of the batch are independent, and each time sees those before it. */
#include "ops/infer/axes.h"
#include "ops/recurrent/params.h"
#include "ops/table/op.h"

OB_AXES(recurrent);

/* X (sequence, batch, input), Y (sequence, directions, batch, hidden), states (directions, batch, hidden); with layout 1 the
 * batch is axis 0 of each. */
void ob__axes_recurrent(ob_axes *axes) {
    const ob_recurrent_params p = ob__recurrent_params(axes->infer->node, axes->infer->op);
    const int32_t batch_of_x = p.batch_first ? 0 : 1, batch_of_state = p.batch_first ? 0 : 1, time = 1 - batch_of_x;
    if (ob__in_rank(axes->infer, 0) != 3) return;
    for (uint32_t output = 0; output < 3; output++) {
        const int32_t batch = output ? batch_of_state : p.batch_first ? 0 : 2;
        ob__link(axes, output, batch, 0, batch_of_x, OB_LINK_SAME);
        ob__link(axes, output, batch, 4, 0, OB_LINK_SAME);
        for (uint32_t state = 5; state < 7; state++) ob__link(axes, output, batch, state, batch_of_state, OB_LINK_SAME);
        ob__link(axes, output, -1, 0, 2, OB_LINK_GONE);
        if (output)
            ob__link(axes, output, -1, 0, time, OB_LINK_GONE);
        else
            ob__link(axes, output, time, 0, time, p.directions == 2 ? OB_LINK_ALL : OB_LINK_BEFORE);
    }
}
