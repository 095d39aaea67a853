/* Attention by blocks of query rows. For each head, scores = A B, a function of rows turns scores into weights, and Y = weights
 * V. Only the scores of one block are in memory, in the second-level cache. Sums have the order of whole products.
 *
 * Some blocks of a head are a chunk. B and V that several blocks of a chunk use are packed first. */
#ifndef OB_OPS_ATTENTION_ROW_BLOCKS_H
#define OB_OPS_ATTENTION_ROW_BLOCKS_H

#include "ops/kernel/common.h"
#include "ops/kernel/method.h"

enum { OB_FEWEST_ROWS = 12, OB_BLOCK_ROWS = 192 }; /* rows of a block, if there are as many */

/* Sizes, which the kernel sets, and the plan that follows from them. */
typedef struct ob_blocks {
    const obk_gemm *gemm;
    void (*pack_b)(void *to, const void *b, int64_t b_k, int64_t b_column, int64_t k, int64_t n); /* NULL: nothing is packed */
    size_t width;                                                                                 /* bytes of an element */
    int64_t heads, share;        /* `share` neighbouring heads have the same B and V */
    int64_t m, k, n, n_v;        /* A [m, k], B [k, n], V [n, n_v] */
    ob_product_method method[2]; /* of A B, of the product with V */
    bool dense[2];               /* rows of B, of V are dense */
    int64_t rows, n_blocks;      /* rows of a block; blocks of a head */
    bool packs[2];
    int64_t score_row;                         /* elements from row to row of the scores */
    int64_t units, parts, per_part, per_chunk; /* `share` heads are a unit; parts of a unit; blocks of a part; units of a chunk */
    int64_t n_chunks;
} ob_blocks;
extern const struct ob_struct ob__blocks_struct;

/* The matrices of a head; distances in elements. */
typedef struct ob_blocks_head {
    const void *a, *b, *v;
    void *y;
    int64_t a_row, a_k, b_k, b_column, v_k, v_column, y_row;
} ob_blocks_head;

typedef struct ob_block {
    int64_t head, row, rows, seen; /* keys from `seen` on have no weight */
    char *scores;
    int64_t row_bytes; /* from row to row */
    char *memory;      /* of the lane, after that of ob__need_blocks */
} ob_block;

typedef struct ob_blocks_job {
    const ob_blocks *plan;
    const ob_kernel_args *args;
    const void *context;
    /* Where a head is. `memory` is that of the lane, as in ob_block. */
    void (*place)(const struct ob_blocks_job *job, int64_t head, char *memory, ob_blocks_head *out);
    /* Sets `seen`, and may replace A by its rows in lane memory. NULL: nothing to do. */
    void (*begin)(const struct ob_blocks_job *job, ob_block *block, ob_blocks_head *at);
    void (*weigh)(const struct ob_blocks_job *job, const ob_block *block);
} ob_blocks_job;

/* Cuts the work, by the sizes alone, and requests lane memory. Other lane memory is requested after it. E_LIMIT. */
ob_status ob__need_blocks(ob_blocks *b, ob_kernel_needs *needs, ob_error *error);
void ob__run_blocks(const ob_blocks_job *job);

#endif
