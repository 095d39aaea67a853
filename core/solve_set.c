/* The set of one symbol's sizes: worked out exactly, and put into few words. */
#include <string.h>

#include "core/error.h"
#include "core/scratch.h"
#include "core/solving.h"

enum { MAX_LISTED = 8, MAX_ARCS = 4, ENUMERATED = 1 << 14 };

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

/* From there on only the period counts, or nothing is in it. */
static int64_t end_of_head(const ob_set *set) {
    return set->base + set->n_explicit > set->lo ? set->base + set->n_explicit : set->lo;
}

void ob__set_ends(const ob_set *set, int64_t *least, int64_t *greatest) {
    int64_t head = end_of_head(set);
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

/* ---- Words for it ---- */

static bool put(ob_set_form *form, uint32_t clause, ob_literal_kind kind, ob_dim p, ob_dim q) {
    if (clause >= OB_SOLVE_SPLIT || form->clauses[clause].n == OB_SOLVE_SPLIT || p == OB_DIM_UNKNOWN) return false;
    if (clause >= form->n) form->n = clause + 1;
    form->clauses[clause].literals[form->clauses[clause].n++] = (ob_literal){kind, p, q};
    return true;
}

/* least <= x <= greatest; OB_INFINITE: no end. */
static bool put_range(ob_dims *dims, ob_set_form *form, ob_dim x, int64_t least, int64_t greatest, bool apart) {
    ob_dim low = ob_dim_sub(dims, x, least), high = greatest == OB_INFINITE ? 0 : ob_dim_sub(dims, greatest, x);
    if (least > 0 && greatest != OB_INFINITE && !apart)
        return put(form, form->n, OB_LITERAL_NONNEGATIVE, ob_dim_min(dims, low, high), 0);
    if (least > 0 && !put(form, form->n, OB_LITERAL_NONNEGATIVE, low, 0)) return false;
    return greatest == OB_INFINITE || put(form, form->n, OB_LITERAL_NONNEGATIVE, high, 0);
}

typedef struct residues {
    const uint8_t *bits; /* by x modulo period */
    uint32_t period, n;
} residues;

/* The smallest period of what holds from some size on. */
static bool tail_of(const ob_set *set, ob_arena *arena, residues *out) {
    uint32_t period = set->period;
    uint8_t *bits = OB_ARENA_ARRAY(arena, uint8_t, period);
    if (!bits) return false;
    for (uint32_t i = 0; i < period; i++) bits[(set->base + set->n_explicit + i) % period] = set->bits[set->n_explicit + i];
    for (uint32_t smaller = 1; smaller <= period / 2; smaller++) {
        if (period % smaller != 0) continue;
        uint32_t i = 0;
        while (i + smaller < period && bits[i] == bits[i + smaller]) i++;
        if (i + smaller == period) {
            period = smaller;
            break;
        }
    }
    *out = (residues){bits, period, 0};
    for (uint32_t i = 0; i < period; i++) out->n += bits[i];
    return true;
}

static bool put_residue(ob_dims *dims, ob_set_form *form, uint32_t clause, ob_dim x, uint32_t residue, uint32_t period, bool is) {
    ob_dim p = ob_dim_add(dims, x, (period - residue) % period);
    if (!is && period == 2)
        return put(form, clause, OB_LITERAL_DIVIDES, ob_dim_add(dims, x, 1 - (int64_t)(period - residue) % period), 2);
    return put(form, clause, is ? OB_LITERAL_DIVIDES : OB_LITERAL_NOT_DIVIDES, p, period);
}

/* (x - start) % period <= n - 1 */
static bool put_arc(ob_dims *dims, ob_set_form *form, uint32_t clause, ob_dim x, uint32_t start, uint32_t n, uint32_t period) {
    ob_dim shifted = ob_dim_add(dims, x, (period - start) % period),
           rest = ob_dim_sub(dims, shifted, ob_dim_mul(dims, period, ob_dim_div(dims, shifted, period)));
    return put(form, clause, OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, (int64_t)n - 1, rest), 0);
}

/* x modulo the period is one of these; literals of one clause, so that exceptions can join them. *several: more than one clause.
 */
static bool put_residues(ob_dims *dims, ob_set_form *form, ob_dim x, const residues *r, bool *several) {
    uint32_t clause = form->n, n_arcs = 0, start[MAX_ARCS], length[MAX_ARCS], missing = r->period - r->n;
    *several = false;
    for (uint32_t i = 0; i < r->period; i++) {
        if (!r->bits[i] || r->bits[(i + r->period - 1) % r->period]) continue;
        if (n_arcs < MAX_ARCS) {
            start[n_arcs] = i;
            for (length[n_arcs] = 1; r->bits[(i + length[n_arcs]) % r->period];) length[n_arcs]++;
        }
        n_arcs++;
    }
    if (r->n == 1 || (r->n <= MAX_LISTED && n_arcs > 1) || (r->n == 2 && r->period > 3)) {
        for (uint32_t i = 0; i < r->period; i++)
            if (r->bits[i] && !put_residue(dims, form, clause, x, i, r->period, true)) return false;
        return true;
    }
    if (missing == 1 || (missing <= 4 && n_arcs > 1)) {
        *several = missing > 1;
        for (uint32_t i = 0; i < r->period; i++)
            if (!r->bits[i] && !put_residue(dims, form, *several ? form->n : clause, x, i, r->period, false)) return false;
        return true;
    }
    if (n_arcs > MAX_ARCS) return false;
    for (uint32_t i = 0; i < n_arcs; i++)
        if (!put_arc(dims, form, clause, x, start[i], length[i], r->period)) return false;
    return true;
}

/* A few sizes, or a progression. */
static bool finite_form(ob_dims *dims, ob_dim x, const ob_set *set, int64_t least, int64_t greatest, bool apart,
                        ob_set_form *out) {
    int64_t n = 0, step = 0, last = least;
    for (int64_t value = least; value <= greatest && n <= ENUMERATED; value++) {
        if (!ob__set_has(set, value)) continue;
        n++;
        if (n == 2) step = value - last;
        if (n > 2 && value - last != step) step = 0;
        last = value;
    }
    if (n > ENUMERATED) return false;
    if (n > 1 && step == 1 && n > 2) return put_range(dims, out, x, least, greatest, apart);
    if (n <= MAX_LISTED) {
        for (int64_t value = least; value <= greatest; value++)
            if (ob__set_has(set, value) && !put(out, 0, OB_LITERAL_ZERO, ob_dim_sub(dims, x, value), 0)) return false;
        return true;
    }
    if (step < 2 || step > OB_SOLVE_PERIOD) return false;
    return put_range(dims, out, x, least, greatest, apart) &&
           put_residue(dims, out, out->n, x, (uint32_t)(least % step), (uint32_t)step, true);
}

/* What a periodic pattern from `start` on and exceptions before it amount to. */
static bool general_form(ob_dims *dims, ob_dim x, const ob_set *set, const residues *r, bool apart, ob_set_form *out) {
    int64_t least, greatest, start = end_of_head(set), exceptions[MAX_LISTED], n_exceptions = 0;
    ob__set_ends(set, &least, &greatest);
    if (start > set->hi) return false;
    while (start > set->lo && ob__set_has(set, start - 1) == (r->bits[(start - 1) % r->period] != 0)) start--;
    if (start == set->lo) /* below it nothing is in the set: as if the pattern went on, for as long as it has no members there */
        while (start > 0 && !r->bits[(start - 1) % r->period]) start--;
    /* Is there a size below it that would fit the pattern and is not in the set? */
    bool open = true;
    for (int64_t value = set->lo > r->period ? set->lo - r->period : 0; value < start && open; value++)
        open = !r->bits[value % r->period] || ob__set_has(set, value);
    for (int64_t value = least; value < start; value++) {
        if (!ob__set_has(set, value) || (open && r->bits[value % r->period])) continue;
        if (n_exceptions == MAX_LISTED) return false;
        exceptions[n_exceptions++] = value;
    }
    bool several = false;
    if (!open) { /* the least that fits the pattern reads best */
        int64_t shown = start;
        while (shown <= greatest && !ob__set_has(set, shown)) shown++;
        if (shown > greatest) return false;
        if (!put(out, out->n, OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, x, shown), 0)) return false;
    }
    uint32_t first = out->n;
    if (r->n < r->period && !put_residues(dims, out, x, r, &several)) return false;
    for (uint32_t i = 0; i < out->n; i++)
        for (int64_t k = 0; k < n_exceptions; k++)
            if ((i < first || !r->bits[exceptions[k] % r->period]) &&
                !put(out, i, OB_LITERAL_ZERO, ob_dim_sub(dims, x, exceptions[k]), 0))
                return false;
    if (greatest == OB_INFINITE) return true;
    if (n_exceptions == 0 && first == 1 && !apart) { /* both ends in one */
        ob_literal *low = &out->clauses[0].literals[0];
        low->p = ob_dim_min(dims, low->p, ob_dim_sub(dims, greatest, x));
        return low->p != OB_DIM_UNKNOWN;
    }
    return put(out, out->n, OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, greatest, x), 0);
}

/* A range with a few holes. */
static bool range_with_holes(ob_dims *dims, ob_dim x, const ob_set *set, bool apart, ob_set_form *out) {
    int64_t least, greatest;
    ob__set_ends(set, &least, &greatest);
    if (!put_range(dims, out, x, least, greatest, apart)) return false;
    int64_t end = end_of_head(set), n = 0;
    if (end > greatest) end = greatest;
    for (int64_t value = least; value < end; value++) {
        if (ob__set_has(set, value)) continue;
        if (n++ == MAX_LISTED || !put(out, out->n, OB_LITERAL_NONZERO, ob_dim_sub(dims, x, value), 0)) return false;
    }
    return true;
}

bool ob__set_form(ob_dims *dims, ob_dim x, const ob_set *set, bool apart, ob_arena *arena, ob_set_form *out) {
    int64_t least, greatest;
    residues r;
    ob__set_ends(set, &least, &greatest);
    out->n = 0;
    memset(out->clauses, 0, sizeof out->clauses);
    if (least < 0) return true;
    if (!tail_of(set, arena, &r)) return false;
    bool found =
        greatest != OB_INFINITE && greatest - least <= OB_SOLVE_POINTS && finite_form(dims, x, set, least, greatest, apart, out);
    for (int form = 0; form < 2 && !found; form++) {
        out->n = 0;
        memset(out->clauses, 0, sizeof out->clauses);
        found = form == 0 ? r.n > 0 && general_form(dims, x, set, &r, apart, out)
                          : (r.n == r.period || greatest != OB_INFINITE) && range_with_holes(dims, x, set, apart, out);
    }
    return found;
}
