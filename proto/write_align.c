/* The aligned form: a protobuf file in which the bytes of every weight begin at a multiple of OB_FILE_ALIGNMENT, so that they can
 * be used in place (mapped, or in flash memory).
 *
 * The space before them is filled with further occurrences of the tensor's own data_type field. A reader takes the last
 * occurrence of a field that is not repeated, and all are equal, so the message stays the same. Elements in typed fields
 * (float_data ...) become raw data, which is the only form with a fixed width.
 *
 * protobuf-c writes known fields by number, then unknown fields. The padding and the raw data are given to it as unknown fields,
 * with a placeholder that is replaced by the payload during writing, so that no weight is copied. */
#include <string.h>

#include "core/base/error.h"
#include "core/graph/tensor_data.h"
#include "proto/writer.h"

enum { DATA_TYPE_FIELD = 2, RAW_DATA_FIELD = 9, MAX_ROUNDS = 100, MAX_LENGTH_BYTES = 5 };

/* The raw data of one tensor. Pieces are listed in the order in which they are written. */
typedef struct piece {
    uint8_t length[MAX_LENGTH_BYTES]; /* in wire format; its address identifies the piece during writing */
    size_t n_length;
    ProtobufCBinaryData payload;
    ProtobufCMessageUnknownField *fields; /* of the tensor: padding, raw data, those of the file */
    unsigned n_fields;
    Onnx__TensorProto *message;
    uint8_t data_type;
    size_t n_padding;
    uint64_t at; /* of the payload in the file, as the last round found it */
    struct piece *next;
} piece;

typedef struct aligner {
    ob_proto_writer *writer;
    piece *first, **end;
} aligner;

static ob_status out_of_memory(aligner *a) {
    return ob__arena_failure(&a->writer->arena, a->writer->error);
}

/* ---- Messages with placeholders ---- */

/* Padding of n bytes, n not 1: pairs of tag and number, the first number in two bytes when n is odd. The first tag is the
 * unknown field's own. */
static ob_status set_padding(aligner *a, piece *p, size_t n) {
    ProtobufCMessageUnknownField *padding = p->fields;
    p->n_padding = n;
    p->message->base.unknown_fields = n ? p->fields : p->fields + 1;
    p->message->base.n_unknown_fields = p->n_fields - (n == 0);
    if (n == 0) return OB_OK;
    uint8_t *bytes = ob__arena_alloc(&a->writer->arena, n);
    if (!bytes) return out_of_memory(a);
    *padding = (ProtobufCMessageUnknownField){
        .tag = DATA_TYPE_FIELD, .wire_type = PROTOBUF_C_WIRE_TYPE_VARINT, .len = n - 1, .data = bytes};
    size_t i = 0;
    if (n % 2)
        bytes[i++] = p->data_type | 0x80, bytes[i++] = 0;
    else
        bytes[i++] = p->data_type;
    while (i < n - 1) {
        bytes[i++] = DATA_TYPE_FIELD << 3 | PROTOBUF_C_WIRE_TYPE_VARINT;
        bytes[i++] = p->data_type;
    }
    return OB_OK;
}

static void forget_typed_fields(Onnx__TensorProto *message) {
    message->n_float_data = message->n_int32_data = message->n_int64_data = 0;
    message->n_double_data = message->n_uint64_data = 0;
    message->has_raw_data = 0;
}

/* The elements as raw data. payload->len 0: nothing to align, or a tensor that cannot be read, which stays as it is. */
static ob_status find_payload(aligner *a, const Onnx__TensorProto *message, ProtobufCBinaryData *payload) {
    ob_arena *arena = &a->writer->arena;
    *payload = message->raw_data;
    if (!message->has_raw_data) payload->len = 0;
    if (payload->len > 0) return OB_OK;
    ob_tensor *tensor = NULL;
    uint64_t n_bytes;
    ob_status status = ob__read_tensor(arena, message, UINT32_MAX, "", &tensor, NULL);
    if (status == OB_E_MEMORY) return out_of_memory(a);
    if (status != OB_OK || tensor->dtype == OB_NONE || tensor->dtype == OB_STRING || tensor->is_external || !tensor->data ||
        tensor->n_elems == 0 || !ob__file_bytes(tensor->dtype, tensor->n_elems, &n_bytes) || n_bytes > UINT32_MAX)
        return OB_OK;
    uint8_t *raw = ob__arena_alloc(arena, (size_t)n_bytes);
    if (!raw) return out_of_memory(a);
    ob__encode_raw(tensor->dtype, tensor->data, tensor->n_elems, raw);
    *payload = (ProtobufCBinaryData){(size_t)n_bytes, raw};
    return OB_OK;
}

static ob_status align_tensor(aligner *a, const Onnx__TensorProto *message, Onnx__TensorProto **out) {
    ob_arena *arena = &a->writer->arena;
    ProtobufCBinaryData payload;
    *out = (Onnx__TensorProto *)(uintptr_t)message;
    OB_TRY(find_payload(a, message, &payload));
    if (payload.len == 0 || payload.len > UINT32_MAX || message->data_type <= 0 || message->data_type > 0x7f) return OB_OK;
    unsigned n_fields = message->base.n_unknown_fields;
    piece *p = OB_ARENA_NEW(arena, piece);
    Onnx__TensorProto *copy = OB_COPY_MESSAGE(a->writer, onnx__tensor_proto__descriptor, message);
    ProtobufCMessageUnknownField *fields = OB_ARENA_ARRAY(arena, ProtobufCMessageUnknownField, (size_t)n_fields + 2);
    if (!p || !copy || !fields) return out_of_memory(a);
    forget_typed_fields(copy);
    *p = (piece){.payload = payload,
                 .fields = fields,
                 .n_fields = n_fields + 2,
                 .message = copy,
                 .data_type = (uint8_t)message->data_type};
    for (size_t left = payload.len; left > 0 || p->n_length == 0; left >>= 7)
        p->length[p->n_length++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    fields[1] = (ProtobufCMessageUnknownField){.tag = RAW_DATA_FIELD,
                                               .wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
                                               .len = p->n_length + payload.len,
                                               .data = p->length};
    if (n_fields) memcpy(fields + 2, message->base.unknown_fields, n_fields * sizeof *fields);
    *a->end = p;
    a->end = &p->next;
    *out = copy;
    return set_padding(a, p, 0);
}

static ob_status align_message(aligner *a, const ProtobufCMessage *message, ProtobufCMessage **out);

/* The member of a message at `field`: an array and its length, or one message. */
static ob_status align_list(aligner *a, ProtobufCMessage *const *list, size_t n, ProtobufCMessage ***out) {
    *out = NULL;
    for (size_t i = 0; i < n; i++) {
        ProtobufCMessage *aligned;
        OB_TRY(align_message(a, list[i], &aligned));
        if (aligned == list[i]) continue;
        if (!*out) {
            *out = OB_ARENA_ARRAY(&a->writer->arena, ProtobufCMessage *, n);
            if (!*out) return out_of_memory(a);
            memcpy(*out, list, n * sizeof *list);
        }
        (*out)[i] = aligned;
    }
    return OB_OK;
}

/* The message, or a copy when a tensor anywhere in it is another now. In the order of the fields' numbers, as it is written. As
 * deep as messages nest, which the loader bounds. */
static ob_status align_message(aligner *a, const ProtobufCMessage *message, ProtobufCMessage **out) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    *out = (ProtobufCMessage *)(uintptr_t)message;
    if (type == &onnx__tensor_proto__descriptor)
        return align_tensor(a, (const Onnx__TensorProto *)message, (Onnx__TensorProto **)out);
    char *copy = NULL;
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (field->type != PROTOBUF_C_TYPE_MESSAGE) continue;
        const char *member = (const char *)message + field->offset,
                   *quantifier = (const char *)message + field->quantifier_offset;
        bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED, changed = false;
        ProtobufCMessage **list = NULL, *one = NULL;
        if (repeated) {
            OB_TRY(align_list(a, *(ProtobufCMessage *const *const *)(const void *)member,
                              *(const size_t *)(const void *)quantifier, &list));
            changed = list != NULL;
        } else if (!(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) || *(const uint32_t *)(const void *)quantifier == field->id) {
            const ProtobufCMessage *inner = *(ProtobufCMessage *const *)(const void *)member;
            if (inner) OB_TRY(align_message(a, inner, &one));
            changed = one != inner;
        }
        if (!changed) continue;
        if (!copy) copy = ob__copy_message(a->writer, type, message);
        if (!copy) return out_of_memory(a);
        if (repeated)
            *(ProtobufCMessage ***)(void *)(copy + field->offset) = list;
        else
            *(ProtobufCMessage **)(void *)(copy + field->offset) = one;
        *out = (ProtobufCMessage *)(void *)copy;
    }
    return OB_OK;
}

/* ---- Bytes ---- */

typedef struct aligned_sink {
    piece *next; /* to be written */
    uint64_t at;
    ob_write_sink sink; /* NULL: only the positions are wanted */
    void *context;
} aligned_sink;

static ob_status put(aligned_sink *s, const void *bytes, size_t n) {
    s->at += n;
    return s->sink && n ? s->sink(s->context, bytes, n) : OB_OK;
}

static ob_status put_aligned(void *context, const void *bytes, size_t n) {
    aligned_sink *s = context;
    piece *p = s->next;
    if (!p || bytes != p->length) return put(s, bytes, n);
    s->next = p->next;
    OB_TRY(put(s, p->length, p->n_length));
    p->at = s->at;
    return put(s, p->payload.data, p->payload.len);
}

/* More padding where a payload is not aligned. It only grows, and so do the lengths around it: it comes to rest. */
static ob_status grow_paddings(aligner *a, bool *grown) {
    uint64_t shift = 0;
    *grown = false;
    for (piece *p = a->first; p; p = p->next) {
        size_t more = (size_t)(OB_FILE_ALIGNMENT - (p->at + shift) % OB_FILE_ALIGNMENT) % OB_FILE_ALIGNMENT;
        if (more == 0) continue;
        if (p->n_padding + more == 1) more += OB_FILE_ALIGNMENT; /* nothing has one byte */
        shift += more;
        *grown = true;
        OB_TRY(set_padding(a, p, p->n_padding + more));
    }
    return OB_OK;
}

ob_status ob__write_aligned(ob_proto_writer *writer, const ProtobufCMessage *message, ob_write_sink sink, void *context) {
    aligner a = {.writer = writer, .end = &a.first};
    ProtobufCMessage *aligned;
    OB_TRY(align_message(&a, message, &aligned));
    bool grown = a.first != NULL;
    for (int round = 0; grown; round++) {
        OB_FAIL_IF(round == MAX_ROUNDS, writer->error, OB_E_INTERNAL, "the weights cannot be aligned");
        aligned_sink positions = {.next = a.first};
        OB_TRY(ob__write_message(aligned, put_aligned, &positions, writer->error));
        OB_TRY(grow_paddings(&a, &grown));
    }
    aligned_sink out = {.next = a.first, .sink = sink, .context = context};
    return ob__write_message(aligned, put_aligned, &out, writer->error);
}
