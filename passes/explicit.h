/* The explicit operators of domain onnx_broadcast and the functions that define them. */
#ifndef OB_PASSES_EXPLICIT_H
#define OB_PASSES_EXPLICIT_H

#include "core/graph.h"

/* What a local function defines. A function of domain onnx_broadcast is one of ours when its body is, whatever its name: a model
 * may have functions of its own there. */
enum { OB_DEFINES_NOTHING = 0, OB_DEFINES_BROADCAST, OB_DEFINES_BROADCAST_TO };

/* Fills function->defines of every function. The operators must be resolved; linear in the nodes of the functions. */
void ob__mark_definitions(ob_model *model);

/* Broadcast, or a call of a function that defines it. */
bool ob__is_explicit_broadcast(const ob_node *node);
/* BroadcastInDim, or a call of a function that defines BroadcastTo. */
bool ob__is_explicit_in_dim(const ob_node *node);
/* The body of one of our definitions: passes leave it alone. */
bool ob__is_explicit_definition(const ob_graph *graph);
/* The standard operator of that name: not one of another domain, nor a local function that bears the name. */
bool ob__is_standard(const ob_node *node, const char *op_type);

/* Element types that Expand and Tile take in an opset; looked up once as long as the opset stays. Zero to begin with. */
typedef struct ob_stretch_types {
    int64_t opset;
    uint64_t expand, tile; /* ob_types */
} ob_stretch_types;

/* NULL when Expand (below opset 8: Reshape and Tile) can bring a tensor of this type from one shape to the other in the graph's
 * opset; else the reason. */
const char *ob__why_no_expand(ob_stretch_types *types, const ob_graph *graph, ob_dtype dtype, const ob_shape *from,
                              const ob_shape *to);

/* The definition of Broadcast for n operands, and of BroadcastTo (X, shape): made of Shape and Expand of the given opset. The
 * name must be free among the functions of the domain. NULL: out of memory. */
ob_function *ob__define_broadcast(ob_model *model, const char *name, uint32_t n, int64_t opset);
ob_function *ob__define_broadcast_to(ob_model *model, const char *name, int64_t opset);

#endif
