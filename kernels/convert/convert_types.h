/* Conversions from rare types: one form for all levels. */
#ifndef OB_KERNELS_CONVERT_TYPES_H
#define OB_KERNELS_CONVERT_TYPES_H

#include <stdint.h>

#define OBK_CONVERSION(to, from) void obk_##to##_from_##from(void *target, const void *source, int64_t n);
#define OBK_CONVERSIONS(from)                                                                                                    \
    OBK_CONVERSION(f32, from)                                                                                                    \
    OBK_CONVERSION(f64, from)                                                                                                    \
    OBK_CONVERSION(i8, from)                                                                                                     \
    OBK_CONVERSION(u8, from) OBK_CONVERSION(i16, from) OBK_CONVERSION(u16, from) OBK_CONVERSION(i32, from)                       \
        OBK_CONVERSION(u32, from) OBK_CONVERSION(i64, from) OBK_CONVERSION(u64, from) OBK_CONVERSION(b8, from)                   \
            OBK_CONVERSION(i4, from) OBK_CONVERSION(u4, from) OBK_CONVERSION(i2, from) OBK_CONVERSION(u2, from)
OBK_CONVERSIONS(f64)
OBK_CONVERSION(i4_low, f64)
OBK_CONVERSION(u4_low, f64)
OBK_CONVERSION(i2_low, f64)
OBK_CONVERSION(u2_low, f64) OBK_CONVERSIONS(i16) OBK_CONVERSIONS(u16) OBK_CONVERSIONS(u32) OBK_CONVERSIONS(u64)

#endif
