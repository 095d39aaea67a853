/* Moving elements: repetition. Compiled once for each instruction-set level. */
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "kernels/level.h"
#include "kernels/move/move.h"

#ifdef __AVX2__
/* 8 source elements become n vectors: lane l of vector j holds element (8 j + l) / n. */
static int64_t repeat_few(uint32_t *z, const uint32_t *x, int64_t m, int64_t n) {
    __m256i index[8];
    for (int64_t j = 0; j < n; j++) {
        int32_t lanes[8];
        for (int64_t l = 0; l < 8; l++) lanes[l] = (int32_t)((8 * j + l) / n);
        index[j] = _mm256_loadu_si256((const __m256i *)(const void *)lanes);
    }
    int64_t i = 0;
    for (; i + 8 <= m; i += 8) {
        const __m256i source = _mm256_loadu_si256((const __m256i *)(const void *)(x + i));
        for (int64_t j = 0; j < n; j++, z += 8)
            _mm256_storeu_si256((__m256i *)(void *)z, _mm256_permutevar8x32_epi32(source, index[j]));
    }
    return i;
}

static void repeat_many(uint32_t *z, const uint32_t *x, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; i++, z += n) {
        const __m256i value = _mm256_set1_epi32((int32_t)x[i]);
        for (int64_t j = 0; j + 8 <= n; j += 8) _mm256_storeu_si256((__m256i *)(void *)(z + j), value);
        _mm256_storeu_si256((__m256i *)(void *)(z + n - 8), value);
    }
}
#endif

static void repeat_4(void *target, const void *source, int64_t m, int64_t n) {
    uint32_t *z = target;
    const uint32_t *x = source;
    int64_t i = 0;
#ifdef __AVX2__
    if (n >= 8) {
        repeat_many(z, x, m, n);
        return;
    }
    i = repeat_few(z, x, m, n);
#endif
    for (; i < m; i++)
        for (int64_t j = 0; j < n; j++) z[i * n + j] = x[i];
}

const obk_moves OBK_TABLE(move) = {repeat_4};
