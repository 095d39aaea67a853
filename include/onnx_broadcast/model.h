/** @file
 * Models: reading, looking at and writing ONNX files. */
#ifndef ONNX_BROADCAST_MODEL_H
#define ONNX_BROADCAST_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_model ob_model;

/** An operator set import: domain "" is ai.onnx. */
typedef struct ob_opset {
    const char *domain;
    int64_t version;
} ob_opset;

/** Limits against hostile files. 0 means: the default in brackets. */
typedef struct ob_load_limits {
    uint64_t max_bytes; /**< of the file [2^40] */
    uint64_t max_arena; /**< bytes that reading may allocate beside the file itself [16 GiB] */
    uint32_t max_depth; /**< nesting of messages and subgraphs [64] */
    uint32_t max_rank;  /**< of any declared shape or tensor [256] */
    uint64_t max_nodes; /**< over all graphs and functions [2^26] */
} ob_load_limits;

typedef enum ob_model_format {
    OB_FORMAT_AUTO,     /**< by content: protobuf or text */
    OB_FORMAT_PROTOBUF, /**< ModelProto, binary */
    OB_FORMAT_TEXT      /**< ONNX textual syntax (docs/Syntax.md of ONNX) */
} ob_model_format;

typedef struct ob_load_options {
    const ob_allocator *allocator; /**< NULL: default */
    ob_load_limits limits;
    ob_model_format format;
} ob_load_options;

/** Zeroes: automatic format, default allocator and limits. */
OB_API void ob_load_options_init(ob_load_options *options);

/** Reads a model. Each returns owned: ob_model_close. `options` may be NULL. Weights stored as raw data are borrowed from the
 * mapped file (or from the caller's buffer, which must then outlive the model); external data is referenced, never opened. A
 * mapped file must not be cut short by others while the model is open; replacing it (rename) is harmless. Errors: E_IO (open,
 * read; message names the path), E_FORMAT (not a model; message says what is wrong at which byte or line), E_MODEL (undefined
 * names, duplicate definitions ...), E_LIMIT, E_MEMORY, E_ARGUMENT (NULL). */
OB_API ob_status ob_model_load(const char *path, const ob_load_options *options, ob_model **out, ob_error *error);
OB_API ob_status ob_model_load_memory(const void *bytes, size_t n_bytes, const char *name, const ob_load_options *options,
                                      ob_model **out, ob_error *error);
/** From an open file descriptor to its end (a pipe or standard input); does not close it. */
OB_API ob_status ob_model_load_descriptor(int descriptor, const char *name, const ob_load_options *options, ob_model **out,
                                          ob_error *error);
/** Frees the model and sets *model to NULL. NULL and *NULL are allowed. */
OB_API void ob_model_close(ob_model **model);

/** Receives consecutive pieces of output; returning anything but OB_OK ends the writing with that status. */
typedef ob_status (*ob_write_sink)(void *context, const void *bytes, size_t n_bytes);

/** Writes the model as protobuf or text (OB_FORMAT_AUTO: text for a path that ends in .onnxtxt, else protobuf). Nothing that the
 * file held is lost in protobuf form: unknown fields, metadata, functions, sparse initializers, quantization annotations,
 * training info. ob_model_save writes to a temporary file beside `path` and renames it: a failure leaves an existing file as it
 * was. */
OB_API ob_status ob_model_save(const ob_model *model, const char *path, ob_model_format format, ob_error *error);
OB_API ob_status ob_model_write(const ob_model *model, ob_model_format format, ob_write_sink sink, void *context,
                                ob_error *error);

/** The text form with tensors of more than max_elems elements cut to their first ones (0: none is cut). A text with a cut tensor
 * is for people to read. Without cutting, what the text form cannot hold (sparse tensors) gives E_UNSUPPORTED; doc strings of
 * nodes, annotations and unknown fields are left out. */
OB_API ob_status ob_model_write_text(const ob_model *model, size_t max_elems, ob_write_sink sink, void *context, ob_error *error);

/** An independent copy that may be rewritten; weights stay borrowed from the source, which must outlive the copy. */
OB_API ob_status ob_model_clone(const ob_model *model, ob_model **out, ob_error *error);

/** The path or name given at loading; a view, valid as long as the model. */
OB_API const char *ob_model_path(const ob_model *model);
OB_API int64_t ob_model_ir_version(const ob_model *model);
/** Nodes of all graphs, subgraphs and functions. */
OB_API size_t ob_model_node_count(const ob_model *model);
OB_API size_t ob_model_opset_count(const ob_model *model);
OB_API ob_opset ob_model_opset_at(const ob_model *model, size_t index);

#ifdef __cplusplus
}
#endif
#endif
