/* Finds explicit broadcasts that an operator does not need: the decision for both the note and the rewriting. */
#ifndef OB_PASSES_CHECK_BYPASS_H
#define OB_PASSES_CHECK_BYPASS_H

#include "passes/check/groups.h"
#include "passes/check/work.h"

/* The value that is stretched by the producer of `value` (Broadcast, BroadcastInDim, Expand, Tile over sizes of 1),
 * right-aligned. NULL if the producer is something else. */
ob_value *ob__stretched_from(const ob_work *work, const ob_value *value);

typedef struct ob_bypass {
    const ob_node *node;
    ob_value **inputs; /* the inputs that the node should read: n_inputs entries */
    bool any;          /* some input differs from the node's */
    bool legacy;       /* set broadcast=1 ... */
    bool legacy_axis;  /* ... and axis */
    int64_t axis;
} ob_bypass;

/* Decides for every input of the node whether the node can read the unstretched value with provably the same result and shape.
 * `steps` limits the number of skipped producers per input. Arrays are in `arena`. */
ob_status ob__find_bypass(ob_work *work, ob_node *node, uint32_t steps, ob_arena *arena, ob_bypass *out);

#endif
