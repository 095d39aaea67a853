/* Products of 8-bit integers. */
#include "kernels/gemm/integer.h"
#include "kernels/level.h"

#include <string.h>

#include "kernels/gemm/pair.h"

enum { W = OBK_VECTOR_BYTES / 4, NR = 2 * W, BLOCK = 384 }; /* in pairs */

/* The microkernel: rows x (2 * panels) vectors of Y. The caller passes rows and panels as constants. Panels of B lie b_panel
 * apart. */
OBK_INLINE void tile(const int rows, const int panels, int64_t pairs, const obk_pair *a, ptrdiff_t a_row, const obk_pair *b,
                     ptrdiff_t b_panel, uint32_t *y, ptrdiff_t y_row) {
    obk_r_u32 sum[OBK_TILE_ROWS][8];
    OBK_UNROLL
    for (int i = 0; i < rows; i++) OBK_UNROLL
    for (int v = 0; v < 2 * panels; v++) sum[i][v] = (obk_r_u32){0};
    for (int64_t l = 0; l < pairs; l++) {
        obk_r_u32 from_b[8];
        OBK_UNROLL
        for (int v = 0; v < 2 * panels; v++) from_b[v] = (obk_r_u32) * (const obk_v_u32 *)(b + v / 2 * b_panel + v % 2 * W);
        OBK_UNROLL
        for (int i = 0; i < rows; i++) {
            obk_r_u32 from_a = *(const obk_any_pair *)(a + i * a_row) + (obk_r_u32){0};
            OBK_UNROLL
            for (int v = 0; v < 2 * panels; v++) sum[i][v] += obk_pair_products(from_a, from_b[v]);
        }
        a++;
        b += NR;
    }
    OBK_UNROLL
    for (int i = 0; i < rows; i++) OBK_UNROLL
    for (int v = 0; v < 2 * panels; v++) *(obk_v_u32 *)(y + i * y_row + v * W) = sum[i][v];
}

/* The tile of `rows` rows at y, `panels` panels wide (more than one only for few rows). */
static void any_tile(int64_t rows, int64_t panels, int64_t pairs, const obk_pair *a, ptrdiff_t a_row, const obk_pair *b,
                     ptrdiff_t b_panel, uint32_t *y, ptrdiff_t y_row) {
#define TILE(rows, panels)                                                                                                       \
    case rows * 8 + panels: tile(rows, panels, pairs, a, a_row, b, b_panel, y, y_row); break
    switch (rows * 8 + panels) {
#include "kernels/gemm/tiles.inc.h"
    default: break;
    }
#undef TILE
}

/* ---- packing ---- */

#define BYTE    int8_t
#define NAME(x) x##_signed
#include "kernels/gemm/widen.inc.h"
#undef BYTE
#undef NAME

#define BYTE    uint8_t
#define NAME(x) x##_unsigned
#include "kernels/gemm/widen.inc.h"

static void pack_a(obk_pair *to, const obk_bytes *a, int64_t m, int64_t k) {
    for (int64_t i = 0; i < m; i++) (a->is_signed ? widen_row_signed : widen_row_unsigned)(to + i * obk_pairs(k), a, i, k);
}

static void pack_b(obk_pair *to, const obk_bytes *b, int64_t k, int64_t n) {
    for (int64_t j = 0; j < n; j += NR)
        (b->is_signed ? widen_panel_signed : widen_panel_unsigned)(to + j * obk_pairs(k), b, j, n - j < NR ? n - j : NR, 0, k);
}

/* ---- products ---- */

/* Computes the columns of Y from j on, for one block of k: n_panels panels of B. */
static void column_of_tiles(const obk_integer_call *call, int64_t from, int64_t pairs, int64_t j, int64_t n_panels,
                            const obk_pair *b, ptrdiff_t b_panel) {
    int64_t columns = call->n - j < n_panels * NR ? call->n - j : n_panels * NR, a_row = obk_pairs(call->k);
    for (int64_t i = 0; i < call->m; i += OBK_TILE_ROWS) {
        const obk_pair *a = call->a + i * a_row + from;
        uint32_t *y = (uint32_t *)call->y + i * call->y_row + j, to[OBK_TILE_ROWS * NR];
        int64_t rows = call->m - i < OBK_TILE_ROWS ? call->m - i : OBK_TILE_ROWS;
        if (from == 0 && columns == n_panels * NR) {
            any_tile(rows, n_panels, pairs, a, a_row, b, b_panel, y, call->y_row);
            continue;
        }
        any_tile(rows, n_panels, pairs, a, a_row, b, b_panel, to, n_panels * NR);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t o = 0; o < columns; o++)
                y[r * call->y_row + o] = to[r * n_panels * NR + o] + (from > 0 ? y[r * call->y_row + o] : 0);
    }
}

static void product(const obk_integer_call *call) {
    int64_t all = obk_pairs(call->k), wide = call->m == 1 ? 4 : call->m == 2 ? 2 : 1, n_panels;
    const obk_bytes *bytes = &call->bytes;
    for (int64_t from = 0; from == 0 || from < all; from += BLOCK) {
        int64_t pairs = all - from < BLOCK ? all - from : BLOCK;
        int64_t k = call->k - 2 * from < 2 * pairs ? call->k - 2 * from : 2 * pairs;
        for (int64_t j = 0; j < call->n; j += n_panels * NR) {
            n_panels = call->b && call->n - j >= wide * NR ? wide : 1;
            const obk_pair *b = call->panel;
            if (call->b)
                b = call->b + j * all + from * NR;
            else
                (bytes->is_signed ? widen_panel_signed : widen_panel_unsigned)(call->panel, bytes, j,
                                                                               call->n - j < NR ? call->n - j : NR, 2 * from, k);
            column_of_tiles(call, from, pairs, j, n_panels, b, all * NR);
        }
    }
}

const obk_integer_gemm OBK_TABLE(integer_gemm) = {
    .nr = NR, .panel_pairs = BLOCK, .product = product, .pack_a = pack_a, .pack_b = pack_b};
