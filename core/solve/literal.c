/* Literals in normal form: divides by common factors, rounds constants, and resolves broadcast terms, minima, maxima, floors
 * and divisions if that is an identity on integers. */
#include <string.h>

#include "core/base/integers.h"
#include "core/dims/scratch.h"
#include "core/solve/expand.h"

enum { MAX_DIVISORS = 16, MAX_DIVIDEND = 1 << 20, MAX_STEPS = 64 };

static bool is_nonnegative(const work *w, ob_dim d) {
    return ob__solve_bounds(NULL, w->dims, d).lo >= 0;
}

/* ---- Polynomials ---- */

static void scale_down(ob_poly *p, int64_t divisor) {
    for (uint32_t i = 0; i < p->n; i++) p->monomials[i].coefficient /= divisor;
}

static void negate(ob_poly *p) {
    p->constant = -p->constant;
    for (uint32_t i = 0; i < p->n; i++) p->monomials[i].coefficient = -p->monomials[i].coefficient;
}

/* A factor of every monomial, where the constant is 0; OB_DIM_UNKNOWN: none. */
static ob_dim common_factor(const ob_poly *p) {
    if (p->constant != 0 || p->n == 0) return OB_DIM_UNKNOWN;
    const ob_monomial *first = &p->monomials[0];
    for (uint32_t f = 0; f < first->n_factors; f++) {
        bool everywhere = true;
        for (uint32_t i = 1; i < p->n && everywhere; i++) {
            const ob_monomial *m = &p->monomials[i];
            everywhere = false;
            for (uint32_t k = 0; k < m->n_factors; k++) everywhere |= m->factors[k] == first->factors[f];
        }
        if (everywhere) return first->factors[f];
    }
    return OB_DIM_UNKNOWN;
}

/* The only monomial with a term of that kind as a factor, if it is coefficient * term; otherwise NULL. */
const ob_term *ob__lone_term(const ob_dims *dims, const ob_poly *p, ob_dim_kind kind, uint32_t *at) {
    for (uint32_t i = 0; i < p->n; i++) {
        const ob_monomial *m = &p->monomials[i];
        const ob_term *term = m->n_factors == 1 ? ob__term(dims, m->factors[0]) : NULL;
        if (!term || term->kind != kind) continue;
        bool elsewhere = false;
        for (uint32_t k = 0; k < p->n; k++)
            for (uint32_t f = 0; k != i && f < p->monomials[k].n_factors; f++)
                elsewhere |= p->monomials[k].factors[f] == m->factors[0];
        if (elsewhere || term->n_words > OB_EXPAND_MEMBERS) continue;
        *at = i;
        return term;
    }
    return NULL;
}

/* p without its monomial `at`, times `factor`. */
ob_dim ob__rest_of(ob_dims *dims, const ob_poly *p, uint32_t at, int64_t factor) {
    OB_POLYS(dims, rest, 2);
    ob_poly *scaled = rest + 1;
    if (!rest) return OB_DIM_UNKNOWN;
    ob__poly_without(p, at, rest);
    return ob__poly_scale(rest, factor, scaled) ? ob__poly_store(dims, scaled) : OB_DIM_UNKNOWN;
}

/* Two members whose sum is a number: coefficient * extreme(members) + rest is *shift + |*d| or, for a minimum, *shift - |*d|,
 * of which both may be halves: then all is doubled (*d is even or odd as *shift is). */
static bool magnitude(ob_dims *dims, const ob_dim *members, uint32_t n, int64_t coefficient, ob_dim rest, ob_dim *d,
                      int64_t *shift) {
    if (n != 2) return false;
    ob_dim one = ob_dim_add(dims, ob_dim_mul(dims, coefficient, members[0]), rest),
           other = ob_dim_add(dims, ob_dim_mul(dims, coefficient, members[1]), rest), sum = ob_dim_add(dims, one, other);
    if (!ob_dim_is_const(sum)) return false;
    bool even = sum % 2 == 0;
    *shift = even ? sum / 2 : sum;
    *d = even ? ob_dim_sub(dims, one, sum / 2) : ob_dim_sub(dims, one, other);
    return *d != OB_DIM_UNKNOWN;
}

static bool has_member(const ob_dim *members, uint32_t n, ob_dim d) {
    for (uint32_t i = 0; i < n; i++)
        if (members[i] == d) return true;
    return false;
}

/* ---- p = 0 ---- */

/* bcast(members) = m */
static step bcast_is(work *w, const ob_dim *members, uint32_t n, ob_dim m) {
    for (uint32_t i = 0; i < n; i++) {
        if (members[i] == m) continue;
        if (m != 1) put(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, members[i], m), 0);
        put_alone(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, members[i], 1), 0);
    }
    if (m == 1 || has_member(members, n, m)) return expanded(w);
    put(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, m, 1), 0);
    for (uint32_t i = 0; i < n; i++) put(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, members[i], m), 0);
    end_or(w);
    return expanded(w);
}

/* min(members) = m or, turned, max(members) = m. */
static step extreme_is(work *w, const ob_dim *members, uint32_t n, ob_dim m, bool turned) {
    for (uint32_t i = 0; i < n; i++)
        if (members[i] != m)
            put_alone(w, OB_LITERAL_NONNEGATIVE, turned ? ob_dim_sub(w->dims, m, members[i]) : ob_dim_sub(w->dims, members[i], m),
                      0);
    if (has_member(members, n, m)) return expanded(w);
    for (uint32_t i = 0; i < n; i++) put(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, members[i], m), 0);
    end_or(w);
    return expanded(w);
}

/* |d| = m */
static step magnitude_is(work *w, ob_dim d, int64_t m) {
    if (m < 0) return STEP_FALSE;
    put(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, d, m), 0);
    if (m > 0) put(w, OB_LITERAL_ZERO, ob_dim_add(w->dims, d, m), 0);
    end_or(w);
    return expanded(w);
}

/* A term of a kind that an equation can resolve, alone in its monomial, with coefficient 1 or -1. */
static const ob_term *equated_term(work *w, const ob_poly *p, uint32_t *at) {
    static const ob_dim_kind kinds[] = {OB_DIM_KIND_BCAST, OB_DIM_KIND_MIN, OB_DIM_KIND_MAX};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const ob_term *term = ob__lone_term(w->dims, p, kinds[i], at);
        if (term && (p->monomials[*at].coefficient == 1 || p->monomials[*at].coefficient == -1)) return term;
    }
    return NULL;
}

/* Is p = a - b*floor(a/b) for a term b, or the opposite? "p = 0" then means that b divides a. */
static const ob_term *term_remainder(work *w, ob_dim p_dim, const ob_poly *p) {
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->monomials[i].n_factors; k++) {
            const ob_dim quotient = p->monomials[i].factors[k];
            const ob_term *term = ob__term(w->dims, quotient);
            if (!term || term->kind != OB_DIM_KIND_QUOTIENT) continue;
            const ob_dim *words = term->words; /* the terms may move, their words stay */
            const ob_dim rest = ob_dim_sub(w->dims, words[0], ob_dim_mul(w->dims, words[1], quotient));
            if (rest == OB_DIM_UNKNOWN) continue;
            if (rest == p_dim || ob_dim_sub(w->dims, 0, rest) == p_dim) return ob__term(w->dims, quotient);
        }
    return NULL;
}

/* Of a quotient by a term: that it is defined. */
static void put_defined(work *w, ob_dim divisor) {
    if (ob__solve_bounds(w->s, w->dims, divisor).lo < 1) put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, divisor, 1), 0);
}

/* b does not divide a, by the term of the remainder. */
static step no_remainder_0(work *w, const ob_term *term) {
    const ob_dim *words = term->words; /* the terms may move, their words stay */
    put_alone(w, OB_LITERAL_NOT_DIVIDES, words[0], words[1]);
    put_defined(w, words[1]);
    return expanded(w);
}

/* Is p = a - c*floor(a/c) - *rest, or the opposite? "p = 0" then means that c divides a - rest, if `rest` can be a
 * remainder. */
static bool is_remainder(work *w, const ob_poly *p, ob_dim *a, int64_t *c, int64_t *rest) {
    for (uint32_t i = 0; i < p->n; i++) {
        const ob_monomial *m = &p->monomials[i];
        const ob_term *term = m->n_factors == 1 ? ob__term(w->dims, m->factors[0]) : NULL;
        if (!term || term->kind != OB_DIM_KIND_DIV) continue;
        const int64_t divisor = term->words[1];
        const ob_dim of = term->words[0];
        if (m->coefficient != divisor && m->coefficient != -divisor) continue;
        const ob_dim left = ob_dim_sub(w->dims, of, ob__rest_of(w->dims, p, i, m->coefficient > 0 ? -1 : 1));
        if (!ob_dim_is_const(left)) continue;
        *a = of;
        *c = divisor;
        *rest = left;
        return true;
    }
    return false;
}

static step expand_zero(work *w, ob_literal *literal) {
    OB_POLYS(w->dims, p, 1);
    if (!p) return STEP_SAME;
    if (!ob__poly_load(w->dims, literal->p, p)) return STEP_SAME;
    if (p->n == 0) return truth(p->constant == 0);
    int64_t gcd = ob__poly_gcd(p, 0);
    if (p->constant % gcd != 0) return STEP_FALSE;
    p->constant /= gcd;
    scale_down(p, gcd);
    if (p->monomials[0].coefficient < 0) negate(p);
    ob_dim reduced = ob__poly_store(w->dims, p), factor = common_factor(p), other;
    if (reduced != OB_DIM_UNKNOWN) literal->p = reduced;
    if (factor != OB_DIM_UNKNOWN && literal->p != factor) {
        put(w, OB_LITERAL_ZERO, factor, 0);
        put(w, OB_LITERAL_ZERO, ob_dim_div_exact(w->dims, literal->p, factor), 0);
        end_or(w);
        return expanded(w);
    }
    ob_dim of;
    int64_t divisor, rest_is;
    if (is_remainder(w, p, &of, &divisor, &rest_is)) {
        if (rest_is < 0 || rest_is >= divisor) return STEP_FALSE;
        put_alone(w, OB_LITERAL_DIVIDES, ob_dim_sub(w->dims, of, rest_is), divisor);
        return expanded(w);
    }
    const ob_term *term = term_remainder(w, literal->p, p);
    if (term) {
        put_alone(w, OB_LITERAL_DIVIDES, term->words[0], term->words[1]);
        return expanded(w);
    }
    term = ob__poly_spread(w->dims, p);
    if (term) { /* all are equal */
        const ob_dim *members = term->words;
        uint32_t n = term->n_words;
        for (uint32_t i = 1; i < n; i++) put_alone(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, members[0], members[i]), 0);
        return expanded(w);
    }
    const ob_term *lone = p->n == 1 && p->monomials[0].n_factors == 1 ? ob__term(w->dims, p->monomials[0].factors[0]) : NULL;
    if (lone && lone->kind == OB_DIM_KIND_DIV) { /* floor(a/c) = k: c*k <= a <= c*k + c - 1 */
        const int64_t *words = lone->words;
        ob_dim low = ob_dim_mul(w->dims, -p->constant, words[1]);
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, words[0], low), 0);
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, ob_dim_add(w->dims, low, words[1] - 1), words[0]), 0);
        return expanded(w);
    }
    if (lone && lone->kind == OB_DIM_KIND_QUOTIENT) { /* floor(a/b) = k: b*k <= a <= b*(k + 1) - 1 */
        const ob_dim *words = lone->words;
        ob_dim low = ob_dim_mul(w->dims, -p->constant, words[1]), next = ob_dim_add(w->dims, low, words[1]);
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, words[0], low), 0);
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, ob_dim_sub(w->dims, next, 1), words[0]), 0);
        put_defined(w, words[1]);
        return expanded(w);
    }
    uint32_t at = 0;
    term = equated_term(w, p, &at);
    if (!term) return STEP_SAME;
    const ob_dim *members = term->words;
    uint32_t n = term->n_words;
    bool greatest = term->kind == OB_DIM_KIND_MAX, broadcasts = term->kind == OB_DIM_KIND_BCAST;
    int64_t sign = p->monomials[at].coefficient, shift;
    ob_dim rest = ob__rest_of(w->dims, p, at, 1), d;
    other = ob__rest_of(w->dims, p, at, -sign);
    if (other == OB_DIM_UNKNOWN || rest == OB_DIM_UNKNOWN) return STEP_SAME;
    if (broadcasts) return bcast_is(w, members, n, other);
    if (magnitude(w->dims, members, n, sign, rest, &d, &shift))
        return magnitude_is(w, d, greatest == (sign > 0) ? -shift : shift);
    return extreme_is(w, members, n, other, greatest);
}

/* ---- p != 0 ---- */

static step expand_nonzero(work *w, ob_literal *literal) {
    OB_POLYS(w->dims, p, 1);
    if (!p) return STEP_SAME;
    if (!ob__poly_load(w->dims, literal->p, p)) return STEP_SAME;
    if (p->n == 0) return truth(p->constant != 0);
    int64_t gcd = ob__poly_gcd(p, 0);
    if (p->constant % gcd != 0) return STEP_TRUE;
    p->constant /= gcd;
    scale_down(p, gcd);
    if (p->monomials[0].coefficient < 0) negate(p);
    ob_dim reduced = ob__poly_store(w->dims, p), factor = common_factor(p);
    if (reduced != OB_DIM_UNKNOWN) literal->p = reduced;
    if (factor != OB_DIM_UNKNOWN && literal->p != factor) {
        put_alone(w, OB_LITERAL_NONZERO, factor, 0);
        put_alone(w, OB_LITERAL_NONZERO, ob_dim_div_exact(w->dims, literal->p, factor), 0);
        return expanded(w);
    }
    ob_dim of;
    int64_t divisor, rest_is;
    if (is_remainder(w, p, &of, &divisor, &rest_is)) {
        if (rest_is < 0 || rest_is >= divisor) return STEP_TRUE;
        put_alone(w, OB_LITERAL_NOT_DIVIDES, ob_dim_sub(w->dims, of, rest_is), divisor);
        return expanded(w);
    }
    const ob_term *term = term_remainder(w, literal->p, p);
    if (term) return no_remainder_0(w, term);
    ob_interval bounds = ob__blind_poly_bounds(w->budget, w->dims, p);
    if (bounds.lo < 0 && bounds.hi > 0) return STEP_SAME;
    if (bounds.lo >= 0)
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, literal->p, 1), 0);
    else
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, -1, literal->p), 0);
    return expanded(w);
}

/* ---- p >= 0 ---- */

/* coefficient * extreme(members) + rest >= 0; `all`: each member must do. */
static step extreme_fits(work *w, const ob_dim *members, uint32_t n, int64_t coefficient, ob_dim rest, bool all) {
    for (uint32_t i = 0; i < n; i++) {
        put(w, OB_LITERAL_NONNEGATIVE, ob_dim_add(w->dims, ob_dim_mul(w->dims, coefficient, members[i]), rest), 0);
        if (all) end_or(w);
    }
    if (!all) end_or(w);
    return expanded(w);
}

/* |d| >= low or, turned, |d| <= low. */
static step magnitude_fits(work *w, ob_dim d, int64_t bound, bool turned) {
    if (turned ? bound < 0 : bound <= 0) return truth(!turned);
    if (turned && bound == 0) {
        put_alone(w, OB_LITERAL_ZERO, d, 0);
    } else if (turned) {
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, bound, d), 0);
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_add(w->dims, d, bound), 0);
    } else if (bound == 1) {
        put_alone(w, OB_LITERAL_NONZERO, d, 0);
    } else {
        put(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, d, bound), 0);
        put(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, ob_dim_sub(w->dims, 0, d), bound), 0);
        end_or(w);
    }
    return expanded(w);
}

/* bcast(members) >= bound or, turned, <= bound. The common size is 1 or some member's, and every member is 1 or it. */
static step bcast_fits(work *w, const ob_dim *members, uint32_t n, int64_t bound, bool turned) {
    bool all = turned ? bound >= 1 : bound <= 1;
    for (uint32_t i = 0; i < n; i++) {
        put(w, OB_LITERAL_NONNEGATIVE, turned ? ob_dim_sub(w->dims, bound, members[i]) : ob_dim_sub(w->dims, members[i], bound),
            0);
        if (all) end_or(w);
    }
    if (!all) end_or(w);
    return expanded(w);
}

static bool is_floor(const ob_dims *dims, ob_dim d) {
    const ob_dim_kind kind = ob_dim_get_kind(dims, d);
    return kind == OB_DIM_KIND_DIV || kind == OB_DIM_KIND_QUOTIENT;
}

/* The one floor of p, when its coefficient is 1 or -1: floor(a/c) + r >= 0 is a + c*r >= 0, r - floor(a/c) >= 0 is
 * c*r + c - 1 - a >= 0. */
static step unfloor(work *w, const ob_poly *p) {
    uint32_t at = 0;
    const ob_term *term = ob__lone_term(w->dims, p, OB_DIM_KIND_DIV, &at);
    if (!term) term = ob__lone_term(w->dims, p, OB_DIM_KIND_QUOTIENT, &at);
    if (!term) return STEP_SAME;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->monomials[i].n_factors; k++)
            if (i != at && is_floor(w->dims, p->monomials[i].factors[k])) return STEP_SAME;
    int64_t coefficient = p->monomials[at].coefficient;
    ob_dim a = term->words[0], divisor = term->words[1], rest;
    if (coefficient != 1 && coefficient != -1) return STEP_SAME;
    rest = ob_dim_mul(w->dims, ob__rest_of(w->dims, p, at, 1), divisor);
    if (coefficient == 1)
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_add(w->dims, rest, a), 0);
    else
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, ob_dim_add(w->dims, rest, ob_dim_sub(w->dims, divisor, 1)), a),
                  0);
    if (!ob_dim_is_const(divisor)) put_defined(w, divisor);
    return expanded(w);
}

/* c*f*g >= 1 or -c*f*g >= 0 with factors that are 0 or more. */
static step expand_product(work *w, const ob_poly *p) {
    const ob_monomial *m = &p->monomials[0];
    bool positive = m->coefficient > 0 && p->constant < 0 && p->constant >= -m->coefficient,
         none = m->coefficient < 0 && p->constant >= 0 && p->constant < -m->coefficient;
    if (p->n != 1 || m->n_factors < 2 || (!positive && !none)) return STEP_SAME;
    for (uint32_t i = 0; i < m->n_factors; i++)
        if (!is_nonnegative(w, m->factors[i])) return STEP_SAME;
    for (uint32_t i = 0; i < m->n_factors; i++) {
        put(w, OB_LITERAL_NONNEGATIVE, positive ? ob_dim_sub(w->dims, m->factors[i], 1) : ob_dim_sub(w->dims, 0, m->factors[i]),
            0);
        if (positive) end_or(w);
    }
    if (!positive) end_or(w);
    return expanded(w);
}

static step expand_terms(work *w, const ob_poly *p) {
    static const ob_dim_kind kinds[] = {OB_DIM_KIND_MIN, OB_DIM_KIND_MAX, OB_DIM_KIND_BCAST};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint32_t at = 0;
        const ob_term *term = ob__lone_term(w->dims, p, kinds[i], &at);
        if (!term) continue;
        int64_t coefficient = p->monomials[at].coefficient;
        bool up = coefficient > 0;
        const ob_dim *members = term->words;
        uint32_t n = term->n_words;
        ob_dim rest = ob__rest_of(w->dims, p, at, 1), d;
        int64_t shift;
        bool numbers = ob_dim_is_const(rest);
        /* coefficient * term >= -rest */
        int64_t bound = !numbers ? 0 : up ? -ob__floor_div(rest, coefficient) : ob__floor_div(rest, -coefficient);
        if (kinds[i] == OB_DIM_KIND_BCAST) {
            if (numbers) return bcast_fits(w, members, n, bound, !up);
            continue;
        }
        bool least = kinds[i] == OB_DIM_KIND_MIN;
        if (magnitude(w->dims, members, n, coefficient, rest, &d, &shift))
            return magnitude_fits(w, d, least == up ? shift : -shift, least == up);
        return extreme_fits(w, members, n, coefficient, rest, least == up);
    }
    return unfloor(w, p);
}

static step expand_nonnegative(work *w, ob_literal *literal) {
    OB_POLYS(w->dims, p, 1);
    if (!p) return STEP_SAME;
    if (!ob__poly_load(w->dims, literal->p, p)) return STEP_SAME;
    if (p->n == 0) return truth(p->constant >= 0);
    int64_t gcd = ob__poly_gcd(p, 0);
    p->constant = ob__floor_div(p->constant, gcd);
    scale_down(p, gcd);
    ob_dim reduced = ob__poly_store(w->dims, p), factor = common_factor(p);
    if (reduced != OB_DIM_UNKNOWN) literal->p = reduced;
    ob_interval bounds = ob__blind_poly_bounds(w->budget, w->dims, p);
    if (bounds.hi == 0) {
        put_alone(w, OB_LITERAL_ZERO, literal->p, 0);
        return expanded(w);
    }
    if (p->constant == -1) { /* a remainder of 1 or more */
        const ob_term *term = term_remainder(w, ob_dim_add(w->dims, literal->p, 1), p);
        if (term) return no_remainder_0(w, term);
    }
    step done = expand_product(w, p);
    if (done != STEP_SAME) return done;
    if (factor != OB_DIM_UNKNOWN && literal->p != factor && is_nonnegative(w, factor)) {
        put(w, OB_LITERAL_ZERO, factor, 0);
        put(w, OB_LITERAL_NONNEGATIVE, ob_dim_div_exact(w->dims, literal->p, factor), 0);
        end_or(w);
        return expanded(w);
    }
    return expand_terms(w, p);
}

/* ---- Divisions ---- */

static int64_t modulo(int64_t a, int64_t mod) {
    return a - ob__floor_div(a, mod) * mod;
}

/* p = 0 modulo literal->q, a number above 1, with the coefficients in 0 .. q - 1, the first 1 where that can be. FALSE, TRUE or
 * SAME. */
static step reduce(work *w, ob_literal *literal) {
    OB_POLYS(w->dims, p, 2);
    ob_poly *out = p + 1;
    if (!p) return STEP_SAME;
    int64_t q = literal->q;
    if (!ob__poly_load(w->dims, literal->p, p) || q > INT32_MAX) return STEP_SAME;
    ob__poly_constant(out, modulo(p->constant, q));
    for (uint32_t i = 0; i < p->n; i++) ob__poly_append(out, &p->monomials[i], modulo(p->monomials[i].coefficient, q));
    int64_t gcd = ob__poly_gcd(out, q);
    if (out->constant % gcd != 0) return STEP_FALSE;
    q /= gcd;
    if (q == 1) return STEP_TRUE;
    out->constant /= gcd;
    scale_down(out, gcd);
    int64_t first = out->monomials[0].coefficient, factor = ob__inverse(first, q);
    if (modulo(factor * first, q) == 1) {
        out->constant = modulo(out->constant * factor, q);
        for (uint32_t i = 0; i < out->n; i++) out->monomials[i].coefficient = modulo(out->monomials[i].coefficient * factor, q);
    }
    ob_dim reduced = ob__poly_store(w->dims, out);
    if (reduced == OB_DIM_UNKNOWN) return STEP_SAME;
    literal->p = reduced;
    literal->q = q;
    return STEP_SAME;
}

/* The rest of p without its multiples of q. */
static ob_dim remainder_of(ob_dims *dims, ob_dim p_dim, ob_dim q_dim) {
    OB_POLYS(dims, p, 5);
    ob_poly *q = p + 1, *part = p + 2, *product = p + 3, *next = p + 4;
    if (!p) return OB_DIM_UNKNOWN;
    if (!ob__poly_load(dims, p_dim, p) || !ob__poly_load(dims, q_dim, q) || q->n == 0) return p_dim;
    const ob_monomial *lead = &q->monomials[0];
    for (uint32_t i = 0, steps = 0; i < p->n && steps < MAX_STEPS; steps++) {
        const ob_monomial *m = &p->monomials[i];
        ob_monomial quotient = {.coefficient = m->coefficient / lead->coefficient};
        uint32_t k = 0;
        for (uint32_t f = 0; f < m->n_factors; f++) {
            if (k < lead->n_factors && m->factors[f] == lead->factors[k])
                k++;
            else
                quotient.factors[quotient.n_factors++] = m->factors[f];
        }
        if (k < lead->n_factors || m->coefficient % lead->coefficient != 0) {
            i++;
            continue;
        }
        ob__poly_constant(part, quotient.n_factors ? 0 : quotient.coefficient);
        part->n = quotient.n_factors > 0;
        part->monomials[0] = quotient;
        if (!ob__poly_mul(part, q, product) || !ob__poly_add(p, product, -1, next)) return p_dim;
        ob__poly_copy(p, next);
        i = 0;
    }
    if (p->n > 0 && p->monomials[0].coefficient < 0) negate(p);
    ob_dim rest = ob__poly_store(dims, p);
    return rest == OB_DIM_UNKNOWN ? p_dim : rest;
}

/* q divides the number, where q >= 1 is known otherwise: q is one of its divisors. */
static step divisors_of(work *w, int64_t number, ob_dim q, bool divides) {
    if (number < 0) number = -number;
    if (number > MAX_DIVIDEND) return STEP_SAME;
    int64_t divisors[MAX_DIVISORS];
    uint32_t n = 0, n_small = 0;
    for (int64_t d = 1; d * d <= number; d++) { /* to the root: the others are their partners */
        if (number % d != 0) continue;
        if (n_small == MAX_DIVISORS) return STEP_SAME;
        divisors[n_small++] = d;
    }
    n = 2 * n_small - (n_small > 0 && divisors[n_small - 1] * divisors[n_small - 1] == number);
    if (n > MAX_DIVISORS) return STEP_SAME;
    for (uint32_t i = n_small; i < n; i++) divisors[i] = number / divisors[n - 1 - i];
    for (uint32_t i = 0; i < n; i++) {
        int64_t d = divisors[i];
        if (divides) {
            put(w, OB_LITERAL_ZERO, ob_dim_sub(w->dims, q, d), 0);
        } else {
            put(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, 0, q), 0);
            put_alone(w, OB_LITERAL_NONZERO, ob_dim_sub(w->dims, q, d), 0);
        }
    }
    if (divides) end_or(w);
    return expanded(w);
}

static step expand_divides(work *w, ob_literal *literal) {
    bool divides = literal->kind == OB_LITERAL_DIVIDES;
    if (ob_dim_is_const(literal->q)) {
        if (literal->q <= 0) return truth(!divides);
        step done = literal->q == 1 ? STEP_TRUE : reduce(w, literal);
        if (done != STEP_SAME) return truth(divides == (done == STEP_TRUE));
        if (divides || literal->q != 2) return STEP_SAME;
        put_alone(w, OB_LITERAL_DIVIDES, ob_dim_add(w->dims, literal->p, 1), 2);
        return expanded(w);
    }
    ob_dim rest = remainder_of(w->dims, literal->p, literal->q);
    bool positive = ob__solve_bounds(w->s, w->dims, literal->q).lo >= 1;
    if (ob_dim_is_const(rest) && rest != 0) {
        step done = divisors_of(w, rest, literal->q, divides);
        if (done != STEP_SAME) return done;
        memset(&w->e, 0, offsetof(expansion, literals));
        w->e.overflow = false;
    }
    if (rest == 0 && positive) return truth(divides);
    if (rest == literal->p && rest != 0) return STEP_SAME;
    if (rest != 0 && positive) {
        put_alone(w, literal->kind, rest, literal->q);
    } else if (divides) {
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, literal->q, 1), 0);
        if (rest != 0) put_alone(w, OB_LITERAL_DIVIDES, rest, literal->q);
    } else {
        if (rest != 0) put(w, OB_LITERAL_NOT_DIVIDES, rest, literal->q);
        put_alone(w, OB_LITERAL_NONNEGATIVE, ob_dim_sub(w->dims, 0, literal->q), 0);
    }
    return expanded(w);
}

/* ---- Any literal ---- */

step ob__literal_expand(work *w, ob_literal *literal) {
    w->e.n = w->e.n_literals = 0;
    w->e.overflow = false;
    switch (literal->kind) {
    case OB_LITERAL_ZERO: return expand_zero(w, literal);
    case OB_LITERAL_NONZERO: return expand_nonzero(w, literal);
    case OB_LITERAL_NONNEGATIVE: return expand_nonnegative(w, literal);
    default: return expand_divides(w, literal);
    }
}
