/* Conversions of element types: one for each target type, and those listed here. */
#ifndef OB_KERNELS_CONVERT_H
#define OB_KERNELS_CONVERT_H

#include "kernels/loop.h"

enum {
    OBK_TO_F32_ODD =
        OB_DTYPE_COUNT, /* float, with inexact results rounded to odd: a second rounding to fewer bits is then exact */
    OBK_TO_E4M3FN_WRAP, /* 8-bit floats without saturation */
    OBK_TO_E4M3FNUZ_WRAP,
    OBK_TO_E5M2_WRAP,
    OBK_TO_E5M2FNUZ_WRAP,
    OBK_TO_UINT4_LOW, /* 4- and 2-bit integers: floats keep the low bits instead of saturating */
    OBK_TO_INT4_LOW,
    OBK_TO_UINT2_LOW,
    OBK_TO_INT2_LOW,
    OBK_CONVERT_COUNT
};

#endif
