/* Iterates over the graphs of a model with facts about their values: bodies of functions once for all calls with the same
 * operands. */
#ifndef OB_PASSES_CHECK_CALLED_H
#define OB_PASSES_CHECK_CALLED_H

#include "passes/check/facts.h"

/* Facts in which the values of one body are those of certain calls. All other values are as in the base facts, where the values
 * of bodies hold in every call. */
typedef struct ob_call_view {
    ob_facts facts;
    const ob_facts *base;
    const ob_called *at;
} ob_call_view;

/* The facts were made with ob_propagate_options.keep_calls and must outlive the view. E_MEMORY. */
ob_status ob__call_view_init(ob_call_view *view, const ob_facts *facts, ob_arena *arena);
/* The facts in these calls (NULL: the base facts), valid until the next call. Takes time proportional to the values of the
 * bodies. */
const ob_facts *ob__call_view_at(ob_call_view *view, const ob_called *called);

/* Visits every graph in the order of ob__model_each_graph; a body that was called, with all subgraphs in it, once for each
 * ob_called of its function. */
typedef ob_status (*ob_called_visit)(void *context, ob_graph *graph, const ob_facts *facts, const ob_called *called);
ob_status ob__each_called(ob_model *model, ob_call_view *view, ob_called_visit visit, void *context);

/* The path of a graph in these calls, "a/call_1/If_3.then_branch/"; without calls as ob__graph_path. NULL: out of memory. */
const char *ob__called_path(const ob_graph *graph, const ob_called *called, ob_arena *arena);

#endif
