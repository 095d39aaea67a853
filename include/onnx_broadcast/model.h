/** @defgroup model Model files
 * @brief Reads, inspects and writes ONNX files.
 *
 * A model is read once, from a path, a file descriptor or memory. It can then be checked (@ref check), rewritten (@ref rewrite)
 * or run (@ref session). Sources: onnx.proto and docs/IR.md of ONNX for the format, docs/Syntax.md of ONNX for the text form.
 *
 * Threads: several threads may call functions that take `const ob_model *` at the same time. A function that takes `ob_model *`
 * must be the only one that uses the model. Reading takes at most 32 KiB of the calling thread's stack.
 * @{ */
#ifndef ONNX_BROADCAST_MODEL_H
#define ONNX_BROADCAST_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/logger.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A model in memory: graph, functions, weights and all other contents of its file. */
typedef struct ob_model ob_model;

/** An operator set import. */
typedef struct ob_opset {
    const char *domain; /**< "" is ai.onnx; view, valid as long as the model */
    int64_t version;    /**< version in the file, any number */
} ob_opset;

/** Limits that protect against malicious files. 0: the default in brackets. Over a limit: E_LIMIT. */
typedef struct ob_load_limits {
    uint64_t max_bytes; /**< bytes of the file [2^40] */
    uint64_t max_arena; /**< bytes that reading may allocate in addition to the file itself [16 GiB] */
    uint32_t max_depth; /**< nesting depth of messages and subgraphs [64] */
    uint32_t max_rank;  /**< rank of any declared shape or tensor [256] */
    uint64_t max_nodes; /**< nodes of all graphs and functions [2^26] */
    /** Bytes of memory that the messages of a binary file may take for each byte of the file; the first MiB is not limited.
     * The limit is needed because an empty message of two bytes becomes a struct of hundreds of bytes. Files from exporters
     * take 10 to 25 [64] */
    uint32_t max_growth;
} ob_load_limits;

/** File format of a model. */
typedef enum ob_model_format {
    OB_FORMAT_AUTO,     /**< reading: the content decides; writing: the ending of the path decides (ob_model_save()) */
    OB_FORMAT_PROTOBUF, /**< ModelProto, binary */
    /** ONNX textual syntax (docs/Syntax.md of ONNX). This and the other text formats are E_UNSUPPORTED in a build with
     * OB_WITH_TEXT=OFF. */
    OB_FORMAT_TEXT,
    /** Writing: a binary ModelProto in which the data of every numeric tensor begin at a multiple of 64 bytes from the start
     * of the file. A session can then use the weights without a copy, from a mapped file or from read-only memory
     * (ob_model_load_memory()). Every program that reads ONNX reads the same model from it: the gaps are filled with repeated
     * data_type fields of the tensor, and protobuf uses only the last one. Numbers in typed fields (float_data ...) become raw
     * data. External and sparse tensors do not change. A session still unpacks elements of less than 8 bits. Reading: as
     * OB_FORMAT_PROTOBUF. */
    OB_FORMAT_PROTOBUF_ALIGNED,
    /** ModelProto in protobuf's text format, as onnx.save(format="textproto") writes it. Fields that are unknown to this
     * library are omitted in writing, and are an error in reading. */
    OB_FORMAT_PROTOBUF_TEXT,
    /** ModelProto in protobuf's JSON form, as onnx.save(format="json") writes it: field names as in onnx.proto, bytes in
     * base64, 64-bit integers as strings. Reading also accepts names in lowerCamelCase. Writing: E_UNSUPPORTED for a text that
     * is not UTF-8. Otherwise as OB_FORMAT_PROTOBUF_TEXT */
    OB_FORMAT_JSON
} ob_model_format;

/** Options for reading a model. Always start from ob_load_options_init(). */
typedef struct ob_load_options {
    const ob_allocator *allocator; /**< allocator of the model, its clones and its reports; NULL: the default */
    ob_load_limits limits;         /**< zeroes: the defaults */
    ob_model_format format;        /**< OB_FORMAT_AUTO [default]: the content decides */
    /** Copied; receives the log messages of this model and its clones: reading, ob_check(), ob_rewrite(), sessions. NULL
     * [default]: no messages */
    const ob_logger *logger;
} ob_load_options;

/** Sets the defaults: automatic format, default allocator and limits, no logger. NULL is allowed and does nothing. */
OB_API void ob_load_options_init(ob_load_options *options);

/** Reads a model from a file. Returns owned: ob_model_close(). `options` may be NULL.
 *
 * The file is mapped, and the model borrows large raw weights from the mapping. While the model is open, the file must not be
 * truncated; replacing it (rename) is safe. External data files are not opened here.
 *
 * Errors: E_IO (open or read failed; the message names the path), E_FORMAT (not a model; the message gives the problem and its
 * byte or line), E_MODEL (undefined names, duplicate definitions ...), E_LIMIT, E_MEMORY, E_ARGUMENT (path or out is NULL). */
OB_API ob_status ob_model_load(const char *path, const ob_load_options *options, ob_model **out, ob_error *error);
/** Reads a model from n_bytes at `bytes`, in any file format. The bytes are borrowed: they must outlive the model and must not
 * change. No file is opened. `name` replaces the path in messages and in ob_model_path(); NULL: "<memory>". Otherwise as
 * ob_model_load(); E_ARGUMENT also when bytes is NULL and n_bytes > 0. */
OB_API ob_status ob_model_load_memory(const void *bytes, size_t n_bytes, const char *name, const ob_load_options *options,
                                      ob_model **out, ob_error *error);
/** Reads a model from an open file descriptor to its end: a pipe, standard input or a file. A file is mapped when the
 * descriptor is at its start. Does not close the descriptor. `name` as for ob_model_load_memory(); NULL: "<stdin>". Otherwise
 * as ob_model_load(). */
OB_API ob_status ob_model_load_descriptor(int descriptor, const char *name, const ob_load_options *options, ob_model **out,
                                          ob_error *error);
/** Frees the model and sets *model to NULL. NULL and *NULL are allowed. Close all reports, sessions and clones that borrow
 * from the model first. */
OB_API void ob_model_close(ob_model **model);

/** Receives consecutive pieces of output. Each piece is valid during the call. Any return value except OB_OK stops the
 * writing, which then returns that status. */
typedef ob_status (*ob_write_sink)(void *context, const void *bytes, size_t n_bytes);

/** Produces the content of a file: passes its pieces to `sink` with `sink_context`, and returns the status of the sink. */
typedef ob_status (*ob_file_producer)(void *context, ob_write_sink sink, void *sink_context, ob_error *error);

/** Writes a file safely; all functions of this library that write files use it. The content goes to a temporary file in the
 * same folder, which is synced to the disk and renamed to `path`. On a failure before the rename, an existing file does not
 * change and the temporary file is removed. The temporary file is PATH.PID-N.tmp, with the process id and the first unused N
 * of 0, 1 ...; a signal handler that ends the process should remove it. A new file replaces a symbolic link, and the target of
 * the link does not change. A device or a pipe is written in place. The new file keeps the permissions of the file that it
 * replaces.
 *
 * Errors: E_IO (the message names the path), E_MEMORY, E_ARGUMENT (NULL), and the status that `produce` returned. */
OB_API ob_status ob_file_save(const char *path, ob_file_producer produce, void *context, ob_error *error);

/** The format for the ending of a path, as in the onnx package: .onnxtxt, .onnxtext: OB_FORMAT_TEXT; .textproto, .prototxt,
 * .pbtxt: OB_FORMAT_PROTOBUF_TEXT; .json, .onnxjson: OB_FORMAT_JSON; all other endings, and NULL: OB_FORMAT_PROTOBUF. */
OB_API ob_model_format ob_model_format_of_path(const char *path);

/** Writes the model to a file. OB_FORMAT_AUTO: ob_model_format_of_path(). In protobuf form all contents of the original file
 * are kept: unknown fields, metadata, functions, sparse initializers, quantization annotations, training info. Writes as
 * ob_file_save() does: on a failure an existing file does not change.
 *
 * Errors: E_IO (the message names the path), E_LIMIT (over 4 GiB as protobuf: larger weights must be external data), E_MODEL
 * (a tensor or attribute has no value to write), E_UNSUPPORTED (text form: see ob_model_write_text(); JSON: a text that is not
 * UTF-8), E_MEMORY, E_ARGUMENT (NULL). */
OB_API ob_status ob_model_save(const ob_model *model, const char *path, ob_model_format format, ob_error *error);
/** Writes the model in pieces to `sink`; `context` is passed to `sink`. OB_FORMAT_AUTO is protobuf here. Errors: the status
 * that the sink returned, else as ob_model_save() without E_IO. */
OB_API ob_status ob_model_write(const ob_model *model, ob_model_format format, ob_write_sink sink, void *context,
                                ob_error *error);

/** Writes the text form. Tensors of more than max_elems elements are cut to their first elements (0: none is cut). A text with
 * cut tensors is only for human readers. Without cutting, contents that the text form cannot represent (sparse tensors) are
 * E_UNSUPPORTED. Doc strings of nodes, annotations and unknown fields are omitted. Other errors as ob_model_write(). */
OB_API ob_status ob_model_write_text(const ob_model *model, size_t max_elems, ob_write_sink sink, void *context, ob_error *error);

/** Makes an independent copy that can be rewritten. Returns owned: ob_model_close(). The copy borrows weights from the source,
 * which must outlive it, and uses the allocator of the source. Errors: E_MEMORY, E_ARGUMENT (NULL). */
OB_API ob_status ob_model_clone(const ob_model *model, ob_model **out, ob_error *error);

/** Makes the results of all nodes of the main graph the outputs of the model, in the order of the nodes, for instance to compare
 * the intermediate values of two sessions. Outputs that no node computes come first. Results of subgraphs and functions stay
 * inside. Do not call it while a report or a rewriting uses the model. Errors: E_ARGUMENT (NULL), E_LIMIT, E_MEMORY. */
OB_API ob_status ob_model_expose_results(ob_model *model, ob_error *error);

/** The path or name that was given when the model was read; a view, valid as long as the model. */
OB_API const char *ob_model_path(const ob_model *model);
/** Reads the model from now on as if it imported the given version of an operator set, when it imports a newer one. This is
 * for models that are newer than this release. It also applies to the imports of its functions. An IR version newer than the
 * newest known one (14) becomes that one. The function does not check that the operators have the same meaning in both
 * versions; the caller asserts this. Do not call it while a report or a rewriting uses the model. Sessions have a copy and are
 * not affected.
 * - domain: "" or "ai.onnx", "ai.onnx.ml" ...; NULL as "".
 * - opset: 1 or more, and at most the newest known version (28 of ai.onnx, 5 of ai.onnx.ml).
 * An import of the same or an older version does not change.
 * Errors: E_ARGUMENT (NULL, opset out of range), E_NOT_FOUND (the model does not import the domain), E_MEMORY. */
OB_API ob_status ob_model_assume_opset(ob_model *model, const char *domain, int64_t opset, ob_error *error);
/** ModelProto.ir_version in the file. */
OB_API int64_t ob_model_ir_version(const ob_model *model);
/** Number of nodes of all graphs, subgraphs and functions. */
OB_API size_t ob_model_node_count(const ob_model *model);
/** Number of operator sets that the model imports. */
OB_API size_t ob_model_opset_count(const ob_model *model);
/** Import `index`, in the order of the file; domain "" and version 0 when `index` is out of range. */
OB_API ob_opset ob_model_opset_at(const ob_model *model, size_t index);
/** The first value of the model's metadata (metadata_props) for this key; NULL when there is none, or for NULL. A view, valid
 * until the model is rewritten or closed. */
OB_API const char *ob_model_metadata(const ob_model *model, const char *key);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
