/* The text reader: types and tensor constants. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/base/list.h"
#include "proto/text_parser.h"

void *ob__text_message(ob_text_parser *parser, const ProtobufCMessageDescriptor *type) {
    void *message = ob__arena_alloc(parser->scan.arena, type->sizeof_message);
    if (message) protobuf_c_message_init(type, message);
    return message;
}

void *ob__text_push(ob_text_parser *parser, void *list, size_t *n, size_t n_bytes_each) {
    char *elements; /* the list is some T **: moved as bytes, not through a pointer of another type */
    memcpy(&elements, list, sizeof elements);
    elements = ob__list_for_entry(parser->scan.arena, elements, *n, n_bytes_each);
    if (!elements) return NULL;
    memcpy(list, &elements, sizeof elements);
    return elements + (*n)++ * n_bytes_each;
}

static ob_status out_of_memory(ob_text_parser *parser) {
    return ob__scan_out_of_memory(&parser->scan);
}

/* ---- Types ---- */

bool ob__text_take_dtype(ob_text_parser *parser, int32_t *number) {
    const char *start;
    size_t n = ob__scan_peek_identifier(&parser->scan, &start);
    for (int i = 0; i < OB_DTYPE_COUNT; i++) {
        const char *name = ob_dtype_name((ob_dtype)i);
        if (strlen(name) != n || memcmp(name, start, n) != 0) continue;
        *number = i;
        parser->scan.p += n;
        return true;
    }
    return false;
}

bool ob__text_next_is_type(ob_text_parser *parser) {
    const char *here = parser->scan.p;
    int32_t number;
    if (ob__text_take_dtype(parser, &number)) {
        parser->scan.p = here;
        return true;
    }
    static const char *const words[] = {"seq", "map", "optional", "sparse_tensor"};
    for (int i = 0; i < 4; i++) {
        if (!ob__scan_next_is(&parser->scan, words[i])) continue;
        /* A value may be called seq: only a parenthesis makes it a type. */
        ob_scanner rest = parser->scan;
        rest.p += strlen(words[i]);
        return ob__scan_peek(&rest) == '(';
    }
    return false;
}

static ob_status read_dim(ob_text_parser *parser, Onnx__TensorShapeProto *shape) {
    Onnx__TensorShapeProto__Dimension **slot = ob__text_push(parser, &shape->dim, &shape->n_dim, sizeof *slot);
    if (!slot || !(*slot = OB_TEXT_MESSAGE(parser, onnx__tensor_shape_proto__dimension__descriptor)))
        return out_of_memory(parser);
    if (ob__scan_take(&parser->scan, '?')) return OB_OK;
    char *name;
    OB_TRY(ob__scan_optional_name(&parser->scan, &name));
    if (name) {
        (*slot)->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        (*slot)->dim_param = name;
        return OB_OK;
    }
    (*slot)->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    return ob__scan_int64(&parser->scan, &(*slot)->dim_value);
}

/* Nothing: rank 0. []: unknown rank. [dims]: these. */
static ob_status read_shape(ob_text_parser *parser, Onnx__TensorShapeProto **out) {
    *out = NULL;
    bool bracket = ob__scan_take(&parser->scan, '[');
    if (bracket && ob__scan_take(&parser->scan, ']')) return OB_OK;
    if (!(*out = OB_TEXT_MESSAGE(parser, onnx__tensor_shape_proto__descriptor))) return out_of_memory(parser);
    if (!bracket) return OB_OK;
    do OB_TRY(read_dim(parser, *out));
    while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, ']');
}

static ob_status read_tensor_type(ob_text_parser *parser, int32_t dtype, Onnx__TypeProto *type) {
    Onnx__TypeProto__Tensor *tensor = OB_TEXT_MESSAGE(parser, onnx__type_proto__tensor__descriptor);
    if (!tensor) return out_of_memory(parser);
    tensor->has_elem_type = 1;
    tensor->elem_type = dtype;
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    return read_shape(parser, &tensor->shape);
}

static ob_status read_sparse_type(ob_text_parser *parser, Onnx__TypeProto *type) {
    Onnx__TypeProto__SparseTensor *sparse = OB_TEXT_MESSAGE(parser, onnx__type_proto__sparse_tensor__descriptor);
    if (!sparse) return out_of_memory(parser);
    type->value_case = ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE;
    type->sparse_tensor_type = sparse;
    sparse->has_elem_type = 1;
    if (!ob__text_take_dtype(parser, &sparse->elem_type)) return ob__scan_expected(&parser->scan, "an element type");
    return read_shape(parser, &sparse->shape);
}

static ob_status read_map_type(ob_text_parser *parser, Onnx__TypeProto *type) {
    Onnx__TypeProto__Map *map = OB_TEXT_MESSAGE(parser, onnx__type_proto__map__descriptor);
    if (!map) return out_of_memory(parser);
    type->value_case = ONNX__TYPE_PROTO__VALUE_MAP_TYPE;
    type->map_type = map;
    map->has_key_type = 1;
    if (!ob__text_take_dtype(parser, &map->key_type)) return ob__scan_expected(&parser->scan, "a key type");
    OB_TRY(ob__scan_expect(&parser->scan, ','));
    return ob__text_type(parser, &map->value_type);
}

static ob_status read_compound_type(ob_text_parser *parser, const char *word, Onnx__TypeProto *type) {
    OB_TRY(ob__scan_expect(&parser->scan, '('));
    if (strcmp(word, "seq") == 0) {
        type->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
        type->sequence_type = OB_TEXT_MESSAGE(parser, onnx__type_proto__sequence__descriptor);
        if (!type->sequence_type) return out_of_memory(parser);
        OB_TRY(ob__text_type(parser, &type->sequence_type->elem_type));
    } else if (strcmp(word, "optional") == 0) {
        type->value_case = ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
        type->optional_type = OB_TEXT_MESSAGE(parser, onnx__type_proto__optional__descriptor);
        if (!type->optional_type) return out_of_memory(parser);
        OB_TRY(ob__text_type(parser, &type->optional_type->elem_type));
    } else if (strcmp(word, "map") == 0) {
        OB_TRY(read_map_type(parser, type));
    } else {
        OB_TRY(read_sparse_type(parser, type));
    }
    return ob__scan_expect(&parser->scan, ')');
}

ob_status ob__text_type(ob_text_parser *parser, Onnx__TypeProto **out) {
    if (parser->depth >= parser->limits.max_depth)
        return ob__fail(parser->scan.error, OB_E_LIMIT, "types nested deeper than the limit of %u", parser->limits.max_depth);
    Onnx__TypeProto *type = OB_TEXT_MESSAGE(parser, onnx__type_proto__descriptor);
    if (!type) return out_of_memory(parser);
    *out = type;
    int32_t dtype;
    if (ob__text_take_dtype(parser, &dtype)) return read_tensor_type(parser, dtype, type);
    if (!ob__text_next_is_type(parser)) return ob__scan_expected(&parser->scan, "a type");
    char *word;
    OB_TRY(ob__scan_identifier(&parser->scan, "a type", &word));
    parser->depth++;
    ob_status status = read_compound_type(parser, word, type);
    parser->depth--;
    return status;
}

/* ---- Tensor constants ---- */

ob_status ob__text_key_values(ob_text_parser *parser, Onnx__StringStringEntryProto ***list, size_t *n) {
    OB_TRY(ob__scan_expect(&parser->scan, '['));
    if (ob__scan_take(&parser->scan, ']')) return OB_OK;
    do {
        Onnx__StringStringEntryProto **slot = ob__text_push(parser, list, n, sizeof *slot);
        if (!slot || !(*slot = OB_TEXT_MESSAGE(parser, onnx__string_string_entry_proto__descriptor)))
            return out_of_memory(parser);
        OB_TRY(ob__scan_name(&parser->scan, "a key", &(*slot)->key));
        OB_TRY(ob__scan_expect(&parser->scan, ':'));
        OB_TRY(ob__scan_name(&parser->scan, "a value", &(*slot)->value));
    } while (ob__scan_take(&parser->scan, ','));
    return ob__scan_expect(&parser->scan, ']');
}

/* The range of int32_data's entries for a type: bit patterns for the narrow floats. */
static void int32_range(ob_dtype dtype, int64_t *lowest, int64_t *highest) {
    int bits = ob_dtype_file_bits(dtype);
    bool is_signed = dtype == OB_INT8 || dtype == OB_INT16 || dtype == OB_INT32 || dtype == OB_INT4 || dtype == OB_INT2;
    *lowest = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    *highest = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
}

static ob_status read_int32(ob_text_parser *parser, ob_dtype dtype, Onnx__TensorProto *out) {
    int64_t value, lowest, highest;
    const char *at = (ob__scan_peek(&parser->scan), parser->scan.p);
    OB_TRY(ob__scan_int64(&parser->scan, &value));
    int32_range(dtype, &lowest, &highest);
    if (value < lowest || value > highest)
        return ob__scan_fail(&parser->scan, at, "%lld does not fit %s", (long long)value, ob_dtype_name(dtype));
    int32_t *slot = ob__text_push(parser, &out->int32_data, &out->n_int32_data, sizeof *slot);
    if (!slot) return out_of_memory(parser);
    *slot = (int32_t)value;
    return OB_OK;
}

static ob_status read_uint64(ob_text_parser *parser, ob_dtype dtype, Onnx__TensorProto *out) {
    const char *at = (ob__scan_peek(&parser->scan), parser->scan.p);
    uint64_t *slot = ob__text_push(parser, &out->uint64_data, &out->n_uint64_data, sizeof *slot);
    if (!slot) return out_of_memory(parser);
    OB_TRY(ob__scan_uint64(&parser->scan, slot));
    if (dtype == OB_UINT32 && *slot > UINT32_MAX)
        return ob__scan_fail(&parser->scan, at, "%llu does not fit uint32", (unsigned long long)*slot);
    return OB_OK;
}

static ob_status read_element(ob_text_parser *parser, ob_dtype dtype, Onnx__TensorProto *out) {
    switch (dtype) {
    case OB_FLOAT:
    case OB_COMPLEX64: {
        float *slot = ob__text_push(parser, &out->float_data, &out->n_float_data, sizeof *slot);
        return slot ? ob__scan_float(&parser->scan, slot) : out_of_memory(parser);
    }
    case OB_DOUBLE:
    case OB_COMPLEX128: {
        double *slot = ob__text_push(parser, &out->double_data, &out->n_double_data, sizeof *slot);
        return slot ? ob__scan_double(&parser->scan, slot) : out_of_memory(parser);
    }
    case OB_INT64: {
        int64_t *slot = ob__text_push(parser, &out->int64_data, &out->n_int64_data, sizeof *slot);
        return slot ? ob__scan_int64(&parser->scan, slot) : out_of_memory(parser);
    }
    case OB_UINT32:
    case OB_UINT64: return read_uint64(parser, dtype, out);
    case OB_STRING: {
        ProtobufCBinaryData *slot = ob__text_push(parser, &out->string_data, &out->n_string_data, sizeof *slot);
        return slot ? ob__scan_string(&parser->scan, (char **)&slot->data, &slot->len) : out_of_memory(parser);
    }
    default: return read_int32(parser, dtype, out);
    }
}

/* Elements narrower than a byte were read one per number; the message holds bytes of them. */
static ob_status pack_narrow(ob_text_parser *parser, ob_dtype dtype, Onnx__TensorProto *out) {
    int bits = ob_dtype_file_bits(dtype);
    if (bits == 0 || bits >= 8) return OB_OK;
    size_t n = out->n_int32_data, per_byte = (size_t)(8 / bits), n_bytes = (size_t)ob__ceil_div_u64(n, per_byte);
    uint8_t *raw = ob__arena_calloc(parser->scan.arena, n_bytes, 1);
    if (!raw) return out_of_memory(parser);
    for (size_t i = 0; i < n; i++)
        raw[i / per_byte] |= (uint8_t)(((unsigned)out->int32_data[i] & ((1u << bits) - 1)) << ((int)(i % per_byte) * bits));
    out->has_raw_data = 1;
    out->raw_data = (ProtobufCBinaryData){n_bytes, raw};
    out->int32_data = NULL;
    out->n_int32_data = 0;
    return OB_OK;
}

static ob_status read_dims(ob_text_parser *parser, const Onnx__TensorShapeProto *shape, Onnx__TensorProto *out) {
    for (size_t i = 0; i < shape->n_dim; i++) {
        if (shape->dim[i]->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
            return ob__scan_fail(&parser->scan, parser->scan.p, "a constant needs numbers for sizes");
        int64_t *slot = ob__text_push(parser, &out->dims, &out->n_dims, sizeof *slot);
        if (!slot) return out_of_memory(parser);
        *slot = shape->dim[i]->dim_value;
    }
    return OB_OK;
}

ob_status ob__text_tensor_data(ob_text_parser *parser, const Onnx__TypeProto *type, Onnx__TensorProto *out) {
    if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !type->tensor_type->shape)
        return ob__scan_fail(&parser->scan, parser->scan.p, "a constant needs a tensor type with its sizes");
    ob_dtype dtype = (ob_dtype)type->tensor_type->elem_type;
    if (dtype == OB_NONE) return ob__scan_fail(&parser->scan, parser->scan.p, "a constant needs an element type");
    out->has_data_type = 1;
    out->data_type = (int32_t)dtype;
    OB_TRY(read_dims(parser, type->tensor_type->shape, out));
    if (ob__scan_peek(&parser->scan) == '[') {
        out->has_data_location = 1;
        out->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
        return ob__text_key_values(parser, &out->external_data, &out->n_external_data);
    }
    OB_TRY(ob__scan_expect(&parser->scan, '{'));
    if (ob__scan_take(&parser->scan, '}')) return OB_OK;
    do OB_TRY(read_element(parser, dtype, out));
    while (ob__scan_take(&parser->scan, ','));
    OB_TRY(ob__scan_expect(&parser->scan, '}'));
    return pack_narrow(parser, dtype, out);
}
