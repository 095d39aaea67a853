/* Shape rules of pooling. */
#include <string.h>

#include "core/base/error.h"
#include "ops/infer/contents.h"
#include "ops/pool/params.h"
#include "ops/table/op.h"

OB_RULE(pool);
OB_RULE(global_pool);
OB_RULE(max_unpool);
OB_RULE(roi);

ob_status ob__infer_pool(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    ob_pool_params p;
    ob_error *error = infer->trial;
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, OB_NONE);
    if (x.rank > OB_MAX_RANK || !ob__rank_in(infer, 0, 3, OB_MAX_RANK)) return OB_OK;
    ob_status status = ob__read_pool(infer->node, x.rank >= 0 ? x.rank - 2 : -1, &p, error);
    if (status != OB_OK) ob__problem(infer, OB0602, -1, -1, "%s", error->message);
    if (x.rank < 0 || !p.has_window)
        return x.rank >= 0 || p.window.kernel_given ? ob__out_rank(infer, 0, x.rank >= 0 ? x.rank : p.window.rank + 2) : OB_OK;
    int32_t first = p.channels_last ? 1 : 2; /* spatial axis */
    ob_dim dims[OB_MAX_RANK];
    memcpy(dims, x.dims, (size_t)x.rank * sizeof *dims);
    for (int32_t i = 0; i < x.rank - 2; i++) {
        OB_TRY(ob__require_window(infer, &p.window, i, x.dims[first + i]));
        dims[first + i] = ob__window_positions(infer, &p.window, i, x.dims[first + i]);
    }
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) OB_TRY(ob__out_tensor(infer, i, OB_NONE, x.rank, dims));
    return OB_OK;
}

ob_status ob__infer_global_pool(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    ob_pool_params p;
    ob_error *error = infer->trial;
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__read_pool(infer->node, 0, &p, error) != OB_OK) ob__problem(infer, OB0602, -1, -1, "%s", error->message);
    if (!ob__rank_in(infer, 0, 2, OB_MAX_RANK) || x.rank < 0 || x.rank > OB_MAX_RANK) return OB_OK;
    int32_t channels = p.channels_last ? x.rank - 1 : 1;
    ob_dim dims[OB_MAX_RANK];
    for (int32_t axis = 0; axis < x.rank; axis++) dims[axis] = axis == 0 || axis == channels ? x.dims[axis] : 1;
    return ob__out_tensor(infer, 0, OB_NONE, x.rank, dims);
}

/* Indices count over the result of the inverse pooling, which must fit into the given result. */
static ob_status require_places(ob_infer *infer, ob_shape inverse, ob_shape result) {
    bool fits = result.rank == inverse.rank;
    for (int32_t axis = 0; axis < inverse.rank && fits; axis++)
        fits = result.dims[axis] == inverse.dims[axis] || ob__known_at_least(infer, result.dims[axis], inverse.dims[axis]);
    if (!fits) return ob__unverified(infer, 1, -1, "indices depend on data");
    const ob_dim n_positions = ob__dims_product(infer, inverse.dims, 0, inverse.rank);
    const ob_values_asked asked = {
        .highest = ob_dim_sub(infer->dims, n_positions, 1), .when = 1, .axis = -1, .reason = "indices depend on data"};
    return ob__require_values(infer, 1, &asked);
}

ob_status ob__infer_max_unpool(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0), given = {OB_RANK_UNKNOWN, NULL};
    const bool is_given = ob__in_given(infer, 2);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__require_shape(infer, 1, x, OB0601));
    if (is_given) {
        OB_TRY(ob__shape_operand(infer, 2, &given));
        if (given.rank < 0) OB_TRY(ob__unverified(infer, 2, -1, "the target shape depends on data"));
        for (int32_t axis = 0; axis < given.rank; axis++) OB_TRY(ob__require_size(infer, given.dims[axis], 2, axis, OB0601));
        if (given.rank >= 0)
            OB_TRY(ob__out_tensor(infer, 0, OB_NONE, given.rank, given.dims));
        else
            OB_TRY(ob__out_rank(infer, 0, x.rank));
    }
    if (!ob__rank_in(infer, 0, 3, OB_MAX_RANK) || x.rank < 0) return OB_OK;
    if (given.rank >= 0 && given.rank != x.rank) {
        ob__problem(infer, OB0601, 2, -1, "%d sizes are given for rank %d", given.rank, x.rank);
        return OB_OK;
    }
    ob_window_params w;
    ob_error *error = infer->trial;
    ob_dim dims[OB_MAX_RANK] = {x.dims[0], x.dims[1]};
    if (ob__read_window(infer->node, x.rank - 2, &w, error) != OB_OK) {
        ob__problem(infer, OB0602, -1, -1, "%s", error->message);
        return is_given ? OB_OK : ob__out_rank(infer, 0, x.rank);
    }
    for (int32_t i = 0; i < x.rank - 2; i++) {
        dims[i + 2] = ob__unwindowed(infer, &w, i, x.dims[i + 2], 0);
        if (!is_given) OB_TRY(ob__require_unwindowed(infer, &dims[i + 2], i + 2));
    }
    const ob_shape inverse = {x.rank, dims};
    if (!is_given) OB_TRY(ob__out_tensor(infer, 0, OB_NONE, x.rank, dims));
    return require_places(infer, inverse, is_given ? given : inverse);
}

/* Each region names its image by number. Matters only if the result has elements. */
static ob_status require_images(ob_infer *infer, bool align, ob_shape result) {
    const ob_values_asked asked = {.highest = ob_dim_sub(infer->dims, ob__in_dim(infer, 0, 0), 1),
                                   .when = ob__dims_product(infer, result.dims, 1, result.rank),
                                   .axis = 0,
                                   .reason = "the images of regions depend on data"};
    if (asked.when == 0 || result.dims[0] == 0) return OB_OK;
    return align ? ob__require_values(infer, 2, &asked) : ob__unverified(infer, 1, 0, asked.reason);
}

ob_status ob__infer_roi(ob_infer *infer) {
    ob_roi_params params;
    ob_error *error = infer->trial;
    bool read = ob__read_roi(infer->node, ob__since(infer), &params, error) == OB_OK, align = ob__op_is(infer, "RoiAlign");
    if (!read) ob__problem(infer, OB0602, -1, -1, "%s", error->message);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 4, 4) || !ob__rank_in(infer, 1, 2, 2)) return OB_OK;
    ob_dim dims[4] = {ob__in_dim(infer, 1, 0), ob__in_dim(infer, 0, 1), OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    /* a region is given by its corners, in MaxRoiPool after the number of its image */
    if (ob__in_rank(infer, 1) >= 0)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 1, 1), align ? 4 : 5, 1, 1, OB0601));
    if (align) {
        OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &dims[0]}, OB0601));
        if (dims[0] == OB_DIM_UNKNOWN) dims[0] = ob__in_dim(infer, 2, 0);
    }
    for (int i = 0; read && i < 2; i++) dims[i + 2] = params.out[i];
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 4, dims));
    return require_images(infer, align, (ob_shape){4, dims});
}
