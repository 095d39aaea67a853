/* Template of gemm.c. Parameters: REAL, its vector VECTOR (MEMORY for loads and stores), FMA of vectors, TRANSPOSE_4, TRANSPOSE
 * of squares of TRANSPOSED elements, NAME(x). The microkernel computes tiles of OBK_TILE_ROWS rows by two vectors. */

enum { NAME(W) = OBK_VECTOR_BYTES / sizeof(REAL), NAME(NR) = 2 * NAME(W) };

/* The epilogue of a tile after a block of k. */
typedef struct NAME(end) {
    bool first, last; /* of the blocks of k */
    REAL alpha, beta;
    const REAL *c; /* at the tile's first element */
    ptrdiff_t c_row, c_column;
} NAME(end);

OBK_INLINE VECTOR NAME(load)(const REAL *from) {
    return (VECTOR)(*(const MEMORY *)from);
}

OBK_INLINE VECTOR NAME(splat)(REAL x) {
    return x - (VECTOR){0}; /* -0 stays -0 */
}

/* Writes y from the sums of a tile, whose rows lie sums_row apart. */
static void NAME(finish)(REAL *restrict y, ptrdiff_t y_row, const REAL *restrict sums, ptrdiff_t sums_row, int64_t rows,
                         int64_t columns, const NAME(end) * end) {
    const REAL alpha = end->alpha, beta = end->beta;
    for (int64_t i = 0; i < rows; i++, y += y_row, sums += sums_row) {
        if (end->first)
            memcpy(y, sums, (size_t)columns * sizeof *y);
        else
            for (int64_t j = 0; j < columns; j++) y[j] += sums[j];
        if (!end->last) continue;
        if (alpha != 1)
            for (int64_t j = 0; j < columns; j++) y[j] *= alpha;
        if (!end->c) continue;
        const REAL *restrict c = end->c + i * end->c_row;
        const REAL added = beta * c[0];
        if (end->c_column == 0)
            for (int64_t j = 0; j < columns; j++) y[j] += added;
        else if (beta == 1)
            for (int64_t j = 0; j < columns; j++) y[j] += c[j];
        else
            for (int64_t j = 0; j < columns; j++) y[j] += beta * c[j];
    }
}

#if OBK_PLAIN_REAL
/* One row of Y by a panel of B: the tile where vectors are not in registers. */
static void NAME(plain_tile)(ptrdiff_t k, const REAL *restrict a, ptrdiff_t a_k, const REAL *restrict b, ptrdiff_t b_k,
                             REAL *restrict y, bool adds) {
    REAL sum[NAME(NR)];
    OBK_UNROLL
    for (int j = 0; j < NAME(NR); j++) sum[j] = 0;
    for (; k > 0; k--, a += a_k, b += b_k) {
        OBK_UNROLL
        for (int j = 0; j < NAME(NR); j++) sum[j] = OBK_FMA(*a, b[j], sum[j]);
    }
    OBK_UNROLL
    for (int j = 0; j < NAME(NR); j++) y[j] = adds ? y[j] + sum[j] : sum[j];
}
#else
/* The microkernel: rows x (2 * panels) vectors of Y, which are written, or added to if `adds`. The caller passes rows and panels
 * as constants. Panels of B lie b_panel apart. */
OBK_INLINE void NAME(tile)(const int rows, const int panels, int64_t k, const REAL *a, ptrdiff_t a_row, ptrdiff_t a_k,
                           const REAL *b, ptrdiff_t b_k, ptrdiff_t b_panel, REAL *y, ptrdiff_t y_row, bool adds) {
    VECTOR sum[OBK_TILE_ROWS][8];
    if (adds) {
        OBK_UNROLL
        for (int i = 0; i < rows; i++) __builtin_prefetch(y + i * y_row, 1); /* rows of a large Y lie pages apart */
    }
    OBK_UNROLL
    for (int i = 0; i < rows; i++) OBK_UNROLL
    for (int v = 0; v < 2 * panels; v++) sum[i][v] = (VECTOR){0};
    for (int64_t l = 0; l < k; l++) {
        VECTOR from_b[8];
        OBK_UNROLL
        for (int v = 0; v < 2 * panels; v++) from_b[v] = NAME(load)(b + v / 2 * b_panel + v % 2 * NAME(W));
        OBK_UNROLL
        for (int i = 0; i < rows; i++) {
            VECTOR from_a = NAME(splat)(a[i * a_row]);
            OBK_UNROLL
            for (int v = 0; v < 2 * panels; v++) sum[i][v] = FMA(from_a, from_b[v], sum[i][v]);
        }
        a += a_k;
        b += b_k;
    }
    if (adds) {
        OBK_UNROLL
        for (int i = 0; i < rows; i++) OBK_UNROLL
        for (int v = 0; v < 2 * panels; v++) sum[i][v] = NAME(load)(y + i * y_row + v * NAME(W)) + sum[i][v];
    }
    OBK_UNROLL
    for (int i = 0; i < rows; i++) OBK_UNROLL
    for (int v = 0; v < 2 * panels; v++) *(MEMORY *)(y + i * y_row + v * NAME(W)) = sum[i][v];
}

#endif

/* The tile of `rows` rows at y, `panels` panels wide (more than one only for few rows). */
static void NAME(any_tile)(int64_t rows, int64_t panels, int64_t k, const REAL *a, ptrdiff_t a_row, ptrdiff_t a_k, const REAL *b,
                           ptrdiff_t b_k, ptrdiff_t b_panel, REAL *y, ptrdiff_t y_row, bool adds) {
#if OBK_PLAIN_REAL
    for (int64_t i = 0; i < rows; i++)
        for (int64_t p = 0; p < panels; p++)
            NAME(plain_tile)((ptrdiff_t)k, a + i * a_row, a_k, b + p * b_panel, b_k, y + i * y_row + p * NAME(NR), adds);
#else
#define TILE(rows, panels)                                                                                                       \
    case rows * 8 + panels:                                                                                                      \
        NAME(tile)(rows, panels, k, a, a_row, a_k, b, b_k, b_panel, y, y_row, adds);                                             \
        break
    switch (rows * 8 + panels) {
#include "kernels/gemm/tiles.inc.h"
    default: break;
    }
#undef TILE
#endif
}

/* ---- packing ---- */

/* Packs a panel: `width` rows of `from`, which lie `row` apart, side by side: to[l * width + i]. n of them exist; the others
 * become zeros. */
static void NAME(pack_panel)(REAL *restrict to, int64_t width, const REAL *restrict from, ptrdiff_t row, ptrdiff_t along,
                             int64_t n, int64_t k) {
    if (n < width && k > 0) memset(to, 0, (size_t)(width * k) * sizeof *to);
#if OBK_PLAIN_REAL && OBK_SMALL_CODE
    for (int64_t l = 0; l < k; l++, to += width, from += along)
        for (int64_t i = 0; i < n; i++) to[i] = from[i * row];
#else
    if (row == 1 && n == width) {
        for (int64_t l = 0; l < k; l++, to += width, from += along) memcpy(to, from, (size_t)width * sizeof *to);
    } else if (row == 1) {
        for (int64_t l = 0; l < k; l++, to += width, from += along)
            for (int64_t i = 0; i < n; i++) to[i] = from[i];
    } else {
        enum { SQUARE = TRANSPOSED };
        const int64_t square = along == 1 ? n / SQUARE * SQUARE : 0, square_k = square > 0 ? k / SQUARE * SQUARE : 0,
                      fours = along == 1 ? n / 4 * 4 : 0, four_k = k / 4 * 4;
        for (int64_t l = 0; l < square_k; l += SQUARE)
            for (int64_t i = 0; i < square; i += SQUARE) TRANSPOSE(to + l * width + i, width, from + i * row + l, row);
        for (int64_t l = 0; l < four_k; l += 4)
            for (int64_t i = l < square_k ? square : 0; i < fours; i += 4)
                TRANSPOSE_4(to + l * width + i, width, from + i * row + l, row);
        for (int64_t i = 0; i < n; i++)
            for (int64_t at = i < fours ? four_k : 0; at < k; at++) to[at * width + i] = from[i * row + at * along];
    }
#endif
}

static void NAME(pack)(REAL *to, int64_t width, const REAL *from, ptrdiff_t row, ptrdiff_t along, int64_t n, int64_t k) {
    for (int64_t i = 0; i < n; i += width)
        NAME(pack_panel)(to + i * k, width, from + i * row, row, along, n - i < width ? n - i : width, k);
}

void OBK_FN(NAME(gemm_pack_a))(void *to, int64_t at, int64_t rows, const void *a, int64_t a_row, int64_t a_k, int64_t m,
                               int64_t k) {
    const int64_t size = block_of_k(k);
    for (int64_t from = 0; from < k; from += size) {
        const int64_t some = k - from < size ? k - from : size;
        NAME(pack)((REAL *)to + from * rows + at * some, OBK_TILE_ROWS, (const REAL *)a + from * a_k, a_row, a_k, m, some);
    }
}

void OBK_FN(NAME(gemm_pack_b))(void *to, const void *b, int64_t b_k, int64_t b_column, int64_t k, int64_t n) {
    NAME(pack)(to, NAME(NR), b, b_column, b_k, n, k);
}

/* ---- products ---- */

/* Computes the columns of Y from j on: n_panels panels of B, or the remainder of one. */
static void NAME(column_of_tiles)(const obk_gemm_call *call, int64_t from_k, int64_t k, int64_t j, int64_t n_panels,
                                  const REAL *b, ptrdiff_t b_k, ptrdiff_t b_panel, NAME(end) * end) {
    bool packed = call->a_row == 0;
    ptrdiff_t a_row = packed ? 1 : call->a_row, a_k = packed ? OBK_TILE_ROWS : call->a_k;
    int64_t columns = call->n - j < n_panels * NAME(NR) ? call->n - j : n_panels * NAME(NR);
    bool whole = columns == n_panels * NAME(NR) && !(end->last && (end->alpha != 1 || call->c));
    for (int64_t i = 0; i < call->m; i += OBK_TILE_ROWS) {
        const REAL *a =
            (const REAL *)call->a + (packed ? (call->a_at + i) * k + from_k * call->a_rows : i * a_row + from_k * a_k);
        REAL *y = (REAL *)call->y + i * call->y_row + j;
        int64_t rows = call->m - i < OBK_TILE_ROWS ? call->m - i : OBK_TILE_ROWS;
        if (whole) {
            NAME(any_tile)(rows, n_panels, k, a, a_row, a_k, b, b_k, b_panel, y, call->y_row, !end->first);
            continue;
        }
        REAL sums[OBK_TILE_ROWS * NAME(NR)]; /* large enough for two rows of two panels or one row of four */
        end->c = call->c ? (const REAL *)call->c + i * call->c_row + j * call->c_column : NULL;
        NAME(any_tile)(rows, n_panels, k, a, a_row, a_k, b, b_k, b_panel, sums, n_panels * NAME(NR), false);
        NAME(finish)(y, call->y_row, sums, n_panels * NAME(NR), rows, columns, end);
    }
}

#if !(OBK_PLAIN_REAL && OBK_SMALL_CODE)
/* One row of A by rows of a large B, several at a time, each read from left to right: a tile would read a few cache lines of
 * every row, which lie pages apart. Columns j .. j + n, whole vectors; sums in the order of a tile. */
static void NAME(one_row)(const obk_gemm_call *call, int64_t from_k, int64_t k, int64_t j, int64_t n, NAME(end) * end) {
    enum { ROWS = 4, AHEAD = 2 * ROWS };
    const ptrdiff_t b_k = call->b_k, a_k = call->a_row == 0 ? OBK_TILE_ROWS : call->a_k; /* 0: packed */
    const int64_t room = (call->k < WHOLE ? call->k : WHOLE) * NAME(NR); /* in the panel, which is not needed for B */
    REAL *sums = call->panel;
    for (int64_t done = 0; done < n; done += room, j += room) {
        const int64_t some = n - done < room ? n - done : room;
        const REAL *b = (const REAL *)call->b + from_k * b_k + j,
                   *a = (const REAL *)call->a + (call->a_row == 0 ? call->a_at * k + from_k * call->a_rows : from_k * a_k);
        memset(sums, 0, (size_t)some * sizeof *sums);
        int64_t l = 0;
        for (; l + ROWS <= k; l += ROWS, a += ROWS * a_k, b += ROWS * b_k) {
            const REAL *ahead = l + AHEAD + ROWS <= k ? b + AHEAD * b_k : b; /* one address of each line is enough */
            for (int64_t i = 0; i < some; i += NAME(W)) {
                VECTOR sum = NAME(load)(sums + i);
                OBK_UNROLL
                for (int r = 0; r < ROWS; r++) {
                    __builtin_prefetch(ahead + r * b_k + i, 0, 2);
                    sum = FMA(NAME(splat)(a[r * a_k]), NAME(load)(b + r * b_k + i), sum);
                }
                *(MEMORY *)(sums + i) = sum;
            }
        }
        for (; l < k; l++, a += a_k, b += b_k)
            for (int64_t i = 0; i < some; i += NAME(W))
                *(MEMORY *)(sums + i) = FMA(NAME(splat)(a[0]), NAME(load)(b + i), NAME(load)(sums + i));
        end->c = call->c ? (const REAL *)call->c + j * call->c_column : NULL;
        NAME(finish)((REAL *)call->y + j, call->y_row, sums, room, 1, some, end);
    }
}
#endif

/* One block of k, for columns j .. end_j of Y. */
static void NAME(block)(const obk_gemm_call *call, int64_t from_k, int64_t k, int64_t j, int64_t end_j, NAME(end) * end) {
    bool packed = call->b_k == 0;
    int64_t b_rows = call->b_rows ? call->b_rows : call->k;
    bool in_place = !packed && call->b_column == 1 && call->m <= OBK_TILE_ROWS; /* because each row of B is read only once */
    int64_t wide = call->m == 1 ? 4 : call->m == 2 ? 2 : 1, n_panels;
#if !(OBK_PLAIN_REAL && OBK_SMALL_CODE)
    if (in_place && call->m == 1 && k * (end_j - j) > LARGE_ROWS) {
        const int64_t whole = (end_j - j) / NAME(NR) * NAME(NR);
        NAME(one_row)(call, from_k, k, j, whole, end);
        j += whole;
    }
#endif
    for (; j < end_j; j += n_panels * NAME(NR)) {
        const REAL *b = call->b;
        int64_t columns = end_j - j < NAME(NR) ? end_j - j : NAME(NR);
        n_panels = (packed || in_place) && end_j - j >= wide * NAME(NR) ? wide : 1;
        ptrdiff_t b_k = NAME(NR), b_panel = NAME(NR);
        if (packed) {
            b += j * b_rows + from_k * NAME(NR);
            b_panel = b_rows * NAME(NR);
        } else if (in_place && columns == NAME(NR)) {
            b += from_k * call->b_k + j;
            b_k = call->b_k;
        } else {
            b += from_k * call->b_k + j * call->b_column;
            NAME(pack_panel)(call->panel, NAME(NR), b, call->b_column, call->b_k, columns, k);
            b = call->panel;
        }
        NAME(column_of_tiles)(call, from_k, k, j, n_panels, b, b_k, b_panel, end);
    }
}

/* Works on strips of Y that stay in the cache from one block of k to the next. */
void OBK_FN(NAME(gemm_product))(const obk_gemm_call *call) {
    NAME(end) end = {.alpha = (REAL)call->alpha, .beta = (REAL)call->beta, .c_row = call->c_row, .c_column = call->c_column};
    int64_t size = block_of_k(call->k), strip = STRIP_ELEMENTS / (call->m > 0 ? call->m : 1) / 64 * 64;
    if (strip < 64) strip = 64;
    if (size == call->k) strip = call->n;
    for (int64_t j = 0; j < call->n; j += strip)
        for (int64_t from = 0; from == 0 || from < call->k; from += size) {
            int64_t k = call->k - from < size ? call->k - from : size;
            end.first = from == 0 && !call->adds;
            end.last = from + k >= call->k;
            NAME(block)(call, from, k, j, call->n - j < strip ? call->n : j + strip, &end);
            if (size == 0) break;
        }
}

/* ---- one row by a matrix that is dense along k ---- */

enum { NAME(AT_ONCE) = OBK_PLAIN_REAL ? 1 : 4 };

/* The dot products of x with `n` columns of b, each in 2 W partial sums that are added in a fixed order. */
OBK_INLINE void NAME(dots)(const int n, REAL *to, const REAL *x, const REAL *b, ptrdiff_t b_column, int64_t k) {
    VECTOR sum[NAME(AT_ONCE)][2];
    OBK_UNROLL
    for (int j = 0; j < n; j++) sum[j][0] = sum[j][1] = (VECTOR){0};
    int64_t l = 0;
    for (; l + 2 * NAME(W) <= k; l += 2 * NAME(W)) {
        VECTOR x_0 = NAME(load)(x + l), x_1 = NAME(load)(x + l + NAME(W));
        OBK_UNROLL
        for (int j = 0; j < n; j++) {
            sum[j][0] = FMA(x_0, NAME(load)(b + j * b_column + l), sum[j][0]);
            sum[j][1] = FMA(x_1, NAME(load)(b + j * b_column + l + NAME(W)), sum[j][1]);
        }
    }
    for (int j = 0; j < n && l < k; j++) {
        REAL remainder[2][2 * NAME(W)] = {{0}};
        memcpy(remainder[0], x + l, (size_t)(k - l) * sizeof *x);
        memcpy(remainder[1], b + j * b_column + l, (size_t)(k - l) * sizeof *b);
        sum[j][0] = FMA(NAME(load)(remainder[0]), NAME(load)(remainder[1]), sum[j][0]);
        sum[j][1] = FMA(NAME(load)(remainder[0] + NAME(W)), NAME(load)(remainder[1] + NAME(W)), sum[j][1]);
    }
    for (int j = 0; j < n; j++) {
        REAL parts[NAME(W)];
        *(MEMORY *)parts = sum[j][0] + sum[j][1];
        OBK_UNROLL
        for (int half = NAME(W) / 2; half > 0; half /= 2) OBK_UNROLL
        for (int i = 0; i < half; i++) parts[i] += parts[i + half];
        to[j] = parts[0];
    }
}

void OBK_FN(NAME(gemm_row))(void *y, int64_t y_step, const void *x, const void *b, int64_t b_column, int64_t n, int64_t k,
                            double alpha, double beta, const void *c, int64_t c_step) {
    const REAL *from_c = c, *from_b = b;
    REAL *to = y;
    for (int64_t j = 0; j < n; j += NAME(AT_ONCE)) {
        REAL sums[NAME(AT_ONCE)];
        int64_t columns = n - j < NAME(AT_ONCE) ? n - j : NAME(AT_ONCE);
        if (columns == NAME(AT_ONCE))
            NAME(dots)(NAME(AT_ONCE), sums, x, from_b + j * b_column, b_column, k);
        else
            for (int64_t i = 0; i < columns; i++) NAME(dots)(1, sums + i, x, from_b + (j + i) * b_column, b_column, k);
        for (int64_t i = 0; i < columns; i++) {
            REAL sum = (REAL)alpha * sums[i];
            to[(j + i) * y_step] = from_c ? (REAL)beta * from_c[(j + i) * c_step] + sum : sum;
        }
    }
}
