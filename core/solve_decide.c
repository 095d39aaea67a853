/* Deciding literals by what is known of their symbols: intervals, congruences, floors by their exact bounds. */
#include <string.h>

#include "core/error.h"
#include "core/solving.h"

enum { ELIMINATIONS = 4, SHIFTED_MONOMIALS = 16 };

const ob_symbol_fact *ob__solve_fact(const ob_solver *s, ob_dim symbol) {
    if (!s) return NULL;
    const ob_map_entry *entry = ob__map_find(&s->index, (const char *)&symbol, sizeof symbol);
    return entry ? &s->facts[(uintptr_t)entry->value - 1] : NULL;
}

/* ---- Intervals ---- */

static int64_t clamp(int64_t value) {
    return value > OB_INFINITE ? OB_INFINITE : value < -OB_INFINITE ? -OB_INFINITE : value;
}

static int64_t times(int64_t a, int64_t b) {
    int64_t product;
    if (ob__mul_overflows(a, b, &product)) return (a < 0) != (b < 0) ? -OB_INFINITE : OB_INFINITE;
    return clamp(product);
}

static ob_interval product(ob_interval a, ob_interval b) {
    const int64_t corners[4] = {times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)};
    ob_interval out = {corners[0], corners[0]};
    for (int i = 1; i < 4; i++) {
        if (corners[i] < out.lo) out.lo = corners[i];
        if (corners[i] > out.hi) out.hi = corners[i];
    }
    return out;
}

static ob_interval quotient(ob_interval a, int64_t divisor) {
    if (a.lo != -OB_INFINITE) a.lo = ob__floor_div(a.lo, divisor);
    if (a.hi != OB_INFINITE) a.hi = ob__floor_div(a.hi, divisor);
    return a;
}

/* The common size is one of the members' or 1. Without a 0 among them it is the largest. */
static ob_interval bound_bcast(const ob_solver *s, const ob_dims *dims, const int64_t *members, uint32_t n) {
    ob_interval out = {OB_INFINITE, 0};
    int64_t greatest_low = 0;
    for (uint32_t i = 0; i < n; i++) {
        ob_interval one = ob__solve_bounds(s, dims, members[i]);
        if (one.lo < out.lo) out.lo = one.lo;
        if (one.lo > greatest_low) greatest_low = one.lo;
        if (one.hi > out.hi) out.hi = one.hi;
    }
    if (out.lo >= 1) out.lo = greatest_low;
    return out;
}

static ob_interval bound_extreme(const ob_solver *s, const ob_dims *dims, const int64_t *members, uint32_t n, bool least) {
    ob_interval out = ob__solve_bounds(s, dims, members[0]);
    for (uint32_t i = 1; i < n; i++) {
        ob_interval one = ob__solve_bounds(s, dims, members[i]);
        if (least ? one.lo < out.lo : one.lo > out.lo) out.lo = one.lo;
        if (least ? one.hi < out.hi : one.hi > out.hi) out.hi = one.hi;
    }
    return out;
}

ob_interval ob__solve_bounds(const ob_solver *s, const ob_dims *dims, ob_dim d) {
    if (ob_dim_is_const(d)) return (ob_interval){d, d};
    const ob_term *term = ob__term(dims, d);
    if (!term) return (ob_interval){-OB_INFINITE, OB_INFINITE};
    const ob_symbol_fact *fact;
    ob_poly poly;
    switch ((ob_dim_kind)term->kind) {
    case OB_DIM_KIND_SYMBOL:
        fact = ob__solve_fact(s, d);
        return fact ? (ob_interval){fact->lo, fact->hi} : (ob_interval){0, OB_INFINITE};
    case OB_DIM_KIND_SUM: ob__poly_load(dims, d, &poly); return ob__solve_poly_bounds(s, dims, &poly);
    case OB_DIM_KIND_DIV: return quotient(ob__solve_bounds(s, dims, term->words[0]), term->words[1]);
    case OB_DIM_KIND_BCAST: return bound_bcast(s, dims, term->words, term->n_words);
    case OB_DIM_KIND_MIN: return bound_extreme(s, dims, term->words, term->n_words, true);
    case OB_DIM_KIND_MAX: return bound_extreme(s, dims, term->words, term->n_words, false);
    default: return (ob_interval){-OB_INFINITE, OB_INFINITE};
    }
}

static ob_interval interval_of(const ob_solver *s, const ob_dims *dims, const ob_poly *poly) {
    ob_interval sum = {poly->constant, poly->constant};
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        ob_interval part = {m->coefficient, m->coefficient};
        for (uint32_t k = 0; k < m->n_factors; k++) part = product(part, ob__solve_bounds(s, dims, m->factors[k]));
        sum.lo = sum.lo == -OB_INFINITE || part.lo == -OB_INFINITE ? -OB_INFINITE : clamp(sum.lo + part.lo);
        sum.hi = sum.hi == OB_INFINITE || part.hi == OB_INFINITE ? OB_INFINITE : clamp(sum.hi + part.hi);
    }
    return sum;
}

/* ---- Better lower bounds ---- */

/* Every factor f as f' + its lower bound, f' >= 0: without negative coefficients the constant is a lower bound. */
static int64_t shifted_low(const ob_solver *s, const ob_dims *dims, const ob_poly *poly) {
    bool shifts = false, bends = false;
    for (uint32_t i = 0; i < poly->n; i++) {
        bends |= poly->monomials[i].n_factors > 1;
        for (uint32_t k = 0; k < poly->monomials[i].n_factors; k++) {
            int64_t low = ob__solve_bounds(s, dims, poly->monomials[i].factors[k]).lo;
            if (low < 0) return -OB_INFINITE;
            shifts |= low > 0;
        }
    }
    if (!shifts || !bends || poly->n > SHIFTED_MONOMIALS) return -OB_INFINITE;
    ob_poly sum = {.constant = poly->constant}, part, factor, next;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        part = (ob_poly){.constant = m->coefficient};
        for (uint32_t k = 0; k < m->n_factors; k++) {
            factor.constant = ob__solve_bounds(s, dims, m->factors[k]).lo;
            factor.n = 1;
            factor.monomials[0] = (ob_monomial){.coefficient = 1, .n_factors = 1};
            factor.monomials[0].factors[0] = m->factors[k];
            if (!ob__poly_mul(&part, &factor, &next)) return -OB_INFINITE;
            part = next;
        }
        if (!ob__poly_add(&sum, &part, 1, &next)) return -OB_INFINITE;
        sum = next;
    }
    for (uint32_t i = 0; i < sum.n; i++)
        if (sum.monomials[i].coefficient < 0) return -OB_INFINITE;
    return sum.constant;
}

/* Of the monomials that are a multiple of one floor, the one that is nested deepest. */
static const ob_term *outermost_floor(const ob_dims *dims, const ob_poly *poly, uint32_t *at) {
    const ob_term *found = NULL;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        const ob_term *term = m->n_factors == 1 ? ob__term(dims, m->factors[0]) : NULL;
        if (!term || term->kind != OB_DIM_KIND_DIV || (found && term->depth <= found->depth)) continue;
        found = term;
        *at = i;
    }
    return found;
}

/* divisor * poly with k*floor(a/divisor) replaced by its least value: k*a for k < 0, k*(a - divisor + 1) for k > 0. */
static bool without_floor(const ob_dims *dims, const ob_poly *poly, const ob_term *floor, uint32_t at, ob_poly *out) {
    ob_poly numerator, rest = {.constant = poly->constant}, scaled = {.constant = 0};
    int64_t k = poly->monomials[at].coefficient;
    if (!ob__poly_load(dims, floor->words[0], &numerator)) return false;
    if (k > 0 && ob__add_overflows(numerator.constant, 1 - floor->words[1], &numerator.constant)) return false;
    for (uint32_t i = 0; i < poly->n; i++)
        if (i != at && !ob__poly_append(&rest, &poly->monomials[i], poly->monomials[i].coefficient)) return false;
    ob_poly zero = {.constant = 0};
    return ob__poly_add(&zero, &rest, floor->words[1], &scaled) && ob__poly_add(&scaled, &numerator, k, out);
}

static int64_t low_of(const ob_solver *s, const ob_dims *dims, const ob_poly *poly, int eliminations) {
    int64_t low = interval_of(s, dims, poly).lo, other = low >= 0 ? low : shifted_low(s, dims, poly);
    if (other > low) low = other;
    uint32_t at = 0;
    const ob_term *floor = low < 0 && eliminations > 0 ? outermost_floor(dims, poly, &at) : NULL;
    ob_poly next;
    if (!floor || !without_floor(dims, poly, floor, at, &next)) return low;
    other = low_of(s, dims, &next, eliminations - 1);
    if (other == -OB_INFINITE) return low;
    other = -ob__floor_div(-other, floor->words[1]); /* poly is whole: rounded up */
    return other > low ? other : low;
}

ob_interval ob__solve_poly_bounds(const ob_solver *s, const ob_dims *dims, const ob_poly *poly) {
    ob_interval out = interval_of(s, dims, poly);
    if (out.lo < 0) {
        int64_t low = low_of(s, dims, poly, ELIMINATIONS);
        if (low > out.lo) out.lo = low;
    }
    if (out.hi >= 0) {
        ob_poly zero = {.constant = 0}, negative;
        if (ob__poly_add(&zero, poly, -1, &negative)) {
            int64_t low = low_of(s, dims, &negative, ELIMINATIONS);
            if (low != -OB_INFINITE && -low < out.hi) out.hi = -low;
        }
    }
    return out;
}

/* ---- Congruences ---- */

static int64_t gcd_of(int64_t a, int64_t b) {
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* poly = *rem modulo *mod for all sizes; *mod 0: it is that number. */
static bool residue(const ob_solver *s, const ob_poly *poly, int64_t start, int64_t *mod, int64_t *rem) {
    *mod = start;
    *rem = poly->constant;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        const ob_symbol_fact *fact = m->n_factors == 1 ? ob__solve_fact(s, m->factors[0]) : NULL;
        int64_t step = m->coefficient, shift;
        if (fact && fact->mod > 1) {
            if (ob__mul_overflows(m->coefficient, fact->mod, &step) || ob__mul_overflows(m->coefficient, fact->rem, &shift) ||
                ob__add_overflows(*rem, shift, rem))
                return false;
        }
        *mod = gcd_of(*mod, step);
    }
    return true;
}

static ob_truth decide_divides(const ob_solver *s, const ob_dims *dims, const ob_literal *literal) {
    ob_poly p;
    if (!ob_dim_is_const(literal->q)) {
        ob_interval q = ob__solve_bounds(s, dims, literal->q);
        return q.hi < 1 ? OB_FALSE : literal->p == 0 && q.lo >= 1 ? OB_TRUE : OB_UNDECIDED;
    }
    if (literal->q <= 0) return OB_FALSE;
    int64_t mod, rem;
    if (literal->q == 1) return OB_TRUE;
    if (!ob__poly_load(dims, literal->p, &p) || !residue(s, &p, literal->q, &mod, &rem)) return OB_UNDECIDED;
    return rem % mod != 0 ? OB_FALSE : mod == literal->q ? OB_TRUE : OB_UNDECIDED;
}

static ob_truth decide_zero(const ob_solver *s, const ob_dims *dims, ob_dim d) {
    if (ob_dim_is_const(d)) return d == 0 ? OB_TRUE : OB_FALSE;
    ob_poly poly;
    int64_t mod, rem;
    if (!ob__poly_load(dims, d, &poly)) return OB_UNDECIDED;
    ob_interval bounds = ob__solve_poly_bounds(s, dims, &poly);
    if (bounds.lo > 0 || bounds.hi < 0) return OB_FALSE;
    if (bounds.lo == 0 && bounds.hi == 0) return OB_TRUE;
    return residue(s, &poly, 0, &mod, &rem) && mod != 0 && rem % mod != 0 ? OB_FALSE : OB_UNDECIDED;
}

ob_truth ob__literal_decide(const ob_solver *s, ob_dims *dims, const ob_literal *literal) {
    static const ob_truth opposite[] = {[OB_FALSE] = OB_TRUE, [OB_TRUE] = OB_FALSE, [OB_UNDECIDED] = OB_UNDECIDED};
    switch (literal->kind) {
    case OB_LITERAL_ZERO: return decide_zero(s, dims, literal->p);
    case OB_LITERAL_NONZERO: return opposite[decide_zero(s, dims, literal->p)];
    case OB_LITERAL_NONNEGATIVE: {
        ob_poly poly;
        if (!ob__poly_load(dims, literal->p, &poly)) return OB_UNDECIDED;
        ob_interval bounds = ob__solve_poly_bounds(s, dims, &poly);
        return bounds.lo >= 0 ? OB_TRUE : bounds.hi < 0 ? OB_FALSE : OB_UNDECIDED;
    }
    case OB_LITERAL_DIVIDES: return decide_divides(s, dims, literal);
    case OB_LITERAL_NOT_DIVIDES: return opposite[decide_divides(s, dims, literal)];
    }
    return OB_UNDECIDED;
}
