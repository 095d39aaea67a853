/* Writes the nodes of a body before the call that they replace. */
#include "ops/body/write.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/kernel/common.h"

static const char *label(const ob_node *call) {
    if (call->name[0]) return call->name;
    for (uint32_t i = 0; i < call->n_outputs; i++)
        if (call->outputs[i]) return call->outputs[i]->name;
    return call->op_type;
}

static ob_dtype only_type(ob_types types) {
    if (types == 0 || (types & (types - 1)) != 0) return OB_NONE;
    int dtype = __builtin_ctzll(types);
    return dtype < OB_DTYPE_COUNT ? (ob_dtype)dtype : OB_NONE;
}

/* The element type of a number that is operand i. */
static ob_dtype literal_type(const ob_op *op, const ob_body_call *call, uint32_t i) {
    ob_dtype dtype = only_type(ob__op_input_types(op, i));
    if (dtype != OB_NONE) return dtype;
    bool homogeneous, other_homogeneous;
    char letter = ob__op_input_letter(op, i, &homogeneous);
    for (uint32_t k = 0; k < call->n_in && homogeneous; k++)
        if (call->in[k].value && call->in[k].dtype != OB_NONE && ob__op_input_letter(op, k, &other_homogeneous) == letter)
            return call->in[k].dtype;
    if (call->in[i].list) return OB_INT64;
    for (uint32_t k = 0; k < call->n_in; k++)
        if (call->in[k].value && call->in[k].dtype != OB_NONE) return call->in[k].dtype;
    return call->in[i].is_whole ? OB_INT64 : OB_FLOAT;
}

/* Makes an initializer of the number or list. */
static ob_status write_literal(const ob_body_writer *w, ob_term *term, ob_dtype dtype) {
    ob_graph *graph = w->call->graph;
    ob_arena *arena = &graph->model->arena;
    ob_tensor *tensor = OB_ARENA_NEW(arena, ob_tensor);
    int64_t *dims = OB_ARENA_ARRAY(arena, int64_t, 1);
    bool is_list = term->list || term->reals;
    uint32_t n = is_list ? term->n : 1;
    void *data = OB_ARENA_ARRAY(arena, int64_t, n + 1u);
    if (!tensor || !dims || !data) return OB_E_MEMORY;
    dims[0] = n;
    if (term->list)
        OB_TRY(ob__convert(data, dtype, term->list, OB_INT64, n, w->error));
    else if (term->reals)
        OB_TRY(ob__convert(data, dtype, term->reals, OB_FLOAT, n, w->error));
    else if (term->is_whole)
        OB_TRY(ob__convert(data, dtype, &term->whole, OB_INT64, 1, w->error));
    else
        OB_TRY(ob__convert(data, dtype, &term->number, OB_DOUBLE, 1, w->error));
    *tensor =
        (ob_tensor){.name = "", .dtype = dtype, .rank = is_list ? 1 : 0, .dims = dims, .n_elems = n, .data = data, .doc = ""};
    ob_value *value = ob__value_new_unique(graph, "constant");
    if (!value || !ob__graph_add_initializer(graph, value, tensor)) return OB_E_MEMORY;
    *term = (ob_term){.value = value, .dtype = dtype};
    return OB_OK;
}

static ob_value *new_value(ob_graph *graph, const char *stem) {
    ob_value *value = ob__value_new_unique(graph, stem);
    if (value) value->declared = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
    return value;
}

static ob_dtype result_type(const ob_node *node, uint32_t i, const ob_dtype *in) {
    static const char *const named_by[] = {"to", "dtype", "output_datatype"};
    ob_dtype dtype = ob__op_output_dtype(node->op, i, in, node->n_inputs);
    for (size_t k = 0; dtype == OB_NONE && k < sizeof named_by / sizeof named_by[0]; k++)
        dtype = (ob_dtype)ob__node_int(node, named_by[k], OB_NONE);
    return dtype;
}

ob_status ob__body_write(const ob_body_writer *w, ob_body_call *call, ob_term *out) {
    const char *domain = call->domain ? call->domain : "";
    const ob_op *op = ob__op_find(domain, call->op_type, domain[0] ? 1 : OB_BODY_OPSET);
    char reason[200];
    OB_FAIL_IF(!op && ob__op_is_left_out(domain, call->op_type, domain[0] ? 1 : OB_BODY_OPSET, reason, sizeof reason), w->error,
               OB_E_UNSUPPORTED, "its definition has the operator %s: %s", call->op_type, reason);
    OB_FAIL_IF(!op || !ob__op_takes(op, call->n_in) || !ob__op_gives(op, call->n_out), w->error, OB_E_INTERNAL,
               "the body of %s: no operator %s of %u operands and %u results", w->call->op_type, call->op_type, call->n_in,
               call->n_out);
    while (call->n_in > (uint32_t)op->in_min && !call->in[call->n_in - 1].value && !call->in[call->n_in - 1].is_literal)
        call->n_in--;
    ob_graph *graph = w->call->graph;
    for (uint32_t i = 0; i < call->n_in; i++)
        if (call->in[i].is_literal) OB_TRY(write_literal(w, &call->in[i], literal_type(op, call, i)));
    ob_node *node = ob__node_new(graph, w->call, domain, call->op_type, call->n_in, call->n_out);
    if (!node) return OB_E_MEMORY;
    node->op = op;
    node->name = ob__arena_printf(&graph->model->arena, "%s/%s", label(w->call), call->op_type);
    if (!node->name) return OB_E_MEMORY;
    ob_dtype in[OB_BODY_OPERANDS];
    for (uint32_t i = 0; i < call->n_in; i++) {
        node->inputs[i] = call->in[i].value;
        in[i] = call->in[i].dtype;
    }
    for (uint32_t i = 0; i < call->n_attributes; i++) {
        ob_attribute *attribute = call->attributes[i];
        if (attribute->type == OB_ATTR_GRAPH) { /* subgraphs move to the new node; the call is removed */
            attribute->u.graph->parent_node = node;
            attribute->u.graph->attribute = attribute->name;
        }
        if (!ob__node_set_attribute(node, attribute)) return OB_E_MEMORY;
    }
    for (uint32_t i = 0; i < call->n_out; i++) {
        ob_value *value = new_value(graph, call->op_type);
        if (!value) return OB_E_MEMORY;
        ob__node_set_output(node, i, value);
        out[i] = (ob_term){.value = value, .dtype = result_type(node, i, in), .is_fresh = true};
    }
    return OB_OK;
}

ob_status ob__body_name(const ob_body_writer *w, ob_term *term, ob_value *result) {
    if (!result) {
        term->is_fresh = false;
        return OB_OK;
    }
    if (!term->is_fresh) {
        ob_body_call same = {.op_type = "Identity", .in = {*term}, .n_in = 1, .n_out = 1};
        OB_TRY(ob__body_write(w, &same, term));
    }
    ob_value *own = term->value;
    ob__node_set_output(own->producer, own->producer_index, result);
    ob__value_undefine(own);
    term->value = result;
    term->is_fresh = false;
    return OB_OK;
}
