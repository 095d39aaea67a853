/* Loops of one operand for integers: one form for all levels. */
#ifndef OB_KERNELS_UNARY_TYPES_H
#define OB_KERNELS_UNARY_TYPES_H

#include "kernels/loop.h"

#define OBK_UNARY(op, type)                                                                                                      \
    void obk_##op##_##type(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows,              \
                           const void *params);
#define OBK_BOTH(op, other, t) OBK_UNARY(op, t) OBK_UNARY(other, t)
#define OBK_ALL_UNARY(t)       OBK_BOTH(u_abs, u_sign, t) OBK_BOTH(u_erf, u_shrink, t) OBK_UNARY(clip, t)
#define OBK_SIGNED_UNARY(t)    OBK_ALL_UNARY(t) OBK_BOTH(u_neg, u_relu, t)
#define OBK_UNSIGNED_UNARY(t)  OBK_ALL_UNARY(t) OBK_UNARY(u_bit_not, t)
OBK_SIGNED_UNARY(i8)
OBK_SIGNED_UNARY(i16)
OBK_SIGNED_UNARY(i32)
OBK_SIGNED_UNARY(i64)
OBK_UNSIGNED_UNARY(u8)
OBK_UNSIGNED_UNARY(u16)
OBK_UNSIGNED_UNARY(u32)
OBK_UNSIGNED_UNARY(u64)

#endif
