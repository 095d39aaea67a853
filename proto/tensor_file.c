/* TensorProto files. */
#include "proto/tensor_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "proto/file.h"
#include "proto/proto.h"

struct ob_file_tensor_owner *ob__file_tensor_owner(const ob_allocator *allocator) {
    ob_arena arena;
    ob__arena_init(&arena, allocator);
    struct ob_file_tensor_owner *owner = OB_ARENA_NEW(&arena, struct ob_file_tensor_owner);
    if (owner) owner->arena = arena;
    return owner;
}

void ob__file_tensor_owner_free(struct ob_file_tensor_owner *owner) {
    if (!owner) return;
    ob_arena arena = owner->arena; /* the struct is freed with the arena */
    ob__arena_release(&arena);
}

void ob_file_tensor_release(ob_file_tensor *tensor) {
    if (!tensor) return;
    ob__file_tensor_owner_free(tensor->owner);
    memset(tensor, 0, sizeof *tensor);
}

/* ---- Reading ---- */

/* A copy that outlives the file's bytes. */
static ob_status copy_elements(ob_arena *arena, const ob_tensor *tensor, void **out, ob_error *error) {
    size_t n_bytes;
    OB_FAIL_IF(!ob__memory_bytes(tensor->dtype, tensor->n_elems, &n_bytes), error, OB_E_LIMIT, "the tensor is too large");
    void *copy = ob__arena_alloc(arena, n_bytes);
    if (!copy) return ob__arena_failure(arena, error);
    if (n_bytes) memcpy(copy, tensor->data, n_bytes);
    *out = copy;
    return OB_OK;
}

ob_status ob__read_whole_tensor(ob_arena *arena, const Onnx__TensorProto *message, const char *path, ob_tensor **out,
                                ob_error *error) {
    OB_TRY(ob__read_tensor(arena, message, OB_MAX_RANK, path, out, error));
    const ob_tensor *tensor = *out;
    OB_FAIL_IF(tensor->dtype == OB_NONE, error, OB_E_UNSUPPORTED, "\"%s\": element type %d is not known", path,
               message->data_type);
    OB_FAIL_IF(tensor->is_external, error, OB_E_UNSUPPORTED, "\"%s\": its data is external", path);
    OB_FAIL_IF(!tensor->data, error, OB_E_UNSUPPORTED, "\"%s\" holds a segment of a tensor", path);
    return OB_OK;
}

ob_status ob__tensor_from_proto(ob_file_tensor *out, const ob_source *source, const char *path, ob_error *error) {
    ob_arena *arena = &out->owner->arena;
    ob_load_limits limits = ob__load_limits(NULL);
    ProtobufCMessage *message = NULL;
    OB_TRY(ob__refuse_foreign(source->bytes, source->n_bytes, OB_WANTED_MESSAGE, "not a tensor", error));
    OB_TRY(ob__wire_unpack(&onnx__tensor_proto__descriptor, source->bytes, source->n_bytes, &limits, arena, &message, error));
    ob_tensor *tensor = NULL;
    OB_TRY(ob__read_whole_tensor(arena, (Onnx__TensorProto *)message, path, &tensor, error));
    void *elements = NULL;
    OB_TRY(copy_elements(arena, tensor, &elements, error));
    out->name = tensor->name;
    ob_status status = ob_view_init(&out->view, elements, tensor->dtype, tensor->rank, tensor->dims);
    return status == OB_OK ? OB_OK : ob__fail(error, status, "\"%s\": the tensor is too large", path);
}

ob_status ob__read_tensor_source(const ob_source *source, const char *path, const ob_allocator *allocator, ob_tensor_fill fill,
                                 ob_file_tensor *out, ob_error *error) {
    OB_FAIL_IF(source->n_bytes == 0, error, OB_E_FORMAT, "\"%s\" is empty: not a tensor", path);
    ob_file_tensor tensor = {.owner = ob__file_tensor_owner(allocator)};
    ob_status status =
        tensor.owner ? fill(&tensor, source, path, error) : ob__fail(error, OB_E_MEMORY, "out of memory for \"%s\"", path);
    if (status == OB_OK)
        *out = tensor;
    else
        ob__file_tensor_owner_free(tensor.owner);
    return status;
}

ob_status ob__read_tensor_file(const char *path, const ob_allocator *allocator, ob_tensor_fill fill, ob_file_tensor *out,
                               ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!path || !out, error, OB_E_ARGUMENT, "path and out must not be NULL");
    ob_source source;
    OB_TRY(ob__source_open(path, allocator, UINT64_MAX, &source, error));
    ob_status status = ob__read_tensor_source(&source, path, allocator, fill, out, error);
    ob__source_release(&source);
    return status;
}

ob_status ob_tensor_file_read(const char *path, const ob_allocator *allocator, ob_file_tensor *out, ob_error *error) {
    return ob__read_tensor_file(path, allocator, ob__tensor_from_proto, out, error);
}

/* ---- Writing ---- */

ob_status ob__check_view(const ob_view *view, ob_error *error) {
    OB_FAIL_IF(!view || ob_dtype_size(view->dtype) == 0 || view->rank < 0 || view->rank > OB_MAX_RANK, error, OB_E_ARGUMENT,
               "not a tensor view");
    int64_t n;
    size_t n_bytes;
    OB_TRY(ob__count_elems(view->dims, (size_t)view->rank, "(view)", &n, error));
    OB_FAIL_IF(!ob__memory_bytes(view->dtype, n, &n_bytes), error, OB_E_LIMIT, "the tensor is too large");
    OB_FAIL_IF(!view->data && n > 0, error, OB_E_ARGUMENT, "the view has elements but no data");
    return OB_OK;
}

ob_status ob__gather(const ob_view *view, const void **out, void **owned, size_t *n_bytes, ob_error *error) {
    *owned = NULL;
    size_t n_each = ob_dtype_size(view->dtype);
    int64_t n = ob_view_count(view);
    *n_bytes = (size_t)n * n_each;
    *out = view->data ? view->data : "";
    if (n == 0 || ob_view_is_contiguous(view)) return OB_OK;
    char *copy = malloc(*n_bytes);
    OB_FAIL_IF(!copy, error, OB_E_MEMORY, "out of memory for %zu bytes", *n_bytes);
    int64_t index[OB_MAX_RANK] = {0};
    const char *element = view->data;
    for (int64_t i = 0; i < n; i++) {
        memcpy(copy + (size_t)i * n_each, element, n_each);
        for (int32_t axis = view->rank - 1; axis >= 0; axis--) {
            element += view->strides[axis];
            if (++index[axis] < view->dims[axis]) break;
            element -= view->strides[axis] * view->dims[axis];
            index[axis] = 0;
        }
    }
    *out = *owned = copy;
    return OB_OK;
}

typedef struct pack_sink {
    ProtobufCBuffer base;
    ob_write_sink sink;
    void *context;
    ob_status status;
} pack_sink;

static void append(ProtobufCBuffer *buffer, size_t n, const uint8_t *bytes) {
    pack_sink *sink = (pack_sink *)buffer;
    if (sink->status == OB_OK) sink->status = sink->sink(sink->context, bytes, n);
}

static ob_status produce_message(void *context, ob_write_sink sink, void *sink_context, ob_error *error) {
    pack_sink buffer = {{append}, sink, sink_context, OB_OK};
    protobuf_c_message_pack_to_buffer(context, &buffer.base);
    if (buffer.status != OB_OK) ob__fail(error, buffer.status, "the file cannot be written");
    return buffer.status;
}

ob_status ob__save_message(const char *path, const ProtobufCMessage *message, ob_error *error) {
    return ob_file_save(path, produce_message, (void *)(uintptr_t)message, error);
}

static ob_status string_elements(Onnx__TensorProto *message, const ob_string *strings, int64_t n, ob_arena *arena,
                                 ob_error *error) {
    message->string_data = OB_ARENA_ARRAY(arena, ProtobufCBinaryData, (size_t)n);
    OB_FAIL_IF(!message->string_data, error, OB_E_MEMORY, "out of memory for %lld strings", (long long)n);
    message->n_string_data = (size_t)n;
    for (int64_t i = 0; i < n; i++)
        message->string_data[i] = (ProtobufCBinaryData){strings[i].n, (uint8_t *)(uintptr_t)strings[i].data};
    return OB_OK;
}

ob_status ob__tensor_message(Onnx__TensorProto *message, const char *name, const ob_view *view, ob_arena *arena,
                             ob_error *error) {
    int64_t n = ob_view_count(view);
    uint64_t n_bytes;
    const void *elements = view->data ? view->data : "";
    onnx__tensor_proto__init(message);
    message->n_dims = (size_t)view->rank;
    message->dims = (int64_t *)(uintptr_t)view->dims;
    message->has_data_type = 1;
    message->data_type = (int32_t)view->dtype;
    message->name = name && name[0] ? (char *)(uintptr_t)name : NULL;
    if (view->dtype == OB_STRING) return string_elements(message, elements, n, arena, error);
    message->has_raw_data = 1;
    if (!ob__file_bytes(view->dtype, n, &n_bytes)) return ob__fail(error, OB_E_LIMIT, "the tensor is too large");
    if (!ob__raw_is_memory_form(view->dtype)) {
        void *packed = ob__arena_alloc(arena, (size_t)n_bytes);
        OB_FAIL_IF(!packed, error, OB_E_MEMORY, "out of memory for %llu bytes", (unsigned long long)n_bytes);
        ob__encode_raw(view->dtype, elements, n, packed);
        elements = packed;
    }
    message->raw_data = (ProtobufCBinaryData){(size_t)n_bytes, (uint8_t *)(uintptr_t)elements};
    return OB_OK;
}

ob_status ob_tensor_file_write(const char *path, const char *name, const ob_view *view, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!path, error, OB_E_ARGUMENT, "path must not be NULL");
    OB_TRY(ob__check_view(view, error));
    ob_view gathered = *view;
    const void *elements;
    void *owned;
    size_t n_bytes;
    OB_TRY(ob__gather(view, &elements, &owned, &n_bytes, error));
    gathered.data = (void *)(uintptr_t)elements;
    ob_arena arena;
    Onnx__TensorProto message;
    ob__arena_init(&arena, NULL);
    ob_status status = ob__tensor_message(&message, name, &gathered, &arena, error);
    if (status == OB_OK) status = ob__save_message(path, &message.base, error);
    ob__arena_release(&arena);
    free(owned);
    return status;
}
