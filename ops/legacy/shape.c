/* Shape rules of experimental operators of ONNX's first releases. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "ops/infer/infer.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(crop);
OB_RULE(constant_fill);
OB_RULE(given_tensor_fill);
OB_RULE(image_scaler);
OB_RULE(gru_unit);

/* Source: Crop-1. border is (left, top, right, bottom), or with `scale` (height, width) it begins with the upper left corner. */
ob_status ob__infer_crop(ob_infer *infer) {
    ob_shape x = ob__in_shape(infer, 0);
    uint32_t n_border, n_scale;
    const int64_t *border = ob__attribute_list(infer->node, "border", &n_border);
    const int64_t *scale = ob__attribute_list(infer->node, "scale", &n_scale);
    const bool cuts = border && n_border == 4, scales = scale && n_scale == 2;
    const bool is_wrong = (border && !cuts) || (scale && !scales) || (!cuts && !scales);
    ob__out_dtype(infer, 0, OB_NONE);
    if (is_wrong)
        ob__problem(infer, OB0602, -1, -1, "border has %u elements and scale %u: 4, or 2, or both are wanted", n_border, n_scale);
    if (!ob__rank_in(infer, 0, 4, 4) || x.rank < 0) return OB_OK;
    ob_dim dims[4] = {x.dims[0], x.dims[1], OB_DIM_UNKNOWN, OB_DIM_UNKNOWN};
    if (is_wrong) return ob__out_tensor(infer, 0, OB_NONE, 4, dims);
    for (int k = 0; k < 2; k++) {
        const int64_t first = cuts ? border[1 - k] : 0, second = scales ? scale[k] : border[3 - k];
        int64_t both;
        if (first < 0 || second < 0 || ob__add_overflows(first, second, &both) || both > OB_DIM_CONST_MAX) {
            ob__problem(infer, OB0602, -1, k + 2, "border and scale are %lld and %lld", (long long)first, (long long)second);
            continue;
        }
        dims[k + 2] = scales ? second : ob_dim_sub(infer->dims, x.dims[k + 2], both);
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, x.dims[k + 2], both, 0, k + 2, OB0601));
        if (ob_dim_is_const(dims[k + 2]) && dims[k + 2] < 0) dims[k + 2] = OB_DIM_UNKNOWN;
    }
    return ob__out_tensor(infer, 0, OB_NONE, 4, dims);
}

/* A shape from the attribute, the operand's elements or the operand's shape, followed by the sizes of `extra_shape`. *rank is
 * OB_RANK_UNKNOWN if it is not known. */
static ob_status filled_shape(ob_infer *infer, int32_t *rank, ob_dim dims[OB_MAX_RANK]) {
    uint32_t n, n_extra;
    const ob_dim *shape, *extra;
    *rank = OB_RANK_UNKNOWN;
    OB_TRY(ob__attribute_terms(infer, "shape", &shape, &n));
    OB_TRY(ob__attribute_terms(infer, "extra_shape", &extra, &n_extra));
    ob_shape from = {(int32_t)n, shape};
    if (ob__in_given(infer, 0)) {
        if (ob__attribute_flag(infer->node, "input_as_shape"))
            OB_TRY(ob__shape_operand(infer, 0, &from));
        else
            from = ob__in_shape(infer, 0);
    } else if (!shape) {
        ob__problem(infer, OB0602, -1, -1, "attribute shape is missing, and so is the operand");
        return OB_OK;
    }
    if (from.rank < 0) OB_TRY(ob__unverified(infer, 0, -1, "the shape depends on data"));
    if (from.rank < 0 || !ob__rank_fits(infer, from.rank + (int64_t)n_extra)) return OB_OK;
    *rank = 0;
    for (int32_t k = 0; k < from.rank; k++) dims[(*rank)++] = from.dims[k];
    for (uint32_t k = 0; k < n_extra; k++) dims[(*rank)++] = extra[k];
    for (int32_t k = 0; k < *rank; k++) {
        OB_TRY(ob__require_size(infer, dims[k], 0, k, OB0601));
        if (ob_dim_is_const(dims[k]) && dims[k] < 0) dims[k] = OB_DIM_UNKNOWN;
    }
    return OB_OK;
}

ob_status ob__infer_constant_fill(ob_infer *infer) {
    int64_t dtype = ob__attribute_int(infer->node, "dtype");
    int32_t rank;
    ob_dim dims[OB_MAX_RANK];
    if (dtype <= OB_NONE || dtype >= OB_DTYPE_COUNT) {
        ob__problem(infer, OB0602, -1, -1, "attribute dtype is %lld, which is not an element type", (long long)dtype);
        dtype = OB_NONE;
    }
    ob__out_dtype(infer, 0, (ob_dtype)dtype);
    OB_TRY(filled_shape(infer, &rank, dims));
    return rank < 0 ? OB_OK : ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

/* The result has the element type of the operand. Without an operand it is float, like the values. */
ob_status ob__infer_given_tensor_fill(ob_infer *infer) {
    const ob_attribute *values = ob__node_attribute(infer->node, "values");
    int32_t rank;
    ob_dim dims[OB_MAX_RANK];
    ob__out_dtype(infer, 0, ob__in_given(infer, 0) ? ob__in_dtype(infer, 0) : OB_FLOAT);
    if (!values || values->ref || values->type != OB_ATTR_FLOATS) {
        ob__problem(infer, OB0602, -1, -1, "attribute values is missing");
        return OB_OK;
    }
    OB_TRY(filled_shape(infer, &rank, dims));
    if (rank < 0) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__dims_product(infer, dims, 0, rank), values->n, -1, -1, OB0601));
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

ob_status ob__infer_image_scaler(ob_infer *infer) {
    const ob_attribute *bias = ob__node_attribute(infer->node, "bias");
    OB_TRY(ob__out_like(infer, 0, 0));
    if (!ob__rank_in(infer, 0, 4, 4) || ob__in_rank(infer, 0) < 0 || !bias) return OB_OK;
    return ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 1), bias->n, 0, 1, OB0601);
}

ob_status ob__infer_gru_unit(ob_infer *infer) {
    ob_shape hidden = ob__in_shape(infer, 0);
    OB_TRY(ob__out_like(infer, 0, 0));
    OB_TRY(ob__require_one(infer, 3));
    if (!ob__rank_in(infer, 0, 2, OB_MAX_RANK) || hidden.rank < 0) return OB_OK;
    OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &hidden.dims[hidden.rank - 2]}, OB0601));
    ob_dim dims[OB_MAX_RANK];
    for (int32_t axis = 0; axis < hidden.rank; axis++) dims[axis] = hidden.dims[axis];
    dims[hidden.rank - 1] = ob__size_mul(infer, dims[hidden.rank - 1], 3, hidden.rank - 1);
    return ob__require_shape(infer, 1, (ob_shape){hidden.rank, dims}, OB0601);
}
