/** @defgroup tensor_set Sets of tensors
 * @brief Several named tensors in one file: NumPy's .npz, and JSON.
 *
 * A JSON file is an object, whose members are tensors by name, or an array, which is one tensor without a name. A tensor is a
 * number, true or false, a string, or nested arrays of equal lengths: `{"x": [[1, 2], [3, 4]], "flag": true}`. NaN, Infinity and
 * -Infinity are numbers, as Python writes them. The form `{"shape": [0, 3], "data": []}` states a shape, of which `data` holds
 * the elements in row-major order; it may also state a `type`, such as "float16". JSON does not tell element types otherwise, so
 * the caller names one.
 *
 * A set may be read by several threads at once. Sources: NumPy, numpy.savez; PKWARE, APPNOTE.TXT (zip, with its 64-bit fields);
 * RFC 8259 (JSON), RFC 1951 (deflate).
 * @{ */
#ifndef ONNX_BROADCAST_TENSOR_SET_H
#define ONNX_BROADCAST_TENSOR_SET_H

#include "onnx_broadcast/tensor_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_tensor_set ob_tensor_set; /**< opaque: an open file and the names of its tensors */

/** Opens a file; its content decides which of the two forms it has. Returns owned: ob_tensor_set_close(). No tensor is read, and
 * of a .npz file nothing is unpacked. `allocator` NULL: the default. Errors: E_IO (the message names the path), E_FORMAT (neither
 * .npz nor JSON, or malformed; with byte offset), E_UNSUPPORTED (an archive of several parts), E_LIMIT (JSON nested deeper than
 * 64), E_MEMORY, E_ARGUMENT (path or out is NULL). *out does not change on failure. */
OB_API ob_status ob_tensor_set_open(const char *path, const ob_allocator *allocator, ob_tensor_set **out, ob_error *error);
/** Closes the file, frees the set and sets *set to NULL. NULL and a pointer to NULL are allowed. Tensors that were read stay. */
OB_API void ob_tensor_set_close(ob_tensor_set **set);

/** The number of tensors. For .npz these are the members whose names end with ".npy". */
OB_API size_t ob_tensor_set_count(const ob_tensor_set *set);
/** The name of a tensor, without ".npy"; "" for a JSON file that is one tensor. NULL from ob_tensor_set_count() on. Returns a
 * view that is valid until the set is closed. Names are as in the file: they may repeat and hold any characters except NUL. */
OB_API const char *ob_tensor_set_name(const ob_tensor_set *set, size_t index);

/** Reads a tensor. Returns owned: ob_file_tensor_release(); *out does not change on failure.
 * - dtype: for JSON the element type, unless the file states it: bool, integers of 8 bits or more, float16, bfloat16, float,
 *   double or string. A number that the type cannot hold is an error; others are rounded. A .npz file has types of its own, and
 *   dtype is ignored.
 * - allocator: NULL for the default; it also serves what is needed only during the call, except for zlib's state of some 50 KiB.
 *
 * Errors: those of ob_npy_read(); E_FORMAT (a damaged archive: sizes, checksum, deflated data), E_MODEL (JSON: lengths that
 * differ, elements of another kind, numbers out of range), E_UNSUPPORTED (encrypted; a method of compression other than stored
 * and deflated; deflated without zlib in this build; JSON without a type, or of another type), E_NOT_FOUND (index), E_ARGUMENT
 * (set or out is NULL). A member that claims more than deflate can give is refused before memory is taken. */
OB_API ob_status ob_tensor_set_read(const ob_tensor_set *set, size_t index, ob_dtype dtype, const ob_allocator *allocator,
                                    ob_file_tensor *out, ob_error *error);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
