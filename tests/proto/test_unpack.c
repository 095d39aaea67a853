/* Messages unpacked by the library are those that protobuf-c unpacks: for random bytes in which fields repeat, lists are packed
 * and not packed, members of a oneof replace each other, and fields are unknown. */
#include "api.h"
#include "cell_file.pb-c.h"
#include "proto/wire.h"

enum { MOST_BYTES = 1 << 16, N_MESSAGES = 3000 };

static uint64_t state = 1;
static uint32_t drawn(uint32_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

typedef struct out {
    uint8_t bytes[MOST_BYTES];
    size_t n;
} out;

static void put_varint(out *o, uint64_t value) {
    for (; value > 0x7f; value >>= 7) o->bytes[o->n++] = (uint8_t)(value | 0x80);
    o->bytes[o->n++] = (uint8_t)value;
}

static void put_number(out *o, uint32_t wire_type) {
    static const uint64_t values[] = {
        0, 1, 2, 127, 128, 300, UINT64_MAX, UINT64_C(1) << 63, UINT32_MAX, UINT64_C(0xffffffff80000000)};
    if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT)
        put_varint(o, values[drawn(sizeof values / sizeof *values)]);
    else
        for (int n = wire_type == PROTOBUF_C_WIRE_TYPE_32BIT ? 4 : 8; n > 0; n--) o->bytes[o->n++] = (uint8_t)drawn(256);
}

static void put_message(out *o, const ProtobufCMessageDescriptor *type, int depth);

static void put_length_prefixed(out *o, const ProtobufCFieldDescriptor *field, int depth) {
    static out inner[8];
    out *in = &inner[depth];
    in->n = 0;
    if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
        put_message(in, field->descriptor, depth + 1);
    else if (field && ob__expected_wire_type(field) != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
        for (uint32_t n = drawn(4); n > 0; n--) put_number(in, ob__expected_wire_type(field));
    else
        for (uint32_t n = drawn(4); n > 0; n--) in->bytes[in->n++] = (uint8_t)('a' + drawn(26));
    if (o->n + in->n + 32 > MOST_BYTES) in->n = 0;
    put_varint(o, in->n);
    memcpy(o->bytes + o->n, in->bytes, in->n);
    o->n += in->n;
}

/* A field that is no list and holds a message is there once: the walk refuses others. */
static void put_message(out *o, const ProtobufCMessageDescriptor *type, int depth) {
    uint64_t seen = 0;
    for (uint32_t n = drawn(depth < 2 ? 30 : 5); n > 0 && o->n < MOST_BYTES / 2; n--) {
        const ProtobufCFieldDescriptor *field = drawn(6) ? &type->fields[drawn(type->n_fields)] : NULL;
        static const uint32_t unknown[] = {PROTOBUF_C_WIRE_TYPE_VARINT, PROTOBUF_C_WIRE_TYPE_64BIT,
                                           PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, PROTOBUF_C_WIRE_TYPE_32BIT};
        uint32_t number = field ? field->id : 1000 + drawn(3),
                 wire_type = field ? ob__expected_wire_type(field) : unknown[drawn(4)];
        if (field && field->type == PROTOBUF_C_TYPE_MESSAGE) {
            const uint64_t bit = UINT64_C(1) << (field - type->fields);
            if (depth == 6 || (field->label != PROTOBUF_C_LABEL_REPEATED && (seen & bit))) continue;
            seen |= bit;
        }
        if (field && field->label == PROTOBUF_C_LABEL_REPEATED && drawn(2)) wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
        put_varint(o, (uint64_t)number << 3 | wire_type);
        if (wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
            put_length_prefixed(o, field, depth);
        else
            put_number(o, wire_type);
    }
}

/* Both, packed again, are the same bytes; and so are the library's when raw data was not copied. */
static void compare(const ProtobufCMessageDescriptor *type, const out *o) {
    static uint8_t expected[2 * MOST_BYTES], found[2 * MOST_BYTES];
    ob_arena arena;
    ob__arena_init(&arena, NULL);
    ProtobufCMessage *known = protobuf_c_message_unpack(type, NULL, o->n, o->bytes);
    assert_non_null(known);
    const size_t n = protobuf_c_message_pack(known, expected);
    for (int refers = 0; refers < 2; refers++) {
        ProtobufCMessage *message = ob__unpack(type, o->bytes, o->n, refers, &arena);
        assert_non_null(message);
        assert_int_equal(protobuf_c_message_get_packed_size(message), n);
        assert_int_equal(protobuf_c_message_pack(message, found), n);
        assert_memory_equal(found, expected, n);
    }
    protobuf_c_message_free_unpacked(known, NULL);
    ob__arena_release(&arena);
}

static void the_same_as_protobuf_c(void **state_unused) {
    (void)state_unused;
    static const ProtobufCMessageDescriptor *const types[] = {
        &onnx__model_proto__descriptor,      &onnx__graph_proto__descriptor,        &onnx__node_proto__descriptor,
        &onnx__attribute_proto__descriptor,  &onnx__tensor_proto__descriptor,       &onnx__sparse_tensor_proto__descriptor,
        &onnx__type_proto__descriptor,       &onnx__tensor_shape_proto__descriptor, &onnx__function_proto__descriptor,
        &onnx__value_info_proto__descriptor, &ob_data__sequence_proto__descriptor,  &ob_data__map_proto__descriptor,
        &ob_data__optional_proto__descriptor};
    static out o;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int k = 0; k < N_MESSAGES; k++) {
            o.n = 0;
            if (k > 0) put_message(&o, types[i], 0);
            compare(types[i], &o);
            if (o.n > longest) longest = o.n;
        }
    assert_true(longest > 1000);
}

/* Without memory there is no message, wherever memory ends. */
static void memory_runs_out(void **state_unused) {
    (void)state_unused;
    static out o;
    state = 7;
    while (o.n < 2000) put_message(&o, &onnx__graph_proto__descriptor, 1);
    for (size_t limit = 1; limit < 1 << 20; limit *= 2) {
        ob_arena arena;
        ob__arena_init(&arena, NULL);
        arena.n_bytes_limit = limit;
        assert_true(ob__unpack(&onnx__graph_proto__descriptor, o.bytes, o.n, false, &arena) || arena.hit_limit);
        ob__arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_as_protobuf_c), cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
