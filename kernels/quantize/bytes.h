/* Converts 32 elements of 8 bits to floats and back, in registers, with a third fewer instructions than the compiler's
 * conversions. Elements stay in the order in which unpacking by lanes leaves them; packing by lanes restores it. */
#ifndef OB_KERNELS_QUANTIZE_BYTES_H
#define OB_KERNELS_QUANTIZE_BYTES_H

#ifdef __AVX2__
#include <immintrin.h>

#include "kernels/quantize/quantize.h"
#include "kernels/vector.h"

enum { OBK_BYTES = 32 };

typedef struct obk_widening {
    __m256i flip; /* flips the sign bit: signed elements become unsigned ones that are 128 larger */
    __m256 bias, scale;
} obk_widening;

OBK_INLINE obk_widening obk_widening_of(float scale, float zero, bool is_signed) {
    return (obk_widening){_mm256_set1_epi8((char)(is_signed ? 0x80 : 0)),
                          _mm256_set1_ps(8388608.0f + (zero + (float)(is_signed ? 128 : 0))), _mm256_set1_ps(scale)};
}

/* forms 2^23 + x, whose last bits are x */
OBK_INLINE void obk_widen(__m256 y[4], __m256i x, __m256i flip) {
    const __m256i above = _mm256_set1_epi16(0x4b00), none = _mm256_setzero_si256();
    x = _mm256_xor_si256(x, flip);
    const __m256i low = _mm256_unpacklo_epi8(x, none), high = _mm256_unpackhi_epi8(x, none);
    y[0] = _mm256_castsi256_ps(_mm256_unpacklo_epi16(low, above));
    y[1] = _mm256_castsi256_ps(_mm256_unpackhi_epi16(low, above));
    y[2] = _mm256_castsi256_ps(_mm256_unpacklo_epi16(high, above));
    y[3] = _mm256_castsi256_ps(_mm256_unpackhi_epi16(high, above));
}

/* (x - zero) * scale; the difference is exact. */
OBK_INLINE void obk_dequantized(__m256 y[4], const void *x, const obk_widening *w) {
    obk_widen(y, _mm256_loadu_si256(x), w->flip);
    OBK_UNROLL
    for (int k = 0; k < 4; k++) y[k] = (y[k] - w->bias) * w->scale;
}

/* The sum of n bytes with their signs flipped. */
OBK_INLINE int64_t obk_sum(const uint8_t *x, int64_t n, __m256i flip) {
    const __m256i none = _mm256_setzero_si256();
    __m256i sums = none;
    int64_t i = 0, parts[4];
    for (; i + OBK_BYTES <= n; i += OBK_BYTES)
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_xor_si256(_mm256_loadu_si256((const void *)(x + i)), flip), none));
    if (i < n) {
        uint8_t tail[OBK_BYTES];
        _mm256_storeu_si256((void *)tail, flip); /* these elements become 0 */
        memcpy(tail, x + i, (size_t)(n - i));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_xor_si256(_mm256_loadu_si256((const void *)tail), flip), none));
    }
    _mm256_storeu_si256((void *)parts, sums);
    return parts[0] + parts[1] + parts[2] + parts[3];
}

typedef struct obk_narrowing {
    __m256 scale, high;
    __m256i zero;
} obk_narrowing;

OBK_INLINE obk_narrowing obk_narrowing_of(const obk_scales *to) {
    return (obk_narrowing){_mm256_set1_ps(*to->scale), _mm256_set1_ps(to->high - *to->zero), _mm256_set1_epi16((short)*to->zero)};
}

/* Numbers that are too low and NaN become the least int32, and so the lowest result. */
OBK_INLINE void obk_quantized(void *z, __m256 x[4], const obk_narrowing *w, bool is_signed) {
    __m256i whole[4];
    OBK_UNROLL
    for (int k = 0; k < 4; k++) whole[k] = _mm256_cvtps_epi32(_mm256_min_ps(w->high, x[k] / w->scale));
    const __m256i low = _mm256_adds_epi16(_mm256_packs_epi32(whole[0], whole[1]), w->zero);
    const __m256i high = _mm256_adds_epi16(_mm256_packs_epi32(whole[2], whole[3]), w->zero);
    _mm256_storeu_si256(z, is_signed ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high));
}
#endif

#endif
