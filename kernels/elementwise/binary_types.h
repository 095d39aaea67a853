/* Loops of two operands for types other than float: those of 8 and 16 bits have one form for all levels. */
#ifndef OB_KERNELS_BINARY_TYPES_H
#define OB_KERNELS_BINARY_TYPES_H

#include "kernels/level.h"
#include "kernels/loop.h"

/* A loop of this level. */
#define OBK_LEVEL(op, type) OBK_CAT3(obk_##op##_##type, __, OBK_ISA)

#define OBK_BINARY(name)                                                                                                         \
    void name(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows, const void *params);
#define OBK_ALL(X, t)      X(max, t) X(min, t) X(div, t) X(fmod, t) X(prelu, t) X(less, t) X(less_equal, t)
#define OBK_SIGNED(X, t)   OBK_ALL(X, t) X(mod, t)
#define OBK_WRAPS(X, t)    OBK_ALL(X, t) X(add, t) X(sub, t) X(mul, t) X(equal, t)
#define OBK_UNSIGNED(X, t) OBK_WRAPS(X, t) X(shift_left, t) X(shift_right, t) X(bit_and, t) X(bit_or, t) X(bit_xor, t)

#define OBK_DECLARE(op, type) OBK_BINARY(obk_##op##_##type)
OBK_SIGNED(OBK_DECLARE, i8)
OBK_SIGNED(OBK_DECLARE, i16)
OBK_UNSIGNED(OBK_DECLARE, u8)
OBK_UNSIGNED(OBK_DECLARE, u16)
#undef OBK_DECLARE

#ifdef OBK_ISA
#define OBK_DECLARE(op, type) OBK_BINARY(OBK_LEVEL(op, type))
OBK_WRAPS(OBK_DECLARE, f64)
OBK_SIGNED(OBK_DECLARE, i32)
OBK_SIGNED(OBK_DECLARE, i64)
OBK_UNSIGNED(OBK_DECLARE, u32)
OBK_UNSIGNED(OBK_DECLARE, u64)
#undef OBK_DECLARE
#endif

#endif
