/* Names and paths from a file, shortened for reports: a file stores a name once, a report repeats it many times.
 *
 * All paths have one notation, "layer_1/If_3.then_branch/Add_7": the nodes around a node, outermost first, each followed by a
 * slash. A node with a subgraph has a dot and the attribute's name; a call of a function has nothing. "function Name/" is a body
 * without a call. Nodes are named by ob__node_label. */
#ifndef OB_PASSES_CHECK_NAMES_H
#define OB_PASSES_CHECK_NAMES_H

#include "core/graph/graph.h"

enum {
    OB_NAME_SHOWN = 1000,  /* bytes of a separate name, */
    OB_NAME_IN_TEXT = 200, /* and inside a sentence or a path; longer: both ends with "..." between them */
    OB_PATH_SHOWN = 1000   /* of a path; longer: ".../" and its end */
};

/* The name itself. If it has more than n_most bytes: a copy of its ends in the arena (above 64 KiB: of its beginning). NULL:
 * out of memory. */
const char *ob__shown_name(const char *name, size_t n_most, ob_arena *arena);

/* The label of a node: its name, or that of its first output, or its type. */
const char *ob__node_label(const ob_node *node);
/* `outer` extended by the node and its attribute with a subgraph (attribute NULL: by a call of a function). At most
 * OB_PATH_SHOWN bytes. In the arena; NULL: out of memory. */
const char *ob__path_into(const char *outer, const ob_node *node, const char *attribute, ob_arena *arena);
/* The path of nodes in the graph: "" for the main graph. In the arena; NULL: out of memory. */
const char *ob__graph_path(const ob_graph *graph, ob_arena *arena);
/* The same if the body of the graph's function has the path `body`, that of a call. */
const char *ob__graph_path_in(const char *body, const ob_graph *graph, ob_arena *arena);
/* Path and label of a node in a fixed field, as ob__copy_text; a function's body has no path of its own. Allocates nothing. */
void ob__node_place(const ob_node *node, char *text, size_t n_bytes);
/* Writes the node's place and operator into `error`; returns `status`. error and node may be NULL. */
ob_status ob__at_node(ob_error *error, const ob_node *node, ob_status status);

#endif
