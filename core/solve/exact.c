/* Replaces the clauses on one symbol alone by the exact set of its sizes. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum { MAX_CLAUSES = 4096 };

typedef struct collected {
    uint32_t *numbers, n;
    ob_work_clause **clauses; /* the assumptions first; no longer valid once a clause was added */
    uint32_t n_assumed;
} collected;

static ob_status collect(const ob_solver *s, uint32_t fact, ob_arena *arena, collected *out) {
    uint32_t n = 0;
    *out = (collected){0};
    for (const ob_link *link = s->facts[fact].occurrences; link; link = link->next)
        n += !s->clauses[link->number].dropped && s->clauses[link->number].n_symbols == 1;
    if (n > MAX_CLAUSES) return OB_OK;
    out->numbers = OB_ARENA_ARRAY(arena, uint32_t, n);
    out->clauses = OB_ARENA_ARRAY(arena, ob_work_clause *, n);
    if (!out->numbers || !out->clauses) return OB_E_MEMORY;
    for (int assumed = 1; assumed >= 0; assumed--) { /* in the order of their making; the list has the last one first */
        uint32_t first = out->n;
        for (const ob_link *link = s->facts[fact].occurrences; link; link = link->next) {
            const ob_work_clause *clause = &s->clauses[link->number];
            if (!clause->dropped && clause->n_symbols == 1 && clause->assumed == assumed) out->numbers[out->n++] = link->number;
        }
        for (uint32_t i = first, k = out->n; i + 1 < k; i++) {
            uint32_t swapped = out->numbers[i];
            out->numbers[i] = out->numbers[--k];
            out->numbers[k] = swapped;
        }
        if (assumed) out->n_assumed = out->n;
    }
    for (uint32_t i = 0; i < out->n; i++) out->clauses[i] = &s->clauses[out->numbers[i]];
    return OB_OK;
}

static uint64_t signature(const collected *c) {
    uint64_t sum = c->n;
    for (uint32_t i = 0; i < c->n; i++) sum = sum * UINT64_C(0x9E3779B97F4A7C15) + c->numbers[i] + 1;
    return sum | 1;
}

/* ---- Testing the written form ---- */

static bool form_holds(ob_solver *s, ob_dim x, const ob_set_form *form, int64_t value, bool *holds) {
    const ob_binding binding = {x, value};
    *holds = true;
    for (uint32_t i = 0; i < form->n && *holds; i++) {
        for (uint32_t k = 0; k < form->clauses[i].n; k++) s->work += ob__eval_cost(s, &form->clauses[i].literals[k]);
        ob_truth truth = ob__clause_eval(s->dims, form->clauses[i].literals, form->clauses[i].n, &binding, 1);
        if (truth == OB_UNDECIDED) return false;
        *holds = truth == OB_TRUE;
    }
    return true;
}

static bool form_says(ob_solver *s, ob_dim x, const ob_set *set, const ob_set_form *form, int64_t first, int64_t end) {
    bool holds;
    for (int64_t value = first < 0 ? 0 : first; value <= end; value++)
        if (s->work > OB_SOLVE_WORK || !form_holds(s, x, form, value, &holds) || holds != ob__set_has(set, value)) return false;
    return true;
}

/* Evaluates the words at every size from the first that is listed up to where the period repeats, in a period above the lower
 * bound, and around the ends. If sizes are listed, one bound describes those below the list, and it may be far from 0. */
bool ob__set_form_says(ob_solver *s, ob_dim x, const ob_set *set, const ob_set_form *form) {
    int64_t period = set->period;
    return form_says(s, x, set, form, set->base, set->base + set->n_explicit + 2 * period) &&
           form_says(s, x, set, form, set->lo - 2, set->lo + 2 * period) &&
           (set->hi == OB_INFINITE || form_says(s, x, set, form, set->hi - 2, set->hi + 2));
}

/* Do the assumptions alone give that clause? Both repeat from some size on. */
static bool is_assumed(ob_solver *s, ob_dim x, const ob_set *assumptions, const ob_set *set, const ob_literal *literals,
                       uint32_t n) {
    int64_t window = assumptions->base + assumptions->n_explicit, other = set->base + set->n_explicit;
    if (other > window) window = other;
    if (set->lo > window) window = set->lo;
    if (set->hi != OB_INFINITE && set->hi > window) window = set->hi;
    if (assumptions->lo > window) window = assumptions->lo;
    window += (int64_t)set->period * assumptions->period + 2;
    if (window > OB_SOLVE_POINTS) return false;
    for (int64_t value = assumptions->lo; value <= window && value <= assumptions->hi; value++) {
        const ob_binding binding = {x, value};
        s->work += n;
        if (s->work > OB_SOLVE_WORK) return false;
        if (ob__set_has(assumptions, value) && ob__clause_eval(s->dims, literals, n, &binding, 1) != OB_TRUE) return false;
    }
    return true;
}

/* ---- Replacing ---- */

static ob_status insert_form(ob_solver *s, uint32_t fact, const collected *c, const ob_set *set, const ob_set *assumptions,
                             const ob_set_form *form, uint32_t reason) {
    uint32_t made;
    ob_link *origins = NULL, **end = &origins;
    for (uint32_t i = c->n_assumed; i < c->n; i++)
        for (const ob_link *from = c->clauses[i]->origins; from; from = from->next) {
            *end = OB_ARENA_NEW(s->arena, ob_link);
            if (!*end) return OB_E_MEMORY;
            (*end)->number = from->number;
            end = &(*end)->next;
        }
    for (uint32_t i = c->n_assumed; i < c->n; i++) c->clauses[i]->dropped = true;
    for (uint32_t i = 0; i < form->n; i++) {
        ob_work_literal literals[OB_SOLVE_SPLIT];
        for (uint32_t k = 0; k < form->clauses[i].n; k++) literals[k] = (ob_work_literal){form->clauses[i].literals[k], false};
        if (assumptions && is_assumed(s, s->facts[fact].symbol, assumptions, set, form->clauses[i].literals, form->clauses[i].n))
            continue;
        OB_TRY(ob__solver_insert(s, literals, form->clauses[i].n, reason, origins, false, true, &made));
    }
    return OB_OK;
}

/* The common residue of all members, modulo some number. */
static void common_residue(const ob_set *set, int64_t *mod, int64_t *rem) {
    int64_t least, greatest, end = set->base + set->n_explicit + 2 * (int64_t)set->period;
    ob__set_ends(set, &least, &greatest);
    if (end < least) end = least + 2 * (int64_t)set->period;
    *mod = 0;
    for (int64_t value = least; value <= end && *mod != 1; value++) {
        if (!ob__set_has(set, value)) continue;
        *mod = ob__gcd(*mod, value - least);
    }
    if (*mod < 2 || *mod > INT32_MAX) *mod = 1;
    *rem = least % *mod;
}

static ob_status replace(ob_solver *s, uint32_t fact, const collected *c, ob_arena *arena) {
    ob_dim x = s->facts[fact].symbol;
    ob_set set, assumptions;
    bool known, assumptions_known = false;
    uint32_t reason = 0;
    ob_set_form *form = OB_ARENA_NEW(arena, ob_set_form);
    if (!form) return OB_E_MEMORY;
    OB_TRY(ob__set_of(s, x, c->clauses, c->n, arena, &set, &known));
    if (!known || !ob__solver_spend(s, 0)) return OB_OK;
    for (uint32_t i = 0; i < c->n; i++) OB_TRY(ob__solver_reason(s, reason, c->clauses[i]->reason, &reason));
    int64_t least, greatest, mod, rem;
    ob__set_ends(&set, &least, &greatest);
    if (least < 0) {
        ob__solver_clash(s, reason);
        return OB_OK;
    }
    common_residue(&set, &mod, &rem);
    if (c->n_assumed > 0) OB_TRY(ob__set_of(s, x, c->clauses, c->n_assumed, arena, &assumptions, &assumptions_known));
    if (c->n_assumed < c->n && (c->n_assumed == 0 || assumptions_known) &&
        ob__set_form(s->dims, x, &set, c->n_assumed > 0, arena, form) && ob__set_form_says(s, x, &set, form))
        OB_TRY(insert_form(s, fact, c, &set, assumptions_known ? &assumptions : NULL, form, reason));
    for (uint32_t i = 0; i < c->n; i++) s->clauses[c->numbers[i]].pinned = true;
    return ob__solver_learn(s, fact, least, greatest, mod, rem, reason, c->numbers[0]);
}

/* One clause "x % c = r", in its shortest form. */
static bool is_plain(const ob_solver *s, const collected *c) {
    const ob_work_literal *literal = c->clauses[0]->literals;
    OB_POLYS(s->dims, p, 1);
    if (!p) return false;
    return c->n == 1 && c->clauses[0]->n == 1 && c->clauses[0]->pinned && literal->literal.kind == OB_LITERAL_DIVIDES &&
           ob_dim_is_const(literal->literal.q) && ob__poly_load(s->dims, literal->literal.p, p) && p->n == 1 &&
           p->monomials[0].n_factors == 1 && p->monomials[0].coefficient == 1 &&
           ob_dim_get_kind(s->dims, p->monomials[0].factors[0]) == OB_DIM_KIND_SYMBOL;
}

static ob_status exact_of(ob_solver *s, uint32_t fact) {
    ob_arena arena;
    collected c;
    ob__arena_init(&arena, &s->arena->allocator);
    ob_status status = collect(s, fact, &arena, &c);
    if (status == OB_OK && c.n > 0 && !is_plain(s, &c) && s->facts[fact].seen != signature(&c)) {
        status = replace(s, fact, &c, &arena);
        if (status == OB_OK && !s->clashed) {
            collected after;
            status = collect(s, fact, &arena, &after);
            if (status == OB_OK) s->facts[fact].seen = signature(&after);
        }
    }
    return ob__arena_finish(&arena, status);
}

ob_status ob__solver_exact(ob_solver *s) {
    for (bool again = true; again && !s->clashed && ob__solver_spend(s, 1);) {
        again = false;
        for (uint32_t i = 0; i < s->n_facts && !s->clashed; i++) {
            if (!s->facts[i].changed || s->work > OB_SOLVE_WORK) continue;
            s->facts[i].changed = false;
            if (s->facts[i].solved != OB_DIM_UNKNOWN) continue;
            OB_TRY(exact_of(s, i));
            again = true;
        }
        if (!s->clashed) OB_TRY(ob__solver_propagate(s));
    }
    return OB_OK;
}
