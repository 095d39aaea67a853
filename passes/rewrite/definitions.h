/* The explicit operators in terms of standard ones: their local functions, and the reasons that prevent them in an opset. */
#ifndef OB_PASSES_REWRITE_DEFINITIONS_H
#define OB_PASSES_REWRITE_DEFINITIONS_H

#include "passes/check/explicit.h"

enum { OB_EXPAND_SINCE = 8 };

/* Element types that Expand and Tile take in an opset; looked up once per opset. Initially zero. */
typedef struct ob_stretch_types {
    int64_t opset;
    uint64_t expand, tile; /* ob_types */
    bool has_expand;       /* set by the caller: a graph of an older opset will be raised to one that has it */
} ob_stretch_types;

/* NULL when Expand (below opset 8: Reshape and Tile) can stretch a tensor of this type from one shape to the other in the
 * graph's opset; otherwise the reason. */
const char *ob__why_no_expand(ob_stretch_types *types, const ob_graph *graph, ob_dtype dtype, const ob_shape *from,
                              const ob_shape *to);

/* The definition of Broadcast for n operands, and of BroadcastTo (X, shape): made of Shape and Expand of the given opset. The
 * name must be free among the functions of the domain. NULL: out of memory. */
ob_function *ob__define_broadcast(ob_model *model, const char *name, uint32_t n, int64_t opset);
ob_function *ob__define_broadcast_to(ob_model *model, const char *name, int64_t opset);

#endif
