/* The contract as a text that travels with a model: in its metadata, under OB_CONTRACT_KEY.
 *
 *     version: 2
 *     status: partial
 *     batch = target or batch = 1
 *     if T >= 1: N in {1, 3}
 *     values: -30522 <= input_ids < 30522
 *     left out: 3
 *
 * One clause per line, as in reports, then the conditions on values. A text without these has version 1, which says nothing about
 * values. The last line counts clauses that do not fit the limits; the stated contract is then partial. A text from a file is a
 * claim: it is compared, and proves nothing. */
#ifndef OB_PASSES_CONTRACT_STATED_H
#define OB_PASSES_CONTRACT_STATED_H

#include "core/base/text.h"
#include "onnx_broadcast/contract.h"
#include "passes/contract/contract.h"

enum { OB_STATED_CLAUSES = 1000 }; /* limit of clauses, and of conditions on values */

typedef struct ob_stated {
    ob_contract_status status;
    size_t n_left_out;
    const char **lines; /* of the clauses, n_clauses */
    ob_clause *clauses;
    uint32_t n_clauses;
    bool speaks_of_values; /* the version states conditions on values */
    const char **values;   /* conditions on values, n_values, as text */
    uint32_t n_values;
} ob_stated;

/* Appends the text of a contract that was made from the facts. Sets text->failed if memory runs out. */
void ob__stated_write(ob_text *text, ob_dims *dims, const ob_facts *facts, const ob_contract *contract);
/* The same, in `arena`. E_MEMORY. */
ob_status ob__stated_text(ob_dims *dims, const ob_facts *facts, const ob_contract *contract, ob_arena *arena, const char **out);
/* Reads one; results live in `arena`. known: names must be symbols of the pool; otherwise they are added to it. E_FORMAT (the
 * message names the line), E_NOT_FOUND, E_LIMIT, E_MEMORY. */
ob_status ob__stated_read(const char *text, ob_dims *dims, bool known, ob_arena *arena, ob_stated *out, ob_error *error);
/* Sorts by terms; p = 0 equals -p = 0. Literals are compared as bytes, so their padding must be zeros. */
void ob__literals_sort(ob_dims *dims, ob_literal *literals, uint32_t n);
/* Are these equal, except for the order of clauses and alternatives? Both must use that pool. E_MEMORY. */
ob_status ob__stated_equal(ob_dims *dims, const ob_stated *a, const ob_stated *b, ob_arena *arena, bool *equal);

#endif
