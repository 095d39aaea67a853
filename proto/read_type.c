/* TypeProto -> ob_type. */
#include "core/base/error.h"
#include "proto/proto.h"

static ob_status out_of_memory(const ob_reader *reader) {
    return ob__arena_failure(&reader->model->arena, reader->error);
}

ob_dtype ob__read_dtype(int32_t number) {
    return number > 0 && number < OB_DTYPE_COUNT ? (ob_dtype)number : OB_NONE;
}

static ob_status read_shape(ob_reader *reader, const Onnx__TensorShapeProto *message, const char *name, ob_shape *out) {
    *out = (ob_shape){OB_RANK_UNKNOWN, NULL};
    if (!message) return OB_OK;
    OB_FAIL_IF(message->n_dim > reader->limits.max_rank, reader->error, OB_E_LIMIT,
               "the declared shape of \"%s\" has rank %zu, the limit is %u", name, message->n_dim, reader->limits.max_rank);
    ob_dim *dims = OB_ARENA_ARRAY(&reader->model->arena, ob_dim, message->n_dim);
    if (!dims) return out_of_memory(reader);
    for (size_t i = 0; i < message->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *dim = message->dim[i];
        dims[i] = OB_DIM_UNKNOWN;
        if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
            dims[i] = ob_dim_symbol(reader->model->dims, ob__str(dim->dim_param));
        if (dim->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE) continue;
        OB_FAIL_IF(dim->dim_value < -1, reader->error, OB_E_MODEL, "the declared size of axis %zu of \"%s\" is %lld", i, name,
                   (long long)dim->dim_value);
        OB_FAIL_IF(dim->dim_value > OB_DIM_CONST_MAX, reader->error, OB_E_MODEL,
                   "the declared size of axis %zu of \"%s\" is %lld, far beyond any memory", i, name, (long long)dim->dim_value);
        if (dim->dim_value >= 0) dims[i] = dim->dim_value; /* exporters write -1 for "unknown" */
    }
    *out = (ob_shape){(int32_t)message->n_dim, dims};
    return OB_OK;
}

static ob_status read_element(ob_reader *reader, const Onnx__TypeProto *message, const char *name, const ob_type **out) {
    ob_type *element = OB_ARENA_NEW(&reader->model->arena, ob_type);
    if (!element) return out_of_memory(reader);
    *out = element;
    return ob__read_type(reader, message, name, element);
}

ob_status ob__read_type(ob_reader *reader, const Onnx__TypeProto *message, const char *name, ob_type *out) {
    *out = (ob_type){.shape.rank = OB_RANK_UNKNOWN};
    if (!message) return OB_OK;
    switch (message->value_case) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
        out->kind = OB_TYPE_TENSOR;
        out->dtype = ob__read_dtype(message->tensor_type->elem_type);
        return read_shape(reader, message->tensor_type->shape, name, &out->shape);
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
        out->kind = OB_TYPE_SPARSE_TENSOR;
        out->dtype = ob__read_dtype(message->sparse_tensor_type->elem_type);
        return read_shape(reader, message->sparse_tensor_type->shape, name, &out->shape);
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
        out->kind = OB_TYPE_SEQUENCE;
        return read_element(reader, message->sequence_type->elem_type, name, &out->element);
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
        out->kind = OB_TYPE_OPTIONAL;
        return read_element(reader, message->optional_type->elem_type, name, &out->element);
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
        out->kind = OB_TYPE_MAP;
        out->dtype = ob__read_dtype(message->map_type->key_type);
        return read_element(reader, message->map_type->value_type, name, &out->element);
    default: return OB_OK;
    }
}
