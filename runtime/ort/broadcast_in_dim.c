/* BroadcastInDim(X[, shape]) -> Z: dimension i of X becomes dimension broadcast_dimensions[i] of Z, whose shape is the operand,
 * or the attribute, `shape`; the rest is stretched. */
#include <string.h>

#include "ort/plugin.h"

/* ---- Shapes ---- */

/* Sizes that the operand `shape` will have are not known here: its length is, perhaps. */
static ob_status target_shape(ob__ort_inference *inference, ob_dim *dims, int32_t *rank) {
    if (inference->n_inputs < 2) {
        ob__ort_infer_ints(inference, "shape", dims, OB_MAX_RANK, rank);
        return OB_OK;
    }
    const ob_shape *operand = &inference->shapes[1];
    *rank = operand->rank == 1 && operand->dims[0] >= 0 && operand->dims[0] <= OB_MAX_RANK ? (int32_t)operand->dims[0] : -1;
    for (int32_t i = 0; i < *rank; i++) dims[i] = OB_DIM_UNKNOWN;
    return OB_OK;
}

static ob_status infer(ob__ort_inference *inference, ob_broadcast_result *result, ob_error *error) {
    ob_dim target[OB_MAX_RANK];
    int64_t dimensions[OB_MAX_RANK];
    int32_t rank, n;
    const ob_shape *from = &inference->shapes[0];
    ob_status status = target_shape(inference, target, &rank);
    if (status != OB_OK || rank < 0) return status;
    ob__ort_infer_ints(inference, "broadcast_dimensions", dimensions, OB_MAX_RANK, &n);
    result->rank = rank;
    memcpy(result->dims, target, (size_t)rank * sizeof *target);
    ob_broadcast_result aligned = {.rank = OB_RANK_UNKNOWN};
    if (from->rank > 0) { /* 0 may mean that the rank is not known */
        status = ob_align_in_dim(from, dimensions, n < 0 ? 0 : (size_t)n, rank, &aligned, error);
        if (status != OB_OK) return status;
    }
    for (int32_t i = 0; i < rank; i++) {
        ob_dim own = aligned.rank < 0 ? OB_DIM_UNKNOWN : aligned.dims[i];
        bool known = target[i] == OB_DIM_UNKNOWN && ob_dim_is_const(own) && own != 1; /* it cannot be stretched */
        if (known) result->dims[i] = own;
    }
    return OB_OK;
}

/* ---- Attributes ---- */

/* *n -1: there is no such attribute. */
static OrtStatus *read_ints(ob__ort_kernel *kernel, const OrtKernelInfo *info, const char *name, int64_t *ints, int32_t *n) {
    size_t count = 0;
    *n = -1;
    OrtStatus *status = kernel->api->KernelInfoGetAttributeArray_int64(info, name, NULL, &count);
    if (status) { /* not there, or of another type */
        kernel->api->ReleaseStatus(status);
        return NULL;
    }
    if (count > OB_MAX_RANK)
        return ob__ort_failf(kernel, OB_E_LIMIT, "attribute %s has %zu entries, at most %d are possible", name, count,
                             OB_MAX_RANK);
    if (count > 0) OB__ORT_TRY(kernel->api->KernelInfoGetAttributeArray_int64(info, name, ints, &count));
    *n = (int32_t)count;
    return NULL;
}

static OrtStatus *check_sizes(const ob__ort_kernel *kernel, const int64_t *dims, int32_t rank) {
    for (int32_t i = 0; i < rank; i++)
        if (dims[i] < 0)
            return ob__ort_failf(kernel, OB_E_ARGUMENT, "axis %d of the result: size %lld is negative", i, (long long)dims[i]);
    return NULL;
}

static OrtStatus *create(ob__ort_kernel *kernel, const OrtKernelInfo *info) {
    if (kernel->n_inputs > 2 || kernel->n_outputs != 1)
        return ob__ort_failf(kernel, OB_E_MODEL, "%zu inputs and %zu outputs; one or two inputs and one output belong to it",
                             kernel->n_inputs, kernel->n_outputs);
    OB__ORT_TRY(read_ints(kernel, info, "broadcast_dimensions", kernel->dimensions, &kernel->n_dimensions));
    OB__ORT_TRY(read_ints(kernel, info, "shape", kernel->shape, &kernel->shape_rank));
    if (kernel->n_inputs < 2 && kernel->shape_rank < 0)
        return ob__ort_failf(kernel, OB_E_MODEL, "neither attribute shape nor operand 1 gives the result's shape");
    return check_sizes(kernel, kernel->shape, kernel->shape_rank);
}

static ob_status check(const ob__ort_kernel *kernel, const ob_shape *shapes, ob_dims *pool, ob_condition_sink sink, void *context,
                       ob_error *error) {
    if (kernel->n_inputs > 1) return OB_OK; /* the shape is not known before the run */
    const ob_shape to = {kernel->shape_rank, kernel->shape};
    ob_broadcast_result aligned;
    size_t n = kernel->n_dimensions < 0 ? 0 : (size_t)kernel->n_dimensions;
    ob_status status = ob_align_in_dim(&shapes[0], kernel->dimensions, n, to.rank, &aligned, error);
    return status == OB_OK ? ob_broadcast_to(&(ob_shape){aligned.rank, aligned.dims}, &to, pool, sink, context, error) : status;
}

/* ---- Running ---- */

static OrtStatus *read_shape(const ob__ort_kernel *kernel, const OrtKernelContext *context, int64_t *dims, int32_t *rank) {
    ob__ort_operand operand;
    OB__ORT_TRY(ob__ort_operand_get(kernel, context, 1, &operand));
    if (operand.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)
        return ob__ort_failf(kernel, OB_E_TYPE, "operand 1, the shape, must be int64, not %s",
                             ob_dtype_name((ob_dtype)operand.type));
    if (operand.rank != 1)
        return ob__ort_failf(kernel, OB_E_SHAPE, "operand 1, the shape, has rank %d instead of 1", operand.rank);
    if (operand.dims[0] > OB_MAX_RANK)
        return ob__ort_failf(kernel, OB_E_LIMIT, "operand 1, the shape, has %lld entries, at most %d are possible",
                             (long long)operand.dims[0], OB_MAX_RANK);
    void *data = NULL;
    OB__ORT_TRY(kernel->api->GetTensorMutableData((OrtValue *)(uintptr_t)operand.value, &data));
    *rank = (int32_t)operand.dims[0];
    for (int32_t i = 0; i < *rank; i++) dims[i] = ((const int64_t *)data)[i];
    return NULL;
}

/* A quick test; the library finds the reason of a failure. */
static bool fits(const ob__ort_kernel *kernel, const ob__ort_operand *operand, const int64_t *dims, int32_t rank) {
    const int64_t *axes = kernel->dimensions;
    if (operand->rank != (kernel->n_dimensions < 0 ? 0 : kernel->n_dimensions)) return false;
    for (int32_t i = 0; i < operand->rank; i++) {
        if (axes[i] < 0 || axes[i] >= rank || (i > 0 && axes[i] <= axes[i - 1])) return false;
        if (operand->dims[i] != 1 && operand->dims[i] != dims[axes[i]]) return false;
    }
    return true;
}

static OrtStatus *misfit(const ob__ort_kernel *kernel, const ob__ort_operand *operand, const int64_t *dims, int32_t rank) {
    ob_error error;
    ob_error_clear(&error);
    const ob_shape shape = {operand->rank, operand->dims}, to = {rank, dims};
    ob_broadcast_result aligned;
    size_t n = kernel->n_dimensions < 0 ? 0 : (size_t)kernel->n_dimensions;
    error.code = ob_align_in_dim(&shape, kernel->dimensions, n, rank, &aligned, &error);
    if (error.code == OB_OK) error.code = ob_broadcast_to(&(ob_shape){rank, aligned.dims}, &to, NULL, NULL, NULL, &error);
    if (error.code == OB_OK) error.code = OB_E_INTERNAL;
    return ob__ort_fail(kernel, &error);
}

static OrtStatus *run(const ob__ort_kernel *kernel, OrtKernelContext *context) {
    ob__ort_operand operand;
    int64_t read[OB_MAX_RANK];
    const int64_t *dims = kernel->shape;
    int32_t rank = kernel->shape_rank;
    OB__ORT_TRY(ob__ort_operand_get(kernel, context, 0, &operand));
    if (kernel->n_inputs > 1) {
        OB__ORT_TRY(read_shape(kernel, context, read, &rank));
        OB__ORT_TRY(check_sizes(kernel, read, rank));
        dims = read;
    }
    if (!fits(kernel, &operand, dims, rank)) return misfit(kernel, &operand, dims, rank);
    return ob__ort_produce(kernel, context, 0, &operand, kernel->dimensions, rank, dims);
}

static int shared[] = {0};

const ob__ort_row ob__ort_broadcast_in_dim = {
    .name = "BroadcastInDim", .n_shared = 1, .shared = shared, .infer = infer, .create = create, .check = check, .run = run};
