/* Terms, conditions and clauses as JSON, for the oracle in terms.py, which reads nothing else of the library.
 *
 *   term     number; "N"; null (unknown); ["+", constant, [coefficient, factor...]...]; ["/", term, divisor], which rounds down;
 *            ["min", term...], ["max", term...], ["bcast", term...]
 *   literal  ["zero", p], ["nonzero", p], ["nonnegative", p], ["divides", p, q], ["not_divides", p, q]
 *   condition [kind, a, b] with kind "equal", "broadcast", "broadcast_to", "divisible" or "at_least"
 *
 * The name of an anonymous size is "?7". A named symbol of that form is written as its name too: no test has one. */
#ifndef OB_TESTS_ORACLE_TERM_JSON_H
#define OB_TESTS_ORACLE_TERM_JSON_H

#include <inttypes.h>
#include <stdio.h>

#include "core/dims/terms.h"
#include "core/solve/solve.h"

static inline void json_string(FILE *out, const char *text) {
    putc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\' || *p < 0x20)
            fprintf(out, "\\u%04x", *p);
        else
            putc(*p, out);
    }
    putc('"', out);
}

static inline void json_symbol(FILE *out, const ob_term *term) {
    if (term->anonymous)
        fprintf(out, "\"?%" PRIu32 "\"", term->number);
    else
        json_string(out, term->name);
}

static inline void json_term(FILE *out, const ob_dims *dims, ob_dim d);

static inline void json_sum(FILE *out, const ob_dims *dims, const int64_t *words, uint32_t n_words) {
    fprintf(out, "[\"+\",%" PRId64, words[0]);
    for (uint32_t at = 1; at < n_words;) {
        const int64_t coefficient = words[at], n_factors = words[at + 1];
        fprintf(out, ",[%" PRId64, coefficient);
        for (int64_t k = 0; k < n_factors; k++) {
            putc(',', out);
            json_term(out, dims, words[at + 2 + k]);
        }
        putc(']', out);
        at += 2 + (uint32_t)n_factors;
    }
    putc(']', out);
}

static inline void json_term(FILE *out, const ob_dims *dims, ob_dim d) {
    static const char *const names[] = {[OB_DIM_KIND_DIV] = "/",
                                        [OB_DIM_KIND_QUOTIENT] = "/",
                                        [OB_DIM_KIND_BCAST] = "bcast",
                                        [OB_DIM_KIND_MIN] = "min",
                                        [OB_DIM_KIND_MAX] = "max"};
    const ob_term *term = ob__term(dims, d);
    if (ob_dim_is_const(d)) {
        fprintf(out, "%" PRId64, d);
    } else if (!term) {
        fputs("null", out);
    } else if (term->kind == OB_DIM_KIND_SYMBOL) {
        json_symbol(out, term);
    } else if (term->kind == OB_DIM_KIND_SUM) {
        json_sum(out, dims, term->words, term->n_words);
    } else {
        fprintf(out, "[\"%s\"", names[term->kind]);
        for (uint32_t i = 0; i < term->n_words; i++) {
            putc(',', out);
            json_term(out, dims, term->words[i]);
        }
        putc(']', out);
    }
}

static inline void json_terms(FILE *out, const ob_dims *dims, const ob_dim *items, size_t n) {
    putc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i) putc(',', out);
        json_term(out, dims, items[i]);
    }
    putc(']', out);
}

static inline void json_condition(FILE *out, const ob_dims *dims, const ob_condition *condition) {
    static const char *const names[] = {[OB_COND_EQUAL] = "equal",
                                        [OB_COND_BROADCAST] = "broadcast",
                                        [OB_COND_BROADCAST_TO] = "broadcast_to",
                                        [OB_COND_DIVISIBLE] = "divisible",
                                        [OB_COND_AT_LEAST] = "at_least"};
    fprintf(out, "[\"%s\",", names[condition->kind]);
    json_term(out, dims, condition->a);
    putc(',', out);
    json_term(out, dims, condition->b);
    putc(']', out);
}

static inline void json_literal(FILE *out, const ob_dims *dims, const ob_literal *literal) {
    static const char *const names[] = {[OB_LITERAL_ZERO] = "zero",
                                        [OB_LITERAL_NONZERO] = "nonzero",
                                        [OB_LITERAL_NONNEGATIVE] = "nonnegative",
                                        [OB_LITERAL_DIVIDES] = "divides",
                                        [OB_LITERAL_NOT_DIVIDES] = "not_divides"};
    const bool divides = literal->kind == OB_LITERAL_DIVIDES || literal->kind == OB_LITERAL_NOT_DIVIDES;
    fprintf(out, "[\"%s\",", names[literal->kind]);
    json_term(out, dims, literal->p);
    if (divides) putc(',', out);
    if (divides) json_term(out, dims, literal->q);
    putc(']', out);
}

static inline void json_literals(FILE *out, const ob_dims *dims, const ob_literal *literals, uint32_t n) {
    putc('[', out);
    for (uint32_t i = 0; i < n; i++) {
        if (i) putc(',', out);
        json_literal(out, dims, &literals[i]);
    }
    putc(']', out);
}

/* Sizes of symbols: {"N":4}; null for NULL. */
static inline void json_sizes(FILE *out, const ob_dims *dims, const ob_binding *sizes, size_t n) {
    if (!sizes) {
        fputs("null", out);
        return;
    }
    putc('{', out);
    for (size_t i = 0; i < n; i++) {
        if (i) putc(',', out);
        json_term(out, dims, sizes[i].symbol);
        fprintf(out, ":%" PRId64, sizes[i].size);
    }
    putc('}', out);
}

#endif
