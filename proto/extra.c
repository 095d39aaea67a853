/* The only file that knows the fields newer than the oldest supported onnx.proto (1.12). Such a field is a member of the
 * message class if the system's onnx.proto has it, otherwise an unknown field. */
#include <string.h>

#include "core/base/error.h"
#include "proto/proto.h"
#include "proto/wire.h"

typedef struct extra_row {
    const ProtobufCMessageDescriptor *type;
    ProtobufCFieldDescriptor field; /* name, number, type and element only */
} extra_row;

/* clang-format off */
#define TYPE(name) &onnx__##name##_proto__descriptor
#define TEXT(of, called, number) \
    {TYPE(of), {.name = (called), .id = (number), .label = PROTOBUF_C_LABEL_OPTIONAL, .type = PROTOBUF_C_TYPE_STRING}}
#define MESSAGES(of, called, number, element)                                         \
    {TYPE(of), {.name = (called), .id = (number), .label = PROTOBUF_C_LABEL_REPEATED, \
                .type = PROTOBUF_C_TYPE_MESSAGE, .descriptor = TYPE(element)}}
static const extra_row rows[OB_EXTRA_COUNT] = {
    [OB_EXTRA_NODE_OVERLOAD] = TEXT(node, "overload", 8),
    [OB_EXTRA_NODE_METADATA] = MESSAGES(node, "metadata_props", 9, string_string_entry),
    [OB_EXTRA_FUNCTION_OVERLOAD] = TEXT(function, "overload", 13),
    [OB_EXTRA_FUNCTION_ATTRIBUTES] = MESSAGES(function, "attribute_proto", 11, attribute),
    [OB_EXTRA_FUNCTION_VALUE_INFO] = MESSAGES(function, "value_info", 12, value_info),
    [OB_EXTRA_FUNCTION_METADATA] = MESSAGES(function, "metadata_props", 14, string_string_entry),
    [OB_EXTRA_GRAPH_METADATA] = MESSAGES(graph, "metadata_props", 16, string_string_entry),
    [OB_EXTRA_VALUE_METADATA] = MESSAGES(value_info, "metadata_props", 4, string_string_entry),
    [OB_EXTRA_TENSOR_METADATA] = MESSAGES(tensor, "metadata_props", 16, string_string_entry),
};
/* clang-format on */

const ProtobufCFieldDescriptor *ob__field_by_number(const ProtobufCMessageDescriptor *type, uint32_t number) {
    const ProtobufCFieldDescriptor *field = ob__known_field(type, number);
    for (int i = 0; !field && i < OB_EXTRA_COUNT; i++)
        if (rows[i].type == type && rows[i].field.id == number) field = &rows[i].field;
    return field;
}

const ProtobufCFieldDescriptor *ob__field_by_name(const ProtobufCMessageDescriptor *type, const char *name) {
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(type, name);
    for (int i = 0; !field && i < OB_EXTRA_COUNT; i++)
        if (rows[i].type == type && strcmp(rows[i].field.name, name) == 0) field = &rows[i].field;
    return field;
}

void ob__extras_init(ob_extras *extras) {
    for (int i = 0; i < OB_EXTRA_COUNT; i++) {
        const ProtobufCFieldDescriptor *row = &rows[i].field;
        const ProtobufCFieldDescriptor *field = ob__known_field(rows[i].type, row->id);
        if (field && (field->type != row->type ||
                      (row->descriptor && (field->label != row->label || field->descriptor != row->descriptor))))
            field = NULL;
        extras->fields[i] = field;
    }
}

static bool is_field(const ProtobufCMessageUnknownField *field, const ProtobufCFieldDescriptor *wanted) {
    return field->tag == wanted->id && field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
}

/* The payload after the length, which the walk over the file has already checked. */
static const uint8_t *payload(const ProtobufCMessageUnknownField *field, size_t *n) {
    size_t i = 0;
    while (i < field->len && (field->data[i] & 0x80)) i++;
    if (i < field->len) i++;
    *n = field->len - i;
    return field->data + i;
}

const char *ob__newer_string(const ProtobufCFieldDescriptor *field, const ProtobufCMessage *message, ob_arena *arena) {
    for (unsigned i = message->n_unknown_fields; i-- > 0;) {
        if (!is_field(&message->unknown_fields[i], field)) continue;
        size_t n;
        const uint8_t *bytes = payload(&message->unknown_fields[i], &n);
        return ob__arena_strndup(arena, (const char *)bytes, n);
    }
    return "";
}

ob_status ob__newer_messages(const ProtobufCFieldDescriptor *field, const ProtobufCMessage *message, const ob_load_limits *limits,
                             ob_arena *arena, ProtobufCMessage ***out, size_t *n, ob_error *error) {
    size_t count = 0;
    *n = 0;
    *out = NULL;
    for (unsigned i = 0; i < message->n_unknown_fields; i++) count += is_field(&message->unknown_fields[i], field);
    if (count == 0) return OB_OK;
    ProtobufCMessage **messages = OB_ARENA_ARRAY(arena, ProtobufCMessage *, count);
    if (!messages) return ob__arena_failure(arena, error);
    for (unsigned i = 0; i < message->n_unknown_fields; i++) {
        if (!is_field(&message->unknown_fields[i], field)) continue;
        size_t n_bytes;
        const uint8_t *bytes = payload(&message->unknown_fields[i], &n_bytes);
        OB_TRY(ob__wire_unpack(field->descriptor, bytes, n_bytes, limits, arena, &messages[(*n)++], error));
    }
    *out = messages;
    return OB_OK;
}

const char *ob__extra_string(const ob_extras *extras, ob_extra which, const ProtobufCMessage *message, ob_arena *arena) {
    const ProtobufCFieldDescriptor *field = extras->fields[which];
    if (field) return ob__str(*(char *const *)(const void *)((const char *)message + field->offset));
    return ob__newer_string(&rows[which].field, message, arena);
}

ob_status ob__extra_messages(const ob_extras *extras, ob_extra which, const ProtobufCMessage *message,
                             const ob_load_limits *limits, ob_arena *arena, ProtobufCMessage ***out, size_t *n, ob_error *error) {
    const ProtobufCFieldDescriptor *field = extras->fields[which];
    if (!field) return ob__newer_messages(&rows[which].field, message, limits, arena, out, n, error);
    *n = *(const size_t *)(const void *)((const char *)message + field->quantifier_offset);
    *out = *(ProtobufCMessage * *const *)(const void *)((const char *)message + field->offset);
    return OB_OK;
}

/* ---- The way back ---- */

/* A new list of the message's unknown fields without those of this row, with room for n more. */
static ob_status make_room(const extra_row *row, ProtobufCMessage *message, size_t n, ob_arena *arena, ob_error *error) {
    ProtobufCMessageUnknownField *fields = OB_ARENA_ARRAY(arena, ProtobufCMessageUnknownField, message->n_unknown_fields + n);
    if (!fields) return ob__arena_failure(arena, error);
    unsigned kept = 0;
    for (unsigned i = 0; i < message->n_unknown_fields; i++)
        if (!is_field(&message->unknown_fields[i], &row->field)) fields[kept++] = message->unknown_fields[i];
    message->unknown_fields = fields;
    message->n_unknown_fields = kept;
    return OB_OK;
}

/* Room for n payload bytes, after their length, as the next unknown field. NULL: out of memory. */
static uint8_t *append_field(const extra_row *row, ProtobufCMessage *message, size_t n, ob_arena *arena) {
    uint8_t *bytes = n > UINT32_MAX - 16 ? NULL : ob__arena_alloc(arena, n + 10);
    if (!bytes) return NULL;
    size_t n_length = 0;
    for (size_t left = n;; left >>= 7) {
        bytes[n_length++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
        if (left <= 0x7f) break;
    }
    message->unknown_fields[message->n_unknown_fields++] =
        (ProtobufCMessageUnknownField){row->field.id, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, n_length + n, bytes};
    return bytes + n_length;
}

ob_status ob__extra_set_string(const ob_extras *extras, ob_extra which, ProtobufCMessage *message, const char *text,
                               ob_arena *arena, ob_error *error) {
    const ProtobufCFieldDescriptor *field = extras->fields[which];
    if (field) {
        *(char **)(void *)((char *)message + field->offset) = (char *)(uintptr_t)text;
        return OB_OK;
    }
    OB_TRY(make_room(&rows[which], message, 1, arena, error));
    size_t n = strlen(text);
    if (n == 0) return OB_OK;
    uint8_t *bytes = append_field(&rows[which], message, n, arena);
    if (!bytes) return ob__arena_failure(arena, error);
    memcpy(bytes, text, n);
    return OB_OK;
}

ob_status ob__extra_set_messages(const ob_extras *extras, ob_extra which, ProtobufCMessage *message, ProtobufCMessage **messages,
                                 size_t n, ob_arena *arena, ob_error *error) {
    const ProtobufCFieldDescriptor *field = extras->fields[which];
    if (field) {
        *(size_t *)(void *)((char *)message + field->quantifier_offset) = n;
        *(ProtobufCMessage ***)(void *)((char *)message + field->offset) = messages;
        return OB_OK;
    }
    OB_TRY(make_room(&rows[which], message, n, arena, error));
    for (size_t i = 0; i < n; i++) {
        uint8_t *bytes = append_field(&rows[which], message, protobuf_c_message_get_packed_size(messages[i]), arena);
        if (!bytes) return ob__arena_failure(arena, error);
        protobuf_c_message_pack(messages[i], bytes);
    }
    return OB_OK;
}
