/* Template of integer.c: products of packed units. Parameters: NAME(x), ADD(a, b, sum) of vectors of units, UNITS(k) units of a
 * row without the last one, HAS_START: the last unit of a row of A times that of a column of B is the start of the sum. */

#if OBK_PLAIN_INTEGER
/* One row of Y by a panel of B: the tile where vectors are not in registers. Only for pairs. */
static void NAME(plain_tile)(ptrdiff_t units, const obk_any_pair *a, const obk_any_pair *b, uint32_t *y) {
    uint32_t sum[NR];
    OBK_UNROLL
    for (int j = 0; j < NR; j++) sum[j] = 0;
    for (; units > 0; units--, a++, b += NR) {
        OBK_UNROLL
        for (int j = 0; j < NR; j++) sum[j] = obk_add_pair(*a, b[j], sum[j]);
    }
    OBK_UNROLL
    for (int j = 0; j < NR; j++) y[j] = sum[j];
}
#else
/* The microkernel: rows x (2 * panels) vectors of Y. The caller passes rows and panels as constants. Panels of B lie b_panel
 * apart. start: the last unit, counted from a and b; -1: sums start at 0. */
OBK_INLINE void NAME(tile)(const int rows, const int panels, int64_t units, int64_t start, const obk_any_pair *a, ptrdiff_t a_row,
                           const obk_any_pair *b, ptrdiff_t b_panel, uint32_t *y, ptrdiff_t y_row) {
    obk_r_u32 sum[OBK_TILE_ROWS][8];
    OBK_UNROLL
    for (int i = 0; i < rows; i++) OBK_UNROLL
    for (int v = 0; v < 2 * panels; v++) {
        sum[i][v] = (obk_r_u32){0};
        if (HAS_START && start >= 0)
            sum[i][v] = (obk_r_u32) * (const obk_v_u32 *)(b + start * NR + v / 2 * b_panel + v % 2 * W) * a[i * a_row + start];
    }
    for (int64_t l = 0; l < units; l++) {
        obk_r_u32 from_b[8];
        OBK_UNROLL
        for (int v = 0; v < 2 * panels; v++) from_b[v] = (obk_r_u32) * (const obk_v_u32 *)(b + v / 2 * b_panel + v % 2 * W);
        OBK_UNROLL
        for (int i = 0; i < rows; i++) {
            obk_r_u32 from_a = a[i * a_row] + (obk_r_u32){0};
            OBK_UNROLL
            for (int v = 0; v < 2 * panels; v++) sum[i][v] = ADD(from_a, from_b[v], sum[i][v]);
        }
        a++;
        b += NR;
    }
    OBK_UNROLL
    for (int i = 0; i < rows; i++) OBK_UNROLL
    for (int v = 0; v < 2 * panels; v++) *(obk_v_u32 *)(y + i * y_row + v * W) = sum[i][v];
}

#endif

/* The tile of `rows` rows at y, `panels` panels wide (more than one only for few rows). */
static void NAME(any_tile)(int64_t rows, int64_t panels, int64_t units, int64_t start, const obk_any_pair *a, ptrdiff_t a_row,
                           const obk_any_pair *b, ptrdiff_t b_panel, uint32_t *y, ptrdiff_t y_row) {
#if OBK_PLAIN_INTEGER
    for (int64_t i = 0; i < rows; i++)
        for (int64_t p = 0; p < panels; p++)
            NAME(plain_tile)((ptrdiff_t)units, a + i * a_row, b + p * b_panel, y + i * y_row + p * NR);
    (void)start;
#else
#define TILE(rows, panels)                                                                                                       \
    case rows * 8 + panels:                                                                                                      \
        NAME(tile)(rows, panels, units, start, a, a_row, b, b_panel, y, y_row);                                                  \
        break
    switch (rows * 8 + panels) {
#include "kernels/gemm/tiles.inc.h"
    default: break;
    }
#undef TILE
#endif
}

/* Computes the columns of Y from j on, for one block of k: n_panels panels of B. */
static void NAME(column_of_tiles)(const obk_integer_call *call, int64_t from, int64_t units, int64_t j, int64_t n_panels,
                                  const obk_pair *b, ptrdiff_t b_panel) {
    const int64_t all = UNITS(call->k), a_row = all + HAS_START, start = HAS_START && from == 0 ? all : -1;
    int64_t columns = call->n - j < n_panels * NR ? call->n - j : n_panels * NR;
    for (int64_t i = 0; i < call->m; i += OBK_TILE_ROWS) {
        const obk_any_pair *a = (const obk_any_pair *)(const void *)(call->a + i * a_row + from),
                           *of_b = (const obk_any_pair *)(const void *)b;
        uint32_t *y = (uint32_t *)call->y + i * call->y_row + j, to[OBK_TILE_ROWS * NR];
        int64_t rows = call->m - i < OBK_TILE_ROWS ? call->m - i : OBK_TILE_ROWS;
        if (from == 0 && columns == n_panels * NR) {
            NAME(any_tile)(rows, n_panels, units, start, a, a_row, of_b, b_panel, y, call->y_row);
            continue;
        }
        NAME(any_tile)(rows, n_panels, units, start, a, a_row, of_b, b_panel, to, n_panels * NR);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t o = 0; o < columns; o++)
                y[r * call->y_row + o] = to[r * n_panels * NR + o] + (from > 0 ? y[r * call->y_row + o] : 0);
    }
}

void OBK_FN(NAME(integer_gemm_product))(const obk_integer_call *call) {
    const int64_t all = UNITS(call->k), b_rows = all + HAS_START, wide = call->m == 1 ? 4 : call->m == 2 ? 2 : 1;
    const obk_bytes *bytes = &call->bytes;
    for (int64_t from = 0, n_panels; from == 0 || from < all; from += BLOCK) {
        const int64_t units = all - from < BLOCK ? all - from : BLOCK;
        for (int64_t j = 0; j < call->n; j += n_panels * NR) {
            n_panels = call->b && call->n - j >= wide * NR ? wide : 1;
            const obk_pair *b = call->panel;
            if (call->b)
                b = call->b + j * b_rows + from * NR;
            else
                pack_columns(call->panel, bytes, j, call->n - j < NR ? call->n - j : NR, 2 * from,
                             call->k - 2 * from < 2 * units ? call->k - 2 * from : 2 * units);
            NAME(column_of_tiles)(call, from, units, j, n_panels, b, b_rows * NR);
        }
    }
}

#undef NAME
#undef ADD
#undef UNITS
#undef HAS_START
