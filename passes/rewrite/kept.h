/* A rewriting keeps the contract: the model has the same requirements on its sizes before and after. */
#ifndef OB_PASSES_REWRITE_KEPT_H
#define OB_PASSES_REWRITE_KEPT_H

#include "passes/contract/contract.h"

/* The state of one rewriting. Nodes are identified by their ids before it. */
typedef struct ob_keeping {
    ob_arena arena;
    ob_contract before;
    uint32_t n_nodes, n_values;
    bool *touched; /* in this round a node was inserted for it or removed before it, or it was removed */
    bool *stays;   /* stays as it is: an edit for it changed the contract, or may have */
    bool all_stay;
    uint32_t n_rounds;
    const char *contract_text; /* of the rewritten model, after a successful comparison; NULL: not made */
} ob_keeping;

void ob__keeping_init(ob_keeping *keeping, const ob_allocator *allocator);
void ob__keeping_release(ob_keeping *keeping);
/* Records the requirements of the model; the facts are those before the rewriting. E_MEMORY. */
ob_status ob__keeping_start(ob_keeping *keeping, ob_model *model, const ob_facts *facts);

/* The node that this one was inserted for, or the node itself. */
const ob_node *ob__made_for(const ob_node *node);
void ob__touch(ob_keeping *keeping, const ob_node *node);
bool ob__stays(const ob_keeping *keeping, const ob_node *node);

/* Compares the contracts. *kept false: the nodes that may be the reason are marked to stay as they are. Each round marks more
 * nodes, so repeating it terminates. E_MEMORY. */
ob_status ob__keeping_compare(ob_keeping *keeping, ob_model *model, const ob_facts *before, const ob_facts *after, bool *kept);
/* Does the contract `is`, made from the facts `after`, admit every size that `was` admits? If so *node is NULL and *why "";
 * otherwise a node that asks for more, and a sentence in `arena`. Where that cannot be proved the answer is no. E_MEMORY. */
ob_status ob__contract_widened(ob_model *model, const ob_contract *was, const ob_facts *before, const ob_contract *is,
                               const ob_facts *after, ob_arena *arena, const char **why, const ob_node **node);
/* Marks the nodes that may be the reason for a problem at `node` (NULL: anywhere). */
ob_status ob__keeping_blame(ob_keeping *keeping, const ob_node *node);

#endif
