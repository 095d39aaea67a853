#include "proto/encode.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LENGTH_BYTES = 5 }; /* of a length that is written before it is known */

static void put(ob_encoder *encoder, const void *bytes, size_t n) {
    if (encoder->out.n <= encoder->max_bytes) ob__text_append(&encoder->out, bytes, n);
}

static void put_varint(ob_encoder *encoder, uint64_t value) {
    uint8_t bytes[10];
    size_t n = 0;
    for (; value > 0x7f; value >>= 7) bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    put(encoder, bytes, n);
}

static void put_tag(ob_encoder *encoder, const ProtobufCFieldDescriptor *field, uint32_t wire_type) {
    put_varint(encoder, (uint64_t)field->id << 3 | wire_type);
}

/* Room for the length of the following bytes. */
static size_t begin_length(ob_encoder *encoder) {
    size_t at = encoder->out.n;
    put(encoder, (const uint8_t[LENGTH_BYTES]){0}, LENGTH_BYTES);
    return at;
}

static void end_length(ob_encoder *encoder, size_t at) {
    if (encoder->out.failed || encoder->out.n < at + LENGTH_BYTES) return;
    size_t n = encoder->out.n - at - LENGTH_BYTES;
    uint8_t *length = (uint8_t *)encoder->out.data + at;
    for (int i = 0; i < LENGTH_BYTES; i++) length[i] = (uint8_t)((n >> (7 * i) & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}

static void close_list(ob_encoder *encoder) {
    if (encoder->packed) end_length(encoder, encoder->packed_at);
    encoder->packed = NULL;
}

ob_status ob__encoder_status(const ob_encoder *encoder, ob_error *error) {
    OB_FAIL_IF(encoder->out.failed, error, OB_E_MEMORY, "out of memory for the model in binary form");
    OB_FAIL_IF(encoder->out.n > encoder->max_bytes || encoder->out.n > UINT32_MAX, error, OB_E_LIMIT,
               "the model takes more than %llu bytes in binary form",
               (unsigned long long)(encoder->max_bytes < UINT32_MAX ? encoder->max_bytes : UINT32_MAX));
    return OB_OK;
}

ob_status ob__encoder_finish(ob_encoder *encoder, ob_error *error) {
    close_list(encoder);
    return ob__encoder_status(encoder, error);
}

size_t ob__encode_begin(ob_encoder *encoder, const ProtobufCFieldDescriptor *field) {
    close_list(encoder);
    put_tag(encoder, field, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED);
    return begin_length(encoder);
}

void ob__encode_end(ob_encoder *encoder, size_t begun) {
    close_list(encoder);
    end_length(encoder, begun);
}

void ob__encode_bytes(ob_encoder *encoder, const ProtobufCFieldDescriptor *field, const void *bytes, size_t n) {
    close_list(encoder);
    put_tag(encoder, field, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED);
    put_varint(encoder, n);
    if (n) put(encoder, bytes, n);
}

/* ---- Numbers ---- */

static void put_number(ob_encoder *encoder, const ProtobufCFieldDescriptor *field, uint32_t wire_type, uint64_t bits) {
    bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
    if (encoder->packed != field || !repeated) {
        close_list(encoder);
        put_tag(encoder, field, repeated ? PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED : wire_type);
        if (repeated) encoder->packed_at = begin_length(encoder);
        encoder->packed = repeated ? field : NULL;
    }
    if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT) {
        put_varint(encoder, bits);
        return;
    }
    uint8_t bytes[8];
    size_t n = wire_type == PROTOBUF_C_WIRE_TYPE_32BIT ? 4 : 8;
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)(bits >> (8 * i));
    put(encoder, bytes, n);
}

/* Decimal, 0x1f or 017 with a sign. */
static ob_encoded read_integer(const char *text, bool is_signed, uint64_t *out) {
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    int base = digits[0] != '0' ? 10 : digits[1] == 'x' || digits[1] == 'X' ? 16 : 8;
    if (*digits < '0' || *digits > '9') return OB_ENCODED_NOT_A_NUMBER;
    char *end;
    errno = 0;
    uint64_t value = strtoull(digits, &end, base);
    if (*end) return OB_ENCODED_NOT_A_NUMBER;
    uint64_t most = !is_signed ? UINT64_MAX : (uint64_t)INT64_MAX + negative;
    if (errno || value > most || (negative && !is_signed && value)) return OB_ENCODED_OUT_OF_RANGE;
    *out = negative ? 0 - value : value;
    return OB_ENCODED;
}

static bool is_infinity(const char *text) {
    return strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0;
}

/* A fraction with a point or an exponent, perhaps with the suffix f; inf, infinity and nan. */
static ob_encoded read_real(const char *text, bool is_float, double *out) {
    const char *word = text + (*text == '-');
    if (is_infinity(word) || strcasecmp(word, "nan") == 0) {
        *out = copysign(is_infinity(word) ? (double)INFINITY : (double)NAN, *text == '-' ? -1.0 : 1.0);
        return OB_ENCODED;
    }
    if (word[strspn(word, "+-.0123456789eEfF")]) return OB_ENCODED_NOT_A_NUMBER;
    char *end;
    *out = is_float ? (double)strtof(text, &end) : strtod(text, &end);
    if (end == text || (*end && strcasecmp(end, "f") != 0)) return OB_ENCODED_NOT_A_NUMBER;
    return OB_ENCODED;
}

static ob_encoded encode_real(ob_encoder *encoder, const ProtobufCFieldDescriptor *field, const char *text) {
    bool is_float = field->type == PROTOBUF_C_TYPE_FLOAT;
    double value;
    ob_encoded result = read_real(text, is_float, &value);
    if (result != OB_ENCODED) return result;
    uint64_t bits = 0;
    if (is_float) {
        float narrow = (float)value;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        bits = narrow_bits;
    } else {
        memcpy(&bits, &value, sizeof bits);
    }
    put_number(encoder, field, is_float ? PROTOBUF_C_WIRE_TYPE_32BIT : PROTOBUF_C_WIRE_TYPE_64BIT, bits);
    return OB_ENCODED;
}

static ob_encoded read_enum(const ProtobufCFieldDescriptor *field, const char *text, uint64_t *out) {
    const ProtobufCEnumDescriptor *type = field->descriptor;
    const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value_by_name(type, text);
    if (!value) return read_integer(text, true, out);
    *out = (uint64_t)(int64_t)value->value;
    return OB_ENCODED;
}

static ob_encoded read_bool(const char *text, uint64_t *out) {
    static const char *const words[2][4] = {{"false", "False", "f", "0"}, {"true", "True", "t", "1"}};
    for (unsigned value = 0; value < 2; value++)
        for (int i = 0; i < 4; i++)
            if (strcmp(text, words[value][i]) == 0) return *out = value, OB_ENCODED;
    return OB_ENCODED_NOT_A_NUMBER;
}

ob_encoded ob__encode_number(ob_encoder *encoder, const ProtobufCFieldDescriptor *field, const char *text) {
    uint64_t value = 0;
    ob_encoded result;
    switch (field->type) {
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE: return encode_real(encoder, field, text);
    case PROTOBUF_C_TYPE_ENUM: result = read_enum(field, text, &value); break;
    case PROTOBUF_C_TYPE_BOOL: result = read_bool(text, &value); break;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_INT64: result = read_integer(text, true, &value); break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_UINT64: result = read_integer(text, false, &value); break;
    default: return OB_ENCODED_NOT_A_NUMBER; /* onnx.proto has no others */
    }
    if (result != OB_ENCODED) return result;
    int64_t as_signed = (int64_t)value;
    bool narrow = field->type == PROTOBUF_C_TYPE_INT32 || field->type == PROTOBUF_C_TYPE_ENUM;
    if (narrow && (as_signed < INT32_MIN || as_signed > INT32_MAX)) return OB_ENCODED_OUT_OF_RANGE;
    if (field->type == PROTOBUF_C_TYPE_UINT32 && value > UINT32_MAX) return OB_ENCODED_OUT_OF_RANGE;
    put_number(encoder, field, PROTOBUF_C_WIRE_TYPE_VARINT, value);
    return OB_ENCODED;
}

const char *ob__field_takes(const ProtobufCFieldDescriptor *field) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE: return "a message";
    case PROTOBUF_C_TYPE_STRING: return "a text";
    case PROTOBUF_C_TYPE_BYTES: return "bytes";
    case PROTOBUF_C_TYPE_ENUM: return ((const ProtobufCEnumDescriptor *)field->descriptor)->short_name;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE: return "a number";
    case PROTOBUF_C_TYPE_BOOL: return "true or false";
    case PROTOBUF_C_TYPE_INT32: return "an integer of 32 bits";
    case PROTOBUF_C_TYPE_UINT32: return "an integer of 32 bits without sign";
    case PROTOBUF_C_TYPE_UINT64: return "an integer of 64 bits without sign";
    default: return "an integer of 64 bits";
    }
}
