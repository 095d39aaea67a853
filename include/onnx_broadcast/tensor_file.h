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

/** A tensor from a file, with its memory: ob_file_tensor_release(). */
typedef struct ob_file_tensor {
    const char *name; /**< TensorProto.name; "" when it is missing, and for .npy files */
    ob_view view; /**< contiguous, data 16-byte aligned and unpacked (one byte per 4-bit element, strings as ob_string); may be
                     written */
    struct ob_file_tensor_owner *owner; /**< opaque: owns name, data and the bytes of strings */
} ob_file_tensor;

/** Frees the result of a read and sets the struct to zero. NULL and a struct of zeroes are allowed. */
OB_API void ob_file_tensor_release(ob_file_tensor *tensor);

/** Reads a TensorProto. Returns owned; *out does not change on failure. `allocator` NULL: the default.
 * Errors: E_IO (the message names the path), E_FORMAT (not a tensor; with byte offset), E_MODEL (data that does not fit the
 * shape), E_UNSUPPORTED (unknown element type, external data, segments), E_LIMIT (rank over OB_MAX_RANK, too many bytes),
 * E_MEMORY, E_ARGUMENT (path or out is NULL). */
OB_API ob_status ob_tensor_file_read(const char *path, const ob_allocator *allocator, ob_file_tensor *out, ob_error *error);
/** Writes a TensorProto with raw data (strings: string_data). The view may have any strides. `name` may be NULL. Writes the
 * file as ob_file_save() does. Errors: E_IO (the message names the path), E_LIMIT (too many bytes), E_MEMORY, E_ARGUMENT (path
 * is NULL, an invalid view, elements without data). */
OB_API ob_status ob_tensor_file_write(const char *path, const char *name, const ob_view *view, ob_error *error);

/** Reads a .npy file of format version 1 to 3: bool, integers, float16/32/64, complex64/128 in either byte order. Fixed-width
 * strings (U and S) become a string tensor. Fortran order becomes row-major order. Returns owned. Errors as
 * ob_tensor_file_read(); E_UNSUPPORTED also for other types (Python objects, structures, dates) and other versions. */
OB_API ob_status ob_npy_read(const char *path, const ob_allocator *allocator, ob_file_tensor *out, ob_error *error);
/** Writes a .npy file; the view may have any strides. E_UNSUPPORTED for types that NumPy does not have (bfloat16, 8-bit
 * floats, 2- and 4-bit integers). Otherwise as ob_tensor_file_write(). */
OB_API ob_status ob_npy_write(const char *path, const ob_view *view, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
