#include "passes/rewrite/definitions.h"

#include <string.h>

#include "core/dims/shape.h"
#include "ops/table/op.h"

static const char domain[] = "onnx_broadcast";

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
    if (types->has_expand && opset < OB_EXPAND_SINCE) opset = OB_EXPAND_SINCE;
    if (types->opset != opset)
        *types = (ob_stretch_types){opset, types_of("Expand", opset), types_of("Tile", opset), types->has_expand};
    if (opset >= OB_EXPAND_SINCE)
        return takes(types->expand, dtype) ? NULL : "Expand of this opset does not take the element type";
    if (opset < 6) return "neither Expand (opset 8) nor Tile with a repeats operand (opset 6) exists in this opset";
    if (!takes(types->tile, dtype)) return "Tile of this opset does not take the element type";
    if (graph->function || !ob__is_static(from) || !ob__is_static(to)) /* another call of the function may have others */
        return "without Expand (opset 8) the sizes must be constants, and they are not";
    for (int32_t i = 0; i < to->rank; i++)
        if (to->dims[i] == 0) return "without Expand (opset 8) a size of 0 cannot be made";
    return NULL;
}

/* ---- Bodies ---- */

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
