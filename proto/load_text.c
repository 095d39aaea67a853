/* Models in text formats: which one it is, and the bytes or messages that they become. */
#include "proto/load_text.h"

#include <string.h>

#include "proto/encode.h"
#include "proto/plain_numbers.h"
#include "proto/text_parser.h"

static size_t mark_bytes(const uint8_t *bytes, size_t n) {
    return n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* A field's name and a colon or a bracket begin the text format of protobuf, a brace JSON; ONNX's text begins with '<' or with
 * the name of a graph and a parenthesis. */
ob_model_format ob__detect_text(const uint8_t *bytes, size_t n) {
    const size_t n_mark = mark_bytes(bytes, n);
    bytes += n_mark;
    n -= n_mark;
    ob_scanner scan = {(const char *)bytes, (const char *)bytes, (const char *)bytes + n, NULL, NULL};
    const char *name;
    if (ob__scan_peek(&scan) == '{') return OB_FORMAT_JSON;
    size_t n_name = ob__scan_peek_identifier(&scan, &name);
    scan.p += n_name;
    char next = ob__scan_peek(&scan);
    return n_name > 0 && (next == ':' || next == '{' || next == '<' || next == '[') ? OB_FORMAT_PROTOBUF_TEXT : OB_FORMAT_TEXT;
}

ob_status ob__read_text(ob_model *model, const ob_source *source, const ob_load_limits *limits, ob_error *error) {
    Onnx__ModelProto *message = NULL;
    OB_TRY(ob__text_read_model(source->bytes, source->n_bytes, limits, &model->arena, &message, error));
    return ob__read_model(model, message, limits, error);
}

ob_status ob__encode_source(ob_source *source, ob_model_format format, const ob_model *model, const ob_load_limits *limits,
                            ob_error *error) {
    const ob_text_encoder encode_text = format == OB_FORMAT_JSON ? ob__encode_json : ob__encode_prototxt;
    const char *text = source->bytes;
    size_t n_mark = mark_bytes(source->bytes, source->n_bytes);
    ob_scanner scan = {text + n_mark, text + n_mark, text + source->n_bytes, NULL, error};
    ob_load_limits own = *limits;
    if (own.max_depth > 128) own.max_depth = 128; /* of the C stack */
    ob_plain_numbers numbers;
    OB_TRY(ob__plain_numbers_begin(&numbers, error));
    ob_encoder encoder = {.max_bytes = limits->max_arena};
    ob__text_init(&encoder.out, &model->arena.allocator);
    ob__text_append(&encoder.out, "", 0); /* an empty message has an address, too */
    ob_status status = encode_text(&scan, &own, &encoder);
    ob__plain_numbers_end(&numbers);
    if (status == OB_OK) status = ob__encoder_finish(&encoder, error);
    if (status != OB_OK) {
        ob__text_release(&encoder.out);
        return status;
    }
    ob__source_release(source);
    source->allocator = model->arena.allocator;
    source->bytes = encoder.out.data;
    source->n_bytes = encoder.out.n;
    source->capacity = encoder.out.capacity;
    source->kind = OB_SOURCE_OWNED;
    return OB_OK;
}
