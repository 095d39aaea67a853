/* Products of matrices with batch axes: the layout of each matrix, and the work split. */
#ifndef OB_OPS_KERNEL_MATRICES_H
#define OB_OPS_KERNEL_MATRICES_H

#include "ops/kernel/kernel.h"

/* Strides in elements. */
typedef struct ob_matrix {
    int64_t row, column; /* between rows, between columns */
    int64_t *batch;      /* for each axis of ob_matrices.batch; 0: one matrix for all */
    bool copied;         /* neither rows nor columns are dense, so these are the strides of a contiguous copy */
} ob_matrix;

/* A [batch, m, k] by B [batch, k, n]; the result is contiguous. */
typedef struct ob_matrices {
    int64_t m, n, k;
    int32_t n_batch, n_axes; /* n_axes: before batches were joined to rows */
    int64_t *batch;          /* sizes, outermost first; memory of ob__tail */
    ob_matrix a, b;
    /* Chunks: parts of `rows` x `columns` of a product, `down` x `across` of them; or `group` whole products. */
    int64_t rows, columns, down, across, group, n_chunks;
    int64_t inner; /* set by ob__cut_coarsely */
} ob_matrices;

/* For MatMul: a vector becomes a row on the left or a column on the right; batch axes broadcast. `joins`: batches that share B
 * may become rows. Does not split the work yet. E_SHAPE, E_LIMIT. */
ob_status ob__matrices(const ob_kernel_site *site, const ob_view *a, const ob_view *b, const ob_view *out, bool joins,
                       ob_matrices *p, ob_error *error);
/* Splits the work. a_packed, b_packed: an operand is packed beforehand. The split depends only on this and on m, n, k and batch,
 * and is at multiples of the rows and columns of all tiles. */
void ob__cut_matrices(ob_matrices *p, bool a_packed, bool b_packed);
/* Splits the work into few parts, each a large product. The split depends only on m, n and batch. A part is computed for `inner`
 * of k at a time, which takes less than 20 ms. No size may be 0. */
void ob__cut_coarsely(ob_matrices *p);

/* A part of one product. */
typedef struct ob_matrices_part {
    int64_t row, rows, column, columns;
    int64_t a, b, y; /* elements from the beginning of the operands and the result to the first row and column of the part */
    int64_t product;
} ob_matrices_part;
/* The number of parts in a chunk, and each of them. */
int64_t ob__n_parts(const ob_matrices *p, int64_t chunk);
/* The offset in elements of a product, for these strides of the batch axes. */
int64_t ob__batch_offset(const ob_matrices *p, int64_t product, const int64_t *steps);
ob_matrices_part ob__part(const ob_matrices *p, int64_t chunk, int64_t index);

#endif
