/* Replaces calls of model-local functions by the nodes of their bodies. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "ops/table/op.h"
#include "ops/training/params.h"
#include "passes/check/names.h"
#include "passes/expand/expand.h"

enum { MAX_DEPTH = 64 };

typedef struct inliner {
    ob_model *model;
    ob_error *error;
    uint64_t n_nodes, max_nodes;
    ob_arena scratch;
    ob_value **values; /* of the current call, by id of the body's value; valid according to stamps */
    uint32_t *stamps, stamp;
    uint32_t n_values; /* ids of the model before anything was copied */
    ob_map states;     /* of functions, while looking for circles */
} inliner;

/* One call while its body is copied. */
typedef struct expansion {
    inliner *owner;
    const ob_node *call;
    const ob_function *function;
    ob_graph *target;
} expansion;

static ob_status copy_graph(const expansion *e, const ob_graph *from, ob_graph *parent, ob_node *parent_node, ob_graph **out);

/* The attribute that a reference in the body means: given by the call, or the function's default. out NULL: absent. */
static const ob_attribute *find_referenced(const expansion *e, const char *name) {
    const ob_attribute *given = ob__node_attribute(e->call, name);
    if (given) return given;
    for (uint32_t i = 0; i < e->function->n_attribute_defaults; i++)
        if (strcmp(e->function->attribute_defaults[i]->name, name) == 0) return e->function->attribute_defaults[i];
    return NULL;
}

static ob_status copy_attribute(const expansion *e, const ob_attribute *from, ob_node *to) {
    ob_arena *arena = &e->owner->model->arena;
    ob_attribute *copy = OB_ARENA_NEW(arena, ob_attribute);
    if (!copy) return OB_E_MEMORY;
    *copy = *from;
    if (from->ref) {
        const ob_attribute *given = find_referenced(e, from->ref);
        if (!given) return OB_OK;
        *copy = *given;
        copy->name = from->name;
    } else if (from->type == OB_ATTR_GRAPH && from->u.graph) {
        OB_TRY(copy_graph(e, from->u.graph, to->graph, to, &copy->u.graph));
    } else if (from->type == OB_ATTR_GRAPHS) {
        copy->u.graphs = OB_ARENA_ARRAY(arena, ob_graph *, from->n);
        if (!copy->u.graphs) return OB_E_MEMORY;
        for (uint32_t i = 0; i < from->n; i++) OB_TRY(copy_graph(e, from->u.graphs[i], to->graph, to, &copy->u.graphs[i]));
    }
    return ob__node_set_attribute(to, copy) ? OB_OK : OB_E_MEMORY;
}

/* The place of the caller's value for a value of the body; it holds NULL if there is none yet. */
static ob_value **find_mapped(inliner *in, const ob_value *value) {
    if (value->id >= in->n_values) return NULL;
    if (in->stamps[value->id] != in->stamp) {
        in->stamps[value->id] = in->stamp;
        in->values[value->id] = NULL;
    }
    return &in->values[value->id];
}

/* The caller's value for one of the body; made on first mention. NULL: omitted by the caller, or out of memory (*status). */
static ob_value *map_value(const expansion *e, const ob_value *value, ob_graph *graph, ob_status *status) {
    if (!value) return NULL;
    ob_value **mapped = find_mapped(e->owner, value);
    if (!mapped) {
        *status = OB_E_INTERNAL;
        return NULL;
    }
    if (!*mapped) {
        *mapped = ob__value_new_unique(graph, value->name);
        if (!*mapped)
            *status = OB_E_MEMORY;
        else
            (*mapped)->declared = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
    }
    return *mapped;
}

static bool is_omitted_input(const expansion *e, const ob_value *value) {
    const ob_graph *body = e->function->body;
    for (uint32_t i = 0; i < body->n_inputs; i++)
        if (body->inputs[i] == value) return i >= e->call->n_inputs || !e->call->inputs[i];
    return false;
}

/* A Gradient names values: the copy names those of the caller. */
static ob_status copy_names(const expansion *e, const ob_node *from, ob_node *to) {
    ob_arena *arena = &e->owner->model->arena;
    for (uint32_t i = 0; i < to->n_attributes; i++) {
        ob_attribute *attribute = to->attributes[i];
        if (attribute->type != OB_ATTR_STRING && attribute->type != OB_ATTR_STRINGS) continue;
        const ob_string *old = attribute->type == OB_ATTR_STRING ? &attribute->u.s : attribute->u.strings;
        ob_string *names = OB_ARENA_ARRAY(arena, ob_string, attribute->n);
        if (!names) return OB_E_MEMORY;
        for (uint32_t k = 0; k < attribute->n; k++) {
            ob_status status = OB_OK;
            const ob_value *value = ob__value_find(from->graph, old[k].data, old[k].n);
            if (value) value = map_value(e, value, to->graph, &status);
            OB_TRY(status);
            names[k] = value ? (ob_string){value->name, strlen(value->name)} : old[k];
        }
        if (attribute->type == OB_ATTR_STRING)
            attribute->u.s = names[0];
        else
            attribute->u.strings = names;
    }
    return OB_OK;
}

static ob_status copy_node(const expansion *e, const ob_node *from, ob_graph *graph, ob_node *before) {
    OB_FAIL_IF(++e->owner->n_nodes > e->owner->max_nodes, e->owner->error, OB_E_LIMIT,
               "functions expand to more than %llu nodes: max_nodes raises the limit", (unsigned long long)e->owner->max_nodes);
    ob_model *model = e->owner->model;
    ob_node *node = ob__node_new(graph, before, from->domain, from->op_type, from->n_inputs, from->n_outputs);
    if (!node) return OB_E_MEMORY;
    node->op = from->op;
    node->function = from->function;
    node->overload = from->overload;
    node->metadata = from->metadata;
    node->n_metadata = from->n_metadata;
    /* The notation of paths. Nodes deeper in the body get their path from the nodes around them. */
    node->name = graph != e->call->graph
                     ? from->name
                     : ob__arena_printf(&model->arena, "%s/%s", ob__node_label(e->call), ob__node_label(from));
    if (!node->name) return OB_E_MEMORY;
    ob_status status = OB_OK;
    for (uint32_t i = 0; i < from->n_inputs && status == OB_OK; i++)
        node->inputs[i] = is_omitted_input(e, from->inputs[i]) ? NULL : map_value(e, from->inputs[i], graph, &status);
    for (uint32_t i = 0; i < from->n_outputs && status == OB_OK; i++)
        ob__node_set_output(node, i, map_value(e, from->outputs[i], graph, &status));
    for (uint32_t i = 0; i < from->n_attributes && status == OB_OK; i++) status = copy_attribute(e, from->attributes[i], node);
    if (status == OB_OK && ob__is_gradient(from)) status = copy_names(e, from, node);
    return status;
}

static ob_status copy_initializers(const expansion *e, const ob_graph *from, ob_graph *to) {
    for (uint32_t i = 0; i < from->n_initializers; i++) {
        ob_status status = OB_OK;
        ob_value *value = map_value(e, from->initializers[i], to, &status);
        OB_TRY(status);
        if (!value || !ob__graph_add_initializer(to, value, from->initializers[i]->data)) return OB_E_MEMORY;
    }
    return OB_OK;
}

/* A subgraph in a function body; nesting is bounded by the loader. */
static ob_status copy_graph(const expansion *e, const ob_graph *from, ob_graph *parent, ob_node *parent_node, ob_graph **out) {
    ob_arena *arena = &e->owner->model->arena;
    ob_graph *graph = ob__graph_new(e->owner->model, parent, parent_node);
    if (!graph) return OB_E_MEMORY;
    graph->name = from->name;
    graph->attribute = from->attribute;
    graph->inputs = OB_ARENA_ARRAY(arena, ob_value *, from->n_inputs);
    graph->outputs = OB_ARENA_ARRAY(arena, ob_value *, from->n_outputs);
    if (!graph->inputs || !graph->outputs) return OB_E_MEMORY;
    ob_status status = OB_OK;
    for (uint32_t i = 0; i < from->n_inputs && status == OB_OK; i++) {
        graph->inputs[i] = map_value(e, from->inputs[i], graph, &status);
        if (graph->inputs[i]) graph->inputs[i]->is_input = true;
    }
    graph->n_inputs = from->n_inputs;
    OB_TRY(status);
    OB_TRY(copy_initializers(e, from, graph));
    for (const ob_node *node = from->first; node; node = node->next) OB_TRY(copy_node(e, node, graph, NULL));
    for (uint32_t i = 0; i < from->n_outputs && status == OB_OK; i++)
        graph->outputs[i] = map_value(e, from->outputs[i], graph, &status);
    graph->n_outputs = from->n_outputs;
    *out = graph;
    return status;
}

/* A body output that is a body input, or one value for two outputs, has no producer to take over: an Identity makes it. */
static ob_status forward_output(const expansion *e, const ob_value *from, ob_value *to, ob_node *before) {
    ob_status status = OB_OK;
    ob_value *source = map_value(e, from, e->target, &status);
    OB_TRY(status);
    if (!source || source == to) return OB_OK;
    ob_node *node = ob__node_new(e->target, before, "", "Identity", 1, 1);
    if (!node) return OB_E_MEMORY;
    int64_t opset = ob__model_opset(e->owner->model, "");
    node->op = ob__op_find("", "Identity", opset ? opset : 14);
    node->inputs[0] = source;
    ob__node_set_output(node, 0, to);
    return OB_OK;
}

static ob_status expand_call(inliner *in, ob_node *call) {
    const ob_graph *body = call->function->body;
    OB_FAIL_IF(call->n_inputs > body->n_inputs || call->n_outputs > body->n_outputs, in->error, OB_E_MODEL,
               "the function is called with %u inputs and %u outputs, but has %u and %u", call->n_inputs, call->n_outputs,
               body->n_inputs, body->n_outputs);
    expansion e = {.owner = in, .call = call, .function = call->function, .target = call->graph};
    ob_status status = OB_OK;
    in->stamp++;
    in->n_nodes--; /* the call, which its body replaces */
    for (uint32_t i = 0; i < call->n_inputs; i++) {
        ob_value **mapped = find_mapped(in, body->inputs[i]);
        if (!mapped) return OB_E_INTERNAL;
        *mapped = call->inputs[i];
    }
    for (uint32_t i = 0; i < call->n_outputs; i++) {
        ob_value **mapped = find_mapped(in, body->outputs[i]);
        if (!mapped) return OB_E_INTERNAL;
        if (call->outputs[i] && !*mapped && body->outputs[i]->producer) *mapped = call->outputs[i];
    }
    if (status == OB_OK) status = copy_initializers(&e, body, call->graph);
    for (const ob_node *node = body->first; node && status == OB_OK; node = node->next)
        status = copy_node(&e, node, call->graph, call);
    for (uint32_t i = 0; status == OB_OK && i < call->n_outputs; i++)
        if (call->outputs[i]) status = forward_output(&e, body->outputs[i], call->outputs[i], call);
    /* Unlinking forgets producers that are the call; those that the body's nodes took over stay. */
    if (status == OB_OK) ob__node_unlink(call);
    return status;
}

static bool is_call(const ob_node *node) {
    return node->function && !node->op;
}

static ob_status inline_graph(inliner *in, ob_graph *graph, int depth);

static ob_status inline_subgraphs(inliner *in, const ob_node *node, int depth) {
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *attribute = node->attributes[i];
        if (attribute->type == OB_ATTR_GRAPH && attribute->u.graph) OB_TRY(inline_graph(in, attribute->u.graph, depth + 1));
        if (attribute->type == OB_ATTR_GRAPHS)
            for (uint32_t k = 0; k < attribute->n; k++) OB_TRY(inline_graph(in, attribute->u.graphs[k], depth + 1));
    }
    return OB_OK;
}

/* Expands calls in rounds: the n-th round expands the calls that the (n-1)-th inserted, so recursive functions reach the limit.
 * */
static ob_status inline_graph(inliner *in, ob_graph *graph, int depth) {
    OB_FAIL_IF(depth > MAX_DEPTH, in->error, OB_E_LIMIT, "subgraphs are nested too deeply");
    for (int round = 0;; round++) {
        bool any = false;
        for (ob_node *node = graph->first, *next; node; node = next) {
            next = node->next;
            if (!is_call(node)) continue;
            ob__at_node(in->error, node, OB_OK);
            OB_FAIL_IF(round > MAX_DEPTH, in->error, OB_E_MODEL, "functions call each other in a circle or too deeply");
            OB_TRY(expand_call(in, node));
            any = true;
        }
        if (!any) break;
    }
    ob_error_clear(in->error);
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(inline_subgraphs(in, node, depth));
    return OB_OK;
}

/* ---- Recursion, and the final size: tested before anything is made ---- */

/* Nodes, and bytes beside them: names, operands, attributes. Calls of a function without nodes count as one. */
typedef struct extent {
    uint64_t nodes, n_bytes;
} extent;

/* The size of a function after expansion. */
typedef struct visit {
    bool open;
    extent extent;
} visit;

static ob_status visit_function(inliner *in, const ob_function *function, int depth, extent *out);
static ob_status visit_graph(inliner *in, const ob_graph *graph, int depth, extent *sum);

static ob_status visit_attributes(inliner *in, const ob_node *node, int depth, extent *sum) {
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *attribute = node->attributes[i];
        if (attribute->ref) continue;
        if (attribute->type == OB_ATTR_GRAPH && attribute->u.graph) OB_TRY(visit_graph(in, attribute->u.graph, depth + 1, sum));
        if (attribute->type == OB_ATTR_GRAPHS)
            for (uint32_t k = 0; k < attribute->n; k++) OB_TRY(visit_graph(in, attribute->u.graphs[k], depth + 1, sum));
    }
    return OB_OK;
}

/* Adds to *sum. */
static ob_status visit_graph(inliner *in, const ob_graph *graph, int depth, extent *sum) {
    enum { PER_OPERAND = 16, PER_ATTRIBUTE = 80 };
    OB_FAIL_IF(depth > MAX_DEPTH, in->error, OB_E_MODEL, "functions call each other in a circle, or more than %d deep",
               MAX_DEPTH);
    for (const ob_node *node = graph->first; node; node = node->next) {
        uint64_t label = strlen(ob__node_label(node)) + 1;
        uint64_t n_bytes =
            label + PER_OPERAND * ((uint64_t)node->n_inputs + node->n_outputs) + PER_ATTRIBUTE * (uint64_t)node->n_attributes;
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) n_bytes += PER_OPERAND + strlen(node->outputs[i]->name);
        extent own = {1, 0};
        if (is_call(node)) {
            OB_TRY(visit_function(in, node->function, depth + 1, &own));
            own.n_bytes = ob__add_sat(own.n_bytes, ob__mul_sat(own.nodes, label)); /* names begin with the call's */
            if (own.nodes == 0) own.nodes = 1;
        }
        sum->nodes = ob__add_sat(sum->nodes, own.nodes);
        sum->n_bytes = ob__add_sat(sum->n_bytes, ob__add_sat(own.n_bytes, n_bytes));
        OB_TRY(visit_attributes(in, node, depth, sum));
    }
    return OB_OK;
}

static ob_status visit_function(inliner *in, const ob_function *function, int depth, extent *out) {
    ob_map_entry *entry = ob__map_insert(&in->states, (const char *)&function, sizeof function);
    if (!entry) return OB_E_MEMORY;
    visit *v = entry->value;
    if (!v) {
        v = OB_ARENA_NEW(&in->scratch, visit);
        if (!v) return OB_E_MEMORY;
        v->open = true;
        entry->value = v;
        OB_TRY(visit_graph(in, function->body, depth, &v->extent));
        v->open = false;
    }
    OB_FAIL_IF(v->open, in->error, OB_E_MODEL, "functions call each other in a circle: %s", function->name);
    *out = v->extent;
    return OB_OK;
}

static ob_status check_extent(inliner *in) {
    enum { BYTES_PER_NODE = 256 };
    extent all = {0};
    OB_TRY(visit_graph(in, in->model->graph, 0, &all));
    OB_FAIL_IF(all.nodes > in->max_nodes, in->error, OB_E_LIMIT,
               "functions expand to %llu nodes, more than %llu: max_nodes raises the limit", (unsigned long long)all.nodes,
               (unsigned long long)in->max_nodes);
    OB_FAIL_IF(all.n_bytes / BYTES_PER_NODE > in->max_nodes, in->error, OB_E_LIMIT,
               "functions expand to nodes with %llu bytes of names and operands, more than %llu: max_nodes raises the limit",
               (unsigned long long)all.n_bytes, (unsigned long long)ob__mul_sat(in->max_nodes, BYTES_PER_NODE));
    return OB_OK;
}

static ob_status inline_all(inliner *in) {
    in->n_values = in->model->n_values;
    in->values = OB_ARENA_ARRAY(&in->scratch, ob_value *, in->n_values);
    in->stamps = OB_ARENA_ARRAY(&in->scratch, uint32_t, in->n_values);
    if (!in->values || !in->stamps) return OB_E_MEMORY;
    OB_TRY(check_extent(in));
    return inline_graph(in, in->model->graph, 0);
}

/* Nodes of the main graph and its subgraphs. */
static ob_status count_nodes(void *context, ob_graph *graph) {
    const ob_graph *outermost = graph;
    while (outermost->parent) outermost = outermost->parent;
    if (!outermost->function) *(uint64_t *)context += graph->n_nodes;
    return OB_OK;
}

ob_status ob__inline_functions(ob_model *model, uint64_t max_nodes, ob_error *error) {
    inliner in = {.model = model, .error = error, .max_nodes = max_nodes};
    OB_TRY(ob__model_each_graph(model, count_nodes, &in.n_nodes));
    OB_FAIL_IF(in.n_nodes > max_nodes, error, OB_E_LIMIT, "the model has %llu nodes, the limit is %llu: max_nodes raises it",
               (unsigned long long)in.n_nodes, (unsigned long long)max_nodes);
    if (model->n_functions == 0) return OB_OK;
    ob__arena_init(&in.scratch, &model->arena.allocator);
    ob__map_init(&in.states, &in.scratch);
    ob_status status = inline_all(&in);
    ob__arena_release(&in.scratch);
    if (status == OB_OK) model->n_functions = 0;
    return status;
}
