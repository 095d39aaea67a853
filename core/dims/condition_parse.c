/* Conditions from text: in the form of ob_condition_format, and in looser forms that users write. See parse.h. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dims/parse.h"
#include "core/dims/scratch.h"

enum { MAX_ALTERNATIVES = 16 };

static ob_status add(ob_parser *p, ob_condition_kind kind, const char *at, ob_dim a, ob_dim b) {
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return ob__parse_too_large(p, at);
    if (p->n == OB_CONDITION_PARSE_MAX)
        return ob__fail(p->error, OB_E_LIMIT, "\"%.200s\": more than %d conditions", p->text, OB_CONDITION_PARSE_MAX);
    p->out[p->n++] = (ob_condition){kind, a, b};
    return OB_OK;
}

static ob_status add_equal(ob_parser *p, const ob_parsed_sum *a, const ob_parsed_sum *b) {
    if (b->divisor != 0 && a->divisor == 0) return add_equal(p, b, a);
    if (a->divisor != 0 && ob_dim_is_const(b->dim) && b->dim >= 0 &&
        (b->dim == 0 || (ob_dim_is_const(a->divisor) && b->dim < a->divisor)))
        return add(p, OB_COND_DIVISIBLE, a->at, ob_dim_sub(p->pool, a->dividend, b->dim), a->divisor);
    if (a->dim == OB_DIM_UNKNOWN || b->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, a->at);
    return add(p, OB_COND_EQUAL, a->at, a->dim, b->dim);
}

static ob_status add_relation(ob_parser *p, const ob_parsed_sum *a, const char *sign, const ob_parsed_sum *b) {
    if (sign[0] == '=') return add_equal(p, a, b);
    if (a->dim == OB_DIM_UNKNOWN || b->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, a->at);
    ob_dim more = sign[0] == '>' ? a->dim : b->dim, less = sign[0] == '>' ? b->dim : a->dim;
    return add(p, OB_COND_AT_LEAST, a->at, more, sign[1] == '=' ? less : ob_dim_add(p->pool, less, 1));
}

const char *ob__parse_relation(ob_parser *p) {
    static const char *const signs[] = {">=", "<=", "==", "=", ">", "<"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (ob__parse_sign(p, signs[i])) return signs[i];
    return NULL;
}

/* Alternatives that are equations a - b = 0: one holds exactly where the product of the differences is 0. */
typedef struct alternatives {
    ob_dim a[MAX_ALTERNATIVES], b[MAX_ALTERNATIVES];
    uint32_t n;
} alternatives;

static ob_status add_alternative(ob_parser *p, const char *at, alternatives *list, ob_dim a, ob_dim b) {
    if (list->n == MAX_ALTERNATIVES)
        return ob__fail(p->error, OB_E_LIMIT, "\"%.200s\", position %d: more than %d alternatives", p->text,
                        (int)(at - p->text) + 1, MAX_ALTERNATIVES);
    list->a[list->n] = a;
    list->b[list->n++] = b;
    return OB_OK;
}

/* Is one of the alternatives x = 1, for that x? */
static bool has_one(const alternatives *list, ob_dim x, uint32_t except) {
    for (uint32_t i = 0; i < list->n; i++)
        if (i != except && ((list->a[i] == x && list->b[i] == 1) || (list->a[i] == 1 && list->b[i] == x))) return true;
    return false;
}

static ob_status add_alternatives(ob_parser *p, const char *at, const alternatives *list) {
    for (uint32_t i = 0; i < list->n && list->n <= 3; i++) {
        ob_dim a = list->a[i], b = list->b[i];
        bool a_one = has_one(list, a, i), b_one = has_one(list, b, i);
        if (list->n == 3 && a_one && b_one && a != b) return add(p, OB_COND_BROADCAST, at, a, b);
        if (list->n == 2 && a_one) return add(p, OB_COND_BROADCAST_TO, at, a, b);
        if (list->n == 2 && b_one) return add(p, OB_COND_BROADCAST_TO, at, b, a);
    }
    ob_dim product = 1;
    for (uint32_t i = 0; i < list->n; i++) product = ob_dim_mul(p->pool, product, ob_dim_sub(p->pool, list->a[i], list->b[i]));
    return add(p, OB_COND_EQUAL, at, product, 0);
}

/* The only condition after `first` as an alternative. */
static ob_status turn_into_alternative(ob_parser *p, const char *at, size_t first, alternatives *list) {
    if (p->n != first + 1) return ob__parse_refuse(p, at, "an alternative must be a single equation");
    ob_condition one = p->out[--p->n];
    if (one.kind == OB_COND_DIVISIBLE && ob_dim_is_const(one.b)) {
        ob_dim floor = ob_dim_div(p->pool, one.a, one.b);
        one = (ob_condition){OB_COND_EQUAL, ob_dim_sub(p->pool, one.a, ob_dim_mul(p->pool, one.b, floor)), 0};
    }
    if (one.kind != OB_COND_EQUAL) return ob__parse_refuse(p, at, "an alternative must be an equation");
    return add_alternative(p, at, list, one.a, one.b);
}

static ob_status read_set(ob_parser *p, const ob_parsed_sum *left) {
    ob_scratch_scope scope __attribute__((cleanup(ob__scratch_end))) = ob__scratch_begin(p->pool, sizeof(alternatives));
    alternatives *list = scope.memory;
    if (!list) return OB_E_MEMORY;
    list->n = 0;
    ob_parsed_sum member;
    if (!ob__parse_sign(p, "{")) return ob__parse_refuse(p, p->at, "expected {");
    if (left->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, left->at);
    for (bool first = true; first || ob__parse_sign(p, ","); first = false) {
        OB_TRY(ob__parse_sum(p, &member));
        OB_TRY(add_alternative(p, member.at, list, left->dim, member.dim));
    }
    if (!ob__parse_sign(p, "}")) return ob__parse_refuse(p, p->at, "expected , or }");
    return list->n == 1 ? add(p, OB_COND_EQUAL, left->at, left->dim, member.dim) : add_alternatives(p, left->at, list);
}

static ob_status read_chain(ob_parser *p) {
    ob_parsed_sum left, right;
    OB_TRY(ob__parse_sum_or_modulo(p, &left));
    if (ob__parse_word(p, "in")) return read_set(p, &left);
    if (ob__parse_word(p, "is")) {
        if (!ob__parse_word(p, "a") || !ob__parse_word(p, "multiple") || !ob__parse_word(p, "of"))
            return ob__parse_refuse(p, p->at, "expected a multiple of");
        OB_TRY(ob__parse_sum(p, &right));
        return add(p, OB_COND_DIVISIBLE, left.at, left.dim, right.dim);
    }
    ob__parse_space(p);
    if (strncmp(p->at, "!=", 2) == 0) return ob__parse_refuse(p, p->at, "!= cannot be stated: use >= or <=");
    const char *sign = ob__parse_relation(p);
    if (!sign) return ob__parse_refuse(p, p->at, "expected =, >=, <=, > or <");
    for (; sign; sign = ob__parse_relation(p)) {
        OB_TRY(ob__parse_sum_or_modulo(p, &right));
        OB_TRY(add_relation(p, &left, sign, &right));
        left = right;
    }
    return OB_OK;
}

static ob_status read_condition(ob_parser *p) {
    ob__parse_space(p);
    const char *at = p->at;
    size_t first = p->n;
    ob_scratch_scope scope __attribute__((cleanup(ob__scratch_end))) = ob__scratch_begin(p->pool, sizeof(alternatives));
    alternatives *list = scope.memory;
    if (!list) return OB_E_MEMORY;
    list->n = 0;
    OB_TRY(read_chain(p));
    if (!ob__parse_word(p, "or")) return OB_OK;
    OB_TRY(turn_into_alternative(p, at, first, list));
    do {
        ob__parse_space(p);
        const char *next = p->at;
        OB_TRY(read_chain(p));
        OB_TRY(turn_into_alternative(p, next, first, list));
    } while (ob__parse_word(p, "or"));
    return add_alternatives(p, at, list);
}

ob_status ob_condition_parse(ob_dims *pool, const char *text, bool known, ob_condition *out, size_t *n, ob_error *error) {
    OB_FAIL_IF(!pool || !text || !out || !n, error, OB_E_ARGUMENT, "a parameter is NULL");
    OB_FAIL_IF(strlen(text) > OB_PARSE_TEXT, error, OB_E_LIMIT, "a condition of more than %d bytes", OB_PARSE_TEXT);
    ob_scratch_scope scope __attribute__((cleanup(ob__scratch_end))) =
        ob__scratch_begin(pool, OB_CONDITION_PARSE_MAX * sizeof(ob_condition) + OB_PARSE_TEXT + 1);
    ob_condition *found = scope.memory;
    OB_FAIL_IF(!found, error, OB_E_MEMORY, "out of memory");
    ob_parser p = {.pool = pool, .text = text, .at = text, .error = error, .known = known, .out = found};
    p.name = (char *)(found + OB_CONDITION_PARSE_MAX);
    do OB_TRY(read_condition(&p));
    while (ob__parse_sign(&p, ",") || ob__parse_sign(&p, ";") || ob__parse_word(&p, "and"));
    ob__parse_space(&p);
    if (*p.at) return ob__parse_refuse(&p, p.at, "expected the end, a comma, \"and\" or an operator");
    memcpy(out, found, p.n * sizeof *out);
    *n = p.n;
    return OB_OK;
}
