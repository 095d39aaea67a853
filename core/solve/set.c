/* Computes the exact set of one symbol's sizes. form.c writes it in a short form. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

enum { ENUMERATED = 1 << 14 };

/* ---- Working it out ---- */

/* The clauses of a set. `sizes`: of all literals in their order, or NULL where each is to be evaluated. */
typedef struct conjunction {
    ob_work_clause *const *clauses;
    uint32_t n, n_literals;
    ob_literal_sizes **sizes;
} conjunction;

static ob_truth all_at(ob_solver *s, ob_dim x, const conjunction *all, int64_t value) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        const ob_work_clause *clause = all->clauses[i];
        ob_truth any = OB_FALSE;
        for (uint32_t k = 0; k < clause->n && any != OB_TRUE; k++) {
            ob_truth one = ob__sizes_at(s, x, &clause->literals[k].literal, all->sizes ? all->sizes[at + k] : NULL, value);
            if (one != OB_FALSE) any = one;
        }
        if (any != OB_TRUE) return any;
        at += clause->n;
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

static bool common_period(const ob_dims *dims, ob_dim x, const conjunction *all, int64_t *out) {
    *out = 1;
    for (uint32_t i = 0; i < all->n; i++)
        for (uint32_t k = 0; k < all->clauses[i]->n; k++) {
            int64_t one = ob__literal_period(dims, x, &all->clauses[i]->literals[k].literal);
            if (one == 0) return false;
            *out = *out / ob__gcd(*out, one) * one;
            if (*out > OB_SOLVE_PERIOD) return false;
        }
    return true;
}

/* False: too much work, or an unknown set. */
static bool fill(ob_solver *s, ob_dim x, const conjunction *all, ob_set *set) {
    uint32_t n = set->n_explicit + (all->sizes ? set->period : 0);
    for (uint32_t i = 0; i < n; i++) {
        int64_t value = set->base + i;
        bool outside = i < set->n_explicit && (value < set->lo || value > set->hi);
        ob_truth truth = outside ? OB_FALSE : all_at(s, x, all, value);
        if (truth == OB_UNDECIDED || s->work > OB_SOLVE_WORK) return false;
        set->bits[i] = truth == OB_TRUE;
    }
    return true;
}

static ob_status by_classes(ob_solver *s, ob_dim x, conjunction *all, ob_arena *arena, ob_set *set, bool *known) {
    int64_t period, threshold = 0;
    *known = false;
    if (!common_period(s->dims, x, all, &period)) return OB_OK;
    ob_literal_sizes **sizes = OB_ARENA_ARRAY(arena, ob_literal_sizes *, (size_t)all->n_literals + 1);
    if (!sizes) return OB_E_MEMORY;
    for (uint32_t i = 0, at = 0; i < all->n; i++)
        for (uint32_t k = 0; k < all->clauses[i]->n; k++, at++) {
            OB_TRY(ob__literal_sizes(s, x, &all->clauses[i]->literals[k].literal, period, arena, &sizes[at]));
            if (!sizes[at]) return OB_OK;
            if (sizes[at]->threshold > threshold) threshold = sizes[at]->threshold;
        }
    threshold = ob__round_up(threshold, period); /* the tail starts with class 0 */
    if (threshold + period > OB_SOLVE_POINTS) return OB_OK;
    set->base = 0;
    set->n_explicit = (uint32_t)threshold;
    set->period = (uint32_t)period;
    set->bits = OB_ARENA_ARRAY(arena, uint8_t, (size_t)(threshold + period));
    if (!set->bits) return OB_E_MEMORY;
    all->sizes = sizes;
    *known = fill(s, x, all, set);
    all->sizes = NULL;
    return OB_OK;
}

static ob_status by_enumeration(ob_solver *s, ob_dim x, const conjunction *all, ob_arena *arena, ob_set *set, bool *known) {
    *known = false;
    if (set->hi == OB_INFINITE || set->hi - set->lo >= ENUMERATED) return OB_OK;
    set->base = set->lo;
    set->n_explicit = set->hi < set->lo ? 0 : (uint32_t)(set->hi - set->lo + 1);
    set->period = 1;
    set->bits = OB_ARENA_ARRAY(arena, uint8_t, (size_t)set->n_explicit + 1);
    if (!set->bits) return OB_E_MEMORY;
    *known = fill(s, x, all, set);
    return OB_OK;
}

ob_status ob__set_of(ob_solver *s, ob_dim x, ob_work_clause *const *clauses, uint32_t n, ob_arena *arena, ob_set *out,
                     bool *known) {
    ob_work_clause **others = OB_ARENA_ARRAY(arena, ob_work_clause *, n);
    conjunction all = {.clauses = others};
    uint64_t before = s->work;
    if (!others) return OB_E_MEMORY;
    *out = (ob_set){.hi = OB_INFINITE, .period = 1};
    for (uint32_t i = 0; i < n; i++) {
        if (is_bound(s->dims, clauses[i], &out->lo, &out->hi)) continue;
        others[all.n++] = clauses[i];
        all.n_literals += clauses[i]->n;
    }
    OB_TRY(by_classes(s, x, &all, arena, out, known));
    if (!*known) OB_TRY(by_enumeration(s, x, &all, arena, out, known));
    ob__solver_spend(s, (s->work - before + out->n_explicit + out->period) / OB_SOLVE_WORK_STEP);
    return OB_OK;
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
