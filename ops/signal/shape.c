/* Shape rules of signal operators. */
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "ops/infer/infer.h"
#include "ops/signal/params.h"

OB_RULE(dft);
OB_RULE(stft);
OB_RULE(window);
OB_RULE(mel_weight_matrix);

static ob_dim half_plus_one(ob_infer *infer, ob_dim n) {
    return ob_dim_add(infer->dims, ob_dim_div(infer->dims, n, 2), 1);
}

/* The last axis holds real numbers (size 1) or complex ones (size 2). exactly: the only size allowed; 0: either. */
static ob_status require_parts(ob_infer *infer, int32_t axis, ob_dim exactly) {
    const ob_dim parts = ob__in_dim(infer, 0, axis);
    if (exactly) return ob__require(infer, OB_COND_EQUAL, parts, exactly, 0, axis, OB0601);
    if (!ob_dim_is_const(parts)) {
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, parts, 1, 0, axis, OB0601));
        return ob__require(infer, OB_COND_AT_LEAST, 2, parts, 0, axis, OB0601);
    }
    if (parts < 1 || parts > 2)
        ob__problem(infer, OB0601, 0, axis, "the last axis has %lld elements: 1 of real numbers, 2 of complex ones",
                    (long long)parts);
    return OB_OK;
}

ob_status ob__infer_dft(ob_infer *infer) {
    const ob_dft_params p = ob__dft_params(infer->node, ob__since(infer));
    ob_shape from = ob__in_shape(infer, 0);
    int64_t given = p.axis;
    int32_t axis;
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 2, OB_MAX_RANK) || from.rank < 0) return OB_OK;
    for (uint32_t i = 1; i < 3; i++) OB_TRY(ob__require_one(infer, i));
    OB_TRY(require_parts(infer, from.rank - 1, p.onesided ? (p.inverse ? 2 : 1) : 0));
    if (ob__in_given(infer, 2) && !ob__in_const_int(infer, 2, &given)) {
        OB_TRY(ob__unverified(infer, 2, -1, "the axis depends on data"));
        return ob__out_rank(infer, 0, from.rank);
    }
    if (!ob__axis_in(infer, given, from.rank, &axis)) return OB_OK;
    if (axis == from.rank - 1) {
        ob__problem(infer, OB0602, -1, -1, "axis %lld is that of the real and imaginary parts", (long long)given);
        return OB_OK;
    }
    ob_dim n = from.dims[axis], dims[OB_MAX_RANK];
    if (p.onesided && p.inverse) n = ob__size_mul(infer, ob_dim_sub(infer->dims, n, 1), 2, axis);
    if (ob__in_given(infer, 1)) n = ob__in_scalar(infer, 1);
    /* A transform has at least one point. */
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, n, 1, ob__in_given(infer, 1) ? 1 : 0, axis, OB0601));
    if (ob_dim_is_const(n) && n < 1) n = OB_DIM_UNKNOWN;
    memcpy(dims, from.dims, (size_t)from.rank * sizeof *dims);
    dims[axis] = p.onesided && !p.inverse ? half_plus_one(infer, n) : n;
    dims[from.rank - 1] = p.onesided && p.inverse ? 1 : 2;
    return ob__out_tensor(infer, 0, OB_NONE, from.rank, dims);
}

ob_status ob__infer_stft(ob_infer *infer) {
    const bool onesided = ob__stft_onesided(infer->node);
    ob_dim step = ob__in_scalar(infer, 1), frame = ob__in_scalar(infer, 3), length = ob__in_dim(infer, 0, 1);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 2, 3)) return OB_OK;
    for (uint32_t i = 1; i < 4; i += 2) OB_TRY(ob__require_one(infer, i));
    if (ob__in_rank(infer, 0) == 3) OB_TRY(require_parts(infer, 2, onesided ? 1 : 0));
    if (!ob__in_given(infer, 3)) frame = ob__in_dim(infer, 2, 0);
    if (!ob__in_given(infer, 2) && !ob__in_given(infer, 3))
        ob__problem(infer, OB0603, -1, -1, "neither a window nor frame_length says how long a frame is");
    ob_dim dims[4] = {ob__in_dim(infer, 0, 0), OB_DIM_UNKNOWN, onesided ? half_plus_one(infer, frame) : frame, 2};
    if (ob__in_rank(infer, 0) >= 0) {
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, frame, 1, 3, -1, OB0601));
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, length, frame, 0, 1, OB0601));
    }
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, step, 1, 1, -1, OB0601));
    if (ob__in_given(infer, 2)) OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &frame}, OB0601));
    ob_dim span = ob_dim_sub(infer->dims, length, frame);
    if (ob_dim_is_const(step) && step > 0 && span != OB_DIM_UNKNOWN)
        dims[1] = ob_dim_add(infer->dims, ob_dim_div(infer->dims, span, step), 1);
    if (ob_dim_is_const(dims[1]) && dims[1] < 0) dims[1] = OB_DIM_UNKNOWN;
    return ob__out_tensor(infer, 0, OB_NONE, 4, dims);
}

ob_status ob__infer_window(ob_infer *infer) {
    ob_dim n = ob__in_scalar(infer, 0);
    OB_TRY(ob__require_one(infer, 0));
    OB_TRY(ob__require_size(infer, n, 0, 0, OB0601));
    if (ob_dim_is_const(n) && n < 0) n = OB_DIM_UNKNOWN;
    return ob__out_tensor(infer, 0, ob__dtype_attribute(infer, "output_datatype", OB_FLOAT), 1, &n);
}

/* One float that is known in the file; false: it depends on data. */
static bool known_edge(ob_infer *infer, uint32_t i, double *out) {
    uint32_t n;
    const float *edge = ob__in_const_floats(infer, i, &n);
    const ob_dim whole = ob__in_scalar(infer, i);
    if (edge && n == 1)
        *out = (double)edge[0];
    else if (ob_dim_is_const(whole))
        *out = (double)whole;
    else
        return false;
    return true;
}

/* Requires a sample rate above 0, and a lower edge that is not above the upper one. */
static ob_status require_bands(ob_infer *infer) {
    double low, high;
    const ob_values_asked rate = {
        .lowest = 1, .unlimited = true, .when = 1, .axis = -1, .reason = "the sample rate depends on data"};
    OB_TRY(ob__require_values(infer, 2, &rate));
    if (!known_edge(infer, 3, &low) || !known_edge(infer, 4, &high))
        return ob__unverified(infer, 3, -1, "the edges of the bands depend on data");
    if (!(low > -700) || !(high < HUGE_VAL) || !(low <= high))
        ob__problem(infer, OB0601, 3, -1, "bands from %g to %g hertz", low, high);
    return OB_OK;
}

ob_status ob__infer_mel_weight_matrix(ob_infer *infer) {
    for (uint32_t i = 0; i < 5; i++) OB_TRY(ob__require_one(infer, i));
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__require_size(infer, ob__in_scalar(infer, i), (int32_t)i, -1, OB0601));
    OB_TRY(require_bands(infer));
    const ob_dim dims[2] = {half_plus_one(infer, ob__in_scalar(infer, 1)), ob__in_scalar(infer, 0)};
    return ob__out_tensor(infer, 0, ob__dtype_attribute(infer, "output_datatype", OB_FLOAT), 2, dims);
}
