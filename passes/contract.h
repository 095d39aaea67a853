/* The contract: what the whole model requires of the sizes of its inputs, solved. */
#ifndef OB_PASSES_CONTRACT_H
#define OB_PASSES_CONTRACT_H

#include "core/solve.h"
#include "onnx_broadcast/check.h"
#include "passes/facts.h"

/* Requirements that nobody could state, for one reason. */
typedef struct ob_unverified {
    const char *reason;
    uint32_t first; /* of facts->unverified; or, beyond n_unverified, of facts->conditions */
    uint32_t n;
} ob_unverified;

typedef struct ob_contract {
    ob_arena arena;
    ob_contract_status status;
    const ob_dim *inputs; /* the symbols that the caller of the model chooses, in the order of the inputs */
    uint32_t n_inputs;
    ob_clauses given;     /* lowered; origin: index of facts->conditions, assumptions behind them */
    ob_solution solution; /* its clauses of inputs are the contract's */
    const ob_solved_clause **clauses;
    uint32_t n_clauses;
    ob_unverified *unverified;
    uint32_t n_unverified;
    size_t n_open; /* requirements behind `unverified` */
} ob_contract;

void ob__contract_init(ob_contract *contract, const ob_allocator *allocator);
void ob__contract_release(ob_contract *contract);
/* Solves what the facts hold. The facts must live as long as the contract. E_MEMORY. */
ob_status ob__contract_make(ob_model *model, const ob_facts *facts, ob_contract *out);
/* Does the contract admit these sizes? *broken: the first clause that does not hold, when FALSE. UNDECIDED: a symbol is not
 * bound, or the contract is partial and what it states holds. */
ob_truth ob__contract_holds(const ob_contract *contract, const ob_dims *dims, const ob_binding *bindings, size_t n_bindings,
                            uint32_t *broken);

#endif
