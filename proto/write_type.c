/* Types and shapes of the graph as messages. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "proto/writer.h"

void *ob__copy_message(ob_proto_writer *writer, const ProtobufCMessageDescriptor *type, const void *origin) {
    void *copy = ob__arena_alloc(&writer->arena, type->sizeof_message);
    if (!copy) return NULL;
    if (origin)
        memcpy(copy, origin, type->sizeof_message);
    else
        protobuf_c_message_init(type, copy);
    return copy;
}
static ob_status out_of_memory(ob_proto_writer *writer) {
    return ob__arena_failure(&writer->arena, writer->error);
}

/* Messages hold char *, the graph const char *; nothing is written through either. */
static char *mutable_text(const char *text) {
    return (char *)(uintptr_t)text;
}

static bool same_dtype(int32_t number, ob_dtype dtype) {
    return ob__read_dtype(number) == dtype;
}

/* The name of a named symbol as the file had it (ob_dim_format quotes odd ones), or NULL. */
static const char *symbol_name(const ob_dims *pool, ob_dim dim) {
    const ob_term *term = ob__term(pool, dim);
    return term ? term->name : NULL;
}

static bool same_dim(const ob_dims *pool, const Onnx__TensorShapeProto__Dimension *message, ob_dim dim) {
    switch (message->value_case) {
    case ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE:
        return message->dim_value < 0 ? dim == OB_DIM_UNKNOWN : dim == message->dim_value;
    case ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM: {
        const char *name = symbol_name(pool, dim);
        return name ? strcmp(name, ob__str(message->dim_param)) == 0
                    : dim == OB_DIM_UNKNOWN && ob__str(message->dim_param)[0] == '\0';
    }
    default: return dim == OB_DIM_UNKNOWN;
    }
}

static bool same_shape(const ob_dims *pool, const Onnx__TensorShapeProto *message, const ob_shape *shape) {
    if (!message) return shape->rank == OB_RANK_UNKNOWN;
    if (shape->rank < 0 || message->n_dim != (size_t)shape->rank) return false;
    for (size_t i = 0; i < message->n_dim; i++)
        if (!same_dim(pool, message->dim[i], shape->dims[i])) return false;
    return true;
}

bool ob__same_type(const ob_dims *pool, const Onnx__TypeProto *message, const ob_type *type) {
    if (!message) return type->kind == OB_TYPE_UNKNOWN;
    switch (message->value_case) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
        return type->kind == OB_TYPE_TENSOR && same_dtype(message->tensor_type->elem_type, type->dtype) &&
               same_shape(pool, message->tensor_type->shape, &type->shape);
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
        return type->kind == OB_TYPE_SPARSE_TENSOR && same_dtype(message->sparse_tensor_type->elem_type, type->dtype) &&
               same_shape(pool, message->sparse_tensor_type->shape, &type->shape);
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
        return type->kind == OB_TYPE_SEQUENCE && ob__same_type(pool, message->sequence_type->elem_type, type->element);
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
        return type->kind == OB_TYPE_OPTIONAL && ob__same_type(pool, message->optional_type->elem_type, type->element);
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
        return type->kind == OB_TYPE_MAP && same_dtype(message->map_type->key_type, type->dtype) &&
               ob__same_type(pool, message->map_type->value_type, type->element);
    default: return type->kind == OB_TYPE_UNKNOWN;
    }
}

/* Names longer than this are not repeated where the file did not: the size stays open there. */
enum { MANY_BYTES = 4096 };

static ob_status write_dim(ob_proto_writer *writer, ob_dim dim, Onnx__TensorShapeProto__Dimension **out) {
    Onnx__TensorShapeProto__Dimension *message = OB_COPY_MESSAGE(writer, onnx__tensor_shape_proto__dimension__descriptor, NULL);
    if (!message) return out_of_memory(writer);
    *out = message;
    if (ob_dim_is_const(dim) && dim >= 0) {
        message->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        message->dim_value = dim;
    } else if (symbol_name(writer->dims, dim)) {
        if (!memchr(symbol_name(writer->dims, dim), '\0', MANY_BYTES + 1)) return OB_OK;
        message->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        message->dim_param = mutable_text(symbol_name(writer->dims, dim));
    } else if (ob_dim_is_term(dim) && !ob_dim_is_anonymous(writer->dims, dim)) {
        size_t n = ob_dim_format(writer->dims, dim, NULL, 0);
        if (n > MANY_BYTES) return OB_OK;
        char *text = ob__arena_alloc(&writer->arena, n + 1);
        if (!text) return out_of_memory(writer);
        ob_dim_format(writer->dims, dim, text, n + 1);
        message->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        message->dim_param = text;
    }
    return OB_OK;
}

static ob_status write_shape(ob_proto_writer *writer, const ob_shape *shape, Onnx__TensorShapeProto **out) {
    *out = NULL;
    if (shape->rank < 0) return OB_OK;
    Onnx__TensorShapeProto *message = OB_COPY_MESSAGE(writer, onnx__tensor_shape_proto__descriptor, NULL);
    if (!message) return out_of_memory(writer);
    message->dim = OB_ARENA_ARRAY(&writer->arena, Onnx__TensorShapeProto__Dimension *, (size_t)shape->rank);
    if (!message->dim) return out_of_memory(writer);
    for (; message->n_dim < (size_t)shape->rank; message->n_dim++)
        OB_TRY(write_dim(writer, shape->dims[message->n_dim], &message->dim[message->n_dim]));
    *out = message;
    return OB_OK;
}

static ob_status write_tensor_type(ob_proto_writer *writer, const ob_type *type, Onnx__TypeProto *out) {
    Onnx__TypeProto__Tensor *inner = OB_COPY_MESSAGE(writer, onnx__type_proto__tensor__descriptor, NULL);
    if (!inner) return out_of_memory(writer);
    inner->has_elem_type = 1;
    inner->elem_type = (int32_t)type->dtype;
    out->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    out->tensor_type = inner;
    return write_shape(writer, &type->shape, &inner->shape);
}

static ob_status write_sparse_type(ob_proto_writer *writer, const ob_type *type, Onnx__TypeProto *out) {
    Onnx__TypeProto__SparseTensor *inner = OB_COPY_MESSAGE(writer, onnx__type_proto__sparse_tensor__descriptor, NULL);
    if (!inner) return out_of_memory(writer);
    inner->has_elem_type = 1;
    inner->elem_type = (int32_t)type->dtype;
    out->value_case = ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE;
    out->sparse_tensor_type = inner;
    return write_shape(writer, &type->shape, &inner->shape);
}

/* Types nest as deep as the loader or the text parser allowed. */
ob_status ob__write_type(ob_proto_writer *writer, const ob_type *type, Onnx__TypeProto **out) {
    *out = NULL;
    if (!type || type->kind == OB_TYPE_UNKNOWN) return OB_OK;
    Onnx__TypeProto *message = OB_COPY_MESSAGE(writer, onnx__type_proto__descriptor, NULL);
    if (!message) return out_of_memory(writer);
    *out = message;
    switch (type->kind) {
    case OB_TYPE_TENSOR: return write_tensor_type(writer, type, message);
    case OB_TYPE_SPARSE_TENSOR: return write_sparse_type(writer, type, message);
    case OB_TYPE_SEQUENCE:
        message->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
        message->sequence_type = OB_COPY_MESSAGE(writer, onnx__type_proto__sequence__descriptor, NULL);
        if (!message->sequence_type) return out_of_memory(writer);
        return ob__write_type(writer, type->element, &message->sequence_type->elem_type);
    case OB_TYPE_OPTIONAL:
        message->value_case = ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
        message->optional_type = OB_COPY_MESSAGE(writer, onnx__type_proto__optional__descriptor, NULL);
        if (!message->optional_type) return out_of_memory(writer);
        return ob__write_type(writer, type->element, &message->optional_type->elem_type);
    default:
        message->value_case = ONNX__TYPE_PROTO__VALUE_MAP_TYPE;
        message->map_type = OB_COPY_MESSAGE(writer, onnx__type_proto__map__descriptor, NULL);
        if (!message->map_type) return out_of_memory(writer);
        message->map_type->has_key_type = 1;
        message->map_type->key_type = (int32_t)type->dtype;
        return ob__write_type(writer, type->element, &message->map_type->value_type);
    }
}
