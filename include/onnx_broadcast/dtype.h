/** @defgroup dtype Element types
 * @brief Element types of tensors, with the numbers of TensorProto.DataType (onnx.proto, IR version 11).
 *
 * All functions here are thread-safe.
 * @{ */
#ifndef ONNX_BROADCAST_DTYPE_H
#define ONNX_BROADCAST_DTYPE_H

#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One row per element type: NAME, number, bytes of one element in memory, name in ONNX's textual syntax. Formats: IEEE 754
 * for float, double and float16; the ONNX pages "Float stored in 8 bits", "Float stored in 4 bits" and "Integer stored in 4
 * bits" for the narrow types. */
#define OB_DTYPE_LIST(X)                                                                                                         \
    X(FLOAT, 1, 4, "float")                    /**< IEEE 754 binary32, C float */                                                \
    X(UINT8, 2, 1, "uint8")                    /**< C uint8_t */                                                                 \
    X(INT8, 3, 1, "int8")                      /**< C int8_t */                                                                  \
    X(UINT16, 4, 2, "uint16")                  /**< C uint16_t */                                                                \
    X(INT16, 5, 2, "int16")                    /**< C int16_t */                                                                 \
    X(INT32, 6, 4, "int32")                    /**< C int32_t */                                                                 \
    X(INT64, 7, 8, "int64")                    /**< C int64_t */                                                                 \
    X(STRING, 8, sizeof(ob_string), "string")  /**< an ob_string */                                                              \
    X(BOOL, 9, 1, "bool")                      /**< 0 or 1 */                                                                    \
    X(FLOAT16, 10, 2, "float16")               /**< IEEE 754 binary16 */                                                         \
    X(DOUBLE, 11, 8, "double")                 /**< IEEE 754 binary64, C double */                                               \
    X(UINT32, 12, 4, "uint32")                 /**< C uint32_t */                                                                \
    X(UINT64, 13, 8, "uint64")                 /**< C uint64_t */                                                                \
    X(COMPLEX64, 14, 8, "complex64")           /**< real and imaginary part, binary32 each */                                    \
    X(COMPLEX128, 15, 16, "complex128")        /**< real and imaginary part, binary64 each */                                    \
    X(BFLOAT16, 16, 2, "bfloat16")             /**< the upper half of a binary32 */                                              \
    X(FLOAT8E4M3FN, 17, 1, "float8e4m3fn")     /**< 4 bits exponent, 3 mantissa; no infinity */                                  \
    X(FLOAT8E4M3FNUZ, 18, 1, "float8e4m3fnuz") /**< as before, one zero, another bias */                                         \
    X(FLOAT8E5M2, 19, 1, "float8e5m2")         /**< 5 bits exponent, 2 mantissa */                                               \
    X(FLOAT8E5M2FNUZ, 20, 1, "float8e5m2fnuz") /**< as before, one zero, no infinity, another bias */                            \
    X(UINT4, 21, 1, "uint4")                   /**< 0 .. 15 */                                                                   \
    X(INT4, 22, 1, "int4")                     /**< -8 .. 7 */                                                                   \
    X(FLOAT4E2M1, 23, 1, "float4e2m1")         /**< 2 bits exponent, 1 mantissa, in the low bits */                              \
    X(FLOAT8E8M0, 24, 1, "float8e8m0")         /**< a power of two: 8 bits exponent */                                           \
    X(UINT2, 25, 1, "uint2")                   /**< 0 .. 3 */                                                                    \
    X(INT2, 26, 1, "int2")                     /**< -2 .. 1 */                                                                   \
    /* the end */

/** An element type. In memory a 4-bit or 2-bit element occupies one byte (signed types are sign-extended). Only files pack
 * such elements. */
typedef enum ob_dtype {
    OB_NONE = 0, /**< no element type: unknown, or an omitted operand */
#define OB_DTYPE_ENUM(name, number, bytes, text) OB_##name = number,
    OB_DTYPE_LIST(OB_DTYPE_ENUM)
#undef OB_DTYPE_ENUM
        OB_DTYPE_COUNT /**< the highest number plus 1; not a type */
} ob_dtype;

/** A string element. The producer of the tensor owns the bytes. */
typedef struct ob_string {
    const char *data; /**< n bytes, not always terminated, may contain NUL bytes; may be NULL when n is 0 */
    size_t n;         /**< number of bytes */
} ob_string;

/** Bytes of one element in memory; 0 for OB_NONE and for a number that is not in the list. */
OB_API size_t ob_dtype_size(ob_dtype dtype);
/** "float", "int64" ... as in ONNX's textual syntax; "undefined" for OB_NONE, "invalid" for a number that is not in the list.
 * Static, never NULL. */
OB_API const char *ob_dtype_name(ob_dtype dtype);
/** The type with this name, or OB_NONE; OB_NONE for NULL. */
OB_API ob_dtype ob_dtype_from_name(const char *name);
/** Bits of one element in a file: 4 for INT4, UINT4, FLOAT4E2M1; 2 for INT2, UINT2; 0 for STRING, OB_NONE and a number that is
 * not in the list. */
OB_API int ob_dtype_file_bits(ob_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif
/** @} */
