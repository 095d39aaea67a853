/* The verifier: tests the structure of the graph that passes rely on. */
#ifndef OB_PASSES_CHECK_VERIFY_GRAPH_H
#define OB_PASSES_CHECK_VERIFY_GRAPH_H

#include "core/graph/graph.h"

/* Checks, for every graph of the model: node links and counts, owners, producers and their indices, one definition per value
 * (SSA), names that agree with the name table, values in scope where they are used, definitions before uses in the order of
 * nodes. Linear in nodes and operands; changes nothing. E_INTERNAL with a message for a broken link, E_MODEL for a graph that a
 * file can hold but no pass may leave behind. `after` names the pass, for the message. */
ob_status ob__verify_graph(ob_model *model, const char *after, ob_error *error);

#endif
