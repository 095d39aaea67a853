/* An independent copy of a model. Data that is never edited in place (names, tensors, types, lists of numbers, messages of the
 * file) is shared with the source, which outlives the copy. Everything that passes link, replace or count is copied. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "core/graph/graph.h"

typedef struct cloner {
    ob_model *copy;
    ob_value **values; /* by id of the source */
    ob_map functions;  /* source function (its bytes as key) -> copy */
    ob_error *error;
} cloner;

static ob_status out_of_memory(const cloner *c) {
    return ob__fail(c->error, OB_E_MEMORY, "out of memory for a copy of the model");
}

/* The same terms in the same order get the same handles. */
static bool copy_terms(const ob_dims *from, ob_dims *to) {
    for (uint32_t i = 0; i < from->n_terms; i++) {
        const ob_term *term = &from->terms[i];
        if (term->kind != OB_DIM_KIND_SYMBOL)
            ob__term_intern(to, (ob_dim_kind)term->kind, term->words, term->n_words);
        else if (term->name)
            ob_dim_symbol(to, term->name);
        else
            ob_dim_fresh(to);
        if (to->n_terms != i + 1) return false;
    }
    return true;
}

static ob_status copy_graph(cloner *c, const ob_graph *from, ob_graph *to);

/* ---- Definitions ---- */

static ob_status copy_value(cloner *c, const ob_value *from, ob_graph *to) {
    bool exists;
    ob_value *value = ob__value_define(to, from->name, strlen(from->name), &exists);
    if (!value) return out_of_memory(c);
    uint32_t id = value->id;
    *value = *from;
    value->id = id;
    value->graph = to;
    value->producer = NULL;
    c->values[from->id] = value;
    return OB_OK;
}

static ob_status copy_values(cloner *c, const ob_graph *from, ob_graph *to) {
    if (!ob__map_reserve(&to->values, from->values.n_entries)) return out_of_memory(c);
    for (size_t i = 0; i < from->values.capacity; i++)
        if (from->values.entries[i].key && from->values.entries[i].value)
            OB_TRY(copy_value(c, from->values.entries[i].value, to));
    return OB_OK;
}

static ob_status copy_subgraph(cloner *c, const ob_graph *from, ob_graph *parent, ob_node *node, ob_graph **out) {
    ob_graph *graph = ob__graph_new(c->copy, parent, node);
    if (!graph) return out_of_memory(c);
    graph->attribute = from->attribute;
    *out = graph;
    return copy_graph(c, from, graph);
}

static ob_status copy_attribute(cloner *c, const ob_attribute *from, ob_graph *graph, ob_node *node, ob_attribute **out) {
    ob_attribute *attribute = OB_ARENA_NEW(&c->copy->arena, ob_attribute);
    if (!attribute) return out_of_memory(c);
    *attribute = *from;
    *out = attribute;
    if (from->ref) return OB_OK;
    if (from->type == OB_ATTR_GRAPH && from->u.graph) return copy_subgraph(c, from->u.graph, graph, node, &attribute->u.graph);
    if (from->type != OB_ATTR_GRAPHS) return OB_OK;
    attribute->u.graphs = OB_ARENA_ARRAY(&c->copy->arena, ob_graph *, from->n);
    if (!attribute->u.graphs) return out_of_memory(c);
    for (uint32_t i = 0; i < from->n; i++) OB_TRY(copy_subgraph(c, from->u.graphs[i], graph, node, &attribute->u.graphs[i]));
    return OB_OK;
}

static ob_status copy_attributes(cloner *c, ob_attribute *const *from, uint32_t n, ob_graph *graph, ob_node *node,
                                 ob_attribute ***out) {
    *out = NULL;
    if (n == 0) return OB_OK;
    *out = OB_ARENA_ARRAY(&c->copy->arena, ob_attribute *, n);
    if (!*out) return out_of_memory(c);
    for (uint32_t i = 0; i < n; i++) OB_TRY(copy_attribute(c, from[i], graph, node, &(*out)[i]));
    return OB_OK;
}

static ob_status copy_node(cloner *c, const ob_node *from, ob_graph *to) {
    ob_node *node = ob__node_new(to, NULL, from->domain, from->op_type, from->n_inputs, from->n_outputs);
    if (!node) return out_of_memory(c);
    node->name = from->name;
    node->overload = from->overload;
    node->op = from->op;
    node->function = from->function; /* the source's, until functions are linked */
    node->metadata = from->metadata;
    node->n_metadata = from->n_metadata;
    node->doc = from->doc;
    node->origin = from->origin;
    for (uint32_t i = 0; i < from->n_outputs; i++)
        if (from->outputs[i]) ob__node_set_output(node, i, c->values[from->outputs[i]->id]);
    node->n_attributes = from->n_attributes;
    return copy_attributes(c, from->attributes, from->n_attributes, to, node, &node->attributes);
}

static ob_status copy_list(cloner *c, ob_value *const *from, uint32_t n, ob_value ***out) {
    /* Room doubles at powers of two, see ob__graph_add_initializer. */
    size_t room = 1;
    while (room < n) room *= 2;
    *out = OB_ARENA_ARRAY(&c->copy->arena, ob_value *, room);
    if (!*out) return out_of_memory(c);
    for (uint32_t i = 0; i < n; i++) (*out)[i] = c->values[from[i]->id];
    return OB_OK;
}

static ob_status copy_graph(cloner *c, const ob_graph *from, ob_graph *to) {
    to->name = from->name;
    to->doc = from->doc;
    to->origin = from->origin;
    OB_TRY(copy_values(c, from, to));
    for (const ob_node *node = from->first; node; node = node->next) OB_TRY(copy_node(c, node, to));
    to->n_inputs = from->n_inputs;
    to->n_initializers = from->n_initializers;
    OB_TRY(copy_list(c, from->inputs, from->n_inputs, &to->inputs));
    return copy_list(c, from->initializers, from->n_initializers, &to->initializers);
}

static ob_status copy_function(cloner *c, const ob_function *from, ob_function **out) {
    ob_function *function = OB_ARENA_NEW(&c->copy->arena, ob_function);
    ob_graph *body = ob__graph_new(c->copy, NULL, NULL);
    if (!function || !body) return out_of_memory(c);
    *function = *from;
    function->body = body;
    body->function = function;
    ob_map_entry *entry = ob__map_insert(&c->functions, (const char *)&from, sizeof from);
    if (!entry) return out_of_memory(c);
    entry->value = function;
    *out = function;
    OB_TRY(copy_attributes(c, from->attribute_defaults, from->n_attribute_defaults, body, NULL, &function->attribute_defaults));
    return copy_graph(c, from->body, body);
}

/* ---- Uses ---- */

static ob_status link_graph(cloner *c, const ob_graph *from, ob_graph *to);

static ob_status link_subgraphs(cloner *c, const ob_node *from, const ob_node *to) {
    for (uint32_t i = 0; i < from->n_attributes; i++) {
        const ob_attribute *a = from->attributes[i], *b = to->attributes[i];
        if (a->ref) continue;
        if (a->type == OB_ATTR_GRAPH && a->u.graph) OB_TRY(link_graph(c, a->u.graph, b->u.graph));
        if (a->type == OB_ATTR_GRAPHS)
            for (uint32_t k = 0; k < a->n; k++) OB_TRY(link_graph(c, a->u.graphs[k], b->u.graphs[k]));
    }
    return OB_OK;
}

static ob_status link_graph(cloner *c, const ob_graph *from, ob_graph *to) {
    ob_node *copy = to->first;
    for (const ob_node *node = from->first; node; node = node->next, copy = copy->next) {
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i]) copy->inputs[i] = c->values[node->inputs[i]->id];
        if (copy->function) {
            const ob_function *function = copy->function;
            copy->function = ob__map_find(&c->functions, (const char *)&function, sizeof function)->value;
        }
        if (node == from->early_node) to->early_node = copy;
        OB_TRY(link_subgraphs(c, node, copy));
    }
    to->n_early = from->n_early;
    if (from->early_value) to->early_value = c->values[from->early_value->id];
    to->n_outputs = from->n_outputs;
    return copy_list(c, from->outputs, from->n_outputs, &to->outputs);
}

static ob_status copy_model(cloner *c, const ob_model *from) {
    ob_model *to = c->copy;
    if (!copy_terms(from->dims, to->dims)) return out_of_memory(c);
    to->arena.n_bytes_limit = from->arena.n_bytes_limit;
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
    to->operators = from->operators;
    to->logger = from->logger;
    c->values = OB_ARENA_ARRAY(&to->arena, ob_value *, from->n_values);
    to->functions = OB_ARENA_ARRAY(&to->arena, ob_function *, from->n_functions);
    if (!c->values || !to->functions) return out_of_memory(c);
    to->n_functions = from->n_functions;
    for (uint32_t i = 0; i < from->n_functions; i++) OB_TRY(copy_function(c, from->functions[i], &to->functions[i]));
    OB_TRY(copy_graph(c, from->graph, to->graph));
    for (uint32_t i = 0; i < from->n_functions; i++) OB_TRY(link_graph(c, from->functions[i]->body, to->functions[i]->body));
    return link_graph(c, from->graph, to->graph);
}

ob_status ob__model_clone(const ob_model *model, const ob_allocator *allocator, ob_model **out, ob_error *error) {
    cloner c = {.copy = ob__model_new(allocator), .error = error};
    if (!c.copy) return out_of_memory(&c);
    ob__map_init(&c.functions, &c.copy->arena);
    ob_status status = copy_model(&c, model);
    if (status == OB_OK)
        *out = c.copy;
    else
        ob_model_close(&c.copy);
    return status;
}

ob_status ob_model_clone(const ob_model *model, ob_model **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model || !out, error, OB_E_ARGUMENT, "model and out must not be NULL");
    return ob__model_clone(model, &model->arena.allocator, out, error);
}
