/* Assumptions of the user on single sizes, for the terms that inference makes. */
#ifndef OB_PASSES_CONTRACT_ASSUMED_H
#define OB_PASSES_CONTRACT_ASSUMED_H

#include "core/dims/terms.h"
#include "passes/contract/contract.h"

typedef struct ob_assumed_facts {
    ob_map symbols; /* symbol -> its assumptions */
    ob_assumed_sizes sizes;
} ob_assumed_facts;

/* Conditions on one symbol, N >= 2, 2*N <= 9, N % 32 = 0; others are left to the solver. Do not move `out` while it is used; it
 * must not outlive the arena. E_MEMORY. */
ob_status ob__assumed_facts(const ob_dims *dims, const ob_assumed *assumed, uint32_t n, ob_arena *arena, ob_assumed_facts *out);
/* True for an assumption such as N = 3, with the symbol and its number. False: another condition. */
bool ob__assumed_binding(const ob_dims *dims, const ob_condition *condition, ob_binding *out);

#endif
