/* Terms under assumptions: if N is a multiple of m, floor(N/m) is the exact quotient, and quotients by other divisors of m use
 * it. */
#include "core/base/integers.h"
#include "core/dims/scratch.h"

static int64_t divisor_of(const ob_dims *pool, ob_dim d) {
    const ob_term *term = ob__term(pool, d);
    if (!pool->assumed || !term || term->kind != OB_DIM_KIND_SYMBOL) return 1;
    return pool->assumed->divisor(pool->assumed->ranges.context, d);
}

/* out = coefficient * the factors of m, with one factor replaced by `by`. */
static bool exchange(const ob_dims *pool, const ob_monomial *m, uint32_t at, ob_dim by, int64_t coefficient, ob_poly *out) {
    OB_POLYS(pool, others, 2);
    ob_poly *one = others + 1;
    if (!others) return false;
    ob__poly_constant(others, m->n_factors == 1 ? coefficient : 0);
    ob__poly_constant(one, 0);
    one->n = 1;
    one->monomials[0].coefficient = 1;
    one->monomials[0].n_factors = 1;
    one->monomials[0].factors[0] = by;
    if (m->n_factors > 1) {
        ob_monomial *rest = &others->monomials[others->n++];
        rest->coefficient = coefficient;
        rest->n_factors = 0;
        for (uint32_t k = 0; k < m->n_factors; k++)
            if (k != at) rest->factors[rest->n_factors++] = m->factors[k];
    }
    return ob__poly_mul(others, one, out);
}

/* The contribution of a monomial to the quotient; OB_DIM_UNKNOWN: it is not a multiple of the divisor. */
static ob_dim quotient_of(ob_dims *pool, const ob_monomial *m, int64_t divisor) {
    for (uint32_t k = 0; k < m->n_factors; k++) {
        int64_t by = divisor_of(pool, m->factors[k]), product;
        if (by == 1 || ob__mul_overflows(m->coefficient, by, &product) || product % divisor != 0) continue;
        const int64_t words[2] = {m->factors[k], by};
        OB_POLYS(pool, out, 1);
        if (!out) return OB_DIM_UNKNOWN;
        ob_dim exact = ob__term_intern(pool, OB_DIM_KIND_DIV, words, 2);
        if (exact == OB_DIM_UNKNOWN || !exchange(pool, m, k, exact, product / divisor, out)) continue;
        return ob__poly_store(pool, out);
    }
    return OB_DIM_UNKNOWN;
}

ob_dim ob__poly_take_multiples(ob_dims *pool, ob_poly *poly, int64_t divisor) {
    ob_dim sum = 0;
    for (uint32_t i = 0; pool->assumed && i < poly->n;) {
        OB_POLYS(pool, rest, 1);
        if (!rest) return OB_DIM_UNKNOWN;
        bool whole = poly->monomials[i].coefficient % divisor == 0; /* without assumptions */
        ob_dim part = whole ? OB_DIM_UNKNOWN : quotient_of(pool, &poly->monomials[i], divisor);
        if (part == OB_DIM_UNKNOWN) {
            i++;
            continue;
        }
        sum = ob_dim_add(pool, sum, part);
        ob__poly_without(poly, i, rest);
        ob__poly_copy(poly, rest);
    }
    return sum;
}

/* The place of a factor floor(N/d) of the monomial where N, and the coefficient, are multiples of d. */
static bool find_exact(const ob_dims *pool, const ob_monomial *m, uint32_t *at, const ob_term **quotient) {
    for (uint32_t k = 0; k < m->n_factors; k++) {
        const ob_term *term = ob__term(pool, m->factors[k]);
        if (!term || term->kind != OB_DIM_KIND_DIV) continue;
        if (divisor_of(pool, term->words[0]) % term->words[1] != 0 || m->coefficient % term->words[1] != 0) continue;
        *at = k;
        *quotient = term;
        return true;
    }
    return false;
}

void ob__poly_join_multiples(const ob_dims *pool, ob_poly *poly) {
    for (uint32_t i = 0; pool->assumed && i < poly->n;) {
        const ob_monomial *m = &poly->monomials[i];
        const ob_term *quotient;
        uint32_t at;
        OB_POLYS(pool, others, 3);
        ob_poly *part = others + 1, *sum = others + 2;
        if (!others) return;
        if (!find_exact(pool, m, &at, &quotient) ||
            !exchange(pool, m, at, quotient->words[0], m->coefficient / quotient->words[1], part)) {
            i++;
            continue;
        }
        ob__poly_without(poly, i, others);
        if (!ob__poly_add(others, part, 1, sum)) return;
        ob__poly_copy(poly, sum);
        i = 0; /* each iteration removes a quotient */
    }
}
