/* Clauses as text. */
#include "core/error.h"
#include "core/solve.h"
#include "core/terms.h"

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
    ob_poly all, positive = {0}, negative = {0};
    if (!ob__poly_load(dims, p, &all)) return false;
    for (uint32_t i = 0; i < all.n; i++) {
        const ob_monomial *m = &all.monomials[i];
        bool fits =
            m->coefficient > 0 ? ob__poly_append(&positive, m, m->coefficient) : ob__poly_append(&negative, m, -m->coefficient);
        if (!fits) return false;
    }
    if (all.constant > 0 && positive.n > 0 && negative.n > 0)
        positive.constant = all.constant;
    else if (all.constant < 0 || negative.n == 0)
        negative.constant = -all.constant;
    else
        positive.constant = all.constant;
    *left = ob__poly_store(dims, &positive);
    *right = ob__poly_store(dims, &negative);
    return *left != OB_DIM_UNKNOWN && *right != OB_DIM_UNKNOWN;
}

static void write_relation(ob_text *text, ob_dims *dims, ob_dim p, const char *relation, const char *turned) {
    ob_dim left, right;
    if (!split(dims, p, &left, &right)) {
        left = p;
        right = 0;
    } else if (ob_dim_is_const(left)) { /* "N <= 5", not "5 >= N" */
        ob_dim other = left;
        left = right;
        right = other;
        relation = turned;
    }
    write_dim(text, dims, left);
    ob__text_puts(text, relation);
    write_dim(text, dims, right);
}

static void write_multiple(ob_text *text, ob_dims *dims, const ob_literal *literal, const char *relation) {
    bool sum = ob_dim_get_kind(dims, literal->p) == OB_DIM_KIND_SUM,
         long_divisor = ob_dim_get_kind(dims, literal->q) == OB_DIM_KIND_SUM;
    ob__text_puts(text, sum ? "(" : "");
    write_dim(text, dims, literal->p);
    ob__text_puts(text, sum ? ") % " : " % ");
    ob__text_puts(text, long_divisor ? "(" : "");
    write_dim(text, dims, literal->q);
    ob__text_puts(text, long_divisor ? ")" : "");
    ob__text_puts(text, relation);
}

void ob__literal_write(ob_text *text, ob_dims *dims, const ob_literal *literal) {
    switch (literal->kind) {
    case OB_LITERAL_ZERO: write_relation(text, dims, literal->p, " = ", " = "); break;
    case OB_LITERAL_NONZERO: write_relation(text, dims, literal->p, " != ", " != "); break;
    case OB_LITERAL_NONNEGATIVE: write_relation(text, dims, literal->p, " >= ", " <= "); break;
    case OB_LITERAL_DIVIDES: write_multiple(text, dims, literal, " = 0"); break;
    case OB_LITERAL_NOT_DIVIDES: write_multiple(text, dims, literal, " != 0"); break;
    }
}

/* What a guard asks for: the opposite of its literal, which is 1 or more where the requirement matters. */
static void write_guard(ob_text *text, ob_dims *dims, const ob_literal *negated) {
    ob_dim p = ob_dim_sub(dims, ob_dim_sub(dims, 0, negated->p), 1);
    const ob_literal guard = {OB_LITERAL_NONNEGATIVE, p, 0};
    ob__literal_write(text, dims, p == OB_DIM_UNKNOWN ? negated : &guard);
}

void ob__solved_write(ob_text *text, ob_dims *dims, const ob_solved_clause *clause) {
    for (uint32_t i = 0; i < clause->n_guard; i++) {
        ob__text_puts(text, i == 0 ? "if " : " and ");
        write_guard(text, dims, &clause->literals[i]);
    }
    if (clause->n_guard) ob__text_puts(text, ": ");
    for (uint32_t i = clause->n_guard; i < clause->n; i++) {
        if (i > clause->n_guard) ob__text_puts(text, " or ");
        ob__literal_write(text, dims, &clause->literals[i]);
    }
    if (clause->n == clause->n_guard) ob__text_puts(text, "never");
}
