/* Advice for a clause of the solved contract: sizes that are sufficient to satisfy it, and the node that requires it. */
#include <string.h>

#include "core/dims/terms.h"
#include "passes/contract/contract.h"

/* ---- The node to repair ---- */

/* Does the requirement fail at these sizes, for certain? */
static bool fails_at(const ob_dims *dims, const ob_requirement *requirement, const ob_binding *sizes, uint32_t n) {
    bool holds = true;
    if (requirement->guard && ob__guard_eval(dims, requirement->guard, sizes, n) != OB_TRUE) return false;
    return ob_condition_eval(dims, &requirement->condition, sizes, n, &holds) == OB_OK && !holds;
}

/* A solved clause has many origins. The sizes that break only this clause tell which of them requires it. */
uint32_t ob__clause_asks(const ob_facts *facts, const ob_dims *dims, const ob_solved_clause *clause) {
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < clause->n_origins && clause->origins[i] < facts->n_conditions; i++) {
        if (first == UINT32_MAX) first = clause->origins[i];
        if (clause->n_fails && fails_at(dims, &facts->conditions[clause->origins[i]], clause->fails, clause->n_fails))
            return clause->origins[i];
    }
    return first;
}

/* Equal conditions are chained after the first of them, which is the origin. */
uint32_t ob__clause_nodes(ob_contract *contract, const ob_facts *facts, const ob_solved_clause *clause) {
    uint32_t n = 0, count = ++contract->n_counts;
    for (uint32_t i = 0; i < clause->n_origins && clause->origins[i] < facts->n_conditions; i++)
        for (uint32_t at = clause->origins[i] + 1; at > 0; at = contract->next_alike[at - 1]) {
            const ob_node *node = facts->conditions[at - 1].node;
            if (node && contract->seen[node->id] == count) continue;
            if (node) contract->seen[node->id] = count;
            n++;
        }
    return n;
}

/* ---- The sizes that decide ---- */

enum { MOST_DECIDING = 8, MOST_TRIED = 64 };

typedef struct choice {
    const ob_solved_clause *clause;
    ob_binding sizes[MOST_DECIDING];
    uint32_t n;
} choice;

static int64_t size_in_witness(const ob_solved_clause *clause, ob_dim symbol) {
    for (uint32_t i = 0; i < clause->n_holds; i++)
        if (clause->holds[i].symbol == symbol) return clause->holds[i].size;
    return 2;
}

static bool satisfies(const ob_contract *contract, const ob_dims *dims, const ob_literal *literal, const choice *c) {
    uint32_t broken;
    return ob__clause_eval(dims, literal, 1, c->sizes, c->n) == OB_TRUE &&
           ob__contract_holds(contract, dims, c->sizes, c->n, &broken) != OB_FALSE;
}

/* Sizes of the literal's own symbols that satisfy it: those of the witness, or a small one for a single symbol. */
static bool choose(const ob_contract *contract, const ob_dims *dims, const ob_literal *literal, choice *c) {
    ob_dim symbols[MOST_DECIDING];
    ob_symbol_list list = {.at = symbols, .capacity = MOST_DECIDING};
    ob__clause_list_symbols(dims, literal, 1, &list);
    if (list.is_full || list.n == 0) return false;
    for (c->n = 0; c->n < list.n; c->n++) c->sizes[c->n] = (ob_binding){symbols[c->n], size_in_witness(c->clause, symbols[c->n])};
    if (satisfies(contract, dims, literal, c)) return true;
    for (int64_t i = 0; c->n == 1 && i < MOST_TRIED; i++) { /* 1 and 0, which fit by rules of their own, last */
        c->sizes[0].size = i < MOST_TRIED - 2 ? i + 2 : MOST_TRIED - 1 - i;
        if (satisfies(contract, dims, literal, c)) return true;
    }
    return false;
}

ob_status ob__clause_choice(const ob_contract *contract, const ob_dims *dims, const ob_solved_clause *clause, ob_arena *arena,
                            const ob_binding **sizes, uint32_t *n) {
    choice best = {.n = 0};
    /* The requirement comes before the guards: if a guard is false, the branch does not run. */
    for (uint32_t k = 0; clause->n_holds && k < clause->n; k++) {
        const ob_literal *literal = &clause->literals[(k + clause->n_guard) % clause->n];
        choice c = {.clause = clause};
        if (choose(contract, dims, literal, &c) && (best.n == 0 || c.n < best.n)) best = c;
    }
    *n = best.n;
    *sizes = NULL;
    if (best.n == 0) return OB_OK;
    ob_binding *copy = OB_ARENA_ARRAY(arena, ob_binding, best.n);
    if (!copy) return OB_E_MEMORY;
    memcpy(copy, best.sizes, best.n * sizeof *copy);
    *sizes = copy;
    return OB_OK;
}
