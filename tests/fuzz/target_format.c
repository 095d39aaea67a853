/* Protobuf's text format and JSON: a model that can be read can be written in both, and is the same again except for fields
 * without a name. */
#include <string.h>

#include "fuzz.h"
#include "proto/proto.h"
#include "tests/variants.h"

static bool write_as(const ob_model *model, ob_model_format format, byte_buffer *buffer) {
    ob_error error;
    buffer->n = 0;
    ob_status status = ob_model_write(model, format, append_bytes, buffer, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_UNSUPPORTED || status == OB_E_MODEL || status == OB_E_LIMIT, "writing: %s: %s",
              ob_status_text(status), error.message);
    return status == OB_OK;
}

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *out) {
    *out = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

/* How an element of the field is written; a list of numbers may also be one text of bytes. */
static uint64_t wire_of(const ProtobufCFieldDescriptor *field) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return 2;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32: return 5;
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64: return 1;
    default: return 0;
    }
}

/* Has every field of a message that was written a name, and the form that belongs to it? */
static bool has_names(const uint8_t *at, size_t n, const ProtobufCMessageDescriptor *type) {
    const uint8_t *end = at + n;
    while (at < end) {
        uint64_t tag, length = 0;
        if (!read_varint(&at, end, &tag)) return false;
        const ProtobufCFieldDescriptor *field = ob__field_by_number(type, (uint32_t)(tag >> 3));
        bool packed = field && field->label == PROTOBUF_C_LABEL_REPEATED && (tag & 7) == 2;
        if (!field || (wire_of(field) != (tag & 7) && !packed)) return false;
        switch (tag & 7) {
        case 0:
            if (!read_varint(&at, end, &length)) return false;
            length = 0;
            break;
        case 1: length = 8; break;
        case 2:
            if (!read_varint(&at, end, &length)) return false;
            break;
        default: length = 4;
        }
        if (length > (uint64_t)(end - at)) return false;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE && !has_names(at, (size_t)length, field->descriptor)) return false;
        at += length;
    }
    return true;
}

static void round_trip(const ob_model *model, ob_model_format format) {
    static byte_buffer text, was, is;
    ob_load_options options = fuzz_load_options();
    ob_model *again = NULL;
    ob_error error;
    if (!write_as(model, OB_FORMAT_PROTOBUF, &was) || !write_as(model, format, &text)) return;
    options.limits.max_arena *= 4;
    options.limits.max_depth = 256;
    ob_status status = ob_model_load_memory(text.data, text.n, "written", &options, &again, &error);
    FUZZ_MUST(status == OB_OK || status == OB_E_LIMIT, "reading back: %s: %s\n%.*s", ob_status_text(status), error.message,
              (int)(text.n < 4000 ? text.n : 4000), text.data);
    if (status != OB_OK) return;
    FUZZ_MUST(write_as(again, OB_FORMAT_PROTOBUF, &is), "what was written once is not again");
    bool same = was.n == is.n && memcmp(was.data, is.data, is.n) == 0;
    FUZZ_MUST(same || !has_names((const uint8_t *)was.data, was.n, &onnx__model_proto__descriptor), "%zu bytes, then %zu:\n%.*s",
              was.n, is.n, (int)(text.n < 4000 ? text.n : 4000), text.data);
    ob_model_close(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ob_model *model = fuzz_load(data, n);
    if (model) {
        round_trip(model, OB_FORMAT_PROTOBUF_TEXT);
        round_trip(model, OB_FORMAT_JSON);
    }
    ob_model_close(&model);
    return 0;
}
