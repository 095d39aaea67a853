/* Links of signal operators. */
#include "ops/infer/axes.h"
#include "ops/signal/params.h"

OB_AXES(dft);
OB_AXES(stft);
OB_AXES(window);

/* The last axis holds the parts of complex numbers. */
void ob__axes_dft(ob_axes *axes) {
    const ob_dft_params p = ob__dft_params(axes->infer->node, ob__since(axes->infer));
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool whole[OB_MAX_RANK] = {false};
    int64_t given = p.axis;
    int32_t axis;
    if (rank < 2 || rank > OB_MAX_RANK) return;
    if (ob__in_given(axes->infer, 2) && !ob__in_const_int(axes->infer, 2, &given)) return;
    if (!ob__axis_in(axes->infer, given, rank, &axis)) return;
    whole[axis] = whole[rank - 1] = true;
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
}

/* Signal (batch, length) or (batch, length, parts), result (batch, frames, frequencies, parts). */
void ob__axes_stft(ob_axes *axes) {
    ob__link(axes, 0, 0, 0, 0, OB_LINK_SAME);
    ob__link(axes, 0, 1, 0, 1, OB_LINK_NEAR);
}

void ob__axes_window(ob_axes *axes) {
    ob__link(axes, 0, 0, 0, -1, OB_LINK_PLACE);
}
