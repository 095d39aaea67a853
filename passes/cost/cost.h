/* The cost of a model, for rewriting. */
#ifndef OB_PASSES_COST_COST_H
#define OB_PASSES_COST_COST_H

#include <stdbool.h>

#include "onnx_broadcast/cost.h"

/* Is it known that the values beside the node with this id and explicit copies of its operands take at most `most` bytes? */
bool ob__cost_fits(const ob_cost *cost, uint32_t node, int64_t most);

#endif
