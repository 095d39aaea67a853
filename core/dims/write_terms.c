/* Terms that are no symbols, as text. */
#include "core/dims/algebra.h"
#include "core/dims/scratch.h"

/* Appends an addend to the text: "a", "-a", " + a", " - a". */
static void write_sign(ob_writer *writer, bool negative, bool first) {
    ob__write(writer, first ? negative ? "-" : "" : negative ? " - " : " + ");
}

static void write_monomial(ob_writer *writer, const ob_dims *pool, const ob_monomial *m, int64_t coefficient) {
    if (coefficient != 1) ob__write_int(writer, coefficient);
    for (uint32_t k = 0; k < m->n_factors; k++) {
        if (k > 0 || coefficient != 1) ob__write(writer, "*");
        ob__write_dim(writer, pool, m->factors[k]);
    }
}

/* Positive terms first: "4 - N" reads better than "-N + 4". */
static void write_addends(ob_writer *writer, const ob_dims *pool, const ob_poly *poly, bool first) {
    int64_t constant = poly->constant;
    for (int negative = 0; negative < 2; negative++) {
        if (negative && first && constant > 0) {
            ob__write_int(writer, constant);
            constant = 0;
            first = false;
        }
        for (uint32_t i = 0; i < poly->n; i++) {
            const ob_monomial *m = &poly->monomials[i];
            if ((m->coefficient < 0) != negative) continue;
            write_sign(writer, negative, first);
            first = false;
            write_monomial(writer, pool, m, negative ? -m->coefficient : m->coefficient);
        }
    }
    if (constant != 0 || (first && poly->n == 0)) {
        write_sign(writer, constant < 0, first);
        ob__write_int(writer, constant < 0 ? -constant : constant);
    }
}

/* Can this be written before % or / without parentheses? */
static bool is_factor(const ob_poly *poly) {
    return poly->constant == 0 && poly->n == 1 && poly->monomials[0].coefficient == 1 && poly->monomials[0].n_factors == 1;
}

static void write_grouped(ob_writer *writer, const ob_dims *pool, const ob_poly *poly, bool parentheses) {
    if (parentheses) ob__write(writer, "(");
    write_addends(writer, pool, poly, true);
    if (parentheses) ob__write(writer, ")");
}

/* Is the monomial -times * c*floor(a/c), for a number c, or for a product that is not a sum? Then the quotient, otherwise
 * NULL. */
static const ob_term *find_multiple(const ob_dims *pool, const ob_monomial *m, int64_t *times) {
    if (m->n_factors == 1) {
        const ob_term *term = ob__term(pool, m->factors[0]);
        if (!term || term->kind != OB_DIM_KIND_DIV || m->coefficient % term->words[1] != 0) return NULL;
        *times = -(m->coefficient / term->words[1]);
        return term;
    }
    OB_POLYS(pool, divisor, 1);
    if (!divisor) return NULL;
    for (uint32_t k = 0; k < m->n_factors; k++) {
        const ob_term *term = ob__term(pool, m->factors[k]);
        if (!term || term->kind != OB_DIM_KIND_QUOTIENT || !ob__poly_load(pool, term->words[1], divisor)) continue;
        const ob_monomial *by = &divisor->monomials[0];
        if (divisor->n != 1 || divisor->constant != 0 || by->n_factors != m->n_factors - 1 || m->coefficient % by->coefficient)
            continue;
        uint32_t same = 0;
        while (same < by->n_factors && by->factors[same] == m->factors[same + (same >= k)]) same++;
        if (same < by->n_factors) continue;
        *times = -(m->coefficient / by->coefficient);
        return term;
    }
    return NULL;
}

/* poly = times * (a - c*floor(a/c)) + rest, with all of a in poly: `a`, *divisor c. */
static bool find_remainder(const ob_dims *pool, const ob_poly *poly, ob_poly *a, ob_dim *divisor, int64_t *times, ob_poly *rest) {
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        const ob_term *term = m->coefficient < 0 ? find_multiple(pool, m, times) : NULL;
        if (!term || *times < 1) continue;
        *divisor = term->words[1];
        OB_POLYS(pool, others, 1);
        if (!others) return false;
        ob__poly_without(poly, i, others);
        if (ob__poly_load(pool, term->words[0], a) && ob__poly_add(others, a, -*times, rest) && rest->n + a->n == others->n)
            return true;
    }
    return false;
}

/* H - 2*floor(H/2) is H % 2. */
static bool write_remainder(ob_writer *writer, const ob_dims *pool, const ob_poly *poly) {
    OB_POLYS(pool, a, 2);
    ob_poly *rest = a + 1;
    if (!a) return false;
    ob_dim divisor;
    int64_t times;
    if (!find_remainder(pool, poly, a, &divisor, &times, rest)) return false;
    bool alone = times == 1 && rest->n == 0 && rest->constant == 0;
    if (times != 1) {
        ob__write_int(writer, times);
        ob__write(writer, "*");
    }
    if (!alone) ob__write(writer, "(");
    write_grouped(writer, pool, a, !is_factor(a));
    ob__write(writer, " % ");
    ob__write_factor(writer, pool, divisor);
    if (!alone) ob__write(writer, ")");
    if (rest->n > 0 || rest->constant != 0) write_addends(writer, pool, rest, false);
    return true;
}

static void write_sum(ob_writer *writer, const ob_dims *pool, ob_dim d) {
    OB_POLYS(pool, poly, 1);
    if (!poly) ob__write(writer, "?"); /* no memory: the text is not complete */
    if (poly && ob__poly_load(pool, d, poly) && !write_remainder(writer, pool, poly)) write_addends(writer, pool, poly, true);
}

/* floor((H + 6)/7) is ceil(H/7). */
static void write_quotient(ob_writer *writer, const ob_dims *pool, const ob_term *term) {
    OB_POLYS(pool, numerator, 1);
    if (!numerator) ob__write(writer, "?");
    if (!numerator || !ob__poly_load(pool, term->words[0], numerator)) return;
    bool up = term->kind == OB_DIM_KIND_DIV && numerator->constant == term->words[1] - 1;
    if (up) numerator->constant = 0;
    ob__write(writer, up ? "ceil(" : "floor(");
    write_grouped(writer, pool, numerator, numerator->n > 0 && (numerator->constant != 0 || numerator->n != 1));
    ob__write(writer, "/");
    ob__write_factor(writer, pool, term->words[1]);
    ob__write(writer, ")");
}

/* A constant, the first of the members if there is one, comes last: "min(N, 512)". */
static void write_members(ob_writer *writer, const ob_dims *pool, const char *start, const ob_term *term) {
    uint32_t first = ob_dim_is_const(term->words[0]) ? 1 : 0;
    ob__write(writer, start);
    for (uint32_t i = 0; i < term->n_words; i++) {
        if (i > 0) ob__write(writer, ", ");
        ob__write_dim(writer, pool, term->words[(i + first) % term->n_words]);
    }
    ob__write(writer, ")");
}

void ob__terms_write(ob_writer *writer, const ob_dims *pool, ob_dim d) {
    const ob_term *term = ob__term(pool, d);
    switch (term->kind) {
    case OB_DIM_KIND_SUM: write_sum(writer, pool, d); break;
    case OB_DIM_KIND_DIV:
    case OB_DIM_KIND_QUOTIENT: write_quotient(writer, pool, term); break;
    case OB_DIM_KIND_MIN: write_members(writer, pool, "min(", term); break;
    case OB_DIM_KIND_MAX: write_members(writer, pool, "max(", term); break;
    default: write_members(writer, pool, "bcast(", term);
    }
}
