/* The contract: what the whole model requires of the sizes of its inputs, solved. */
#ifndef OB_PASSES_CONTRACT_CONTRACT_H
#define OB_PASSES_CONTRACT_CONTRACT_H

#include "core/solve/solve.h"
#include "onnx_broadcast/check.h"
#include "passes/check/facts.h"

/* A condition that the user asserts, with its words. */
typedef struct ob_assumed {
    ob_condition condition;
    const ob_clause *clause; /* in place of the condition where that cannot say it; NULL: it can */
    const char *text;
} ob_assumed;

/* Requirements that nobody could state, for one reason. */
typedef struct ob_unverified {
    const char *reason;
    uint32_t first; /* of facts->unverified; beyond n_unverified of facts->conditions; beyond these of facts->bounds */
    uint32_t n;
} ob_unverified;

/* What is taken for granted: by the user, or by the file where inference knows nothing. */
typedef struct ob_assumption {
    const char *text;
    bool declared;         /* by the file: listed, never used */
    const ob_value *value; /* whose declaration it is, or NULL */
} ob_assumption;

/* What is required of the elements of an input. */
typedef struct ob_contract_bound {
    ob_bound bound;
    const ob_dim *guards; /* terms that are 1 or more where it matters */
    uint32_t n_guards;
    uint32_t first, last, n; /* of facts->bounds, those that ask for it: next_bound leads from one to the next */
} ob_contract_bound;

typedef struct ob_contract {
    ob_arena arena;
    ob_contract_status status;
    const ob_dim *inputs; /* the symbols that the caller of the model chooses, in the order of the inputs */
    uint32_t n_inputs;
    uint32_t n_rankless;  /* inputs whose shape is open as a whole */
    ob_clauses given;     /* lowered; origin: index of facts->conditions, assumptions behind them */
    uint32_t *next_alike; /* by index of facts->conditions: 1 + index of the next one that asks for the same, 0: none */
    uint32_t *seen;       /* by node id: the count in which it was last counted */
    uint32_t n_counts;
    ob_solution solution; /* its clauses of inputs are the contract's */
    const ob_solved_clause **clauses;
    uint32_t n_clauses;
    uint32_t n_limits; /* of the clauses the last ones: only sizes of OB_SIZE_UNREACHED break them */
    ob_unverified *unverified;
    uint32_t n_unverified;
    size_t n_open;             /* requirements behind `unverified` */
    ob_contract_bound *bounds; /* conditions on values */
    uint32_t n_bounds;
    uint32_t *next_bound;       /* by index of facts->bounds: 1 + index of the next one that asks for the same, 0: none */
    ob_assumption *assumptions; /* the user's first, in their order: number i has the origin facts->n_conditions + i */
    uint32_t n_assumptions;
} ob_contract;

/* -- advice.c -- */
/* The nodes that ask for one of the origins, each once. */
uint32_t ob__clause_nodes(ob_contract *contract, const ob_facts *facts, const ob_solved_clause *clause);
/* The condition, as index of facts->conditions, that asks for the clause: the first that fails where the clause alone does, else
 * the first that went into it. UINT32_MAX: none, only assumptions did. */
uint32_t ob__clause_asks(const ob_facts *facts, const ob_dims *dims, const ob_solved_clause *clause);
/* The fewest sizes whose choice is enough for the clause, and such a choice that the contract admits; *n 0: not found. E_MEMORY.
 */
ob_status ob__clause_choice(const ob_contract *contract, const ob_dims *dims, const ob_solved_clause *clause, ob_arena *arena,
                            const ob_binding **sizes, uint32_t *n);

void ob__contract_init(ob_contract *contract, const ob_allocator *allocator);
void ob__contract_release(ob_contract *contract);
/* The requirement that ob_unverified.first is. */
const ob_requirement *ob__contract_open(const ob_facts *facts, uint32_t index);
/* The calls of the definition of an explicit operator in whose body it is asked; NULL: it is asked elsewhere. */
const ob_call_site *ob__sites_asked(const ob_requirement *requirement);
/* How often it is asked: in such a definition, which is looked at once for calls that are alike, by each of them. */
uint32_t ob__times_asked(const ob_requirement *requirement);
/* Solves what the facts hold. The facts must live as long as the contract. E_MEMORY. */
ob_status ob__contract_make(ob_model *model, const ob_facts *facts, const ob_assumed *assumed, uint32_t n_assumed,
                            ob_contract *out);
/* Does the contract admit these sizes? *broken: the first clause that does not hold, when FALSE. UNDECIDED: a symbol is not
 * bound, or the contract is partial and what it states holds. */
ob_truth ob__contract_holds(const ob_contract *contract, const ob_dims *dims, const ob_binding *bindings, size_t n_bindings,
                            uint32_t *broken);

#endif
