/* Finds the nodes that run, and the number of reads of each value: the same for all shapes. */
#include "runtime/session.h"

static bool is_live(const ob_session *session, const ob_node *node) {
    /* What nobody reads may fail all the same. In the main graph planning tells; in a body, which may never run, running does.
     * */
    bool all = !session->optimize || node->graph->parent;
    /* A node whose results nobody names computes nothing that could be seen, optimised or not. */
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] && (all || session->uses[node->outputs[i]->id] > 0)) return true;
    return false;
}

/* From the end, so that who reads a value is met before who makes it. Subgraphs are read where the node stands that holds them;
 * recursion is as deep as they are nested, which the loader bounds. */
static void mark_graph(ob_session *session, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_outputs; i++) session->uses[graph->outputs[i]->id]++;
    for (const ob_node *node = graph->last; node; node = node->prev) {
        if (!is_live(session, node)) continue;
        session->live[node->id] = true;
        for (uint32_t i = 0; i < node->n_attributes; i++) { /* first: the bodies read behind the operands are taken */
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
