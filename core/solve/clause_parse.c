/* Clauses from text: reads the form of ob__solved_write back to equivalent literals. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/parse.h"
#include "core/solve/solve.h"

enum { MAX_LITERALS = 256, MAX_GUARDS = 16 };

typedef struct clause_parser {
    ob_parser text;
    char *copy; /* the text that is read */
    ob_literal literals[MAX_LITERALS];
    uint32_t n;
} clause_parser;

static ob_status add(clause_parser *c, const char *at, ob_literal_kind kind, ob_dim p, ob_dim q) {
    if (p == OB_DIM_UNKNOWN || q == OB_DIM_UNKNOWN) return ob__parse_too_large(&c->text, at);
    OB_FAIL_IF(c->n == MAX_LITERALS, c->text.error, OB_E_LIMIT, "\"%.200s\": more than %d alternatives", c->text.text,
               MAX_LITERALS);
    c->literals[c->n++] = (ob_literal){kind, p, q};
    return OB_OK;
}

/* ---- Relations ---- */

/* a = b, or not; "x % q = r" is a division. */
static ob_status add_equation(clause_parser *c, const ob_parsed_sum *a, bool equal, const ob_parsed_sum *b) {
    ob_dims *dims = c->text.pool;
    bool fits = a->divisor != 0 && ob_dim_is_const(b->dim) && b->dim >= 0;
    if (fits && (b->dim == 0 || (ob_dim_is_const(a->divisor) && b->dim < a->divisor)))
        return add(c, a->at, equal ? OB_LITERAL_DIVIDES : OB_LITERAL_NOT_DIVIDES, ob_dim_sub(dims, a->dividend, b->dim),
                   a->divisor);
    if (a->dim == OB_DIM_UNKNOWN || b->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(&c->text, a->at);
    return add(c, a->at, equal ? OB_LITERAL_ZERO : OB_LITERAL_NONZERO, ob_dim_sub(dims, a->dim, b->dim), 0);
}

/* p of p >= 0. */
static ob_dim difference(ob_dims *dims, const ob_parsed_sum *a, const char *sign, const ob_parsed_sum *b) {
    ob_dim p = sign[0] == '>' ? ob_dim_sub(dims, a->dim, b->dim) : ob_dim_sub(dims, b->dim, a->dim);
    return sign[1] == '=' ? p : ob_dim_sub(dims, p, 1);
}

static bool next_is_equation(ob_parser *p) {
    ob__parse_space(p);
    return *p->at == '=';
}

/* "N = M = 5" is one literal: the greatest of them is the least. */
static ob_status read_chain(clause_parser *c, const ob_parsed_sum *first, const ob_parsed_sum *second) {
    ob_parser *p = &c->text;
    ob_dims *dims = p->pool;
    ob_parsed_sum next;
    if (first->dim == OB_DIM_UNKNOWN || second->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, first->at);
    ob_dim least = ob_dim_min(dims, first->dim, second->dim), greatest = ob_dim_max(dims, first->dim, second->dim);
    while (ob__parse_relation(p)) {
        OB_TRY(ob__parse_sum(p, &next));
        least = ob_dim_min(dims, least, next.dim);
        greatest = ob_dim_max(dims, greatest, next.dim);
        if (least == OB_DIM_UNKNOWN || greatest == OB_DIM_UNKNOWN) return ob__parse_too_large(p, next.at);
        if (!next_is_equation(p)) break;
    }
    return add(c, first->at, OB_LITERAL_ZERO, ob_dim_sub(dims, greatest, least), 0);
}

/* One relation, or a range: "1 <= N <= 512" is one literal, the least of both differences. */
static ob_status read_relation(clause_parser *c, ob_parsed_sum left) {
    ob_parser *p = &c->text;
    ob_parsed_sum right;
    const char *sign = ob__parse_sign(p, "!=") ? "!=" : ob__parse_relation(p);
    if (!sign) return ob__parse_refuse(p, p->at, "expected =, !=, >=, <=, > or <");
    OB_TRY(ob__parse_sum_or_modulo(p, &right));
    if (sign[0] == '=' && next_is_equation(p)) return read_chain(c, &left, &right);
    if (sign[0] == '=' || sign[0] == '!')
        return right.divisor != 0 && left.divisor == 0 ? add_equation(c, &right, sign[0] == '=', &left)
                                                       : add_equation(c, &left, sign[0] == '=', &right);
    const char *at = left.at;
    ob_dim least = OB_DIM_UNKNOWN;
    for (bool first = true; sign; first = false) {
        if (sign[0] == '=') return ob__parse_refuse(p, p->at, "a range needs inequalities");
        if (left.dim == OB_DIM_UNKNOWN || right.dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, left.at);
        ob_dim one = difference(p->pool, &left, sign, &right);
        least = first ? one : ob_dim_min(p->pool, least, one);
        if (least == OB_DIM_UNKNOWN) return ob__parse_too_large(p, at);
        left = right;
        sign = ob__parse_relation(p);
        if (sign) OB_TRY(ob__parse_sum_or_modulo(p, &right));
    }
    return add(c, at, OB_LITERAL_NONNEGATIVE, least, 0);
}

static ob_status read_set(clause_parser *c, const ob_parsed_sum *left) {
    ob_parser *p = &c->text;
    ob_parsed_sum member;
    if (!ob__parse_sign(p, "{")) return ob__parse_refuse(p, p->at, "expected {");
    do {
        OB_TRY(ob__parse_sum(p, &member));
        OB_TRY(add_equation(c, left, true, &member));
    } while (ob__parse_sign(p, ","));
    return ob__parse_sign(p, "}") ? OB_OK : ob__parse_refuse(p, p->at, "expected , or }");
}

static ob_status read_alternative(clause_parser *c) {
    ob_parser *p = &c->text;
    ob_parsed_sum left, right;
    OB_TRY(ob__parse_sum_or_modulo(p, &left));
    if (ob__parse_word(p, "in")) return read_set(c, &left);
    if (!ob__parse_word(p, "is")) return read_relation(c, left);
    if (!ob__parse_word(p, "a") || !ob__parse_word(p, "multiple") || !ob__parse_word(p, "of"))
        return ob__parse_refuse(p, p->at, "expected a multiple of");
    OB_TRY(ob__parse_sum(p, &right));
    return add(c, left.at, OB_LITERAL_DIVIDES, left.dim, right.dim);
}

/* ---- Guards ---- */

/* A clause holds where its guard does not. */
static ob_status negate(clause_parser *c, const char *at, ob_literal *literal) {
    static const ob_literal_kind opposite[] = {[OB_LITERAL_ZERO] = OB_LITERAL_NONZERO,
                                               [OB_LITERAL_NONZERO] = OB_LITERAL_ZERO,
                                               [OB_LITERAL_NONNEGATIVE] = OB_LITERAL_NONNEGATIVE,
                                               [OB_LITERAL_DIVIDES] = OB_LITERAL_NOT_DIVIDES,
                                               [OB_LITERAL_NOT_DIVIDES] = OB_LITERAL_DIVIDES};
    if (literal->kind == OB_LITERAL_NONNEGATIVE) literal->p = ob_dim_sub(c->text.pool, -1, literal->p);
    literal->kind = opposite[literal->kind];
    return literal->p == OB_DIM_UNKNOWN ? ob__parse_too_large(&c->text, at) : OB_OK;
}

static ob_status read_guards(clause_parser *c) {
    do {
        const char *at = c->text.at;
        uint32_t n = c->n;
        ob_parsed_sum left;
        OB_FAIL_IF(n == MAX_GUARDS, c->text.error, OB_E_LIMIT, "\"%.200s\": more than %d guards", c->text.text, MAX_GUARDS);
        OB_TRY(ob__parse_sum_or_modulo(&c->text, &left));
        OB_TRY(read_relation(c, left));
        OB_TRY(negate(c, at, &c->literals[n]));
    } while (ob__parse_word(&c->text, "and"));
    return OB_OK;
}

/* The ": " that ends guards: names contain no space, or are quoted. */
static char *end_of_guards(char *text) {
    bool quoted = false;
    for (; *text; text++) {
        if (quoted && *text == '\\' && text[1]) text++;
        if (*text == '"') quoted = !quoted;
        if (!quoted && text[0] == ':' && text[1] == ' ') return text;
    }
    return NULL;
}

/* ---- The whole ---- */

static ob_status at_end(ob_parser *p) {
    ob__parse_space(p);
    return *p->at ? ob__parse_refuse(p, p->at, "expected the end, \"or\" or an operator") : OB_OK;
}

/* The clause that begins here. The text after the guards is cut off first, because a name may contain a colon. */
static ob_status read_clause(clause_parser *c, uint32_t *n_guard) {
    ob_parser *p = &c->text;
    *n_guard = c->n = 0;
    if (ob__parse_word(p, "never")) return OB_OK;
    if (ob__parse_word(p, "if")) {
        char *end = end_of_guards(c->copy + (p->at - c->copy));
        if (!end) return ob__parse_refuse(p, p->at, "expected a colon after the guard");
        *end = '\0';
        OB_TRY(read_guards(c));
        OB_TRY(at_end(p));
        *end = ':';
        *n_guard = c->n;
        p->at = end + 1;
    }
    do OB_TRY(read_alternative(c));
    while (ob__parse_word(p, "or"));
    return OB_OK;
}

static bool takes_separator(ob_parser *p) {
    return ob__parse_sign(p, ",") || ob__parse_sign(p, ";") || ob__parse_word(p, "and");
}

static ob_status read_clauses(clause_parser *c, ob_arena *arena, ob_clause *out, uint32_t most, uint32_t *n) {
    *n = 0;
    do {
        uint32_t n_guard;
        OB_FAIL_IF(*n == most, c->text.error, OB_E_LIMIT, "\"%.200s\": more than %u condition%s", c->text.text, (unsigned)most,
                   most == 1 ? "" : "s");
        OB_TRY(read_clause(c, &n_guard));
        ob_literal *literals = OB_ARENA_ARRAY(arena, ob_literal, (size_t)c->n + 1);
        if (!literals) return OB_E_MEMORY;
        if (c->n) memcpy(literals, c->literals, c->n * sizeof *literals);
        out[(*n)++] = (ob_clause){.literals = literals, .n = c->n, .n_guard = n_guard};
    } while (most > 1 && takes_separator(&c->text));
    return at_end(&c->text);
}

ob_status ob__clauses_parse(ob_dims *dims, const char *text, size_t n, bool known, ob_arena *arena, ob_clause *out, uint32_t most,
                            uint32_t *n_out, ob_error *error) {
    OB_FAIL_IF(n > OB_PARSE_TEXT, error, OB_E_LIMIT, "a clause of more than %d bytes", OB_PARSE_TEXT);
    ob_arena scratch;
    ob__arena_init(&scratch, &arena->allocator);
    clause_parser *c = OB_ARENA_NEW(&scratch, clause_parser);
    ob_clause *made = OB_ARENA_ARRAY(&scratch, ob_clause, most);
    ob_status status = OB_E_MEMORY;
    if (c) {
        c->text.name = ob__arena_alloc(&scratch, OB_PARSE_TEXT + 1);
        c->copy = ob__arena_strndup(&scratch, text, n);
    }
    if (c && c->text.name && c->copy && made) {
        c->text.text = c->text.at = c->copy;
        c->text.pool = dims;
        c->text.error = error;
        c->text.known = known;
        status = read_clauses(c, arena, made, most, n_out);
    }
    if (status == OB_OK) memcpy(out, made, *n_out * sizeof *out);
    ob__arena_release(&scratch);
    return status;
}

ob_status ob__clause_parse(ob_dims *dims, const char *text, size_t n, bool known, ob_arena *arena, ob_clause *out,
                           ob_error *error) {
    uint32_t one;
    return ob__clauses_parse(dims, text, n, known, arena, out, 1, &one, error);
}
