/* Arithmetic on dimensions: constants at once, everything else through polynomials. */
#include "core/error.h"
#include "core/terms.h"

/* A result of constants, unless it left their range. */
static ob_dim checked(int64_t value) {
    return ob_dim_is_const(value) ? value : OB_DIM_UNKNOWN;
}

/* a + factor * b */
static ob_dim add_scaled(ob_dims *pool, ob_dim a, ob_dim b, int64_t factor) {
    ob_poly left, right, sum;
    if (!ob__poly_load(pool, a, &left) || !ob__poly_load(pool, b, &right)) return OB_DIM_UNKNOWN;
    return ob__poly_add(&left, &right, factor, &sum) ? ob__poly_store(pool, &sum) : OB_DIM_UNKNOWN;
}

ob_dim ob_dim_add(ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return checked(a + b);
    if (a == 0 && ob__term(pool, b)) return b;
    if (b == 0 && ob__term(pool, a)) return a;
    return add_scaled(pool, a, b, 1);
}

ob_dim ob_dim_sub(ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return checked(a - b);
    if (b == 0 && ob__term(pool, a)) return a;
    return add_scaled(pool, a, b, -1);
}

ob_dim ob_dim_mul(ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) {
        int64_t product;
        return ob__mul_overflows(a, b, &product) ? OB_DIM_UNKNOWN : checked(product);
    }
    if (a == 1 && ob__term(pool, b)) return b;
    if (b == 1 && ob__term(pool, a)) return a;
    ob_poly left, right, product;
    if (!ob__poly_load(pool, a, &left) || !ob__poly_load(pool, b, &right)) return OB_DIM_UNKNOWN;
    return ob__poly_mul(&left, &right, &product) ? ob__poly_store(pool, &product) : OB_DIM_UNKNOWN;
}

/* ---- Division by a constant ------------------------------------------------------------------------------------- */

/* Splits poly = divisor * whole + rest with every number of the rest in 0 .. divisor - 1. */
static void split(const ob_poly *poly, int64_t divisor, ob_poly *whole, ob_poly *rest) {
    whole->n = rest->n = 0;
    whole->constant = ob__floor_div(poly->constant, divisor);
    rest->constant = poly->constant - whole->constant * divisor;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        int64_t quotient = ob__floor_div(m->coefficient, divisor), remainder = m->coefficient - quotient * divisor;
        if (quotient) ob__poly_append(whole, m, quotient);
        if (remainder) ob__poly_append(rest, m, remainder);
    }
}

/* floor((floor(a/c) + k)/d) = floor((a + k*c)/(c*d)): replaces poly and divisor when poly has that form. */
static bool unnest(const ob_dims *pool, ob_poly *poly, int64_t *divisor) {
    if (poly->n != 1 || poly->monomials[0].coefficient != 1 || poly->monomials[0].n_factors != 1) return false;
    const ob_term *inner = ob__term(pool, poly->monomials[0].factors[0]);
    if (!inner || inner->kind != OB_DIM_KIND_DIV) return false;
    int64_t shift, constant, product;
    ob_poly numerator;
    if (ob__mul_overflows(poly->constant, inner->words[1], &shift) || ob__mul_overflows(*divisor, inner->words[1], &product) ||
        !ob_dim_is_const(product) || !ob__poly_load(pool, inner->words[0], &numerator) ||
        ob__add_overflows(numerator.constant, shift, &constant) || !ob_dim_is_const(constant))
        return false;
    numerator.constant = constant;
    *poly = numerator;
    *divisor = product;
    return true;
}

/* Divides numerator and divisor by what they share: floor((g*x + r)/(g*c)) = floor((x + floor(r/g))/c). */
static void cancel(ob_poly *poly, int64_t *divisor) {
    int64_t gcd = ob__poly_gcd(poly, *divisor);
    poly->constant = ob__floor_div(poly->constant, gcd);
    for (uint32_t i = 0; i < poly->n; i++) poly->monomials[i].coefficient /= gcd;
    *divisor /= gcd;
}

/* floor(rest/divisor) for a rest in normal form. */
static ob_dim quotient_term(ob_dims *pool, const ob_poly *rest, int64_t divisor) {
    if (divisor == 1) return ob__poly_store(pool, rest);
    int64_t low, high;
    ob__poly_bounds(pool, rest, &low, &high);
    if (low != -OB_DIM_CONST_MAX && high != OB_DIM_CONST_MAX && ob__floor_div(low, divisor) == ob__floor_div(high, divisor))
        return ob__floor_div(low, divisor);
    ob_dim numerator = ob__poly_store(pool, rest);
    if (numerator == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    const int64_t words[2] = {numerator, divisor};
    return ob__term_intern(pool, OB_DIM_KIND_DIV, words, 2);
}

static ob_dim divide(ob_dims *pool, const ob_poly *poly, int64_t divisor) {
    ob_poly whole, rest, numerator = *poly;
    ob_dim sum = 0;
    do { /* each turn multiplies the divisor, so there are few */
        split(&numerator, divisor, &whole, &rest);
        sum = ob_dim_add(pool, sum, ob__poly_store(pool, &whole));
        if (rest.n == 0) return sum;
        cancel(&rest, &divisor);
        numerator = rest;
    } while (unnest(pool, &numerator, &divisor));
    return ob_dim_add(pool, sum, quotient_term(pool, &rest, divisor));
}

ob_dim ob_dim_div(ob_dims *pool, ob_dim a, int64_t divisor) {
    if (divisor == 0 || !ob_dim_is_const(divisor)) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a)) return ob__floor_div(a, divisor);
    ob_poly poly;
    if (!ob__poly_load(pool, a, &poly)) return OB_DIM_UNKNOWN;
    if (divisor == 1) return a;
    if (divisor > 0) return divide(pool, &poly, divisor);
    poly.constant = -poly.constant;
    for (uint32_t i = 0; i < poly.n; i++) poly.monomials[i].coefficient = -poly.monomials[i].coefficient;
    return divide(pool, &poly, -divisor);
}

ob_dim ob_dim_ceil_div(ob_dims *pool, ob_dim a, int64_t divisor) {
    if (divisor <= 0 || !ob_dim_is_const(divisor)) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a)) return ob__floor_div(a, divisor) + (a % divisor != 0);
    return ob_dim_div(pool, ob_dim_add(pool, a, divisor - 1), divisor);
}

/* ---- Exact division --------------------------------------------------------------------------------------------- */

/* out = a / b when b divides a. */
static bool divide_monomial(const ob_monomial *a, const ob_monomial *b, ob_monomial *out) {
    if (b->coefficient == 0 || a->coefficient % b->coefficient != 0) return false;
    out->coefficient = a->coefficient / b->coefficient;
    out->n_factors = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->n_factors; i++) {
        if (k < b->n_factors && a->factors[i] == b->factors[k])
            k++;
        else
            out->factors[out->n_factors++] = a->factors[i];
    }
    return k == b->n_factors;
}

/* The first monomial; the constant when there is no other. */
static void leading(const ob_poly *poly, ob_monomial *out) {
    out->coefficient = poly->constant;
    out->n_factors = 0;
    if (poly->n > 0) *out = poly->monomials[0];
}

static void poly_of_monomial(const ob_monomial *m, ob_poly *out) {
    out->n = m->n_factors > 0;
    out->constant = out->n ? 0 : m->coefficient;
    if (out->n) out->monomials[0] = *m;
}

ob_dim ob_dim_div_exact(ob_dims *pool, ob_dim a, ob_dim b) {
    if (b == 0) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return a % b == 0 ? a / b : OB_DIM_UNKNOWN;
    if (b == 1 || b == a) return !ob__term(pool, a) ? OB_DIM_UNKNOWN : b == 1 ? a : 1;
    ob_poly rest, divisor, quotient = {.constant = 0, .n = 0}, part, product, next;
    if (!ob__poly_load(pool, a, &rest) || !ob__poly_load(pool, b, &divisor)) return OB_DIM_UNKNOWN;
    ob_monomial lead, term;
    leading(&divisor, &lead);
    while (rest.n > 0 || rest.constant != 0) { /* long division: the leading monomial falls with every turn */
        ob_monomial first;
        leading(&rest, &first);
        if (!divide_monomial(&first, &lead, &term)) return OB_DIM_UNKNOWN;
        poly_of_monomial(&term, &part);
        if (!ob__poly_add(&quotient, &part, 1, &next)) return OB_DIM_UNKNOWN;
        quotient = next;
        if (!ob__poly_mul(&part, &divisor, &product) || !ob__poly_add(&rest, &product, -1, &next)) return OB_DIM_UNKNOWN;
        rest = next;
    }
    return ob__poly_store(pool, &quotient);
}

/* ---- Broadcast terms -------------------------------------------------------------------------------------------- */

ob_dim ob_dim_bcast(ob_dims *pool, ob_dim a, ob_dim b) {
    if (a == b || b == 1) return a;
    if (a == 1) return b;
    if (ob_dim_is_const(a)) return ob_dim_is_const(b) ? OB_DIM_UNKNOWN : a;
    if (ob_dim_is_const(b)) return b;
    if (!ob__term(pool, a) || !ob__term(pool, b)) return OB_DIM_UNKNOWN;
    uint32_t n_left, n_right, i = 0, k = 0, n = 0;
    const ob_dim *left = ob__bcast_members(pool, &a, &n_left), *right = ob__bcast_members(pool, &b, &n_right);
    ob_dim members[2 * OB_TERM_MEMBERS];
    while (i < n_left || k < n_right) {
        bool take_left = k == n_right || (i < n_left && left[i] <= right[k]);
        ob_dim next = take_left ? left[i] : right[k];
        if (i < n_left && left[i] == next) i++;
        if (k < n_right && right[k] == next) k++;
        members[n++] = next;
    }
    if (n > OB_TERM_MEMBERS) return OB_DIM_UNKNOWN;
    if (n == n_left) return a;
    if (n == n_right) return b;
    return ob__term_intern(pool, OB_DIM_KIND_BCAST, members, n);
}
