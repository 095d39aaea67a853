/* Terms from text: in the form of ob_dim_format, and as people write them. See parse.h. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dims/algebra.h"
#include "core/dims/parse.h"

enum { MAX_DEPTH = 32 };

ob_status ob__parse_refuse(ob_parser *p, const char *at, const char *what) {
    return ob__fail(p->error, OB_E_FORMAT, "\"%.200s\", position %d: %s", p->text, (int)(at - p->text) + 1, what);
}

ob_status ob__parse_too_large(ob_parser *p, const char *at) {
    if (ob_dims_status(p->pool) == OB_E_MEMORY) return ob__fail(p->error, OB_E_MEMORY, "out of memory");
    const char *why;
    const ob_status status = ob__terms_refused(&why);
    return ob__fail(p->error, status, "\"%.200s\", position %d: %s", p->text, (int)(at - p->text) + 1, why);
}

/* ---- Words ---- */

void ob__parse_space(ob_parser *p) {
    while (*p->at == ' ' || *p->at == '\t') p->at++;
}

bool ob__parse_sign(ob_parser *p, const char *sign) {
    ob__parse_space(p);
    size_t n = strlen(sign);
    if (strncmp(p->at, sign, n) != 0) return false;
    p->at += n;
    return true;
}

bool ob__parse_word(ob_parser *p, const char *word) {
    ob__parse_space(p);
    size_t n = strlen(word);
    if (ob__plain_name(p->at) != n || strncmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A name in quotes, with \" \\ and \x0A in it. */
static ob_status read_quoted(ob_parser *p) {
    const char *start = p->at++;
    size_t n = 0;
    while (*p->at && *p->at != '"') {
        char c = *p->at++;
        if (c == '\\') {
            c = *p->at++;
            if (c == 'x') {
                int high = hex_digit(p->at[0]), low = high < 0 ? -1 : hex_digit(p->at[1]);
                if (low < 0) return ob__parse_refuse(p, start, "\\x needs two hexadecimal digits");
                c = (char)(high * 16 + low);
                p->at += 2;
            } else if (c != '"' && c != '\\') {
                return ob__parse_refuse(p, start, "in quotes only \\\", \\\\ and \\x41 may follow a backslash");
            }
        }
        if (c == '\0') return ob__parse_refuse(p, start, "a name cannot contain a NUL byte");
        p->name[n++] = c;
    }
    if (*p->at != '"') return ob__parse_refuse(p, start, "the quote is not closed");
    p->at++;
    p->name[n] = '\0';
    return n ? OB_OK : ob__parse_refuse(p, start, "a name must not be empty");
}

static ob_status find_symbol(ob_parser *p, const char *at, ob_dim *out) {
    *out = p->known ? ob_dim_find(p->pool, p->name) : ob_dim_symbol(p->pool, p->name);
    if (*out != OB_DIM_UNKNOWN) return OB_OK;
    if (!p->known) return ob__parse_too_large(p, at);
    return ob__fail(p->error, OB_E_NOT_FOUND, "\"%.200s\", position %d: no size is called \"%.150s\"", p->text,
                    (int)(at - p->text) + 1, p->name);
}

static ob_status read_number(ob_parser *p, ob_dim *out) {
    const char *start = p->at;
    int64_t value = 0;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
        value = value > OB_DIM_CONST_MAX / 10 ? OB_DIM_CONST_MAX : value * 10 + (*p->at - '0');
        if (value >= OB_DIM_CONST_MAX) return ob__parse_refuse(p, start, "the number is too large");
    }
    if (ob__plain_name(p->at) > 0)
        return ob__parse_refuse(p, p->at, "an operator is missing: write 2*N, and names that begin with a digit in quotes");
    *out = value;
    return OB_OK;
}

/* ---- Terms ---- */

static ob_status read_unary(ob_parser *p, ob_dim *out);

/* floor(a/b) or ceil(a/b), which is floor((a + b - 1)/b). */
static ob_status read_rounded(ob_parser *p, bool up, ob_dim *out) {
    ob_parsed_sum numerator, divisor;
    OB_TRY(ob__parse_sum(p, &numerator));
    if (!ob__parse_sign(p, "/")) return ob__parse_refuse(p, p->at, "expected / and a divisor, as in floor(N/2)");
    ob__parse_space(p);
    divisor.at = p->at;
    OB_TRY(read_unary(p, &divisor.dim));
    if (divisor.dim == 0) return ob__parse_refuse(p, divisor.at, "division by 0");
    if (ob_dim_is_const(divisor.dim) && divisor.dim < 0) return ob__parse_refuse(p, divisor.at, "a divisor must be 1 or more");
    if (!ob__parse_sign(p, ")")) return ob__parse_refuse(p, p->at, "expected )");
    ob_dim more = up ? ob_dim_sub(p->pool, divisor.dim, 1) : 0;
    *out = ob_dim_quotient(p->pool, ob_dim_add(p->pool, numerator.dim, more), divisor.dim);
    return *out == OB_DIM_UNKNOWN ? ob__parse_too_large(p, numerator.at) : OB_OK;
}

typedef ob_dim combine(ob_dims *pool, ob_dim a, ob_dim b);

static ob_status read_members(ob_parser *p, combine *with, const char *end, ob_dim *out) {
    ob_parsed_sum member;
    for (bool first = true; first || ob__parse_sign(p, ","); first = false) {
        OB_TRY(ob__parse_sum(p, &member));
        *out = first ? member.dim : with(p->pool, *out, member.dim);
        if (*out == OB_DIM_UNKNOWN) return ob__parse_too_large(p, member.at);
    }
    return ob__parse_sign(p, end) ? OB_OK : ob__parse_refuse(p, p->at, "expected , or )");
}

/* After a name: a function when "(" follows. */
static ob_status read_named(ob_parser *p, const char *at, ob_dim *out) {
    static const struct {
        const char *name;
        combine *with;
    } functions[] = {{"min", ob_dim_min}, {"max", ob_dim_max}, {"bcast", ob_dim_bcast}};
    if (!ob__parse_sign(p, "(")) return find_symbol(p, at, out);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(p->name, functions[i].name) == 0) return read_members(p, functions[i].with, ")", out);
    bool up = strcmp(p->name, "ceil") == 0;
    if (up || strcmp(p->name, "floor") == 0) return read_rounded(p, up, out);
    return ob__parse_refuse(p, at, "unknown function: the functions are min, max, floor, ceil and bcast");
}

static ob_status read_atom(ob_parser *p, ob_dim *out) {
    ob__parse_space(p);
    const char *at = p->at;
    ob_parsed_sum inner;
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
    if (*at == '?') return ob__parse_refuse(p, at, "a size without a name cannot be used here");
    if (!ob__parse_sign(p, "(")) return ob__parse_refuse(p, at, "expected a number or the name of a size");
    OB_TRY(ob__parse_sum(p, &inner));
    *out = inner.dim;
    return ob__parse_sign(p, ")") ? OB_OK : ob__parse_refuse(p, p->at, "expected )");
}

static ob_status read_unary(ob_parser *p, ob_dim *out) {
    ob__parse_space(p);
    const char *at = p->at;
    if (++p->depth > MAX_DEPTH) return ob__fail(p->error, OB_E_LIMIT, "\"%.200s\": nested too deeply", p->text);
    bool negative = ob__parse_sign(p, "-");
    if (negative) {
        OB_TRY(read_unary(p, out));
        *out = ob_dim_sub(p->pool, 0, *out);
    } else {
        OB_TRY(read_atom(p, out));
    }
    p->depth--;
    return *out == OB_DIM_UNKNOWN ? ob__parse_too_large(p, at) : OB_OK;
}

/* a % b; where the term of it gets too large out->dim stays unknown, and only "a % b = 0" can use it. */
static ob_status apply_modulo(ob_parser *p, const char *at, ob_dim divisor, ob_parsed_sum *out) {
    if (ob_dim_is_const(divisor) && divisor < 1) return ob__parse_refuse(p, at, "the divisor of a remainder must be 1 or more");
    out->dividend = out->dim;
    out->divisor = divisor;
    ob_dim floor = ob_dim_quotient(p->pool, out->dividend, divisor);
    out->dim = ob_dim_sub(p->pool, out->dividend, ob_dim_mul(p->pool, divisor, floor));
    return out->dim == OB_DIM_UNKNOWN && ob_dim_is_const(divisor) ? ob__parse_too_large(p, at) : OB_OK;
}

static ob_status read_product(ob_parser *p, ob_parsed_sum *out) {
    ob_dim factor;
    ob__parse_space(p);
    *out = (ob_parsed_sum){.at = p->at};
    OB_TRY(read_unary(p, &out->dim));
    for (;;) {
        ob__parse_space(p);
        const char *at = p->at;
        char sign = *at == '*' || *at == '%' ? *at : *at == '/' && at[1] == '/' ? '/' : '\0';
        if (!sign) return OB_OK;
        p->at += sign == '/' ? 2 : 1;
        if (out->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, at);
        OB_TRY(read_unary(p, &factor));
        out->divisor = 0;
        if (sign == '%') {
            OB_TRY(apply_modulo(p, at, factor, out));
            continue;
        }
        if (sign == '/' && factor == 0) return ob__parse_refuse(p, at, "division by 0");
        out->dim = sign == '*'               ? ob_dim_mul(p->pool, out->dim, factor)
                   : ob_dim_is_const(factor) ? ob_dim_div(p->pool, out->dim, factor)
                                             : ob_dim_quotient(p->pool, out->dim, factor);
        if (out->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, out->at);
    }
}

ob_status ob__parse_sum_or_modulo(ob_parser *p, ob_parsed_sum *out) {
    ob_parsed_sum next;
    OB_TRY(read_product(p, out));
    for (;;) {
        bool plus = ob__parse_sign(p, "+");
        if (!plus && !ob__parse_sign(p, "-")) return OB_OK;
        OB_TRY(read_product(p, &next));
        if (out->dim == OB_DIM_UNKNOWN || next.dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, next.at);
        out->divisor = 0;
        out->dim = plus ? ob_dim_add(p->pool, out->dim, next.dim) : ob_dim_sub(p->pool, out->dim, next.dim);
        if (out->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, out->at);
    }
}

ob_status ob__parse_sum(ob_parser *p, ob_parsed_sum *out) {
    OB_TRY(ob__parse_sum_or_modulo(p, out));
    if (out->dim == OB_DIM_UNKNOWN) return ob__parse_too_large(p, out->at);
    return OB_OK;
}
