/* Terms as variables of C, for both functions of a guard. */
#include <inttypes.h>
#include <string.h>

#include "core/dims/terms.h"
#include "passes/report/guard.h"

enum { MAX_SHOWN = 1000 }; /* limit of a name or clause in bytes: C guarantees literals of 4095 bytes, and an escape takes four */

/* Writes the inside of a string literal that may also be in a comment: no quote, no trigraph, no end of comment. */
void ob__guard_escaped(ob_text *text, const char *bytes, size_t n) {
    for (size_t i = 0; i < n && i < MAX_SHOWN; i++) {
        unsigned char c = (unsigned char)bytes[i];
        bool plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '?' && c != '/';
        if (plain)
            ob__text_append(text, &bytes[i], 1);
        else
            ob__text_printf(text, "\\%03o", c);
    }
    if (n > MAX_SHOWN) ob__text_puts(text, "...");
}

static uint32_t variable_of(ob_guard_body *g, ob_dim d) {
    const ob_map_entry *entry = ob__map_find(&g->terms, (const char *)&d, sizeof d);
    return entry ? (uint32_t)(uintptr_t)entry->value : 0;
}

void ob__guard_number(ob_text *text, int64_t value) {
    ob__text_printf(text, value < 0 ? "-INT64_C(%" PRId64 ")" : "INT64_C(%" PRId64 ")", value < 0 ? -value : value);
}

void ob__guard_operand(ob_guard_body *g, ob_dim d) {
    if (ob_dim_is_const(d)) {
        ob__text_puts(&g->body, "obg_number(");
        ob__guard_number(&g->body, d);
        ob__text_puts(&g->body, ")");
    } else {
        ob__text_printf(&g->body, "t%u", variable_of(g, d));
    }
}

/* Every part comes before the terms that use it. */
static void require_parts(ob_guard_body *g, const ob_term *term) {
    if (term->kind == OB_DIM_KIND_SUM) {
        for (uint32_t i = 1; i < term->n_words;) {
            uint32_t n_factors = (uint32_t)term->words[i + 1];
            for (uint32_t k = 0; k < n_factors; k++) ob__guard_require(g, term->words[i + 2 + k]);
            i += 2 + n_factors;
        }
    } else {
        uint32_t n = term->kind == OB_DIM_KIND_DIV ? 1 : term->n_words;
        for (uint32_t i = 0; i < n; i++) ob__guard_require(g, term->words[i]);
    }
}

/* The steps of ob_dim_eval() in their order, so that what overflows or is undefined first is the same. */
static void write_sum(ob_guard_body *g, const ob_term *term, uint32_t variable) {
    g->uses |= OB_GUARD_BOUNDS | OB_GUARD_ADD | OB_GUARD_MUL;
    ob__text_printf(&g->body, "    obg_value t%u = ", variable);
    ob__guard_operand(g, term->words[0]);
    ob__text_puts(&g->body, ";\n");
    for (uint32_t i = 1; i < term->n_words;) {
        uint32_t n_factors = (uint32_t)term->words[i + 1];
        ob__text_printf(&g->body, "    t%u = obg_add(t%u, ", variable, variable);
        for (uint32_t k = 0; k < n_factors; k++) ob__text_puts(&g->body, "obg_mul(");
        ob__guard_operand(g, term->words[i]);
        for (uint32_t k = 0; k < n_factors; k++) {
            ob__text_puts(&g->body, ", ");
            ob__guard_operand(g, term->words[i + 2 + k]);
            ob__text_puts(&g->body, ")");
        }
        ob__text_puts(&g->body, ");\n");
        i += 2 + n_factors;
    }
    ob__text_printf(&g->body, "    t%u = obg_bounded(t%u);\n", variable, variable);
}

static void write_members(ob_guard_body *g, const ob_term *term, uint32_t variable, const char *function) {
    ob__text_printf(&g->body, "    obg_value t%u = ", variable);
    ob__guard_operand(g, term->words[0]);
    ob__text_puts(&g->body, ";\n");
    for (uint32_t i = 1; i < term->n_words; i++) {
        ob__text_printf(&g->body, "    t%u = %s(t%u, ", variable, function, variable);
        ob__guard_operand(g, term->words[i]);
        ob__text_puts(&g->body, ");\n");
    }
}

static void write_term(ob_guard_body *g, const ob_term *term, uint32_t variable) {
    switch (term->kind) {
    case OB_DIM_KIND_SUM: write_sum(g, term, variable); break;
    case OB_DIM_KIND_DIV:
        g->uses |= OB_GUARD_DIV;
        ob__text_printf(&g->body, "    obg_value t%u = obg_floor_div(", variable);
        ob__guard_operand(g, term->words[0]);
        ob__text_puts(&g->body, ", ");
        ob__guard_number(&g->body, term->words[1]);
        ob__text_puts(&g->body, ");\n");
        break;
    case OB_DIM_KIND_QUOTIENT:
        g->uses |= OB_GUARD_QUOTIENT;
        write_members(g, term, variable, "obg_quotient");
        break;
    case OB_DIM_KIND_MIN:
        g->uses |= OB_GUARD_MIN;
        write_members(g, term, variable, "obg_min");
        break;
    case OB_DIM_KIND_MAX:
        g->uses |= OB_GUARD_MAX;
        write_members(g, term, variable, "obg_max");
        break;
    default: g->uses |= OB_GUARD_BCAST; write_members(g, term, variable, "obg_bcast");
    }
}

void ob__guard_require(ob_guard_body *g, ob_dim d) {
    const ob_term *term = ob__term(g->dims, d);
    if (!term || g->failed || variable_of(g, d)) return;
    if (term->kind != OB_DIM_KIND_SYMBOL) require_parts(g, term);
    ob_map_entry *entry = ob__map_insert(&g->terms, (const char *)&d, sizeof d);
    if (!entry) {
        g->failed = true;
        return;
    }
    entry->value = (void *)(uintptr_t)++g->n_terms;
    if (term->kind != OB_DIM_KIND_SYMBOL) write_term(g, term, g->n_terms);
}

/* Symbols are variables of their own, read from `sizes`. */
void ob__guard_symbols(ob_guard_body *g) {
    for (uint32_t i = 0; i < g->contract->n_inputs; i++) {
        ob__guard_require(g, g->contract->inputs[i]);
        ob__text_printf(&g->body, "    obg_value t%u = obg_number(sizes[%u]);\n", variable_of(g, g->contract->inputs[i]), i);
        ob__text_printf(&g->body, "    (void)t%u;\n", variable_of(g, g->contract->inputs[i]));
    }
    if (g->contract->n_inputs) g->uses |= OB_GUARD_VALUE;
}
