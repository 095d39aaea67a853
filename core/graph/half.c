#include "core/graph/half.h"

#include <string.h>

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float ob__float_from_half(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t rest = half & 0x7fff;
    if (rest >= 0x7c00) return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x0400) return float_of(sign | ((rest << 13) + 0x38000000));
    float value = (float)rest * 0x1p-24f; /* subnormal: exact */
    return float_of(sign | bits_of(value));
}

uint16_t ob__half_from_float(float value) {
    uint32_t bits = bits_of(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (bits >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* 65520 and above round to infinity */
    if (bits < 0x38800000) {
        float shifted = float_of(bits) + 0.5f; /* the sum rounds to a multiple of 2^-24, ties to even */
        return (uint16_t)(sign | (bits_of(shifted) - bits_of(0.5f)));
    }
    uint32_t odd = bits >> 13 & 1;
    return (uint16_t)(sign | ((bits - 0x38000000 + 0xfff + odd) >> 13));
}

float ob__float_from_bfloat(uint16_t bits) {
    return float_of((uint32_t)bits << 16);
}

uint16_t ob__bfloat_from_float(float value) {
    uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
