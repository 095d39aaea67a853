/* Shape rules of operators that resample images. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "ops/infer/infer.h"
#include "ops/resize/params.h"
#include "ops/resize/resized.h"
#include "ops/table/op.h"

OB_RULE(resize);
OB_RULE(grid_sample);
OB_RULE(affine_grid);

/* floor(size * scale). */
static ob_dim scaled(ob_infer *infer, ob_dim size, float scale) {
    int64_t above, below;
    if (size == OB_DIM_UNKNOWN || !(scale > 0.0F)) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(size)) {
        int64_t product = ob__resized(size, scale);
        return product >= 0 && product <= OB_DIM_CONST_MAX ? product : OB_DIM_UNKNOWN;
    }
    if (!ob__exact_scale(scale, &above, &below)) return OB_DIM_UNKNOWN;
    return ob_dim_div(infer->dims, ob_dim_mul(infer->dims, size, above), below);
}

/* The known scales and the operand of sizes. */
typedef struct resize_operands {
    const ob_resize_params *params;
    const float *scales;
    const float *regions; /* for a crop: 2 * n_scales numbers, first all starts, then all ends; NULL: none or not known */
    uint32_t n_scales, n_regions;
    bool scales_given, crops;
    uint32_t sizes; /* number of the operand, UINT32_MAX: none */
} resize_operands;

static void find_operands(ob_infer *infer, const ob_resize_params *p, resize_operands *r) {
    *r = (resize_operands){.params = p, .sizes = UINT32_MAX};
    if (p->scales < 0) {
        r->scales_given = p->n_given != 0;
        r->scales = p->n_given > 0 ? p->given : NULL;
        r->n_scales = p->n_given > 0 ? (uint32_t)p->n_given : 0;
        return;
    }
    uint32_t at = (uint32_t)p->scales;
    r->crops = p->transformation == OB_RESIZE_TF_CROP_AND_RESIZE;
    if (r->crops) r->regions = ob__in_const_floats(infer, (uint32_t)p->roi, &r->n_regions);
    if (p->sizes >= 0) r->sizes = (uint32_t)p->sizes;
    r->scales = ob__in_const_floats(infer, at, &r->n_scales);
    /* an empty tensor counts as an omitted operand */
    r->scales_given = ob__in_given(infer, at) && !(r->scales && r->n_scales == 0) && ob__in_dim(infer, at, 0) != 0;
    if (r->sizes != UINT32_MAX && (!ob__in_given(infer, r->sizes) || ob__in_dim(infer, r->sizes, 0) == 0)) r->sizes = UINT32_MAX;
}

/* keep_aspect_ratio_policy: one scale for all axes, the least or the greatest of the scales that the sizes imply. */
static void keep_aspect(ob_resize_policy policy, ob_shape from, const int32_t *axes, uint32_t n, ob_dim *dims) {
    bool larger = policy == OB_RESIZE_NOT_SMALLER;
    if (policy == OB_RESIZE_STRETCH) return;
    double scale = 0;
    bool known = true;
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis = axes[i];
        known = known && ob_dim_is_const(from.dims[axis]) && ob_dim_is_const(dims[axis]) && from.dims[axis] > 0;
        if (!known) break;
        double wanted = (double)dims[axis] / (double)from.dims[axis];
        if (i == 0 || (larger ? wanted > scale : wanted < scale)) scale = wanted;
    }
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis = axes[i];
        int64_t size = known ? ob__resized_alike(from.dims[axis], scale) : -1;
        dims[axis] = size >= 0 && size <= OB_DIM_CONST_MAX ? size : OB_DIM_UNKNOWN;
    }
}

/* Checks that a crop has a start and an end for each axis, and an end after the start if scales are given. False, with OB0601
 * reported, otherwise. */
static bool regions_in(ob_infer *infer, const int32_t *axes, uint32_t n, const resize_operands *r) {
    const int32_t roi = r->params->roi;
    if (!r->crops) return true;
    const ob_dim length = r->regions                           ? r->n_regions
                          : ob__in_given(infer, (uint32_t)roi) ? ob__in_dim(infer, (uint32_t)roi, 0)
                                                               : 0;
    if (ob_dim_is_const(length) && length != 2 * (ob_dim)n) {
        ob__problem(infer, OB0601, roi, -1, "tf_crop_and_resize: roi has %lld elements, a start and an end of %u axes are needed",
                    (long long)length, n);
        return false;
    }
    for (uint32_t i = 0; r->sizes == UINT32_MAX && r->regions && i < n; i++)
        if (!(r->regions[n + i] > r->regions[i])) {
            ob__problem(infer, OB0601, roi, axes[i], "axis %d: the region from %g to %g has no size to scale", axes[i],
                        (double)r->regions[i], (double)r->regions[n + i]);
            return false;
        }
    return true;
}

/* The size of an axis after scale `i` of `n`. */
static ob_dim scaled_size(ob_infer *infer, const resize_operands *r, ob_dim size, uint32_t i, uint32_t n) {
    if (!r->scales || (r->crops && !r->regions)) return OB_DIM_UNKNOWN;
    return scaled(infer, size, r->crops ? ob__cropped_scale(r->scales[i], r->regions[i], r->regions[n + i]) : r->scales[i]);
}

/* Checks that scales are positive (for Upsample at least 1) and sizes too: an axis with elements keeps some, an empty axis stays
 * empty. False, with OB0601 reported, otherwise. */
static bool scales_in(ob_infer *infer, ob_shape from, const int32_t *axes, const resize_operands *r, ob_content sizes) {
    bool stretches = r->params->policy == OB_RESIZE_STRETCH, upsample = r->params->upsample;
    for (uint32_t i = 0; r->sizes == UINT32_MAX && r->scales && i < r->n_scales; i++)
        if (!(r->scales[i] > 0 && (r->scales[i] >= 1 || !upsample))) {
            ob__problem(infer, OB0601, -1, axes[i], "axis %d is scaled by %g%s", axes[i], (double)r->scales[i],
                        upsample ? ", Upsample takes 1 or more" : "");
            return false;
        }
    for (uint32_t i = 0; sizes.elems && i < sizes.n; i++) {
        ob_dim size = sizes.elems[i], before = from.dims[axes[i]];
        if (!ob_dim_is_const(size)) continue;
        bool fits = size > 0 ? before != 0 || !stretches : size == 0 && before == 0;
        if (fits || (size == 0 && !ob_dim_is_const(before))) continue;
        char text[64];
        ob__dim_shown(infer->dims, before, text, sizeof text);
        ob__problem(infer, OB0601, (int32_t)r->sizes, axes[i], "axis %d of size %s cannot be resized to %lld", axes[i], text,
                    (long long)size);
        return false;
    }
    return true;
}

/* The same for symbolic sizes. */
static ob_status require_sizes(ob_infer *infer, ob_shape from, const int32_t *axes, const resize_operands *r, ob_content sizes) {
    bool stretches = r->params->policy == OB_RESIZE_STRETCH;
    int32_t operand = (int32_t)r->sizes;
    for (uint32_t i = 0; sizes.elems && i < sizes.n; i++) {
        ob_dim size = sizes.elems[i], before = from.dims[axes[i]];
        if (size == OB_DIM_UNKNOWN) {
            OB_TRY(ob__unverified(infer, operand, axes[i], "sizes depend on data"));
            continue;
        }
        if (size == before || (ob_dim_is_const(size) && ob_dim_is_const(before))) continue;
        OB_TRY(ob__require_size(infer, size, operand, axes[i], OB0601));
        OB_TRY(ob__require_where(infer, before, OB_COND_AT_LEAST, size, 1, operand, axes[i], OB0601));
        if (stretches) OB_TRY(ob__require_where(infer, size, OB_COND_AT_LEAST, before, 1, 0, axes[i], OB0601));
    }
    if (r->sizes != UINT32_MAX && !sizes.elems) return ob__unverified(infer, operand, -1, "sizes depend on data");
    if (r->sizes == UINT32_MAX && r->scales_given && !r->scales) return ob__unverified(infer, -1, -1, "scales depend on data");
    if (r->sizes == UINT32_MAX && r->crops && !r->regions)
        return ob__unverified(infer, r->params->roi, -1, "the region depends on data");
    return OB_OK;
}

/* Source: Upsample-1/7/9, Resize-10 to Resize-19. */
ob_status ob__infer_resize(ob_infer *infer) {
    ob_shape from = ob__in_shape(infer, 0);
    ob_resize_params p;
    resize_operands r;
    ob_error *error = infer->trial;
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__rank_unknown(infer, 0));
    if (from.rank < 0 || from.rank > OB_MAX_RANK) return OB_OK;
    if (ob__read_resize(infer->node, ob__since(infer), &p, error) != OB_OK) {
        ob__problem(infer, OB0602, -1, -1, "%s", error->message);
        return ob__out_rank(infer, 0, from.rank);
    }
    uint32_t n = p.n_axes >= 0 ? (uint32_t)p.n_axes : (uint32_t)from.rank;
    int32_t axes[OB_MAX_RANK];
    if (n > (uint32_t)from.rank) {
        ob__problem(infer, OB0602, -1, -1, "%u axes are given for rank %d", n, from.rank);
        return OB_OK;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!ob__axis_in(infer, p.n_axes >= 0 ? p.axes[i] : (int64_t)i, from.rank, &axes[i])) return OB_OK;
    find_operands(infer, &p, &r);
    if (r.sizes == UINT32_MAX && !r.scales_given) ob__problem(infer, OB0601, 0, -1, "neither scales nor sizes are given");
    if (r.sizes != UINT32_MAX && r.scales_given) {
        if (ob_dim_is_const(ob__in_dim(infer, (uint32_t)p.scales, 0))) {
            ob__problem(infer, OB0601, (int32_t)r.sizes, -1, "both scales and sizes are given");
            return ob__out_rank(infer, 0, from.rank);
        }
        OB_TRY(ob__unverified(infer, p.scales, -1, "whether scales are given beside sizes depends on data"));
    }
    ob_dim dims[OB_MAX_RANK];
    if (from.rank) memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    ob_content sizes = r.sizes == UINT32_MAX ? (ob_content){0} : ob__in_content(infer, r.sizes);
    uint32_t n_given = r.sizes != UINT32_MAX ? (sizes.elems ? sizes.n : n) : r.scales ? r.n_scales : n;
    if (n_given != n) {
        ob__problem(infer, OB0601, 0, -1, "%u scales or sizes are given for %u axes", n_given, n);
        return ob__out_rank(infer, 0, from.rank);
    }
    if (!regions_in(infer, axes, n, &r) || !scales_in(infer, from, axes, &r, sizes)) return ob__out_rank(infer, 0, from.rank);
    OB_TRY(require_sizes(infer, from, axes, &r, sizes));
    for (uint32_t i = 0; i < n; i++) {
        int32_t axis = axes[i];
        if (r.sizes != UINT32_MAX)
            dims[axis] = sizes.elems ? sizes.elems[i] : OB_DIM_UNKNOWN;
        else
            dims[axis] = scaled_size(infer, &r, from.dims[axis], i, n);
    }
    if (r.sizes != UINT32_MAX) keep_aspect(p.policy, from, axes, n, dims);
    return ob__out_tensor(infer, 0, OB_NONE, from.rank, dims);
}

ob_status ob__infer_grid_sample(ob_infer *infer) {
    int32_t rank = ob__in_rank(infer, 0), grid = ob__in_rank(infer, 1);
    ob_grid_params params;
    ob_error *error = infer->trial;
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__read_grid(infer->node, &params, error) != OB_OK) ob__problem(infer, OB0602, -1, -1, "%s", error->message);
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__rank_unknown(infer, i));
    if (rank < 0) rank = grid;
    if (rank < 0 || rank > OB_MAX_RANK) return OB_OK;
    if (rank < 3 || (grid >= 0 && grid != rank)) {
        ob__problem(infer, OB0601, 1, -1, "the grid has rank %d, the input rank %d", grid, rank);
        return OB_OK;
    }
    if (grid >= 0 && ob__in_rank(infer, 0) >= 0)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 0), ob__in_dim(infer, 1, 0), 1, 0, OB0601));
    if (grid >= 0) OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 1, -1), rank - 2, 1, rank - 1, OB0601));
    ob_dim dims[OB_MAX_RANK] = {ob__dim_prefer(infer->dims, ob__in_dim(infer, 0, 0), ob__in_dim(infer, 1, 0)),
                                ob__in_dim(infer, 0, 1)};
    for (int32_t axis = 2; axis < rank; axis++) dims[axis] = ob__in_dim(infer, 1, axis - 1);
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

ob_status ob__infer_affine_grid(ob_infer *infer) {
    ob_shape size;
    OB_TRY(ob__shape_operand(infer, 1, &size));
    ob__out_dtype(infer, 0, OB_NONE);
    if (size.rank < 0) return ob__unverified(infer, 1, -1, "the target shape depends on data");
    if (size.rank != 4 && size.rank != 5) {
        ob__problem(infer, OB0601, 1, -1, "%d sizes are given, 4 or 5 are needed", size.rank);
        return OB_OK;
    }
    /* Theta holds a matrix for each image. */
    const ob_dim theta[3] = {size.dims[0], size.rank - 2, size.rank - 1};
    OB_TRY(ob__require_shape(infer, 0, (ob_shape){3, theta}, OB0601));
    for (int32_t axis = 0; axis < size.rank; axis++) OB_TRY(ob__require_size(infer, size.dims[axis], 1, axis, OB0601));
    ob_dim dims[5] = {size.dims[0]};
    for (int32_t axis = 2; axis < size.rank; axis++) dims[axis - 1] = size.dims[axis];
    dims[size.rank - 1] = size.rank - 2;
    return ob__out_tensor(infer, 0, OB_NONE, size.rank, dims);
}
