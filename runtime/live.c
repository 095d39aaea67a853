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
    session->last_reader = OB_ARENA_ARRAY(&session->arena, const ob_node *, session->model->n_values);
    if (!session->uses || !session->live || !session->last_reader) return OB_E_MEMORY;
    for (uint32_t i = 0; i < graph->n_outputs; i++) session->uses[graph->outputs[i]->id]++;
    for (const ob_node *node = graph->last; node; node = node->prev) {
        if (!is_live(session, node)) continue;
        session->live[node->id] = true;
        OB_TRY(ob__each_capture(node, count_use, session)); /* first: the bodies read behind the operands are taken */
        for (uint32_t i = 0; i < node->n_inputs; i++) {
            const ob_value *value = node->inputs[i];
            if (value && session->uses[value->id]++ == 0) session->last_reader[value->id] = node;
        }
    }
    return OB_OK;
}
