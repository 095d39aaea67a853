/* TensorProto -> ob_tensor: sizes are checked against the shape; data is borrowed if the file already has the memory form. */
#include <string.h>

#include "core/base/error.h"
#include "core/graph/tensor_data.h"
#include "proto/proto.h"

typedef struct tensor_reader {
    ob_arena *arena;
    const Onnx__TensorProto *message;
    const char *name; /* for messages */
    ob_tensor *tensor;
    bool keep_packed;
    ob_error *error;
} tensor_reader;

static ob_status read_dims(tensor_reader *reader, uint32_t max_rank) {
    const Onnx__TensorProto *message = reader->message;
    OB_FAIL_IF(message->n_dims > max_rank, reader->error, OB_E_LIMIT, "tensor \"%s\" has rank %zu, the limit is %u", reader->name,
               message->n_dims, max_rank);
    reader->tensor->rank = (int32_t)message->n_dims;
    reader->tensor->dims = message->dims;
    return ob__count_elems(message->dims, message->n_dims, reader->name, &reader->tensor->n_elems, reader->error);
}

static ob_status wrong_size(tensor_reader *reader, const char *field, uint64_t expected, uint64_t found, const char *unit) {
    char shape[96];
    ob__format_dims(shape, sizeof shape, reader->tensor->dims, reader->tensor->rank);
    return ob__fail(reader->error, OB_E_MODEL, "tensor \"%s\": %s %s needs %llu %s of %s, the file holds %llu", reader->name,
                    ob_dtype_name(reader->tensor->dtype), shape, (unsigned long long)expected, unit, field,
                    (unsigned long long)found);
}

static ob_status read_raw(tensor_reader *reader) {
    ob_tensor *tensor = reader->tensor;
    const ProtobufCBinaryData *raw = &reader->message->raw_data;
    OB_FAIL_IF(tensor->dtype == OB_STRING, reader->error, OB_E_MODEL, "tensor \"%s\": raw_data cannot hold strings",
               reader->name);
    uint64_t expected;
    if (!ob__file_bytes(tensor->dtype, tensor->n_elems, &expected) || expected != raw->len)
        return wrong_size(reader, "raw_data", expected, raw->len, "bytes");
    if (raw->len == 0) {
        tensor->data = "";
        return OB_OK;
    }
    bool packed = ob_dtype_file_bits(tensor->dtype) < 8;
    if (ob__raw_is_memory_form(tensor->dtype) || (packed && reader->keep_packed)) {
        tensor->data = raw->data;
        tensor->is_packed = packed;
        return OB_OK;
    }
    void *decoded = ob__arena_calloc(reader->arena, (size_t)tensor->n_elems, ob_dtype_size(tensor->dtype));
    if (!decoded) return ob__arena_failure(reader->arena, reader->error);
    ob__decode_raw(tensor->dtype, raw->data, tensor->n_elems, decoded);
    tensor->data = decoded;
    return OB_OK;
}

static ob_status read_strings(tensor_reader *reader) {
    const Onnx__TensorProto *message = reader->message;
    size_t n = message->n_string_data;
    if ((uint64_t)reader->tensor->n_elems != n)
        return wrong_size(reader, "string_data", (uint64_t)reader->tensor->n_elems, n, "entries");
    ob_string *strings = OB_ARENA_ARRAY(reader->arena, ob_string, n);
    if (!strings) return ob__arena_failure(reader->arena, reader->error);
    for (size_t i = 0; i < n; i++)
        strings[i] = (ob_string){(const char *)message->string_data[i].data, message->string_data[i].len};
    reader->tensor->data = strings;
    return OB_OK;
}

/* int32_data holds every narrow type, one number per element, or one byte of packed elements per number. */
static ob_status read_int32s(tensor_reader *reader) {
    ob_tensor *tensor = reader->tensor;
    const int32_t *numbers = reader->message->int32_data;
    size_t n_bytes_each = ob_dtype_size(tensor->dtype);
    char *decoded = ob__arena_calloc(reader->arena, (size_t)tensor->n_elems, n_bytes_each);
    if (!decoded) return ob__arena_failure(reader->arena, reader->error);
    int bits = ob_dtype_file_bits(tensor->dtype), per_number = bits < 8 ? 8 / bits : 1;
    for (int64_t i = 0; i < tensor->n_elems; i++) {
        uint32_t number = (uint32_t)numbers[i / per_number];
        if (bits < 8)
            decoded[i] = (char)ob__unpack_bits(tensor->dtype, (uint8_t)number, (int)(i % per_number));
        else if (n_bytes_each == 1)
            decoded[i] = (char)number;
        else
            memcpy(decoded + i * 2, &(uint16_t){(uint16_t)number}, 2);
    }
    tensor->data = decoded;
    return OB_OK;
}

/* The typed field that holds elements of this type: the number of its elements, and the number that the shape needs. */
static const void *typed_field(const Onnx__TensorProto *message, ob_dtype dtype, int64_t n_elems, const char **name,
                               uint64_t *found, uint64_t *expected) {
    *expected = (uint64_t)n_elems;
    switch (dtype) {
    case OB_COMPLEX64: *expected *= 2; /* fallthrough */
    case OB_FLOAT: *name = "float_data", *found = message->n_float_data; return message->float_data;
    case OB_COMPLEX128: *expected *= 2; /* fallthrough */
    case OB_DOUBLE: *name = "double_data", *found = message->n_double_data; return message->double_data;
    case OB_INT64: *name = "int64_data", *found = message->n_int64_data; return message->int64_data;
    case OB_UINT32:
    case OB_UINT64: *name = "uint64_data", *found = message->n_uint64_data; return message->uint64_data;
    default:
        if (ob_dtype_file_bits(dtype) < 8) ob__file_bytes(dtype, n_elems, expected);
        *name = "int32_data", *found = message->n_int32_data;
        return message->int32_data;
    }
}

static ob_status read_uint32s(tensor_reader *reader) {
    ob_tensor *tensor = reader->tensor;
    uint32_t *decoded = OB_ARENA_ARRAY(reader->arena, uint32_t, (size_t)tensor->n_elems);
    if (!decoded) return ob__arena_failure(reader->arena, reader->error);
    for (int64_t i = 0; i < tensor->n_elems; i++) decoded[i] = (uint32_t)reader->message->uint64_data[i];
    tensor->data = decoded;
    return OB_OK;
}

static ob_status read_typed(tensor_reader *reader) {
    ob_tensor *tensor = reader->tensor;
    if (tensor->dtype == OB_STRING) return read_strings(reader);
    const char *name;
    uint64_t found, expected;
    const void *numbers = typed_field(reader->message, tensor->dtype, tensor->n_elems, &name, &found, &expected);
    if (found != expected) return wrong_size(reader, name, expected, found, "entries");
    if (found == 0) {
        tensor->data = "";
        return OB_OK;
    }
    if (tensor->dtype == OB_UINT32) return read_uint32s(reader);
    if (strcmp(name, "int32_data") == 0 && tensor->dtype != OB_INT32) return read_int32s(reader);
    tensor->data = numbers;
    return OB_OK;
}

static ob_status read_external(tensor_reader *reader) {
    const Onnx__TensorProto *message = reader->message;
    ob_tensor *tensor = reader->tensor;
    ob_key_value *entries = OB_ARENA_ARRAY(reader->arena, ob_key_value, message->n_external_data);
    if (!entries) return ob__arena_failure(reader->arena, reader->error);
    for (size_t i = 0; i < message->n_external_data; i++)
        entries[i] = (ob_key_value){ob__str(message->external_data[i]->key), ob__str(message->external_data[i]->value)};
    tensor->is_external = true;
    tensor->external = entries;
    tensor->n_external = (uint32_t)message->n_external_data;
    return OB_OK;
}

static ob_status read_any(ob_arena *arena, const Onnx__TensorProto *message, uint32_t max_rank, const char *what,
                          bool keep_packed, ob_tensor **out, ob_error *error) {
    ob_tensor *tensor = OB_ARENA_NEW(arena, ob_tensor);
    if (!tensor) return ob__arena_failure(arena, error);
    tensor->name = ob__str(message->name);
    tensor->doc = ob__str(message->doc_string);
    tensor->origin = message;
    tensor->dtype = ob__read_dtype(message->data_type);
    tensor_reader reader = {arena, message, tensor->name[0] ? tensor->name : what, tensor, keep_packed, error};
    OB_TRY(read_dims(&reader, max_rank));
    size_t n_bytes; /* also for external data, so that no later code must test it */
    OB_FAIL_IF(!ob__memory_bytes(tensor->dtype, tensor->n_elems, &n_bytes) || n_bytes > PTRDIFF_MAX, error, OB_E_MODEL,
               "tensor \"%s\": its sizes need more bytes than memory can have", reader.name);
    int location = message->has_data_location ? (int)message->data_location : ONNX__TENSOR_PROTO__DATA_LOCATION__DEFAULT;
    if (location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        OB_TRY(read_external(&reader));
    else if (tensor->dtype != OB_NONE && !message->segment && location == ONNX__TENSOR_PROTO__DATA_LOCATION__DEFAULT)
        OB_TRY(message->has_raw_data && (message->raw_data.len > 0 || tensor->n_elems == 0) ? read_raw(&reader)
                                                                                            : read_typed(&reader));
    *out = tensor;
    return OB_OK;
}

ob_status ob__read_tensor(ob_arena *arena, const Onnx__TensorProto *message, uint32_t max_rank, const char *what, ob_tensor **out,
                          ob_error *error) {
    return read_any(arena, message, max_rank, what, false, out, error);
}

ob_status ob__read_initializer(ob_arena *arena, const Onnx__TensorProto *message, uint32_t max_rank, ob_tensor **out,
                               ob_error *error) {
    return read_any(arena, message, max_rank, "(unnamed)", true, out, error);
}
