/* From bytes to messages. protobuf-c trusts files too much (it recurses as deep as the file nests and copies every weight), so
 * the wire format is walked first, driven by the message descriptors. The same walk can write a skeleton: the message with each
 * raw_data payload replaced by a 16-byte reference into the original bytes, which is what protobuf-c then unpacks. */
#include <limits.h>
#include <string.h>

#include "core/base/error.h"
#include "proto/proto.h"

enum {
    LARGE_RAW = 1024,    /* raw_data of this many bytes is worth a skeleton, */
    ALIGNED_RAW = 64,    /* and payloads at multiples of this in the file are meant to be used in place */
    DEPTH_CEILING = 512, /* for any limit of the caller: the walk and protobuf-c recurse on the C stack */
    RAW_DATA_FIELD = 9,
    GROWTH_FREE = 1 << 20, /* bytes of messages that are not held against the size of the file */
    PADDED_LENGTH = 5      /* bytes of a length in the skeleton, written before it is known */
};

/* The reference that replaces a raw_data payload in the skeleton. */
typedef struct raw_reference {
    const uint8_t *data;
    size_t n;
} raw_reference;

typedef struct wire_walk {
    const uint8_t *base; /* for offsets in messages */
    const ob_load_limits *limits;
    uint32_t max_depth;
    ob_error *error;
    uint64_t n_nodes;
    uint64_t n_unpacked, n_unpacked_limit; /* bytes that protobuf-c will allocate: a close estimate */
    uint64_t n_lengths, n_raw, n_raw_bytes;
    bool needs_skeleton;
    uint8_t *out; /* NULL: only check and count */
} wire_walk;

/* One field in the wire format. */
typedef struct wire_field {
    const uint8_t *start;   /* of the tag */
    const uint8_t *payload; /* after the tag, and after the length of a length-delimited one */
    const uint8_t *end;
    uint32_t number;
    uint32_t wire_type;
    const ProtobufCFieldDescriptor *descriptor; /* NULL: unknown field */
} wire_field;

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

/* Bytes of the varint at p; 0: it does not end within 10 bytes or before end. */
static size_t read_varint(const uint8_t *p, const uint8_t *end, uint64_t *out) {
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

static size_t offset(const wire_walk *walk, const uint8_t *p) {
    return (size_t)(p - walk->base);
}

static const char *field_name(const wire_field *field) {
    return field->descriptor ? field->descriptor->name : "unknown";
}

static uint32_t expected_wire_type(const ProtobufCFieldDescriptor *field) {
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

/* Finds the end of the field's payload. */
static ob_status delimit(wire_walk *walk, const ProtobufCMessageDescriptor *type, wire_field *field, const uint8_t *end) {
    const uint8_t *p = field->payload;
    size_t left = (size_t)(end - p);
    uint64_t value;
    size_t n = 0;
    switch (field->wire_type) {
    case PROTOBUF_C_WIRE_TYPE_VARINT:
        n = read_varint(p, end, &value);
        OB_FAIL_IF(n == 0, walk->error, OB_E_FORMAT, "%s at byte %zu: the number of field %u (%s) of %s does not end",
                   left < 10 ? "truncated" : "malformed", offset(walk, p), field->number, field_name(field), type->short_name);
        break;
    case PROTOBUF_C_WIRE_TYPE_64BIT: n = 8; break;
    case PROTOBUF_C_WIRE_TYPE_32BIT: n = 4; break;
    case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED: {
        size_t n_length = read_varint(p, end, &value);
        OB_FAIL_IF(n_length == 0, walk->error, OB_E_FORMAT, "%s at byte %zu: the length of field %u (%s) of %s does not end",
                   left < 10 ? "truncated" : "malformed", offset(walk, p), field->number, field_name(field), type->short_name);
        field->payload = p += n_length;
        left -= n_length;
        OB_FAIL_IF(value > left, walk->error, OB_E_FORMAT,
                   "truncated at byte %zu: field %u (%s) of %s promises %llu bytes, %zu are left", offset(walk, p), field->number,
                   field_name(field), type->short_name, (unsigned long long)value, left);
        n = (size_t)value;
        if (n_length > PADDED_LENGTH) walk->needs_skeleton = true; /* legal, but protobuf-c reads five bytes */
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
    size_t n = read_varint(p, end, &tag);
    OB_FAIL_IF(n == 0 || n > 5 || tag > UINT32_MAX || tag >> 3 == 0, walk->error, OB_E_FORMAT,
               "%s at byte %zu: no field of %s starts here", n == 0 && end - p < 5 ? "truncated" : "not an ONNX file",
               offset(walk, p), type->short_name);
    field->start = p;
    field->payload = p + n;
    field->number = (uint32_t)(tag >> 3);
    field->wire_type = (uint32_t)(tag & 7);
    field->descriptor =
        guess && guess->id == field->number ? guess : protobuf_c_message_descriptor_get_field(type, field->number);
    OB_TRY(delimit(walk, type, field, end));
    if (!field->descriptor) return OB_OK;
    uint32_t expected = expected_wire_type(field->descriptor);
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
    uint32_t expected = expected_wire_type(field->descriptor);
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

static bool is_large_payload(const ProtobufCMessageDescriptor *type, const wire_field *field) {
    return type == &onnx__tensor_proto__descriptor && field->number == RAW_DATA_FIELD;
}

/* Bytes of the numbers of a packed list, in memory. */
static uint64_t packed_bytes(const wire_field *field) {
    uint64_t n = (uint64_t)(field->end - field->payload);
    bool wide = field->descriptor->type == PROTOBUF_C_TYPE_INT64 || field->descriptor->type == PROTOBUF_C_TYPE_UINT64 ||
                field->descriptor->type == PROTOBUF_C_TYPE_SINT64;
    return expected_wire_type(field->descriptor) == PROTOBUF_C_WIRE_TYPE_VARINT ? n * (wide ? 8 : 4) : n;
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
    if (is_large_payload(type, field)) return OB_OK; /* stays where it is */
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
    if (field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) walk->n_lengths++;
    if (!descriptor) return OB_OK;
    size_t n = (size_t)(field->end - field->payload);
    if (is_large_payload(type, field)) {
        walk->n_raw++;
        walk->n_raw_bytes += n;
        if (n >= LARGE_RAW || (n > 0 && offset(walk, field->payload) % ALIGNED_RAW == 0)) walk->needs_skeleton = true;
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
        /* Protobuf would merge the two; no writer of ONNX files makes that, and protobuf-c's merge is its weak spot. */
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

/* ---- The skeleton ---- */

static void put(wire_walk *walk, const void *bytes, size_t n) {
    if (n) memcpy(walk->out, bytes, n);
    walk->out += n;
}

static void put_padded_length(uint8_t *at, size_t n) {
    for (int i = 0; i < PADDED_LENGTH - 1; i++) at[i] = (uint8_t)(((n >> (7 * i)) & 0x7f) | 0x80);
    at[PADDED_LENGTH - 1] = (uint8_t)((n >> (7 * (PADDED_LENGTH - 1))) & 0x7f);
}

static void put_tag(wire_walk *walk, const wire_field *field) {
    const uint8_t *p = field->start;
    while (*p & 0x80) p++;
    put(walk, field->start, (size_t)(p + 1 - field->start));
}

/* protobuf-c holds lengths in an int. */
static ob_status check_int_length(wire_walk *walk, const wire_field *field, size_t n) {
    OB_FAIL_IF(n > INT_MAX - 64, walk->error, OB_E_LIMIT,
               "field %u (%s) at byte %zu holds %zu bytes beside raw data, 2 GiB is the limit", field->number, field_name(field),
               offset(walk, field->start), n);
    return OB_OK;
}

static ob_status copy_field(wire_walk *walk, const ProtobufCMessageDescriptor *type, const wire_field *field) {
    if (field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) {
        put(walk, field->start, (size_t)(field->end - field->start));
        return OB_OK;
    }
    size_t n = (size_t)(field->end - field->payload);
    bool refer = is_large_payload(type, field) && n > 0;
    if (!refer) OB_TRY(check_int_length(walk, field, n));
    put_tag(walk, field);
    put_padded_length(walk->out, refer ? sizeof(raw_reference) : n);
    walk->out += PADDED_LENGTH;
    if (refer)
        put(walk, &(raw_reference){field->payload, n}, sizeof(raw_reference));
    else
        put(walk, field->payload, n);
    return OB_OK;
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
        if (!walk->out) OB_TRY(check_field(walk, type, &field, &seen));
        p = field.end;
        if (!field.descriptor || field.descriptor->type != PROTOBUF_C_TYPE_MESSAGE) {
            if (walk->out) OB_TRY(copy_field(walk, type, &field));
            continue;
        }
        uint8_t *length_at = NULL;
        if (walk->out) {
            put_tag(walk, &field);
            length_at = walk->out;
            walk->out += PADDED_LENGTH;
        }
        OB_TRY(walk_message(walk, field.descriptor->descriptor, field.payload, field.end, depth + 1));
        if (!length_at) continue;
        size_t n = (size_t)(walk->out - length_at) - PADDED_LENGTH;
        OB_TRY(check_int_length(walk, &field, n));
        put_padded_length(length_at, n);
    }
    return OB_OK;
}

/* Points the raw data of every tensor in the message back at the original bytes. As deep as the walk went. */
static void resolve_references(ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    if (type == &onnx__tensor_proto__descriptor) {
        Onnx__TensorProto *tensor = (Onnx__TensorProto *)message;
        if (!tensor->has_raw_data || tensor->raw_data.len == 0) return;
        raw_reference reference;
        memcpy(&reference, tensor->raw_data.data, sizeof reference);
        tensor->raw_data.data = (uint8_t *)(uintptr_t)reference.data; /* never written through */
        tensor->raw_data.len = reference.n;
        return;
    }
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (field->type != PROTOBUF_C_TYPE_MESSAGE) continue;
        char *member = (char *)message + field->offset, *quantifier = (char *)message + field->quantifier_offset;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t n = *(size_t *)(void *)quantifier;
            ProtobufCMessage **messages = *(ProtobufCMessage ***)(void *)member;
            for (size_t k = 0; k < n; k++) resolve_references(messages[k]);
        } else if (!(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) || *(uint32_t *)(void *)quantifier == field->id) {
            ProtobufCMessage *inner = *(ProtobufCMessage **)(void *)member;
            if (inner) resolve_references(inner);
        }
    }
}

/* ---- Unpacking ---- */

/* The arena frees everything at once. But protobuf-c lists the fields of each message in blocks that it frees when the message is
 * there; of these large ones some are remembered and used again. */
enum { MOST_LISTS = 8, LEAST_LIST = 1024 };

typedef struct unpacking {
    ob_arena *arena;
    struct {
        void *block;
        size_t n_bytes;
        bool is_free;
    } lists[MOST_LISTS];
    uint32_t n_lists;
} unpacking;

static void *unpack_alloc(void *context, size_t n_bytes) {
    unpacking *u = context;
    if (n_bytes < LEAST_LIST) return ob__arena_alloc(u->arena, n_bytes);
    for (uint32_t i = 0; i < u->n_lists; i++)
        if (u->lists[i].is_free && u->lists[i].n_bytes >= n_bytes) {
            u->lists[i].is_free = false;
            return u->lists[i].block;
        }
    void *block = ob__arena_alloc(u->arena, n_bytes);
    if (block && u->n_lists < MOST_LISTS) {
        u->lists[u->n_lists].block = block;
        u->lists[u->n_lists].n_bytes = n_bytes;
        u->lists[u->n_lists++].is_free = false;
    }
    return block;
}

static void unpack_free(void *context, void *block) {
    unpacking *u = context;
    for (uint32_t i = 0; i < u->n_lists; i++)
        if (u->lists[i].block == block) u->lists[i].is_free = true;
}

static ob_status build_skeleton(wire_walk *walk, const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t n_bytes,
                                const ob_arena *arena, uint8_t **out, size_t *capacity) {
    uint64_t n = n_bytes - walk->n_raw_bytes + PADDED_LENGTH * walk->n_lengths + sizeof(raw_reference) * walk->n_raw + 1;
    OB_FAIL_IF(n > SIZE_MAX, walk->error, OB_E_LIMIT, "the model without its weights is too large for this machine");
    uint8_t *skeleton = arena->allocator.alloc(arena->allocator.context, (size_t)n);
    OB_FAIL_IF(!skeleton, walk->error, OB_E_MEMORY, "out of memory for the model without its weights (%llu bytes)",
               (unsigned long long)n);
    walk->out = skeleton;
    *out = skeleton;
    *capacity = (size_t)n;
    return walk_message(walk, type, bytes, bytes + n_bytes, 1);
}

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
    uint8_t *skeleton = NULL;
    size_t capacity = 0;
    ob_status status = OB_OK;
    if (walk.needs_skeleton || n_bytes > INT_MAX) {
        status = build_skeleton(&walk, type, bytes, n_bytes, arena, &skeleton, &capacity);
        if (status == OB_OK) bytes = skeleton, n_bytes = (size_t)(walk.out - skeleton);
    }
    ProtobufCMessage *message = NULL;
    if (status == OB_OK) {
        unpacking unpack = {.arena = arena};
        ProtobufCAllocator allocator = {unpack_alloc, unpack_free, &unpack};
        arena->failed = false;
        message = protobuf_c_message_unpack(type, &allocator, n_bytes, bytes);
        if (!message && arena->failed)
            status = ob__arena_failure(arena, error);
        else if (!message)
            status = ob__fail(error, OB_E_FORMAT, "not an ONNX %s: protobuf-c cannot unpack it", type->short_name);
        else if (skeleton)
            resolve_references(message);
    }
    if (skeleton) arena->allocator.free(arena->allocator.context, skeleton, capacity);
    if (status == OB_OK) *out = message;
    return status;
}
