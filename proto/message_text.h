/* A ModelProto in protobuf's text format and in its JSON form, driven by the message descriptors. */
#ifndef OB_PROTO_MESSAGE_TEXT_H
#define OB_PROTO_MESSAGE_TEXT_H

#include "core/base/text.h"
#include "proto/writer.h"

/* The shortest text that reads back as the same number, always recognisable as a float: 1.0, 1e-07, inf, -nan. The locale must
 * be "C". */
void ob__put_real(ob_text *text, double value, bool is_float);

/* Prints the message piece by piece to the sink. Unknown fields have no names and are omitted. E_UNSUPPORTED: JSON with a text
 * that is not UTF-8. E_MEMORY. Otherwise the status of the sink. */
ob_status ob__print_message(ob_proto_writer *writer, const ProtobufCMessage *message, bool is_json, ob_write_sink sink,
                            void *context);

#endif
