/* Bodies: the graph in a node's attribute, or the function that it calls, is inferred in its own scope. A body may be inferred
 * many times, for each call and each round of a loop. Limits of depth, nodes and memory bound that, and skipped bodies are
 * reported. */
#include <stdio.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "passes/check/groups.h"
#include "passes/check/propagation.h"

enum {
    DEPTH_LIMIT = 32 /* of subgraphs and calls together, each of which takes up to 2 KiB of stack (docs/embedding.md) */
};

static const ob_type unknown_type = {.shape = {OB_RANK_UNKNOWN, NULL}};

/* Bytes that facts, findings and terms hold. */
static size_t memory(const ob_propagation *p) {
    const ob_dims *dims = p->model->dims;
    size_t of_findings = p->findings ? p->findings->arena.n_bytes : 0;
    return of_findings + p->facts->arena.n_bytes + p->scratch.n_bytes + dims->arena.n_bytes +
           dims->capacity * sizeof *dims->terms + dims->n_slots * sizeof *dims->slots;
}

/* The body was not inferred before, so its memory is proportional to the file. */
static bool is_first(const ob_propagation *p, const ob_graph *graph) {
    return !graph->first || p->done[graph->first->id] == 0;
}

ob_status ob__enter(ob_propagation *p, const ob_node *node, ob_graph *graph) {
    ob_scope scope = {node, p->scope, NULL, graph->parent_node ? graph->attribute : NULL};
    bool repeats = !p->repeats && !is_first(p, graph);
    if (repeats) {
        p->repeats = true;
        p->repeats_from = memory(p);
    }
    p->scope = &scope;
    if (p->options->keep_calls && !graph->parent) p->called->path = ob__call_path(p);
    p->depth++;
    ob_status status = ob__propagate_graph(p, graph);
    p->depth--;
    p->scope = scope.outer;
    if (repeats) {
        p->repeats = false;
        p->repeated_bytes += memory(p) - p->repeats_from;
    }
    return status;
}

ob_status ob__may_enter(ob_visit *visit, const ob_graph *graph, bool *may) {
    ob_propagation *p = visit->p;
    size_t taken = p->repeated_bytes + (p->repeats ? memory(p) - p->repeats_from : 0);
    const char *reason = p->depth >= DEPTH_LIMIT                                 ? "bodies nest too deep"
                         : p->budget == 0                                        ? "the limit of nodes is reached"
                         : !is_first(p, graph) && taken > p->most_repeated_bytes ? "inferring bodies again takes too much memory"
                                                                                 : NULL;
    *may = !reason;
    if (!reason) return OB_OK;
    char text[128];
    snprintf(text, sizeof text, "%s: the results of this and further bodies stay unknown", reason);
    if (!p->stopped) ob__report(p, NULL, visit->node, OB0805, -1, -1, text);
    p->stopped = true;
    p->n_limited++;
    return ob__unverified(&visit->infer, -1, -1, "a limit was reached before its body");
}

/* How far everything that bodies add to had come, to go back there. */
static void mark(ob_visit *visit) {
    const ob_facts *facts = visit->p->facts;
    if (visit->p->findings) visit->found = ob__findings_mark(visit->p->findings);
    visit->n_conditions = facts->n_conditions;
    visit->n_unverified = facts->n_unverified;
    visit->n_bounds = facts->n_bounds;
    visit->n_cases = facts->n_cases;
    visit->n_claims = facts->n_claims;
    visit->n_proved = facts->n_proved;
    visit->n_refuted = facts->n_refuted;
    visit->n_called = facts->n_called;
    visit->n_sites = visit->p->n_sites;
}

static void take_back(const ob_visit *visit) {
    ob_facts *facts = visit->p->facts;
    if (visit->p->findings) ob__findings_rewind(visit->p->findings, &visit->found);
    facts->n_conditions = visit->n_conditions;
    facts->n_unverified = visit->n_unverified;
    facts->n_bounds = visit->n_bounds;
    facts->n_cases = visit->n_cases;
    ob__claims_rewind(facts, visit->p->model->dims, visit->n_claims);
    facts->n_proved = visit->n_proved;
    facts->n_refuted = visit->n_refuted;
    ob__calls_rewind(visit->p, visit->n_called, visit->n_sites);
}

ob_status ob__infer_subgraph(ob_infer *infer, ob_graph *graph, ob_dim guard, const ob_type *in_types,
                             const ob_content *in_contents, ob_type *out_types, ob_content *out_contents) {
    ob_visit *visit = (ob_visit *)infer;
    ob_propagation *p = visit->p;
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        out_types[i] = unknown_type;
        if (out_contents) out_contents[i] = (ob_content){0};
    }
    bool may;
    OB_TRY(ob__may_enter(visit, graph, &may));
    if (!may) return OB_OK;
    if (visit->subgraph == graph) /* repeated with better knowledge of a loop's state: earlier results do not count */
        take_back(visit);
    visit->subgraph = graph;
    mark(visit);
    p->assumed = visit->assumed;
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        OB_TRY(ob__set_fact(p, visit->node, graph->inputs[i], in_types ? in_types[i] : unknown_type,
                            in_contents ? in_contents[i] : (ob_content){0}));
    p->assumed = false;
    const ob_guard *outer = p->guard;
    if (guard != 1) {
        ob_arena *arena = &p->facts->arena;
        const char *text =
            p->findings ? ob__path_into(ob__call_path(p), visit->node, graph->attribute, arena) : ob__graph_path(graph, arena);
        if (!text) return OB_E_MEMORY;
        OB_TRY(ob__guard_within(&p->facts->arena, outer, guard, visit->node, text, &p->guard));
    }
    ob_status status = ob__enter(p, visit->node, graph);
    p->guard = outer;
    OB_TRY(status);
    if (guard == 0) take_back(visit); /* no run enters it: only its result types are used */
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        const ob_fact *fact = ob__fact(p->facts, graph->outputs[i]);
        visit->assumed |= fact->assumed;
        out_types[i] = fact->type;
        if (out_contents) out_contents[i] = fact->content;
    }
    return OB_OK;
}
