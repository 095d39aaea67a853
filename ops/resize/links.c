/* Links of operators that resample images. */
#include "ops/infer/axes.h"
#include "ops/resize/params.h"
#include "ops/table/op.h"

OB_AXES(resize);
OB_AXES(grid_sample);
OB_AXES(affine_grid);

/* Whether a scale of 1 gives every element itself: all transformations but these map i to i. */
static bool keeps_places(const ob_resize_params *p) {
    return p->transformation != OB_RESIZE_TF_CROP_AND_RESIZE && p->transformation != OB_RESIZE_TF_HALF_PIXEL_FOR_NN;
}

/* Whether the axis keeps its size for every size: its scale is 1, or its size is given and that of the operand. */
static bool is_kept(ob_infer *infer, const ob_resize_params *p, uint32_t i, int32_t axis, const float *scales, uint32_t n) {
    const bool sized = p->sizes >= 0 && ob__in_given(infer, (uint32_t)p->sizes) && ob__in_dim(infer, (uint32_t)p->sizes, 0) != 0;
    if (!sized) return scales && i < n && scales[i] == 1.0F;
    const ob_content sizes = ob__in_content(infer, (uint32_t)p->sizes);
    const ob_dim size = ob__in_dim(infer, 0, axis);
    return p->policy == OB_RESIZE_STRETCH && sizes.elems && i < sizes.n && size != OB_DIM_UNKNOWN && sizes.elems[i] == size;
}

void ob__axes_resize(ob_axes *axes) {
    ob_infer *infer = axes->infer;
    const int32_t rank = ob__in_rank(infer, 0);
    bool sampled[OB_MAX_RANK] = {false};
    ob_resize_params p;
    if (rank < 0 || rank > OB_MAX_RANK || ob__read_resize(infer->node, ob__since(infer), &p, infer->trial) != OB_OK) return;
    const uint32_t n = p.n_axes >= 0 ? (uint32_t)p.n_axes : (uint32_t)rank;
    uint32_t n_scales = p.n_given > 0 ? (uint32_t)p.n_given : 0;
    const float *scales = p.scales < 0 ? p.given : ob__in_const_floats(infer, (uint32_t)p.scales, &n_scales);
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis;
        if (!ob__axis_in(infer, p.n_axes >= 0 ? p.axes[i] : (int64_t)i, rank, &axis)) return;
        sampled[axis] = !keeps_places(&p) || !is_kept(infer, &p, i, axis, scales, n_scales);
    }
    ob__link_each(axes, 0, 0, sampled, OB_LINK_NEAR);
    for (int32_t axis = 0; axis < rank && p.sizes >= 0; axis++)
        if (!sampled[axis]) ob__link(axes, 0, axis, (uint32_t)p.sizes, -1, OB_LINK_SIZED);
}

/* Each place of the grid says where the image is read. */
void ob__axes_grid_sample(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    if (rank < 3 || ob__in_rank(axes->infer, 1) != rank) return;
    for (uint32_t i = 0; i < 2; i++) ob__link(axes, 0, 0, i, 0, OB_LINK_SAME);
    ob__link(axes, 0, 1, 0, 1, OB_LINK_SAME);
    for (int32_t axis = 2; axis < rank; axis++) {
        ob__link(axes, 0, axis, 0, axis, OB_LINK_NEAR);
        ob__link(axes, 0, axis, 1, axis - 1, OB_LINK_SAME);
    }
    ob__link(axes, 0, -1, 1, rank - 1, OB_LINK_GONE);
}

/* Operand 1 states the sizes of the images. */
void ob__axes_affine_grid(ob_axes *axes) {
    const int32_t rank = ob__out_rank_of(axes, 0);
    ob__link(axes, 0, 0, 0, 0, OB_LINK_SAME);
    ob__link(axes, 0, 0, 1, -1, OB_LINK_SIZED);
    for (int32_t axis = 1; axis < rank - 1; axis++) ob__link(axes, 0, axis, 1, -1, OB_LINK_PLACE);
    ob__link(axes, 0, rank - 1, 0, 1, OB_LINK_MOVED);
    ob__link(axes, 0, -1, 0, 2, OB_LINK_GONE);
}
