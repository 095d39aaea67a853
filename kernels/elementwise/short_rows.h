/* Short rows of an iteration: a chain computes one vector of each of eight rows at a time. The rows of a block lie anywhere: a
 * table holds their distances from the first one, so a block covers any number of axes. */
#ifndef OB_KERNELS_ELEMENTWISE_SHORT_ROWS_H
#define OB_KERNELS_ELEMENTWISE_SHORT_ROWS_H

#include "kernels/elementwise/iteration.h"

/* Sets b->short_rows if this form computes the iteration: rows of a few vectors, operands that are dense or one element within a
 * row, and a chain. E_MEMORY. */
ob_status obk_short_rows_plan(obk_iteration *b, const obk_iteration_spec *spec, ob_arena *arena, ob_error *error);

#endif
