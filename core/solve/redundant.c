/* Drops superfluous clauses and literals: replaced by their opposite, they lead to a contradiction. */
#include <string.h>

#include "core/base/error.h"
#include "core/solve/solver.h"

enum { MAX_SOLVES = 256, MAX_LITERALS = 8 };

/* Where a term is undefined neither a literal nor its opposite holds. */
static bool is_defined(const ob_dims *dims, const ob_literal *literal) {
    const ob_term *p = ob__term(dims, literal->p), *q = ob__term(dims, literal->q);
    return !(p && p->partial) && !(q && q->partial);
}

static ob_status as_given(const ob_work_clause *clause, ob_arena *arena, ob_clause *out) {
    ob_literal *literals = OB_ARENA_ARRAY(arena, ob_literal, clause->n);
    if (!literals) return OB_E_MEMORY;
    for (uint32_t i = 0; i < clause->n; i++) literals[i] = clause->literals[i].literal;
    *out = (ob_clause){.literals = literals, .n = clause->n};
    return OB_OK;
}

ob_status ob__solver_follows(ob_solver *s, const uint32_t *numbers, uint32_t n, const ob_work_literal *literals,
                             uint32_t n_literals, bool *follows) {
    ob_arena arena;
    ob_solver inner;
    *follows = false;
    if (n_literals > MAX_LITERALS || !ob__solver_spend(s, n)) return OB_OK;
    for (uint32_t i = 0; i < n_literals; i++)
        if (!is_defined(s->dims, &literals[i].literal)) return OB_OK;
    ob__arena_init(&arena, &s->arena->allocator);
    ob_clause *clauses = OB_ARENA_ARRAY(&arena, ob_clause, (size_t)n + n_literals);
    ob_literal opposites[MAX_LITERALS];
    ob_status status = clauses ? OB_OK : OB_E_MEMORY;
    bool stated = true;
    for (uint32_t i = 0; i < n && status == OB_OK; i++) status = as_given(&s->clauses[numbers[i]], &arena, &clauses[i]);
    for (uint32_t i = 0; i < n_literals && status == OB_OK; i++) {
        opposites[i] = ob__literal_opposite(s->dims, &literals[i].literal);
        clauses[n + i] = (ob_clause){.literals = &opposites[i], .n = 1};
        stated &= opposites[i].p != OB_DIM_UNKNOWN;
    }
    if (status == OB_OK && stated) {
        status = ob__solver_init(&inner, s->dims, &arena, clauses, n + n_literals, NULL, 0, s->budget);
        inner.work = s->work; /* of the same budgets */
        if (status == OB_OK) status = ob__solver_run(&inner);
        s->work = inner.work;
        *follows = status == OB_OK && inner.clashed;
    }
    return ob__arena_finish(&arena, status);
}

/* The clauses that share symbols with the first, as far as there are few; `first` itself is not among them. */
static uint32_t related(const ob_solver *s, uint32_t first, uint32_t *out) {
    uint32_t n = 0, at = first, seen[OB_SOLVE_COMPONENT_SYMBOLS * (OB_SOLVE_COMPONENT + 1)], n_seen = 0;
    for (uint32_t done = 0;; at = out[done++]) {
        const ob_work_clause *clause = &s->clauses[at];
        for (uint32_t i = 0; i < clause->n_symbols; i++) {
            uint32_t walked = 0, k = 0;
            while (k < n_seen && seen[k] != clause->symbols[i]) k++;
            if (k < n_seen) continue;
            seen[n_seen++] = clause->symbols[i];
            for (const ob_link *link = s->facts[clause->symbols[i]].occurrences;
                 link && n < OB_SOLVE_COMPONENT && walked++ < 16 * OB_SOLVE_COMPONENT; link = link->next) {
                bool known = s->clauses[link->number].dropped || link->number == first ||
                             s->clauses[link->number].n_symbols > OB_SOLVE_COMPONENT_SYMBOLS;
                for (uint32_t j = 0; j < n && !known; j++) known = out[j] == link->number;
                if (!known) out[n++] = link->number;
            }
        }
        if (done == n || n == OB_SOLVE_COMPONENT) return n;
    }
}

static bool is_tried(const ob_work_clause *clause) {
    return !clause->dropped && !clause->assumed && !clause->defines && clause->n_symbols >= 2 &&
           clause->n_symbols <= OB_SOLVE_COMPONENT_SYMBOLS;
}

/* Drops literals that hold nowhere together with the clauses around: the rest of the clause follows from these and the
 * clause. */
static ob_status drop_literals(ob_solver *s, uint32_t number, uint32_t *solves) {
    const ob_work_clause clause = s->clauses[number];
    ob_work_literal literals[MAX_LITERALS];
    uint32_t numbers[OB_SOLVE_COMPONENT + 1], n_related = related(s, number, numbers), n = clause.n, made;
    if (n_related == 0 || n < 2 || n > MAX_LITERALS) return OB_OK;
    numbers[n_related] = number;
    memcpy(literals, clause.literals, n * sizeof *literals);
    for (uint32_t i = 0; i < n && n > 1 && *solves < MAX_SOLVES && ob__solver_spend(s, 1);) {
        const ob_work_literal left_out = literals[i];
        bool follows;
        memmove(&literals[i], &literals[i + 1], (n - 1 - i) * sizeof *literals);
        ++*solves;
        OB_TRY(ob__solver_follows(s, numbers, n_related + 1, literals, n - 1, &follows));
        if (follows) {
            n--;
            continue;
        }
        memmove(&literals[i + 1], &literals[i], (n - 1 - i) * sizeof *literals);
        literals[i++] = left_out;
    }
    if (n == clause.n) return OB_OK;
    s->clauses[number].dropped = true;
    return ob__solver_insert(s, literals, n, clause.reason, clause.origins, false, true, &made);
}

static ob_status drop_clauses(ob_solver *s) {
    uint32_t solves = 0;
    for (uint32_t i = s->n_clauses;
         i-- > 0 && solves < MAX_SOLVES && ob__solver_spend(s, 1);) { /* the derived ones, which come last, first */
        const ob_work_clause *clause = &s->clauses[i];
        uint32_t numbers[OB_SOLVE_COMPONENT], n;
        bool follows;
        if (!is_tried(clause)) continue;
        n = related(s, i, numbers);
        if (n == 0) continue;
        solves++;
        OB_TRY(ob__solver_follows(s, numbers, n, clause->literals, clause->n, &follows));
        if (follows) s->clauses[i].dropped = true;
    }
    return OB_OK;
}

ob_status ob__solver_drop_redundant(ob_solver *s) {
    uint32_t solves = 0, n = s->n_clauses;
    OB_TRY(drop_clauses(s));
    for (uint32_t i = 0; i < n && solves < MAX_SOLVES && ob__solver_spend(s, 1); i++)
        if (is_tried(&s->clauses[i])) OB_TRY(drop_literals(s, i, &solves));
    return s->n_clauses > n ? drop_clauses(s) : OB_OK; /* a shorter clause is stronger */
}
