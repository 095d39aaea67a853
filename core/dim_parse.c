/* Conditions from text: what ob_dim_format and ob_condition_format write, and what people write.
 *
 *   text      conditions separated by "," or "and"
 *   condition chain of sums compared by = == >= <= > <; "SUM is a multiple of SUM"; "SUM in {SUM, ...}"; equations joined by "or"
 *   sum       products added and subtracted; products: * % //
 *   atom      number, name, "quoted name", (sum), floor(sum/number), ceil(sum/number), min(...), max(...), bcast(...) */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/terms.h"

enum { MAX_TEXT = 4096, MAX_DEPTH = 32, MAX_ALTERNATIVES = 16 };

typedef struct parser {
    ob_dims *pool;
    const char *text, *at;
    ob_error *error;
    bool known; /* names must be symbols of the pool already */
    uint32_t depth;
    ob_condition *out;
    size_t n;
    char name[MAX_TEXT + 1];
} parser;

/* One side of a comparison. */
typedef struct side {
    ob_dim dim;
    ob_dim dividend, divisor; /* when it is "a % b" and nothing else; divisor 0: it is not */
    const char *at;
} side;

static ob_status refuse(parser *p, const char *at, const char *what) {
    return ob__fail(p->error, OB_E_FORMAT, "\"%.200s\", position %d: %s", p->text, (int)(at - p->text) + 1, what);
}

static ob_status too_large(parser *p, const char *at) {
    if (ob_dims_status(p->pool) == OB_E_MEMORY) return ob__fail(p->error, OB_E_MEMORY, "out of memory");
    return ob__fail(p->error, OB_E_LIMIT, "\"%.200s\", position %d: the term is too large", p->text, (int)(at - p->text) + 1);
}

/* ---- Words ---------------------------------------------------------------------------------------------------------- */

static void skip_space(parser *p) {
    while (*p->at == ' ' || *p->at == '\t') p->at++;
}

/* Takes a sign that stands here. */
static bool take(parser *p, const char *sign) {
    skip_space(p);
    size_t n = strlen(sign);
    if (strncmp(p->at, sign, n) != 0) return false;
    p->at += n;
    return true;
}

/* Takes a word that stands here as a whole. */
static bool take_word(parser *p, const char *word) {
    skip_space(p);
    size_t n = strlen(word);
    if (ob__plain_name(p->at) != n || strncmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A name in quotes, with \" \\ and \x0A in it. */
static ob_status read_quoted(parser *p) {
    const char *start = p->at++;
    size_t n = 0;
    while (*p->at && *p->at != '"') {
        char c = *p->at++;
        if (c == '\\') {
            c = *p->at++;
            if (c == 'x') {
                int high = hex_digit(p->at[0]), low = high < 0 ? -1 : hex_digit(p->at[1]);
                if (low < 0) return refuse(p, start, "\\x wants two hexadecimal digits");
                c = (char)(high * 16 + low);
                p->at += 2;
            } else if (c != '"' && c != '\\') {
                return refuse(p, start, "in quotes only \\\", \\\\ and \\x41 may follow a backslash");
            }
        }
        if (c == '\0') return refuse(p, start, "a name holds no NUL");
        p->name[n++] = c;
    }
    if (*p->at != '"') return refuse(p, start, "the quote is not closed");
    p->at++;
    p->name[n] = '\0';
    return n ? OB_OK : refuse(p, start, "a name is not empty");
}

static ob_status find_symbol(parser *p, const char *at, ob_dim *out) {
    *out = p->known ? ob_dim_find(p->pool, p->name) : ob_dim_symbol(p->pool, p->name);
    if (*out != OB_DIM_UNKNOWN) return OB_OK;
    if (!p->known) return too_large(p, at);
    return ob__fail(p->error, OB_E_NOT_FOUND, "\"%.200s\", position %d: no size is called \"%.150s\"", p->text,
                    (int)(at - p->text) + 1, p->name);
}

static ob_status read_number(parser *p, ob_dim *out) {
    const char *start = p->at;
    int64_t value = 0;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
        value = value > OB_DIM_CONST_MAX / 10 ? OB_DIM_CONST_MAX : value * 10 + (*p->at - '0');
        if (value >= OB_DIM_CONST_MAX) return refuse(p, start, "the number is too large");
    }
    if (ob__plain_name(p->at) > 0)
        return refuse(p, p->at, "an operator is missing: write 2*N, and names that begin with a digit in quotes");
    *out = value;
    return OB_OK;
}

/* ---- Terms ---------------------------------------------------------------------------------------------------------- */

static ob_status read_sum(parser *p, side *out);

static ob_status read_rounded(parser *p, bool up, ob_dim *out) {
    side numerator, divisor;
    OB_TRY(read_sum(p, &numerator));
    if (!take(p, "/")) return refuse(p, p->at, "expected / and a number, as in floor(N/2)");
    skip_space(p);
    divisor.at = p->at;
    if (*p->at < '0' || *p->at > '9') return refuse(p, p->at, "only a number can be divided by");
    OB_TRY(read_number(p, &divisor.dim));
    if (divisor.dim == 0) return refuse(p, divisor.at, "division by 0");
    if (!take(p, ")")) return refuse(p, p->at, "expected )");
    *out = up ? ob_dim_ceil_div(p->pool, numerator.dim, divisor.dim) : ob_dim_div(p->pool, numerator.dim, divisor.dim);
    return *out == OB_DIM_UNKNOWN ? too_large(p, numerator.at) : OB_OK;
}

typedef ob_dim combine(ob_dims *pool, ob_dim a, ob_dim b);

static ob_status read_members(parser *p, combine *with, const char *end, ob_dim *out) {
    side member;
    for (bool first = true; first || take(p, ","); first = false) {
        OB_TRY(read_sum(p, &member));
        *out = first ? member.dim : with(p->pool, *out, member.dim);
        if (*out == OB_DIM_UNKNOWN) return too_large(p, member.at);
    }
    return take(p, end) ? OB_OK : refuse(p, p->at, "expected , or )");
}

/* After a name: a function when "(" follows. */
static ob_status read_named(parser *p, const char *at, ob_dim *out) {
    static const struct {
        const char *name;
        combine *with;
    } functions[] = {{"min", ob_dim_min}, {"max", ob_dim_max}, {"bcast", ob_dim_bcast}};
    if (!take(p, "(")) return find_symbol(p, at, out);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(p->name, functions[i].name) == 0) return read_members(p, functions[i].with, ")", out);
    bool up = strcmp(p->name, "ceil") == 0;
    if (up || strcmp(p->name, "floor") == 0) return read_rounded(p, up, out);
    return refuse(p, at, "there is no such function: there are min, max, floor, ceil and bcast");
}

static ob_status read_atom(parser *p, ob_dim *out) {
    skip_space(p);
    const char *at = p->at;
    side inner;
    size_t n = ob__plain_name(at);
    if (n > 0) {
        memcpy(p->name, at, n);
        p->name[n] = '\0';
        p->at += n;
        return read_named(p, at, out);
    }
    if (*at >= '0' && *at <= '9') return read_number(p, out);
    if (*at == '"') {
        OB_TRY(read_quoted(p));
        return find_symbol(p, at, out);
    }
    if (*at == '?') return refuse(p, at, "a size without a name cannot be asked for");
    if (!take(p, "(")) return refuse(p, at, "expected a number or the name of a size");
    OB_TRY(read_sum(p, &inner));
    *out = inner.dim;
    return take(p, ")") ? OB_OK : refuse(p, p->at, "expected )");
}

static ob_status read_unary(parser *p, ob_dim *out) {
    skip_space(p);
    const char *at = p->at;
    if (++p->depth > MAX_DEPTH) return ob__fail(p->error, OB_E_LIMIT, "\"%.200s\": nested too deeply", p->text);
    bool negative = take(p, "-");
    if (negative) {
        OB_TRY(read_unary(p, out));
        *out = ob_dim_sub(p->pool, 0, *out);
    } else {
        OB_TRY(read_atom(p, out));
    }
    p->depth--;
    return *out == OB_DIM_UNKNOWN ? too_large(p, at) : OB_OK;
}

/* a % b; by a term there is no term for it, so out->dim stays unknown and only "a % b = 0" can use it. */
static ob_status apply_modulo(parser *p, const char *at, ob_dim divisor, side *out) {
    if (ob_dim_is_const(divisor) && divisor < 1) return refuse(p, at, "a remainder is by 1 or more");
    out->dividend = out->dim;
    out->divisor = divisor;
    out->dim = OB_DIM_UNKNOWN;
    if (!ob_dim_is_const(divisor)) return OB_OK;
    ob_dim floor = ob_dim_div(p->pool, out->dividend, divisor);
    out->dim = ob_dim_sub(p->pool, out->dividend, ob_dim_mul(p->pool, divisor, floor));
    return out->dim == OB_DIM_UNKNOWN ? too_large(p, at) : OB_OK;
}

static ob_status read_product(parser *p, side *out) {
    ob_dim factor;
    skip_space(p);
    *out = (side){.at = p->at};
    OB_TRY(read_unary(p, &out->dim));
    for (;;) {
        skip_space(p);
        const char *at = p->at;
        char sign = *at == '*' || *at == '%' ? *at : *at == '/' && at[1] == '/' ? '/' : '\0';
        if (!sign) return OB_OK;
        p->at += sign == '/' ? 2 : 1;
        if (out->dim == OB_DIM_UNKNOWN) return refuse(p, at, "the remainder by a size can only be compared with 0");
        OB_TRY(read_unary(p, &factor));
        out->divisor = 0;
        if (sign == '%') {
            OB_TRY(apply_modulo(p, at, factor, out));
            continue;
        }
        if (sign == '/' && (!ob_dim_is_const(factor) || factor == 0)) return refuse(p, at, "only a number can be divided by");
        out->dim = sign == '*' ? ob_dim_mul(p->pool, out->dim, factor) : ob_dim_div(p->pool, out->dim, factor);
        if (out->dim == OB_DIM_UNKNOWN) return too_large(p, out->at);
    }
}

static ob_status read_sum_or_modulo(parser *p, side *out) {
    side next;
    OB_TRY(read_product(p, out));
    for (;;) {
        bool plus = take(p, "+");
        if (!plus && !take(p, "-")) return OB_OK;
        OB_TRY(read_product(p, &next));
        if (out->dim == OB_DIM_UNKNOWN || next.dim == OB_DIM_UNKNOWN)
            return refuse(p, next.at, "the remainder by a size can only be compared with 0");
        out->divisor = 0;
        out->dim = plus ? ob_dim_add(p->pool, out->dim, next.dim) : ob_dim_sub(p->pool, out->dim, next.dim);
        if (out->dim == OB_DIM_UNKNOWN) return too_large(p, out->at);
    }
}

static ob_status read_sum(parser *p, side *out) {
    OB_TRY(read_sum_or_modulo(p, out));
    if (out->dim == OB_DIM_UNKNOWN) return refuse(p, out->at, "the remainder by a size can only be compared with 0");
    return OB_OK;
}

/* ---- Conditions ----------------------------------------------------------------------------------------------------- */

static ob_status add(parser *p, ob_condition_kind kind, const char *at, ob_dim a, ob_dim b) {
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return too_large(p, at);
    if (p->n == OB_CONDITION_PARSE_MAX)
        return ob__fail(p->error, OB_E_LIMIT, "\"%.200s\": more than %d conditions", p->text, OB_CONDITION_PARSE_MAX);
    p->out[p->n++] = (ob_condition){kind, a, b};
    return OB_OK;
}

static ob_status add_equal(parser *p, const side *a, const side *b) {
    if (b->divisor != 0 && a->divisor == 0) return add_equal(p, b, a);
    if (a->divisor != 0 && ob_dim_is_const(b->dim) && b->dim >= 0 &&
        (b->dim == 0 || (ob_dim_is_const(a->divisor) && b->dim < a->divisor)))
        return add(p, OB_COND_DIVISIBLE, a->at, ob_dim_sub(p->pool, a->dividend, b->dim), a->divisor);
    if (a->dim == OB_DIM_UNKNOWN || b->dim == OB_DIM_UNKNOWN)
        return refuse(p, a->at, "the remainder by a size can only be compared with 0");
    return add(p, OB_COND_EQUAL, a->at, a->dim, b->dim);
}

static ob_status add_relation(parser *p, const side *a, const char *sign, const side *b) {
    if (sign[0] == '=') return add_equal(p, a, b);
    if (a->dim == OB_DIM_UNKNOWN || b->dim == OB_DIM_UNKNOWN)
        return refuse(p, a->at, "the remainder by a size can only be compared with 0");
    ob_dim more = sign[0] == '>' ? a->dim : b->dim, less = sign[0] == '>' ? b->dim : a->dim;
    return add(p, OB_COND_AT_LEAST, a->at, more, sign[1] == '=' ? less : ob_dim_add(p->pool, less, 1));
}

static const char *take_relation(parser *p) {
    static const char *const signs[] = {">=", "<=", "==", "=", ">", "<"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (take(p, signs[i])) return signs[i];
    return NULL;
}

/* Alternatives that are equations, a - b each: one is 0 exactly where their product is. */
typedef struct alternatives {
    ob_dim a[MAX_ALTERNATIVES], b[MAX_ALTERNATIVES];
    uint32_t n;
} alternatives;

static ob_status add_alternative(parser *p, const char *at, alternatives *list, ob_dim a, ob_dim b) {
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

static ob_status add_alternatives(parser *p, const char *at, const alternatives *list) {
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

/* The one condition behind `first` as an alternative. */
static ob_status turn_into_alternative(parser *p, const char *at, size_t first, alternatives *list) {
    if (p->n != first + 1) return refuse(p, at, "alternatives are single equations");
    ob_condition one = p->out[--p->n];
    if (one.kind == OB_COND_DIVISIBLE && ob_dim_is_const(one.b)) {
        ob_dim floor = ob_dim_div(p->pool, one.a, one.b);
        one = (ob_condition){OB_COND_EQUAL, ob_dim_sub(p->pool, one.a, ob_dim_mul(p->pool, one.b, floor)), 0};
    }
    if (one.kind != OB_COND_EQUAL) return refuse(p, at, "alternatives are equations");
    return add_alternative(p, at, list, one.a, one.b);
}

static ob_status read_set(parser *p, const side *left) {
    alternatives list = {.n = 0};
    side member;
    if (!take(p, "{")) return refuse(p, p->at, "expected {");
    if (left->dim == OB_DIM_UNKNOWN) return refuse(p, left->at, "the remainder by a size can only be compared with 0");
    for (bool first = true; first || take(p, ","); first = false) {
        OB_TRY(read_sum(p, &member));
        OB_TRY(add_alternative(p, member.at, &list, left->dim, member.dim));
    }
    if (!take(p, "}")) return refuse(p, p->at, "expected , or }");
    return list.n == 1 ? add(p, OB_COND_EQUAL, left->at, left->dim, member.dim) : add_alternatives(p, left->at, &list);
}

static ob_status read_chain(parser *p) {
    side left, right;
    OB_TRY(read_sum_or_modulo(p, &left));
    if (take_word(p, "in")) return read_set(p, &left);
    if (take_word(p, "is")) {
        if (!take_word(p, "a") || !take_word(p, "multiple") || !take_word(p, "of"))
            return refuse(p, p->at, "expected a multiple of");
        OB_TRY(read_sum(p, &right));
        return add(p, OB_COND_DIVISIBLE, left.at, left.dim, right.dim);
    }
    skip_space(p);
    if (strncmp(p->at, "!=", 2) == 0) return refuse(p, p->at, "!= cannot be stated: use >= or <=");
    const char *sign = take_relation(p);
    if (!sign) return refuse(p, p->at, "expected =, >=, <=, > or <");
    for (; sign; sign = take_relation(p)) {
        OB_TRY(read_sum_or_modulo(p, &right));
        OB_TRY(add_relation(p, &left, sign, &right));
        left = right;
    }
    return OB_OK;
}

static ob_status read_condition(parser *p) {
    skip_space(p);
    const char *at = p->at;
    size_t first = p->n;
    alternatives list = {.n = 0};
    OB_TRY(read_chain(p));
    if (!take_word(p, "or")) return OB_OK;
    OB_TRY(turn_into_alternative(p, at, first, &list));
    do {
        skip_space(p);
        const char *next = p->at;
        OB_TRY(read_chain(p));
        OB_TRY(turn_into_alternative(p, next, first, &list));
    } while (take_word(p, "or"));
    return add_alternatives(p, at, &list);
}

ob_status ob_condition_parse(ob_dims *pool, const char *text, bool known, ob_condition *out, size_t *n, ob_error *error) {
    OB_FAIL_IF(!pool || !text || !out || !n, error, OB_E_ARGUMENT, "a parameter is NULL");
    OB_FAIL_IF(strlen(text) > MAX_TEXT, error, OB_E_LIMIT, "a condition of more than %d bytes", MAX_TEXT);
    ob_condition found[OB_CONDITION_PARSE_MAX];
    parser p = {.pool = pool, .text = text, .at = text, .error = error, .known = known, .out = found};
    do OB_TRY(read_condition(&p));
    while (take(&p, ",") || take(&p, ";") || take_word(&p, "and"));
    skip_space(&p);
    if (*p.at) return refuse(&p, p.at, "expected the end, a comma, \"and\" or an operator");
    memcpy(out, found, p.n * sizeof *out);
    *n = p.n;
    return OB_OK;
}
