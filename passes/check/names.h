/* Names and paths from a file, in a length that a report can show: a name is stored once and told many times.
 *
 * One notation of paths for everybody, "layer_1/If_3.then_branch/Add_7": the nodes around a node, outermost first, each with a
 * slash behind it; a node that holds a graph is followed by a dot and the attribute that holds it, a call of a function by
 * nothing; "function Name/" where a body stands for itself and not for a call. Nodes are called by ob__node_label. */
#ifndef OB_PASSES_CHECK_NAMES_H
#define OB_PASSES_CHECK_NAMES_H

#include "core/graph/graph.h"

enum {
    OB_NAME_SHOWN = 1000,  /* bytes of a name that stands alone, */
    OB_NAME_IN_TEXT = 200, /* and within a sentence or a path; beyond, both ends and "..." between them */
    OB_PATH_SHOWN = 1000   /* of a path; beyond, ".../" and its end */
};

/* The name itself, or when it has more than n_most bytes a copy of its ends in the arena (of more than 64 KiB: of
 * its beginning). NULL: out of memory. */
const char *ob__shown_name(const char *name, size_t n_most, ob_arena *arena);

/* How a node is called: its name, that of its first output, or its type. */
const char *ob__node_label(const ob_node *node);
/* `outer` and the step of a node into the graph that its attribute holds, or, attribute NULL, into the function that it calls.
 * Not longer than a path that is shown. In the arena; NULL: out of memory. */
const char *ob__path_into(const char *outer, const ob_node *node, const char *attribute, ob_arena *arena);
/* The path of what stands in the graph: "" for the main graph. In the arena; NULL: out of memory. */
const char *ob__graph_path(const ob_graph *graph, ob_arena *arena);
/* The same, where the body of the graph's function has the path `body`, of a call. */
const char *ob__graph_path_in(const char *body, const ob_graph *graph, ob_arena *arena);
/* Path and label of a node in a fixed field, as ob__copy_text; a function's body has no path of its own. Allocates nothing. */
void ob__node_place(const ob_node *node, char *text, size_t n_bytes);
/* Writes the node's place and operator into `error`; returns `status`. error and node may be NULL. */
ob_status ob__at_node(ob_error *error, const ob_node *node, ob_status status);

#endif
