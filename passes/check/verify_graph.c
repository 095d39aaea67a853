#include "passes/check/verify_graph.h"

#include <string.h>

#include "core/base/error.h"

typedef struct verifier {
    const char *after;
    ob_error *error;
    ob_arena arena;
    /* By value id. */
    bool *is_defined;
    uint32_t n_values;
} verifier;

static ob_status broken(verifier *v, const char *what, const char *name) {
    return ob__fail(v->error, OB_E_INTERNAL, "after pass %s: %s: '%s'", v->after, what, name);
}

static ob_status check_value(verifier *v, const ob_value *value) {
    if (value->id >= v->n_values) return broken(v, "value id out of range", value->name);
    const ob_map_entry *entry = ob__map_find(&value->graph->values, value->name, strlen(value->name));
    if (!entry || entry->value != value) return broken(v, "value is not in its graph's name table", value->name);
    return OB_OK;
}

static bool encloses(const ob_graph *outer, const ob_graph *inner) {
    for (; inner; inner = inner->parent)
        if (inner == outer) return true;
    return false;
}

static ob_status check_use(verifier *v, const ob_graph *graph, const ob_value *value) {
    OB_TRY(check_value(v, value));
    if (!encloses(value->graph, graph)) return broken(v, "use of a value that is not in scope", value->name);
    if (value->producer && value->producer->graph != value->graph) return broken(v, "producer in another graph", value->name);
    return OB_OK;
}

static ob_status check_node(verifier *v, const ob_graph *graph, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_value *value = node->inputs[i];
        if (!value) continue;
        OB_TRY(check_use(v, graph, value));
        if (value->graph == graph && value->producer && !v->is_defined[value->id])
            return ob__fail(v->error, OB_E_MODEL, "after pass %s: '%s' is used before it is made", v->after, value->name);
    }
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_value *value = node->outputs[i];
        if (!value) continue;
        OB_TRY(check_value(v, value));
        if (value->graph != graph) return broken(v, "output belongs to another graph", value->name);
        if (value->producer != node || value->producer_index != i) return broken(v, "producer link is wrong", value->name);
        if (v->is_defined[value->id]) return broken(v, "value is made twice", value->name);
        v->is_defined[value->id] = true;
    }
    return OB_OK;
}

static ob_status check_graph(void *context, ob_graph *graph) {
    verifier *v = context;
    uint32_t n = 0;
    const ob_node *previous = NULL;
    for (const ob_node *node = graph->first; node; previous = node, node = node->next, n++) {
        if (node->prev != previous || node->graph != graph) return broken(v, "node links are wrong", node->name);
        if (n > graph->n_nodes) return broken(v, "more nodes than counted", graph->name);
        OB_TRY(check_node(v, graph, node));
    }
    if (graph->last != previous || n != graph->n_nodes) return broken(v, "node count is wrong", graph->name);
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        OB_TRY(check_value(v, graph->inputs[i]));
        if (graph->inputs[i]->producer) return broken(v, "a graph input has a producer", graph->inputs[i]->name);
    }
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        OB_TRY(check_value(v, graph->initializers[i]));
        if (graph->initializers[i]->producer) return broken(v, "an initializer has a producer", graph->initializers[i]->name);
    }
    for (uint32_t i = 0; i < graph->n_outputs; i++) OB_TRY(check_use(v, graph, graph->outputs[i]));
    return OB_OK;
}

ob_status ob__verify_graph(ob_model *model, const char *after, ob_error *error) {
    verifier v = {.after = after, .error = error, .n_values = model->n_values};
    ob__arena_init(&v.arena, &model->arena.allocator);
    v.is_defined = OB_ARENA_ARRAY(&v.arena, bool, model->n_values);
    ob_status status = v.is_defined ? ob__model_each_graph(model, check_graph, &v) : OB_E_MEMORY;
    return ob__arena_finish(&v.arena, status);
}
