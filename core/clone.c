/* Copies of models. Graphs, nodes and values are copied; what passes never change in place (tensors, strings, attribute lists,
 * origins) is shared with the source, which must outlive the copy. */
#include <string.h>

#include "core/error.h"
#include "core/graph.h"

/* Subgraph nesting; the loader's limit is lower. */
enum { MAX_DEPTH = 256 };

typedef struct cloner {
    const ob_model *from;
    ob_model *to;
    ob_value **values;       /* by id in the source */
    ob_function **functions; /* in the order of the source */
} cloner;

static ob_status clone_graph(cloner *c, const ob_graph *from, ob_graph *to, int depth);

/* Declared dims are numbers, names or unknown: names are looked up in the copy's own pool. */
static ob_dim clone_dim(cloner *c, ob_dim dim) {
    char name[512];
    if (!ob_dim_is_term(dim)) return dim;
    if (!ob_dim_is_named(c->from->dims, dim)) return ob_dim_fresh(c->to->dims);
    size_t n = ob_dim_format(c->from->dims, dim, name, sizeof name);
    if (n < sizeof name) return ob_dim_symbol(c->to->dims, name);
    char *longer = ob__arena_alloc(&c->to->arena, n + 1);
    if (!longer) return OB_DIM_UNKNOWN;
    ob_dim_format(c->from->dims, dim, longer, n + 1);
    return ob_dim_symbol(c->to->dims, longer);
}

static ob_status clone_type(cloner *c, const ob_type *from, ob_type *to, int depth) {
    if (depth > MAX_DEPTH) return OB_E_LIMIT;
    *to = *from;
    if (from->shape.rank > 0) {
        ob_dim *dims = OB_ARENA_ARRAY(&c->to->arena, ob_dim, (size_t)from->shape.rank);
        if (!dims) return OB_E_MEMORY;
        for (int32_t i = 0; i < from->shape.rank; i++) dims[i] = clone_dim(c, from->shape.dims[i]);
        to->shape.dims = dims;
    }
    if (from->element) {
        ob_type *element = OB_ARENA_NEW(&c->to->arena, ob_type);
        if (!element) return OB_E_MEMORY;
        OB_TRY(clone_type(c, from->element, element, depth + 1));
        to->element = element;
    }
    return OB_OK;
}

static ob_status clone_values(cloner *c, const ob_graph *from, ob_graph *to) {

    for (size_t i = 0; i < from->values.capacity; i++) {
        const ob_value *value = from->values.entries[i].value;
        if (!value) continue;
        ob_value *copy = ob__value_new(to, value->name);
        if (!copy) return OB_E_MEMORY;
        uint32_t id = copy->id;
        *copy = (ob_value){.name = copy->name,
                           .id = id,
                           .graph = to,
                           .is_input = value->is_input,
                           .is_output = value->is_output,
                           .is_initializer = value->is_initializer,
                           .data = value->data,
                           .doc = value->doc,
                           .origin = value->origin};
        OB_TRY(clone_type(c, &value->declared, &copy->declared, 0));
        c->values[value->id] = copy;
    }
    return OB_OK;
}

static ob_status clone_list(cloner *c, ob_value *const *from, uint32_t n, ob_value ***to) {
    *to = OB_ARENA_ARRAY(&c->to->arena, ob_value *, n);
    if (!*to) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) (*to)[i] = c->values[from[i]->id];
    return OB_OK;
}

static ob_status clone_subgraph(cloner *c, const ob_graph *from, ob_node *parent, ob_graph **to, int depth) {
    *to = ob__graph_new(c->to, parent->graph, parent);
    return *to ? clone_graph(c, from, *to, depth + 1) : OB_E_MEMORY;
}

static ob_status clone_attribute(cloner *c, const ob_attribute *from, ob_node *node, ob_attribute *to, int depth) {
    *to = *from;
    if (from->ref) return OB_OK;
    if (from->type == OB_ATTR_GRAPH && from->u.graph) return clone_subgraph(c, from->u.graph, node, &to->u.graph, depth);
    if (from->type != OB_ATTR_GRAPHS) return OB_OK;
    ob_graph **graphs = OB_ARENA_ARRAY(&c->to->arena, ob_graph *, from->n);
    if (!graphs) return OB_E_MEMORY;
    for (uint32_t i = 0; i < from->n; i++) OB_TRY(clone_subgraph(c, from->u.graphs[i], node, &graphs[i], depth));
    to->u.graphs = graphs;
    return OB_OK;
}

static ob_status clone_node(cloner *c, const ob_node *from, ob_graph *graph, int depth) {
    ob_node *node = ob__node_new(graph, NULL, from->domain, from->op_type, from->n_inputs, from->n_outputs);
    if (!node) return OB_E_MEMORY;
    node->name = from->name;
    node->overload = from->overload;
    node->op = from->op;
    node->metadata = from->metadata;
    node->n_metadata = from->n_metadata;
    node->doc = from->doc;
    node->origin = from->origin;
    for (uint32_t i = 0; from->function && i < c->from->n_functions; i++)
        if (c->from->functions[i] == from->function) node->function = c->functions[i];
    for (uint32_t i = 0; i < from->n_inputs; i++) node->inputs[i] = from->inputs[i] ? c->values[from->inputs[i]->id] : NULL;
    for (uint32_t i = 0; i < from->n_outputs; i++)
        ob__node_set_output(node, i, from->outputs[i] ? c->values[from->outputs[i]->id] : NULL);
    node->attributes = OB_ARENA_ARRAY(&c->to->arena, ob_attribute *, from->n_attributes);
    ob_attribute *attributes = OB_ARENA_ARRAY(&c->to->arena, ob_attribute, from->n_attributes);
    if (!node->attributes || !attributes) return OB_E_MEMORY;
    for (uint32_t i = 0; i < from->n_attributes; i++) {
        node->attributes[i] = &attributes[i];
        OB_TRY(clone_attribute(c, from->attributes[i], node, &attributes[i], depth));
    }
    node->n_attributes = from->n_attributes;
    return OB_OK;
}

static ob_status clone_graph(cloner *c, const ob_graph *from, ob_graph *to, int depth) {
    if (depth > MAX_DEPTH) return OB_E_LIMIT;
    to->name = from->name;
    to->doc = from->doc;
    to->origin = from->origin;
    OB_TRY(clone_values(c, from, to));
    OB_TRY(clone_list(c, from->inputs, from->n_inputs, &to->inputs));
    to->n_inputs = from->n_inputs;
    for (uint32_t i = 0; i < from->n_initializers; i++) {
        const ob_value *value = from->initializers[i];
        if (!ob__graph_add_initializer(to, c->values[value->id], value->data)) return OB_E_MEMORY;
    }
    for (const ob_node *node = from->first; node; node = node->next) OB_TRY(clone_node(c, node, to, depth));
    OB_TRY(clone_list(c, from->outputs, from->n_outputs, &to->outputs));
    to->n_outputs = from->n_outputs;
    return OB_OK;
}

static ob_status clone_functions(cloner *c) {
    ob_arena *arena = &c->to->arena;
    uint32_t n = c->from->n_functions;
    c->functions = c->to->functions = OB_ARENA_ARRAY(arena, ob_function *, n);
    if (!c->functions) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        c->functions[i] = OB_ARENA_NEW(arena, ob_function);
        if (!c->functions[i]) return OB_E_MEMORY;
        *c->functions[i] = *c->from->functions[i];
        c->functions[i]->body = ob__graph_new(c->to, NULL, NULL);
        if (!c->functions[i]->body) return OB_E_MEMORY;
        c->functions[i]->body->function = c->functions[i];
    }
    c->to->n_functions = n;
    for (uint32_t i = 0; i < n; i++) OB_TRY(clone_graph(c, c->from->functions[i]->body, c->functions[i]->body, 0));
    return OB_OK;
}

static ob_status clone_model(cloner *c) {
    const ob_model *from = c->from;
    ob_model *to = c->to;
    to->path = from->path;
    to->ir_version = from->ir_version;
    to->opsets = from->opsets;
    to->n_opsets = from->n_opsets;
    to->producer_name = from->producer_name;
    to->producer_version = from->producer_version;
    to->model_domain = from->model_domain;
    to->doc = from->doc;
    to->model_version = from->model_version;
    to->metadata = from->metadata;
    to->n_metadata = from->n_metadata;
    to->origin = from->origin;
    c->values = OB_ARENA_ARRAY(&to->arena, ob_value *, from->n_values);
    if (!c->values) return OB_E_MEMORY;
    OB_TRY(clone_functions(c));
    return clone_graph(c, from->graph, to->graph, 0);
}

ob_status ob_model_clone(const ob_model *model, ob_model **out, ob_error *error) {
    OB_FAIL_IF(!model || !out, error, OB_E_ARGUMENT, "no model, or no place for the copy");
    cloner c = {.from = model, .to = ob__model_new(&model->arena.allocator)};
    OB_FAIL_IF(!c.to, error, OB_E_MEMORY, "out of memory");
    ob_status status = clone_model(&c);
    if (status == OB_OK && ob_dims_status(c.to->dims) != OB_OK) status = ob_dims_status(c.to->dims);
    if (status != OB_OK) {
        ob_model_close(&c.to);
        return ob__fail(error, status, "cannot copy the model: %s", ob_status_text(status));
    }
    *out = c.to;
    return OB_OK;
}
