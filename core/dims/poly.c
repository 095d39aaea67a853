/* Polynomials over symbols and atoms (quotients, minima, maxima, broadcast terms): the normal form of sums and products. */
#include <string.h>

#include "core/base/integers.h"
#include "core/dims/scratch.h"

int ob__monomial_compare(const ob_monomial *a, const ob_monomial *b) {
    /* Graded lexicographic: compatible with multiplication, which exact division needs. Positive: a comes first. */
    if (a->n_factors != b->n_factors) return a->n_factors > b->n_factors ? 1 : -1;
    for (uint32_t i = 0; i < a->n_factors; i++)
        if (a->factors[i] != b->factors[i]) return a->factors[i] < b->factors[i] ? 1 : -1;
    return 0;
}

static bool is_small(int64_t value) {
    return value >= -OB_DIM_CONST_MAX && value <= OB_DIM_CONST_MAX;
}

void ob__poly_read(const int64_t *words, uint32_t n_words, ob_poly *out) {
    ob__poly_constant(out, words[0]);
    for (uint32_t i = 1; i < n_words;) {
        ob_monomial *m = &out->monomials[out->n++];
        m->coefficient = words[i];
        m->n_factors = (uint32_t)words[i + 1];
        memcpy(m->factors, &words[i + 2], m->n_factors * sizeof *m->factors);
        i += 2 + m->n_factors;
    }
}

bool ob__poly_load(const ob_dims *pool, ob_dim d, ob_poly *out) {
    out->constant = 0;
    out->n = 0;
    if (ob_dim_is_const(d)) {
        out->constant = d;
        return true;
    }
    const ob_term *term = ob__term(pool, d);
    if (!term) return false;
    if (term->kind != OB_DIM_KIND_SUM) {
        ob_monomial *m = &out->monomials[out->n++];
        m->coefficient = 1;
        m->n_factors = 1;
        m->factors[0] = d;
        return true;
    }
    ob__poly_read(term->words, term->n_words, out);
    return true;
}

static ob_dim store(ob_dims *pool, const ob_poly *poly) {
    if (!is_small(poly->constant)) return OB_DIM_UNKNOWN;
    if (poly->n == 0) return poly->constant;
    const ob_monomial *first = &poly->monomials[0];
    if (poly->n == 1 && poly->constant == 0 && first->coefficient == 1 && first->n_factors == 1) return first->factors[0];
    uint32_t n = 1 + 2 * poly->n;
    for (uint32_t i = 0; i < poly->n; i++) n += poly->monomials[i].n_factors;
    ob_scratch_scope scope __attribute__((cleanup(ob__scratch_end))) = ob__scratch_begin(pool, n * sizeof(int64_t));
    int64_t *words = scope.memory;
    if (!words) return OB_DIM_UNKNOWN;
    n = 0;
    words[n++] = poly->constant;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        words[n++] = m->coefficient;
        words[n++] = m->n_factors;
        memcpy(&words[n], m->factors, m->n_factors * sizeof *m->factors);
        n += m->n_factors;
    }
    return ob__term_intern(pool, OB_DIM_KIND_SUM, words, n);
}

ob_dim ob__poly_store(ob_dims *pool, const ob_poly *poly) {
    if (!pool || !pool->assumed) return store(pool, poly);
    OB_POLYS(pool, joined, 1);
    if (!joined) return OB_DIM_UNKNOWN;
    ob__poly_copy(joined, poly);
    ob__poly_join_multiples(pool, joined);
    return store(pool, joined);
}

/* value = a + factor * b within the constant range. */
static bool add_scaled(int64_t a, int64_t b, int64_t factor, int64_t *value) {
    int64_t product;
    return !ob__mul_overflows(b, factor, &product) && !ob__add_overflows(a, product, value) && is_small(*value);
}

bool ob__poly_append(ob_poly *out, const ob_monomial *m, int64_t coefficient) {
    if (coefficient == 0) return true;
    if (out->n == OB_TERM_MONOMIALS) return false;
    ob__monomial_copy(&out->monomials[out->n], m);
    out->monomials[out->n++].coefficient = coefficient;
    return true;
}

bool ob__poly_add(const ob_poly *a, const ob_poly *b, int64_t factor, ob_poly *out) {
    out->n = 0;
    if (!add_scaled(a->constant, b->constant, factor, &out->constant)) return false;
    uint32_t i = 0, k = 0;
    while (i < a->n || k < b->n) {
        int order = i == a->n ? -1 : k == b->n ? 1 : ob__monomial_compare(&a->monomials[i], &b->monomials[k]);
        int64_t coefficient = order >= 0 ? a->monomials[i].coefficient : 0;
        if (order <= 0 && !add_scaled(coefficient, b->monomials[k].coefficient, factor, &coefficient)) return false;
        if (!ob__poly_append(out, order >= 0 ? &a->monomials[i] : &b->monomials[k], coefficient)) return false;
        i += order >= 0;
        k += order <= 0;
    }
    return true;
}

void ob__poly_without(const ob_poly *a, uint32_t at, ob_poly *out) {
    ob__poly_constant(out, a->constant);
    for (uint32_t i = 0; i < a->n; i++)
        if (i != at) ob__monomial_copy(&out->monomials[out->n++], &a->monomials[i]);
}

bool ob__poly_scale(const ob_poly *a, int64_t factor, ob_poly *out) {
    ob__poly_constant(out, 0);
    if (!add_scaled(0, a->constant, factor, &out->constant)) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        int64_t coefficient;
        if (!add_scaled(0, a->monomials[i].coefficient, factor, &coefficient)) return false;
        ob__poly_append(out, &a->monomials[i], coefficient);
    }
    return true;
}

/* out = m * n, factors merged in order. */
static bool multiply_monomials(const ob_monomial *m, const ob_monomial *n, ob_monomial *out) {
    if (m->n_factors + n->n_factors > OB_TERM_DEGREE) return false;
    if (ob__mul_overflows(m->coefficient, n->coefficient, &out->coefficient) || !is_small(out->coefficient)) return false;
    uint32_t i = 0, k = 0;
    out->n_factors = 0;
    while (i < m->n_factors || k < n->n_factors) {
        bool left = k == n->n_factors || (i < m->n_factors && m->factors[i] <= n->factors[k]);
        out->factors[out->n_factors++] = left ? m->factors[i++] : n->factors[k++];
    }
    return true;
}

/* out += m, at its place. */
static bool insert(ob_poly *out, const ob_monomial *m) {
    uint32_t i = 0;
    for (; i < out->n; i++) {
        int order = ob__monomial_compare(m, &out->monomials[i]);
        if (order > 0) break;
        if (order < 0) continue;
        if (!add_scaled(out->monomials[i].coefficient, m->coefficient, 1, &out->monomials[i].coefficient)) return false;
        if (out->monomials[i].coefficient == 0) {
            for (uint32_t k = i + 1; k < out->n; k++) ob__monomial_copy(&out->monomials[k - 1], &out->monomials[k]);
            out->n--;
        }
        return true;
    }
    if (m->coefficient == 0) return true;
    if (out->n == OB_TERM_MONOMIALS) return false;
    for (uint32_t k = out->n; k > i; k--) ob__monomial_copy(&out->monomials[k], &out->monomials[k - 1]);
    ob__monomial_copy(&out->monomials[i], m);
    out->n++;
    return true;
}

bool ob__poly_mul(const ob_poly *a, const ob_poly *b, ob_poly *out) {
    out->n = 0;
    if (!add_scaled(0, a->constant, b->constant, &out->constant)) return false;
    ob_monomial product;
    for (uint32_t i = 0; i < a->n; i++) {
        for (uint32_t k = 0; k < b->n; k++)
            if (!multiply_monomials(&a->monomials[i], &b->monomials[k], &product) || !insert(out, &product)) return false;
    }
    for (int side = 0; side < 2; side++) {
        const ob_poly *poly = side ? b : a;
        int64_t constant = side ? a->constant : b->constant;
        for (uint32_t i = 0; i < poly->n; i++) {
            ob__monomial_copy(&product, &poly->monomials[i]);
            if (!add_scaled(0, product.coefficient, constant, &product.coefficient) || !insert(out, &product)) return false;
        }
    }
    return true;
}

/* ---- Division ---- */

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

/* The first monomial, or the constant if there is no monomial. */
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

bool ob__poly_divide(const ob_dims *pool, const ob_poly *a, const ob_poly *b, ob_poly *quotient, ob_poly *rest) {
    OB_POLYS(pool, part, 3);
    ob_poly *product = part + 1, *next = part + 2;
    if (!part) return false;
    ob_monomial lead, first, term;
    ob__poly_copy(rest, a);
    ob__poly_constant(quotient, 0);
    leading(b, &lead);
    if (lead.coefficient == 0) return false;
    while (rest->n > 0 || rest->constant != 0) { /* the leading monomial decreases with each iteration */
        leading(rest, &first);
        if (!divide_monomial(&first, &lead, &term)) break;
        poly_of_monomial(&term, part);
        if (!ob__poly_add(quotient, part, 1, next)) return false;
        ob__poly_copy(quotient, next);
        if (!ob__poly_mul(part, b, product) || !ob__poly_add(rest, product, -1, next)) return false;
        ob__poly_copy(rest, next);
    }
    return true;
}

int64_t ob__poly_gcd(const ob_poly *poly, int64_t start) {
    int64_t gcd = start < 0 ? -start : start;
    for (uint32_t i = 0; i < poly->n; i++) gcd = ob__gcd(gcd, poly->monomials[i].coefficient);
    return gcd;
}
