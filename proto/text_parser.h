/* The inside of the text reader: the parser's state, shared by its two files. */
#ifndef OB_PROTO_TEXT_PARSER_H
#define OB_PROTO_TEXT_PARSER_H

#include "proto/proto.h"
#include "proto/text_scan.h"

typedef struct ob_text_parser {
    ob_scanner scan;
    ob_load_limits limits;
    uint32_t depth; /* of nested graphs and types */
    uint64_t n_nodes;
    ob_extras extras;
} ob_text_parser;

/* A zeroed message of that class. NULL: out of memory. */
void *ob__text_message(ob_text_parser *parser, const ProtobufCMessageDescriptor *type);
#define OB_TEXT_MESSAGE(parser, type) ob__text_message((parser), &(type))

/* Room for one more element in a list that grows by doubling; NULL: out of memory. `*list` is a pointer to the elements. */
void *ob__text_push(ob_text_parser *parser, void *list, size_t *n, size_t n_bytes_each);

/* True if the name of an element type follows; "undefined" is 0. */
bool ob__text_take_dtype(ob_text_parser *parser, int32_t *number);
bool ob__text_next_is_type(ob_text_parser *parser);
ob_status ob__text_type(ob_text_parser *parser, Onnx__TypeProto **out);
/* "{...}" or "[...]" of a tensor whose type has been read. */
ob_status ob__text_tensor_data(ob_text_parser *parser, const Onnx__TypeProto *type, Onnx__TensorProto *out);
/* "key" : "value", ... between brackets. */
ob_status ob__text_key_values(ob_text_parser *parser, Onnx__StringStringEntryProto ***list, size_t *n);

/* Reads a whole model. E_FORMAT with line and column, E_LIMIT, E_MEMORY. */
ob_status ob__text_read_model(const char *text, size_t n, const ob_load_limits *limits, ob_arena *arena, Onnx__ModelProto **out,
                              ob_error *error);

#endif
