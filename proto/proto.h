/* Inside proto/ only: the message classes, and functions shared by the reader, the writer and the text form. */
#ifndef OB_PROTO_PROTO_H
#define OB_PROTO_PROTO_H

#include "core/base/error.h"
#include "core/graph/graph.h"
#include "core/graph/tensor_data.h"
#include "onnx.pb-c.h"

/* ---- wire.c: bytes to messages ---- */

/* `limits` with every 0 replaced by its default. */
ob_load_limits ob__load_limits(const ob_load_limits *limits);

/* Checks the bytes as a message of `type` (tags, lengths, wire types, depth, counts), then unpacks them into the arena.
 * Large raw_data payloads are not copied: they point into `bytes`, which must outlive the message.
 * E_FORMAT with the byte offset, E_LIMIT, E_MEMORY. */
ob_status ob__wire_unpack(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t n_bytes,
                          const ob_load_limits *limits, ob_arena *arena, ProtobufCMessage **out, ob_error *error);

/* E_LIMIT or E_MEMORY with a message, after the arena returned NULL. */
static inline ob_status ob__arena_failure(const ob_arena *arena, ob_error *error) {
    OB_FAIL_IF(arena->hit_limit, error, OB_E_LIMIT, "reading needs more memory than the limit of %zu bytes",
               arena->n_bytes_limit);
    OB_FAIL_IF(true, error, OB_E_MEMORY, "out of memory after %zu bytes", arena->n_bytes);
}

/* ---- foreign.c ---- */

/* The format of a file, with advice if a model, or a tensor (NULL: the same), was expected. */
typedef struct ob_foreign {
    const char *name, *model, *tensor;
} ob_foreign;

/* The expected content of a file: a model; TensorProto, SequenceProto, OptionalProto or MapProto; or NumPy's .npy. */
typedef enum ob_wanted { OB_WANTED_MODEL, OB_WANTED_MESSAGE, OB_WANTED_NPY } ob_wanted;

/* E_FORMAT, "PREFIX: it is a zip archive: unpack it", for bytes of another known format; otherwise OB_OK. */
ob_status ob__refuse_foreign(const uint8_t *bytes, size_t n, ob_wanted wanted, const char *prefix, ob_error *error);

/* ---- extra.c: fields of a newer onnx.proto that an older one lacks ---- */

typedef enum ob_extra {
    OB_EXTRA_NODE_OVERLOAD,
    OB_EXTRA_NODE_METADATA,
    OB_EXTRA_FUNCTION_OVERLOAD,
    OB_EXTRA_FUNCTION_ATTRIBUTES,
    OB_EXTRA_FUNCTION_VALUE_INFO,
    OB_EXTRA_FUNCTION_METADATA,
    OB_EXTRA_GRAPH_METADATA,
    OB_EXTRA_VALUE_METADATA, /* only the text forms of files read and write these two */
    OB_EXTRA_TENSOR_METADATA,
    OB_EXTRA_COUNT
} ob_extra;

typedef struct ob_extras {
    const ProtobufCFieldDescriptor *fields[OB_EXTRA_COUNT]; /* NULL: the message class lacks it, look in the unknown fields */
} ob_extras;

/* The field of a message with this number or name: of the class, or one of the newer fields. NULL: none. */
const ProtobufCFieldDescriptor *ob__field_by_number(const ProtobufCMessageDescriptor *type, uint32_t number);
const ProtobufCFieldDescriptor *ob__field_by_name(const ProtobufCMessageDescriptor *type, const char *name);

/* The elements of a field that the message class lacks, from the unknown fields: the last string ("": absent, NULL: out of
 * memory); all messages. */
const char *ob__newer_string(const ProtobufCFieldDescriptor *field, const ProtobufCMessage *message, ob_arena *arena);
ob_status ob__newer_messages(const ProtobufCFieldDescriptor *field, const ProtobufCMessage *message, const ob_load_limits *limits,
                             ob_arena *arena, ProtobufCMessage ***out, size_t *n, ob_error *error);

/* Looks up the fields once. */
void ob__extras_init(ob_extras *extras);
/* A string field; "": absent; NULL: out of memory. */
const char *ob__extra_string(const ob_extras *extras, ob_extra which, const ProtobufCMessage *message, ob_arena *arena);
/* A repeated message field. */
ob_status ob__extra_messages(const ob_extras *extras, ob_extra which, const ProtobufCMessage *message,
                             const ob_load_limits *limits, ob_arena *arena, ProtobufCMessage ***out, size_t *n, ob_error *error);

/* The opposite, for a message made for writing: sets the member, or replaces the unknown fields with that number. */
ob_status ob__extra_set_string(const ob_extras *extras, ob_extra which, ProtobufCMessage *message, const char *text,
                               ob_arena *arena, ob_error *error);
ob_status ob__extra_set_messages(const ob_extras *extras, ob_extra which, ProtobufCMessage *message, ProtobufCMessage **messages,
                                 size_t n, ob_arena *arena, ob_error *error);

/* ---- read.c, read_tensor.c: messages to the graph ---- */

enum { OB_READER_RECENT = 1024 };

typedef struct ob_reader {
    ob_model *model;
    ob_load_limits limits;
    ob_extras extras;
    ob_map functions;  /* "domain\0name\0overload" -> ob_function */
    ob_value **recent; /* OB_READER_RECENT of them */
    ob_error *error;
} ob_reader;

/* Fills a model that ob__model_new made from the message, which must live in the model's arena. */
ob_status ob__read_model(ob_model *model, const Onnx__ModelProto *message, const ob_load_limits *limits, ob_error *error);

/* Decodes one tensor. `what` names it in messages if it has no name. The result is in the arena. */
ob_status ob__read_tensor(ob_arena *arena, const Onnx__TensorProto *message, uint32_t max_rank, const char *what, ob_tensor **out,
                          ob_error *error);
/* The same for a weight: elements narrower than a byte stay packed (ob_tensor.is_packed) until they are used. */
ob_status ob__read_initializer(ob_arena *arena, const Onnx__TensorProto *message, uint32_t max_rank, ob_tensor **out,
                               ob_error *error);

/* read_sparse.c: the same for a sparse tensor, with all of its elements. It has no data if these are malformed, or would take
 * more than max_growth bytes for each byte of the file, above a MiB. */
ob_status ob__read_sparse(ob_arena *arena, const Onnx__SparseTensorProto *message, const ob_load_limits *limits, ob_tensor **out,
                          ob_error *error);

/* The same for a separate file (tensor_file.c): E_UNSUPPORTED if it does not hold all elements. */
ob_status ob__read_whole_tensor(ob_arena *arena, const Onnx__TensorProto *message, const char *path, ob_tensor **out,
                                ob_error *error);
/* The opposite: a message over the elements of a contiguous view; converted elements are in the arena. `name` may be NULL. */
ob_status ob__tensor_message(Onnx__TensorProto *message, const char *name, const ob_view *view, ob_arena *arena, ob_error *error);
/* Writes the message to a file, as ob_file_save() does. */
ob_status ob__save_message(const char *path, const ProtobufCMessage *message, ob_error *error);

/* The declared type, or, in files older than the declaration, the type of the content. UNDEFINED for an unknown number. */
ob_attribute_type ob__attribute_type(const Onnx__AttributeProto *message);

/* The element type with that number; OB_NONE for an unknown number. */
ob_dtype ob__read_dtype(int32_t number);

/* The library's view of a type message; kind UNKNOWN for NULL. */
ob_status ob__read_type(ob_reader *reader, const Onnx__TypeProto *message, const char *name, ob_type *out);

static inline const char *ob__str(const char *text) {
    return text ? text : "";
}

#endif
