#ifndef OB_KERNELS_CONVERT_WRAP_H
#define OB_KERNELS_CONVERT_WRAP_H

#include <stdint.h>

/* 4- and 2-bit integers keep the low bits of an integer. */
static inline int8_t wrap_i4(uint8_t x) {
    return (int8_t)((x & 15) ^ 8) - 8;
}
static inline uint8_t wrap_u4(uint8_t x) {
    return x & 15;
}
static inline int8_t wrap_i2(uint8_t x) {
    return (int8_t)((x & 3) ^ 2) - 2;
}
static inline uint8_t wrap_u2(uint8_t x) {
    return x & 3;
}

#endif
