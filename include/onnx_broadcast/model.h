/** @defgroup model Model files
 * @brief Reading, looking at and writing ONNX files.
 *
 * A model is read once, from a path, a descriptor or memory, and then checked (@ref check), rewritten (@ref rewrite) or run
 * (@ref session). Source of the format: ONNX, onnx.proto and docs/IR.md; of the text form: docs/Syntax.md.
 *
 * Functions that take `const ob_model *` may be called from several threads at once; those that take `ob_model *` need the model
 * for themselves. Reading takes at most 32 KiB of the calling thread's stack.
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

/** A model in memory: graph, functions, weights and whatever else its file held. */
typedef struct ob_model ob_model;

/** An operator set import. */
typedef struct ob_opset {
    const char *domain; /**< "" is ai.onnx; view, valid as long as the model */
    int64_t version;    /**< as the file has it, any number */
} ob_opset;

/** Limits against hostile files. 0 means: the default in brackets. Over a limit: E_LIMIT. */
typedef struct ob_load_limits {
    uint64_t max_bytes; /**< of the file [2^40] */
    uint64_t max_arena; /**< bytes that reading may allocate beside the file itself [16 GiB] */
    uint32_t max_depth; /**< nesting of messages and subgraphs [64] */
    uint32_t max_rank;  /**< of any declared shape or tensor [256] */
    uint64_t max_nodes; /**< over all graphs and functions [2^26] */
    /** Bytes that the messages of a binary file may take in memory for each byte of the file, beyond a first MiB: an empty
     * message of two bytes is a struct of hundreds. What exporters write takes 10 to 25 [64] */
    uint32_t max_growth;
} ob_load_limits;

/** How a model is written down. */
typedef enum ob_model_format {
    OB_FORMAT_AUTO,     /**< reading: by content; writing: by the path's ending (ob_model_save()) */
    OB_FORMAT_PROTOBUF, /**< ModelProto, binary */
    OB_FORMAT_TEXT,     /**< ONNX textual syntax (docs/Syntax.md of ONNX) */
    /** Writing: a ModelProto in which the bytes of every tensor with numbers begin at a multiple of 64, counted from the start of
     * the file, so that a session uses them where they lie: mapped, or in read-only memory (ob_model_load_memory()). Every reader
     * of ONNX reads the same model from it: what fills the gaps are repetitions of the tensor's data_type, of which only the last
     * counts. Numbers in typed fields (float_data ...) become raw data. External and sparse tensors stay as they are; a session
     * unpacks elements of less than 8 bits all the same. Reading: as OB_FORMAT_PROTOBUF. */
    OB_FORMAT_PROTOBUF_ALIGNED,
    /** ModelProto in protobuf's text format, as onnx.save(format="textproto") writes it. Fields that this library has no name for
     * are left out when it is written, and are errors when it is read. */
    OB_FORMAT_PROTOBUF_TEXT,
    /** ModelProto in protobuf's JSON form, as onnx.save(format="json") writes it: field names as onnx.proto has them, bytes in
     * base64, integers of 64 bits as texts. Reading takes names in lowerCamelCase, too. Writing: E_UNSUPPORTED for a text that
     * is not UTF-8. Otherwise as OB_FORMAT_PROTOBUF_TEXT */
    OB_FORMAT_JSON
} ob_model_format;

/** How to read a model. Always start from ob_load_options_init(). */
typedef struct ob_load_options {
    const ob_allocator *allocator; /**< of the model, of its clones and reports; NULL: the default */
    ob_load_limits limits;         /**< zeroes: the defaults */
    ob_model_format format;        /**< OB_FORMAT_AUTO [default]: told from the bytes */
    const ob_logger
        *logger; /**< copied; hears of the model and of whatever is done with it and its clones; NULL [default]: none */
} ob_load_options;

/** Zeroes: automatic format, default allocator and limits. NULL is allowed and does nothing. */
OB_API void ob_load_options_init(ob_load_options *options);

/** Reads the model of a file. Returns owned: ob_model_close(). `options` may be NULL.
 *
 * The file is mapped, and large weights stored as raw data are borrowed from the mapping: it must not be cut short by others
 * while the model is open; replacing it (rename) is harmless. External data is referenced, never opened.
 *
 * Errors: E_IO (open, read; message names the path), E_FORMAT (not a model; message says what is wrong at which byte or line),
 * E_MODEL (undefined names, duplicate definitions ...), E_LIMIT, E_MEMORY, E_ARGUMENT (path or out NULL). */
OB_API ob_status ob_model_load(const char *path, const ob_load_options *options, ob_model **out, ob_error *error);
/** Reads the model from n_bytes at `bytes`, in any form that a file has; they are borrowed and must outlive the model, unchanged.
 * No file is opened. `name` stands for the path in messages and in ob_model_path(); NULL: "<memory>". Otherwise as
 * ob_model_load(); E_ARGUMENT also for bytes NULL with n_bytes > 0. */
OB_API ob_status ob_model_load_memory(const void *bytes, size_t n_bytes, const char *name, const ob_load_options *options,
                                      ob_model **out, ob_error *error);
/** Reads the model from an open file descriptor to its end (a pipe, standard input, a file: mapped when it is at its start); does
 * not close it. `name` as for ob_model_load_memory(); NULL: "<stdin>". Otherwise as ob_model_load(). */
OB_API ob_status ob_model_load_descriptor(int descriptor, const char *name, const ob_load_options *options, ob_model **out,
                                          ob_error *error);
/** Frees the model and sets *model to NULL. NULL and *NULL are allowed. Reports, sessions and clones that borrow from it must be
 * closed before. */
OB_API void ob_model_close(ob_model **model);

/** Receives consecutive pieces of output, valid during the call; returning anything but OB_OK ends the writing with that status.
 */
typedef ob_status (*ob_write_sink)(void *context, const void *bytes, size_t n_bytes);

/** Makes the content of a file: hands `sink` its pieces, with `sink_context`, and returns what it returned. */
typedef ob_status (*ob_file_producer)(void *context, ob_write_sink sink, void *sink_context, ob_error *error);

/** Writes any file the way all files of this library are written: beside `path`, synced to the disk and renamed. Whatever fails
 * before the rename leaves an existing file as it was and no temporary one behind. (The temporary one is PATH.PID-N.tmp, with the
 * number of the process and the first N of 0, 1 ... for which there is none: a handler of signals that ends the process removes
 * it.) A symbolic link is replaced by the new file,
 * what it points to stays as it is; a device or a pipe is written in place. A file that is replaced hands its permissions on.
 *
 * Errors: E_IO (message names the path), E_MEMORY, E_ARGUMENT (NULL), and what `produce` returned. */
OB_API ob_status ob_file_save(const char *path, ob_file_producer produce, void *context, ob_error *error);

/** The format that the ending of a path stands for, as in the onnx package: .onnxtxt, .onnxtext: OB_FORMAT_TEXT; .textproto,
 * .prototxt, .pbtxt: OB_FORMAT_PROTOBUF_TEXT; .json, .onnxjson: OB_FORMAT_JSON; all others, and NULL: OB_FORMAT_PROTOBUF. */
OB_API ob_model_format ob_model_format_of_path(const char *path);

/** Writes the model to a file. OB_FORMAT_AUTO: ob_model_format_of_path(). Nothing
 * that the file held is lost in protobuf form: unknown fields, metadata, functions, sparse initializers, quantization
 * annotations, training info. The file is written as ob_file_save() does: a failure leaves an existing one as it was.
 *
 * Errors: E_IO (message names the path), E_LIMIT (over 4 GiB as protobuf: larger weights must be external data), E_MODEL (a
 * tensor or attribute without a value to write), E_UNSUPPORTED (text form: see ob_model_write_text(); JSON: a text that is not
 * UTF-8), E_MEMORY, E_ARGUMENT (NULL). */
OB_API ob_status ob_model_save(const ob_model *model, const char *path, ob_model_format format, ob_error *error);
/** The same, piece by piece to `sink`, which gets `context`. OB_FORMAT_AUTO is protobuf here. Errors: what the sink returned,
 * else as ob_model_save() but for E_IO. */
OB_API ob_status ob_model_write(const ob_model *model, ob_model_format format, ob_write_sink sink, void *context,
                                ob_error *error);

/** The text form with tensors of more than max_elems elements cut to their first ones (0: none is cut). A text with a cut tensor
 * is for people to read. Without cutting, what the text form cannot hold (sparse tensors) gives E_UNSUPPORTED; doc strings of
 * nodes, annotations and unknown fields are left out. Errors otherwise as ob_model_write(). */
OB_API ob_status ob_model_write_text(const ob_model *model, size_t max_elems, ob_write_sink sink, void *context, ob_error *error);

/** An independent copy that may be rewritten. Returns owned: ob_model_close(). Weights stay borrowed from the source, which must
 * outlive the copy; the allocator is the source's. Errors: E_MEMORY, E_ARGUMENT (NULL). */
OB_API ob_status ob_model_clone(const ob_model *model, ob_model **out, ob_error *error);

/** The path or name given at loading; a view, valid as long as the model. */
OB_API const char *ob_model_path(const ob_model *model);
/** Reads the model from now on as if it imported that version of an operator set that it imports a newer one of: for models of a
 * release that is newer than this one. Its functions' imports count as well; an IR version that is newer than the newest known
 * (14) becomes that. Nobody has looked whether the operators mean the same: that is what the caller says. Not while a report or
 * a rewriting of the model is used; sessions have a copy.
 * - domain: "" or "ai.onnx", "ai.onnx.ml" ...; NULL as "".
 * - opset: 1 or more, and no newer than the newest known (28 of ai.onnx, 5 of ai.onnx.ml).
 * Errors: E_ARGUMENT for NULL or another number, E_NOT_FOUND when the model does not import the domain. An older import stays. */
OB_API ob_status ob_model_assume_opset(ob_model *model, const char *domain, int64_t opset, ob_error *error);
/** ModelProto.ir_version, as the file has it. */
OB_API int64_t ob_model_ir_version(const ob_model *model);
/** Nodes of all graphs, subgraphs and functions. */
OB_API size_t ob_model_node_count(const ob_model *model);
/** Operator sets that the model imports. */
OB_API size_t ob_model_opset_count(const ob_model *model);
/** Import `index`, in the order of the file; domain "" and version 0 when there is no such index. */
OB_API ob_opset ob_model_opset_at(const ob_model *model, size_t index);
/** The value of the model's metadata (metadata_props) under that key, the first one; NULL when there is none, or for NULL. A
 * view, valid until the model is rewritten or closed. */
OB_API const char *ob_model_metadata(const ob_model *model, const char *key);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
