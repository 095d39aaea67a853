/* Products of 8-bit integers, exact in 32 bits that wrap: Y[m,n] = the sum over k of (A - its zero points) (B - its zero points).
 *
 * Both operands are widened to 16 bits, with zero points subtracted and pairs along k side by side, so that one instruction
 * multiplies and adds a pair. The sum of a pair cannot overflow, and all levels give the same bits. `pairs` is k / 2 rounded up.
 *
 * Packed A: rows of `pairs` pairs. Packed B: panels of nr columns, each [pairs][nr] pairs, filled up with 0. So row i of packed A
 * starts at pair i * pairs, and column j (a multiple of nr) of packed B at pair j * pairs.
 *
 * A processor with dot products of bytes multiplies quads of bytes, four along k: those of A are unsigned (plus 128 if they were
 * signed), or on arm64 signed (minus 128 if they were not), and keep their zero point, those of B are signed, with the zero point
 * subtracted. B must have been packed and must fit. A quad takes the place of a pair. A row of A ends with minus its zero point,
 * a column of B with its sum: their product is the start of a sum. All bits are the same, because 32 bits wrap. */
#ifndef OB_KERNELS_GEMM_INTEGER_H
#define OB_KERNELS_GEMM_INTEGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct obk_pair {
    _Alignas(4) int16_t k[2];
} obk_pair;

static inline int64_t obk_pairs(int64_t k) {
    return k / 2 + k % 2;
}

/* A matrix of bytes; distances in elements. */
typedef struct obk_bytes {
    const void *data; /* int8_t or uint8_t */
    bool is_signed;
    int64_t step, along; /* from row to row of A or column to column of B; along k */
    const int16_t *zero; /* for each row of A or column of B */
    int64_t zero_step;   /* 0: one for all; or 1 */
} obk_bytes;

typedef struct obk_integer_call {
    int64_t m, n, k; /* any may be 0 */
    const obk_pair *a;
    const obk_pair *b; /* packed; NULL: take `bytes`, for pairs */
    obk_bytes bytes;
    int32_t *y;
    int64_t y_row;
    void *panel; /* memory of obk_integer_panel_bytes, for `bytes` */
} obk_integer_call;

typedef struct obk_integer_gemm {
    int64_t nr, each;    /* each: elements along k in a unit: 2 for pairs, 4 for quads */
    int64_t panel_pairs; /* the most rows of a panel that a product packs, in pairs */
    void (*product)(const obk_integer_call *call);
    void (*pack_a)(obk_pair *to, const obk_bytes *a, int64_t m, int64_t k);
    void (*pack_b)(obk_pair *to, const obk_bytes *b, int64_t k, int64_t n); /* needs n rounded up to nr, times obk_units */
} obk_integer_gemm;

/* Units of a row of packed A, and of a column of packed B. */
static inline int64_t obk_units(const obk_integer_gemm *gemm, int64_t k) {
    return gemm->each == 2 ? obk_pairs(k) : k / 4 + (k % 4 != 0) + 1;
}

/* In the table: [0] pairs; [1] quads, only if ob__kernels_dot8(); product is NULL if the compiler cannot make them. */
enum { OBK_INTEGER_PAIRS, OBK_INTEGER_QUADS };

static inline size_t obk_integer_panel_bytes(const obk_integer_gemm *gemm, int64_t k) {
    int64_t pairs = obk_pairs(k) < gemm->panel_pairs ? obk_pairs(k) : gemm->panel_pairs;
    return (size_t)(pairs * gemm->nr) * sizeof(obk_pair);
}

#endif
