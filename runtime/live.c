/* Which nodes run, and how often each value is read: the same for all shapes. */
#include "core/error.h"
#include "runtime/plan/plan.h"

static ob_status count_use(void *context, ob_value *value) {
    ob_session *session = context;
    session->uses[value->id]++;
    return OB_OK;
}

static bool is_live(const ob_session *session, const ob_node *node) {
    /* A node whose results nobody names computes nothing that could be seen, optimised or not. */
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] && (!session->optimize || session->uses[node->outputs[i]->id] > 0)) return true;
    return false;
}

ob_status ob__find_live(ob_session *session) {
    const ob_graph *graph = session->model->graph;
    session->uses = OB_ARENA_ARRAY(&session->arena, uint32_t, session->model->n_values);
    session->live = OB_ARENA_ARRAY(&session->arena, bool, session->model->n_nodes);
    if (!session->uses || !session->live) return OB_E_MEMORY;
    for (uint32_t i = 0; i < graph->n_outputs; i++) session->uses[graph->outputs[i]->id]++;
    for (const ob_node *node = graph->last; node; node = node->prev) {
        if (!is_live(session, node)) continue;
        session->live[node->id] = true;
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i]) session->uses[node->inputs[i]->id]++;
        OB_TRY(ob__each_capture(node, count_use, session));
    }
    return OB_OK;
}
