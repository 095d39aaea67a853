/* Clauses as text. */
#include "core/base/integers.h"
#include "core/base/text.h"
#include "core/dims/scratch.h"
#include "core/dims/terms.h"
#include "core/solve/solve.h"

static void write_dim(ob_text *text, const ob_dims *dims, ob_dim d) {
    char few[128];
    size_t n = ob_dim_format(dims, d, few, sizeof few);
    if (n < sizeof few) {
        ob__text_append(text, few, n);
        return;
    }
    char *long_text = text->allocator.alloc(text->allocator.context, n + 1);
    if (!long_text) {
        text->failed = true;
        return;
    }
    ob_dim_format(dims, d, long_text, n + 1);
    ob__text_append(text, long_text, n);
    text->allocator.free(text->allocator.context, long_text, n + 1);
}

/* p as left - right without negative coefficients: "N - 3*M - 2" is N against 3*M + 2. */
static bool split(ob_dims *dims, ob_dim p, ob_dim *left, ob_dim *right) {
    OB_POLYS(dims, all, 3);
    ob_poly *positive = all + 1, *negative = all + 2;
    if (!all) return false;
    ob__poly_constant(positive, 0);
    ob__poly_constant(negative, 0);
    if (!ob__poly_load(dims, p, all)) return false;
    for (uint32_t i = 0; i < all->n; i++) {
        const ob_monomial *m = &all->monomials[i];
        bool fits =
            m->coefficient > 0 ? ob__poly_append(positive, m, m->coefficient) : ob__poly_append(negative, m, -m->coefficient);
        if (!fits) return false;
    }
    if (all->constant > 0 && positive->n > 0 && negative->n > 0)
        positive->constant = all->constant;
    else if (all->constant < 0 || negative->n == 0)
        negative->constant = -all->constant;
    else
        positive->constant = all->constant;
    *left = ob__poly_store(dims, positive);
    *right = ob__poly_store(dims, negative);
    return *left != OB_DIM_UNKNOWN && *right != OB_DIM_UNKNOWN;
}

static void write_relation(ob_text *text, ob_dims *dims, ob_dim p, const char *relation, const char *turned) {
    ob_dim left, right;
    if (!split(dims, p, &left, &right)) {
        left = p;
        right = 0;
    } else if (ob_dim_is_const(left) || (ob_dim_get_kind(dims, right) == OB_DIM_KIND_SYMBOL &&
                                         ob_dim_get_kind(dims, left) != OB_DIM_KIND_SYMBOL)) { /* "N <= 5", not "5 >= N" */
        ob_dim other = left;
        left = right;
        right = other;
        relation = turned;
    }
    write_dim(text, dims, left);
    ob__text_puts(text, relation);
    write_dim(text, dims, right);
}

/* ---- Remainders ---- */

static void write_remainder(ob_text *text, const ob_dims *dims, ob_dim a, ob_dim divisor) {
    bool sum = ob_dim_get_kind(dims, a) == OB_DIM_KIND_SUM, long_divisor = ob_dim_get_kind(dims, divisor) == OB_DIM_KIND_SUM;
    ob__text_puts(text, sum ? "(" : "");
    write_dim(text, dims, a);
    ob__text_puts(text, sum ? ") % " : " % ");
    ob__text_puts(text, long_divisor ? "(" : "");
    write_dim(text, dims, divisor);
    ob__text_puts(text, long_divisor ? ")" : "");
}

/* x + c modulo q is x modulo q with another rest: "N % 4 = 1", not "(N + 3) % 4 = 0". False: p is not of that form. */
static bool rest_of_symbol(ob_dims *dims, const ob_literal *literal, ob_dim *symbol, int64_t *rest) {
    OB_POLYS(dims, p, 1);
    if (!p) return false;
    if ((literal->kind != OB_LITERAL_DIVIDES && literal->kind != OB_LITERAL_NOT_DIVIDES) || !ob_dim_is_const(literal->q) ||
        literal->q < 1 || !ob__poly_load(dims, literal->p, p) || p->n != 1 || p->monomials[0].n_factors != 1 ||
        p->monomials[0].coefficient != 1)
        return false;
    *symbol = p->monomials[0].factors[0];
    *rest = -p->constant - ob__floor_div(-p->constant, literal->q) * literal->q;
    return true;
}

static void write_multiple(ob_text *text, ob_dims *dims, const ob_literal *literal) {
    const char *relation = literal->kind == OB_LITERAL_DIVIDES ? " = " : " != ";
    ob_dim a = literal->p;
    int64_t rest = 0;
    if (!rest_of_symbol(dims, literal, &a, &rest)) rest = 0;
    write_remainder(text, dims, a, literal->q);
    ob__text_puts(text, relation);
    write_dim(text, dims, rest);
}

/* A quotient among the factors of m: by a number if it is alone, by a term anywhere. */
static const ob_term *quotient_in(const ob_dims *dims, const ob_monomial *m, ob_dim *quotient) {
    for (uint32_t k = 0; k < m->n_factors; k++) {
        const ob_term *term = ob__term(dims, *quotient = m->factors[k]);
        if (term && (term->kind == OB_DIM_KIND_QUOTIENT || (term->kind == OB_DIM_KIND_DIV && m->n_factors == 1))) return term;
    }
    return NULL;
}

/* p = bound - a % c (most) or a % c - bound (least), with a % c as a - c*floor(a/c). Not "a % b = 0" by a term b, nor its
 * opposite: these are read as divisions, which differ where b is below 1. */
static bool write_bounded_remainder(ob_text *text, ob_dims *dims, ob_dim p, const char *most, const char *least) {
    OB_POLYS(dims, poly, 1);
    if (!poly) return false;
    if (!ob__poly_load(dims, p, poly)) return false;
    for (uint32_t i = 0; i < poly->n; i++) {
        const ob_monomial *m = &poly->monomials[i];
        ob_dim quotient;
        const ob_term *term = quotient_in(dims, m, &quotient);
        if (!term) continue;
        const bool by_term = term->kind == OB_DIM_KIND_QUOTIENT; /* the terms may move */
        ob_dim a = term->words[0], divisor = term->words[1], rest = ob_dim_sub(dims, a, ob_dim_mul(dims, divisor, quotient));
        ob_dim bound = m->coefficient > 0 ? ob_dim_add(dims, p, rest) : ob_dim_sub(dims, rest, p);
        if (!ob_dim_is_const(bound) || (bound == 0 && most == least && by_term)) continue;
        write_remainder(text, dims, a, divisor);
        ob__text_puts(text, m->coefficient > 0 ? most : least);
        write_dim(text, dims, bound);
        return true;
    }
    return false;
}

/* A symbol, or with a divisor its remainder, less a number. */
typedef struct shifted_term {
    ob_dim symbol, divisor; /* divisor 0: no remainder */
    int64_t least;
} shifted_term;

static bool shifted_term_of(ob_dims *dims, ob_dim d, shifted_term *out) {
    OB_POLYS(dims, p, 1);
    if (!p || !ob__poly_load(dims, d, p)) return false;
    *out = (shifted_term){.least = -p->constant};
    if (p->n == 1 && p->monomials[0].n_factors == 1 && p->monomials[0].coefficient == 1) {
        out->symbol = p->monomials[0].factors[0];
        return true;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        const ob_monomial *m = &p->monomials[i];
        const ob_term *term = m->n_factors == 1 ? ob__term(dims, m->factors[0]) : NULL;
        if (!term || term->kind != OB_DIM_KIND_DIV || m->coefficient != -term->words[1]) continue;
        ob_dim a = term->words[0], divisor = term->words[1], quotient = m->factors[0];
        ob_dim least = ob_dim_sub(dims, ob_dim_sub(dims, a, ob_dim_mul(dims, divisor, quotient)), d);
        if (!ob_dim_is_const(least)) continue;
        *out = (shifted_term){a, divisor, least};
        return true;
    }
    return false;
}

/* Both ends of a symbol or a remainder in one: min(x - least, greatest - x) >= 0. */
static bool write_range(ob_text *text, ob_dims *dims, ob_dim p) {
    OB_POLYS(dims, poly, 1);
    if (!poly) return false;
    if (!ob__poly_load(dims, p, poly) || poly->n == 0) return false;
    const ob_term *term = NULL;
    uint32_t at = 0;
    for (; at < poly->n; at++) {
        const ob_monomial *m = &poly->monomials[at];
        term = m->n_factors == 1 && m->coefficient > 0 ? ob__term(dims, m->factors[0]) : NULL;
        if (term && term->kind == OB_DIM_KIND_MIN && term->n_words == 2) break;
    }
    if (at == poly->n) return false;
    const ob_dim *members = term->words;
    int64_t part = poly->monomials[at].coefficient;
    ob_dim rest = ob_dim_sub(dims, p, ob_dim_mul(dims, part, poly->monomials[at].factors[0])), ends[2];
    for (int i = 0; i < 2; i++) ends[i] = ob_dim_add(dims, ob_dim_mul(dims, part, members[i]), rest);
    ob_dim width = ob_dim_add(dims, ends[0], ends[1]);
    if (!ob_dim_is_const(width)) return false;
    for (int i = 0; i < 2; i++) {
        shifted_term of;
        if (!shifted_term_of(dims, ends[i], &of)) continue;
        write_dim(text, dims, of.least);
        ob__text_puts(text, " <= ");
        if (of.divisor)
            write_remainder(text, dims, of.symbol, of.divisor);
        else
            write_dim(text, dims, of.symbol);
        ob__text_puts(text, " <= ");
        write_dim(text, dims, width + of.least);
        return true;
    }
    return false;
}

/* max(members) = min(members): a number, the first of the members if there is one, comes last. */
static bool write_chain(ob_text *text, const ob_dims *dims, ob_dim p) {
    OB_POLYS(dims, poly, 1);
    if (!poly) return false;
    const ob_term *term = ob__poly_load(dims, p, poly) ? ob__poly_spread(dims, poly) : NULL;
    if (!term) return false;
    uint32_t first = ob_dim_is_const(term->words[0]) ? 1 : 0;
    for (uint32_t i = 0; i < term->n_words; i++) {
        ob__text_puts(text, i ? " = " : "");
        write_dim(text, dims, term->words[(i + first) % term->n_words]);
    }
    return true;
}

/* ---- Literals ---- */

void ob__literal_write(ob_text *text, ob_dims *dims, const ob_literal *literal) {
    static const char equal[] = " = ", unequal[] = " != ";
    switch (literal->kind) {
    case OB_LITERAL_ZERO:
        if (!write_chain(text, dims, literal->p) && !write_bounded_remainder(text, dims, literal->p, equal, equal))
            write_relation(text, dims, literal->p, " = ", " = ");
        break;
    case OB_LITERAL_NONZERO:
        if (!write_bounded_remainder(text, dims, literal->p, unequal, unequal))
            write_relation(text, dims, literal->p, " != ", " != ");
        break;
    case OB_LITERAL_NONNEGATIVE:
        if (!write_range(text, dims, literal->p) && !write_bounded_remainder(text, dims, literal->p, " <= ", " >= "))
            write_relation(text, dims, literal->p, " >= ", " <= ");
        break;
    case OB_LITERAL_DIVIDES:
    case OB_LITERAL_NOT_DIVIDES: write_multiple(text, dims, literal); break;
    }
}

/* The condition of a guard: the opposite of its literal. */
static void write_guard(ob_text *text, ob_dims *dims, const ob_literal *negated) {
    static const ob_literal_kind opposite[] = {[OB_LITERAL_ZERO] = OB_LITERAL_NONZERO,
                                               [OB_LITERAL_NONZERO] = OB_LITERAL_ZERO,
                                               [OB_LITERAL_NONNEGATIVE] = OB_LITERAL_NONNEGATIVE,
                                               [OB_LITERAL_DIVIDES] = OB_LITERAL_NOT_DIVIDES,
                                               [OB_LITERAL_NOT_DIVIDES] = OB_LITERAL_DIVIDES};
    ob_literal guard = {opposite[negated->kind], negated->p, negated->q};
    int64_t low, high;
    ob_dim_bounds(dims, negated->p, &low, &high);
    if (negated->kind == OB_LITERAL_NONNEGATIVE) guard.p = ob_dim_sub(dims, -1, negated->p);
    if (negated->kind == OB_LITERAL_ZERO && low >= 0) /* "T >= 1", not "T != 0" */
        guard = (ob_literal){OB_LITERAL_NONNEGATIVE, ob_dim_sub(dims, negated->p, 1), 0};
    ob_dim_bounds(dims, guard.p, &low, &high);
    if (guard.kind == OB_LITERAL_NONNEGATIVE && high == 0) guard.kind = OB_LITERAL_ZERO; /* "T = 0", not "T <= 0" */
    ob__literal_write(text, dims, guard.p == OB_DIM_UNKNOWN ? negated : &guard);
}

/* ---- Clauses ---- */

/* "x = number"; false: it is not of that form. */
static bool is_value(const ob_dims *dims, const ob_literal *literal, ob_dim *symbol, int64_t *value) {
    OB_POLYS(dims, p, 1);
    if (!p) return false;
    if (literal->kind != OB_LITERAL_ZERO || !ob__poly_load(dims, literal->p, p) || p->n != 1 || p->monomials[0].n_factors != 1 ||
        p->monomials[0].coefficient != 1)
        return false;
    *symbol = p->monomials[0].factors[0];
    *value = -p->constant;
    return true;
}

/* The set that a literal belongs to: values of one symbol, or rests of one symbol by one divisor. */
typedef struct member {
    bool any, rests;
    ob_dim symbol, divisor;
    int64_t value;
} member;

static member member_of(ob_dims *dims, const ob_literal *literal) {
    member m = {0};
    if (is_value(dims, literal, &m.symbol, &m.value)) {
        m.any = true;
    } else if (literal->kind == OB_LITERAL_DIVIDES && rest_of_symbol(dims, literal, &m.symbol, &m.value)) {
        m.any = m.rests = true;
        m.divisor = literal->q;
    }
    return m;
}

static bool same_set(const member *a, const member *b) {
    return a->any && b->any && a->rests == b->rests && a->symbol == b->symbol && a->divisor == b->divisor;
}

/* The smallest value above `after` of the literals in the set of `one`. */
static bool next_value(ob_dims *dims, const ob_solved_clause *clause, const member *one, int64_t after, int64_t *out) {
    bool found = false;
    for (uint32_t i = clause->n_guard; i < clause->n; i++) {
        member other = member_of(dims, &clause->literals[i]);
        if (!same_set(one, &other) || other.value <= after || (found && other.value >= *out)) continue;
        *out = other.value;
        found = true;
    }
    return found;
}

static void write_set(ob_text *text, ob_dims *dims, const ob_solved_clause *clause, const member *one) {
    if (one->rests)
        write_remainder(text, dims, one->symbol, one->divisor);
    else
        write_dim(text, dims, one->symbol);
    int64_t value = -OB_DIM_CONST_MAX;
    for (const char *before = " in {"; next_value(dims, clause, one, value, &value); before = ", ") {
        ob__text_puts(text, before);
        write_dim(text, dims, value);
    }
    ob__text_puts(text, "}");
}

void ob__solved_write(ob_text *text, ob_dims *dims, const ob_solved_clause *solved) {
    ob_solved_clause whole = *solved;
    const ob_solved_clause *clause = &whole;
    if (whole.n_guard == whole.n) whole.n_guard = 0; /* the guarded part cannot hold: "T = 0", not "if T >= 1: never" */
    for (uint32_t i = 0; i < clause->n_guard; i++) {
        ob__text_puts(text, i == 0 ? "if " : " and ");
        write_guard(text, dims, &clause->literals[i]);
    }
    if (clause->n_guard) ob__text_puts(text, ": ");
    bool first = true;
    for (uint32_t i = clause->n_guard; i < clause->n; i++) {
        member one = member_of(dims, &clause->literals[i]), other;
        uint32_t n_same = 0, n_before = 0;
        for (uint32_t k = clause->n_guard; k < clause->n && one.any; k++) {
            other = member_of(dims, &clause->literals[k]);
            n_same += same_set(&one, &other);
            n_before += k < i && same_set(&one, &other);
        }
        bool set = n_same > 2 || (n_same > 1 && one.rests);
        if (set && n_before > 0) continue;
        ob__text_puts(text, first ? "" : " or ");
        first = false;
        if (set)
            write_set(text, dims, clause, &one);
        else
            ob__literal_write(text, dims, &clause->literals[i]);
    }
    if (clause->n == 0) ob__text_puts(text, "never");
}
