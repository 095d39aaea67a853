/* The epilogue of a product or convolution: elementwise nodes after it, applied to its results while they are in the cache.
 *
 * Results are rows of columns. The columns are the last axes, as many as the kernel says; the rows are all axes before them. */
#ifndef OB_OPS_KERNEL_EPILOGUE_H
#define OB_OPS_KERNEL_EPILOGUE_H

#include "kernels/elementwise/program.h"
#include "kernels/epilogue.h"
#include "ops/kernel/kernel.h"

typedef struct ob_epilogue {
    const obk_program *program; /* operand 0 is the result; the others are args->others */
    uint32_t n_others;
    int32_t n_axes;         /* of rows, neighbours joined where strides allow it */
    const int64_t *dims;    /* of these axes */
    const int64_t *strides; /* bytes, [n_others][n_axes] */
    const int64_t *steps;   /* bytes from column to column of each: 0 or the size of its elements */
    int64_t width;          /* bytes of an element of the result */
    int64_t piece;          /* elements that are computed at once, in registers of the first-level cache; at least a row of a
                               program over rows */
    int64_t register_bytes;
} ob_epilogue;

/* Plans it for results of `out`, of which the last n_columns axes are columns. `others`: the operands of the program after the
 * first one. *epilogue NULL: the program cannot be an epilogue, because an operand changes along the columns in another way than
 * the result, or because a type is computed in another one. A program over rows has rows of all columns, and is applied to whole
 * rows. E_MEMORY. */
ob_status ob__make_epilogue(const ob_kernel_site *site, const obk_program *program, const ob_view *others, uint32_t n_others,
                            const ob_view *out, int32_t n_columns, const ob_epilogue **epilogue, ob_error *error);

/* The lane memory of a task; 0 for NULL. */
size_t ob__epilogue_bytes(const ob_epilogue *epilogue);

/* An epilogue for some results. */
typedef struct ob_epilogue_call {
    obk_epilogue base;
    const ob_epilogue *plan;
    const ob_view *others;
    int64_t row, column; /* of the first result */
    char *y;             /* the first result */
    int64_t y_row;       /* bytes from row to row */
    char *registers;     /* of ob__epilogue_bytes */
} ob_epilogue_call;

/* For results from this row and column on. */
ob_epilogue_call ob__epilogue_at(const ob_epilogue *plan, const ob_kernel_args *args, int64_t row, int64_t column, void *y,
                                 int64_t y_row, void *registers);

#endif
