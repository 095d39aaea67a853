/* Protobuf's JSON form (protobuf.dev, "ProtoJSON Format") to wire bytes, driven by the message descriptors. Names as in
 * onnx.proto or in lowerCamelCase; bytes in base64; integers also as strings; null is an absent field. */
#include <string.h>

#include "proto/encode.h"

typedef struct json_reader {
    ob_scanner *scan;
    ob_encoder *out;
    uint32_t max_depth;
    ob_text text; /* of the current string */
} json_reader;

static ob_status read_object(json_reader *reader, const ProtobufCMessageDescriptor *type, uint32_t depth);

/* JSON has no comments, which the scanner would skip. */
static char peek(ob_scanner *scan) {
    while (scan->p < scan->end && (*scan->p == ' ' || *scan->p == '\t' || *scan->p == '\n' || *scan->p == '\r')) scan->p++;
    return scan->p < scan->end ? *scan->p : '\0';
}

static bool take(ob_scanner *scan, char c) {
    if (peek(scan) != c || scan->p == scan->end) return false;
    scan->p++;
    return true;
}

static ob_status expect(ob_scanner *scan, char c) {
    return take(scan, c) ? OB_OK : ob__scan_expected(scan, (const char[]){'\'', c, '\'', '\0'});
}

/* ---- Strings ---- */

/* \uXXXX at p, or two that are one character beyond 16 bits. NULL: not one. */
static const char *read_unicode(const ob_scanner *scan, const char *p, ob_text *text) {
    int64_t c = ob__scan_hex(scan, p + 2, 4);
    p += 6;
    if (c < 0 || (c >= 0xdc00 && c <= 0xdfff)) return NULL;
    if (c >= 0xd800 && c <= 0xdbff) {
        bool second = scan->end - p >= 6 && p[0] == '\\' && p[1] == 'u';
        int64_t low = second ? ob__scan_hex(scan, p + 2, 4) : -1;
        if (low < 0xdc00 || low > 0xdfff) return NULL;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
    }
    ob__put_utf8(text, (uint32_t)c);
    return p;
}

static const char *read_escape(const ob_scanner *scan, const char *p, ob_text *text) {
    static const char letters[] = "bfnrt\\/\"", meant[] = "\b\f\n\r\t\\/\"";
    if (scan->end - p < 2) return NULL;
    if (p[1] == 'u') return read_unicode(scan, p, text);
    const char *letter = p[1] ? strchr(letters, p[1]) : NULL;
    if (!letter) return NULL;
    ob__text_append(text, &meant[letter - letters], 1);
    return p + 2;
}

/* Into reader->text. */
static ob_status read_string(json_reader *reader) {
    ob_scanner *scan = reader->scan;
    if (peek(scan) != '"') return ob__scan_expected(scan, "a quoted text");
    const char *open = scan->p, *p = open + 1;
    reader->text.n = 0;
    while (p < scan->end && *p != '"') {
        const char *next = p;
        while (next < scan->end && *next != '"' && *next != '\\' && (unsigned char)*next >= 0x20) next++;
        ob__text_append(&reader->text, p, (size_t)(next - p));
        p = next;
        if (p == scan->end || *p == '"') continue;
        if (*p != '\\') return ob__scan_fail(scan, p, "byte 0x%02x in a text must be written as an escape", (unsigned char)*p);
        next = read_escape(scan, p, &reader->text);
        if (!next) return ob__scan_fail(scan, p, "a backslash that begins no escape");
        p = next;
    }
    if (p >= scan->end) return ob__scan_fail(scan, open, "the quoted text does not end");
    OB_FAIL_IF(reader->text.failed, scan->error, OB_E_MEMORY, "out of memory for a text of the model");
    scan->p = p + 1;
    return OB_OK;
}

static int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

/* Decodes in place. False: it is not base64. */
static bool decode_base64(ob_text *text) {
    size_t n_digits = text->n, n = 0;
    while (n_digits > 0 && text->n - n_digits < 2 && text->data[n_digits - 1] == '=') n_digits--;
    if (n_digits % 4 == 1 || (n_digits < text->n && text->n % 4 != 0)) return false;
    uint32_t bits = 0;
    for (size_t i = 0; i < n_digits; i++) {
        int digit = base64_digit(text->data[i]);
        if (digit < 0) return false;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) text->data[n++] = (char)(bits >> (6 - 2 * (i % 4)));
    }
    text->n = n;
    return true;
}

/* ---- Values ---- */

/* 017 and 0x1f of the text format are not numbers in JSON. */
static bool begins_with_0(const char *token) {
    const char *digits = token + (*token == '-');
    return digits[0] == '0' && strchr("0123456789xX", digits[1]) && digits[1];
}

/* 3.0 is an integer, too. */
static void drop_fraction(char *token) {
    char *point = strchr(token, '.');
    if (point && point != token && point[1 + strspn(point + 1, "0")] == '\0') *point = '\0';
}

static ob_status read_number(json_reader *reader, const ProtobufCFieldDescriptor *field) {
    char token[OB_NUMBER_MOST];
    const char *at = reader->scan->p;
    if (peek(reader->scan) == '"') {
        OB_TRY(read_string(reader));
        if (reader->text.n >= sizeof token || (reader->text.n && memchr(reader->text.data, 0, reader->text.n)))
            return ob__scan_fail(reader->scan, at, "%s takes %s, found a text", field->name, ob__field_takes(field));
        if (reader->text.n) memcpy(token, reader->text.data, reader->text.n);
        token[reader->text.n] = '\0';
    } else {
        OB_TRY(ob__scan_token(reader->scan, token));
    }
    if (begins_with_0(token)) return ob__scan_fail(reader->scan, at, "a number that begins with 0: %.40s", token);
    if (field->type != PROTOBUF_C_TYPE_FLOAT && field->type != PROTOBUF_C_TYPE_DOUBLE) drop_fraction(token);
    return ob__encode_token(reader->scan, reader->out, field, token, at);
}

static ob_status read_text(json_reader *reader, const ProtobufCFieldDescriptor *field) {
    const char *at = reader->scan->p;
    OB_TRY(read_string(reader));
    if (field->type == PROTOBUF_C_TYPE_BYTES && !decode_base64(&reader->text))
        return ob__scan_fail(reader->scan, at, "the text of %s is not base64", field->name);
    return ob__encode_text(reader->scan, reader->out, field, &reader->text, at);
}

static ob_status read_value(json_reader *reader, const ProtobufCFieldDescriptor *field, uint32_t depth) {
    peek(reader->scan);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        size_t begun = ob__encode_begin(reader->out, field);
        OB_TRY(read_object(reader, field->descriptor, depth + 1));
        ob__encode_end(reader->out, begun);
    } else if (field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_BYTES) {
        OB_TRY(read_text(reader, field));
    } else {
        OB_TRY(read_number(reader, field));
    }
    return ob__encoder_status(reader->out, reader->scan->error);
}

static ob_status read_array(json_reader *reader, const ProtobufCFieldDescriptor *field, uint32_t depth) {
    if (peek(reader->scan) != '[') return ob__scan_expected(reader->scan, "'[': the field is a list");
    reader->scan->p++;
    if (take(reader->scan, ']')) return OB_OK;
    do OB_TRY(read_value(reader, field, depth));
    while (take(reader->scan, ','));
    return expect(reader->scan, ']');
}

static bool take_null(ob_scanner *scan) {
    if (peek(scan) != 'n' || !ob__scan_next_is(scan, "null")) return false;
    scan->p += 4;
    return true;
}

/* ---- Fields ---- */

/* The name as onnx.proto has it: irVersion is ir_version. */
static const ProtobufCFieldDescriptor *find_field(const ProtobufCMessageDescriptor *type, const ob_text *name) {
    char snake[128];
    size_t n = 0;
    for (size_t i = 0; i < name->n && n + 3 < sizeof snake; i++) {
        char c = name->data[i];
        if (c >= 'A' && c <= 'Z') snake[n++] = '_', c = (char)(c | 0x20);
        snake[n++] = c ? c : '?';
    }
    snake[n] = '\0';
    return name->n < 64 ? ob__field_by_name(type, snake) : NULL;
}

static ob_status read_member(json_reader *reader, const ProtobufCMessageDescriptor *type, uint64_t *seen, uint32_t depth) {
    ob_scanner *scan = reader->scan;
    peek(scan);
    const char *at = scan->p;
    OB_TRY(read_string(reader));
    const ProtobufCFieldDescriptor *field = find_field(type, &reader->text);
    if (!field) return ob__no_such_field(scan, at, type, reader->text.n ? reader->text.data : "");
    if (field->label == PROTOBUF_C_LABEL_REPEATED && *seen >> (field->id & 63) & 1)
        return ob__scan_fail(scan, at, "%s occurs twice", field->name);
    OB_TRY(ob__check_once(scan, field, seen, at));
    OB_TRY(expect(scan, ':'));
    if (take_null(scan)) return OB_OK;
    return field->label == PROTOBUF_C_LABEL_REPEATED ? read_array(reader, field, depth) : read_value(reader, field, depth);
}

static ob_status read_object(json_reader *reader, const ProtobufCMessageDescriptor *type, uint32_t depth) {
    ob_scanner *scan = reader->scan;
    OB_FAIL_IF(depth > reader->max_depth, scan->error, OB_E_LIMIT, "nested deeper than the limit of %u", reader->max_depth);
    OB_TRY(expect(scan, '{'));
    if (take(scan, '}')) return OB_OK;
    uint64_t seen = 0;
    do OB_TRY(read_member(reader, type, &seen, depth));
    while (take(scan, ','));
    return expect(scan, '}');
}

ob_status ob__encode_json(ob_scanner *scan, const ob_load_limits *limits, ob_encoder *out) {
    json_reader reader = {.scan = scan, .out = out, .max_depth = limits->max_depth};
    ob__text_init(&reader.text, &out->out.allocator);
    ob_status status = read_object(&reader, &onnx__model_proto__descriptor, 1);
    peek(scan);
    if (status == OB_OK && scan->p != scan->end) status = ob__scan_expected(scan, "the end");
    ob__text_release(&reader.text);
    return status;
}
