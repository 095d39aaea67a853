/* Links of operators that stretch to a given shape. */
#include "ops/infer/axes.h"
#include "ops/broadcast/params.h"
#include "ops/table/op.h"

OB_AXES(expand);
OB_AXES(broadcast_in_dim);

void ob__axes_expand(ob_axes *axes) {
    ob__link_last(axes, 0, 0, OB_LINK_SAME);
    ob__link_sizes(axes, 0, 1);
}

void ob__axes_broadcast_in_dim(ob_axes *axes) {
    const ob_ints dimensions = ob__in_dim_params(axes->infer->node).dimensions;
    const int32_t rank = ob__out_rank_of(axes, 0);
    for (uint32_t i = 0; i < dimensions.n; i++)
        if (dimensions.at[i] >= 0 && dimensions.at[i] < rank)
            ob__link(axes, 0, (int32_t)dimensions.at[i], 0, (int32_t)i, OB_LINK_SAME);
    ob__link_sizes(axes, 0, 1);
}
