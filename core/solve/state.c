/* The state of the solver: facts of symbols, work clauses with their occurrences, reasons, the queue. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/solve/solver.h"

/* Room for one more element in an array of the arena. */
static ob_status grow(ob_arena *arena, void **items, uint32_t n, uint32_t *capacity, size_t n_bytes_each) {
    if (n == UINT32_MAX) return OB_E_LIMIT;
    void *grown = ob__list_in_arena(arena, *items, capacity, n + 1, n_bytes_each);
    if (!grown) return OB_E_MEMORY;
    *items = grown;
    return OB_OK;
}

#define GROW(s, items, n, capacity) grow((s)->arena, (void **)&(s)->items, (s)->n, &(s)->capacity, sizeof *(s)->items)

/* The minimal memory of a set of clauses, in one block. */
static bool reserve(ob_solver *s, uint32_t n_inputs) {
    s->facts_capacity = n_inputs + 4;
    s->facts = OB_ARENA_ARRAY(s->arena, ob_symbol_fact, s->facts_capacity);
    s->clauses_capacity = s->reasons_capacity = s->queue_capacity = s->n_given + 4;
    s->clauses = OB_ARENA_ARRAY(s->arena, ob_work_clause, s->clauses_capacity);
    s->reasons = OB_ARENA_ARRAY(s->arena, ob_reason, s->reasons_capacity);
    s->queue = OB_ARENA_ARRAY(s->arena, uint32_t, s->queue_capacity);
    return s->facts && s->clauses && s->reasons && s->queue && ob__map_reserve(&s->index, n_inputs) &&
           ob__map_reserve(&s->contents, s->n_given);
}

ob_status ob__solver_init(ob_solver *s, ob_dims *dims, ob_arena *arena, const ob_clause *given, uint32_t n_given,
                          const ob_dim *inputs, uint32_t n_inputs, ob_solve_budget *budget) {
    *s = (ob_solver){.dims = dims, .arena = arena, .given = given, .n_given = n_given};
    s->own = (ob_solve_budget){
        .most = OB_SOLVE_STEPS + (uint64_t)OB_SOLVE_STEPS_EACH * n_given, .of_pool = dims->n_steps, .arena = arena};
    ob__map_init(&s->own.sizes, arena);
    s->budget = budget ? budget : &s->own;
    ob__map_init(&s->index, arena);
    ob__map_init(&s->contents, arena);
    if (!reserve(s, n_inputs)) return OB_E_MEMORY;
    s->reasons[0].assumed = true;
    s->n_reasons = 1;
    for (uint32_t i = 0; i < n_inputs; i++) {
        uint32_t at;
        OB_TRY(ob__solver_symbol(s, inputs[i], &at));
        if (s->facts[at].order == UINT32_MAX) s->facts[at].order = i;
    }
    return OB_OK;
}

bool ob__solver_spend(ob_solver *s, uint64_t n) {
    ob_solve_budget *budget = s->budget;
    budget->steps += n + (s->dims->n_steps - budget->of_pool);
    budget->of_pool = s->dims->n_steps;
    return budget->steps <= budget->most && s->arena->n_bytes <= OB_SOLVE_BYTES + s->n_given * (size_t)OB_SOLVE_STEPS_EACH;
}

ob_status ob__solver_symbol(ob_solver *s, ob_dim symbol, uint32_t *out) {
    ob_map_entry *entry = ob__map_insert(&s->index, (const char *)&symbol, sizeof symbol);
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) {
        OB_TRY(GROW(s, facts, n_facts, facts_capacity));
        s->facts[s->n_facts] =
            (ob_symbol_fact){.symbol = symbol, .solved = OB_DIM_UNKNOWN, .hi = OB_INFINITE, .mod = 1, .order = UINT32_MAX};
        entry->value = (void *)(uintptr_t)++s->n_facts;
    }
    *out = (uint32_t)((uintptr_t)entry->value - 1);
    return OB_OK;
}

/* ---- Reasons ---- */

ob_status ob__solver_reason(ob_solver *s, uint32_t left, uint32_t right, uint32_t *out) {
    if (left == right || left == 0 || right == 0) {
        *out = left ? left : right;
        return OB_OK;
    }
    OB_TRY(GROW(s, reasons, n_reasons, reasons_capacity));
    s->reasons[s->n_reasons] = (ob_reason){left, right, s->reasons[left].assumed && s->reasons[right].assumed};
    *out = s->n_reasons++;
    return OB_OK;
}

ob_status ob__solver_leaf(ob_solver *s, uint32_t given, uint32_t *out) {
    OB_TRY(GROW(s, reasons, n_reasons, reasons_capacity));
    s->reasons[s->n_reasons] = (ob_reason){given, UINT32_MAX, s->given[given].assumed};
    *out = s->n_reasons++;
    return OB_OK;
}

ob_status ob__solver_leaves(const ob_solver *s, uint32_t reason, ob_arena *arena, uint32_t **out, uint32_t *n) {
    uint8_t *seen = OB_ARENA_ARRAY(arena, uint8_t, s->n_reasons), *used = OB_ARENA_ARRAY(arena, uint8_t, s->n_given);
    uint32_t *stack = OB_ARENA_ARRAY(arena, uint32_t, (size_t)s->n_reasons + 1), depth = 0;
    *out = OB_ARENA_ARRAY(arena, uint32_t, s->n_given);
    *n = 0;
    if (!seen || !used || !stack || !*out) return OB_E_MEMORY;
    if (reason) stack[depth++] = reason;
    while (depth > 0) {
        const ob_reason *r = &s->reasons[stack[--depth]];
        if (r->right == UINT32_MAX) {
            used[r->left] = 1;
            continue;
        }
        const uint32_t both[2] = {r->left, r->right};
        for (int i = 0; i < 2; i++) {
            if (!both[i] || seen[both[i]]) continue;
            seen[both[i]] = 1;
            stack[depth++] = both[i];
        }
    }
    for (uint32_t i = 0; i < s->n_given; i++)
        if (used[i]) (*out)[(*n)++] = i;
    return OB_OK;
}

void ob__solver_clash(ob_solver *s, uint32_t reason) {
    if (s->clashed) return;
    s->clashed = true;
    s->clash = reason;
}

/* ---- Symbols of clauses ---- */

typedef struct symbol_visit {
    ob_solver *s;
    ob_symbol_set *out;
    ob_status status;
} symbol_visit;

static bool add_symbol(void *context, ob_dim symbol) {
    symbol_visit *visit = context;
    ob_symbol_set *out = visit->out;
    uint32_t number;
    visit->status = ob__solver_symbol(visit->s, symbol, &number);
    for (uint32_t i = 0; i < out->n; i++)
        if (out->items[i] == number) return visit->status == OB_OK;
    out->overflow = out->n == sizeof out->items / sizeof *out->items;
    if (out->overflow || visit->status != OB_OK) return false;
    out->items[out->n++] = number;
    return true;
}

ob_status ob__clause_symbols(ob_solver *s, const ob_work_literal *literals, uint32_t n, ob_symbol_set *out) {
    symbol_visit visit = {s, out, OB_OK};
    out->n = 0;
    out->overflow = false;
    for (uint32_t i = 0; i < n && visit.status == OB_OK && !out->overflow; i++) {
        const ob_dim terms[2] = {literals[i].literal.p, literals[i].literal.q};
        for (int k = 0; k < 2 && visit.status == OB_OK && !out->overflow; k++)
            if (ob_dim_is_term(terms[k])) ob_dim_symbols(s->dims, terms[k], add_symbol, &visit);
    }
    return visit.status;
}

/* The symbols of a new clause, which is found by each of them from now on. */
static ob_status add_occurrences(ob_solver *s, uint32_t clause) {
    ob_work_clause *c = &s->clauses[clause];
    ob_symbol_set set;
    OB_TRY(ob__clause_symbols(s, c->literals, c->n, &set));
    if (set.overflow) return OB_OK; /* too many symbols for the next steps: it stays as it is */
    c->symbols = OB_ARENA_ARRAY(s->arena, uint32_t, set.n);
    ob_link *links = OB_ARENA_ARRAY(s->arena, ob_link, set.n);
    if (!c->symbols || !links) return OB_E_MEMORY;
    c->n_symbols = set.n;
    for (uint32_t i = 0; i < set.n; i++) {
        ob_symbol_fact *fact = &s->facts[set.items[i]];
        c->symbols[i] = set.items[i];
        links[i] = (ob_link){fact->occurrences, clause};
        fact->occurrences = &links[i];
        fact->changed = true;
    }
    return OB_OK;
}

/* ---- Clauses ---- */

ob_status ob__solver_enqueue(ob_solver *s, uint32_t clause) {
    if (s->clauses[clause].queued || s->clauses[clause].dropped) return OB_OK;
    if (s->queue_n == s->queue_capacity && s->queue_first > s->queue_capacity / 2) {
        s->queue_n -= s->queue_first;
        memmove(s->queue, s->queue + s->queue_first, s->queue_n * sizeof *s->queue);
        s->queue_first = 0;
    }
    OB_TRY(GROW(s, queue, queue_n, queue_capacity));
    s->queue[s->queue_n++] = clause;
    s->clauses[clause].queued = true;
    return OB_OK;
}

ob_status ob__solver_enqueue_symbol(ob_solver *s, uint32_t fact) {
    ob_link **at = &s->facts[fact].occurrences;
    while (*at) { /* dropped clauses are removed from the list, so that they are visited only once */
        s->effort++;
        if (s->clauses[(*at)->number].dropped) {
            *at = (*at)->next;
            continue;
        }
        OB_TRY(ob__solver_enqueue(s, (*at)->number));
        at = &(*at)->next;
    }
    return OB_OK;
}

/* The slot of the clause with these literals. */
static ob_status place(ob_solver *s, const ob_work_literal *literals, uint32_t n, ob_map_entry **out) {
    int64_t few[3 * 32], *key = n <= 32 ? few : OB_ARENA_ARRAY(s->arena, int64_t, 3 * (size_t)n);
    if (!key) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        key[3 * i] = (int64_t)literals[i].literal.kind * 2 + literals[i].guard;
        key[3 * i + 1] = literals[i].literal.p;
        key[3 * i + 2] = literals[i].literal.q;
    }
    *out = ob__map_insert(&s->contents, (const char *)key, 3 * n * sizeof *key);
    return *out ? OB_OK : OB_E_MEMORY;
}

ob_status ob__solver_add_origins(ob_solver *s, ob_work_clause *to, const ob_link *origins) {
    for (const ob_link *from = origins; from; from = from->next) {
        if (to->last_origin && to->last_origin->number == from->number) continue;
        ob_link *link = OB_ARENA_NEW(s->arena, ob_link);
        if (!link) return OB_E_MEMORY;
        link->number = from->number;
        if (to->last_origin)
            to->last_origin->next = link;
        else
            to->origins = link;
        to->last_origin = link;
    }
    return OB_OK;
}

ob_status ob__solver_insert(ob_solver *s, const ob_work_literal *literals, uint32_t n, uint32_t reason, const ob_link *origins,
                            bool assumed, bool pinned, uint32_t *out) {
    ob_map_entry *entry;
    if (n == 0) {
        ob__solver_clash(s, reason);
        *out = UINT32_MAX;
        return OB_OK;
    }
    OB_TRY(place(s, literals, n, &entry));
    if (entry->value) {
        *out = (uint32_t)((uintptr_t)entry->value - 1);
        ob_work_clause *found = &s->clauses[*out];
        if (!found->dropped) {
            if (assumed && !found->assumed) { /* then it is not part of the result, and depends on the assumption */
                found->assumed = true;
                found->reason = reason;
            }
            if (pinned) found->pinned = true;
            return ob__solver_add_origins(s, found, origins);
        }
    }
    OB_TRY(GROW(s, clauses, n_clauses, clauses_capacity));
    ob_work_clause *made = &s->clauses[s->n_clauses];
    *made = (ob_work_clause){.n = n, .reason = reason, .assumed = assumed, .pinned = pinned};
    made->literals = OB_ARENA_ARRAY(s->arena, ob_work_literal, n);
    if (!made->literals) return OB_E_MEMORY;
    memcpy(made->literals, literals, n * sizeof *literals);
    OB_TRY(ob__solver_add_origins(s, made, origins));
    *out = s->n_clauses++;
    entry->value = (void *)(uintptr_t)s->n_clauses;
    OB_TRY(add_occurrences(s, *out));
    return ob__solver_enqueue(s, *out);
}
