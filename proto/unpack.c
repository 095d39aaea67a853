/* Unpacks bytes that have been checked into messages. protobuf-c would copy raw data, list the fields of each message on the
 * heap, and be linked with its writer. The structs are those that its compiler made, with its rules: the last of several values
 * counts, and of the members of a oneof the last. */
#include <string.h>

#include "proto/wire.h"

enum { RAW_DATA_FIELD = 9 };

typedef struct unpacking {
    ob_arena *arena;
    bool refers;
} unpacking;

size_t ob__read_varint(const uint8_t *p, const uint8_t *end, uint64_t *out) {
    uint64_t value = 0;
    size_t n = end - p < 10 ? (size_t)(end - p) : 10;
    for (size_t i = 0; i < n; i++) {
        value |= (uint64_t)(p[i] & 0x7f) << (7 * i);
        if (!(p[i] & 0x80)) {
            *out = value;
            return i + 1;
        }
    }
    return 0;
}

uint32_t ob__expected_wire_type(const ProtobufCFieldDescriptor *field) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return PROTOBUF_C_WIRE_TYPE_32BIT;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return PROTOBUF_C_WIRE_TYPE_64BIT;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    default: return PROTOBUF_C_WIRE_TYPE_VARINT;
    }
}

const ProtobufCFieldDescriptor *ob__known_field(const ProtobufCMessageDescriptor *type, uint32_t number) {
    for (unsigned i = 0; i < type->n_fields; i++)
        if (type->fields[i].id == number) return &type->fields[i];
    return NULL;
}

bool ob__is_raw_data(const ProtobufCMessageDescriptor *type, const wire_field *field) {
    return type == &onnx__tensor_proto__descriptor && field->number == RAW_DATA_FIELD;
}

static const uint8_t *next_field(const ProtobufCMessageDescriptor *type, const uint8_t *p, const uint8_t *end,
                                 wire_field *field) {
    uint64_t value;
    const ProtobufCFieldDescriptor *guess = field->descriptor;
    field->start = p;
    field->payload = p += ob__read_varint(p, end, &value);
    field->number = (uint32_t)(value >> 3);
    field->wire_type = (uint32_t)(value & 7);
    field->descriptor = guess && guess->id == field->number ? guess : ob__known_field(type, field->number);
    switch (field->wire_type) {
    case PROTOBUF_C_WIRE_TYPE_VARINT: p += ob__read_varint(p, end, &value); break;
    case PROTOBUF_C_WIRE_TYPE_64BIT: p += 8; break;
    case PROTOBUF_C_WIRE_TYPE_32BIT: p += 4; break;
    default: field->payload = p += ob__read_varint(p, end, &value); p += value;
    }
    return field->end = p;
}

/* ---- One value ---- */

size_t ob__value_bytes(const ProtobufCFieldDescriptor *field) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    default: return 4;
    }
}

/* Reads the number at p, and returns the place after it. */
static const uint8_t *put_number(const ProtobufCFieldDescriptor *field, const uint8_t *p, const uint8_t *end, char *to) {
    uint64_t value = 0;
    const uint32_t wire_type = ob__expected_wire_type(field);
    if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT)
        p += ob__read_varint(p, end, &value);
    else
        for (unsigned i = 0, n = wire_type == PROTOBUF_C_WIRE_TYPE_32BIT ? 4 : 8; i < n; i++) value |= (uint64_t)*p++ << (8 * i);
    if (field->type == PROTOBUF_C_TYPE_SINT32) value = (uint32_t)value;
    if (field->type == PROTOBUF_C_TYPE_SINT32 || field->type == PROTOBUF_C_TYPE_SINT64) value = (value >> 1) ^ (0 - (value & 1));
    if (field->type == PROTOBUF_C_TYPE_BOOL)
        memcpy(to, &(protobuf_c_boolean){value != 0}, sizeof(protobuf_c_boolean));
    else if (ob__value_bytes(field) == 8)
        memcpy(to, &value, 8);
    else
        memcpy(to, &(uint32_t){(uint32_t)value}, 4);
    return p;
}

static bool put_value(const unpacking *u, const ProtobufCMessageDescriptor *type, const wire_field *field, char *to) {
    const size_t n = (size_t)(field->end - field->payload);
    switch (field->descriptor->type) {
    case PROTOBUF_C_TYPE_MESSAGE: {
        ProtobufCMessage *message = ob__unpack(field->descriptor->descriptor, field->payload, n, u->refers, u->arena);
        memcpy(to, &message, sizeof message);
        return message != NULL;
    }
    case PROTOBUF_C_TYPE_STRING: {
        char *text = ob__arena_strndup(u->arena, (const char *)field->payload, n);
        memcpy(to, &text, sizeof text);
        return text != NULL;
    }
    case PROTOBUF_C_TYPE_BYTES: {
        ProtobufCBinaryData data = {n, NULL};
        if (u->refers && ob__is_raw_data(type, field))
            data.data = (uint8_t *)(uintptr_t)field->payload; /* never written through */
        else if (n) {
            data.data = ob__arena_alloc(u->arena, n);
            if (!data.data) return false;
            memcpy(data.data, field->payload, n);
        }
        memcpy(to, &data, sizeof data);
        return true;
    }
    default: put_number(field->descriptor, field->payload, field->end, to); return true;
    }
}

/* ---- A message ---- */

static bool is_packed(const wire_field *field) {
    return field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED &&
           ob__expected_wire_type(field->descriptor) != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
}

/* The numbers of a packed list. */
static size_t count_packed(const wire_field *field) {
    const size_t n = (size_t)(field->end - field->payload);
    switch (ob__expected_wire_type(field->descriptor)) {
    case PROTOBUF_C_WIRE_TYPE_32BIT: return n / 4;
    case PROTOBUF_C_WIRE_TYPE_64BIT: return n / 8;
    default: break;
    }
    size_t count = 0;
    for (const uint8_t *p = field->payload; p < field->end; p++) count += !(*p & 0x80);
    return count;
}

/* The count of a list, which stands in the message. */
static size_t *count_of(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
    return (size_t *)(void *)((char *)message + field->quantifier_offset);
}

static void **list_of(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
    return (void **)(void *)((char *)message + field->offset);
}

/* Counts the values of each list, and takes memory for them; afterwards the counts are 0 again. */
static bool make_lists(ob_arena *arena, ProtobufCMessage *message, const uint8_t *p, const uint8_t *end) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    unsigned n_unknown = 0;
    wire_field field = {0};
    while (p < end) {
        p = next_field(type, p, end, &field);
        if (!field.descriptor)
            n_unknown++;
        else if (field.descriptor->label == PROTOBUF_C_LABEL_REPEATED)
            *count_of(message, field.descriptor) += is_packed(&field) ? count_packed(&field) : 1;
    }
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *list = &type->fields[i];
        if (list->label != PROTOBUF_C_LABEL_REPEATED || !*count_of(message, list)) continue;
        *list_of(message, list) = ob__arena_calloc(arena, *count_of(message, list), ob__value_bytes(list));
        if (!*list_of(message, list)) return false;
        *count_of(message, list) = 0;
    }
    if (!n_unknown) return true;
    message->unknown_fields = OB_ARENA_ARRAY(arena, ProtobufCMessageUnknownField, n_unknown);
    return message->unknown_fields != NULL;
}

/* The bytes after the tag. */
static bool put_unknown(const unpacking *u, ProtobufCMessage *message, const wire_field *field) {
    const uint8_t *p = field->start;
    while (*p++ & 0x80) {
    }
    const size_t n = (size_t)(field->end - p);
    uint8_t *bytes = ob__arena_alloc(u->arena, n + 1);
    if (!bytes) return false;
    memcpy(bytes, p, n);
    message->unknown_fields[message->n_unknown_fields++] =
        (ProtobufCMessageUnknownField){field->number, (ProtobufCWireType)field->wire_type, n, bytes};
    return true;
}

static bool put_listed(const unpacking *u, ProtobufCMessage *message, const wire_field *field) {
    const ProtobufCFieldDescriptor *list = field->descriptor;
    const size_t size = ob__value_bytes(list);
    size_t *n = count_of(message, list);
    char *to = (char *)*list_of(message, list) + *n * size;
    if (!is_packed(field)) {
        ++*n;
        return put_value(u, message->descriptor, field, to);
    }
    for (const uint8_t *p = field->payload; p < field->end; to += size, ++*n) p = put_number(list, p, field->end, to);
    return true;
}

/* Members of a oneof share their place. */
static bool put_single(const unpacking *u, ProtobufCMessage *message, const wire_field *field) {
    const ProtobufCFieldDescriptor *single = field->descriptor;
    char *to = (char *)message + single->offset, *is_set = (char *)message + single->quantifier_offset;
    if (single->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        memcpy(is_set, &single->id, sizeof single->id);
    else if (single->label == PROTOBUF_C_LABEL_OPTIONAL && single->type != PROTOBUF_C_TYPE_STRING &&
             single->type != PROTOBUF_C_TYPE_MESSAGE)
        memcpy(is_set, &(protobuf_c_boolean){1}, sizeof(protobuf_c_boolean));
    return put_value(u, message->descriptor, field, to);
}

ProtobufCMessage *ob__unpack(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t n_bytes, bool refers,
                             ob_arena *arena) {
    const unpacking u = {arena, refers};
    const uint8_t *p = bytes, *end = bytes + n_bytes;
    ProtobufCMessage *message = ob__arena_alloc(arena, type->sizeof_message);
    if (!message) return NULL;
    type->message_init(message);
    if (!make_lists(arena, message, p, end)) return NULL;
    wire_field field = {0};
    while (p < end) {
        p = next_field(type, p, end, &field);
        if (!field.descriptor                                      ? !put_unknown(&u, message, &field)
            : field.descriptor->label == PROTOBUF_C_LABEL_REPEATED ? !put_listed(&u, message, &field)
                                                                   : !put_single(&u, message, &field))
            return NULL;
    }
    return message;
}
