#include "passes/check/called.h"

#include <string.h>

#include "core/base/error.h"
#include "passes/check/names.h"

ob_status ob__call_view_init(ob_call_view *view, const ob_facts *facts, ob_arena *arena) {
    *view = (ob_call_view){.facts = *facts, .base = facts};
    if (facts->n_called == 0) return OB_OK;
    view->facts.facts = OB_ARENA_ARRAY(arena, ob_fact, facts->n_facts);
    if (!view->facts.facts) return OB_E_MEMORY;
    if (facts->n_facts) memcpy(view->facts.facts, facts->facts, facts->n_facts * sizeof *facts->facts);
    return OB_OK;
}

const ob_facts *ob__call_view_at(ob_call_view *view, const ob_called *called) {
    if (called == view->at) return &view->facts;
    ob_fact *facts = view->facts.facts;
    for (uint32_t i = 0; view->at && i < view->at->n_values; i++)
        facts[view->at->values[i]] = view->base->facts[view->at->values[i]];
    for (uint32_t i = 0; called && i < called->n_values; i++) facts[called->values[i]] = called->facts[i];
    view->at = called;
    return &view->facts;
}

/* ---- Graphs ---- */

typedef struct walk {
    ob_call_view *view;
    ob_called_visit visit;
    void *context;
    const ob_called *called;
} walk;

static ob_status visit_body(void *context, ob_graph *graph) {
    const walk *w = context;
    return w->visit(w->context, graph, ob__call_view_at(w->view, w->called), w->called);
}

static ob_status visit_graph(void *context, ob_graph *graph) {
    walk *w = context;
    const ob_graph *outermost = graph;
    while (outermost->parent) outermost = outermost->parent;
    const ob_called *called = ob__calls_of(w->view->base, outermost->function);
    if (called && outermost != graph) return OB_OK; /* visited with the body */
    w->called = called;
    if (!called) return visit_body(w, graph);
    for (; w->called; w->called = w->called->next) OB_TRY(ob__graph_each(graph, visit_body, w));
    return OB_OK;
}

ob_status ob__each_called(ob_model *model, ob_call_view *view, ob_called_visit visit, void *context) {
    walk w = {view, visit, context, NULL};
    return ob__model_each_graph(model, visit_graph, &w);
}

const char *ob__called_path(const ob_graph *graph, const ob_called *called, ob_arena *arena) {
    return ob__graph_path_in(called ? called->path : NULL, graph, arena);
}
