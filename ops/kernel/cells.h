/* For kernels whose operands or results may be sequences, optionals or maps (OB_KERNEL_CELLS, core/graph/cell.h). */
#ifndef OB_OPS_KERNEL_CELLS_H
#define OB_OPS_KERNEL_CELLS_H

#include "core/graph/cell.h"
#include "ops/kernel/kernel.h"

/* The cells that such a kernel gets in addition to views. */
typedef struct ob_kernel_cells {
    ob_cell *
        *in; /* n_in entries, held during the call. A kernel that keeps one replaces it by NULL; it may change a cell that has no
                other holder. NULL: omitted, or a tensor without a cell. For a tensor in a cell, args->in[i] is its view */
    ob_cell **out;                 /* n_out entries, NULL before the call; the caller takes over the holds of the results */
    const ob_allocator *allocator; /* for new cells */
} ob_kernel_cells;

/* Allocates the tensor of output i with these dims. E_SHAPE if they differ from the planned ones. */
ob_status ob__set_output(const ob_kernel_args *args, uint32_t i, const ob_view *shape, ob_error *error);
/* Copies the bytes of a result's strings, which belong to a cell, to memory that lives as long as the result. */
ob_status ob__own_strings(const ob_kernel_args *args, uint32_t i, ob_error *error);
/* Makes the cell result i, as a cell or copied to a planned tensor. Takes over one hold of the cell. */
ob_status ob__give_cell(const ob_kernel_args *args, uint32_t i, ob_cell *cell, ob_error *error);

#endif
