/* The values that a node and its subgraphs read. The recursion is as deep as the nesting of subgraphs, which the loader limits.
 * */
#include "runtime/plan/reads.h"
#include "core/base/error.h"
#include "runtime/session.h"

typedef struct read_visit {
    const ob_node *node;
    ob_status (*visit)(void *context, ob_value *value);
    void *context;
} read_visit;

static bool is_made_inside(const ob_node *node, const ob_value *value) {
    for (const ob_graph *graph = value->graph; graph; graph = graph->parent)
        if (graph->parent_node == node) return true;
    return false;
}

static ob_status read_value(const read_visit *v, ob_value *value) {
    return value && !is_made_inside(v->node, value) ? v->visit(v->context, value) : OB_OK;
}

static ob_status read_node(const read_visit *v, const ob_node *node);

static ob_status read_graph(const read_visit *v, const ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next)
        if (ob__node_gives_any(node)) OB_TRY(read_node(v, node));
    for (uint32_t i = 0; i < graph->n_outputs; i++) OB_TRY(read_value(v, graph->outputs[i]));
    return OB_OK;
}

static ob_status read_node(const read_visit *v, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++) OB_TRY(read_value(v, node->inputs[i]));
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *attribute = node->attributes[i];
        if (attribute->type == OB_ATTR_GRAPH && attribute->u.graph) OB_TRY(read_graph(v, attribute->u.graph));
        if (attribute->type == OB_ATTR_GRAPHS)
            for (uint32_t k = 0; k < attribute->n; k++) OB_TRY(read_graph(v, attribute->u.graphs[k]));
    }
    return OB_OK;
}

ob_status ob__each_read(const ob_node *node, ob_status (*visit)(void *context, ob_value *value), void *context) {
    read_visit v = {node, visit, context};
    return read_node(&v, node);
}
