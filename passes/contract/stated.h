/* The contract as a text that travels with a model: in its metadata, under OB_CONTRACT_KEY.
 *
 *     version: 2
 *     status: partial
 *     batch = target or batch = 1
 *     if T >= 1: N in {1, 3}
 *     values: -30522 <= input_ids < 30522
 *     left out: 3
 *
 * A clause on each line, as reports write it, then each condition on values. A text without these is of version 1, which does not
 * speak of them. What a limit keeps out of the text is counted on the last line, and the contract
 * that is stated is then partial. A text from a file is a claim: it is compared, and proves nothing. */
#ifndef OB_PASSES_CONTRACT_STATED_H
#define OB_PASSES_CONTRACT_STATED_H

#include "core/base/text.h"
#include "onnx_broadcast/contract.h"
#include "passes/contract/contract.h"

enum { OB_STATED_CLAUSES = 1000 }; /* at most, and as many conditions on values */

typedef struct ob_stated {
    ob_contract_status status;
    size_t n_left_out;
    const char **lines; /* of the clauses, n_clauses */
    ob_clause *clauses;
    uint32_t n_clauses;
    bool speaks_of_values; /* it is of a version that does */
    const char **values;   /* conditions on values, n_values, as they are written */
    uint32_t n_values;
} ob_stated;

/* Appends the text of a contract that was made of the facts. Want of memory is text->failed. */
void ob__stated_write(ob_text *text, ob_dims *dims, const ob_facts *facts, const ob_contract *contract);
/* The same, in `arena`. E_MEMORY. */
ob_status ob__stated_text(ob_dims *dims, const ob_facts *facts, const ob_contract *contract, ob_arena *arena, const char **out);
/* Reads one; results live in `arena`. known: names must be symbols of the pool; else they become some. E_FORMAT (the message
 * names the line), E_NOT_FOUND, E_LIMIT, E_MEMORY. */
ob_status ob__stated_read(const char *text, ob_dims *dims, bool known, ob_arena *arena, ob_stated *out, ob_error *error);
/* In an order of their terms; p = 0 is -p = 0. Literals are compared as bytes: their padding must be zeros. */
void ob__literals_sort(ob_dims *dims, ob_literal *literals, uint32_t n);
/* Are these the same, but for the order of clauses and of their alternatives? Both were read with that pool. E_MEMORY. */
ob_status ob__stated_equal(ob_dims *dims, const ob_stated *a, const ob_stated *b, ob_arena *arena, bool *equal);

#endif
