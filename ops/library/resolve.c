/* Finds the operator of each node of a model: in the local functions, its operator libraries, then the table. */
#include "ops/library/resolve.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/library/library.h"

const ob_op *ob__model_find_op(const ob_model *model, const char *domain, const char *name, int64_t opset) {
    const ob_op *found = ob__operators_find(model->operators, domain, name, opset);
    return found ? found : ob__op_find(domain, name, opset);
}

/* Looks up each distinct operator once, because files repeat few operators many times. */

typedef struct resolution {
    const ob_op *op;
    ob_function *function;
} resolution;

typedef struct resolver {
    ob_map cache;     /* from names by address (they are interned) and opset to the resolution */
    ob_map functions; /* by ob__function_key */
    ob_arena arena;
    const ob_graph *graph; /* the graph and domain of the last opset lookup */
    const char *domain;
    int64_t opset;
} resolver;

/* NULL: there is none, or memory ran out. */
static ob_map_entry *function_entry(resolver *r, const char *domain, const char *name, const char *overload, bool insert) {
    char room[256];
    size_t n;
    const char *key = ob__function_key(room, sizeof room, &r->arena, domain, name, overload, &n);
    if (!key) return NULL;
    return insert ? ob__map_insert(&r->functions, key, n) : ob__map_find(&r->functions, key, n);
}

static ob_status list_functions(resolver *r, const ob_model *model) {
    for (uint32_t i = 0; i < model->n_functions; i++) {
        ob_function *function = model->functions[i];
        ob_map_entry *entry = function_entry(r, function->domain, function->name, function->overload, true);
        if (!entry) return OB_E_MEMORY;
        if (!entry->value) entry->value = function;
    }
    return OB_OK;
}

static ob_function *find_function(resolver *r, const ob_node *node) {
    if (r->functions.n_entries == 0) return NULL;
    const ob_map_entry *entry = function_entry(r, node->domain, node->op_type, node->overload, false);
    return entry ? entry->value : NULL;
}

/* The project's own domain has one version; other versions are unknown here. */
static bool is_later_than_ours(const char *domain, int64_t opset) {
    return opset > 1 && strcmp(domain, "onnx_broadcast") == 0;
}

static resolution *resolve(resolver *r, const ob_node *node) {
    resolution *found = OB_ARENA_NEW(&r->arena, resolution);
    if (!found) return NULL;
    found->function = find_function(r, node);
    if (r->arena.failed) return NULL;
    if (!found->function && !is_later_than_ours(node->domain, r->opset))
        found->op = ob__model_find_op(node->graph->model, node->domain, node->op_type, r->opset);
    return found;
}

static ob_status resolve_node(resolver *r, ob_node *node) {
    if (r->graph != node->graph || r->domain != node->domain) {
        r->graph = node->graph;
        r->domain = node->domain;
        r->opset = ob__graph_opset(node->graph, node->domain);
    }
    const struct {
        const char *domain, *op_type, *overload;
        int64_t opset;
    } key = {node->domain, node->op_type, node->overload, r->opset};
    ob_map_entry *entry = ob__map_insert(&r->cache, (const char *)&key, sizeof key);
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) entry->value = resolve(r, node);
    const resolution *found = entry->value;
    if (!found) return OB_E_MEMORY;
    node->op = found->op;
    node->function = found->function;
    return OB_OK;
}

static ob_status resolve_graph(void *context, ob_graph *graph) {
    for (ob_node *node = graph->first; node; node = node->next) OB_TRY(resolve_node(context, node));
    return OB_OK;
}

ob_status ob__model_resolve_ops(ob_model *model) {
    resolver r = {0};
    ob__arena_init(&r.arena, &model->arena.allocator);
    ob__map_init(&r.cache, &r.arena);
    ob__map_init(&r.functions, &r.arena);
    ob_status status = list_functions(&r, model);
    if (status == OB_OK) status = ob__model_each_graph(model, resolve_graph, &r);
    return ob__arena_finish(&r.arena, status);
}

ob_status ob_model_set_operators(ob_model *model, const ob_operators *operators) {
    if (!model) return OB_E_ARGUMENT;
    const ob_operators *before = model->operators;
    model->operators = operators;
    ob_status status = ob__model_resolve_ops(model);
    if (status != OB_OK) model->operators = before;
    return status;
}
