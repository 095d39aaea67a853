/* The kinds of element types. The list of types is types.def. */
#ifndef OB_CORE_GRAPH_TYPES_H
#define OB_CORE_GRAPH_TYPES_H

#include <stdbool.h>

#include "onnx_broadcast/dtype.h"

#define OB_KIND_NONE     0
#define OB_KIND_REAL     1 /* float, double */
#define OB_KIND_NARROW   2 /* floats that C does not have */
#define OB_KIND_SIGNED   3
#define OB_KIND_UNSIGNED 4
#define OB_KIND_BOOL     5
#define OB_KIND_COMPLEX  6
#define OB_KIND_STRING   7

/* OB_KIND_...; OB_KIND_NONE for OB_NONE and for a number outside the list. */
int ob__dtype_kind(ob_dtype dtype);

/* float, double. */
static inline bool ob__dtype_is_real(ob_dtype dtype) {
    return ob__dtype_kind(dtype) == OB_KIND_REAL;
}
/* Floats of 16 bits and less, which C does not have. */
static inline bool ob__dtype_is_narrow(ob_dtype dtype) {
    return ob__dtype_kind(dtype) == OB_KIND_NARROW;
}
static inline bool ob__dtype_is_float(ob_dtype dtype) {
    return ob__dtype_is_real(dtype) || ob__dtype_is_narrow(dtype);
}
/* The floats of 16 bits. */
static inline bool ob__dtype_is_half(ob_dtype dtype) {
    return dtype == OB_FLOAT16 || dtype == OB_BFLOAT16;
}
/* The floats of 16 bits and more. */
static inline bool ob__dtype_is_real_or_half(ob_dtype dtype) {
    return ob__dtype_is_real(dtype) || ob__dtype_is_half(dtype);
}
static inline bool ob__dtype_is_integer(ob_dtype dtype) {
    const int kind = ob__dtype_kind(dtype);
    return kind == OB_KIND_SIGNED || kind == OB_KIND_UNSIGNED;
}
static inline bool ob__dtype_is_complex(ob_dtype dtype) {
    return ob__dtype_kind(dtype) == OB_KIND_COMPLEX;
}

/* For templates: OB_NAMED(combine_) is combine_FLOAT ..., OB_TYPE_DTYPE is OB_FLOAT ... of the current row. */
#define OB_NAMED_(prefix, name)  prefix##name
#define OB_NAMED_2(prefix, name) OB_NAMED_(prefix, name)
#define OB_NAMED(prefix)         OB_NAMED_2(prefix, OB_TYPE_NAME)
#define OB_TYPE_DTYPE            OB_NAMED(OB_)

#endif
