/* Finds the nodes that run, and the number of reads of each value: the same for all shapes. */
#include "runtime/session.h"

static bool is_live(const ob_session *session, const ob_node *node) {
    /* A node without readers may still fail. In the main graph planning shows it; in a body, which may never run, the run does.
     * */
    bool all = !session->optimize || node->graph->parent;
    /* A node without named results has no visible effect, optimised or not. */
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] && (all || session->uses[node->outputs[i]->id] > 0)) return true;
    return false;
}

/* Goes from the end, so that readers of a value come before its producer. Subgraphs are visited with their node; the loader
 * limits the depth of the recursion. */
static void mark_graph(ob_session *session, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_outputs; i++) session->uses[graph->outputs[i]->id]++;
    for (const ob_node *node = graph->last; node; node = node->prev) {
        if (!is_live(session, node)) continue;
        session->live[node->id] = true;
        for (uint32_t i = 0; i < node->n_attributes; i++) { /* first: bodies read values after the operands are taken */
            const ob_attribute *attribute = node->attributes[i];
            if (attribute->type == OB_ATTR_GRAPH && attribute->u.graph) mark_graph(session, attribute->u.graph);
            if (attribute->type == OB_ATTR_GRAPHS)
                for (uint32_t k = 0; k < attribute->n; k++) mark_graph(session, attribute->u.graphs[k]);
        }
        for (uint32_t i = 0; i < node->n_inputs; i++) {
            const ob_value *value = node->inputs[i];
            if (value && session->uses[value->id]++ == 0 && value->graph == graph) session->last_reader[value->id] = node;
        }
    }
}

ob_status ob__find_live(ob_session *session) {
    session->uses = OB_ARENA_ARRAY(&session->arena, uint32_t, session->model->n_values);
    session->live = OB_ARENA_ARRAY(&session->arena, bool, session->model->n_nodes);
    session->last_reader = OB_ARENA_ARRAY(&session->arena, const ob_node *, session->model->n_values);
    if (!session->uses || !session->live || !session->last_reader) return OB_E_MEMORY;
    mark_graph(session, session->model->graph);
    return OB_OK;
}
