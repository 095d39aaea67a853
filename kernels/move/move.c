/* Moving elements: repetition. Compiled once for each instruction-set level. */
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "kernels/level.h"
#include "kernels/move/move.h"

#define MEMBER move
#define ROWS   "kernels/move/move.def"
#include "kernels/declare.inc.h"

#ifdef __AVX2__
#ifdef __AVX512F__
typedef __m512i vector;
#define LOAD(p)           _mm512_loadu_si512(p)
#define STORE(p, v)       _mm512_storeu_si512(p, v)
#define PERMUTE(v, lanes) _mm512_permutexvar_epi32(lanes, v)
#else
typedef __m256i vector;
#define LOAD(p)           _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v)       _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define PERMUTE(v, lanes) _mm256_permutevar8x32_epi32(v, lanes)
#endif
enum { LANES = sizeof(vector) / 4 };

/* A vector of source elements becomes n vectors: lane l of vector j holds element (LANES j + l) / n. Inlined so that n is a
 * constant. Returns the source elements that are done. */
static inline __attribute__((always_inline)) int64_t repeat_of(uint32_t *z, const uint32_t *x, int64_t m, int n) {
    vector index[8];
    for (int j = 0; j < n; j++) {
        int32_t lanes[LANES];
        for (int l = 0; l < LANES; l++) lanes[l] = (LANES * j + l) / n;
        index[j] = LOAD(lanes);
    }
    int64_t i = 0;
    for (; i + LANES <= m; i += LANES) {
        const vector source = LOAD(x + i);
        for (int j = 0; j < n; j++, z += LANES) STORE(z, PERMUTE(source, index[j]));
    }
    return i;
}

static int64_t repeat_few(uint32_t *z, const uint32_t *x, int64_t m, int64_t n) {
    switch (n) {
    case 2: return repeat_of(z, x, m, 2);
    case 3: return repeat_of(z, x, m, 3);
    case 4: return repeat_of(z, x, m, 4);
    case 5: return repeat_of(z, x, m, 5);
    case 6: return repeat_of(z, x, m, 6);
    case 7: return repeat_of(z, x, m, 7);
    default: return 0;
    }
}

static void repeat_many(uint32_t *z, const uint32_t *x, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; i++, z += n) {
        const __m256i value = _mm256_set1_epi32((int32_t)x[i]);
        for (int64_t j = 0; j + 8 <= n; j += 8) _mm256_storeu_si256((__m256i *)(void *)(z + j), value);
        _mm256_storeu_si256((__m256i *)(void *)(z + n - 8), value);
    }
}
#endif

void OBK_FN(move_repeat_4)(void *target, const void *source, int64_t m, int64_t n) {
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

const obk_moves OBK_TABLE(move) = {
#define ROWS "kernels/move/move.def"
#include "kernels/table.inc.h"
};
