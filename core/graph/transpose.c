/* Transposes squares that fit into vector registers, in tiles that read and write each cache line once. */
#include "core/graph/transpose.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Elements of any width, one by one. */
static inline void move_each(size_t width, int64_t rows, int64_t columns, char *to, int64_t to_row, const char *from,
                             int64_t from_row) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            memcpy(to + i * to_row + j * (int64_t)width, from + j * from_row + i * (int64_t)width, width);
}

#ifdef __SSE2__
static inline __m128i load(const char *from) {
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}
static inline void store(char *to, __m128i value) {
    _mm_storeu_si128((__m128i *)(void *)to, value);
}

/* Each step interleaves halves, of twice the width of the step before: after the last one registers are columns. */
static inline void square_8(char *to, int64_t to_row, const char *from, int64_t from_row) {
    const __m128i a = load(from), b = load(from + from_row);
    store(to, _mm_unpacklo_epi64(a, b));
    store(to + to_row, _mm_unpackhi_epi64(a, b));
}

static inline void square_4(char *to, int64_t to_row, const char *from, int64_t from_row) {
    const __m128i a = load(from), b = load(from + from_row), c = load(from + 2 * from_row), d = load(from + 3 * from_row);
    const __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d), AB = _mm_unpackhi_epi32(a, b),
                  CD = _mm_unpackhi_epi32(c, d);
    store(to, _mm_unpacklo_epi64(ab, cd));
    store(to + to_row, _mm_unpackhi_epi64(ab, cd));
    store(to + 2 * to_row, _mm_unpacklo_epi64(AB, CD));
    store(to + 3 * to_row, _mm_unpackhi_epi64(AB, CD));
}

/* Registers i and i + n/2 become two neighbours: log2(n) times that is a transposition. */
static inline void interleave_2(__m128i r[8]) {
    __m128i next[8];
    for (int i = 0; i < 4; i++) {
        next[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
        next[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
    }
    memcpy(r, next, sizeof next);
}

static inline void square_2(char *to, int64_t to_row, const char *from, int64_t from_row) {
    __m128i r[8];
    for (int i = 0; i < 8; i++) r[i] = load(from + i * from_row);
    for (int k = 0; k < 3; k++) interleave_2(r);
    for (int i = 0; i < 8; i++) store(to + i * to_row, r[i]);
}

static inline void interleave_1(__m128i r[16]) {
    __m128i next[16];
    for (int i = 0; i < 8; i++) {
        next[2 * i] = _mm_unpacklo_epi8(r[i], r[i + 8]);
        next[2 * i + 1] = _mm_unpackhi_epi8(r[i], r[i + 8]);
    }
    memcpy(r, next, sizeof next);
}

static inline void square_1(char *to, int64_t to_row, const char *from, int64_t from_row) {
    __m128i r[16];
    for (int i = 0; i < 16; i++) r[i] = load(from + i * from_row);
    for (int k = 0; k < 4; k++) interleave_1(r);
    for (int i = 0; i < 16; i++) store(to + i * to_row, r[i]);
}

static inline void square(size_t width, char *to, int64_t to_row, const char *from, int64_t from_row) {
    switch (width) {
    case 1: square_1(to, to_row, from, from_row); break;
    case 2: square_2(to, to_row, from, from_row); break;
    case 4: square_4(to, to_row, from, from_row); break;
    case 8: square_8(to, to_row, from, from_row); break;
    default: store(to, load(from)); break;
    }
}
#else
static inline void square(size_t width, char *to, int64_t to_row, const char *from, int64_t from_row) {
    const int64_t n = 16 / (int64_t)width;
    move_each(width, n, n, to, to_row, from, from_row);
}
#endif

/* A tile: the rows of `to` are within one cache line of `from`. */
static inline void tile(size_t width, int64_t rows, int64_t columns, char *to, int64_t to_row, const char *from,
                        int64_t from_row) {
    const int64_t size = (int64_t)width, n = 16 / size;
    int64_t j = 0;
    for (; j + n <= columns; j += n) {
        int64_t i = 0;
        for (; i + n <= rows; i += n) square(width, to + i * to_row + j * size, to_row, from + j * from_row + i * size, from_row);
        move_each(width, rows - i, n, to + i * to_row + j * size, to_row, from + j * from_row + i * size, from_row);
    }
    move_each(width, rows, columns - j, to + j * size, to_row, from + j * from_row, from_row);
}

static inline void tiles(size_t width, int64_t rows, int64_t columns, char *to, int64_t to_row, const char *from,
                         int64_t from_row) {
    enum { LINE = 64 };
    const int64_t size = (int64_t)width, step = LINE / size;
    for (int64_t i = 0; i < rows; i += step)
        tile(width, rows - i < step ? rows - i : step, columns, to + i * to_row, to_row, from + i * size, from_row);
}

/* One copy of the loops for each width that occurs. */
void ob__transpose(size_t width, int64_t rows, int64_t columns, char *to, int64_t to_row, const char *from, int64_t from_row) {
    switch (width) {
    case 1: tiles(1, rows, columns, to, to_row, from, from_row); break;
    case 2: tiles(2, rows, columns, to, to_row, from, from_row); break;
    case 4: tiles(4, rows, columns, to, to_row, from, from_row); break;
    case 8: tiles(8, rows, columns, to, to_row, from, from_row); break;
    case 16: tiles(16, rows, columns, to, to_row, from, from_row); break;
    default: move_each(width, rows, columns, to, to_row, from, from_row);
    }
}
