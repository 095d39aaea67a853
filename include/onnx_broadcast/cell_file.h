/** @defgroup cell_file Files of cells
 * @brief Single values of any type in files: ONNX's TensorProto, SequenceProto, OptionalProto and MapProto.
 *
 * A file does not contain its message type. The caller gives it, usually from the declared type of the model
 * (ob_session_value.type).
 *
 * All functions here are thread-safe. Sources: onnx.proto and onnx-data.proto.
 * @{ */
#ifndef ONNX_BROADCAST_CELL_FILE_H
#define ONNX_BROADCAST_CELL_FILE_H

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/cell.h"
#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reads a value from a file. Returns owned: ob_cell_close(); *out does not change on failure. An optional is the cell of its
 * element, or a cell of kind OB_CELL_NONE.
 * - kind: the message in the file: OB_TYPE_TENSOR, OB_TYPE_SEQUENCE, OB_TYPE_OPTIONAL or OB_TYPE_MAP.
 * - allocator: allocator of the cell; NULL: the default.
 *
 * Errors: E_IO (the message names the path), E_FORMAT (not a message of this kind; with byte offset), E_MODEL (data that does
 * not fit a shape, items of different types, keys that do not fit their map), E_UNSUPPORTED (unknown element type, external
 * data, segments, sparse tensors), E_LIMIT (rank over OB_MAX_RANK, too many bytes, over OB_CELL_MAX_DEPTH), E_MEMORY,
 * E_ARGUMENT (path or out is NULL, another kind). */
OB_API ob_status ob_cell_file_read(const char *path, ob_type_kind kind, const ob_allocator *allocator, ob_cell **out,
                                   ob_error *error);
/** Writes a value as the message of the given kind. Writes the file as ob_file_save() does.
 * - name: name of the value; may be NULL.
 *
 * Errors: E_IO (the message names the path), E_ARGUMENT (NULL, a cell that does not have the kind), E_LIMIT (too many bytes),
 * E_MEMORY. */
OB_API ob_status ob_cell_file_write(const char *path, const char *name, ob_type_kind kind, const ob_cell *cell, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
