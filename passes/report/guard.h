/* Shared by the two guard functions: terms as C variables. */
#ifndef OB_PASSES_REPORT_GUARD_H
#define OB_PASSES_REPORT_GUARD_H

#include "core/base/text.h"
#include "passes/report/report.h"

/* The helpers that the file needs. An unused one would give a compiler warning. */
enum {
    OB_GUARD_ADD = 1,
    OB_GUARD_MUL = 2,
    OB_GUARD_DIV = 4,
    OB_GUARD_MIN = 8,
    OB_GUARD_MAX = 16,
    OB_GUARD_BCAST = 32,
    OB_GUARD_ZERO = 64,
    OB_GUARD_NONZERO = 128,
    OB_GUARD_NONNEGATIVE = 256,
    OB_GUARD_DIVIDES = 512,
    OB_GUARD_NOT_DIVIDES = 1024,
    OB_GUARD_BOUNDS = 2048,
    OB_GUARD_OR = 4096,
    OB_GUARD_VALUE = 8192,
    OB_GUARD_QUOTIENT = 16384
};

/* The body of one function. */
typedef struct ob_guard_body {
    ob_dims *dims;
    const ob_contract *contract;
    ob_arena arena;
    ob_map terms; /* term -> variable, numbered from 1 */
    uint32_t n_terms;
    unsigned uses;
    ob_text body;
    bool failed;
} ob_guard_body;

/* -- guard_terms.c -- */
/* Every symbol of an input as a variable, read from `sizes`. */
void ob__guard_symbols(ob_guard_body *g);
/* Declares the term, after its parts. */
void ob__guard_require(ob_guard_body *g, ob_dim d);
/* Writes the term as an expression: a variable or a number. */
void ob__guard_operand(ob_guard_body *g, ob_dim d);
/* Writes bytes as the inside of a string literal. */
void ob__guard_escaped(ob_text *text, const char *bytes, size_t n);
void ob__guard_number(ob_text *text, int64_t value);

/* -- guard_values.c -- */
/* The body of the function over the data. */
void ob__guard_values(ob_guard_body *g, const ob_facts *facts);
/* Declarations and the inputs that it reads; then the function itself. */
void ob__guard_values_declare(ob_text *file, const char *name);
void ob__guard_values_write(ob_text *file, const ob_guard_body *g, const ob_facts *facts, const char *name);

#endif
