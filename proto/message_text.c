#include "proto/message_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "proto/plain_numbers.h"
#include "proto/wire.h"

enum { FLUSH_BYTES = 64 * 1024, PIECE_BYTES = 48 * 1024, INDENT = 2, DEPTH_MOST = 128 /* of the C stack */ };

typedef struct message_printer {
    ob_text text;
    ob_write_sink sink;
    void *context;
    ob_proto_writer *writer;
    bool is_json;
    int depth;
    bool is_first; /* of the current message: no comma yet */
} message_printer;

/* The elements of a field, as they are in memory. */
typedef struct field_value {
    const ProtobufCFieldDescriptor *field;
    const char *at;
    size_t n, n_bytes_each; /* elements; of a field that is not repeated 1 */
} field_value;

void ob__put_real(ob_text *text, double value, bool is_float) {
    char digits_text[40];
    if (isnan(value) || isinf(value)) {
        ob__text_printf(text, "%s%s", signbit(value) ? "-" : "", isnan(value) ? "nan" : "inf");
        return;
    }
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(digits_text, sizeof digits_text, "%.*g", digits, value);
        bool same = is_float ? (double)strtof(digits_text, NULL) == value : strtod(digits_text, NULL) == value;
        if (same) break;
    }
    if (!strpbrk(digits_text, ".e")) strcat(digits_text, ".0");
    ob__text_puts(text, digits_text);
}

static void put(message_printer *out, const char *text) {
    ob__text_puts(&out->text, text);
}

static ob_status flush(message_printer *out, size_t at_least) {
    ob_error *error = out->writer->error;
    OB_FAIL_IF(out->text.failed, error, OB_E_MEMORY, "out of memory for the text");
    if (out->text.n < at_least || out->text.n == 0) return OB_OK;
    ob_status status = out->sink(out->context, out->text.data, out->text.n);
    out->text.n = 0;
    return status == OB_OK ? OB_OK : ob__fail(error, status, "writing failed: %s", ob_status_text(status));
}

static void put_line(message_printer *out) {
    ob__text_printf(&out->text, "\n%*s", out->depth * INDENT, "");
}

/* ---- Texts ---- */

/* Bytes of the text format: everything beyond ASCII as three octal digits. */
static ob_status put_octal(message_printer *out, const uint8_t *bytes, size_t n) {
    put(out, "\"");
    for (size_t i = 0; i < n; i++) {
        const char *letter = bytes[i] ? strchr("\n\r\t\"\\", bytes[i]) : NULL;
        if (letter)
            ob__text_append(&out->text, (const char[]){'\\', "nrt\"\\"[letter - "\n\r\t\"\\"]}, 2);
        else if (bytes[i] < 0x20 || bytes[i] > 0x7e)
            ob__text_append(&out->text,
                            (const char[]){'\\', (char)('0' + (bytes[i] >> 6)), (char)('0' + (bytes[i] >> 3 & 7)),
                                           (char)('0' + (bytes[i] & 7))},
                            4);
        else
            ob__text_append(&out->text, (const char *)&bytes[i], 1);
        if (i % PIECE_BYTES == 0) OB_TRY(flush(out, FLUSH_BYTES));
    }
    put(out, "\"");
    return OB_OK;
}

static ob_status put_base64(message_printer *out, const uint8_t *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    put(out, "\"");
    for (size_t i = 0; i < n; i += 3) {
        size_t n_left = n - i;
        uint32_t bits =
            (uint32_t)bytes[i] << 16 | (n_left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (n_left > 2 ? bytes[i + 2] : 0u);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], n_left > 1 ? digits[bits >> 6 & 63] : '=',
                        n_left > 2 ? digits[bits & 63] : '='};
        ob__text_append(&out->text, four, 4);
        if (i % PIECE_BYTES == 0) OB_TRY(flush(out, FLUSH_BYTES));
    }
    put(out, "\"");
    return OB_OK;
}

static ob_status put_json_string(message_printer *out, const ProtobufCFieldDescriptor *field, const char *text) {
    put(out, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = ob__utf8_length(p);
        OB_FAIL_IF(n == 0, out->writer->error, OB_E_UNSUPPORTED, "the text \"%.60s\" of %s is not UTF-8, which JSON asks for",
                   text, field->name);
        if (*p < 0x20 || *p == 0x7f)
            ob__text_printf(&out->text, "\\u%04x", *p);
        else {
            if (*p == '"' || *p == '\\') put(out, "\\");
            ob__text_append(&out->text, (const char *)p, n);
        }
        p += n;
    }
    put(out, "\"");
    return OB_OK;
}

/* ---- Values ---- */

static void put_number(message_printer *out, const ProtobufCFieldDescriptor *field, double value) {
    if (out->is_json && (isnan(value) || isinf(value)))
        put(out, isnan(value) ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    else
        ob__put_real(&out->text, value, field->type == PROTOBUF_C_TYPE_FLOAT);
}

static void put_enum(message_printer *out, const ProtobufCFieldDescriptor *field, int value) {
    const ProtobufCEnumValue *named = protobuf_c_enum_descriptor_get_value(field->descriptor, value);
    if (!named)
        ob__text_printf(&out->text, "%d", value);
    else
        ob__text_printf(&out->text, out->is_json ? "\"%s\"" : "%s", named->name);
}

static ob_status print_fields(message_printer *out, const ProtobufCMessage *message);

static ob_status print_inner(message_printer *out, const ProtobufCMessage *message) {
    OB_FAIL_IF(out->depth >= DEPTH_MOST, out->writer->error, OB_E_LIMIT, "the model nests deeper than %d", DEPTH_MOST);
    put(out, "{");
    out->depth++;
    bool was_first = out->is_first;
    out->is_first = true;
    OB_TRY(print_fields(out, message));
    bool is_empty = out->is_first;
    out->is_first = was_first;
    out->depth--;
    if (!is_empty) put_line(out);
    put(out, "}");
    return OB_OK;
}

static ob_status print_value(message_printer *out, const ProtobufCFieldDescriptor *field, const void *at) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE: return print_inner(out, *(const ProtobufCMessage *const *)at);
    case PROTOBUF_C_TYPE_STRING: {
        const char *text = ob__str(*(const char *const *)at);
        return out->is_json ? put_json_string(out, field, text) : put_octal(out, (const uint8_t *)text, strlen(text));
    }
    case PROTOBUF_C_TYPE_BYTES: {
        const ProtobufCBinaryData *bytes = at;
        return out->is_json ? put_base64(out, bytes->data, bytes->len) : put_octal(out, bytes->data, bytes->len);
    }
    case PROTOBUF_C_TYPE_FLOAT: put_number(out, field, (double)*(const float *)at); break;
    case PROTOBUF_C_TYPE_DOUBLE: put_number(out, field, *(const double *)at); break;
    case PROTOBUF_C_TYPE_ENUM: put_enum(out, field, *(const int *)at); break;
    case PROTOBUF_C_TYPE_BOOL: put(out, *(const protobuf_c_boolean *)at ? "true" : "false"); break;
    case PROTOBUF_C_TYPE_INT32: ob__text_printf(&out->text, "%" PRId32, *(const int32_t *)at); break;
    case PROTOBUF_C_TYPE_UINT32: ob__text_printf(&out->text, "%" PRIu32, *(const uint32_t *)at); break;
    /* integers of 64 bits are texts in JSON, whose numbers are doubles for many readers */
    case PROTOBUF_C_TYPE_UINT64:
        ob__text_printf(&out->text, out->is_json ? "\"%" PRIu64 "\"" : "%" PRIu64, *(const uint64_t *)at);
        break;
    default: ob__text_printf(&out->text, out->is_json ? "\"%" PRId64 "\"" : "%" PRId64, *(const int64_t *)at); break;
    }
    return flush(out, FLUSH_BYTES);
}

static void print_name(message_printer *out, const ProtobufCFieldDescriptor *field) {
    if (out->is_json && !out->is_first) put(out, ",");
    if (out->depth > 0 || !out->is_first) put_line(out);
    out->is_first = false;
    ob__text_printf(&out->text, out->is_json ? "\"%s\": " : field->type == PROTOBUF_C_TYPE_MESSAGE ? "%s " : "%s: ", field->name);
}

/* [a, b]: all lists of JSON, and those of numbers in the text format. */
static ob_status print_list(message_printer *out, const field_value *value) {
    bool lines = value->field->type == PROTOBUF_C_TYPE_MESSAGE;
    print_name(out, value->field);
    put(out, "[");
    out->depth++;
    for (size_t i = 0; i < value->n; i++) {
        if (i) put(out, lines ? "," : ", ");
        if (lines) put_line(out);
        OB_TRY(print_value(out, value->field, value->at + i * value->n_bytes_each));
    }
    out->depth--;
    if (lines) put_line(out);
    put(out, "]");
    return OB_OK;
}

static ob_status print_field(message_printer *out, const field_value *value) {
    const ProtobufCFieldDescriptor *field = value->field;
    bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
    bool number =
        field->type != PROTOBUF_C_TYPE_MESSAGE && field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_BYTES;
    if (value->n == 0) return OB_OK;
    if (repeated && (out->is_json || (number && value->n > 1))) return print_list(out, value);
    for (size_t i = 0; i < value->n; i++) {
        print_name(out, field);
        OB_TRY(print_value(out, field, value->at + i * value->n_bytes_each));
    }
    return flush(out, FLUSH_BYTES);
}

/* ---- Fields ---- */

/* The field in the message; n is 0 if it is absent. */
static field_value find_value(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
    const char *member = (const char *)message + field->offset, *quantifier = (const char *)message + field->quantifier_offset;
    field_value value = {field, member, 0, ob__value_bytes(field)};
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        memcpy(&value.n, quantifier, sizeof value.n);
        memcpy(&value.at, member, sizeof value.at);
        return value;
    }
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        uint32_t which;
        memcpy(&which, quantifier, sizeof which);
        value.n = which == field->id;
    } else if (field->type != PROTOBUF_C_TYPE_MESSAGE && field->type != PROTOBUF_C_TYPE_STRING) {
        protobuf_c_boolean has;
        memcpy(&has, quantifier, sizeof has);
        value.n = has != 0;
        return value;
    } else {
        value.n = 1;
    }
    if (value.n && (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING)) {
        const void *pointer;
        memcpy(&pointer, member, sizeof pointer);
        value.n = pointer && pointer != field->default_value;
    }
    return value;
}

/* A field that came after the message class: its elements are unknown fields. */
static ob_status print_newer(message_printer *out, const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
    ob_proto_writer *writer = out->writer;
    ob_load_limits limits = ob__load_limits(NULL);
    field_value value = {field, NULL, 0, sizeof(void *)};
    const char *text;
    ProtobufCMessage **messages;
    if (field->type == PROTOBUF_C_TYPE_STRING) {
        text = ob__newer_string(field, message, &writer->arena);
        if (!text) return ob__arena_failure(&writer->arena, writer->error);
        value.at = (const char *)&text;
        value.n = text[0] != '\0';
    } else {
        OB_TRY(ob__newer_messages(field, message, &limits, &writer->arena, &messages, &value.n, writer->error));
        value.at = (const char *)messages;
    }
    return print_field(out, &value);
}

static ob_status print_fields(message_printer *out, const ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    for (unsigned i = 0; i < type->n_fields; i++) {
        field_value value = find_value(message, &type->fields[i]);
        OB_TRY(print_field(out, &value));
    }
    uint64_t printed = 0;
    for (unsigned i = 0; i < message->n_unknown_fields; i++) {
        const ProtobufCFieldDescriptor *field = ob__field_by_number(type, message->unknown_fields[i].tag);
        if (!field || printed >> (field->id & 63) & 1) continue;
        printed |= UINT64_C(1) << (field->id & 63); /* elements of a repeated field are printed with the first one */
        OB_TRY(print_newer(out, message, field));
    }
    return OB_OK;
}

ob_status ob__print_message(ob_proto_writer *writer, const ProtobufCMessage *message, bool is_json, ob_write_sink sink,
                            void *context) {
    ob_plain_numbers numbers;
    OB_TRY(ob__plain_numbers_begin(&numbers, writer->error));
    message_printer out = {.sink = sink, .context = context, .writer = writer, .is_json = is_json, .is_first = true};
    ob__text_init(&out.text, &writer->arena.allocator);
    ob_status status = is_json ? print_inner(&out, message) : print_fields(&out, message);
    put(&out, "\n");
    if (status == OB_OK) status = flush(&out, 1);
    ob__text_release(&out.text);
    ob__plain_numbers_end(&numbers);
    return status;
}
