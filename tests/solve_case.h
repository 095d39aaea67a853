/* Clauses for the tests of the solver, from short texts: "[T >= 1] N -> 5" is "where T >= 1, N broadcasts to 5". */
#ifndef OB_TESTS_SOLVE_CASE_H
#define OB_TESTS_SOLVE_CASE_H

#include <ctype.h>

#include "core/base/text.h"
#include "core/solve/solve.h"
#include "shapes.h"

typedef struct parser {
    const char *at;
    ob_dims *dims;
} parser;

static inline void skip_space(parser *p) {
    while (*p->at == ' ') p->at++;
}

static inline bool take(parser *p, const char *text) {
    skip_space(p);
    if (strncmp(p->at, text, strlen(text)) != 0) return false;
    p->at += strlen(text);
    return true;
}

static inline ob_dim parse_sum(parser *p);

static inline ob_dim parse_factor(parser *p) {
    skip_space(p);
    if (take(p, "(")) {
        ob_dim inner = parse_sum(p);
        assert_true(take(p, ")"));
        return inner;
    }
    if (isdigit((unsigned char)*p->at)) return (ob_dim)strtoll(p->at, (char **)&p->at, 10);
    char name[32];
    size_t n = 0;
    while (isalnum((unsigned char)*p->at) || *p->at == '_') name[n++] = *p->at++;
    name[n] = '\0';
    assert_true(n > 0);
    if (!take(p, "(")) return ob_dim_symbol(p->dims, name);
    ob_dim value = parse_sum(p);
    if (strcmp(name, "floor") == 0 || strcmp(name, "ceil") == 0) {
        assert_true(take(p, "/"));
        ob_dim divisor = parse_factor(p);
        if (name[0] == 'c') value = ob_dim_add(p->dims, value, ob_dim_sub(p->dims, divisor, 1));
        value = ob_dim_quotient(p->dims, value, divisor);
    }
    while (take(p, ",")) {
        ob_dim other = parse_sum(p);
        value = name[1] == 'i'   ? ob_dim_min(p->dims, value, other)
                : name[0] == 'm' ? ob_dim_max(p->dims, value, other)
                                 : ob_dim_bcast(p->dims, value, other);
    }
    assert_true(take(p, ")"));
    return value;
}

static inline ob_dim parse_product(parser *p) {
    bool negative = take(p, "-");
    ob_dim value = parse_factor(p);
    while (take(p, "*")) value = ob_dim_mul(p->dims, value, parse_factor(p));
    return negative ? ob_dim_sub(p->dims, 0, value) : value;
}

static inline ob_dim parse_sum(parser *p) {
    ob_dim value = parse_product(p);
    for (;;) {
        skip_space(p);
        if (p->at[0] == '-' && p->at[1] == '>') return value;
        if (take(p, "+"))
            value = ob_dim_add(p->dims, value, parse_product(p));
        else if (take(p, "-"))
            value = ob_dim_sub(p->dims, value, parse_product(p));
        else
            return value;
    }
}

/* [a >= b] and similar relations as 0 or 1. */
static inline ob_dim truth_of(ob_dims *dims, ob_dim a, const char *relation, ob_dim b) {
    ob_dim d = ob_dim_sub(dims, a, b), e = ob_dim_sub(dims, b, a);
    if (relation[0] == '>') return ob_dim_max(dims, 0, ob_dim_min(dims, 1, ob_dim_add(dims, d, 1)));
    ob_dim differs = ob_dim_min(dims, 1, ob_dim_max(dims, d, e));
    return relation[0] == '!' ? differs : ob_dim_sub(dims, 1, differs);
}

/* Adds the clauses of the text: "!" is an assumption, "[...]" guards, then a = b, a ~ b (broadcasts with), a -> b (broadcasts
 * to), a >= b, a % b (a multiple of b). */
static inline void add_requirement(ob_clauses *clauses, ob_dims *dims, const char *text, uint32_t origin) {
    parser p = {text, dims};
    ob_dim guards[8];
    uint32_t n_guards = 0;
    bool assumed = take(&p, "!"), stated;
    while (take(&p, "[")) {
        ob_dim a = parse_sum(&p);
        const char *relation = take(&p, ">=") ? ">=" : take(&p, "!=") ? "!=" : take(&p, "=") ? "=" : "";
        assert_true(*relation);
        guards[n_guards++] = truth_of(dims, a, relation, parse_sum(&p));
        assert_true(take(&p, "]"));
    }
    ob_condition condition = {.a = parse_sum(&p)};
    condition.kind = take(&p, "->")   ? OB_COND_BROADCAST_TO
                     : take(&p, "~")  ? OB_COND_BROADCAST
                     : take(&p, ">=") ? OB_COND_AT_LEAST
                     : take(&p, "%")  ? OB_COND_DIVISIBLE
                                      : OB_COND_EQUAL;
    if (condition.kind == OB_COND_EQUAL) assert_true(take(&p, "="));
    condition.b = parse_sum(&p);
    skip_space(&p);
    if (*p.at) fail_msg("\"%s\": what is \"%s\"?", text, p.at);
    assert_int_equal(ob__clauses_add(clauses, dims, &condition, guards, n_guards, origin, assumed, &stated), OB_OK);
    assert_true(stated);
}

/* Requirements separated by ";", numbered from 0. */
static inline void add_requirements(ob_clauses *clauses, ob_dims *dims, const char *text) {
    uint32_t origin = 0;
    while (*text) {
        size_t n = strcspn(text, ";");
        char one[256];
        assert_true(n < sizeof one);
        memcpy(one, text, n);
        one[n] = '\0';
        add_requirement(clauses, dims, one, origin++);
        text += n + (text[n] == ';');
        while (*text == ' ') text++;
    }
}

/* The symbols of the clauses in order of appearance, except those whose names start with '_'. */
typedef struct input_list {
    ob_dims *dims;
    ob_dim *items;
    uint32_t *n;
} input_list;

static inline bool add_input(void *context, ob_dim symbol) {
    input_list *list = context;
    char name[64];
    ob_dim_format(list->dims, symbol, name, sizeof name);
    for (uint32_t i = 0; i < *list->n; i++)
        if (list->items[i] == symbol) return true;
    if (name[0] != '_') list->items[(*list->n)++] = symbol;
    return true;
}

static inline void collect_inputs(ob_dims *dims, const ob_clauses *clauses, ob_dim *inputs, uint32_t *n) {
    input_list list = {dims, inputs, n};
    *n = 0;
    for (uint32_t i = 0; i < clauses->n; i++)
        for (uint32_t k = 0; k < clauses->items[i].n; k++) {
            ob_dim_symbols(dims, clauses->items[i].literals[k].p, add_input, &list);
            ob_dim_symbols(dims, clauses->items[i].literals[k].q, add_input, &list);
        }
}

/* "N = 1; M >= 5", "error A B" (of the requirements in their order), "proved". */
static inline void write_solution(ob_text *text, ob_dims *dims, const ob_solution *solution) {
    if (solution->contradictory) {
        ob__text_puts(text, "error");
        for (uint32_t i = 0; i < solution->n_core; i++) ob__text_printf(text, " %c", 'A' + (int)solution->core[i]);
        if (!solution->core_minimal) ob__text_puts(text, " (not minimal)");
        return;
    }
    for (uint32_t i = 0; i < solution->n_clauses; i++) {
        ob__text_puts(text, i ? "; " : "");
        if (!solution->clauses[i].of_inputs) ob__text_puts(text, "(open) ");
        ob__solved_write(text, dims, &solution->clauses[i]);
    }
    if (solution->n_clauses == 0) ob__text_puts(text, "proved");
}

#endif
