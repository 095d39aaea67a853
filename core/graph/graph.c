#include "core/graph/graph.h"

#include <stdio.h>
#include <string.h>

#include "core/base/list.h"

ob_model *ob__model_new(const ob_allocator *allocator) {
    ob_arena arena;
    ob__arena_init(&arena, allocator);
    ob_model *model = OB_ARENA_NEW(&arena, ob_model);
    if (!model) return NULL;
    model->arena = arena; /* the model lives in its own arena */
    ob__map_init(&model->names, &model->arena);
    if (ob_dims_create(allocator, &model->dims) != OB_OK) goto fail;
    model->path = model->producer_name = model->producer_version = model->model_domain = model->doc = "";
    model->graph = ob__graph_new(model, NULL, NULL);
    if (!model->graph) goto fail;
    return model;
fail:
    ob_model_close(&model);
    return NULL;
}

void ob_model_close(ob_model **model) {
    if (!model || !*model) return;
    ob_model *closing = *model;
    *model = NULL;
    ob_dims_destroy(&closing->dims);
    if (closing->release_source) closing->release_source(closing->source);
    ob_arena arena = closing->arena; /* the struct is freed with the arena */
    ob__arena_release(&arena);
}

const char *ob_model_path(const ob_model *model) {
    return model->path;
}

/* Initializers that are inputs as well become initializers alone. */
static void keep_own_inputs(ob_graph *graph) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        ob_value *input = graph->inputs[i];
        if (!input->is_initializer || !input->data) {
            graph->inputs[n++] = input;
            continue;
        }
        input->is_input = false;
        if (input->is_output) continue;
        input->origin = NULL;
        input->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = input->data->dtype};
        input->declared.shape = (ob_shape){input->data->rank, input->data->dims};
    }
    graph->n_inputs = n;
}

void ob__model_raise_ir_version(ob_model *model, int64_t at_least) {
    if (model->ir_version < 4 && at_least >= 4) keep_own_inputs(model->graph);
    if (model->ir_version < at_least) model->ir_version = at_least;
}

int64_t ob_model_ir_version(const ob_model *model) {
    return model->ir_version;
}

const char *ob_model_metadata(const ob_model *model, const char *key) {
    for (uint32_t i = 0; model && key && i < model->n_metadata; i++)
        if (strcmp(model->metadata[i].key, key) == 0) return model->metadata[i].value;
    return NULL;
}

size_t ob_model_node_count(const ob_model *model) {
    return model->n_nodes;
}

size_t ob_model_opset_count(const ob_model *model) {
    return model->n_opsets;
}

ob_opset ob_model_opset_at(const ob_model *model, size_t index) {
    return index < model->n_opsets ? model->opsets[index] : (ob_opset){"", 0};
}

const char *ob__intern(ob_model *model, const char *text, size_t n) {
    if (n == 0) return "";
    ob_map_entry *entry = ob__map_insert(&model->names, text, n);
    if (entry) entry->value = NULL; /* not free, if it was */
    return entry ? entry->key : NULL;
}

/* In the table of names: one that nothing bears any more. */
#define FREE_NAME ((void *)(uintptr_t)1)

static bool is_taken(const ob_model *model, const char *name, size_t n) {
    const ob_map_entry *entry = ob__map_find(&model->names, name, n);
    return entry && entry->value != FREE_NAME;
}

ob_graph *ob__graph_new(ob_model *model, ob_graph *parent, ob_node *parent_node) {
    ob_graph *graph = OB_ARENA_NEW(&model->arena, ob_graph);
    if (!graph) return NULL;
    graph->name = graph->doc = "";
    graph->model = model;
    graph->parent = parent;
    graph->parent_node = parent_node;
    graph->function = parent ? parent->function : NULL;
    if (parent) model->n_subgraphs++;
    ob__map_init(&graph->values, &model->arena);
    return graph;
}

/* Keeps `name`. */
static ob_value *define_value(ob_graph *graph, const char *name, size_t n, bool *exists) {
    ob_map_entry *entry = ob__map_insert_borrowed(&graph->values, name, n);
    *exists = entry && entry->value;
    if (!entry || entry->value) return NULL;
    ob_value *value = OB_ARENA_NEW(&graph->model->arena, ob_value);
    if (!value) return NULL;
    value->name = name;
    value->id = graph->model->n_values++;
    value->graph = graph;
    value->declared.shape.rank = OB_RANK_UNKNOWN;
    value->doc = "";
    entry->value = value;
    return value;
}

ob_value *ob__value_new(ob_graph *graph, const char *name) {
    size_t n = strlen(name);
    bool was_taken = is_taken(graph->model, name, n), exists = false;
    const char *interned = ob__intern(graph->model, name, n);
    ob_value *value = interned && n ? define_value(graph, interned, n, &exists) : NULL;
    if (!value && interned && n && !was_taken) ob__map_find(&graph->model->names, name, n)->value = FREE_NAME;
    return value;
}

ob_value *ob__value_define(ob_graph *graph, const char *name, size_t n, bool *exists) {
    *exists = false;
    graph->model->has_unlisted_names = true;
    return n ? define_value(graph, name, n, exists) : NULL;
}

static ob_status list_names(void *context, ob_graph *graph) {
    ob_model *model = context;
    for (size_t i = 0; i < graph->values.capacity; i++) {
        const ob_map_entry *entry = &graph->values.entries[i];
        if (entry->key && !ob__map_insert_borrowed(&model->names, entry->key, entry->n)) return OB_E_MEMORY;
    }
    return OB_OK;
}

ob_value *ob__value_new_unique(ob_graph *graph, const char *stem) {
    /* Any interned name may be a value somewhere, in an outer graph or a subgraph: choose one that is not interned.
     */
    ob_model *model = graph->model;
    if (model->has_unlisted_names) {
        if (ob__model_each_graph(model, list_names, model) != OB_OK) return NULL;
        model->has_unlisted_names = false;
    }
    size_t n_stem = strlen(stem);
    if (n_stem == 0) stem = "value", n_stem = 5;
    if (!is_taken(model, stem, n_stem)) return ob__value_new(graph, stem);
    char *name = ob__arena_alloc(&model->arena, n_stem + 24);
    if (!name) return NULL;
    for (uint64_t i = model->n_values;; i++) {
        int n = snprintf(name, n_stem + 24, "%s_%llu", stem, (unsigned long long)i);
        if (n < 0) return NULL;
        if (!is_taken(model, name, (size_t)n)) return ob__value_new(graph, name);
    }
}

void ob__value_forget(ob_value *value) {
    size_t n = strlen(value->name);
    ob_map_entry *entry = ob__map_find(&value->graph->values, value->name, n);
    if (!entry || entry->value != value) return;
    entry->value = NULL;
}

void ob__value_undefine(ob_value *value) {
    ob__value_forget(value);
    ob_map_entry *entry = ob__map_find(&value->graph->model->names, value->name, strlen(value->name));
    if (entry) entry->value = FREE_NAME;
}

void ob__value_remember(ob_value *value) {
    ob_map_entry *entry = ob__map_find(&value->graph->values, value->name, strlen(value->name));
    if (entry && !entry->value) entry->value = value;
}

ob_value *ob__value_find(const ob_graph *graph, const char *name, size_t n) {
    for (; graph; graph = graph->parent) {
        ob_map_entry *entry = ob__map_find(&graph->values, name, n);
        if (entry && entry->value) return entry->value;
    }
    return NULL;
}

ob_node *ob__node_new(ob_graph *graph, ob_node *before, const char *domain, const char *op_type, uint32_t n_inputs,
                      uint32_t n_outputs) {
    ob_model *model = graph->model;
    ob_node *node = OB_ARENA_NEW(&model->arena, ob_node);
    if (!node) return NULL;
    node->name = node->overload = node->doc = "";
    node->domain = ob__intern(model, domain, strlen(domain));
    node->op_type = ob__intern(model, op_type, strlen(op_type));
    if (n_inputs + (uint64_t)n_outputs > 0) {
        node->inputs = OB_ARENA_ARRAY(&model->arena, ob_value *, (size_t)n_inputs + n_outputs);
        if (!node->inputs) return NULL;
        node->outputs = node->inputs + n_inputs;
    }
    if (!node->domain || !node->op_type) return NULL;
    node->n_inputs = n_inputs;
    node->n_outputs = n_outputs;
    node->graph = graph;
    ob__node_link(node, before);
    return node;
}

void ob__node_link(ob_node *node, ob_node *before) {
    ob_graph *graph = node->graph;
    node->id = graph->model->n_nodes++;
    node->next = before;
    node->prev = before ? before->prev : graph->last;
    if (node->prev)
        node->prev->next = node;
    else
        graph->first = node;
    if (before)
        before->prev = node;
    else
        graph->last = node;
    graph->n_nodes++;
}

void ob__node_set_output(ob_node *node, uint32_t index, ob_value *value) {
    node->outputs[index] = value;
    if (!value) return;
    value->producer = node;
    value->producer_index = index;
}

void ob__node_unlink(ob_node *node) {
    ob_graph *graph = node->graph;
    if (node->prev)
        node->prev->next = node->next;
    else
        graph->first = node->next;
    if (node->next)
        node->next->prev = node->prev;
    else
        graph->last = node->prev;
    node->prev = node->next = NULL;
    graph->n_nodes--;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] && node->outputs[i]->producer == node) node->outputs[i]->producer = NULL;
}

const ob_attribute *ob__node_attribute(const ob_node *node, const char *name) {
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (strcmp(node->attributes[i]->name, name) == 0) return node->attributes[i];
    return NULL;
}

bool ob__node_set_attribute(ob_node *node, ob_attribute *attribute) {
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (strcmp(node->attributes[i]->name, attribute->name) == 0) {
            node->attributes[i] = attribute;
            return true;
        }
    ob_attribute **attributes = OB_ARENA_ARRAY(&node->graph->model->arena, ob_attribute *, (size_t)node->n_attributes + 1);
    if (!attributes) return false;
    if (node->n_attributes) memcpy(attributes, node->attributes, node->n_attributes * sizeof *attributes);
    attributes[node->n_attributes] = attribute;
    node->attributes = attributes;
    node->n_attributes++;
    return true;
}

void ob__node_remove_attribute(ob_node *node, const char *name) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (strcmp(node->attributes[i]->name, name) != 0) node->attributes[kept++] = node->attributes[i];
    node->n_attributes = kept;
}

static ob_attribute *attribute_new(ob_node *node, const char *name, ob_attribute_type type) {
    ob_model *model = node->graph->model;
    ob_attribute *attribute = OB_ARENA_NEW(&model->arena, ob_attribute);
    if (!attribute) return NULL;
    attribute->name = ob__intern(model, name, strlen(name));
    attribute->type = type;
    attribute->n = 1;
    attribute->doc = "";
    return attribute->name ? attribute : NULL;
}

bool ob__node_set_ints(ob_node *node, const char *name, const int64_t *ints, uint32_t n) {
    ob_attribute *attribute = attribute_new(node, name, OB_ATTR_INTS);
    int64_t *copy = OB_ARENA_ARRAY(&node->graph->model->arena, int64_t, n);
    if (!attribute || !copy) return false;
    if (n) memcpy(copy, ints, n * sizeof *copy);
    attribute->n = n;
    attribute->u.ints = copy;
    return ob__node_set_attribute(node, attribute);
}

bool ob__node_set_int(ob_node *node, const char *name, int64_t i) {
    ob_attribute *attribute = attribute_new(node, name, OB_ATTR_INT);
    if (!attribute) return false;
    attribute->u.i = i;
    return ob__node_set_attribute(node, attribute);
}

bool ob__node_set_string(ob_node *node, const char *name, const char *text) {
    ob_attribute *attribute = attribute_new(node, name, OB_ATTR_STRING);
    if (!attribute) return false;
    size_t n = strlen(text);
    char *copy = ob__arena_strndup(&node->graph->model->arena, text, n);
    if (!copy) return false;
    attribute->u.s = (ob_string){copy, n};
    return ob__node_set_attribute(node, attribute);
}

int64_t ob__node_int(const ob_node *node, const char *name, int64_t otherwise) {
    const ob_attribute *attribute = ob__node_attribute(node, name);
    return attribute && attribute->type == OB_ATTR_INT && !attribute->ref ? attribute->u.i : otherwise;
}

float ob__node_float(const ob_node *node, const char *name, float otherwise) {
    const ob_attribute *attribute = ob__node_attribute(node, name);
    return attribute && attribute->type == OB_ATTR_FLOAT && !attribute->ref ? attribute->u.f : otherwise;
}

const char *ob__node_string(const ob_node *node, const char *name, const char *otherwise) {
    const ob_attribute *attribute = ob__node_attribute(node, name);
    return attribute && attribute->type == OB_ATTR_STRING && !attribute->ref ? attribute->u.s.data : otherwise;
}

bool ob__graph_add_initializer(ob_graph *graph, ob_value *value, const ob_tensor *tensor) {
    ob_value **initializers =
        ob__list_for_entry(&graph->model->arena, graph->initializers, graph->n_initializers, sizeof *initializers);
    if (!initializers) return false;
    graph->initializers = initializers;
    graph->initializers[graph->n_initializers++] = value;
    value->is_initializer = true;
    value->data = tensor;
    if (value->declared.kind == OB_TYPE_UNKNOWN && tensor) {
        value->declared.kind = OB_TYPE_TENSOR;
        value->declared.dtype = tensor->dtype;
        value->declared.shape = (ob_shape){tensor->rank, tensor->dims};
    }
    return true;
}

ob_value *ob__graph_add_int64s(ob_graph *graph, const char *stem, const int64_t *elements, uint32_t n) {
    ob_arena *arena = &graph->model->arena;
    ob_value *value = ob__value_new_unique(graph, stem);
    ob_tensor *tensor = OB_ARENA_NEW(arena, ob_tensor);
    int64_t *dims = OB_ARENA_ARRAY(arena, int64_t, 1);
    int64_t *data = OB_ARENA_ARRAY(arena, int64_t, n);
    if (!value || !tensor || !dims || !data) return NULL;
    if (n) memcpy(data, elements, n * sizeof *data);
    dims[0] = n;
    tensor->name = value->name;
    tensor->dtype = OB_INT64;
    tensor->rank = 1;
    tensor->dims = dims;
    tensor->n_elems = n;
    tensor->data = data;
    tensor->doc = "";
    return ob__graph_add_initializer(graph, value, tensor) ? value : NULL;
}

const char *ob__function_key(char *room, size_t n_room, ob_arena *arena, const char *domain, const char *name,
                             const char *overload, size_t *n) {
    size_t n_domain = strlen(domain) + 1, n_name = strlen(name) + 1, n_overload = strlen(overload);
    *n = n_domain + n_name + n_overload;
    char *key = *n <= n_room ? room : ob__arena_alloc(arena, *n);
    if (!key) return NULL;
    memcpy(key, domain, n_domain);
    memcpy(key + n_domain, name, n_name);
    memcpy(key + n_domain + n_name, overload, n_overload);
    return key;
}

static int64_t find_opset(const ob_opset *opsets, uint32_t n, const char *domain) {
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(opsets[i].domain, domain) == 0) return opsets[i].version;
    return 0;
}

int64_t ob__model_opset(const ob_model *model, const char *domain) {
    return find_opset(model->opsets, model->n_opsets, domain);
}

int64_t ob__graph_opset(const ob_graph *graph, const char *domain) {
    const ob_function *function = graph->function;
    if (!function) return ob__model_opset(graph->model, domain);
    int64_t version = find_opset(function->opsets, function->n_opsets, domain);
    return version ? version : ob__model_opset(graph->model, domain);
}

bool ob__model_set_opset(ob_model *model, const char *domain, int64_t version) {
    ob_opset *opsets = OB_ARENA_ARRAY(&model->arena, ob_opset, (size_t)model->n_opsets + 1);
    const char *name = ob__intern(model, domain, strlen(domain));
    if (!opsets || !name) return false;
    uint32_t n = 0;
    bool found = false;
    for (uint32_t i = 0; i < model->n_opsets; i++) {
        opsets[n] = model->opsets[i];
        if (strcmp(opsets[n].domain, name) == 0) opsets[n].version = version, found = true;
        n++;
    }
    if (!found) opsets[n++] = (ob_opset){name, version};
    model->opsets = opsets;
    model->n_opsets = n;
    return true;
}

/* ---- Visiting all graphs: an explicit stack, because files decide the nesting. ---- */

typedef struct graph_stack {
    ob_arena arena;
    ob_graph **graphs;
    uint32_t n, capacity;
} graph_stack;

static bool push(graph_stack *stack, ob_graph *graph) {
    if (stack->n == UINT32_MAX) return false;
    ob_graph **graphs = ob__list_in_arena(&stack->arena, stack->graphs, &stack->capacity, stack->n + 1, sizeof *graphs);
    if (!graphs) return false;
    stack->graphs = graphs;
    stack->graphs[stack->n++] = graph;
    return true;
}

static bool push_subgraphs(graph_stack *stack, const ob_graph *graph) {
    if (graph->model->n_subgraphs == 0) return true;
    for (const ob_node *node = graph->last; node; node = node->prev)
        for (uint32_t i = node->n_attributes; i-- > 0;) {
            const ob_attribute *attribute = node->attributes[i];
            if (attribute->ref) continue;
            if (attribute->type == OB_ATTR_GRAPH && attribute->u.graph && !push(stack, attribute->u.graph)) return false;
            if (attribute->type == OB_ATTR_GRAPHS)
                for (uint32_t k = attribute->n; k-- > 0;)
                    if (!push(stack, attribute->u.graphs[k])) return false;
        }
    return true;
}

static ob_status visit_all(graph_stack *stack, ob_graph_visit visit, void *context) {
    while (stack->n > 0) {
        ob_graph *graph = stack->graphs[--stack->n];
        ob_status status = visit(context, graph);
        if (status != OB_OK) return status;
        if (!push_subgraphs(stack, graph)) return OB_E_MEMORY;
    }
    return OB_OK;
}

ob_status ob__model_each_graph(ob_model *model, ob_graph_visit visit, void *context) {
    graph_stack stack = {0};
    ob__arena_init(&stack.arena, &model->arena.allocator);
    bool pushed = true;
    for (uint32_t i = model->n_functions; i-- > 0 && pushed;) pushed = push(&stack, model->functions[i]->body);
    pushed = pushed && push(&stack, model->graph);
    return ob__arena_finish(&stack.arena, pushed ? visit_all(&stack, visit, context) : OB_E_MEMORY);
}

ob_status ob__graph_each(ob_graph *graph, ob_graph_visit visit, void *context) {
    graph_stack stack = {0};
    ob__arena_init(&stack.arena, &graph->model->arena.allocator);
    return ob__arena_finish(&stack.arena, push(&stack, graph) ? visit_all(&stack, visit, context) : OB_E_MEMORY);
}
