/* Matrix products. C[m,n] = alpha * A[m,k] B[k,n] + beta * D, D a matrix, a row, a column or nothing.
 *
 * A tile of C (mr x nr) is summed in registers, in the order of k, in blocks of k that follow from k alone: the bits of an
 * element follow from its row of A and its column of B, wherever the product is cut, whichever operands are packed. Only `row`
 * (below) sums in another order.
 *
 * Packed A: panels of mr rows, each [k][mr]; packed B: panels of nr columns, each [k][nr]; the last one filled with zeros. So
 * what begins at row i (a multiple of mr) of packed A begins at i * k, at column j (a multiple of nr) of packed B at j * k. */
#ifndef OB_KERNELS_GEMM_GEMM_H
#define OB_KERNELS_GEMM_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Distances count elements. */
typedef struct obk_gemm_call {
    int64_t m, n, k; /* any may be 0 */
    const void *a;
    int64_t a_row, a_k; /* from row to row, along k; a_row 0: packed. Dense along k or packed is fast */
    const void *b;
    int64_t b_k, b_column; /* b_k 0: packed */
    int64_t b_rows;        /* that B was packed with, of which the first k count; 0: k */
    void *c;
    int64_t c_row; /* elements of a row are next to each other */
    bool adds;     /* to what C holds; alpha is 1 and d NULL then. C is not read otherwise */
    double alpha, beta;
    const void *d;           /* NULL: none, beta is not looked at. Does not overlap C */
    int64_t d_row, d_column; /* each may be 0; d_column is 0 or 1 */
    void *panel;             /* for a B that is not packed: obk_panel_bytes */
} obk_gemm_call;

typedef struct obk_gemm {
    int64_t mr, nr;
    int64_t panel_k;  /* a panel of B has no more rows */
    size_t row_bytes; /* of a panel */
    void (*product)(const obk_gemm_call *call);
    /* Elements packed: m (n) rounded up to mr (nr), times k. */
    void (*pack_a)(void *to, const void *a, int64_t a_row, int64_t a_k, int64_t m, int64_t k);
    void (*pack_b)(void *to, const void *b, int64_t b_k, int64_t b_column, int64_t k, int64_t n);
    /* c[j * c_step] = alpha * sum of x[l] * b[l + j * b_column] + beta * d[j * d_step] (d NULL: none; may be c): one row (or
     * column) by a matrix that is dense along k. */
    void (*row)(void *c, int64_t c_step, const void *x, const void *b, int64_t b_column, int64_t n, int64_t k, double alpha,
                double beta, const void *d, int64_t d_step);
} obk_gemm;

/* Integers wrap, alpha and beta other than 1 apply in double; they have `product` alone, for what is not packed. */
static inline size_t obk_panel_bytes(const obk_gemm *gemm, int64_t k) {
    return (size_t)(k < gemm->panel_k ? k : gemm->panel_k) * gemm->row_bytes;
}

enum { OBK_GEMM_FLOAT, OBK_GEMM_DOUBLE, OBK_GEMM_INT32, OBK_GEMM_UINT32, OBK_GEMM_INT64, OBK_GEMM_UINT64, OBK_GEMM_COUNT };

#endif
