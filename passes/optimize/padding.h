/* Nodes that put zeros around a tensor which only sliding windows read: the windows can count them as their own padding. */
#ifndef OB_PASSES_OPTIMIZE_PADDING_H
#define OB_PASSES_OPTIMIZE_PADDING_H

#include "core/graph/graph.h"

/* Finds the nodes whose kernel tells a padding and whose result is only operand 0 of kernels that take one (OB_KERNEL_WINDOW),
 * with initializers as their other operands. Whether the padding is one of zeros is left to planning. *joins: by node id. uses:
 * the reads of each value, by id; live: by node id. The arena owns the result. E_MEMORY. */
ob_status ob__find_padding(ob_model *model, const uint32_t *uses, const bool *live, ob_arena *arena, bool **joins);

#endif
