/* The narrow floating types, one number at a time. Rounding is to nearest, ties to even. */
#ifndef OB_KERNELS_NARROW_H
#define OB_KERNELS_NARROW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t obk_f32_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float obk_f32_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- float16, bfloat16 ---- */

static inline float obk_f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = h & 0x7fffu;
    /* scaling by 2^112 moves the exponent and normalises subnormals; infinities and NaN are handled below */
    float scaled = obk_f32_of(magnitude << 13) * 0x1p112f;
    uint32_t special = magnitude << 13 | 0x7f800000u | (magnitude > 0x7c00u ? 0x400000u : 0);
    return obk_f32_of(sign | (magnitude >= 0x7c00u ? special : obk_f32_bits(scaled)));
}

static inline uint16_t obk_f32_to_f16(float x) {
    uint32_t bits = obk_f32_bits(x), sign = bits & 0x80000000u;
    uint32_t magnitude = bits ^ sign;
    /* below 2^-14: adding 0.5 leaves the rounded subnormal in the low bits */
    uint32_t subnormal = obk_f32_bits(obk_f32_of(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
    uint32_t special = magnitude > 0x7f800000u ? 0x7e00u | (magnitude >> 13 & 0x3ffu) : 0x7c00u;
    uint32_t result = magnitude < 0x38800000u ? subnormal : magnitude < 0x47800000u ? normal : special;
    return (uint16_t)(sign >> 16 | result);
}

static inline float obk_bf16_to_f32(uint16_t h) {
    return obk_f32_of((uint32_t)h << 16);
}

static inline uint16_t obk_f32_to_bf16(float x) {
    uint32_t bits = obk_f32_bits(x);
    uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1);
    return (uint16_t)(((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : rounded) >> 16);
}

/* ---- 8-bit floats ---- */

typedef struct obk_f8 {
    int mantissa, bias;         /* mantissa bits, exponent bias */
    uint8_t max, infinity, nan; /* codes; infinity 0: the type has none */
    bool unsigned_zero;         /* no -0 and no signed NaN: 0x80 is NaN */
} obk_f8;

static const obk_f8 obk_e4m3fn = {3, 7, 0x7e, 0, 0x7f, false};
static const obk_f8 obk_e4m3fnuz = {3, 8, 0x7f, 0, 0x80, true};
static const obk_f8 obk_e5m2 = {2, 15, 0x7b, 0x7c, 0x7f, false};
static const obk_f8 obk_e5m2fnuz = {2, 16, 0x7f, 0, 0x80, true};

static inline float obk_f8_to_f32(uint8_t code, const obk_f8 *type) {
    uint32_t sign = (uint32_t)(code & 0x80) << 24, magnitude = code & 0x7fu;
    if (type->unsigned_zero ? code == 0x80 : magnitude > type->max && magnitude != type->infinity)
        return obk_f32_of(0x7fc00000u | sign);
    if (type->infinity && magnitude == type->infinity) return obk_f32_of(0x7f800000u | sign);
    uint32_t shift = 23u - (uint32_t)type->mantissa;
    float scale = obk_f32_of((uint32_t)(254 - type->bias) << 23); /* 2^(127 - bias) */
    return obk_f32_of(sign | obk_f32_bits(obk_f32_of(magnitude << shift) * scale));
}

static inline uint8_t obk_f32_to_f8(float x, const obk_f8 *type, bool saturate) {
    uint32_t bits = obk_f32_bits(x), magnitude = bits & 0x7fffffffu;
    uint8_t sign = (uint8_t)(bits >> 24 & 0x80);
    if (magnitude > 0x7f800000u) return type->unsigned_zero ? type->nan : type->nan | sign;
    uint32_t shift = 23u - (uint32_t)type->mantissa;
    uint32_t least_normal = (uint32_t)(128 - type->bias) << 23;
    uint32_t code;
    if (magnitude < least_normal) {
        /* 2^(23 + exponent of the last place): adding it leaves the rounded subnormal in the low bits */
        uint32_t magic = (uint32_t)(127 + 24 - type->bias - type->mantissa) << 23;
        code = obk_f32_bits(obk_f32_of(magnitude) + obk_f32_of(magic)) - magic;
    } else {
        code = ((magnitude + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1)) >> shift) -
               ((uint32_t)(127 - type->bias) << type->mantissa);
    }
    if (code > type->max) {
        if (saturate)
            code = type->max;
        else if (type->infinity)
            code = type->infinity;
        else
            return type->unsigned_zero ? type->nan : type->nan | sign;
    }
    if (code == 0 && type->unsigned_zero) return 0;
    return (uint8_t)(code | sign);
}

/* ---- float4e2m1: sign, two bits of exponent, one of mantissa. Infinity becomes the largest number, NaN becomes -0 ---- */

static inline float obk_f4_to_f32(uint8_t code) {
    static const float values[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    return code & 8 ? -values[code & 7] : values[code & 7];
}

static inline uint8_t obk_f32_to_f4(float x) {
    float magnitude = fabsf(x);
    if (magnitude != magnitude) return 8;
    /* a tie between neighbours goes to the even code */
    int code = (magnitude > 0.25f) + (magnitude >= 0.75f) + (magnitude > 1.25f) + (magnitude >= 1.75f) + (magnitude > 2.5f) +
               (magnitude >= 3.5f) + (magnitude > 5);
    return (uint8_t)(code | (signbit(x) ? 8 : 0));
}

/* ---- float8e8m0: 2^(code - 127), 0xff is NaN. The sign is lost. Out of range, 0 included: the nearest number if it saturates,
 * else NaN ---- */

typedef enum obk_round { OBK_ROUND_UP, OBK_ROUND_DOWN, OBK_ROUND_NEAREST } obk_round;

static inline float obk_e8m0_to_f32(uint8_t code) {
    return obk_f32_of(code == 0xff ? 0x7fc00000u : code == 0 ? 0x00400000u : (uint32_t)code << 23);
}

static inline uint8_t obk_f32_to_e8m0(float x, obk_round round, bool saturate) {
    const uint32_t least = 0x00400000u, most = 0x7f000000u; /* 2^-127, a subnormal float, and 2^127 */
    uint32_t bits = obk_f32_bits(x) & 0x7fffffffu, code = bits >> 23, fraction = bits & 0x7fffffu;
    if (bits > 0x7f800000u) return 0xff;
    if (bits < least || bits > most) return !saturate ? 0xff : bits < least ? 0 : 0xfe;
    if (code == 0) return round == OBK_ROUND_UP ? fraction > 0x400000u : round == OBK_ROUND_NEAREST && fraction >= 0x600000u;
    bool up = round == OBK_ROUND_UP ? fraction != 0 : round == OBK_ROUND_NEAREST && fraction >= 0x400000u;
    return (uint8_t)(code + up);
}

/* ---- Rounding to odd: an inexact result gets an odd last bit, so that rounding it again to fewer bits is exact ---- */

static inline float obk_f64_to_f32_odd(double x) {
    float near = (float)x;
    if ((double)near == x || x != x) return near;
    uint32_t bits = obk_f32_bits(near);
    if (fabs((double)near) > fabs(x)) bits--; /* toward zero */
    return obk_f32_of(bits | 1);
}

static inline double obk_u64_to_f64_odd(uint64_t x) {
    return x >> 53 ? (double)(x >> 11 | ((x & 0x7ff) != 0)) * 0x1p11 : (double)x;
}

static inline double obk_i64_to_f64_odd(int64_t x) {
    return x < 0 ? -obk_u64_to_f64_odd(0 - (uint64_t)x) : obk_u64_to_f64_odd((uint64_t)x);
}

#endif
