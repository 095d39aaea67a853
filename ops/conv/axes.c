/* Links of convolutions. */
#include "ops/infer/axes.h"
#include "ops/conv/params.h"
#include "ops/table/op.h"

OB_AXES(conv);
OB_AXES(fused_conv);
OB_AXES(conv_transpose);
OB_AXES(col2im);

/* The window has one element and visits each one. */
static bool is_pointwise(const ob_window_params *w, ob_dim kernel, int32_t i) {
    const bool padded = w->auto_pad == OB_PAD_GIVEN && (w->before[i] != 0 || w->after[i] != 0);
    return kernel == 1 && w->strides[i] == 1 && !padded;
}

/* With several groups an output channel sees the input channels of its group only. If each group has one input channel, that is
 * one element. */
static void link_channels(ob_axes *axes, int32_t axis, uint32_t filter, int32_t filter_axis, ob_dim n_channels, int64_t group) {
    ob__link(axes, 0, axis, filter, filter_axis, group == 1 ? OB_LINK_SAME : OB_LINK_MOVED);
    if (group == 1)
        ob__link(axes, 0, -1, 0, axis, OB_LINK_GONE);
    else
        ob__link(axes, 0, axis, 0, axis, n_channels == group ? OB_LINK_MOVED : OB_LINK_NEAR);
}

/* A vector with one element for each output channel, or with one for all. */
static void link_vector(ob_axes *axes, uint32_t input, int32_t axis, int64_t group) {
    if (ob__in_rank(axes->infer, input) == 1) ob__link(axes, 0, axis, input, 0, group == 1 ? OB_LINK_SAME : OB_LINK_MOVED);
}

/* The axes of the filter after the first two, which end. */
static void end_kernel(ob_axes *axes, uint32_t filter) {
    for (int32_t axis = 2; axis < ob__in_rank(axes->infer, filter); axis++) ob__link(axes, 0, -1, filter, axis, OB_LINK_GONE);
}

/* `summand`: an operand with the shape of the result, which is added. */
static void link_conv(ob_axes *axes, uint32_t summand) {
    ob_infer *infer = axes->infer;
    const bool linear = ob__op_is(infer, "QLinearConv"), integer = ob__op_is(infer, "ConvInteger"),
               deform = ob__op_is(infer, "DeformConv");
    const uint32_t filter = linear ? 3 : 1;
    const int32_t rank = ob__in_rank(infer, 0);
    ob_conv_params *p = ob__rule_room(infer, sizeof *p);
    if (!p || rank < 3 || rank > OB_MAX_RANK || ob__in_rank(infer, filter) != rank) return;
    if (ob__read_conv(infer->node, rank - 2, p, infer->trial) != OB_OK) return;
    const int32_t first = p->channels_last ? 1 : 2, channels = p->channels_last ? rank - 1 : 1;
    ob__link(axes, 0, 0, 0, 0, OB_LINK_SAME);
    ob__link(axes, 0, 0, summand, 0, OB_LINK_SAME);
    link_channels(axes, channels, filter, 0, ob__in_dim(infer, 0, channels), p->group);
    ob__link(axes, 0, channels, summand, channels, p->group == 1 ? OB_LINK_SAME : OB_LINK_MOVED);
    ob__link(axes, 0, -1, filter, 1, OB_LINK_GONE);
    for (int32_t i = 0; i < rank - 2; i++) {
        const bool pointwise = !deform && is_pointwise(&p->window, ob__in_dim(infer, filter, i + 2), i);
        ob__link(axes, 0, first + i, 0, first + i, pointwise ? OB_LINK_SAME : OB_LINK_NEAR);
        ob__link(axes, 0, first + i, summand, first + i, pointwise ? OB_LINK_SAME : OB_LINK_MOVED);
    }
    end_kernel(axes, filter);
    for (uint32_t k = filter + 1; linear && k < filter + 3; k++) link_vector(axes, k, channels, p->group);
    if (integer)
        link_vector(axes, 3, channels, p->group); /* the zero point of the filter; there is no bias */
    else
        link_vector(axes, linear ? 8 : deform ? 3 : 2, channels, p->group);
    if (!deform) return;
    ob__link(axes, 0, 0, 2, 0, OB_LINK_SAME);
    ob__link(axes, 0, 0, 4, 0, OB_LINK_SAME);
}

void ob__axes_conv(ob_axes *axes) {
    link_conv(axes, UINT32_MAX);
}

/* com.microsoft */
void ob__axes_fused_conv(ob_axes *axes) {
    link_conv(axes, 3);
}

void ob__axes_conv_transpose(ob_axes *axes) {
    ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    ob_conv_params *p = ob__rule_room(infer, sizeof *p);
    if (!p || rank < 3 || rank > OB_MAX_RANK || ob__in_rank(infer, 1) != rank) return;
    if (ob__read_conv(infer->node, rank - 2, p, infer->trial) != OB_OK) return;
    ob__link(axes, 0, 0, 0, 0, OB_LINK_SAME);
    link_channels(axes, 1, 1, 1, ob__in_dim(infer, 0, 1), p->group);
    ob__link(axes, 0, -1, 1, 0, OB_LINK_GONE);
    for (int32_t axis = 2; axis < rank; axis++) ob__link(axes, 0, axis, 0, axis, OB_LINK_NEAR);
    end_kernel(axes, 1);
    link_vector(axes, 2, 1, p->group);
}

/* The image of each element of the batch is made of its own columns. */
void ob__axes_col2im(ob_axes *axes) {
    ob__link(axes, 0, 0, 0, 0, OB_LINK_SAME);
}
