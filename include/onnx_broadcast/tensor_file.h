/** @defgroup tensor_file Tensor files
 * @brief Single tensors in files: ONNX's TensorProto (.pb) and NumPy's .npy.
 *
 * All functions here are thread-safe. Sources: onnx.proto, TensorProto; NumPy, numpy.lib.format.
 * @{ */
#ifndef ONNX_BROADCAST_TENSOR_FILE_H
#define ONNX_BROADCAST_TENSOR_FILE_H

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A tensor that was read, with its memory: ob_file_tensor_release(). */
typedef struct ob_file_tensor {
    const char *name; /**< TensorProto.name, "" when it has none or in .npy files */
    ob_view view; /**< contiguous, data 16-byte aligned and in memory form (one byte per 4-bit element, strings as ob_string); may
                     be written to */
    struct ob_file_tensor_owner *owner; /**< opaque: owns name, data and the bytes of strings */
} ob_file_tensor;

/** Frees what a read returned and zeroes the struct. NULL and a zeroed struct are allowed. */
OB_API void ob_file_tensor_release(ob_file_tensor *tensor);

/** Reads a TensorProto. Returns owned; *out is untouched on failure. `allocator` NULL: the default.
 * Errors: E_IO (message names the path), E_FORMAT (not a tensor; byte offset), E_MODEL (data that does not fit the shape),
 * E_UNSUPPORTED (unknown element type, external data, segments), E_LIMIT (rank over OB_MAX_RANK, too many bytes), E_MEMORY,
 * E_ARGUMENT (path or out NULL). */
OB_API ob_status ob_tensor_file_read(const char *path, const ob_allocator *allocator, ob_file_tensor *out, ob_error *error);
/** Writes a TensorProto with raw data (strings: string_data). Any strides. `name` may be NULL. The file is written
 * as ob_file_save() does. Errors: E_IO (message names the path), E_LIMIT (too many bytes),
 * E_MEMORY, E_ARGUMENT (path NULL, not a view, elements without data). */
OB_API ob_status ob_tensor_file_write(const char *path, const char *name, const ob_view *view, ob_error *error);

/** Reads a .npy file, format versions 1 to 3: bool, integers, float16/32/64, complex64/128 in either byte order, fixed-width
 * strings (U and S) as a string tensor; Fortran order is brought into row-major order. Returns
 * owned; errors as ob_tensor_file_read(), E_UNSUPPORTED for other types (Python objects, structures, dates) and versions. */
OB_API ob_status ob_npy_read(const char *path, const ob_allocator *allocator, ob_file_tensor *out, ob_error *error);
/** Writes a .npy file; any strides. E_UNSUPPORTED for types that NumPy does not have (bfloat16, 8-bit floats, 2- and 4-bit
 * integers). Otherwise as ob_tensor_file_write(). */
OB_API ob_status ob_npy_write(const char *path, const ob_view *view, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
