/* Conditions on values: requirements on the elements of the model's inputs. */
#ifndef OB_PASSES_CONTRACT_BOUNDS_H
#define OB_PASSES_CONTRACT_BOUNDS_H

#include "core/base/text.h"
#include "passes/contract/contract.h"

/* Adds number `index` of facts->bounds to the contract's; *reason is not NULL if it cannot be stated on elements of inputs.
 * E_MEMORY. */
ob_status ob__bounds_add(ob_contract *contract, ob_model *model, const ob_facts *facts, uint32_t index, const char **reason);
/* "0 <= ids < 30522", "if N - 1 >= 1: trunc(x[:, 0]) < M", where `name` is the input; symbols may be added to dims. */
void ob__bound_write(ob_text *text, ob_dims *dims, const ob_facts *facts, const ob_contract_bound *bound, const char *name);

#endif
