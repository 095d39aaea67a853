/* The explicit operators of domain onnx_broadcast and the functions that define them. */
#ifndef OB_PASSES_CHECK_EXPLICIT_H
#define OB_PASSES_CHECK_EXPLICIT_H

#include "core/graph/graph.h"

/* Fills function->defines of every function. The operators must be resolved; linear in the nodes of the functions. */
void ob__mark_definitions(ob_model *model);

/* Broadcast, or a call of a function that defines it. */
bool ob__is_explicit_broadcast(const ob_node *node);
/* BroadcastInDim, or a call of a function that defines BroadcastTo. */
bool ob__is_explicit_in_dim(const ob_node *node);
/* The body of one of our definitions: passes leave it alone. */
bool ob__is_explicit_definition(const ob_graph *graph);
/* Expand: the standard operator that stretches its operand to a shape. */
bool ob__is_expand(const ob_node *node);
/* The standard operator of that name: not one of another domain, nor a local function that bears the name. */
bool ob__is_standard(const ob_node *node, const char *op_type);

#endif
