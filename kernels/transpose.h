/* Transposes small squares of a matrix in registers: to[i * to_row + j] = from[j * from_row + i]. */
#ifndef OB_KERNELS_TRANSPOSE_H
#define OB_KERNELS_TRANSPOSE_H

#include <stddef.h>

#include "kernels/vector.h"

typedef float obk_f32x4 __attribute__((vector_size(16)));
typedef float obk_f32x4_memory __attribute__((vector_size(16), aligned(4), may_alias));
typedef int obk_i32x4 __attribute__((vector_size(16)));

#ifdef __clang__
#define OBK_SHUFFLE_4(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define OBK_SHUFFLE_4(a, b, i, j, k, l) __builtin_shuffle(a, b, (obk_i32x4){i, j, k, l})
#endif

OBK_INLINE void obk_transpose_4_f32(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row) {
    obk_f32x4 r[4], t[4];
    for (int i = 0; i < 4; i++) r[i] = (obk_f32x4) * (const obk_f32x4_memory *)(from + i * from_row);
    t[0] = OBK_SHUFFLE_4(r[0], r[1], 0, 4, 1, 5);
    t[1] = OBK_SHUFFLE_4(r[2], r[3], 0, 4, 1, 5);
    t[2] = OBK_SHUFFLE_4(r[0], r[1], 2, 6, 3, 7);
    t[3] = OBK_SHUFFLE_4(r[2], r[3], 2, 6, 3, 7);
    *(obk_f32x4_memory *)to = OBK_SHUFFLE_4(t[0], t[1], 0, 1, 4, 5);
    *(obk_f32x4_memory *)(to + to_row) = OBK_SHUFFLE_4(t[0], t[1], 2, 3, 6, 7);
    *(obk_f32x4_memory *)(to + 2 * to_row) = OBK_SHUFFLE_4(t[2], t[3], 0, 1, 4, 5);
    *(obk_f32x4_memory *)(to + 3 * to_row) = OBK_SHUFFLE_4(t[2], t[3], 2, 3, 6, 7);
}

OBK_INLINE void obk_transpose_4_f64(double *to, ptrdiff_t to_row, const double *from, ptrdiff_t from_row) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) to[i * to_row + j] = from[j * from_row + i];
}

/* obk_transpose_f32, obk_transpose_f64: the square that is fastest at this level. */
enum { OBK_TRANSPOSED_F64 = 4 };
#define obk_transpose_f64 obk_transpose_4_f64

#if defined(__AVX512F__)
enum { OBK_TRANSPOSED_F32 = 16 };
OBK_INLINE void obk_transpose_f32(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row) {
    for (int q = 0; q < 16; q += 4) {
        __m512 r[4], t[4];
        OBK_UNROLL
        for (int i = 0; i < 4; i++) { /* rows i, i + 4, i + 8 and i + 12 in the quarters of one register */
            const float *x = from + i * from_row + q;
            r[i] = _mm512_castps128_ps512(_mm_loadu_ps(x));
            r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(x + 4 * from_row), 1);
            r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(x + 8 * from_row), 2);
            r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(x + 12 * from_row), 3);
        }
        t[0] = _mm512_unpacklo_ps(r[0], r[1]);
        t[1] = _mm512_unpackhi_ps(r[0], r[1]);
        t[2] = _mm512_unpacklo_ps(r[2], r[3]);
        t[3] = _mm512_unpackhi_ps(r[2], r[3]);
        _mm512_storeu_ps(to + q * to_row, _mm512_shuffle_ps(t[0], t[2], 0x44));
        _mm512_storeu_ps(to + (q + 1) * to_row, _mm512_shuffle_ps(t[0], t[2], 0xEE));
        _mm512_storeu_ps(to + (q + 2) * to_row, _mm512_shuffle_ps(t[1], t[3], 0x44));
        _mm512_storeu_ps(to + (q + 3) * to_row, _mm512_shuffle_ps(t[1], t[3], 0xEE));
    }
}
#elif defined(__AVX__)
enum { OBK_TRANSPOSED_F32 = 8 };
OBK_INLINE void obk_transpose_f32(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row) {
    __m256 r[8], t[8];
    /* row i and row i + 4 in the halves of one register */
    OBK_UNROLL
    for (int i = 0; i < 4; i++) {
        r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + i * from_row)),
                                    _mm_loadu_ps(from + (i + 4) * from_row), 1);
        r[i + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + i * from_row + 4)),
                                        _mm_loadu_ps(from + (i + 4) * from_row + 4), 1);
    }
    OBK_UNROLL
    for (int h = 0; h < 8; h += 4) {
        t[h] = _mm256_unpacklo_ps(r[h], r[h + 1]);
        t[h + 1] = _mm256_unpackhi_ps(r[h], r[h + 1]);
        t[h + 2] = _mm256_unpacklo_ps(r[h + 2], r[h + 3]);
        t[h + 3] = _mm256_unpackhi_ps(r[h + 2], r[h + 3]);
        _mm256_storeu_ps(to + h * to_row, _mm256_shuffle_ps(t[h], t[h + 2], 0x44));
        _mm256_storeu_ps(to + (h + 1) * to_row, _mm256_shuffle_ps(t[h], t[h + 2], 0xEE));
        _mm256_storeu_ps(to + (h + 2) * to_row, _mm256_shuffle_ps(t[h + 1], t[h + 3], 0x44));
        _mm256_storeu_ps(to + (h + 3) * to_row, _mm256_shuffle_ps(t[h + 1], t[h + 3], 0xEE));
    }
}
#else
enum { OBK_TRANSPOSED_F32 = 4 };
#define obk_transpose_f32 obk_transpose_4_f32
#endif

#endif
