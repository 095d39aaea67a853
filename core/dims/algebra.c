/* Arithmetic on terms, through polynomials. */
#include "core/dims/algebra.h"
#include "core/base/integers.h"
#include "core/dims/scratch.h"

ob_dim ob__terms_add(ob_dims *pool, ob_dim a, ob_dim b, int64_t factor) {
    OB_POLYS(pool, left, 3);
    ob_poly *right = left + 1, *sum = left + 2;
    if (!left) return OB_DIM_UNKNOWN;
    if (!ob__poly_load(pool, a, left) || !ob__poly_load(pool, b, right)) return OB_DIM_UNKNOWN;
    return ob__poly_add(left, right, factor, sum) ? ob__poly_store(pool, sum) : OB_DIM_UNKNOWN;
}

ob_dim ob__terms_mul(ob_dims *pool, ob_dim a, ob_dim b) {
    OB_POLYS(pool, left, 3);
    ob_poly *right = left + 1, *product = left + 2;
    if (!left) return OB_DIM_UNKNOWN;
    if (!ob__poly_load(pool, a, left) || !ob__poly_load(pool, b, right)) return OB_DIM_UNKNOWN;
    return ob__poly_mul(left, right, product) ? ob__poly_store(pool, product) : OB_DIM_UNKNOWN;
}

ob_status ob__terms_refused(const char **why) {
    *why = "the term is too large";
    return OB_E_LIMIT;
}

/* ---- Division by a constant ---- */

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

/* floor((u + floor(a/c))/d) = floor((c*u + a)/(c*d)), and with -floor(a/c) = floor((c - 1 - a)/c): if poly has a quotient with
 * coefficient 1 or -1, replaces poly and divisor, and adds the remaining whole part to *sum. Coefficients of poly are in 0 ..
 * divisor - 1, so -1 is divisor - 1. */
static bool unnest(ob_dims *pool, ob_poly *poly, int64_t *divisor, ob_dim *sum) {
    const ob_term *inner = NULL;
    uint32_t at = 0;
    for (; at < poly->n; at++) {
        const ob_monomial *m = &poly->monomials[at];
        if (m->n_factors != 1 || (m->coefficient != 1 && m->coefficient != *divisor - 1)) continue;
        inner = ob__term(pool, m->factors[0]);
        if (inner && inner->kind == OB_DIM_KIND_DIV) break;
    }
    if (at == poly->n) return false;
    bool negative = poly->monomials[at].coefficient != 1;
    ob_dim quotient = poly->monomials[at].factors[0];
    int64_t by = inner->words[1], product;
    OB_POLYS(pool, others, 4);
    ob_poly *scaled = others + 1, *numerator = others + 2, *next = others + 3;
    if (!others) return false;
    ob__poly_without(poly, at, others);
    ob__poly_constant(scaled, negative ? by - 1 : 0);
    if (ob__mul_overflows(*divisor, by, &product) || !ob_dim_is_const(product)) return false;
    if (!ob__poly_load(pool, inner->words[0], numerator) || !ob__poly_add(scaled, others, by, next)) return false;
    if (!ob__poly_add(next, numerator, negative ? -1 : 1, others)) return false;
    if (negative) *sum = ob_dim_add(pool, *sum, quotient);
    ob__poly_copy(poly, others);
    *divisor = product;
    return true;
}

/* Divides numerator and divisor by their common factor: floor((g*x + r)/(g*c)) = floor((x + floor(r/g))/c). */
static void cancel(ob_poly *poly, int64_t *divisor) {
    int64_t gcd = ob__poly_gcd(poly, *divisor);
    poly->constant = ob__floor_div(poly->constant, gcd);
    for (uint32_t i = 0; i < poly->n; i++) poly->monomials[i].coefficient /= gcd;
    *divisor /= gcd;
}

/* The quotient as a separate term, unless it has only one value. */
static ob_dim quotient_term(ob_dims *pool, const ob_poly *rest, int64_t divisor) {
    int64_t low, high;
    ob__poly_bounds(pool, rest, ob__assumed_ranges(pool), &low, &high);
    if (low != -OB_DIM_CONST_MAX && high != OB_DIM_CONST_MAX && ob__floor_div(low, divisor) == ob__floor_div(high, divisor))
        return ob__floor_div(low, divisor);
    ob_dim numerator = ob__poly_store(pool, rest);
    if (numerator == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    const int64_t words[2] = {numerator, divisor};
    return ob__term_intern(pool, OB_DIM_KIND_DIV, words, 2);
}

/* Rounding is monotone: floor((u + k*min(a, b))/d) = min(floor((u + k*a)/d), floor((u + k*b)/d)), for k < 0 the maximum. False
 * unless there is exactly one minimum or maximum and its coefficient is between -d and d; *out is OB_DIM_UNKNOWN if the result
 * is too large. */
static bool divide_members(ob_dims *pool, const ob_poly *poly, int64_t divisor, ob_dim *out) {
    OB_POLYS(pool, others, 1);
    if (!others) return false;
    ob__poly_copy(others, poly);
    ob_dim_kind kind;
    int64_t part;
    const ob_term *extreme = ob__poly_take_extreme(pool, others, &kind, &part);
    if (!extreme || part <= -divisor || part >= divisor) return false;
    const ob_dim *members = extreme->words; /* the terms may move, their words stay */
    uint32_t n = extreme->n_words;
    ob_dim outside = ob__poly_store(pool, others);
    for (uint32_t i = 0; i < n; i++) {
        ob_dim quotient = ob_dim_div(pool, ob_dim_add(pool, outside, ob_dim_mul(pool, part, members[i])), divisor);
        *out = i == 0 ? quotient : kind == OB_DIM_KIND_MIN ? ob_dim_min(pool, *out, quotient) : ob_dim_max(pool, *out, quotient);
    }
    return true;
}

/* Is the first coefficient that is not exactly half of the divisor more than half? */
static bool past_half(const ob_poly *rest, int64_t divisor) {
    for (uint32_t i = 0; i < rest->n; i++) {
        int64_t coefficient = rest->monomials[i].coefficient;
        if (coefficient != divisor - coefficient) return coefficient > divisor - coefficient;
    }
    return false;
}

/* floor(rest/divisor) for coefficients in 0 .. divisor - 1 without a common factor. floor(6*H/7) equals H - floor((H + 6)/7);
 * the form with the small numbers is used. */
static ob_dim quotient(ob_dims *pool, const ob_poly *rest, int64_t divisor) {
    if (divisor == 1) return ob__poly_store(pool, rest);
    if (!past_half(rest, divisor)) return quotient_term(pool, rest, divisor);
    OB_POLYS(pool, ones, 2);
    ob_poly *turned = ones + 1;
    if (!ones) return OB_DIM_UNKNOWN;
    ob__poly_copy(ones, rest);
    ob__poly_copy(turned, rest);
    ones->constant = 0;
    turned->constant = divisor - 1 - rest->constant;
    for (uint32_t i = 0; i < rest->n; i++) {
        ones->monomials[i].coefficient = 1;
        turned->monomials[i].coefficient = divisor - rest->monomials[i].coefficient;
    }
    return ob_dim_sub(pool, ob__poly_store(pool, ones), quotient_term(pool, turned, divisor));
}

static ob_dim divide(ob_dims *pool, const ob_poly *poly, int64_t divisor) {
    OB_POLYS(pool, whole, 3);
    ob_poly *rest = whole + 1, *numerator = whole + 2;
    if (!whole) return OB_DIM_UNKNOWN;
    ob__poly_copy(numerator, poly);
    ob_dim sum = ob__poly_take_multiples(pool, numerator, divisor), of_members = OB_DIM_UNKNOWN;
    bool tried = false; /* only once: a term that is too large stays too large, and each attempt costs time */
    do {                /* each iteration multiplies the divisor, so there are few */
        tried = tried || divide_members(pool, numerator, divisor, &of_members);
        if (of_members != OB_DIM_UNKNOWN) return ob_dim_add(pool, sum, of_members);
        split(numerator, divisor, whole, rest);
        sum = ob_dim_add(pool, sum, ob__poly_store(pool, whole));
        if (rest->n == 0) return sum;
        cancel(rest, &divisor);
        ob__poly_copy(numerator, rest);
    } while (divisor > 1 && unnest(pool, numerator, &divisor, &sum));
    if (!tried && divisor > 1) divide_members(pool, rest, divisor, &of_members);
    return ob_dim_add(pool, sum, of_members != OB_DIM_UNKNOWN ? of_members : quotient(pool, rest, divisor));
}

ob_dim ob__terms_div(ob_dims *pool, ob_dim a, int64_t divisor) {
    OB_POLYS(pool, poly, 1);
    if (!poly) return OB_DIM_UNKNOWN;
    if (!ob__poly_load(pool, a, poly)) return OB_DIM_UNKNOWN;
    ob_dim flat = divisor > 0 ? ob__poly_unnested(pool, poly, divisor) : OB_DIM_UNKNOWN;
    if (flat != OB_DIM_UNKNOWN) return flat;
    if (divisor > 0) return divide(pool, poly, divisor);
    poly->constant = -poly->constant;
    for (uint32_t i = 0; i < poly->n; i++) poly->monomials[i].coefficient = -poly->monomials[i].coefficient;
    return divide(pool, poly, -divisor);
}

/* ---- Exact division ---- */

ob_dim ob__terms_div_exact(ob_dims *pool, ob_dim a, ob_dim b) {
    OB_POLYS(pool, dividend, 4);
    ob_poly *divisor = dividend + 1, *quotient = dividend + 2, *rest = dividend + 3;
    if (!dividend) return OB_DIM_UNKNOWN;
    if (!ob__poly_load(pool, a, dividend) || !ob__poly_load(pool, b, divisor)) return OB_DIM_UNKNOWN;
    bool exact = ob__poly_divide(pool, dividend, divisor, quotient, rest) && rest->n == 0 && rest->constant == 0;
    return exact ? ob__poly_store(pool, quotient) : OB_DIM_UNKNOWN;
}

/* ---- Broadcast terms ---- */

/* A size other than 1 that broadcasts is the common size. */
static bool is_common(const ob_dims *pool, ob_dim d) {
    int64_t low, high;
    ob__dim_bounds(pool, d, ob__assumed_ranges(pool), &low, &high);
    return low >= 2 || high == 0;
}

ob_dim ob__terms_bcast(ob_dims *pool, ob_dim a, ob_dim b) {
    if (pool->assumed && is_common(pool, a)) return a;
    if (pool->assumed && is_common(pool, b)) return b;
    uint32_t n_left, n_right, i = 0, k = 0, n = 0;
    const ob_dim *left = ob__bcast_members(pool, &a, &n_left), *right = ob__bcast_members(pool, &b, &n_right);
    ob_scratch_scope scope __attribute__((cleanup(ob__scratch_end))) =
        ob__scratch_begin(pool, (n_left + n_right) * sizeof(ob_dim));
    ob_dim *members = scope.memory;
    if (!members) return OB_DIM_UNKNOWN;
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
