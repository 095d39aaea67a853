/** @file
 * Element types, numbered as TensorProto.DataType (onnx.proto, IR version 11). */
#ifndef ONNX_BROADCAST_DTYPE_H
#define ONNX_BROADCAST_DTYPE_H

#include <stddef.h>
#include <stdint.h>

#include "onnx_broadcast/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One row per element type: NAME, number, bytes in memory per element, text as in ONNX's textual syntax.
 * In memory a 4-bit (and 2-bit) element occupies one byte; only files pack them. A string element is an ob_string. */
#define OB_DTYPE_LIST(X)                                                                                                         \
    X(FLOAT, 1, 4, "float")                                                                                                      \
    X(UINT8, 2, 1, "uint8")                                                                                                      \
    X(INT8, 3, 1, "int8")                                                                                                        \
    X(UINT16, 4, 2, "uint16")                                                                                                    \
    X(INT16, 5, 2, "int16")                                                                                                      \
    X(INT32, 6, 4, "int32")                                                                                                      \
    X(INT64, 7, 8, "int64")                                                                                                      \
    X(STRING, 8, 16, "string")                                                                                                   \
    X(BOOL, 9, 1, "bool")                                                                                                        \
    X(FLOAT16, 10, 2, "float16")                                                                                                 \
    X(DOUBLE, 11, 8, "double")                                                                                                   \
    X(UINT32, 12, 4, "uint32")                                                                                                   \
    X(UINT64, 13, 8, "uint64")                                                                                                   \
    X(COMPLEX64, 14, 8, "complex64")                                                                                             \
    X(COMPLEX128, 15, 16, "complex128")                                                                                          \
    X(BFLOAT16, 16, 2, "bfloat16")                                                                                               \
    X(FLOAT8E4M3FN, 17, 1, "float8e4m3fn")                                                                                       \
    X(FLOAT8E4M3FNUZ, 18, 1, "float8e4m3fnuz")                                                                                   \
    X(FLOAT8E5M2, 19, 1, "float8e5m2")                                                                                           \
    X(FLOAT8E5M2FNUZ, 20, 1, "float8e5m2fnuz")                                                                                   \
    X(UINT4, 21, 1, "uint4")                                                                                                     \
    X(INT4, 22, 1, "int4")                                                                                                       \
    X(FLOAT4E2M1, 23, 1, "float4e2m1")                                                                                           \
    X(FLOAT8E8M0, 24, 1, "float8e8m0")                                                                                           \
    X(UINT2, 25, 1, "uint2")                                                                                                     \
    X(INT2, 26, 1, "int2")

typedef enum ob_dtype {
    OB_NONE = 0, /**< no element type: not known, or an omitted operand */
#define OB_DTYPE_ENUM(name, number, bytes, text) OB_##name = number,
    OB_DTYPE_LIST(OB_DTYPE_ENUM)
#undef OB_DTYPE_ENUM
        OB_DTYPE_COUNT
} ob_dtype;

/** A string element: n bytes at data, not necessarily terminated, may hold NUL bytes; data may be NULL when n is 0.
 * The bytes belong to whoever produced the tensor. */
typedef struct ob_string {
    const char *data;
    size_t n;
} ob_string;

/** Bytes of one element in memory; 0 for OB_NONE and for a number outside the list. Thread-safe, as all here. */
OB_API size_t ob_dtype_size(ob_dtype dtype);
/** "float", "int64" ... as ONNX's textual syntax writes them; "undefined" for OB_NONE, "invalid" outside the list. */
OB_API const char *ob_dtype_name(ob_dtype dtype);
/** The type with that name, or OB_NONE. `name` borrows, NULL gives OB_NONE. */
OB_API ob_dtype ob_dtype_from_name(const char *name);
/** Bits that an element occupies in a file: 4 for INT4, UINT4, FLOAT4E2M1; 2 for INT2, UINT2; 0 for STRING and OB_NONE. */
OB_API int ob_dtype_file_bits(ob_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif
