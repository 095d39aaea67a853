/* Sequences, optionals and maps in files: the messages of ONNX's test data. */
#include "onnx_broadcast/cell_file.h"

#include <string.h>

#include "cell_file.pb-c.h"
#include "core/base/error.h"
#include "core/graph/cell.h"
#include "proto/file.h"
#include "proto/proto.h"
#include "proto/tensor_file.h"

/* SequenceProto.DataType and OptionalProto.DataType. */
enum { OF_UNDEFINED, OF_TENSORS, OF_SPARSE_TENSORS, OF_SEQUENCES, OF_MAPS, OF_OPTIONALS };

/* ---- Reading ---- */

typedef struct reading {
    const char *path; /* for messages */
    const ob_allocator *allocator;
    ob_arena *arena;
    ob_error *error;
} reading;

/* Messages are nested no deeper than the wire's limit, cells no deeper than theirs. */
static ob_status read_optional(const reading *r, const ObData__OptionalProto *message, ob_cell **out);
static ob_status read_sequence(const reading *r, const ObData__SequenceProto *message, ob_cell **out);
static ob_status read_map(const reading *r, const ObData__MapProto *message, ob_cell **out);

static ob_status read_tensor(const reading *r, const Onnx__TensorProto *message, ob_cell **out) {
    ob_tensor *tensor;
    ob_view view;
    OB_TRY(ob__read_whole_tensor(r->arena, message, r->path, &tensor, r->error));
    ob_status status = ob_view_init(&view, (void *)(uintptr_t)tensor->data, tensor->dtype, tensor->rank, tensor->dims);
    OB_FAIL_IF(status != OB_OK, r->error, status, "\"%s\": a tensor is too large", r->path);
    return ob_cell_tensor(&view, r->allocator, out, r->error);
}

static ob_status no_sparse(const reading *r) {
    return ob__fail(r->error, OB_E_UNSUPPORTED, "\"%s\" holds sparse tensors", r->path);
}

/* Takes over the item. */
static ob_status append(const reading *r, ob_cell **list, ob_cell *item) {
    ob_status status = ob__cell_insert(list, ob_cell_count(*list), item, r->error);
    return status == OB_E_TYPE ? ob__fail(r->error, OB_E_MODEL, "\"%s\": the items of a sequence have different types", r->path)
                               : status;
}

static ob_status read_items(const reading *r, const ObData__SequenceProto *message, ob_cell **list) {
    ob_cell *item = NULL;
    for (size_t i = 0; i < message->n_tensor_values; i++) {
        OB_TRY(read_tensor(r, message->tensor_values[i], &item));
        OB_TRY(append(r, list, item));
    }
    for (size_t i = 0; i < message->n_sequence_values; i++) {
        OB_TRY(read_sequence(r, message->sequence_values[i], &item));
        OB_TRY(append(r, list, item));
    }
    for (size_t i = 0; i < message->n_map_values; i++) {
        OB_TRY(read_map(r, message->map_values[i], &item));
        OB_TRY(append(r, list, item));
    }
    for (size_t i = 0; i < message->n_optional_values; i++) {
        OB_TRY(read_optional(r, message->optional_values[i], &item));
        OB_TRY(append(r, list, item));
    }
    return OB_OK;
}

static ob_status read_sequence(const reading *r, const ObData__SequenceProto *message, ob_cell **out) {
    if (message->n_sparse_tensor_values) return no_sparse(r);
    ob_cell *list;
    OB_TRY(ob__cell_new_list(OB_CELL_SEQUENCE, OB_NONE, 0, r->allocator, &list, r->error));
    ob_status status = read_items(r, message, &list);
    if (status == OB_OK)
        *out = list;
    else
        ob_cell_close(&list);
    return status;
}

/* Integer keys, which a message keeps in 64 bits. */
static ob_status narrow_keys(const reading *r, const int64_t *from, size_t n, ob_dtype dtype, ob_view *out) {
    size_t width = ob_dtype_size(dtype);
    const uint16_t one = 1;
    OB_FAIL_IF(width > sizeof *from, r->error, OB_E_MODEL, "\"%s\": the keys of a map are %s", r->path, ob_dtype_name(dtype));
    size_t skip = *(const char *)&one ? 0 : 8 - width; /* the low bytes */
    char *keys = ob__arena_calloc(r->arena, n, width);
    if (!keys) return ob__arena_failure(r->arena, r->error);
    for (size_t i = 0; i < n; i++) memcpy(keys + i * width, (const char *)&from[i] + skip, width);
    return ob_view_init(out, keys, dtype, 1, (int64_t[]){(int64_t)n});
}

static ob_status string_keys(const reading *r, const ProtobufCBinaryData *from, size_t n, ob_view *out) {
    ob_string *keys = OB_ARENA_ARRAY(r->arena, ob_string, n);
    if (!keys) return ob__arena_failure(r->arena, r->error);
    for (size_t i = 0; i < n; i++) keys[i] = (ob_string){(const char *)from[i].data, from[i].len};
    return ob_view_init(out, keys, OB_STRING, 1, (int64_t[]){(int64_t)n});
}

static ob_status read_map(const reading *r, const ObData__MapProto *message, ob_cell **out) {
    ob_dtype dtype = ob__read_dtype(message->key_type);
    ob_cell *values = NULL;
    ob_view keys;
    OB_FAIL_IF(ob_dtype_size(dtype) == 0 || (dtype == OB_STRING ? message->n_keys : message->n_string_keys) > 0, r->error,
               OB_E_MODEL, "\"%s\": the keys of a map do not have its key type", r->path);
    ob_status status = dtype == OB_STRING ? string_keys(r, message->string_keys, message->n_string_keys, &keys)
                                          : narrow_keys(r, message->keys, message->n_keys, dtype, &keys);
    if (status == OB_OK && message->values) status = read_sequence(r, message->values, &values);
    if (status == OB_OK)
        status = ob_cell_map(&keys, values ? (const ob_cell *const *)values->items : NULL, ob_cell_count(values), r->allocator,
                             out, r->error);
    ob_cell_close(&values);
    if (status == OB_E_ARGUMENT || status == OB_E_TYPE)
        return ob__fail(r->error, OB_E_MODEL,
                        "\"%s\": a map's keys are not integers or strings, one for each value, or occur twice", r->path);
    return status;
}

static ob_status read_optional(const reading *r, const ObData__OptionalProto *message, ob_cell **out) {
    if (message->tensor_value) return read_tensor(r, message->tensor_value, out);
    if (message->sequence_value) return read_sequence(r, message->sequence_value, out);
    if (message->map_value) return read_map(r, message->map_value, out);
    if (message->optional_value) return read_optional(r, message->optional_value, out);
    if (message->sparse_tensor_value) return no_sparse(r);
    return ob_cell_none(r->allocator, out, r->error);
}

static ob_status read_source(const reading *r, ob_type_kind kind, const ob_source *source, ob_cell **out) {
    static const ProtobufCMessageDescriptor *const messages[] = {[OB_TYPE_TENSOR] = &onnx__tensor_proto__descriptor,
                                                                 [OB_TYPE_SEQUENCE] = &ob_data__sequence_proto__descriptor,
                                                                 [OB_TYPE_OPTIONAL] = &ob_data__optional_proto__descriptor,
                                                                 [OB_TYPE_MAP] = &ob_data__map_proto__descriptor};
    ob_load_limits limits = ob__load_limits(NULL);
    ProtobufCMessage *message = NULL;
    OB_TRY(ob__refuse_foreign(source->bytes, source->n_bytes, OB_WANTED_MESSAGE, "not what was asked for", r->error));
    OB_TRY(ob__wire_unpack(messages[kind], source->bytes, source->n_bytes, &limits, r->arena, &message, r->error));
    switch (kind) {
    case OB_TYPE_SEQUENCE: return read_sequence(r, (ObData__SequenceProto *)message, out);
    case OB_TYPE_OPTIONAL: return read_optional(r, (ObData__OptionalProto *)message, out);
    case OB_TYPE_MAP: return read_map(r, (ObData__MapProto *)message, out);
    default: return read_tensor(r, (Onnx__TensorProto *)message, out);
    }
}

static ob_status check_call(const char *path, ob_type_kind kind, const void *cell, ob_error *error) {
    OB_FAIL_IF(!path || !cell, error, OB_E_ARGUMENT, "no path or no cell");
    OB_FAIL_IF(kind != OB_TYPE_TENSOR && kind != OB_TYPE_SEQUENCE && kind != OB_TYPE_OPTIONAL && kind != OB_TYPE_MAP, error,
               OB_E_ARGUMENT, "a file holds a tensor, a sequence, an optional or a map");
    return OB_OK;
}

ob_status ob__read_cell_source(const ob_source *source, const char *path, ob_type_kind kind, const ob_allocator *allocator,
                               ob_cell **out, ob_error *error) {
    ob_arena arena;
    ob__arena_init(&arena, allocator);
    reading r = {path, allocator, &arena, error};
    ob_status status = ob__described(error, read_source(&r, kind, source, out), "cannot read");
    ob__arena_release(&arena);
    return status;
}

ob_status ob_cell_file_read(const char *path, ob_type_kind kind, const ob_allocator *allocator, ob_cell **out, ob_error *error) {
    ob_error_clear(error);
    OB_TRY(check_call(path, kind, out, error));
    ob_source source;
    OB_TRY(ob__source_open(path, allocator, UINT64_MAX, &source, error));
    ob_status status = ob__read_cell_source(&source, path, kind, allocator, out, error);
    ob__source_release(&source);
    return status;
}

/* ---- Writing ---- */

typedef struct writing {
    ob_arena arena;
    ob_error *error;
} writing;

static ob_status no_memory(const writing *w) {
    return ob__fail(w->error, OB_E_MEMORY, "out of memory");
}

static ob_status wrong_kind(const writing *w, const char *what) {
    return ob__fail(w->error, OB_E_ARGUMENT, "the cell holds no %s", what);
}

static ob_status sequence_message(writing *w, const char *name, const ob_cell *cell, ObData__SequenceProto *out);
static ob_status map_message(writing *w, const char *name, const ob_cell *cell, ObData__MapProto *out);
static ob_status optional_message(writing *w, const char *name, const ob_cell *cell, ObData__OptionalProto *out);

static ob_status tensor_message(writing *w, const char *name, const ob_cell *cell, Onnx__TensorProto *out) {
    ob_view *view = OB_ARENA_NEW(&w->arena, ob_view); /* the message points into it */
    if (!view) return no_memory(w);
    if (!ob_cell_view(cell, view)) return wrong_kind(w, "tensor");
    return ob__tensor_message(out, name, view, &w->arena, w->error);
}

static int element_number(const ob_cell *element) {
    switch (ob_cell_get_kind(element)) {
    case OB_CELL_TENSOR: return OF_TENSORS;
    case OB_CELL_SEQUENCE: return OF_SEQUENCES;
    case OB_CELL_MAP: return OF_MAPS;
    default: return OF_UNDEFINED;
    }
}

/* Room for n messages of one class and the pointers to them. */
#define NEW_LIST(w, list, class, n)                                                                                              \
    do {                                                                                                                         \
        class *rows = OB_ARENA_ARRAY(&(w)->arena, class, (n));                                                                   \
        (list) = OB_ARENA_ARRAY(&(w)->arena, class *, (n));                                                                      \
        if (!rows || !(list)) return no_memory(w);                                                                               \
        for (size_t row = 0; row < (n); row++) (list)[row] = &rows[row];                                                         \
    } while (0)

static ob_status sequence_message(writing *w, const char *name, const ob_cell *cell, ObData__SequenceProto *out) {
    ob_data__sequence_proto__init(out);
    out->name = name && name[0] ? (char *)(uintptr_t)name : NULL;
    if (ob_cell_get_kind(cell) != OB_CELL_SEQUENCE && ob_cell_get_kind(cell) != OB_CELL_MAP) return wrong_kind(w, "sequence");
    size_t n = ob_cell_count(cell);
    int kind = OF_UNDEFINED;
    bool missing = false;
    for (size_t i = 0; i < n; i++) {
        int number = element_number(ob_cell_at(cell, i));
        if (number == OF_UNDEFINED)
            missing = true;
        else
            kind = number;
    }
    if (missing) kind = OF_OPTIONALS;
    out->has_elem_type = 1;
    out->elem_type = n ? kind : cell->dtype != OB_NONE ? OF_TENSORS : OF_UNDEFINED;
    switch (kind) {
    case OF_TENSORS: NEW_LIST(w, out->tensor_values, Onnx__TensorProto, n); break;
    case OF_SEQUENCES: NEW_LIST(w, out->sequence_values, ObData__SequenceProto, n); break;
    case OF_MAPS: NEW_LIST(w, out->map_values, ObData__MapProto, n); break;
    default: NEW_LIST(w, out->optional_values, ObData__OptionalProto, n); break;
    }
    for (size_t i = 0; i < n; i++) {
        const ob_cell *item = ob_cell_at(cell, i);
        switch (kind) {
        case OF_TENSORS: OB_TRY(tensor_message(w, NULL, item, out->tensor_values[out->n_tensor_values++])); break;
        case OF_SEQUENCES: OB_TRY(sequence_message(w, NULL, item, out->sequence_values[out->n_sequence_values++])); break;
        case OF_MAPS: OB_TRY(map_message(w, NULL, item, out->map_values[out->n_map_values++])); break;
        default: OB_TRY(optional_message(w, NULL, item, out->optional_values[out->n_optional_values++])); break;
        }
    }
    return OB_OK;
}

/* A key as the message keeps it; of unsigned ones the bits. */
static int64_t wide_key(const char *key, ob_dtype dtype) {
    int64_t wide = 0;
    switch (dtype) {
    case OB_INT8: return *(const int8_t *)key;
    case OB_INT16: return *(const int16_t *)(const void *)key;
    case OB_INT32: return *(const int32_t *)(const void *)key;
    case OB_UINT8: return *(const uint8_t *)key;
    case OB_UINT16: return *(const uint16_t *)(const void *)key;
    case OB_UINT32: return *(const uint32_t *)(const void *)key;
    default: memcpy(&wide, key, sizeof wide); return wide;
    }
}

static ob_status map_message(writing *w, const char *name, const ob_cell *cell, ObData__MapProto *out) {
    ob_view keys;
    ob_data__map_proto__init(out);
    out->name = name && name[0] ? (char *)(uintptr_t)name : NULL;
    if (!ob_cell_keys(cell, &keys)) return wrong_kind(w, "map");
    size_t n = ob_cell_count(cell);
    out->has_key_type = 1;
    out->key_type = (int32_t)keys.dtype;
    if (keys.dtype == OB_STRING) {
        out->string_keys = OB_ARENA_ARRAY(&w->arena, ProtobufCBinaryData, n);
        if (!out->string_keys) return no_memory(w);
        const ob_string *strings = keys.data;
        for (; out->n_string_keys < n; out->n_string_keys++)
            out->string_keys[out->n_string_keys] =
                (ProtobufCBinaryData){strings[out->n_string_keys].n, (uint8_t *)(uintptr_t)strings[out->n_string_keys].data};
    } else {
        out->keys = OB_ARENA_ARRAY(&w->arena, int64_t, n);
        if (!out->keys) return no_memory(w);
        for (; out->n_keys < n; out->n_keys++)
            out->keys[out->n_keys] = wide_key((const char *)keys.data + out->n_keys * ob_dtype_size(keys.dtype), keys.dtype);
    }
    out->values = OB_ARENA_NEW(&w->arena, ObData__SequenceProto);
    return out->values ? sequence_message(w, NULL, cell, out->values) : no_memory(w);
}

static ob_status optional_message(writing *w, const char *name, const ob_cell *cell, ObData__OptionalProto *out) {
    ob_data__optional_proto__init(out);
    out->name = name && name[0] ? (char *)(uintptr_t)name : NULL;
    out->has_elem_type = 1;
    out->elem_type = element_number(cell);
    switch (out->elem_type) {
    case OF_TENSORS:
        out->tensor_value = OB_ARENA_NEW(&w->arena, Onnx__TensorProto);
        return out->tensor_value ? tensor_message(w, NULL, cell, out->tensor_value) : no_memory(w);
    case OF_SEQUENCES:
        out->sequence_value = OB_ARENA_NEW(&w->arena, ObData__SequenceProto);
        return out->sequence_value ? sequence_message(w, NULL, cell, out->sequence_value) : no_memory(w);
    case OF_MAPS:
        out->map_value = OB_ARENA_NEW(&w->arena, ObData__MapProto);
        return out->map_value ? map_message(w, NULL, cell, out->map_value) : no_memory(w);
    default: return OB_OK;
    }
}

static ob_status write_cell(writing *w, const char *path, const char *name, ob_type_kind kind, const ob_cell *cell) {
    Onnx__TensorProto tensor;
    ObData__SequenceProto sequence;
    ObData__OptionalProto optional;
    ObData__MapProto map;
    switch (kind) {
    case OB_TYPE_SEQUENCE:
        if (ob_cell_get_kind(cell) != OB_CELL_SEQUENCE) return wrong_kind(w, "sequence");
        OB_TRY(sequence_message(w, name, cell, &sequence));
        return ob__save_message(path, &sequence.base, w->error);
    case OB_TYPE_OPTIONAL:
        OB_TRY(optional_message(w, name, cell, &optional));
        return ob__save_message(path, &optional.base, w->error);
    case OB_TYPE_MAP: OB_TRY(map_message(w, name, cell, &map)); return ob__save_message(path, &map.base, w->error);
    default: OB_TRY(tensor_message(w, name, cell, &tensor)); return ob__save_message(path, &tensor.base, w->error);
    }
}

ob_status ob_cell_file_write(const char *path, const char *name, ob_type_kind kind, const ob_cell *cell, ob_error *error) {
    ob_error_clear(error);
    OB_TRY(check_call(path, kind, cell, error));
    writing w = {.error = error};
    ob__arena_init(&w.arena, NULL);
    ob_status status = write_cell(&w, path, name, kind, cell);
    ob__arena_release(&w.arena);
    return status;
}
