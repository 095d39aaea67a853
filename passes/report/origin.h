/* Where a size came from, and where in the exporter's source a node came from. */
#ifndef OB_PASSES_REPORT_ORIGIN_H
#define OB_PASSES_REPORT_ORIGIN_H

#include "passes/check/facts.h"

/* Follows the size of `axis` of `value` back through the producers that hand it on, to a graph input, a weight or the node that
 * computed it. One sentence in the arena: "64 comes from weight 'conv1.weight' (axis 0), through Conv 'Conv_12', Relu 'Relu_13'".
 * NULL when out of memory; "" when nothing can be said. Bounded by the length of the chain; what several walks have in common is
 * kept in `known`, a map that is for this function alone, and walked once. */
const char *ob__origin_of(const ob_facts *facts, const ob_dims *dims, ob_map *known, const ob_value *value, int32_t axis,
                          ob_arena *arena);

/* The source position that the exporter left with the node: metadata (a Python stack trace, scopes) or doc_string; "" when none.
 * In the arena; NULL: out of memory. */
const char *ob__source_of(const ob_node *node, ob_arena *arena);

#endif
