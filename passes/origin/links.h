/* The links of a node: which axes of its results come from which axes of its operands, by the rule of its row
 * (ops/infer/axes.h) and the facts of a propagation. */
#ifndef OB_PASSES_ORIGIN_LINKS_H
#define OB_PASSES_ORIGIN_LINKS_H

#include "ops/infer/axes.h"
#include "passes/check/facts.h"

typedef struct ob_links {
    uint32_t n;
    const ob_link *items;
} ob_links;

/* The links of the node, in the arena; none if its operator, its operands or its attributes are not known, or
 * if it has thousands of operands. E_MEMORY. */
ob_status ob__links_of(ob_model *model, const ob_facts *facts, const ob_node *node, ob_arena *arena, ob_links *out);

#endif
