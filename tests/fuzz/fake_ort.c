#include "fake_ort.h"

#include <string.h>

long fake_alive;

static void *make(size_t n_bytes) {
    void *object = calloc(1, n_bytes);
    if (!object) abort();
    fake_alive++;
    return object;
}

static void drop(void *object) {
    if (object) fake_alive--;
    free(object);
}

static OrtStatus *ORT_API_CALL create_status(OrtErrorCode code, const char *text) {
    OrtStatus *status = make(sizeof *status);
    status->code = code;
    snprintf(status->text, sizeof status->text, "%s", text);
    return status;
}

static void ORT_API_CALL release_status(OrtStatus *status) {
    drop(status);
}

static const fake_node *node_of(const void *context) {
    return context;
}

static const OrtOpAttr *attribute_of(const fake_node *node, const char *name) {
    const OrtOpAttr *found = strcmp(name, "shape") == 0                  ? &node->shape
                             : strcmp(name, "broadcast_dimensions") == 0 ? &node->broadcast_dimensions
                                                                         : NULL;
    return found && found->n >= 0 ? found : NULL;
}

/* ---- Making a kernel ---- */

static OrtStatus *ORT_API_CALL node_name(const OrtKernelInfo *info, char *out, size_t *size) {
    const fake_node *node = node_of(info);
    size_t n = strlen(node->name) + 1, room = *size;
    *size = n;
    if (n > room) return create_status(ORT_INVALID_ARGUMENT, "too long");
    memcpy(out, node->name, n);
    return NULL;
}

static OrtStatus *ORT_API_CALL input_count(const OrtKernelInfo *info, size_t *out) {
    *out = node_of(info)->n_inputs;
    return NULL;
}

static OrtStatus *ORT_API_CALL output_count(const OrtKernelInfo *info, size_t *out) {
    *out = node_of(info)->n_outputs;
    return NULL;
}

static OrtStatus *ORT_API_CALL input_type(const OrtKernelInfo *info, size_t index, OrtTypeInfo **out) {
    const fake_node *node = node_of(info);
    FUZZ_MUST(index < node->n_inputs, "input %zu of %zu", index, node->n_inputs);
    *out = make(sizeof **out);
    (*out)->tensor = node->no_tensor[index] ? NULL : &node->declared[index];
    return NULL;
}

static OrtStatus *ORT_API_CALL to_tensor(const OrtTypeInfo *type, const OrtTensorTypeAndShapeInfo **out) {
    *out = type->tensor;
    return NULL;
}

static void ORT_API_CALL release_type(OrtTypeInfo *type) {
    drop(type);
}

static OrtStatus *ORT_API_CALL attribute_string(const OrtKernelInfo *info, const char *name, char *out, size_t *size) {
    const char *text = strcmp(name, "program") == 0 ? node_of(info)->program : NULL;
    if (!text) return create_status(ORT_FAIL, "no such attribute");
    size_t n = strlen(text) + 1, room = *size;
    *size = n;
    if (!out) return NULL;
    if (room < n) return create_status(ORT_INVALID_ARGUMENT, "no room");
    memcpy(out, text, n);
    return NULL;
}

static OrtStatus *ORT_API_CALL attribute_ints(const OrtKernelInfo *info, const char *name, int64_t *out, size_t *size) {
    const OrtOpAttr *attribute = attribute_of(node_of(info), name);
    if (!attribute) return create_status(ORT_FAIL, "no such attribute");
    size_t n = (size_t)attribute->n, room = *size;
    *size = n;
    if (!out) return NULL;
    if (room < n) return create_status(ORT_INVALID_ARGUMENT, "too small");
    memcpy(out, attribute->ints, n * sizeof *out);
    return NULL;
}

/* ---- Shapes ---- */

static OrtStatus *ORT_API_CALL get_rank(const OrtTensorTypeAndShapeInfo *info, size_t *out) {
    *out = info->rank;
    return NULL;
}

static OrtStatus *ORT_API_CALL get_dims(const OrtTensorTypeAndShapeInfo *info, int64_t *out, size_t n) {
    FUZZ_MUST(n <= info->rank, "%zu sizes of %zu", n, info->rank);
    memcpy(out, info->dims, n * sizeof *out);
    return NULL;
}

static OrtStatus *ORT_API_CALL get_names(const OrtTensorTypeAndShapeInfo *info, const char *out[], size_t n) {
    FUZZ_MUST(n <= info->rank, "%zu names of %zu", n, info->rank);
    for (size_t i = 0; i < n; i++) out[i] = info->names[i];
    return NULL;
}

static OrtStatus *ORT_API_CALL get_type(const OrtTensorTypeAndShapeInfo *info, ONNXTensorElementDataType *out) {
    *out = info->type;
    return NULL;
}

static OrtStatus *ORT_API_CALL make_shape(OrtTensorTypeAndShapeInfo **out) {
    *out = make(sizeof **out);
    return NULL;
}

static void ORT_API_CALL release_shape(OrtTensorTypeAndShapeInfo *info) {
    drop(info);
}

static OrtStatus *ORT_API_CALL set_type(OrtTensorTypeAndShapeInfo *info, ONNXTensorElementDataType type) {
    info->type = type;
    return NULL;
}

static OrtStatus *ORT_API_CALL set_dims(OrtTensorTypeAndShapeInfo *info, const int64_t *dims, size_t n) {
    FUZZ_MUST(n <= OB_MAX_RANK, "rank %zu", n);
    info->rank = n;
    memcpy(info->dims, dims, n * sizeof *dims);
    return NULL;
}

static OrtStatus *ORT_API_CALL set_names(OrtTensorTypeAndShapeInfo *info, const char *names[], size_t n) {
    for (size_t i = 0; i < n; i++) snprintf(info->names[i], sizeof info->names[i], "%s", names[i]);
    return NULL;
}

/* ---- While a model is loaded ---- */

static OrtStatus *ORT_API_CALL infer_count(const OrtShapeInferContext *context, size_t *out) {
    *out = node_of(context)->n_inputs;
    return NULL;
}

static OrtStatus *ORT_API_CALL infer_input(const OrtShapeInferContext *context, size_t index, OrtTensorTypeAndShapeInfo **out) {
    FUZZ_MUST(index < node_of(context)->n_inputs, "input %zu", index);
    *out = (OrtTensorTypeAndShapeInfo *)(uintptr_t)&node_of(context)->declared[index];
    return NULL;
}

static OrtStatus *ORT_API_CALL infer_attribute(const OrtShapeInferContext *context, const char *name, const OrtOpAttr **out) {
    *out = attribute_of(node_of(context), name);
    return *out ? NULL : create_status(ORT_FAIL, "no such attribute");
}

static OrtStatus *ORT_API_CALL read_attribute(const OrtOpAttr *attribute, OrtOpAttrType type, void *data, size_t size,
                                              size_t *out) {
    FUZZ_MUST(type == ORT_OP_ATTR_INTS, "type %d", (int)type);
    *out = (size_t)attribute->n * sizeof(int64_t);
    if (size < *out) return create_status(ORT_INVALID_ARGUMENT, "too small");
    memcpy(data, attribute->ints, *out);
    return NULL;
}

static OrtStatus *ORT_API_CALL infer_output(const OrtShapeInferContext *context, size_t index,
                                            const OrtTensorTypeAndShapeInfo *info) {
    fake_node *node = (fake_node *)(uintptr_t)context;
    if (index >= node->n_outputs) return create_status(ORT_INVALID_ARGUMENT, "no such output");
    node->inferred[index] = *info;
    node->is_inferred[index] = true;
    return NULL;
}

/* ---- Running ---- */

size_t fake_count(const OrtTensorTypeAndShapeInfo *info) {
    size_t n = 1, whole = 1;
    for (size_t i = 0; i < info->rank; i++) {
        if (info->dims[i] < 0 || info->dims[i] > FAKE_BYTES) return SIZE_MAX;
        if (info->dims[i] > 0 && (whole *= (size_t)info->dims[i]) > FAKE_BYTES) return SIZE_MAX;
        n *= (size_t)info->dims[i];
    }
    return n;
}

size_t fake_bytes(const OrtTensorTypeAndShapeInfo *info) {
    size_t n = fake_count(info);
    if (n == SIZE_MAX || (int)info->type <= OB_NONE || (int)info->type >= OB_DTYPE_COUNT) return SIZE_MAX;
    if (info->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) return n <= FAKE_STRINGS ? 0 : SIZE_MAX;
    size_t bits = (size_t)ob_dtype_file_bits((ob_dtype)info->type), n_bytes = (n * bits + 7) / 8;
    return n_bytes <= FAKE_BYTES ? n_bytes : SIZE_MAX;
}

static OrtStatus *ORT_API_CALL get_input(const OrtKernelContext *context, size_t index, const OrtValue **out) {
    FUZZ_MUST(index < node_of(context)->n_inputs, "input %zu", index);
    *out = node_of(context)->inputs[index];
    return NULL;
}

static OrtStatus *ORT_API_CALL get_output(OrtKernelContext *context, size_t index, const int64_t *dims, size_t rank,
                                          OrtValue **out) {
    fake_node *node = (fake_node *)(uintptr_t)context;
    FUZZ_MUST(index < node->n_outputs && rank <= OB_MAX_RANK, "output %zu of rank %zu", index, rank);
    *out = NULL;
    if (node->unwanted[index]) return NULL;
    OrtValue *value = calloc(1, sizeof *value); /* the node's, which frees it */
    if (!value) abort();
    node->outputs[index] = value;
    value->info.type = node->inputs[index]->info.type;
    value->info.rank = rank;
    for (size_t i = 0; i < rank; i++) FUZZ_MUST(dims[i] >= 0, "size %lld", (long long)dims[i]);
    memcpy(value->info.dims, dims, rank * sizeof *dims);
    value->n_bytes = fake_bytes(&value->info);
    if (value->n_bytes == SIZE_MAX) return create_status(ORT_FAIL, "too large");
    *out = value;
    return NULL;
}

static OrtStatus *ORT_API_CALL value_shape(const OrtValue *value, OrtTensorTypeAndShapeInfo **out) {
    *out = make(sizeof **out);
    **out = value->info;
    return NULL;
}

static OrtStatus *ORT_API_CALL value_data(OrtValue *value, void **out) {
    *out = value->bytes;
    return NULL;
}

static OrtStatus *ORT_API_CALL strings_length(const OrtValue *value, size_t *out) {
    size_t n = fake_count(&value->info);
    *out = 0;
    for (size_t i = 0; i < n; i++) *out += value->lengths[i];
    return NULL;
}

static OrtStatus *ORT_API_CALL strings_content(const OrtValue *value, void *out, size_t n_bytes, size_t *offsets, size_t n) {
    size_t at = 0;
    FUZZ_MUST(n == fake_count(&value->info), "%zu strings", n);
    for (size_t i = 0; i < n; at += value->lengths[i++]) {
        offsets[i] = at;
        FUZZ_MUST(at + value->lengths[i] <= n_bytes, "%zu bytes", n_bytes);
        memcpy((char *)out + at, value->strings[i], value->lengths[i]);
    }
    return NULL;
}

static OrtStatus *ORT_API_CALL resized_string(OrtValue *value, size_t index, size_t n, char **out) {
    FUZZ_MUST(index < fake_count(&value->info) && n <= sizeof value->strings[0], "string %zu of %zu bytes", index, n);
    value->lengths[index] = n;
    *out = value->strings[index];
    return NULL;
}

static OrtStatus *ORT_API_CALL fill_strings(OrtValue *value, const char *const *texts, size_t n) {
    FUZZ_MUST(n == fake_count(&value->info), "%zu strings", n);
    for (size_t i = 0; i < n; i++) {
        char *out;
        resized_string(value, i, strlen(texts[i]), &out);
        memcpy(out, texts[i], strlen(texts[i]));
    }
    return NULL;
}

static OrtStatus *ORT_API_CALL parallel_for(const OrtKernelContext *context, void (*work)(void *, size_t), size_t n,
                                            size_t n_batch, void *data) {
    (void)context, (void)n_batch;
    for (size_t i = n; i-- > 0;) work(data, i); /* any order will do */
    return NULL;
}

const OrtApi *fake_ort(void) {
    static OrtApi api;
    api.CreateStatus = create_status;
    api.ReleaseStatus = release_status;
    api.KernelInfo_GetNodeName = node_name;
    api.KernelInfo_GetInputCount = input_count;
    api.KernelInfo_GetOutputCount = output_count;
    api.KernelInfo_GetInputTypeInfo = input_type;
    api.CastTypeInfoToTensorInfo = to_tensor;
    api.ReleaseTypeInfo = release_type;
    api.KernelInfoGetAttributeArray_int64 = attribute_ints;
    api.KernelInfoGetAttribute_string = attribute_string;
    api.GetDimensionsCount = get_rank;
    api.GetDimensions = get_dims;
    api.GetSymbolicDimensions = get_names;
    api.GetTensorElementType = get_type;
    api.CreateTensorTypeAndShapeInfo = make_shape;
    api.ReleaseTensorTypeAndShapeInfo = release_shape;
    api.SetTensorElementType = set_type;
    api.SetDimensions = set_dims;
    api.SetSymbolicDimensions = set_names;
    api.ShapeInferContext_GetInputCount = infer_count;
    api.ShapeInferContext_GetInputTypeShape = infer_input;
    api.ShapeInferContext_GetAttribute = infer_attribute;
    api.ReadOpAttr = read_attribute;
    api.ShapeInferContext_SetOutputTypeShape = infer_output;
    api.KernelContext_GetInput = get_input;
    api.KernelContext_GetOutput = get_output;
    api.GetTensorTypeAndShape = value_shape;
    api.GetTensorMutableData = value_data;
    api.GetStringTensorDataLength = strings_length;
    api.GetStringTensorContent = strings_content;
    api.GetResizedStringTensorElementBuffer = resized_string;
    api.FillStringTensor = fill_strings;
    api.KernelContext_ParallelFor = parallel_for;
    return &api;
}
