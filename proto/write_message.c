/* A message as wire bytes, to a sink. */
#include "core/base/error.h"
#include "proto/writer.h"

typedef struct pack_buffer {
    ProtobufCBuffer base;
    ob_write_sink sink;
    void *context;
    ob_status status;
} pack_buffer;

static void append(ProtobufCBuffer *base, size_t n, const uint8_t *bytes) {
    pack_buffer *buffer = (pack_buffer *)base;
    if (buffer->status == OB_OK && n > 0) buffer->status = buffer->sink(buffer->context, bytes, n);
}

ob_status ob__write_message(const ProtobufCMessage *message, ob_write_sink sink, void *context, ob_error *error) {
    size_t n = protobuf_c_message_get_packed_size(message);
    OB_FAIL_IF(n > UINT32_MAX, error, OB_E_LIMIT, "%zu bytes: protobuf files end at 4 GiB; larger weights must be external data",
               n);
    pack_buffer buffer = {{append}, sink, context, OB_OK};
    protobuf_c_message_pack_to_buffer(message, &buffer.base);
    return buffer.status == OB_OK ? OB_OK : ob__fail(error, buffer.status, "writing failed: %s", ob_status_text(buffer.status));
}
