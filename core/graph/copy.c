/* Copying between layouts.
 *
 * Contiguous results, the usual case, are made of blocks: a block of axis a covers one step along it. Blocks up to BLOCK_BYTES
 * stay in the first-level cache, so a stretched axis repeats a cached block. Blocks over LARGE_BYTES, which exceed the
 * second-level cache, are cut: each piece is written to all of its places before the next one is read, so an operand passes
 * through memory once for any number of repetitions. Results larger than the caches are written past them. */
#include "core/graph/copy.h"

#include <stdbool.h>
#include <string.h>

#include "core/graph/transpose.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    BLOCK_BYTES = 16 << 10,
    PIECE_BYTES = 1 << 10, /* on the stack */
    LARGE_BYTES = 256 << 10,
    STREAM_BYTES = 12 << 20,
    MOST_AXES = 56 /* of sizes over 1: twice as many bytes with each, and no result has 2^56 */
};

typedef struct layout {
    int32_t rank;
    size_t width;
    int64_t dims[MOST_AXES], to[MOST_AXES], from[MOST_AXES];
    obk_pace *pace;
} layout;

/* Copied between two questions, where one copy could go on; and whether to go on after so much. */
enum { ASK_BYTES = 1 << 22 };

static inline bool stops(obk_pace *pace, int64_t n_bytes) {
    return pace && obk_stops(pace, n_bytes / 4);
}

/* Drops axes of size 1 and merges neighbours that both sides step through evenly. False when there is nothing to copy. */
static bool simplify(layout *l, int32_t rank, const int64_t *dims, size_t width, const int64_t *to, const int64_t *from) {
    int32_t last = -1;
    l->width = width;
    for (int32_t a = 0; a < rank; a++) {
        if (dims[a] == 0) return false;
        if (dims[a] == 1) continue;
        if (last >= 0 && l->to[last] == dims[a] * to[a] && l->from[last] == dims[a] * from[a]) {
            l->dims[last] *= dims[a];
            l->to[last] = to[a];
            l->from[last] = from[a];
            continue;
        }
        if (++last == MOST_AXES) return false;
        l->dims[last] = dims[a];
        l->to[last] = to[a];
        l->from[last] = from[a];
    }
    l->rank = last + 1;
    return true;
}

/* ---- Rows ---- */

/* Repeats the n_bytes at `to` `count` times: each step doubles the written part, up to a piece that fits into the first-level
 * cache twice. (Short vectors here instead of memcpy, or smaller pieces, measured 15 % slower.) */
static void repeat_block(char *to, size_t n_bytes, int64_t count) {
    size_t total = n_bytes * (size_t)count, done = n_bytes;
    while (done < total) {
        size_t piece = done < BLOCK_BYTES / 2 || n_bytes > BLOCK_BYTES / 2 ? done : BLOCK_BYTES / 2 / n_bytes * n_bytes;
        size_t step = piece < total - done ? piece : total - done;
        memcpy(to + done, to, step);
        done += step;
    }
}

#ifdef __SSE2__
/* An element as often as 16 bytes hold it. */
static inline __m128i splat(const char *from, size_t width) {
    uint16_t w2;
    uint32_t w4;
    uint64_t w8;
    switch (width) {
    case 1: return _mm_set1_epi8(*from);
    case 2: memcpy(&w2, from, 2); return _mm_set1_epi16((short)w2);
    case 4: memcpy(&w4, from, 4); return _mm_set1_epi32((int)w4);
    case 8: memcpy(&w8, from, 8); return _mm_set1_epi64x((long long)w8);
    default: return _mm_loadu_si128((const __m128i *)(const void *)from);
    }
}

/* m elements, each n times. Whole vectors are stored, which may overlap the next element's part; this is not allowed at the
 * end. */
static inline void repeat_each(char *to, const char *from, int64_t m, int64_t from_step, int64_t n, size_t width) {
    size_t row = (size_t)n * width, i = 0;
    size_t n_over = row >= 16 ? (size_t)m : (size_t)m * row >= 16 ? ((size_t)m * row - 16) / row + 1 : 0;
    if (row <= 16) {
        for (; i < n_over; i++, to += row, from += from_step) _mm_storeu_si128((__m128i *)(void *)to, splat(from, width));
    } else if (row <= 32) {
        for (; i < n_over; i++, to += row, from += from_step) {
            const __m128i value = splat(from, width);
            _mm_storeu_si128((__m128i *)(void *)to, value);
            _mm_storeu_si128((__m128i *)(void *)(to + row - 16), value);
        }
    } else {
        for (; i < n_over; i++, to += row, from += from_step) {
            const __m128i value = splat(from, width);
            size_t k = 0;
            for (; k + 64 <= row; k += 64) {
                _mm_storeu_si128((__m128i *)(void *)(to + k), value);
                _mm_storeu_si128((__m128i *)(void *)(to + k + 16), value);
                _mm_storeu_si128((__m128i *)(void *)(to + k + 32), value);
                _mm_storeu_si128((__m128i *)(void *)(to + k + 48), value);
            }
            for (; k + 16 <= row; k += 16) _mm_storeu_si128((__m128i *)(void *)(to + k), value);
            _mm_storeu_si128((__m128i *)(void *)(to + row - 16), value);
        }
    }
    for (; i < (size_t)m; i++, from += from_step)
        for (int64_t k = 0; k < n; k++, to += width) memmove(to, from, width);
}
#else
static inline void repeat_each(char *to, const char *from, int64_t m, int64_t from_step, int64_t n, size_t width) {
    for (int64_t i = 0; i < m; i++, from += from_step)
        for (int64_t k = 0; k < n; k++, to += width) memmove(to, from, width);
}
#endif

/* One copy of the loops for each width that occurs. */
static void repeat_each_of(char *to, const char *from, int64_t m, int64_t from_step, int64_t n, size_t width) {
    switch (width) {
    case 1: repeat_each(to, from, m, from_step, n, 1); break;
    case 2: repeat_each(to, from, m, from_step, n, 2); break;
    case 4: repeat_each(to, from, m, from_step, n, 4); break;
    case 8: repeat_each(to, from, m, from_step, n, 8); break;
    case 16: repeat_each(to, from, m, from_step, n, 16); break;
    default:
        for (int64_t i = 0; i < m * n; i++) memcpy(to + i * (int64_t)width, from + i / n * from_step, width);
    }
}

static void fill(void *to, int64_t n, size_t width, const void *value) {
    if (!value)
        memset(to, 0, (size_t)n * width);
    else if (width == 1)
        memset(to, *(const unsigned char *)value, (size_t)n);
    else
        repeat_each_of(to, value, 1, 0, n, width);
}

void ob__fill(void *to, int64_t n, size_t width, const void *value, obk_pace *pace) {
    if (n <= 0) return;
    if (!pace) {
        fill(to, n, width, value);
        return;
    }
    const int64_t most = ASK_BYTES / (int64_t)width;
    for (char *at = to; n > 0;) {
        const int64_t some = n < most ? n : most, n_bytes = some * (int64_t)width;
        fill(at, some, width, value);
        if (stops(pace, n_bytes)) return;
        n -= some;
        at += n_bytes;
    }
}

#define COPY_RUN(bytes)                                                                                                          \
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_stride, from + i * from_stride, bytes)

static void copy_run(size_t width, int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    if (to_stride == (int64_t)width && from_stride == (int64_t)width) {
        memcpy(to, from, (size_t)n * width);
        return;
    }
    if (to_stride == (int64_t)width && from_stride == 0) {
        fill(to, n, width, from);
        return;
    }
    switch (width) {
    case 1: COPY_RUN(1); break;
    case 2: COPY_RUN(2); break;
    case 4: COPY_RUN(4); break;
    case 8: COPY_RUN(8); break;
    case 16: COPY_RUN(16); break;
    default: COPY_RUN(width); break;
    }
}

void ob__copy_bytes(void *to, const void *from, size_t n_bytes, obk_pace *pace) {
    if (n_bytes <= ASK_BYTES) {
        if (n_bytes) memcpy(to, from, n_bytes);
        stops(pace, (int64_t)n_bytes);
        return;
    }
    for (size_t done = 0; done < n_bytes;) {
        const size_t some = n_bytes - done < ASK_BYTES ? n_bytes - done : ASK_BYTES;
        memcpy((char *)to + done, (const char *)from + done, some);
        done += some;
        if (stops(pace, (int64_t)some)) return;
    }
}

/* ---- Contiguous results ---- */

/* The strides of such a result are the sizes of its blocks. The last axis of `from` is dense or stretched. */
static bool is_blocks(const layout *l) {
    int64_t stride = (int64_t)l->width;
    for (int32_t a = l->rank - 1; a >= 0; a--) {
        if (l->to[a] != stride) return false;
        stride *= l->dims[a];
    }
    int64_t step = l->from[l->rank - 1];
    return step == 0 || step == (int64_t)l->width;
}

/* `count` blocks of axis a. */
static void build(const layout *l, int32_t a, int64_t count, char *to, const char *from) {
    int32_t last = l->rank - 1;
    int64_t block = l->to[a], step = l->from[a];
    if (a == last) {
        copy_run(l->width, count, to, block, from, step);
    } else if (step == 0) {
        build(l, a + 1, l->dims[a + 1], to, from);
        repeat_block(to, (size_t)block, count);
    } else if (a + 1 == last && l->from[last] == 0) {
        repeat_each_of(to, from, count, step, l->dims[last], l->width);
    } else {
        for (int64_t i = 0; i < count; i++) build(l, a + 1, l->dims[a + 1], to + i * block, from + i * step);
    }
}

void ob__stream(void *target, const void *source, size_t n_bytes) {
    char *to = target;
    const char *from = source;
#ifdef __SSE2__
    size_t head = (16 - (uintptr_t)to % 16) % 16;
    if (head > n_bytes) head = n_bytes;
    memcpy(to, from, head);
    to += head, from += head, n_bytes -= head;
    for (; n_bytes >= 64; to += 64, from += 64, n_bytes -= 64) {
        const __m128i *x = (const __m128i *)(const void *)from;
        __m128i *z = (__m128i *)(void *)to;
        const __m128i x0 = _mm_loadu_si128(x), x1 = _mm_loadu_si128(x + 1), x2 = _mm_loadu_si128(x + 2),
                      x3 = _mm_loadu_si128(x + 3);
        _mm_stream_si128(z, x0);
        _mm_stream_si128(z + 1, x1);
        _mm_stream_si128(z + 2, x2);
        _mm_stream_si128(z + 3, x3);
    }
#endif
    memcpy(to, from, n_bytes);
}

void ob__stream_end(void) {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Axes above the pieces. A piece is written to all steps of the stretched large axes. */
typedef struct places {
    bool stream;
    int32_t first; /* axis, of which there are `count` blocks */
    int64_t count;
    int32_t n_stretched, n_others;
    uint8_t stretched[MOST_AXES], others[MOST_AXES];
    int64_t index[MOST_AXES]; /* by axis */
} places;

/* To the next combination of these axes; false: the first one is next. */
static bool next_place(places *p, const layout *l, const uint8_t *axes, int32_t n, char **to, const char **from) {
    for (int32_t k = n - 1; k >= 0; k--) {
        const int32_t a = axes[k];
        const int64_t count = a == p->first ? p->count : l->dims[a];
        *to += l->to[a];
        *from += l->from[a];
        if (++p->index[a] < count) return true;
        *to -= count * l->to[a];
        *from -= count * l->from[a];
        p->index[a] = 0;
    }
    return false;
}

/* piece == to: the first place has it already. */
static void put(places *p, const layout *l, char *to, const char *piece, size_t n_bytes) {
    const char *same = piece; /* along stretched axes it stays where it is */
    do
        if (p->stream)
            ob__stream(to, piece, n_bytes);
        else if (to != piece)
            memcpy(to, piece, n_bytes);
    while (!stops(l->pace, (int64_t)n_bytes) && next_place(p, l, p->stretched, p->n_stretched, &to, &same));
}

/* `count` blocks of axis a, which fit into a piece. */
static void stream_pieces(const layout *l, places *p, int32_t a, int64_t count, char *to, const char *from) {
    _Alignas(64) char piece[PIECE_BYTES];
    int64_t block = l->to[a], step = l->from[a], n_rows = PIECE_BYTES / block;
    if (step == 0) build(l, a, n_rows, piece, from);
    for (int64_t i = 0; i < count && !(l->pace && l->pace->over); i += n_rows) {
        int64_t n = count - i < n_rows ? count - i : n_rows;
        if (step != 0) build(l, a, n, piece, from + i * step);
        put(p, l, to + i * block, piece, (size_t)(n * block));
    }
}

/* `count` blocks of axis a, each of which is written as a whole. */
static void put_blocks(const layout *l, places *p, int32_t a, int64_t count, char *to, const char *from) {
    int64_t block = l->to[a], step = l->from[a], n_rows = BLOCK_BYTES / block;
    bool dense = a == l->rank - 1 && step != 0; /* on both sides */
    if (p->n_stretched == 0 && (dense || !p->stream)) n_rows = dense ? ASK_BYTES / block : count;
    if (!dense && p->stream) {
        stream_pieces(l, p, a, count, to, from);
        return;
    }
    for (int64_t i = 0; i < count && !(l->pace && l->pace->over); i += n_rows) {
        int64_t n = count - i < n_rows ? count - i : n_rows;
        const char *source = from + i * step;
        char *target = to + i * block;
        if (!dense) build(l, a, n, target, source);
        put(p, l, target, dense ? source : target, (size_t)(n * block));
    }
}

/* `count` blocks of axis a. */
static void copy_blocks(const layout *l, int32_t a, int64_t count, char *to, const char *from, bool past_caches) {
    if (count * l->to[a] <= BLOCK_BYTES) {
        build(l, a, count, to, from);
        return;
    }
    places p;
    p.stream = past_caches;
    p.first = a;
    p.count = count;
    p.n_stretched = p.n_others = 0;
    for (const int64_t most = past_caches ? PIECE_BYTES : BLOCK_BYTES; l->to[a] > most; count = l->dims[++a]) {
        p.index[a] = 0;
        if (l->from[a] == 0 && l->to[a] > LARGE_BYTES)
            p.stretched[p.n_stretched++] = (uint8_t)a;
        else
            p.others[p.n_others++] = (uint8_t)a;
    }
    do put_blocks(l, &p, a, count, to, from);
    while (!(l->pace && l->pace->over) && next_place(&p, l, p.others, p.n_others, &to, &from));
}

/* Elements first .. first + n - 1 below axis a; `to` is where they go. */
static void copy_range(const layout *l, int32_t a, int64_t first, int64_t n, char *to, const char *from, bool past_caches) {
    int64_t width = (int64_t)l->width, inner = l->to[a] / width, n_bytes = n * width;
    for (char *end = to + n_bytes; to < end; to += n_bytes) {
        int64_t i = first / inner, r = first % inner, rest = (end - to) / width;
        const char *source = from + i * l->from[a];
        if (r != 0 || rest < inner) {
            n = rest < inner - r ? rest : inner - r;
            copy_range(l, a + 1, r, n, to, source, past_caches);
        } else {
            n = rest / inner * inner;
            copy_blocks(l, a, rest / inner, to, source, past_caches);
        }
        first += n;
        n_bytes = n * width;
    }
}

/* ---- Any layout ---- */

static void move_axis_to_end(layout *l, int32_t axis) {
    int64_t dim = l->dims[axis], to = l->to[axis], from = l->from[axis];
    for (int32_t a = axis; a + 1 < l->rank; a++) {
        l->dims[a] = l->dims[a + 1];
        l->to[a] = l->to[a + 1];
        l->from[a] = l->from[a + 1];
    }
    l->dims[l->rank - 1] = dim;
    l->to[l->rank - 1] = to;
    l->from[l->rank - 1] = from;
}

/* The two inner axes, the first dense in `from`, the second in `to`: in tiles, between which there is a question. */
static void transpose_inner(const layout *l, int32_t outer, char *to, const char *from) {
    enum { TILE = 1024 };
    const int64_t rows = l->dims[outer], columns = l->dims[outer + 1], width = (int64_t)l->width;
    const int64_t to_row = l->to[outer], from_row = l->from[outer + 1];
    if (!l->pace || rows * columns * width <= ASK_BYTES) {
        ob__transpose(l->width, rows, columns, to, to_row, from, from_row);
        stops(l->pace, rows * columns * width);
        return;
    }
    for (int64_t i = 0; i < rows; i += TILE)
        for (int64_t k = 0; k < columns; k += TILE) {
            const int64_t m = rows - i < TILE ? rows - i : TILE, n = columns - k < TILE ? columns - k : TILE;
            ob__transpose(l->width, m, n, to + i * to_row + k * width, to_row, from + k * from_row + i * width, from_row);
            if (stops(l->pace, m * n * width)) return;
        }
}

/* The inner axis. */
static void copy_runs(const layout *l, int32_t axis, char *to, const char *from) {
    enum { MOST = 1 << 18 };
    for (int64_t i = 0, n = l->dims[axis]; i < n; i += MOST) {
        const int64_t some = n - i < MOST ? n - i : MOST;
        copy_run(l->width, some, to + i * l->to[axis], l->to[axis], from + i * l->from[axis], l->from[axis]);
        if (stops(l->pace, some * (int64_t)l->width)) return;
    }
}

static void copy_any(layout *l, char *to, const char *from) {
    const size_t width = l->width;
    int32_t inner = 1;
    const int32_t last = l->rank - 1;
    if (l->to[last] == (int64_t)width && l->from[last] != (int64_t)width && l->from[last] != 0) {
        for (int32_t a = 0; a + 1 < l->rank; a++) {
            if (l->from[a] != (int64_t)width) continue;
            move_axis_to_end(l, a);
            move_axis_to_end(l, l->rank - 2); /* the dense axis of `from` second to last, that of `to` last */
            inner = 2;
            break;
        }
    }
    int32_t outer = l->rank - inner;
    int64_t index[MOST_AXES] = {0};
    for (;;) {
        if (inner == 2)
            transpose_inner(l, outer, to, from);
        else
            copy_runs(l, outer, to, from);
        if (l->pace && l->pace->over) return;
        int32_t a = outer - 1;
        for (; a >= 0; a--) {
            to += l->to[a];
            from += l->from[a];
            if (++index[a] < l->dims[a]) break;
            to -= index[a] * l->to[a];
            from -= index[a] * l->from[a];
            index[a] = 0;
        }
        if (a < 0) return;
    }
}

void ob__copy(int32_t rank, const int64_t *dims, size_t width, void *to, const int64_t *to_strides, const void *from,
              const int64_t *from_strides, obk_pace *pace) {
    layout l;
    l.pace = pace;
    if (!simplify(&l, rank, dims, width, to_strides, from_strides)) return;
    if (l.rank == 0) {
        if (to != from) memcpy(to, from, width);
        return;
    }
    if (to == from && memcmp(l.to, l.from, sizeof l.to[0] * (size_t)l.rank) == 0) return;
    if (!is_blocks(&l)) {
        copy_any(&l, to, from);
        return;
    }
    bool past_caches = l.dims[0] * l.to[0] >= STREAM_BYTES;
    copy_blocks(&l, 0, l.dims[0], to, from, past_caches);
    if (past_caches) ob__stream_end();
}

void ob__copy_part(int32_t rank, const int64_t *dims, size_t width, void *to, const int64_t *to_strides, const void *from,
                   const int64_t *from_strides, int64_t first, int64_t n) {
    layout l;
    l.pace = NULL;
    if (n == 0 || !simplify(&l, rank, dims, width, to_strides, from_strides)) return;
    if (l.rank == 0) {
        memcpy(to, from, width);
        return;
    }
    bool past_caches = l.dims[0] * l.to[0] >= STREAM_BYTES;
    if (is_blocks(&l)) {
        copy_range(&l, 0, first, n, (char *)to + first * (int64_t)width, from, past_caches);
        if (past_caches) ob__stream_end();
        return;
    }
    int64_t *index = l.to, rest = first; /* the result is contiguous: its strides are not used again */
    char *z = (char *)to + first * (int64_t)width;
    const char *x = from;
    for (int32_t a = l.rank - 1; a >= 0; a--) {
        index[a] = rest % l.dims[a];
        rest /= l.dims[a];
        x += index[a] * l.from[a];
    }
    for (int64_t i = 0; i < n; i++, z += width) {
        memcpy(z, x, width);
        for (int32_t a = l.rank - 1; a >= 0; a--) {
            x += l.from[a];
            if (++index[a] < l.dims[a]) break;
            x -= index[a] * l.from[a];
            index[a] = 0;
        }
    }
}
