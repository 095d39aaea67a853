/* Protobuf's text format (protobuf.dev, "Text Format Language Specification") to wire bytes, driven by the message descriptors.
 * Extensions and Any, which onnx.proto does not use, are errors. */
#include <string.h>

#include "proto/encode.h"

typedef struct prototxt_reader {
    ob_scanner *scan;
    ob_encoder *out;
    uint32_t max_depth;
    ob_text text; /* of the current string */
} prototxt_reader;

static ob_status read_fields(prototxt_reader *reader, const ProtobufCMessageDescriptor *type, char close, uint32_t depth);

/* ---- Strings ---- */

static const char *read_octal(const ob_scanner *scan, const char *p, ob_text *text) {
    unsigned value = 0;
    for (int i = 0; i < 3 && p < scan->end && *p >= '0' && *p <= '7'; i++) value = value * 8 + (unsigned)(*p++ - '0');
    ob__text_append(text, (const char[]){(char)value}, 1);
    return p;
}

/* The escape whose backslash is at p; NULL: not an escape. */
static const char *read_escape(const ob_scanner *scan, const char *p, ob_text *text) {
    static const char letters[] = "abfnrtv\\'\"?", meant[] = "\a\b\f\n\r\t\v\\'\"?";
    if (++p == scan->end) return NULL;
    if (*p >= '0' && *p <= '7') return read_octal(scan, p, text);
    const char *letter = *p ? strchr(letters, *p) : NULL;
    if (letter) {
        ob__text_append(text, &meant[letter - letters], 1);
        return p + 1;
    }
    if (*p == 'x' || *p == 'X') {
        int n = ob__scan_hex(scan, p + 1, 2) >= 0 ? 2 : 1;
        int64_t value = ob__scan_hex(scan, p + 1, n);
        if (value < 0) return NULL;
        ob__text_append(text, (const char[]){(char)value}, 1);
        return p + 1 + n;
    }
    int n = *p == 'u' ? 4 : *p == 'U' ? 8 : 0;
    int64_t c = n ? ob__scan_hex(scan, p + 1, n) : -1;
    if (c < 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return NULL;
    ob__put_utf8(text, (uint32_t)c);
    return p + 1 + n;
}

static ob_status read_quoted(prototxt_reader *reader) {
    ob_scanner *scan = reader->scan;
    const char *open = scan->p, *p = open + 1;
    while (p < scan->end && *p != *open) {
        const char *next = p;
        if (*p == '\n') return ob__scan_fail(scan, open, "the quoted text does not end on its line");
        while (next < scan->end && *next != *open && *next != '\\' && *next != '\n') next++;
        ob__text_append(&reader->text, p, (size_t)(next - p));
        p = next;
        if (p == scan->end || *p != '\\') continue;
        next = read_escape(scan, p, &reader->text);
        if (!next) return ob__scan_fail(scan, p, "a backslash that begins no escape");
        p = next;
    }
    if (p >= scan->end) return ob__scan_fail(scan, open, "the quoted text does not end");
    scan->p = p + 1;
    return OB_OK;
}

/* Texts that follow each other are one. */
static ob_status read_text(prototxt_reader *reader, const ProtobufCFieldDescriptor *field) {
    char c = ob__scan_peek(reader->scan);
    const char *at = reader->scan->p;
    if (c != '"' && c != '\'') return ob__scan_expected(reader->scan, "a quoted text");
    reader->text.n = 0;
    for (; c == '"' || c == '\''; c = ob__scan_peek(reader->scan)) OB_TRY(read_quoted(reader));
    return ob__encode_text(reader->scan, reader->out, field, &reader->text, at);
}

/* ---- Values ---- */

static ob_status read_number(prototxt_reader *reader, const ProtobufCFieldDescriptor *field) {
    char token[OB_NUMBER_MOST];
    ob__scan_peek(reader->scan);
    const char *at = reader->scan->p;
    OB_TRY(ob__scan_token(reader->scan, token));
    if (strcmp(token, "-") == 0) { /* white space may follow a sign */
        ob__scan_peek(reader->scan);
        OB_TRY(ob__scan_token(reader->scan, token));
        if (token[0] == '-' || strlen(token) + 2 > sizeof token) return ob__scan_fail(reader->scan, at, "a second sign");
        memmove(token + 1, token, strlen(token) + 1);
        token[0] = '-';
    }
    return ob__encode_token(reader->scan, reader->out, field, token, at);
}

static ob_status read_message(prototxt_reader *reader, const ProtobufCFieldDescriptor *field, uint32_t depth) {
    char close = ob__scan_peek(reader->scan) == '<' ? '>' : '}';
    if (close == '}') OB_TRY(ob__scan_expect(reader->scan, '{'));
    if (close == '>') OB_TRY(ob__scan_expect(reader->scan, '<'));
    size_t begun = ob__encode_begin(reader->out, field);
    OB_TRY(read_fields(reader, field->descriptor, close, depth + 1));
    ob__encode_end(reader->out, begun);
    return OB_OK;
}

static ob_status read_value(prototxt_reader *reader, const ProtobufCFieldDescriptor *field, uint32_t depth) {
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        OB_TRY(read_message(reader, field, depth));
    else if (field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_BYTES)
        OB_TRY(read_text(reader, field));
    else
        OB_TRY(read_number(reader, field));
    return ob__encoder_status(reader->out, reader->scan->error);
}

/* [value, value ...] of a repeated field. */
static ob_status read_list(prototxt_reader *reader, const ProtobufCFieldDescriptor *field, uint32_t depth) {
    if (field->label != PROTOBUF_C_LABEL_REPEATED)
        return ob__scan_fail(reader->scan, reader->scan->p, "a list for %s, which takes one value", field->name);
    OB_TRY(ob__scan_expect(reader->scan, '['));
    if (ob__scan_take(reader->scan, ']')) return OB_OK;
    do OB_TRY(read_value(reader, field, depth));
    while (ob__scan_take(reader->scan, ','));
    return ob__scan_expect(reader->scan, ']');
}

/* ---- Fields ---- */

static ob_status find_field(prototxt_reader *reader, const ProtobufCMessageDescriptor *type,
                            const ProtobufCFieldDescriptor **out) {
    const char *name;
    size_t n = ob__scan_peek_identifier(reader->scan, &name);
    if (n == 0) return ob__scan_expected(reader->scan, "the name of a field");
    char text[64];
    size_t n_text = n < sizeof text ? n : sizeof text - 1;
    memcpy(text, name, n_text);
    text[n_text] = '\0';
    *out = n == n_text ? ob__field_by_name(type, text) : NULL;
    if (!*out) return ob__no_such_field(reader->scan, name, type, text);
    reader->scan->p += n;
    return OB_OK;
}

static ob_status read_fields(prototxt_reader *reader, const ProtobufCMessageDescriptor *type, char close, uint32_t depth) {
    ob_scanner *scan = reader->scan;
    OB_FAIL_IF(depth > reader->max_depth, scan->error, OB_E_LIMIT, "nested deeper than the limit of %u", reader->max_depth);
    uint64_t seen = 0;
    for (;;) {
        char c = ob__scan_peek(scan);
        if (scan->p == scan->end && !close) return OB_OK;
        if (close && c == close) return scan->p++, OB_OK;
        const char *at = scan->p;
        const ProtobufCFieldDescriptor *field;
        OB_TRY(find_field(reader, type, &field));
        OB_TRY(ob__check_once(scan, field, &seen, at));
        bool colon = ob__scan_take(scan, ':');
        if (!colon && field->type != PROTOBUF_C_TYPE_MESSAGE) return ob__scan_expected(scan, "':'");
        OB_TRY(ob__scan_peek(scan) == '[' ? read_list(reader, field, depth) : read_value(reader, field, depth));
        if (!ob__scan_take(scan, ',')) ob__scan_take(scan, ';');
    }
}

ob_status ob__encode_prototxt(ob_scanner *scan, const ob_load_limits *limits, ob_encoder *out) {
    prototxt_reader reader = {.scan = scan, .out = out, .max_depth = limits->max_depth};
    ob__text_init(&reader.text, &out->out.allocator);
    ob_status status = read_fields(&reader, &onnx__model_proto__descriptor, '\0', 1);
    ob__text_release(&reader.text);
    return status;
}
