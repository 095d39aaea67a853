/* Decides literals by facts about their symbols: intervals and congruences. */
#include <string.h>

#include "core/base/integers.h"
#include "core/dims/scratch.h"
#include "core/solve/solver.h"

const ob_symbol_fact *ob__solve_fact(const ob_solver *s, ob_dim symbol) {
    if (!s) return NULL;
    const ob_map_entry *entry = ob__map_find(&s->index, (const char *)&symbol, sizeof symbol);
    return entry ? &s->facts[(uintptr_t)entry->value - 1] : NULL;
}

/* ---- Intervals ---- */

static void range_of(const void *context, ob_dim symbol, int64_t *lowest, int64_t *highest) {
    const ob_symbol_fact *fact = ob__solve_fact(context, symbol);
    if (!fact) return;
    *lowest = fact->lo;
    *highest = fact->hi;
}

ob_interval ob__solve_bounds(const ob_solver *s, const ob_dims *dims, ob_dim d) {
    const ob_size_ranges facts = {range_of, s, s ? &s->budget->steps : NULL};
    ob_interval out;
    ob__dim_bounds(dims, d, s ? &facts : NULL, &out.lo, &out.hi);
    return out;
}

ob_interval ob__solve_poly_bounds(const ob_solver *s, const ob_dims *dims, const ob_poly *poly) {
    const ob_size_ranges facts = {range_of, s, s ? &s->budget->steps : NULL};
    ob_interval out;
    ob__poly_bounds(dims, poly, s ? &facts : NULL, &out.lo, &out.hi);
    return out;
}

ob_interval ob__blind_poly_bounds(ob_solve_budget *budget, const ob_dims *dims, const ob_poly *poly) {
    const ob_size_ranges any = {NULL, NULL, &budget->steps};
    ob_interval out;
    ob__poly_bounds(dims, poly, &any, &out.lo, &out.hi);
    return out;
}

/* ---- Congruences ---- */

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
        *mod = ob__gcd(*mod, step);
    }
    return true;
}

static ob_truth decide_divides(const ob_solver *s, const ob_dims *dims, const ob_literal *literal) {
    OB_POLYS(dims, p, 1);
    if (!p) return OB_UNDECIDED;
    if (!ob_dim_is_const(literal->q)) {
        ob_interval q = ob__solve_bounds(s, dims, literal->q);
        return q.hi < 1 ? OB_FALSE : literal->p == 0 && q.lo >= 1 ? OB_TRUE : OB_UNDECIDED;
    }
    if (literal->q <= 0) return OB_FALSE;
    int64_t mod, rem;
    if (literal->q == 1) return OB_TRUE;
    if (!ob__poly_load(dims, literal->p, p) || !residue(s, p, literal->q, &mod, &rem)) return OB_UNDECIDED;
    if (rem % mod != 0) return OB_FALSE;
    if (mod == literal->q) return OB_TRUE;
    ob_interval bounds = ob__solve_poly_bounds(s, dims, p); /* one number, or none of the multiples */
    if (bounds.lo == -OB_INFINITE || bounds.hi == OB_INFINITE) return OB_UNDECIDED;
    if (ob__floor_div(bounds.hi, literal->q) < -ob__floor_div(-bounds.lo, literal->q)) return OB_FALSE;
    return bounds.lo == bounds.hi ? OB_TRUE : OB_UNDECIDED;
}

static ob_truth decide_zero(const ob_solver *s, const ob_dims *dims, ob_dim d) {
    if (ob_dim_is_const(d)) return d == 0 ? OB_TRUE : OB_FALSE;
    OB_POLYS(dims, poly, 1);
    if (!poly) return OB_UNDECIDED;
    int64_t mod, rem;
    if (!ob__poly_load(dims, d, poly)) return OB_UNDECIDED;
    ob_interval bounds = ob__solve_poly_bounds(s, dims, poly);
    if (bounds.lo > 0 || bounds.hi < 0) return OB_FALSE;
    if (bounds.lo == 0 && bounds.hi == 0) return OB_TRUE;
    return residue(s, poly, 0, &mod, &rem) && mod != 0 && rem % mod != 0 ? OB_FALSE : OB_UNDECIDED;
}

ob_truth ob__literal_decide(const ob_solver *s, ob_dims *dims, const ob_literal *literal) {
    static const ob_truth opposite[] = {[OB_FALSE] = OB_TRUE, [OB_TRUE] = OB_FALSE, [OB_UNDECIDED] = OB_UNDECIDED};
    switch (literal->kind) {
    case OB_LITERAL_ZERO: return decide_zero(s, dims, literal->p);
    case OB_LITERAL_NONZERO: return opposite[decide_zero(s, dims, literal->p)];
    case OB_LITERAL_NONNEGATIVE: {
        OB_POLYS(dims, poly, 1);
        if (!poly) return OB_UNDECIDED;
        if (!ob__poly_load(dims, literal->p, poly)) return OB_UNDECIDED;
        ob_interval bounds = ob__solve_poly_bounds(s, dims, poly);
        return bounds.lo >= 0 ? OB_TRUE : bounds.hi < 0 ? OB_FALSE : OB_UNDECIDED;
    }
    case OB_LITERAL_DIVIDES: return decide_divides(s, dims, literal);
    case OB_LITERAL_NOT_DIVIDES: return opposite[decide_divides(s, dims, literal)];
    }
    return OB_UNDECIDED;
}

/* ---- Literals of one term ---- */

/* p = sign * t + constant, with t by its words without the constant; `lone`: p is not a sum. */
typedef struct shifted {
    const int64_t *words;
    uint32_t n;
    int64_t constant, lone[3];
} shifted;

static bool shifted_of(const ob_dims *dims, ob_dim p, shifted *out) {
    const ob_term *term = ob__term(dims, p);
    if (!term) return false;
    if (term->kind == OB_DIM_KIND_SUM) {
        out->words = term->words + 1;
        out->n = term->n_words - 1;
        out->constant = term->words[0];
        return true;
    }
    out->lone[0] = out->lone[1] = 1;
    out->lone[2] = p;
    out->words = out->lone;
    out->n = 3;
    out->constant = 0;
    return true;
}

/* Is b's term a's, times *sign? */
static bool same_term(const shifted *a, const shifted *b, int64_t *sign) {
    if (a->n != b->n) return false;
    *sign = a->words[0] == b->words[0] ? 1 : -1;
    for (uint32_t i = 0; i < a->n;) {
        uint32_t n_factors = (uint32_t)a->words[i + 1];
        if (b->words[i] != *sign * a->words[i] || b->words[i + 1] != a->words[i + 1] ||
            memcmp(&a->words[i + 2], &b->words[i + 2], n_factors * sizeof *a->words) != 0)
            return false;
        i += 2 + n_factors;
    }
    return true;
}

static bool divides(int64_t q, int64_t number) {
    return number % q == 0;
}

static bool is_division(const ob_literal *literal) {
    return literal->kind == OB_LITERAL_DIVIDES || literal->kind == OB_LITERAL_NOT_DIVIDES;
}

/* With t = a's p: b's p is sign * (t - shift). */
static bool term_implies(const ob_literal *a, const ob_literal *b, int64_t sign, int64_t shift) {
    switch (a->kind) {
    case OB_LITERAL_ZERO: /* t = 0 */
        switch (b->kind) {
        case OB_LITERAL_ZERO: return shift == 0;
        case OB_LITERAL_NONZERO: return shift != 0;
        case OB_LITERAL_NONNEGATIVE: return sign > 0 ? shift <= 0 : shift >= 0;
        case OB_LITERAL_DIVIDES: return divides(b->q, shift);
        case OB_LITERAL_NOT_DIVIDES: return !divides(b->q, shift);
        }
        return false;
    case OB_LITERAL_NONNEGATIVE: /* t >= 0 */
        return b->kind == OB_LITERAL_NONZERO ? shift < 0 : b->kind == OB_LITERAL_NONNEGATIVE && sign > 0 && shift <= 0;
    case OB_LITERAL_DIVIDES:
        if (b->kind == OB_LITERAL_NONZERO) return !divides(a->q, shift);
        return is_division(b) && divides(b->q, a->q) && divides(b->q, shift) == (b->kind == OB_LITERAL_DIVIDES);
    case OB_LITERAL_NOT_DIVIDES:
        if (b->kind == OB_LITERAL_NONZERO) return divides(a->q, shift);
        return b->kind == OB_LITERAL_NOT_DIVIDES && divides(a->q, b->q) && divides(a->q, shift);
    default: return a->kind == b->kind && shift == 0;
    }
}

bool ob__literal_implies(const ob_dims *dims, const ob_literal *a, const ob_literal *b) {
    shifted left, right;
    int64_t sign, shift;
    if (a->kind == b->kind && a->p == b->p && a->q == b->q) return true;
    if ((is_division(a) && (!ob_dim_is_const(a->q) || a->q < 1)) || (is_division(b) && (!ob_dim_is_const(b->q) || b->q < 1)))
        return false;
    if (!shifted_of(dims, a->p, &left) || !shifted_of(dims, b->p, &right) || !same_term(&left, &right, &sign)) return false;
    /* constants are below OB_DIM_CONST_MAX, so that these do not overflow */
    shift = left.constant - sign * right.constant;
    return term_implies(a, b, sign, shift);
}

ob_literal ob__literal_opposite(ob_dims *dims, const ob_literal *literal) {
    static const ob_literal_kind kinds[] = {[OB_LITERAL_ZERO] = OB_LITERAL_NONZERO,
                                            [OB_LITERAL_NONZERO] = OB_LITERAL_ZERO,
                                            [OB_LITERAL_NONNEGATIVE] = OB_LITERAL_NONNEGATIVE,
                                            [OB_LITERAL_DIVIDES] = OB_LITERAL_NOT_DIVIDES,
                                            [OB_LITERAL_NOT_DIVIDES] = OB_LITERAL_DIVIDES};
    ob_dim p = literal->kind == OB_LITERAL_NONNEGATIVE ? ob_dim_sub(dims, -1, literal->p) : literal->p;
    return (ob_literal){kinds[literal->kind], p, literal->q};
}
