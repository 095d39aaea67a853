/* Gathers elements from a strided view into dense memory, and scatters them back, by element width. */
#ifndef OB_KERNELS_ELEMENTWISE_STRIDED_H
#define OB_KERNELS_ELEMENTWISE_STRIDED_H

#include <stdbool.h>

#include "kernels/move/move.h"
#include "onnx_broadcast/view.h"

/* Axes outermost first, merged where the strides allow. Start from {.n_elems = 1}. */
typedef struct obk_strided {
    int32_t rank;
    int64_t n_elems;
    int64_t dims[OB_MAX_RANK], strides[OB_MAX_RANK];
} obk_strided;

void obk_strided_append(obk_strided *shape, int64_t size, int64_t stride);
bool obk_strided_is_dense(const obk_strided *shape, size_t elem_bytes);
/* elem_bytes is 1, 2, 4, 8 or 16; source and target do not overlap. Nothing needs to be aligned. repeat_4: obk_moves.repeat_4, or
 * NULL for a slower form. */
void obk_gather_strided(char *target, const char *source, size_t elem_bytes, const obk_strided *shape, obk_repeat repeat_4);
void obk_scatter_strided(char *target, const char *source, size_t elem_bytes, const obk_strided *shape);
/* n elements, source step 0 or elem_bytes. */
void obk_copy_row(char *target, const char *source, int64_t step, int64_t n, size_t elem_bytes);
#endif
