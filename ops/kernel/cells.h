/* For kernels that see cells (OB_KERNEL_CELLS): sequences, optionals and maps (core/graph/cell.h), beside tensors. */
#ifndef OB_OPS_KERNEL_CELLS_H
#define OB_OPS_KERNEL_CELLS_H

#include "core/graph/cell.h"
#include "ops/kernel/kernel.h"

/* What such a kernel sees beside views. */
typedef struct ob_kernel_cells {
    ob_cell **in;  /* n_in entries, held for the call: a kernel that keeps one takes it away (NULL), and may change what nobody
                    * else holds. NULL: omitted, or a tensor that no cell holds; of a tensor in a cell args->in[i] is the view */
    ob_cell **out; /* n_out entries, NULL before: what the kernel made, for the caller to hold */
    const ob_allocator *allocator; /* of cells that are made */
} ob_kernel_cells;

/* Gives the tensor memory for these dims, which must be the planned ones if there are any: E_SHAPE. */
ob_status ob__set_output(const ob_kernel_args *args, uint32_t i, const ob_view *shape, ob_error *error);
/* The strings of a result, whose bytes belong to a cell, get bytes that live as long as the result. */
ob_status ob__own_strings(const ob_kernel_args *args, uint32_t i, ob_error *error);
/* Makes the cell, a hold of which it takes over, result i: as a cell, or copied to where a tensor was planned. */
ob_status ob__give_cell(const ob_kernel_args *args, uint32_t i, ob_cell *cell, ob_error *error);

#endif
