/* floor(a/b) for a divisor b that is a term. It is undefined if b is below 1, so every step here may assume that b is 1 or
 * more. */
#include "core/base/integers.h"
#include "core/dims/algebra.h"
#include "core/dims/scratch.h"

enum { MAX_STEPS = 32, MAX_NESTED = 4 };

/* ---- Common factors of numerator and divisor ---- */

static int64_t gcd_of(const ob_poly *a, const ob_poly *b) {
    return ob__poly_gcd(a, ob__gcd(ob__poly_gcd(b, 0), b->constant));
}

/* floor((g*x + r)/(g*y)) = floor((x + floor(r/g))/y) */
static bool cancel_number(ob_poly *a, ob_poly *b) {
    int64_t gcd = gcd_of(a, b);
    if (gcd <= 1) return false;
    a->constant = ob__floor_div(a->constant, gcd);
    b->constant /= gcd;
    for (uint32_t i = 0; i < a->n; i++) a->monomials[i].coefficient /= gcd;
    for (uint32_t i = 0; i < b->n; i++) b->monomials[i].coefficient /= gcd;
    return true;
}

static bool has_factor(const ob_monomial *m, ob_dim factor) {
    for (uint32_t k = 0; k < m->n_factors; k++)
        if (m->factors[k] == factor) return true;
    return false;
}

static bool is_everywhere(const ob_poly *poly, ob_dim factor) {
    if (poly->constant != 0) return false;
    for (uint32_t i = 0; i < poly->n; i++)
        if (!has_factor(&poly->monomials[i], factor)) return false;
    return true;
}

/* A factor of all monomials of both that is never negative; OB_DIM_UNKNOWN: none. */
static ob_dim common_factor(const ob_dims *pool, const ob_poly *a, const ob_poly *b) {
    const ob_monomial *first = &b->monomials[0];
    for (uint32_t k = 0; k < first->n_factors; k++) {
        int64_t low, high;
        ob_dim_bounds(pool, first->factors[k], &low, &high);
        if (low >= 0 && is_everywhere(a, first->factors[k]) && is_everywhere(b, first->factors[k])) return first->factors[k];
    }
    return OB_DIM_UNKNOWN;
}

/* ---- Whole multiples ---- */

/* a = b * whole + rest, with the rest in a. */
static bool take_out(const ob_dims *pool, ob_poly *a, const ob_poly *b, const ob_poly *part, ob_poly *whole) {
    OB_POLYS(pool, product, 3);
    ob_poly *rest = product + 1, *sum = product + 2;
    if (!product || !ob__poly_mul(part, b, product) || !ob__poly_add(a, product, -1, rest) || !ob__poly_add(whole, part, 1, sum))
        return false;
    ob__poly_copy(a, rest);
    ob__poly_copy(whole, sum);
    return true;
}

/* The multiple of b's only monomial in m, rounded down; false: there is none. */
static bool multiple_in(const ob_monomial *m, const ob_monomial *b, ob_poly *part) {
    ob_monomial others = {.coefficient = ob__floor_div(m->coefficient, b->coefficient)};
    uint32_t k = 0;
    for (uint32_t f = 0; f < m->n_factors; f++) {
        if (k < b->n_factors && m->factors[f] == b->factors[k])
            k++;
        else
            others.factors[others.n_factors++] = m->factors[f];
    }
    if (k < b->n_factors || others.coefficient == 0) return false;
    ob__poly_constant(part, others.n_factors ? 0 : others.coefficient);
    if (others.n_factors) part->monomials[part->n++] = others;
    return true;
}

/* Division with rest by a divisor of one monomial and a number. */
static void divide_by_one(const ob_dims *pool, ob_poly *a, const ob_poly *b, ob_poly *whole) {
    OB_POLYS(pool, part, 1);
    if (!part) return;
    for (uint32_t i = 0, steps = 0; i < a->n && steps < MAX_STEPS; steps++) {
        if (!multiple_in(&a->monomials[i], &b->monomials[0], part))
            i++;
        else if (take_out(pool, a, b, part, whole))
            i = 0;
        else
            return;
    }
}

static int64_t coefficient_of(const ob_poly *a, const ob_monomial *m) {
    for (uint32_t i = 0; i < a->n; i++)
        if (ob__monomial_compare(&a->monomials[i], m) == 0) return a->monomials[i].coefficient;
    return 0;
}

/* Of a divisor of several monomials a number of times: as often as the one that a has least of. */
static void divide_by_sum(const ob_dims *pool, ob_poly *a, const ob_poly *b, ob_poly *whole) {
    OB_POLYS(pool, part, 1);
    if (!part) return;
    bool any = false;
    int64_t times = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        const ob_monomial *m = &b->monomials[i];
        if (m->coefficient <= 0) continue;
        int64_t one = ob__floor_div(coefficient_of(a, m), m->coefficient);
        if (!any || one < times) times = one;
        any = true;
    }
    ob__poly_constant(part, times);
    if (times != 0) take_out(pool, a, b, part, whole);
}

/* ---- The term ---- */

/* The quotient where it is one number for all sizes. */
static bool only_value(const ob_dims *pool, const ob_poly *a, const ob_poly *b, int64_t *value) {
    const ob_size_ranges *ranges = ob__assumed_ranges(pool);
    int64_t low, high, room, unused;
    if (a->n == 0 && (a->constant == 0 || a->constant == -1)) {
        *value = a->constant;
        return true;
    }
    ob__poly_bounds(pool, a, ranges, &low, &high);
    if (low < 0 && high >= 0) return false;
    OB_POLYS(pool, more, 1);
    *value = low >= 0 ? 0 : -1;
    if (!more || !ob__poly_add(b, a, low >= 0 ? -1 : 1, more)) return false;
    ob__poly_bounds(pool, more, ranges, &room, &unused);
    return room >= (low >= 0 ? 1 : 0);
}

/* floor((floor(x/y) + k)/b) = floor((x + k*y)/(b*y)): OB_DIM_UNKNOWN where a is not of that form. */
static ob_dim unnested(ob_dims *pool, const ob_poly *a, ob_dim b) {
    const ob_term *inner = a->n == 1 && a->monomials[0].n_factors == 1 && a->monomials[0].coefficient == 1
                               ? ob__term(pool, a->monomials[0].factors[0])
                               : NULL;
    if (!inner || inner->depth > MAX_NESTED || (inner->kind != OB_DIM_KIND_DIV && inner->kind != OB_DIM_KIND_QUOTIENT))
        return OB_DIM_UNKNOWN;
    const ob_dim *words = inner->words; /* the terms may move, their words stay */
    return ob_dim_quotient(pool, ob_dim_add(pool, words[0], ob_dim_mul(pool, a->constant, words[1])),
                           ob_dim_mul(pool, b, words[1]));
}

ob_dim ob__poly_unnested(ob_dims *pool, const ob_poly *a, int64_t divisor) {
    const ob_term *inner = a->n == 1 && a->monomials[0].n_factors == 1 ? ob__term(pool, a->monomials[0].factors[0]) : NULL;
    return inner && inner->kind == OB_DIM_KIND_QUOTIENT ? unnested(pool, a, divisor) : OB_DIM_UNKNOWN;
}

static ob_dim quotient_term(ob_dims *pool, const ob_poly *a, const ob_poly *b) {
    int64_t value;
    if (only_value(pool, a, b, &value)) return value;
    const ob_dim words[2] = {ob__poly_store(pool, a), ob__poly_store(pool, b)};
    if (words[0] == OB_DIM_UNKNOWN || words[1] == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    ob_dim flat = unnested(pool, a, words[1]);
    return flat != OB_DIM_UNKNOWN ? flat : ob__term_intern(pool, OB_DIM_KIND_QUOTIENT, words, 2);
}

ob_dim ob__terms_quotient(ob_dims *pool, ob_dim a, ob_dim b) {
    OB_POLYS(pool, numerator, 4);
    ob_poly *divisor = numerator + 1, *whole = numerator + 2, *rest = numerator + 3;
    if (!numerator || !ob__poly_load(pool, a, numerator) || !ob__poly_load(pool, b, divisor)) return OB_DIM_UNKNOWN;
    if (cancel_number(numerator, divisor))
        return ob_dim_quotient(pool, ob__poly_store(pool, numerator), ob__poly_store(pool, divisor));
    ob_dim factor = common_factor(pool, numerator, divisor);
    if (factor != OB_DIM_UNKNOWN && numerator->n > 0)
        return ob_dim_quotient(pool, ob_dim_div_exact(pool, a, factor), ob_dim_div_exact(pool, b, factor));
    if (ob__poly_divide(pool, numerator, divisor, whole, rest) && rest->n == 0 && rest->constant == 0)
        return ob__poly_store(pool, whole);
    ob__poly_constant(whole, 0);
    if (divisor->n == 1)
        divide_by_one(pool, numerator, divisor, whole);
    else
        divide_by_sum(pool, numerator, divisor, whole);
    return ob_dim_add(pool, ob__poly_store(pool, whole), quotient_term(pool, numerator, divisor));
}
