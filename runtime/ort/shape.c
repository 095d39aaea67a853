/* Types and shapes of results while ONNX Runtime loads a model.
 *
 * Without this callback a model whose inner values carry no value_info is refused: ONNX Runtime cannot know the type of a
 * variadic output. It never fails, because ONNX Runtime may ignore its status, and the kernel reports the same problem with a
 * better message.
 *
 * Names are terms: equal names mean equal sizes, to ONNX Runtime as well, which may give such values the same memory. So an
 * unknown size gets a unique name, never a number. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ort/plugin.h"

/* ---- Reading ---- */

OrtStatus *ob__ort_terms(const OrtApi *api, const OrtTensorTypeAndShapeInfo *info, ob_dims *pool, ob_dim *dims, int32_t *rank) {
    const char *names[OB_MAX_RANK] = {NULL};
    size_t n = 0;
    *rank = OB_RANK_UNKNOWN;
    OB__ORT_TRY(api->GetDimensionsCount(info, &n));
    if (n > OB_MAX_RANK) return NULL;
    OB__ORT_TRY(api->GetDimensions(info, dims, n));
    OB__ORT_TRY(api->GetSymbolicDimensions(info, names, n));
    for (size_t i = 0; i < n; i++) {
        if (dims[i] >= 0 && dims[i] <= OB_DIM_CONST_MAX) continue;
        dims[i] = names[i] && names[i][0] ? ob_dim_symbol(pool, names[i]) : ob_dim_fresh(pool);
    }
    *rank = (int32_t)n;
    return NULL;
}

void ob__ort_infer_ints(const ob__ort_inference *inference, const char *name, int64_t *ints, int32_t max, int32_t *n) {
    const OrtApi *api = inference->api;
    const OrtOpAttr *attribute = NULL;
    size_t n_bytes = 0;
    *n = -1;
    OrtStatus *status = api->ShapeInferContext_GetAttribute(inference->context, name, &attribute);
    if (!status) status = api->ReadOpAttr(attribute, ORT_OP_ATTR_INTS, ints, (size_t)max * sizeof *ints, &n_bytes);
    if (status)
        api->ReleaseStatus(status);
    else
        *n = (int32_t)(n_bytes / sizeof *ints);
}

static OrtStatus *read_inputs(ob__ort_inference *inference) {
    const OrtApi *api = inference->api;
    for (size_t i = 0; i < inference->n_inputs; i++) {
        OrtTensorTypeAndShapeInfo *info = NULL; /* stays with the context */
        ob_dim *dims = (ob_dim *)(uintptr_t)inference->shapes[i].dims;
        OB__ORT_TRY(api->ShapeInferContext_GetInputTypeShape(inference->context, i, &info));
        OB__ORT_TRY(api->GetTensorElementType(info, &inference->types[i]));
        OB__ORT_TRY(ob__ort_terms(api, info, inference->pool, dims, &inference->shapes[i].rank));
    }
    return NULL;
}

/* ---- Writing ---- */

enum { NAME_BYTES = 128 };

/* Different in every process and call. */
static void unique_name(char *name, int32_t axis) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, NAME_BYTES, "?%llx_%lx_%llx_%d", (unsigned long long)now.tv_sec, (unsigned long)now.tv_nsec,
             (unsigned long long)(uintptr_t)name, axis);
}

typedef struct named_shape {
    int64_t dims[OB_MAX_RANK];
    const char *names[OB_MAX_RANK];
    char text[OB_MAX_RANK][NAME_BYTES];
    size_t rank;
} named_shape;

static void name_shape(const ob_dims *pool, const ob_broadcast_result *result, named_shape *out) {
    out->rank = (size_t)result->rank;
    for (int32_t i = 0; i < result->rank; i++) {
        ob_dim d = result->dims[i];
        bool number = ob_dim_is_const(d);
        out->dims[i] = number ? d : -1;
        out->names[i] = out->text[i];
        out->text[i][0] = '\0';
        if (number) continue;
        if (ob_dim_is_anonymous(pool, d) || ob_dim_format(pool, d, out->text[i], NAME_BYTES) >= NAME_BYTES)
            unique_name(out->text[i], i);
    }
}

static OrtStatus *set_output(const ob__ort_inference *inference, size_t index, ONNXTensorElementDataType type,
                             named_shape *shape) {
    const OrtApi *api = inference->api;
    OrtTensorTypeAndShapeInfo *info = NULL;
    OB__ORT_TRY(api->CreateTensorTypeAndShapeInfo(&info));
    OrtStatus *status = api->SetTensorElementType(info, type);
    if (!status) status = api->SetDimensions(info, shape->dims, shape->rank);
    if (!status) status = api->SetSymbolicDimensions(info, shape->names, shape->rank);
    if (!status) status = api->ShapeInferContext_SetOutputTypeShape(inference->context, index, info);
    api->ReleaseTensorTypeAndShapeInfo(info);
    return status;
}

/* ---- The callback ---- */

/* For impossible cases: the kernel refuses them when it is made, but ONNX Runtime needs a type before. */
static void unknown_sizes(const ob__ort_inference *inference, ob_broadcast_result *result) {
    result->rank = 0;
    for (size_t i = 0; i < inference->n_inputs; i++)
        if (inference->shapes[i].rank > result->rank) result->rank = inference->shapes[i].rank;
    for (int32_t i = 0; i < result->rank; i++) result->dims[i] = OB_DIM_UNKNOWN;
}

static OrtStatus *infer(const ob__ort_operator *op, ob__ort_inference *inference) {
    OB__ORT_TRY(read_inputs(inference));
    ob_broadcast_result result = {.rank = OB_RANK_UNKNOWN};
    ob_error error;
    ob_error_clear(&error);
    if (op->row->infer(inference, &result, &error) != OB_OK) unknown_sizes(inference, &result);
    if (result.rank < 0) return NULL;
    named_shape *shape = malloc(sizeof *shape);
    if (!shape) return NULL;
    name_shape(inference->pool, &result, shape);
    size_t n_outputs = op->row == &ob__ort_broadcast ? inference->n_inputs : 1;
    OrtStatus *status = NULL;
    for (size_t i = 0; i < n_outputs && !status; i++) status = set_output(inference, i, inference->types[i], shape);
    free(shape);
    return status;
}

OrtStatus *ORT_API_CALL ob__ort_infer(const OrtCustomOp *base, OrtShapeInferContext *context) {
    const ob__ort_operator *op = (const ob__ort_operator *)(const void *)base;
    if (!op->row->infer) return NULL;
    ob__ort_inference inference = {.api = op->api, .context = context};
    OrtStatus *status = op->api->ShapeInferContext_GetInputCount(context, &inference.n_inputs);
    size_t n = inference.n_inputs;
    inference.shapes = malloc(n * sizeof *inference.shapes);
    inference.types = malloc(n * sizeof *inference.types);
    ob_dim *dims = malloc(n * OB_MAX_RANK * sizeof *dims);
    if (!status && n > 0 && inference.shapes && inference.types && dims && ob_dims_create(NULL, &inference.pool) == OB_OK) {
        for (size_t i = 0; i < n; i++) inference.shapes[i] = (ob_shape){OB_RANK_UNKNOWN, dims + i * OB_MAX_RANK};
        status = infer(op, &inference);
    }
    if (status) op->api->ReleaseStatus(status);
    ob_dims_destroy(&inference.pool);
    free(dims);
    free(inference.types);
    free(inference.shapes);
    return NULL;
}
