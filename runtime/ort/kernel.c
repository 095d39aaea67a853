/* Creation and destruction of a kernel, its operands and results. */
#include <stdlib.h>
#include <string.h>

#include "ort/plugin.h"

/* ---- Conditions that the model's shapes leave open, for messages ---- */

typedef struct condition_text {
    const ob_dims *pool;
    char *text;
    size_t n, n_bytes;
    ob_condition seen[16]; /* those that the text has */
    uint32_t n_seen;
} condition_text;

static bool was_seen(const condition_text *c, const ob_condition *condition) {
    for (uint32_t i = 0; i < c->n_seen; i++)
        if (c->seen[i].kind == condition->kind && c->seen[i].a == condition->a && c->seen[i].b == condition->b) return true;
    return false;
}

static ob_status add_condition(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    (void)operand, (void)axis;
    condition_text *c = context;
    if (c->n_seen == sizeof c->seen / sizeof *c->seen || was_seen(c, condition)) return OB_OK;
    char one[200];
    size_t n = ob_condition_format(c->pool, condition, one, sizeof one);
    bool anonymous = ob_dim_is_anonymous(c->pool, condition->a) || ob_dim_is_anonymous(c->pool, condition->b);
    if (anonymous || n >= sizeof one || c->n + n + 3 > c->n_bytes) return OB_OK;
    c->seen[c->n_seen++] = *condition;
    if (c->n > 0) {
        memcpy(c->text + c->n, "; ", 2);
        c->n += 2;
    }
    memcpy(c->text + c->n, one, n + 1);
    c->n += n;
    return OB_OK;
}

static OrtStatus *declared_shape(const ob__ort_kernel *kernel, const OrtKernelInfo *info, size_t index, ob_dims *pool,
                                 ob_dim *dims, int32_t *rank) {
    const OrtApi *api = kernel->api;
    OrtTypeInfo *type = NULL;
    const OrtTensorTypeAndShapeInfo *tensor = NULL;
    OB__ORT_TRY(api->KernelInfo_GetInputTypeInfo(info, index, &type));
    OrtStatus *status = api->CastTypeInfoToTensorInfo(type, &tensor);
    if (!status && tensor) status = ob__ort_terms(api, tensor, pool, dims, rank);
    api->ReleaseTypeInfo(type);
    return status;
}

/* Tests the declared shapes: impossible ones are an error now, and open conditions are kept for the message of a run that
 * breaks them. (The operator's attribute `conditions` states the same, but this API cannot read lists of texts.) */
static OrtStatus *check_declared(ob__ort_kernel *kernel, const OrtKernelInfo *info, ob_shape *shapes, ob_dim *dims,
                                 ob_dims *pool) {
    for (size_t i = 0; i < kernel->n_inputs; i++) {
        ob_dim *own = dims + i * OB_MAX_RANK;
        int32_t rank = OB_RANK_UNKNOWN;
        OB__ORT_TRY(declared_shape(kernel, info, i, pool, own, &rank));
        shapes[i] = (ob_shape){rank > 0 ? rank : OB_RANK_UNKNOWN, own}; /* 0 may mean that it is not known */
    }
    condition_text text = {.pool = pool, .text = kernel->conditions, .n_bytes = sizeof kernel->conditions};
    ob_error error;
    ob_error_clear(&error);
    error.code = kernel->row->check(kernel, shapes, pool, add_condition, &text, &error);
    return error.code == OB_OK ? NULL : ob__ort_fail(kernel, &error);
}

static OrtStatus *check(ob__ort_kernel *kernel, const OrtKernelInfo *info) {
    size_t n = kernel->n_inputs;
    ob_dims *pool = NULL;
    ob_shape *shapes = malloc(n * sizeof *shapes);
    ob_dim *dims = malloc(n * OB_MAX_RANK * sizeof *dims);
    OrtStatus *status = shapes && dims && ob_dims_create(NULL, &pool) == OB_OK
                            ? check_declared(kernel, info, shapes, dims, pool)
                            : ob__ort_failf(kernel, OB_E_MEMORY, "out of memory for %zu operands", n);
    ob_dims_destroy(&pool);
    free(dims);
    free(shapes);
    return status;
}

/* ---- Life ---- */

static OrtStatus *fill(ob__ort_kernel *kernel, const OrtKernelInfo *info) {
    size_t n = sizeof kernel->node;
    OrtStatus *status = kernel->api->KernelInfo_GetNodeName(info, kernel->node, &n);
    if (status) { /* longer than the buffer */
        kernel->api->ReleaseStatus(status);
        memcpy(kernel->node, "?", 2);
    }
    OB__ORT_TRY(kernel->api->KernelInfo_GetInputCount(info, &kernel->n_inputs));
    OB__ORT_TRY(kernel->api->KernelInfo_GetOutputCount(info, &kernel->n_outputs));
    OB__ORT_TRY(kernel->row->create(kernel, info));
    return kernel->row->check ? check(kernel, info) : NULL;
}

OrtStatus *ORT_API_CALL ob__ort_kernel_create(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info, void **out) {
    const ob__ort_operator *self = (const ob__ort_operator *)(const void *)op;
    ob__ort_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) return api->CreateStatus(ORT_FAIL, "onnx_broadcast: out of memory");
    kernel->api = api;
    kernel->later = self->later;
    kernel->row = self->row;
    kernel->op_type = self->name;
    OrtStatus *status = fill(kernel, info);
    if (status) {
        ob__ort_kernel_destroy(kernel);
        return status;
    }
    *out = kernel;
    return NULL;
}

OrtStatus *ORT_API_CALL ob__ort_kernel_run(void *kernel, OrtKernelContext *context) {
    const ob__ort_kernel *self = kernel;
    return self->row->run(self, context);
}

void ORT_API_CALL ob__ort_kernel_destroy(void *kernel) {
    ob__ort_kernel *self = kernel;
    if (self->row->destroy) self->row->destroy(self);
    free(self);
}

/* ---- Operands and results ---- */

static OrtStatus *rank_too_high(const ob__ort_kernel *kernel, size_t index, size_t rank) {
    return ob__ort_failf(kernel, OB_E_LIMIT, "operand %zu has rank %zu, more than %d", index, rank, OB_MAX_RANK);
}

OrtStatus *ob__ort_shape_of(const ob__ort_kernel *kernel, const OrtValue *value, size_t index, int64_t *dims, size_t *rank,
                            ONNXTensorElementDataType *type) {
    const OrtApi *api = kernel->api;
    OrtTensorTypeAndShapeInfo *info = NULL;
    OB__ORT_TRY(api->GetTensorTypeAndShape(value, &info));
    OrtStatus *status = api->GetDimensionsCount(info, rank);
    if (!status && *rank > OB_MAX_RANK) status = rank_too_high(kernel, index, *rank);
    if (!status) status = api->GetDimensions(info, dims, *rank);
    if (!status) status = api->GetTensorElementType(info, type);
    api->ReleaseTensorTypeAndShapeInfo(info);
    return status;
}

OrtStatus *ob__ort_operand_get(const ob__ort_kernel *kernel, const OrtKernelContext *context, size_t index,
                               ob__ort_operand *out) {
    size_t rank = 0;
    OB__ORT_TRY(kernel->api->KernelContext_GetInput(context, index, &out->value));
    if (!out->value) return ob__ort_failf(kernel, OB_E_MODEL, "operand %zu is left out", index);
    if (kernel->later.shape_reference) {
        const int64_t *dims = NULL;
        OB__ORT_TRY(kernel->later.shape_reference(out->value, &out->type, &dims, &rank));
        if (rank > OB_MAX_RANK) return rank_too_high(kernel, index, rank);
        for (size_t i = 0; i < rank; i++) out->dims[i] = dims[i];
    } else {
        OB__ORT_TRY(ob__ort_shape_of(kernel, out->value, index, out->dims, &rank, &out->type));
    }
    out->rank = (int32_t)rank;
    return NULL;
}

/* ONNX Runtime's numbers of element types are those of TensorProto up to FLOAT4E2M1; later ones differ. */
ob_dtype ob__ort_dtype(ONNXTensorElementDataType type) {
    return (int)type > OB_NONE && (int)type <= OB_FLOAT4E2M1 ? (ob_dtype)type : OB_NONE;
}

/* Views of both sides without addresses; false if the result has too many elements. Only the first `rank` entries are set,
 * because this runs for every call, however small. */
static bool make_views(const ob__ort_operand *operand, const int64_t *axes, int32_t rank, const int64_t *dims, ob_dtype dtype,
                       ob_view *to, ob_view *from) {
    int64_t stride = (int64_t)ob_dtype_size(dtype), operand_stride = stride;
    to->dtype = from->dtype = dtype;
    to->rank = from->rank = rank;
    for (int32_t a = rank; a-- > 0;) {
        to->dims[a] = from->dims[a] = dims[a];
        to->strides[a] = stride;
        from->strides[a] = 0;
        if (__builtin_mul_overflow(stride, dims[a] ? dims[a] : 1, &stride)) return false; /* 0 does not hide an overflow */
    }
    for (int32_t i = operand->rank; i-- > 0;) {
        if (operand->dims[i] == dims[axes[i]]) from->strides[axes[i]] = operand_stride;
        operand_stride *= operand->dims[i] ? operand->dims[i] : 1;
    }
    return true;
}

static bool same_elements(const ob_view *view) {
    for (int32_t a = 0; a < view->rank; a++)
        if (view->dims[a] != 1 && view->strides[a] == 0) return false;
    return true;
}

OrtStatus *ob__ort_produce(const ob__ort_kernel *kernel, OrtKernelContext *context, size_t index, const ob__ort_operand *operand,
                           const int64_t *axes, int32_t rank, const int64_t *dims) {
    const OrtApi *api = kernel->api;
    ob_dtype dtype = ob__ort_dtype(operand->type);
    if (dtype == OB_NONE)
        return ob__ort_failf(kernel, OB_E_UNSUPPORTED, "operand %zu: element type %d of ONNX Runtime is not known here", index,
                             (int)operand->type);
    ob_view from, to;
    if (!make_views(operand, axes, rank, dims, dtype, &to, &from)) /* before memory is allocated */
        return ob__ort_failf(kernel, OB_E_LIMIT, "operand %zu: the result has too many elements", index);
    OrtValue *value = NULL;
    OB__ORT_TRY(api->KernelContext_GetOutput(context, index, dims, (size_t)rank, &value));
    if (!value || ob_view_count(&to) == 0) return NULL; /* it is not requested, or it is empty */
    if (dtype == OB_STRING) return ob__ort_copy_strings(kernel, context, value, &to, operand->value, &from);
    OB__ORT_TRY(api->GetTensorMutableData(value, &to.data));
    /* The API has no other name for reading; the operand is not written. */
    OB__ORT_TRY(api->GetTensorMutableData((OrtValue *)(uintptr_t)operand->value, &from.data));
    if (to.data == from.data && same_elements(&from)) return NULL; /* ONNX Runtime let the result have the operand's memory */
    unsigned bits = (unsigned)ob_dtype_file_bits(dtype);
    return bits < 8 ? ob__ort_copy_packed(kernel, &to, &from, bits) : ob__ort_copy(kernel, context, &to, &from);
}
