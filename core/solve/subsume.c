/* Drops clauses that another clause implies: each literal of that clause implies one of theirs. */
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum { MAX_TRIED = 256 }; /* clauses that one is held against */

/* term, without constant and sign -> the clauses that are to be found by it: each by one of its literals */
typedef struct clause_index {
    ob_map map;
    ob_arena *arena;
} clause_index;

/* The key of literals that may imply each other. */
static ob_dim term_of(ob_dims *dims, const ob_literal *literal) {
    OB_POLYS(dims, p, 1);
    if (!p) return OB_DIM_UNKNOWN;
    if (!ob__poly_load(dims, literal->p, p) || p->n == 0) return literal->p;
    bool turned = p->monomials[0].coefficient < 0;
    if (p->constant == 0 && !turned) return literal->p;
    p->constant = 0;
    for (uint32_t i = 0; i < p->n && turned; i++) p->monomials[i].coefficient = -p->monomials[i].coefficient;
    ob_dim term = ob__poly_store(dims, p);
    return term == OB_DIM_UNKNOWN ? literal->p : term;
}

static ob_map_entry *find(const clause_index *index, ob_dim term) {
    return ob__map_find(&index->map, (const char *)&term, sizeof term);
}

/* By the term that was made last: few others have it. */
static ob_status add_clause(clause_index *index, ob_dims *dims, const ob_work_clause *clause, uint32_t number) {
    ob_dim latest = 0;
    for (uint32_t i = 0; i < clause->n; i++) {
        ob_dim term = term_of(dims, &clause->literals[i].literal);
        if (term > latest) latest = term;
    }
    ob_map_entry *entry = ob__map_insert(&index->map, (const char *)&latest, sizeof latest);
    ob_link *link = OB_ARENA_NEW(index->arena, ob_link);
    if (!entry || !link) return OB_E_MEMORY;
    *link = (ob_link){entry->value, number};
    entry->value = link;
    return OB_OK;
}

bool ob__clause_gives(const ob_dims *dims, const ob_work_clause *clause, const ob_work_literal *literals, uint32_t n) {
    for (uint32_t i = 0; i < clause->n; i++) {
        bool found = false;
        for (uint32_t k = 0; k < n && !found; k++)
            found = ob__literal_implies(dims, &clause->literals[i].literal, &literals[k].literal);
        if (!found) return false;
    }
    return true;
}

/* Decides which of two equivalent clauses stays. */
static bool stays(const ob_solver *s, uint32_t number, uint32_t other) {
    const ob_work_clause *a = &s->clauses[number], *b = &s->clauses[other];
    if (a->assumed != b->assumed) return a->assumed;
    return number < other || !ob__clause_gives(s->dims, b, a->literals, a->n);
}

static void drop_if_less(ob_solver *s, const clause_index *index, uint32_t number) {
    ob_work_clause *clause = &s->clauses[number];
    uint32_t tried = 0;
    for (uint32_t i = 0; i < clause->n && !clause->dropped; i++) {
        const ob_map_entry *entry = find(index, term_of(s->dims, &clause->literals[i].literal));
        for (const ob_link *link = entry ? entry->value : NULL; link && tried < MAX_TRIED && !clause->dropped;
             link = link->next, tried++) {
            ob_work_clause *other = &s->clauses[link->number];
            if (!ob__solver_spend(s, ((uint64_t)other->n * clause->n + 7) / 8)) return;
            if (link->number == number || other->dropped || (clause->assumed && !other->assumed) ||
                !ob__clause_gives(s->dims, other, clause->literals, clause->n) || !stays(s, link->number, number))
                continue;
            other->pinned |= clause->pinned;
            clause->dropped = true;
        }
    }
}

ob_status ob__solver_subsume(ob_solver *s) {
    ob_arena arena;
    ob__arena_init(&arena, &s->arena->allocator);
    clause_index index = {.arena = &arena};
    ob__map_init(&index.map, &arena);
    ob_status status = OB_OK;
    for (uint32_t i = 0; i < s->n_clauses && status == OB_OK; i++)
        if (!s->clauses[i].dropped) status = add_clause(&index, s->dims, &s->clauses[i], i);
    for (uint32_t i = 0; i < s->n_clauses && status == OB_OK; i++)
        if (!s->clauses[i].dropped) drop_if_less(s, &index, i);
    return ob__arena_finish(&arena, status);
}
