/* The graph back into messages. */
#ifndef OB_PROTO_WRITER_H
#define OB_PROTO_WRITER_H

#include "proto/proto.h"

/* All new messages are in `arena` and point into the model. */
typedef struct ob_proto_writer {
    ob_arena arena;
    ob_extras extras;
    const ob_dims *dims;
    ob_error *error;
} ob_proto_writer;

void ob__proto_writer_init(ob_proto_writer *writer, const ob_model *model, ob_error *error);
void ob__proto_writer_release(ob_proto_writer *writer);
/* A message to change: a shallow copy of `origin`, or an empty one for NULL. NULL: out of memory. */
void *ob__copy_message(ob_proto_writer *writer, const ProtobufCMessageDescriptor *type, const void *origin);
#define OB_COPY_MESSAGE(writer, descriptor, origin) ob__copy_message((writer), &(descriptor), (origin))

/* True if the message states this type. */
bool ob__same_type(const ob_dims *pool, const Onnx__TypeProto *message, const ob_type *type);
/* NULL for kind UNKNOWN. Types nest as deep as the loader or the text parser allowed. */
ob_status ob__write_type(ob_proto_writer *writer, const ob_type *type, Onnx__TypeProto **out);

/* The model as a message that lives as long as the writer and the model. E_MEMORY, E_LIMIT, E_MODEL. */
ob_status ob__write_model(ob_proto_writer *writer, const ob_model *model, Onnx__ModelProto **out);

/* Hands a message's bytes to the sink piece by piece, never as one block. E_LIMIT if a part exceeds the 32-bit lengths of the
 * wire format; otherwise the status of the sink. */
ob_status ob__write_message(const ProtobufCMessage *message, ob_write_sink sink, void *context, ob_error *error);

/* The same in the aligned form (OB_FORMAT_PROTOBUF_ALIGNED): numbers begin at multiples of OB_FILE_ALIGNMENT. */
enum { OB_FILE_ALIGNMENT = 64 };
ob_status ob__write_aligned(ob_proto_writer *writer, const ProtobufCMessage *message, ob_write_sink sink, void *context);

#endif
