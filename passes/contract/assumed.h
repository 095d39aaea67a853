/* What the user asserts of single sizes, for the terms that inference makes. */
#ifndef OB_PASSES_CONTRACT_ASSUMED_H
#define OB_PASSES_CONTRACT_ASSUMED_H

#include "core/dims/terms.h"
#include "passes/contract/contract.h"

typedef struct ob_assumed_facts {
    ob_map symbols; /* symbol -> what is asserted of it */
    ob_assumed_sizes sizes;
} ob_assumed_facts;

/* Conditions on one symbol, N >= 2, 2*N <= 9, N % 32 = 0; others are left to the solver. `out` stays where it is while it is
 * used, and must not outlive the arena. E_MEMORY. */
ob_status ob__assumed_facts(const ob_dims *dims, const ob_assumed *assumed, uint32_t n, ob_arena *arena, ob_assumed_facts *out);
/* The symbol that is asserted to be a number, N = 3: then *size is that number. False: it is another condition. */
bool ob__assumed_binding(const ob_dims *dims, const ob_condition *condition, ob_binding *out);

#endif
