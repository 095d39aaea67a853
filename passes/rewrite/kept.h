/* A rewriting keeps the contract: what the model requires of its sizes before, it requires after, and the other way round. */
#ifndef OB_PASSES_REWRITE_KEPT_H
#define OB_PASSES_REWRITE_KEPT_H

#include "passes/contract/contract.h"

/* Of one rewriting. Nodes are told by their ids before it. */
typedef struct ob_keeping {
    ob_arena arena;
    ob_contract before;
    uint32_t n_nodes, n_values;
    bool *touched; /* in this round something was inserted for it or taken out before it, or it is gone */
    bool *stays;   /* is left as it is: what was done for it changed the contract, or may have */
    bool all_stay;
    uint32_t n_rounds;
    const char *contract_text; /* of the model afterwards, once a comparison has found it kept; NULL: not made */
} ob_keeping;

void ob__keeping_init(ob_keeping *keeping, const ob_allocator *allocator);
void ob__keeping_release(ob_keeping *keeping);
/* Takes down what the model requires; the facts are those of the model before. E_MEMORY. */
ob_status ob__keeping_start(ob_keeping *keeping, ob_model *model, const ob_facts *facts);

/* The node for which this one was made, or itself. */
const ob_node *ob__made_for(const ob_node *node);
void ob__touch(ob_keeping *keeping, const ob_node *node);
bool ob__stays(const ob_keeping *keeping, const ob_node *node);

/* Compares. *kept false: the nodes that may be the reason are marked as to be left alone (more of them than before, so that
 * trying again comes to an end). E_MEMORY. */
ob_status ob__keeping_compare(ob_keeping *keeping, ob_model *model, const ob_facts *before, const ob_facts *after, bool *kept);
/* Marks the nodes that may be the reason for what is wrong at `node` (NULL: anywhere). */
ob_status ob__keeping_blame(ob_keeping *keeping, const ob_node *node);

#endif
