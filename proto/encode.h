/* Writes named fields in the wire format. protobuf's text formats become bytes of the binary one, which ob__wire_unpack then
 * reads. So limits, checks and the reader of models are the same for all formats. */
#ifndef OB_PROTO_ENCODE_H
#define OB_PROTO_ENCODE_H

#include "core/base/text.h"
#include "proto/proto.h"
#include "proto/text_scan.h"

/* Successive numbers of one repeated field share one packed list. */
typedef struct ob_encoder {
    ob_text out;
    uint64_t max_bytes;                     /* of out */
    const ProtobufCFieldDescriptor *packed; /* field of the open list; NULL: none */
    size_t packed_at;                       /* position of its length */
} ob_encoder;

typedef enum ob_encoded {
    OB_ENCODED,
    OB_ENCODED_NOT_A_NUMBER, /* the text is not a value of the field's type */
    OB_ENCODED_OUT_OF_RANGE
} ob_encoded;

/* E_LIMIT or E_MEMORY if the output exceeds its limit or memory ran out; called after every field. */
ob_status ob__encoder_status(const ob_encoder *encoder, ob_error *error);

/* Ends the last list; same statuses. */
ob_status ob__encoder_finish(ob_encoder *encoder, ob_error *error);

/* A message: end takes the position that begin returned. */
size_t ob__encode_begin(ob_encoder *encoder, const ProtobufCFieldDescriptor *field);
void ob__encode_end(ob_encoder *encoder, size_t begun);
/* A string or bytes. */
void ob__encode_bytes(ob_encoder *encoder, const ProtobufCFieldDescriptor *field, const void *bytes, size_t n);
/* A number, an enum's name or number, or true and false. Nothing is written unless the result is OB_ENCODED. */
ob_encoded ob__encode_number(ob_encoder *encoder, const ProtobufCFieldDescriptor *field, const char *text);

/* "a number", "bytes" ...: the kind of value that a field takes, for messages. */
const char *ob__field_takes(const ProtobufCFieldDescriptor *field);

/* ---- encode_scan.c: the parts that the two text formats share ---- */

enum { OB_NUMBER_MOST = 400 }; /* characters of a number, with the zero byte */

/* The characters of a number or a word at the scanner: letters, digits, '_', '+', '-' and '.'. */
ob_status ob__scan_token(ob_scanner *scan, char token[OB_NUMBER_MOST]);
/* Writes the number at `at`; E_FORMAT if the field does not take it. */
ob_status ob__encode_token(ob_scanner *scan, ob_encoder *out, const ProtobufCFieldDescriptor *field, const char *token,
                           const char *at);
/* Writes the string or bytes at `at`. */
ob_status ob__encode_text(ob_scanner *scan, ob_encoder *out, const ProtobufCFieldDescriptor *field, const ob_text *text,
                          const char *at);
/* E_FORMAT if a field that is not repeated occurs twice. */
ob_status ob__check_once(ob_scanner *scan, const ProtobufCFieldDescriptor *field, uint64_t *seen, const char *at);
/* E_FORMAT. */
ob_status ob__no_such_field(ob_scanner *scan, const char *at, const ProtobufCMessageDescriptor *type, const char *name);
/* Appends the character in UTF-8. */
void ob__put_utf8(ob_text *text, uint32_t c);
/* The value of the n hexadecimal digits at p; -1: not hexadecimal digits, or the text ends. */
int64_t ob__scan_hex(const ob_scanner *scan, const char *p, int n);

/* Parses a text that yields wire bytes of a ModelProto. */
typedef ob_status (*ob_text_encoder)(ob_scanner *scan, const ob_load_limits *limits, ob_encoder *out);
/* prototxt_read.c, json_read.c. E_FORMAT with line and column; E_LIMIT. */
ob_status ob__encode_prototxt(ob_scanner *scan, const ob_load_limits *limits, ob_encoder *out);
ob_status ob__encode_json(ob_scanner *scan, const ob_load_limits *limits, ob_encoder *out);

#endif
