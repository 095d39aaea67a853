/* The contract: the solved requirements of the whole model on its input sizes. */
#ifndef OB_PASSES_CONTRACT_CONTRACT_H
#define OB_PASSES_CONTRACT_CONTRACT_H

#include "core/solve/solve.h"
#include "onnx_broadcast/check.h"
#include "passes/check/facts.h"

/* A condition that the user asserts, with its text. */
typedef struct ob_assumed {
    ob_condition condition;
    const ob_clause *clause; /* replaces the condition if that cannot express it; or NULL */
    const char *text;
} ob_assumed;

/* Unverified requirements with the same reason. */
typedef struct ob_unverified {
    const char *reason;
    uint32_t first; /* index into facts->unverified, followed by facts->conditions and facts->bounds */
    uint32_t n;
} ob_unverified;

/* An assumption of the user, or a declaration of the file for a size that inference does not know. */
typedef struct ob_assumption {
    const char *text;
    bool declared;         /* declared by the file: listed, never used */
    const ob_value *value; /* the declared value, or NULL */
} ob_assumption;

/* A requirement on the elements of an input. */
typedef struct ob_contract_bound {
    ob_bound bound;
    const ob_dim *guards; /* the requirement matters only if these are 1 or more */
    uint32_t n_guards;
    uint32_t first, last, n; /* its requirements in facts->bounds, linked by next_bound */
} ob_contract_bound;

typedef struct ob_contract {
    ob_arena arena;
    ob_contract_status status;
    const ob_dim *inputs; /* the symbols that the caller of the model chooses, in the order of the inputs */
    uint32_t n_inputs;
    uint32_t n_rankless;  /* inputs of unknown rank */
    ob_clauses given;     /* lowered; origin: index of facts->conditions, then of assumptions */
    uint32_t *next_alike; /* by index of facts->conditions: 1 + index of the next equal requirement; 0: none */
    uint32_t *seen;       /* by node id: the last count that included it */
    uint32_t n_counts;
    ob_solution solution; /* its clauses on inputs are those of the contract */
    const ob_solved_clause **clauses;
    uint32_t n_clauses;
    uint32_t n_limits; /* the last of the clauses: only sizes of OB_SIZE_UNREACHED and more break them */
    ob_unverified *unverified;
    uint32_t n_unverified;
    size_t n_open;             /* number of requirements in `unverified` */
    ob_contract_bound *bounds; /* conditions on values */
    uint32_t n_bounds;
    uint32_t *next_bound;       /* by index of facts->bounds: 1 + index of the next equal requirement; 0: none */
    ob_assumption *assumptions; /* the user's first, in their order: number i has the origin facts->n_conditions + i */
    uint32_t n_assumptions;
} ob_contract;

/* -- advice.c -- */
/* The number of nodes that require one of the origins. */
uint32_t ob__clause_nodes(ob_contract *contract, const ob_facts *facts, const ob_solved_clause *clause);
/* The condition, as index of facts->conditions, that requires the clause: the first that fails at sizes that break only this
 * clause, otherwise the first of its origins. UINT32_MAX: it follows from assumptions alone. */
uint32_t ob__clause_asks(const ob_facts *facts, const ob_dims *dims, const ob_solved_clause *clause);
/* A smallest set of sizes that is sufficient to satisfy the clause, with values that the contract admits. *n 0: not found.
 * E_MEMORY. */
ob_status ob__clause_choice(const ob_contract *contract, const ob_dims *dims, const ob_solved_clause *clause, ob_arena *arena,
                            const ob_binding **sizes, uint32_t *n);

/* -- example.c -- */
typedef struct ob_examples {
    const ob_binding *sizes[2]; /* of the symbols in the contract, n_sizes each; in the arena */
    uint32_t n, n_sizes;        /* n: 0 to 2 */
} ob_examples;
/* One or two sets of sizes that a complete contract with clauses admits; none if it is too large, or if no sizes are known. Takes
 * a bounded number of evaluations of the contract. E_MEMORY. */
ob_status ob__contract_examples(const ob_contract *contract, const ob_dims *dims, ob_arena *arena, ob_examples *out);
/* -- propose_sizes.c -- */
struct ob_work;
struct ob_finding;
/* Adds fixes to the finding of a clause: sizes that replace constants. E_MEMORY. */
ob_status ob__propose_sizes(struct ob_work *work, const ob_solved_clause *clause, struct ob_finding *finding);

void ob__contract_init(ob_contract *contract, const ob_allocator *allocator);
void ob__contract_release(ob_contract *contract);
/* The requirement with the index ob_unverified.first. */
const ob_requirement *ob__contract_open(const ob_facts *facts, uint32_t index);
/* The calls of the definition of an explicit operator whose body has the requirement; NULL: it is elsewhere. */
const ob_call_site *ob__sites_asked(const ob_requirement *requirement);
/* The number of nodes that have the requirement. Such a definition is inferred once for equal calls, and each call counts. */
uint32_t ob__times_asked(const ob_requirement *requirement);
/* Makes and solves the contract from the facts, which must live as long as the contract. E_MEMORY. */
ob_status ob__contract_make(ob_model *model, const ob_facts *facts, const ob_assumed *assumed, uint32_t n_assumed,
                            ob_contract *out);
/* Does the contract admit these sizes? *broken: the first clause that fails, if FALSE. UNDECIDED: a symbol is not bound, or the
 * contract is partial and its stated clauses hold. */
ob_truth ob__contract_holds(const ob_contract *contract, const ob_dims *dims, const ob_binding *bindings, size_t n_bindings,
                            uint32_t *broken);

#endif
