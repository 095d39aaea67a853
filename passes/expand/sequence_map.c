/* Replaces SequenceMap by a Loop over the positions of its first sequence, as the specification defines the operator: an
 * iteration takes an element of each sequence, computes the body and appends each result to a sequence in the loop's state. */
#include <string.h>

#include "core/base/error.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "passes/check/propagate.h"
#include "passes/expand/expand.h"

/* One SequenceMap while its Loop is made. */
typedef struct unrolling {
    ob_model *model;
    const ob_facts *facts;
    ob_node *node;
    ob_graph *body;
    ob_error *error;
} unrolling;

enum { OPSET = 17 }; /* of SequenceMap: all that it is made of was there then */

/* A node before `before` that serves the SequenceMap. NULL: no memory. */
static ob_node *add_node(const unrolling *u, ob_graph *graph, ob_node *before, const char *op_type, uint32_t n_inputs,
                         uint32_t n_outputs) {
    ob_node *node = ob__node_new(graph, before, "", op_type, n_inputs, n_outputs);
    if (!node) return NULL;
    node->op = ob__op_find("", op_type, OPSET);
    node->name = u->node->name;
    node->made_for = u->node;
    return node;
}

static ob_value *add_value(ob_graph *graph, const char *stem) {
    ob_value *value = ob__value_new_unique(graph, stem);
    if (value) value->declared = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
    return value;
}

static ob_value *add_result(const unrolling *u, ob_graph *graph, ob_node *node, uint32_t i) {
    ob_value *value = add_value(graph, u->node->op_type);
    if (value) ob__node_set_output(node, i, value);
    return value;
}

/* An empty sequence for result i, before the node. */
static ob_status add_empty(const unrolling *u, uint32_t i, ob_value **out) {
    const ob_value *result = u->node->outputs[i];
    const ob_type *type = result ? &ob__fact(u->facts, result)->type : NULL;
    ob_dtype dtype = type && type->kind == OB_TYPE_SEQUENCE && type->element ? type->element->dtype : OB_NONE;
    OB_FAIL_IF(result && dtype == OB_NONE, u->error, OB_E_UNSUPPORTED, "the element type of its result %s is not known",
               result->name);
    ob_node *empty = add_node(u, u->node->graph, u->node, "SequenceEmpty", 0, 1);
    if (!empty || !ob__node_set_int(empty, "dtype", result ? (int64_t)dtype : OB_FLOAT)) return OB_E_MEMORY;
    *out = add_result(u, u->node->graph, empty, 0);
    return *out ? OB_OK : OB_E_MEMORY;
}

/* Operand i of the SequenceMap in the body: its element at the position, or the tensor itself. */
static ob_status read_operand(const unrolling *u, uint32_t i, ob_value *position) {
    ob_value *element = u->body->inputs[i], *operand = u->node->inputs[i];
    ob_type_kind kind = i == 0 ? OB_TYPE_SEQUENCE : ob__fact(u->facts, operand)->type.kind;
    OB_FAIL_IF(kind != OB_TYPE_SEQUENCE && kind != OB_TYPE_TENSOR, u->error, OB_E_UNSUPPORTED,
               "whether operand %s is a sequence is not known", operand->name);
    bool is_sequence = kind == OB_TYPE_SEQUENCE;
    ob_node *read = add_node(u, u->body, u->body->first, is_sequence ? "SequenceAt" : "Identity", is_sequence ? 2 : 1, 1);
    if (!read) return OB_E_MEMORY;
    read->inputs[0] = operand;
    if (is_sequence) read->inputs[1] = position;
    element->is_input = false;
    ob__node_set_output(read, 0, element);
    return OB_OK;
}

/* The body takes the position, a condition and the sequences so far, and gives the condition and the sequences. */
static ob_status turn_body(const unrolling *u) {
    ob_graph *body = u->body;
    uint32_t n = body->n_outputs;
    ob_value **inputs = OB_ARENA_ARRAY(&u->model->arena, ob_value *, n + 2u);
    ob_value **outputs = OB_ARENA_ARRAY(&u->model->arena, ob_value *, n + 1u);
    if (!inputs || !outputs) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n + 2; i++) {
        inputs[i] = add_value(body, i == 0 ? "position" : i == 1 ? "go_on" : "so_far");
        if (!inputs[i]) return OB_E_MEMORY;
        inputs[i]->is_input = true;
    }
    inputs[0]->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = OB_INT64, .shape = {0, NULL}};
    inputs[1]->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = OB_BOOL, .shape = {0, NULL}};
    for (uint32_t i = 0; i < body->n_inputs; i++) OB_TRY(read_operand(u, i, inputs[0]));
    outputs[0] = inputs[1];
    for (uint32_t i = 0; i < n; i++) {
        ob_node *insert = add_node(u, body, NULL, "SequenceInsert", 2, 1);
        if (!insert || !(outputs[i + 1] = add_result(u, body, insert, 0))) return OB_E_MEMORY;
        insert->inputs[0] = inputs[i + 2];
        insert->inputs[1] = body->outputs[i];
        if (body->outputs[i]->graph == body) body->outputs[i]->is_output = false;
    }
    for (uint32_t i = 0; i <= n; i++) outputs[i]->is_output = true;
    body->inputs = inputs;
    body->n_inputs = n + 2;
    body->outputs = outputs;
    body->n_outputs = n + 1;
    return OB_OK;
}

static ob_status turn_node(unrolling *u) {
    ob_node *node = u->node;
    uint32_t n = node->n_outputs;
    u->body = ob__attribute_graph(node, "body");
    bool fits = u->body && node->n_inputs > 0 && u->body->n_inputs == node->n_inputs && u->body->n_outputs == n;
    for (uint32_t i = 0; fits && i < node->n_inputs; i++) fits = node->inputs[i] != NULL;
    OB_FAIL_IF(!fits, u->error, OB_E_MODEL, "the body is missing or has another number of inputs or outputs than the node");
    ob_node *length = add_node(u, node->graph, node, "SequenceLength", 1, 1);
    ob_value *count = length ? add_result(u, node->graph, length, 0) : NULL;
    ob_value **empty = ob__arena_calloc(&u->model->arena, n, sizeof *empty);
    if (!count || !empty) return OB_E_MEMORY;
    length->inputs[0] = node->inputs[0];
    for (uint32_t i = 0; i < n; i++) OB_TRY(add_empty(u, i, &empty[i]));
    ob_node *loop = add_node(u, node->graph, node, "Loop", n + 2, n);
    if (!loop) return OB_E_MEMORY;
    loop->inputs[0] = count;
    for (uint32_t i = 0; i < n; i++) loop->inputs[i + 2] = empty[i];
    OB_TRY(turn_body(u));
    ob_attribute *body = OB_ARENA_NEW(&u->model->arena, ob_attribute);
    if (!body) return OB_E_MEMORY;
    *body = (ob_attribute){.name = "body", .type = OB_ATTR_GRAPH, .n = 1, .u.graph = u->body, .doc = ""};
    if (!ob__node_set_attribute(loop, body)) return OB_E_MEMORY;
    u->body->parent_node = loop;
    for (uint32_t i = 0; i < n; i++) ob__node_set_output(loop, i, node->outputs[i]);
    ob__node_unlink(node);
    return OB_OK;
}

/* ---- All of them ---- */

typedef struct found {
    struct found *next;
    ob_node *node;
} found;

typedef struct search {
    ob_arena arena;
    found *first;
} search;

static ob_status find_in(void *context, ob_graph *graph) {
    search *s = context;
    for (ob_node *node = graph->first; node; node = node->next) {
        if (node->function || node->domain[0] || strcmp(node->op_type, "SequenceMap") != 0) continue;
        found *item = OB_ARENA_NEW(&s->arena, found);
        if (!item) return OB_E_MEMORY;
        *item = (found){s->first, node};
        s->first = item;
    }
    return OB_OK;
}

static ob_status turn_all(ob_model *model, const found *first, ob_error *error) {
    ob_facts facts;
    const ob_propagate_options options = {.fixed_defaults = true};
    ob__facts_init(&facts, &model->arena.allocator);
    ob_status status = ob__propagate(model, &options, &facts, NULL);
    for (const found *item = first; item && status == OB_OK; item = item->next) {
        unrolling u = {.model = model, .facts = &facts, .node = item->node, .error = error};
        status = turn_node(&u);
        if (status != OB_OK) ob__at_node(error, item->node, status);
    }
    ob__facts_release(&facts);
    return status;
}

ob_status ob__unroll_sequence_maps(ob_model *model, ob_error *error) {
    search s = {.first = NULL};
    ob__arena_init(&s.arena, &model->arena.allocator);
    ob_status status = ob__graph_each(model->graph, find_in, &s);
    if (status == OB_OK && s.first) status = turn_all(model, s.first, error);
    ob__arena_release(&s.arena);
    return status;
}
