/* Examples of sizes that a complete contract admits. The first consists of the sizes that satisfy each clause together with those
 * that share its sizes. The second is made of the first: every size is changed, alone or together with the sizes of a clause,
 * as long as the contract admits the result. */
#include "core/base/error.h"
#include "passes/contract/contract.h"

enum { MOST_SYMBOLS = 16, MOST_CLAUSES = 64, MOST_ASSUMED = 16, N_GROWTHS = 24 };

typedef struct example {
    const ob_contract *contract;
    const ob_dims *dims;
    ob_binding sizes[MOST_SYMBOLS];
    uint32_t n;
    const ob_clause *assumed[MOST_ASSUMED]; /* assumptions, which are not in the clauses; further ones are tested at the end */
    uint32_t n_assumed;
} example;

static ob_binding *find(example *e, ob_dim symbol) {
    for (uint32_t i = 0; i < e->n; i++)
        if (e->sizes[i].symbol == symbol) return &e->sizes[i];
    return NULL;
}

/* The symbols of these clauses, without sizes. False: they are too many. */
static bool list_symbols(example *e, const ob_solved_clause *const *clauses, uint32_t n) {
    ob_dim symbols[MOST_SYMBOLS];
    ob_symbol_list list = {.at = symbols, .capacity = MOST_SYMBOLS};
    for (uint32_t i = 0; i < n; i++) ob__clause_list_symbols(e->dims, clauses[i]->literals, clauses[i]->n, &list);
    for (e->n = 0; e->n < list.n; e->n++) e->sizes[e->n] = (ob_binding){symbols[e->n], -1};
    return !list.is_full;
}

static void list_assumed(example *e) {
    const ob_clauses *given = &e->contract->given;
    for (uint32_t i = 0; i < given->n && e->n_assumed < MOST_ASSUMED; i++)
        if (given->items[i].assumed) e->assumed[e->n_assumed++] = &given->items[i];
}

static bool is_admitted(const example *e) {
    uint32_t broken;
    for (uint32_t i = 0; i < e->n_assumed; i++)
        if (ob__clause_eval(e->dims, e->assumed[i]->literals, e->assumed[i]->n, e->sizes, e->n) == OB_FALSE) return false;
    return ob__contract_holds(e->contract, e->dims, e->sizes, e->n, &broken) == OB_TRUE;
}

/* The same for the requirements as they were before solving, and for assumptions. */
static bool is_confirmed(const example *e) {
    const ob_clauses *given = &e->contract->given;
    for (uint32_t i = 0; i < given->n; i++)
        if (ob__clause_eval(e->dims, given->items[i].literals, given->items[i].n, e->sizes, e->n) == OB_FALSE) return false;
    return is_admitted(e);
}

/* Sizes of a witness belong together: they are taken only where none of them has a value. */
static void take_witness(example *e, const ob_solved_clause *clause) {
    for (uint32_t i = 0; i < clause->n_holds; i++) {
        const ob_binding *at = find(e, clause->holds[i].symbol);
        if (at && at->size >= 0) return;
    }
    for (uint32_t i = 0; i < clause->n_holds; i++) {
        ob_binding *at = find(e, clause->holds[i].symbol);
        if (at) at->size = clause->holds[i].size;
    }
}

/* Another size: some multiples first, which differ from symbol to symbol, then the next larger ones. */
static int64_t grown(int64_t size, uint32_t symbol, uint32_t k) {
    const int64_t factor = 2 + symbol % 3;
    return k < 4 ? factor * size + k : size + (k - 3);
}

static void change_each(example *e, bool *changed) {
    for (uint32_t i = 0; i < e->n; i++) {
        const int64_t size = e->sizes[i].size;
        for (uint32_t k = 0; k < N_GROWTHS && !changed[i]; k++) {
            e->sizes[i].size = grown(size, i, k);
            changed[i] = e->sizes[i].size != size && e->sizes[i].size < OB_SIZE_UNREACHED && is_admitted(e);
        }
        if (!changed[i]) e->sizes[i].size = size;
    }
}

/* The sizes of one clause (NULL: of all) that could not be changed alone, all by the same rule: N = M. */
static void change_together(example *e, const ob_solved_clause *clause, bool *changed) {
    example own = {.dims = e->dims};
    const example before = *e;
    if (clause) (void)list_symbols(&own, &clause, 1);
    for (uint32_t k = 0; k < N_GROWTHS; k++) {
        bool any = false, now[MOST_SYMBOLS] = {false};
        for (uint32_t i = 0; i < e->n; i++) {
            if (changed[i] || (clause && !find(&own, e->sizes[i].symbol))) continue;
            e->sizes[i].size = grown(before.sizes[i].size, 0, k);
            now[i] = e->sizes[i].size != before.sizes[i].size && e->sizes[i].size < OB_SIZE_UNREACHED;
            any = any || now[i];
        }
        if (any && is_admitted(e)) {
            for (uint32_t i = 0; i < e->n; i++) changed[i] = changed[i] || now[i];
            return;
        }
        *e = before;
        if (!any) return;
    }
}

static ob_status keep(const example *e, ob_arena *arena, const ob_binding **out) {
    ob_binding *copy = OB_ARENA_ARRAY(arena, ob_binding, e->n);
    if (!copy) return OB_E_MEMORY;
    for (uint32_t i = 0; i < e->n; i++) copy[i] = e->sizes[i];
    *out = copy;
    return OB_OK;
}

ob_status ob__contract_examples(const ob_contract *contract, const ob_dims *dims, ob_arena *arena, ob_examples *out) {
    example e = {.contract = contract, .dims = dims};
    bool changed[MOST_SYMBOLS] = {false}, any = false;
    *out = (ob_examples){.n = 0};
    if (contract->status != OB_CONTRACT_COMPLETE || contract->n_clauses == contract->n_limits) return OB_OK;
    if (contract->n_clauses > MOST_CLAUSES) return OB_OK;
    if (!list_symbols(&e, contract->clauses, contract->n_clauses)) return OB_OK;
    for (uint32_t i = 0; i < contract->n_clauses; i++) take_witness(&e, contract->clauses[i]);
    for (uint32_t i = 0; i < e.n; i++)
        if (e.sizes[i].size < 0) return OB_OK;
    list_assumed(&e);
    if (!is_confirmed(&e)) return OB_OK;
    OB_TRY(keep(&e, arena, &out->sizes[0]));
    out->n_sizes = e.n;
    out->n = 1;
    change_each(&e, changed);
    for (uint32_t i = 0; i < contract->n_clauses; i++) change_together(&e, contract->clauses[i], changed);
    change_together(&e, NULL, changed);
    for (uint32_t i = 0; i < e.n; i++) any = any || changed[i];
    if (!any || !is_confirmed(&e)) return OB_OK;
    OB_TRY(keep(&e, arena, &out->sizes[1]));
    out->n = 2;
    return OB_OK;
}
