/* Reading terms, conditions and clauses from text.
 *
 *   text      conditions separated by "," or "and"
 *   condition chain of sums compared by = == >= <= > <; "SUM is a multiple of SUM"; "SUM in {SUM, ...}"; equations joined by "or"
 *   clause    "never", or "if RELATION and RELATION: " and alternatives joined by "or": relations, also with !=, ranges,
 *             sets, sizes that are all equal
 *   sum       products added and subtracted; products: * % //
 *   atom      number, name, "quoted name", (sum), floor(sum/atom), ceil(sum/atom), min(...), max(...), bcast(...) */
#ifndef OB_CORE_DIMS_PARSE_H
#define OB_CORE_DIMS_PARSE_H

#include "core/dims/terms.h"

enum { OB_PARSE_TEXT = 4096 }; /* bytes of a text at most */

typedef struct ob_parser {
    ob_dims *pool;
    const char *text, *at;
    ob_error *error;
    bool known; /* names must be symbols of the pool already */
    uint32_t depth;
    ob_condition *out; /* for conditions: the result, n */
    size_t n;
    char *name; /* room for OB_PARSE_TEXT + 1 bytes */
} ob_parser;

/* One side of a comparison. */
typedef struct ob_parsed_sum {
    ob_dim dim;
    ob_dim dividend, divisor; /* if it is just "a % b"; divisor 0: it is not */
    const char *at;
} ob_parsed_sum;

/* E_FORMAT with the position of `at`. */
ob_status ob__parse_refuse(ob_parser *p, const char *at, const char *what);
/* E_MEMORY or E_LIMIT, for a term that the pool could not make. */
ob_status ob__parse_too_large(ob_parser *p, const char *at);
void ob__parse_space(ob_parser *p);
/* Reads a sign at this position; a whole word at this position. */
bool ob__parse_sign(ob_parser *p, const char *sign);
bool ob__parse_word(ob_parser *p, const char *word);
/* The sign of a comparison, or NULL. */
const char *ob__parse_relation(ob_parser *p);
/* out->dim is unknown for a remainder whose term is too large; ob__parse_sum refuses that. */
ob_status ob__parse_sum_or_modulo(ob_parser *p, ob_parsed_sum *out);
ob_status ob__parse_sum(ob_parser *p, ob_parsed_sum *out);

#endif
