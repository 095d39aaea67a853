/* Shape rules of operators that the first releases called experimental. */
#include <string.h>

#include "core/error.h"
#include "ops/table/op.h"

OB_RULE(crop);
OB_RULE(constant_fill);

/* Source: Crop-1: border (left, top, right, bottom), or the upper left corner with `scale` (height, width). */
ob_status ob__infer_crop(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    uint32_t n_border, n_scale;
    const int64_t *border = ob__node_ints(infer->node, "border", &n_border);
    const int64_t *scale = ob__node_ints(infer->node, "scale", &n_scale);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 4, 4) || x.rank < 0) return OB_OK;
    ob_dim dims[4] = {x.dims[0], x.dims[1], OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    for (int k = 0; k < 2; k++) {
        int64_t cut;
        if (scale && n_scale == 2 && scale[k] >= 0 && scale[k] <= INT32_MAX)
            dims[k + 2] = scale[k];
        else if (border && n_border == 4 && !ob__add_overflows(border[1 - k], border[3 - k], &cut) && cut >= 0)
            dims[k + 2] = ob_dim_sub(infer->dims, x.dims[k + 2], cut);
        OB_TRY(ob__require_size(infer, dims[k + 2], 0, k + 2, OB0601));
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, x.dims[k + 2], dims[k + 2], 0, k + 2, OB0601));
    }
    return ob__out_tensor(infer, 0, OB_NONE, 4, dims);
}

/* ConstantFill-1 and GivenTensorFill-1: a shape from the attribute, from the operand's elements or from its shape. */
ob_status ob__infer_constant_fill(ob_infer *infer) {
    uint32_t n, n_extra;
    const ob_dim *shape, *extra;
    OB_TRY(ob__attribute_terms(infer, "shape", &shape, &n));
    OB_TRY(ob__attribute_terms(infer, "extra_shape", &extra, &n_extra));
    int64_t dtype = ob__node_int(infer->node, "dtype", OB_FLOAT);
    ob_shape from = {(int32_t)n, shape};
    ob__out_dtype(infer, 0, dtype > OB_NONE && dtype < OB_DTYPE_COUNT ? (ob_dtype)dtype : OB_NONE);
    if (ob__in_given(infer, 0)) {
        if (ob__node_int(infer->node, "input_as_shape", 0) != 0)
            OB_TRY(ob__shape_operand(infer, 0, &from));
        else
            from = ob__in_shape(infer, 0);
    } else if (!shape)
        from.rank = OB_RANK_UNKNOWN;
    if (from.rank < 0) OB_TRY(ob__unverified(infer, 0, -1, "the shape depends on data"));
    if (from.rank < 0 || from.rank + (int64_t)n_extra > OB_MAX_RANK) return OB_OK;
    ob_dim dims[OB_MAX_RANK];
    int32_t rank = 0;
    for (int32_t k = 0; k < from.rank; k++) dims[rank++] = from.dims[k];
    for (uint32_t k = 0; k < n_extra; k++) dims[rank++] = extra[k];
    for (int32_t k = 0; k < rank; k++) {
        OB_TRY(ob__require_size(infer, dims[k], 0, k, OB0601));
        if (ob_dim_is_const(dims[k]) && dims[k] < 0) dims[k] = OB_DIM_UNKNOWN;
    }
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}
