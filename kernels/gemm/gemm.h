/* Matrix products. Y[m,n] = alpha * A[m,k] B[k,n] + beta * C; C is a matrix, a row, a column or missing.
 *
 * A tile of Y (mr x nr) is summed in registers, in the order of k, in blocks of k whose size depends on k alone. So the bits of
 * an element depend only on its row of A and its column of B, wherever the product is split and whichever operands are packed.
 * Only `row` (below) sums in another order.
 *
 * Packed B: panels of nr columns, each [k][nr]. The last panel is filled with zeros. So column j (a multiple of nr) starts at
 * j * k. Packed A: blocks of k one after the other, each of panels of mr rows, [block of k][mr]: the rows of a part are dense in
 * a block, wherever the rows of A lie. */
#ifndef OB_KERNELS_GEMM_GEMM_H
#define OB_KERNELS_GEMM_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The distances are leading dimensions and strides in elements. */
typedef struct obk_gemm_call {
    int64_t m, n, k; /* any may be 0 */
    const void *a;
    int64_t a_row, a_k;   /* from row to row; along k. a_row 0: packed. Fast if dense along k or packed */
    int64_t a_at, a_rows; /* of packed A, whose memory `a` is: the first row, a multiple of mr; all rows, rounded up to mr */
    const void *b;
    int64_t b_k, b_column; /* b_k 0: packed */
    int64_t b_rows;        /* the k that B was packed with; the product uses the first k rows. 0: k */
    void *y;
    int64_t y_row; /* rows are contiguous */
    bool adds;     /* adds to Y; then alpha is 1 and c NULL. Otherwise Y is not read */
    double alpha, beta;
    const void *c;           /* NULL: none, and beta is ignored. Does not overlap Y */
    int64_t c_row, c_column; /* each may be 0; c_column is 0 or 1 */
    void *panel;             /* memory of obk_panel_bytes, if B is not packed */
} obk_gemm_call;

typedef struct obk_gemm {
    int64_t mr, nr;
    int64_t panel_k;  /* the most rows of a panel that a product packs */
    size_t row_bytes; /* bytes of a row of a panel */
    void (*product)(const obk_gemm_call *call);
    /* A packed operand has k times m rounded up to mr (n rounded up to nr) elements. pack_a writes the rows from `at` on (a
     * multiple of mr) of one that has `rows` in all. */
    void (*pack_a)(void *to, int64_t at, int64_t rows, const void *a, int64_t a_row, int64_t a_k, int64_t m, int64_t k);
    void (*pack_b)(void *to, const void *b, int64_t b_k, int64_t b_column, int64_t k, int64_t n);
    /* y[j * y_step] = alpha * the sum of x[l] * b[l + j * b_column] + beta * c[j * c_step]: one row (or column) by a matrix that
     * is dense along k. c NULL: none; it may be y. */
    void (*row)(void *y, int64_t y_step, const void *x, const void *b, int64_t b_column, int64_t n, int64_t k, double alpha,
                double beta, const void *c, int64_t c_step);
} obk_gemm;

/* Integers wrap; with alpha or beta other than 1 they are computed in double. They have only `product`, for operands that are not
 * packed. */
static inline size_t obk_panel_bytes(const obk_gemm *gemm, int64_t k) {
    return (size_t)(k < gemm->panel_k ? k : gemm->panel_k) * gemm->row_bytes;
}

enum { OBK_GEMM_FLOAT, OBK_GEMM_DOUBLE, OBK_GEMM_INT32, OBK_GEMM_UINT32, OBK_GEMM_INT64, OBK_GEMM_UINT64, OBK_GEMM_COUNT };

#endif
