/* The wire format of protobuf: what checking it (wire.c) and unpacking it (unpack.c) share. */
#ifndef OB_PROTO_WIRE_H
#define OB_PROTO_WIRE_H

#include "proto/proto.h"

/* One field in the wire format. */
typedef struct wire_field {
    const uint8_t *start;   /* of the tag */
    const uint8_t *payload; /* after the tag, and after the length of a length-delimited one */
    const uint8_t *end;
    uint32_t number;
    uint32_t wire_type;
    const ProtobufCFieldDescriptor *descriptor; /* NULL: unknown field */
} wire_field;

/* Bytes of the varint at p; 0: it does not end within 10 bytes or before end. */
size_t ob__read_varint(const uint8_t *p, const uint8_t *end, uint64_t *out);
uint32_t ob__expected_wire_type(const ProtobufCFieldDescriptor *field);
/* Bytes of a value of the field in memory. */
size_t ob__value_bytes(const ProtobufCFieldDescriptor *field);
/* The field with this number, or NULL. */
const ProtobufCFieldDescriptor *ob__known_field(const ProtobufCMessageDescriptor *type, uint32_t number);
/* The bytes of a tensor's elements. */
bool ob__is_raw_data(const ProtobufCMessageDescriptor *type, const wire_field *field);
/* The message in those bytes, which the walk has found to be sound; all of its memory is the arena's. refers: raw data is not
 * copied. NULL: out of memory. */
ProtobufCMessage *ob__unpack(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t n_bytes, bool refers,
                             ob_arena *arena);

#endif
