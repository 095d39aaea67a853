/* Products of matrices with batch axes: where each matrix is, and how the work is cut. */
#ifndef OB_OPS_KERNEL_MATRICES_H
#define OB_OPS_KERNEL_MATRICES_H

#include "ops/kernel/kernel.h"

/* Distances in elements. */
typedef struct ob_matrix {
    int64_t row, column; /* from row to row, column to column */
    int64_t *batch;      /* per axis of ob_matrices.batch; 0: one matrix for all */
    bool copied;         /* neither rows nor columns are dense: these are the distances in a contiguous copy */
} ob_matrix;

/* A [batch, m, k] by B [batch, k, n], result contiguous. */
typedef struct ob_matrices {
    int64_t m, n, k;
    int32_t n_batch, n_axes; /* n_axes: before rows of batches were joined */
    int64_t *batch;          /* sizes, outermost first: tails of the plan */
    ob_matrix a, b;
    /* Chunks: parts of rows x columns of a product, down x across of them, or `group` whole products. */
    int64_t rows, columns, down, across, group, n_chunks;
    int64_t inner; /* of ob__cut_coarsely */
} ob_matrices;

/* Of MatMul: vectors become a row on the left, a column on the right; batch axes broadcast. `joins`: batches that
 * share B may become rows. Not cut yet. E_SHAPE, E_LIMIT. */
ob_status ob__matrices(const ob_kernel_site *site, const ob_view *a, const ob_view *b, const ob_view *out, bool joins,
                       ob_matrices *p, ob_error *error);
/* Cuts by m, n, k and batch alone, at multiples of any tile's rows and columns. */
void ob__cut_matrices(ob_matrices *p);
/* Cuts by m, n and batch alone into few parts, where each is a large product by itself; a part is done `inner` of k at a time,
 * which takes less than 20 ms. No size is 0. */
void ob__cut_coarsely(ob_matrices *p);

/* A part of one product. */
typedef struct ob_matrices_part {
    int64_t row, rows, column, columns;
    int64_t a, b, y; /* elements from the beginning of the operands to the part's first row and column */
    int64_t product;
} ob_matrices_part;
/* How many parts a chunk has, and which. */
int64_t ob__n_parts(const ob_matrices *p, int64_t chunk);
/* Elements to the product's place along steps of the batch axes. */
int64_t ob__batch_offset(const ob_matrices *p, int64_t product, const int64_t *steps);
ob_matrices_part ob__part(const ob_matrices *p, int64_t chunk, int64_t index);

#endif
