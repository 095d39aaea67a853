/* Memory that is counted, up to a limit. For runtime/ only. */
#ifndef OB_RUNTIME_TALLY_H
#define OB_RUNTIME_TALLY_H

#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/status.h"
#include "ops/kernel/kernel.h"

typedef struct ob_tally ob_tally;

/* An allocator that hands on to `inner` (NULL: the default) and counts; beyond `limit` bytes it gives NULL. The bytes count for
 * `sum` too, and its limit holds for all that do (NULL: a sum of its own; `limit` is of a sum). The tally is a block of inner's.
 * NULL: no memory. */
ob_tally *ob__tally_create(const ob_allocator *inner, uint64_t limit, ob_tally *sum, ob_allocator *out);
void ob__tally_destroy(ob_tally *tally);
ob_account ob__tally_account(ob_tally *tally); /* counts for the same limit, without blocks */
uint64_t ob__tally_bytes(const ob_tally *tally);
const ob_allocator *ob__tally_inner(const ob_tally *tally);
/* True when the limit has refused memory; ob__tally_refused forgets it. */
bool ob__tally_limited(const ob_tally *tally);
bool ob__tally_refused(ob_tally *tally);
/* The end of a public call: E_MEMORY for want of the limit becomes E_LIMIT, with a message that says what wanted how much. */
ob_status ob__tally_explain(ob_tally *tally, ob_status status, ob_error *error);

#endif
