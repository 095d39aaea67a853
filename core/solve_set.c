/* The set of one symbol's sizes, worked out exactly. solve_form.c puts it into few words. */
#include <string.h>

#include "core/error.h"
#include "core/scratch.h"
#include "core/solving.h"

enum { ENUMERATED = 1 << 14 };

/* ---- Working it out ---- */

static ob_truth clause_at(ob_solver *s, ob_dim x, const ob_work_clause *clause, int64_t value) {
    const ob_binding binding = {x, value};
    ob_truth any = OB_FALSE;
    for (uint32_t i = 0; i < clause->n; i++) {
        s->work += ob__eval_cost(s, &clause->literals[i].literal);
        ob_truth one = ob__clause_eval(s->dims, &clause->literals[i].literal, 1, &binding, 1);
        if (one == OB_TRUE) return OB_TRUE;
        if (one == OB_UNDECIDED) any = OB_UNDECIDED;
    }
    return any;
}

static ob_truth all_at(ob_solver *s, ob_dim x, ob_work_clause *const *clauses, uint32_t n, int64_t value) {
    for (uint32_t i = 0; i < n; i++) {
        ob_truth one = clause_at(s, x, clauses[i], value);
        if (one != OB_TRUE) return one;
    }
    return OB_TRUE;
}

/* x >= k, x <= k, which no period or threshold is needed for. */
static bool is_bound(const ob_dims *dims, const ob_work_clause *clause, int64_t *lo, int64_t *hi) {
    OB_POLYS(dims, p, 1);
    if (!p) return false;
    if (clause->n != 1 || clause->literals[0].literal.kind != OB_LITERAL_NONNEGATIVE ||
        !ob__poly_load(dims, clause->literals[0].literal.p, p) || p->n != 1 || p->monomials[0].n_factors != 1 ||
        ob_dim_get_kind(dims, p->monomials[0].factors[0]) != OB_DIM_KIND_SYMBOL)
        return false;
    int64_t coefficient = p->monomials[0].coefficient, least = 0, most = OB_INFINITE;
    if (coefficient > 0)
        least = -ob__floor_div(p->constant, coefficient);
    else
        most = ob__floor_div(p->constant, -coefficient);
    if (least > *lo) *lo = least;
    if (most < *hi) *hi = most;
    return true;
}

/* The answer of every clause on the class, and from which x on it is that. */
static bool class_holds(ob_solver *s, ob_dim x, ob_work_clause *const *clauses, uint32_t n, int64_t first, int64_t period,
                        int64_t *from, bool *holds) {
    *holds = true;
    for (uint32_t i = 0; i < n; i++) {
        bool any = false;
        for (uint32_t k = 0; k < clauses[i]->n; k++) {
            ob_class_verdict verdict;
            s->work += 2 * ob__eval_cost(s, &clauses[i]->literals[k].literal);
            if (!ob__literal_on_class(s->dims, x, &clauses[i]->literals[k].literal, first, period, &verdict)) return false;
            any |= verdict.holds;
            if (verdict.from > *from) *from = verdict.from;
        }
        *holds &= any;
    }
    return true;
}

static bool common_period(const ob_dims *dims, ob_dim x, ob_work_clause *const *clauses, uint32_t n, int64_t *out) {
    *out = 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < clauses[i]->n; k++) {
            int64_t one = ob__literal_period(dims, x, &clauses[i]->literals[k].literal);
            if (one == 0) return false;
            *out = *out / ob__gcd(*out, one) * one;
            if (*out > OB_SOLVE_PERIOD) return false;
        }
    return true;
}

static bool fill(ob_solver *s, ob_dim x, ob_work_clause *const *clauses, uint32_t n, ob_set *set) {
    for (uint32_t i = 0; i < set->n_explicit; i++) {
        int64_t value = set->base + i;
        ob_truth truth = value < set->lo || value > set->hi ? OB_FALSE : all_at(s, x, clauses, n, value);
        if (truth == OB_UNDECIDED || s->work > OB_SOLVE_WORK) return false;
        set->bits[i] = truth == OB_TRUE;
    }
    return true;
}

static ob_status by_classes(ob_solver *s, ob_dim x, ob_work_clause *const *clauses, uint32_t n, ob_arena *arena, ob_set *set,
                            bool *known) {
    int64_t period, from = 0;
    *known = false;
    if (!common_period(s->dims, x, clauses, n, &period)) return OB_OK;
    uint8_t *tail = OB_ARENA_ARRAY(arena, uint8_t, (size_t)period);
    if (!tail) return OB_E_MEMORY;
    for (int64_t r = 0; r < period; r++) {
        bool holds;
        if (!class_holds(s, x, clauses, n, r, period, &from, &holds) || s->work > OB_SOLVE_WORK) return OB_OK;
        tail[r] = holds;
    }
    if (from > OB_SOLVE_POINTS / period) return OB_OK;
    int64_t threshold = from * period; /* a multiple of the period: the tail starts with class 0 */
    if (threshold + period > OB_SOLVE_POINTS) return OB_OK;
    set->base = 0;
    set->n_explicit = (uint32_t)threshold;
    set->period = (uint32_t)period;
    set->bits = OB_ARENA_ARRAY(arena, uint8_t, (size_t)(threshold + period));
    if (!set->bits) return OB_E_MEMORY;
    memcpy(set->bits + threshold, tail, (size_t)period);
    *known = fill(s, x, clauses, n, set);
    return OB_OK;
}

static ob_status by_enumeration(ob_solver *s, ob_dim x, ob_work_clause *const *clauses, uint32_t n, ob_arena *arena, ob_set *set,
                                bool *known) {
    *known = false;
    if (set->hi == OB_INFINITE || set->hi - set->lo >= ENUMERATED) return OB_OK;
    set->base = set->lo;
    set->n_explicit = set->hi < set->lo ? 0 : (uint32_t)(set->hi - set->lo + 1);
    set->period = 1;
    set->bits = OB_ARENA_ARRAY(arena, uint8_t, (size_t)set->n_explicit + 1);
    if (!set->bits) return OB_E_MEMORY;
    *known = fill(s, x, clauses, n, set);
    return OB_OK;
}

ob_status ob__set_of(ob_solver *s, ob_dim x, ob_work_clause *const *clauses, uint32_t n, ob_arena *arena, ob_set *out,
                     bool *known) {
    ob_work_clause **others = OB_ARENA_ARRAY(arena, ob_work_clause *, n);
    uint32_t n_others = 0;
    if (!others) return OB_E_MEMORY;
    *out = (ob_set){.hi = OB_INFINITE, .period = 1};
    for (uint32_t i = 0; i < n; i++)
        if (!is_bound(s->dims, clauses[i], &out->lo, &out->hi)) others[n_others++] = clauses[i];
    OB_TRY(by_classes(s, x, others, n_others, arena, out, known));
    return *known ? OB_OK : by_enumeration(s, x, others, n_others, arena, out, known);
}

/* ---- Looking at it ---- */

void ob__set_ends(const ob_set *set, int64_t *least, int64_t *greatest) {
    int64_t head = ob__set_head(set);
    *least = *greatest = -1;
    for (int64_t x = set->lo; x < head + set->period && x <= set->hi; x++) {
        if (!ob__set_has(set, x)) continue;
        *least = x;
        break;
    }
    if (*least < 0) return;
    if (set->hi == OB_INFINITE) {
        for (uint32_t i = 0; i < set->period; i++)
            if (ob__set_has(set, head + i)) *greatest = OB_INFINITE;
        for (int64_t x = head; *greatest < 0; x--)
            if (ob__set_has(set, x)) *greatest = x;
        return;
    }
    int64_t last = set->hi;
    if (last > head + set->period) { /* the last full period, or else the head */
        for (uint32_t i = 0; i < set->period && *greatest < 0; i++)
            if (ob__set_has(set, last - i)) *greatest = last - i;
        last = head;
    }
    for (int64_t x = last; *greatest < 0; x--)
        if (ob__set_has(set, x)) *greatest = x;
}
