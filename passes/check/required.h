/* An index of the requirements by node id. */
#ifndef OB_PASSES_CHECK_REQUIRED_H
#define OB_PASSES_CHECK_REQUIRED_H

#include "passes/check/facts.h"

typedef struct ob_required {
    uint32_t *first, *next; /* chains of 1 + index of facts->conditions: by node id, and by that number */
    bool *unverified;       /* by node id: the node has a requirement that cannot be stated */
    uint32_t n_nodes;
} ob_required;

/* Arrays are in `arena`. E_MEMORY. */
ob_status ob__required_index(const ob_facts *facts, uint32_t n_nodes, ob_arena *arena, ob_required *out);

#endif
