#include "passes/explicit.h"

#include <string.h>

#include "ops/op.h"
#include "passes/shapes_of.h"

static const char domain[] = "onnx_broadcast";

/* A call that gives every operand of the function its place. */
static bool calls(const ob_node *node, int definition) {
    const ob_function *function = node->function;
    return function->defines == definition && node->n_inputs == function->body->n_inputs &&
           node->n_outputs == function->body->n_outputs;
}

static bool is_ours(const ob_node *node, const char *op_type) {
    return node->op && strcmp(node->op_type, op_type) == 0 && strcmp(node->domain, domain) == 0;
}

bool ob__is_explicit_broadcast(const ob_node *node) {
    if (node->domain[0] == '\0') return false;
    if (node->function) return calls(node, OB_DEFINES_BROADCAST);
    return is_ours(node, "Broadcast") && node->n_inputs == node->n_outputs;
}

bool ob__is_explicit_in_dim(const ob_node *node) {
    if (node->domain[0] == '\0') return false;
    if (node->function) return calls(node, OB_DEFINES_BROADCAST_TO);
    return is_ours(node, "BroadcastInDim") && node->n_inputs >= 1 && node->n_outputs == 1;
}

bool ob__is_explicit_definition(const ob_graph *graph) {
    return graph->function && graph->function->defines != OB_DEFINES_NOTHING;
}

bool ob__is_standard(const ob_node *node, const char *op_type) {
    return node->domain[0] == '\0' && node->op && strcmp(node->op_type, op_type) == 0;
}

static ob_types types_of(const char *op_type, int64_t opset) {
    const ob_op *op = ob__op_find("", op_type, opset);
    return op ? op->types[0] : 0;
}

static bool takes(ob_types types, ob_dtype dtype) {
    return types && (dtype == OB_NONE || (types >> dtype & 1));
}

const char *ob__why_no_expand(ob_stretch_types *types, const ob_graph *graph, ob_dtype dtype, const ob_shape *from,
                              const ob_shape *to) {
    int64_t opset = ob__graph_opset(graph, "");
    if (types->opset != opset) *types = (ob_stretch_types){opset, types_of("Expand", opset), types_of("Tile", opset)};
    if (opset >= 8) return takes(types->expand, dtype) ? NULL : "Expand of this opset does not take the element type";
    if (opset < 6) return "neither Expand (opset 8) nor Tile with a repeats operand (opset 6) exists in this opset";
    if (!takes(types->tile, dtype)) return "Tile of this opset does not take the element type";
    if (!ob__is_static(from) || !ob__is_static(to))
        return "without Expand (opset 8) the sizes must be constants, and they are not";
    for (int32_t i = 0; i < to->rank; i++)
        if (to->dims[i] == 0) return "without Expand (opset 8) a size of 0 cannot be made";
    return NULL;
}

/* ---- Definitions ---------------------------------------------------------------------------------------------------- */

typedef struct body {
    ob_model *model;
    ob_graph *graph;
    bool failed;
} body;

static ob_value *new_value(body *b, const char *letter, int64_t index) {
    char *name = ob__arena_printf(&b->model->arena, index < 0 ? "%s" : "%s%lld", letter, (long long)index);
    ob_value *value = name ? ob__value_new(b->graph, name) : NULL;
    if (!value) b->failed = true;
    return value;
}

static ob_value *call(body *b, const char *op_type, ob_value *first, ob_value *second, ob_value *out) {
    if (b->failed) return NULL;
    ob_node *node = ob__node_new(b->graph, NULL, "", op_type, second ? 2 : 1, 1);
    if (!node) {
        b->failed = true;
        return NULL;
    }
    node->inputs[0] = first;
    if (second) node->inputs[1] = second;
    ob__node_set_output(node, 0, out);
    return out;
}

static ob_function *new_function(ob_model *model, const char *name, uint32_t n_in, uint32_t n_out, int64_t opset, int defines,
                                 body *b) {
    ob_arena *arena = &model->arena;
    ob_function *function = OB_ARENA_NEW(arena, ob_function);
    ob_opset *opsets = OB_ARENA_ARRAY(arena, ob_opset, 1);
    ob_graph *graph = ob__graph_new(model, NULL, NULL);
    ob_value **operands = OB_ARENA_ARRAY(arena, ob_value *, (size_t)n_in + n_out);
    if (!function || !opsets || !graph || !operands) return NULL;
    opsets[0] = (ob_opset){"", opset};
    function->name = ob__intern(model, name, strlen(name));
    function->domain = ob__intern(model, domain, strlen(domain));
    function->overload = function->doc = "";
    function->opsets = opsets;
    function->n_opsets = 1;
    function->defines = (uint8_t)defines;
    function->body = graph;
    graph->function = function;
    if (function->name) graph->name = function->name; /* as the reader has it */
    graph->inputs = operands;
    graph->outputs = operands + n_in;
    graph->n_inputs = n_in;
    graph->n_outputs = n_out;
    *b = (body){model, graph, false};
    return function->name && function->domain ? function : NULL;
}

static void set_input(body *b, uint32_t i, ob_value *value) {
    b->graph->inputs[i] = value;
    if (value) value->is_input = true;
}

static void set_output(body *b, uint32_t i, ob_value *value) {
    b->graph->outputs[i] = value;
    if (value) value->is_output = true;
}

ob_function *ob__define_broadcast(ob_model *model, const char *name, uint32_t n, int64_t opset) {
    body b;
    ob_function *function = new_function(model, name, n, n, opset, OB_DEFINES_BROADCAST, &b);
    if (!function) return NULL;
    function->doc = "Broadcasts all operands to their common shape; elements are bit-identical.";
    for (uint32_t i = 0; i < n; i++) set_input(&b, i, new_value(&b, "X", i));
    for (uint32_t i = 0; i < n; i++) set_output(&b, i, new_value(&b, "Z", i));
    if (b.failed) return NULL;
    ob_value **in = b.graph->inputs, **out = b.graph->outputs;
    if (n == 1) {
        call(&b, "Identity", in[0], NULL, out[0]);
        return b.failed ? NULL : function;
    }
    /* Expand stretches both ways: after meeting every other operand's shape, the first one has the common shape. */
    ob_value *whole = in[0];
    for (uint32_t i = 1; i < n; i++) {
        ob_value *shape = call(&b, "Shape", in[i], NULL, new_value(&b, "S", i));
        whole = call(&b, "Expand", whole, shape, i + 1 < n ? new_value(&b, "T", i) : out[0]);
    }
    ob_value *common = call(&b, "Shape", out[0], NULL, new_value(&b, "S", -1));
    for (uint32_t i = 1; i < n; i++) call(&b, "Expand", in[i], common, out[i]);
    return b.failed ? NULL : function;
}

ob_function *ob__define_broadcast_to(ob_model *model, const char *name, int64_t opset) {
    body b;
    ob_function *function = new_function(model, name, 2, 1, opset, OB_DEFINES_BROADCAST_TO, &b);
    if (!function) return NULL;
    function->doc = "Broadcasts X to the given shape, right-aligned; elements are bit-identical.";
    set_input(&b, 0, new_value(&b, "X", -1));
    set_input(&b, 1, new_value(&b, "shape", -1));
    set_output(&b, 0, new_value(&b, "Z", -1));
    if (b.failed) return NULL;
    call(&b, "Expand", b.graph->inputs[0], b.graph->inputs[1], b.graph->outputs[0]);
    return b.failed ? NULL : function;
}

/* ---- Recognising definitions ----------------------------------------------------------------------------------------- */

/* The node is this operator of these operands and nothing else; *node moves on. */
static bool is_step(const ob_node **node, const char *op_type, const ob_value *first, const ob_value *second,
                    const ob_value **out) {
    const ob_node *at = *node;
    if (!at || !ob__is_standard(at, op_type) || at->n_attributes > 0 || at->n_outputs != 1 || !at->outputs[0]) return false;
    if (at->n_inputs != (second ? 2u : 1u) || at->inputs[0] != first || (second && at->inputs[1] != second)) return false;
    *out = at->outputs[0];
    *node = at->next;
    return true;
}

/* The steps of ob__define_broadcast. */
static bool spells_broadcast(const ob_graph *graph) {
    uint32_t n = graph->n_inputs;
    const ob_node *node = graph->first;
    const ob_value *shape, *out, *whole = n > 0 ? graph->inputs[0] : NULL;
    if (n == 0 || graph->n_outputs != n) return false;
    if (n == 1) return is_step(&node, "Identity", whole, NULL, &out) && out == graph->outputs[0] && !node;
    for (uint32_t i = 1; i < n; i++)
        if (!is_step(&node, "Shape", graph->inputs[i], NULL, &shape) || !is_step(&node, "Expand", whole, shape, &whole))
            return false;
    if (whole != graph->outputs[0] || !is_step(&node, "Shape", whole, NULL, &shape)) return false;
    for (uint32_t i = 1; i < n; i++)
        if (!is_step(&node, "Expand", graph->inputs[i], shape, &out) || out != graph->outputs[i]) return false;
    return !node;
}

static bool spells_broadcast_to(const ob_graph *graph) {
    const ob_node *node = graph->first;
    const ob_value *out;
    return graph->n_inputs == 2 && graph->n_outputs == 1 && is_step(&node, "Expand", graph->inputs[0], graph->inputs[1], &out) &&
           out == graph->outputs[0] && !node;
}

void ob__mark_definitions(ob_model *model) {
    for (uint32_t i = 0; i < model->n_functions; i++) {
        ob_function *function = model->functions[i];
        function->defines = OB_DEFINES_NOTHING;
        if (strcmp(function->domain, domain) != 0 || function->n_attributes + function->n_attribute_defaults > 0) continue;
        if (spells_broadcast(function->body)) function->defines = OB_DEFINES_BROADCAST;
        if (spells_broadcast_to(function->body)) function->defines = OB_DEFINES_BROADCAST_TO;
    }
}
