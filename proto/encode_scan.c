/* Tokens, values and checks shared by protobuf's text format and JSON. */
#include <string.h>

#include "proto/encode.h"

static bool is_token(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '+' || c == '-' ||
           c == '.';
}

ob_status ob__scan_token(ob_scanner *scan, char token[OB_NUMBER_MOST]) {
    const char *p = scan->p;
    while (p < scan->end && is_token(*p)) p++;
    size_t n = (size_t)(p - scan->p);
    if (n == 0) return ob__scan_expected(scan, "a value");
    if (n >= OB_NUMBER_MOST) return ob__scan_fail(scan, scan->p, "a number or a word of %zu characters", n);
    memcpy(token, scan->p, n);
    token[n] = '\0';
    scan->p = p;
    return OB_OK;
}

ob_status ob__encode_token(ob_scanner *scan, ob_encoder *out, const ProtobufCFieldDescriptor *field, const char *token,
                           const char *at) {
    switch (ob__encode_number(out, field, token)) {
    case OB_ENCODED: return OB_OK;
    case OB_ENCODED_OUT_OF_RANGE:
        return ob__scan_fail(scan, at, "%s takes %s, %.40s does not fit", field->name, ob__field_takes(field), token);
    default: return ob__scan_fail(scan, at, "%s takes %s, found %.40s", field->name, ob__field_takes(field), token);
    }
}

ob_status ob__encode_text(ob_scanner *scan, ob_encoder *out, const ProtobufCFieldDescriptor *field, const ob_text *text,
                          const char *at) {
    OB_FAIL_IF(text->failed, scan->error, OB_E_MEMORY, "out of memory for a text of the model");
    if (field->type == PROTOBUF_C_TYPE_STRING && text->n && memchr(text->data, 0, text->n))
        return ob__scan_fail(scan, at, "the text of %s holds a zero byte", field->name);
    ob__encode_bytes(out, field, text->data, text->n);
    return OB_OK;
}

ob_status ob__check_once(ob_scanner *scan, const ProtobufCFieldDescriptor *field, uint64_t *seen, const char *at) {
    uint64_t bit = UINT64_C(1) << (field->id & 63); /* the numbers of onnx.proto end below 64 */
    if (field->label != PROTOBUF_C_LABEL_REPEATED && (*seen & bit))
        return ob__scan_fail(scan, at, "%s occurs twice", field->name);
    *seen |= bit;
    return OB_OK;
}

ob_status ob__no_such_field(ob_scanner *scan, const char *at, const ProtobufCMessageDescriptor *type, const char *name) {
    /* The text format and JSON serve many programs: most files with other fields are theirs. */
    bool is_model = type == &onnx__model_proto__descriptor;
    return ob__scan_fail(scan, at, "%s%s has no field \"%.60s\"", is_model ? "not an ONNX model: " : "", type->short_name, name);
}

void ob__put_utf8(ob_text *text, uint32_t c) {
    char bytes[4];
    ob__text_append(text, bytes, ob__utf8_put(bytes, c));
}

int64_t ob__scan_hex(const ob_scanner *scan, const char *p, int n) {
    int64_t value = 0;
    if (scan->end - p < n) return -1;
    for (int i = 0; i < n; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}
