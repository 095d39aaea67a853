/* The origin of a size, and the position of a node in the exporter's source. */
#ifndef OB_PASSES_REPORT_ORIGIN_H
#define OB_PASSES_REPORT_ORIGIN_H

#include "passes/check/facts.h"

/* Follows the size of `axis` of `value` back through the producers that pass it on, to a graph input, a weight or the node that
 * computed it. One sentence in the arena: "64 comes from weight 'conv1.weight' (axis 0), through Conv 'Conv_12', Relu
 * 'Relu_13'". NULL: out of memory; "": unknown. Takes time linear in the length of the chain. Common parts of several walks are
 * kept in `known`, a map for this function alone, and walked once. */
const char *ob__origin_of(const ob_facts *facts, const ob_dims *dims, ob_map *known, const ob_value *value, int32_t axis,
                          ob_arena *arena);

/* The source position that the exporter stored in the node's metadata (a Python stack trace, scopes) or doc_string; "": none.
 * In the arena; NULL: out of memory. */
const char *ob__source_of(const ob_node *node, ob_arena *arena);

#endif
