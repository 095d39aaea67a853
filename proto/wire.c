/* From bytes to messages. The wire format of a file is walked first, driven by the message descriptors, and everything about it
 * is checked; then it is unpacked (unpack.c). */
#include <string.h>

#include "core/base/error.h"
#include "proto/proto.h"
#include "proto/wire.h"

enum {
    LARGE_RAW = 1024,     /* raw_data of this many bytes is not copied, */
    ALIGNED_RAW = 64,     /* and payloads at multiples of this in the file are meant to be used in place */
    DEPTH_CEILING = 512,  /* for any limit of the caller: walking and unpacking recurse on the C stack */
    GROWTH_FREE = 1 << 20 /* bytes of messages that are not held against the size of the file */
};

typedef struct wire_walk {
    const uint8_t *base; /* for offsets in messages */
    const ob_load_limits *limits;
    uint32_t max_depth;
    ob_error *error;
    uint64_t n_nodes;
    uint64_t n_unpacked, n_unpacked_limit; /* bytes that unpacking will allocate: a close estimate */
    bool refers;                           /* raw data stays where it is */
} wire_walk;

ob_load_limits ob__load_limits(const ob_load_limits *limits) {
    ob_load_limits out = {0};
    if (limits) out = *limits;
    if (!out.max_bytes) out.max_bytes = UINT64_C(1) << 40;
    if (!out.max_arena) out.max_arena = UINT64_C(16) << 30;
    if (!out.max_depth) out.max_depth = 64;
    if (!out.max_rank) out.max_rank = 256;
    if (!out.max_nodes) out.max_nodes = UINT64_C(1) << 26;
    if (!out.max_growth) out.max_growth = 64;
    return out;
}

/* ---- Checking ---- */

static size_t offset(const wire_walk *walk, const uint8_t *p) {
    return (size_t)(p - walk->base);
}

static const char *field_name(const wire_field *field) {
    return field->descriptor ? field->descriptor->name : "unknown";
}

/* Finds the end of the field's payload. */
static ob_status delimit(wire_walk *walk, const ProtobufCMessageDescriptor *type, wire_field *field, const uint8_t *end) {
    const uint8_t *p = field->payload;
    size_t left = (size_t)(end - p);
    uint64_t value;
    size_t n = 0;
    switch (field->wire_type) {
    case PROTOBUF_C_WIRE_TYPE_VARINT:
        n = ob__read_varint(p, end, &value);
        OB_FAIL_IF(n == 0, walk->error, OB_E_FORMAT, "%s at byte %zu: the number of field %u (%s) of %s does not end",
                   left < 10 ? "truncated" : "malformed", offset(walk, p), field->number, field_name(field), type->short_name);
        break;
    case PROTOBUF_C_WIRE_TYPE_64BIT: n = 8; break;
    case PROTOBUF_C_WIRE_TYPE_32BIT: n = 4; break;
    case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED: {
        size_t n_length = ob__read_varint(p, end, &value);
        OB_FAIL_IF(n_length == 0, walk->error, OB_E_FORMAT, "%s at byte %zu: the length of field %u (%s) of %s does not end",
                   left < 10 ? "truncated" : "malformed", offset(walk, p), field->number, field_name(field), type->short_name);
        field->payload = p += n_length;
        left -= n_length;
        OB_FAIL_IF(value > left, walk->error, OB_E_FORMAT,
                   "truncated at byte %zu: field %u (%s) of %s promises %llu bytes, %zu are left", offset(walk, p), field->number,
                   field_name(field), type->short_name, (unsigned long long)value, left);
        n = (size_t)value;
        break;
    }
    default:
        return ob__fail(walk->error, OB_E_FORMAT, "not an ONNX file: byte %zu holds wire type %u, which ONNX does not use",
                        offset(walk, field->start), field->wire_type);
    }
    OB_FAIL_IF(n > left, walk->error, OB_E_FORMAT, "truncated at byte %zu: field %u (%s) of %s needs %zu bytes, %zu are left",
               offset(walk, p), field->number, field_name(field), type->short_name, n, left);
    field->end = p + n;
    return OB_OK;
}

/* Reads the tag at p and delimits the field. */
static ob_status next_field(wire_walk *walk, const ProtobufCMessageDescriptor *type, const uint8_t *p, const uint8_t *end,
                            const ProtobufCFieldDescriptor *guess, wire_field *field) {
    uint64_t tag;
    size_t n = ob__read_varint(p, end, &tag);
    OB_FAIL_IF(n == 0 || n > 5 || tag > UINT32_MAX || tag >> 3 == 0, walk->error, OB_E_FORMAT,
               "%s at byte %zu: no field of %s starts here", n == 0 && end - p < 5 ? "truncated" : "not an ONNX file",
               offset(walk, p), type->short_name);
    field->start = p;
    field->payload = p + n;
    field->number = (uint32_t)(tag >> 3);
    field->wire_type = (uint32_t)(tag & 7);
    field->descriptor = guess && guess->id == field->number ? guess : ob__known_field(type, field->number);
    OB_TRY(delimit(walk, type, field, end));
    if (!field->descriptor) return OB_OK;
    uint32_t expected = ob__expected_wire_type(field->descriptor);
    bool packed =
        field->descriptor->label == PROTOBUF_C_LABEL_REPEATED && field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    OB_FAIL_IF(field->wire_type != expected && !packed, walk->error, OB_E_FORMAT,
               "not an ONNX %s: at byte %zu field %u (%s) has wire type %u instead of %u", type->short_name, offset(walk, p),
               field->number, field_name(field), field->wire_type, expected);
    return OB_OK;
}

/* A packed list must be made of whole numbers. */
static ob_status check_packed(wire_walk *walk, const ProtobufCMessageDescriptor *type, const wire_field *field) {
    size_t n = (size_t)(field->end - field->payload);
    uint32_t expected = ob__expected_wire_type(field->descriptor);
    bool whole = true;
    if (expected == PROTOBUF_C_WIRE_TYPE_32BIT)
        whole = n % 4 == 0;
    else if (expected == PROTOBUF_C_WIRE_TYPE_64BIT)
        whole = n % 8 == 0;
    else {
        size_t run = 0; /* bytes of the current varint so far */
        for (const uint8_t *p = field->payload; p < field->end && whole; p++) {
            run = *p & 0x80 ? run + 1 : 0;
            whole = run < 10;
        }
        whole = whole && run == 0;
    }
    OB_FAIL_IF(!whole, walk->error, OB_E_FORMAT, "malformed at byte %zu: field %u (%s) of %s does not hold whole numbers",
               offset(walk, field->payload), field->number, field_name(field), type->short_name);
    return OB_OK;
}

/* Bytes of the numbers of a packed list, in memory. */
static uint64_t packed_bytes(const wire_field *field) {
    uint64_t n = (uint64_t)(field->end - field->payload);
    bool wide = field->descriptor->type == PROTOBUF_C_TYPE_INT64 || field->descriptor->type == PROTOBUF_C_TYPE_UINT64 ||
                field->descriptor->type == PROTOBUF_C_TYPE_SINT64;
    return ob__expected_wire_type(field->descriptor) == PROTOBUF_C_WIRE_TYPE_VARINT ? n * (wide ? 8 : 4) : n;
}

/* The memory that unpacking the field allocates: a struct for each message, a copy of each text, a place in each list. */
static uint64_t unpacked_bytes(const wire_field *field) {
    enum { PLACE = 16, ALIGNMENT = 16 };
    uint64_t n = (uint64_t)(field->end - field->payload);
    if (!field->descriptor) return sizeof(ProtobufCMessageUnknownField) + ALIGNMENT + n;
    uint64_t place = field->descriptor->label == PROTOBUF_C_LABEL_REPEATED ? PLACE : 0;
    switch (field->descriptor->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        return place + ((const ProtobufCMessageDescriptor *)field->descriptor->descriptor)->sizeof_message;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES: return place + ALIGNMENT + n;
    default: return field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED ? packed_bytes(field) : place;
    }
}

static ob_status count_unpacked(wire_walk *walk, const ProtobufCMessageDescriptor *type, const wire_field *field) {
    if (ob__is_raw_data(type, field)) return OB_OK; /* stays where it is */
    walk->n_unpacked += unpacked_bytes(field);
    OB_FAIL_IF(walk->n_unpacked > walk->n_unpacked_limit, walk->error, OB_E_LIMIT,
               "the messages of the file take more than %llu bytes in memory, %u for each byte of the file: too many small ones, "
               "the last of them field %u (%s) of %s at byte %zu",
               (unsigned long long)walk->n_unpacked_limit, (unsigned)walk->limits->max_growth, field->number, field_name(field),
               type->short_name, offset(walk, field->start));
    return OB_OK;
}

/* Checks everything about a field except the inside of a message. */
static ob_status check_field(wire_walk *walk, const ProtobufCMessageDescriptor *type, const wire_field *field, uint64_t *seen) {
    const ProtobufCFieldDescriptor *descriptor = field->descriptor;
    OB_TRY(count_unpacked(walk, type, field));
    if (!descriptor) return OB_OK;
    size_t n = (size_t)(field->end - field->payload);
    if (ob__is_raw_data(type, field)) {
        if (n >= LARGE_RAW || (n > 0 && offset(walk, field->payload) % ALIGNED_RAW == 0)) walk->refers = true;
        return OB_OK;
    }
    switch (descriptor->type) {
    case PROTOBUF_C_TYPE_STRING:
        OB_FAIL_IF(n && memchr(field->payload, 0, n), walk->error, OB_E_FORMAT,
                   "malformed at byte %zu: the text of field %u (%s) of %s holds a zero byte", offset(walk, field->payload),
                   field->number, field_name(field), type->short_name);
        return OB_OK;
    case PROTOBUF_C_TYPE_BYTES: return OB_OK;
    case PROTOBUF_C_TYPE_MESSAGE: {
        /* Protobuf would merge the two, which no writer of ONNX files makes. */
        uint64_t bit = UINT64_C(1) << ((size_t)(descriptor - type->fields) & 63);
        OB_FAIL_IF(descriptor->label != PROTOBUF_C_LABEL_REPEATED && (*seen & bit), walk->error, OB_E_FORMAT,
                   "malformed at byte %zu: field %u (%s) of %s occurs twice", offset(walk, field->start), field->number,
                   field_name(field), type->short_name);
        *seen |= bit;
        if (descriptor->descriptor == &onnx__node_proto__descriptor)
            OB_FAIL_IF(++walk->n_nodes > walk->limits->max_nodes, walk->error, OB_E_LIMIT, "more nodes than the limit of %llu",
                       (unsigned long long)walk->limits->max_nodes);
        return OB_OK;
    }
    default: return field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED ? check_packed(walk, type, field) : OB_OK;
    }
}

/* ---- The walk ---- */

static ob_status walk_message(wire_walk *walk, const ProtobufCMessageDescriptor *type, const uint8_t *p, const uint8_t *end,
                              uint32_t depth) {
    OB_FAIL_IF(depth > walk->max_depth, walk->error, OB_E_LIMIT, "nested deeper than the limit of %u at byte %zu",
               walk->max_depth, offset(walk, p));
    uint64_t seen = 0;
    wire_field field = {0};
    while (p < end) {
        OB_TRY(next_field(walk, type, p, end, field.descriptor, &field));
        OB_TRY(check_field(walk, type, &field, &seen));
        if (field.descriptor && field.descriptor->type == PROTOBUF_C_TYPE_MESSAGE)
            OB_TRY(walk_message(walk, field.descriptor->descriptor, field.payload, field.end, depth + 1));
        p = field.end;
    }
    return OB_OK;
}

/* ---- The whole ---- */

ob_status ob__wire_unpack(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t n_bytes,
                          const ob_load_limits *limits, ob_arena *arena, ProtobufCMessage **out, ob_error *error) {
    wire_walk walk = {.base = bytes, .limits = limits, .error = error};
    walk.n_unpacked_limit = GROWTH_FREE;
    if (n_bytes > (UINT64_MAX - GROWTH_FREE) / limits->max_growth)
        walk.n_unpacked_limit = UINT64_MAX;
    else
        walk.n_unpacked_limit = GROWTH_FREE + n_bytes * (uint64_t)limits->max_growth;
    walk.max_depth = limits->max_depth < DEPTH_CEILING ? limits->max_depth : DEPTH_CEILING;
    OB_TRY(walk_message(&walk, type, bytes, bytes + n_bytes, 1));
    ProtobufCMessage *message = ob__unpack(type, bytes, n_bytes, walk.refers, arena);
    if (!message) return ob__arena_failure(arena, error);
    *out = message;
    return OB_OK;
}
