/* Memory that is counted, up to a limit. For runtime/ only. */
#ifndef OB_RUNTIME_TALLY_H
#define OB_RUNTIME_TALLY_H

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/status.h"
#include "ops/kernel/kernel.h"

typedef struct ob_tally ob_tally;

/* An allocator that calls `inner` (NULL: the default) and counts bytes; beyond `limit` it returns NULL. The bytes also count
 * for `sum`, whose limit applies to all of its tallies (NULL: this tally is a sum, with its own `limit`). The tally itself is a
 * block of `inner`. NULL: no memory. */
ob_tally *ob__tally_create(const ob_allocator *inner, uint64_t limit, ob_tally *sum, ob_allocator *out);
void ob__tally_destroy(ob_tally *tally);
ob_account ob__tally_account(ob_tally *tally); /* counts for the same limit, without blocks */
uint64_t ob__tally_bytes(const ob_tally *tally);
const ob_allocator *ob__tally_inner(const ob_tally *tally);
/* True if the limit has refused memory; ob__tally_refused clears that. */
bool ob__tally_limited(const ob_tally *tally);
bool ob__tally_refused(ob_tally *tally);
/* The end of a public call: E_MEMORY because of the limit becomes E_LIMIT, with the purpose and the size in the message. */
ob_status ob__tally_explain(ob_tally *tally, ob_status status, ob_error *error);

#endif
