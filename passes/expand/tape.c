/* Inserts nodes before a Gradient and infers their results. */
#include "passes/expand/tape.h"
#include "ops/infer/infer.h"

#include <string.h>

#include "core/base/error.h"
#include "core/graph/types.h"
#include "passes/check/names.h"
#include "passes/check/propagate.h"
#include "passes/expand/expand.h"

enum { FEW = 3 };

static const ob_type unknown = {.shape = {OB_RANK_UNKNOWN, NULL}};

static bool is_inferred(const ob_tape *tape, const ob_value *value) {
    return value->id < tape->n_inferred && tape->inferred[value->id].is_set;
}

ob_type ob__tape_type(const ob_tape *tape, const ob_value *value) {
    if (!value) return unknown;
    if (is_inferred(tape, value)) return tape->inferred[value->id].type;
    if (value->id >= tape->facts->n_facts && value->data) /* a number in a text */
        return (ob_type){
            .kind = OB_TYPE_TENSOR, .dtype = value->data->dtype, .shape = {value->data->rank, (ob_dim *)value->data->dims}};
    return ob__fact(tape->facts, value)->type;
}

bool ob__tape_is_float(const ob_tape *tape, const ob_value *value) {
    const ob_type type = ob__tape_type(tape, value);
    return type.kind == OB_TYPE_TENSOR && ob__dtype_is_real_or_half(type.dtype);
}

static ob_status content_of(ob_tape *tape, const ob_value *value, ob_content *out) {
    *out = (ob_content){0};
    if (!value) return OB_OK;
    if (is_inferred(tape, value))
        *out = tape->inferred[value->id].content;
    else if (value->id >= tape->facts->n_facts && value->data)
        return ob__content_of_tensor(value->data, &tape->scratch, out);
    else
        *out = ob__fact(tape->facts, value)->content;
    return OB_OK;
}

static ob_status keep(ob_tape *tape, const ob_value *value, const ob_type *type, const ob_content *content) {
    if (value->id >= tape->n_inferred) {
        const uint32_t n = tape->model->n_values + tape->model->n_values / 2 + 1;
        ob_inferred *larger = OB_ARENA_ARRAY(&tape->arena, ob_inferred, n);
        if (!larger) return OB_E_MEMORY;
        if (tape->n_inferred) memcpy(larger, tape->inferred, tape->n_inferred * sizeof *larger);
        tape->inferred = larger;
        tape->n_inferred = n;
    }
    tape->inferred[value->id] = (ob_inferred){*type, *content, true};
    return OB_OK;
}

static ob_status infer_node(ob_tape *tape, const ob_node *node) {
    const size_t n = (size_t)node->n_inputs + node->n_outputs;
    ob_type *types = OB_ARENA_ARRAY(&tape->scratch, ob_type, n);
    ob_content *contents = OB_ARENA_ARRAY(&tape->scratch, ob_content, n);
    if (!types || !contents) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        types[i] = ob__tape_type(tape, node->inputs[i]);
        OB_TRY(content_of(tape, node->inputs[i], &contents[i]));
    }
    ob_type *out = types + node->n_inputs;
    ob_content *content = contents + node->n_inputs;
    OB_TRY(ob__infer_node(tape->model, node, types, contents, out, content, &tape->arena, tape->error));
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) OB_TRY(keep(tape, node->outputs[i], &out[i], &content[i]));
    ob__arena_restart(&tape->scratch);
    return OB_OK;
}

ob_status ob__tape_infer(ob_tape *tape, const ob_graph *graph, const ob_node *after, const ob_node *end) {
    for (const ob_node *node = after ? after->next : graph->first; node && node != end; node = node->next)
        OB_TRY(infer_node(tape, node));
    OB_FAIL_IF(tape->model->n_nodes > tape->max_nodes, tape->error, OB_E_LIMIT,
               "derivatives expand the model to more than %llu nodes: max_nodes raises the limit",
               (unsigned long long)tape->max_nodes);
    return OB_OK;
}

ob_status ob__tape_expand(ob_tape *tape, const ob_body *body, ob_node *node) {
    ob_type *types = OB_ARENA_ARRAY(&tape->scratch, ob_type, node->n_inputs + 1u);
    if (!types) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) types[i] = ob__tape_type(tape, node->inputs[i]);
    const ob_graph *graph = node->graph;
    const ob_node *before = node->prev, *behind = node->next;
    ob__at_node(tape->error, node, OB_OK);
    OB_TRY(ob__body_expand(body, node, types, &tape->scratch, tape->error));
    ob__arena_restart(&tape->scratch);
    OB_TRY(ob__tape_infer(tape, graph, before, behind));
    ob_error_clear(tape->error);
    return OB_OK;
}

/* "gradient/layer_1" */
static const char *name_for(ob_tape *tape, const ob_node *of) {
    return ob__arena_printf(&tape->model->arena, "%s/%s", ob__node_label(tape->gradient), ob__node_label(of));
}

ob_status ob__tape_write(ob_tape *tape, const ob_body *body, const ob_node *of, ob_value *const *in, uint32_t n_in,
                         const bool *wanted, ob_value **out, uint32_t n_out) {
    ob_graph *graph = tape->gradient->graph;
    const ob_node *before = tape->gradient->prev;
    ob_node *call = ob__node_new(graph, tape->gradient, "", body->name, n_in, n_out);
    if (!call) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n_in; i++) call->inputs[i] = in[i];
    call->name = of ? name_for(tape, of) : ob__node_label(tape->gradient);
    if (!call->name) return OB_E_MEMORY;
    if (of) {
        call->attributes = of->attributes;
        call->n_attributes = of->n_attributes;
    }
    for (uint32_t i = 0; i < n_out; i++) {
        out[i] = NULL;
        if (wanted && !wanted[i]) continue;
        out[i] = ob__value_new_unique(graph, "gradient");
        if (!out[i]) return OB_E_MEMORY;
        out[i]->declared = unknown;
        ob__node_set_output(call, i, out[i]);
    }
    ob_type *types = OB_ARENA_ARRAY(&tape->scratch, ob_type, n_in + 1u);
    if (!types) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n_in; i++) types[i] = ob__tape_type(tape, in[i]);
    ob__at_node(tape->error, of ? of : tape->gradient, OB_OK);
    OB_TRY(ob__body_expand(body, call, types, &tape->scratch, tape->error));
    ob__node_unlink(call);
    ob__arena_restart(&tape->scratch);
    OB_TRY(ob__tape_infer(tape, graph, before, tape->gradient));
    ob_error_clear(tape->error);
    return OB_OK;
}

ob_status ob__tape_write_one(ob_tape *tape, const ob_body *body, ob_value *a, ob_value *b, ob_value *c, ob_value **out) {
    ob_value *in[FEW] = {a, b, c};
    return ob__tape_write(tape, body, NULL, in, FEW, NULL, out, 1);
}

ob_status ob__tape_copy(ob_tape *tape, const ob_node *node, ob_value *const *in, ob_value **out) {
    ob_graph *graph = tape->gradient->graph;
    const ob_node *before = tape->gradient->prev;
    ob_node *copy = ob__node_new(graph, tape->gradient, node->domain, node->op_type, node->n_inputs, node->n_outputs);
    if (!copy) return OB_E_MEMORY;
    copy->op = node->op;
    copy->attributes = node->attributes;
    copy->n_attributes = node->n_attributes;
    copy->name = name_for(tape, node);
    if (!copy->name) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) copy->inputs[i] = in[i];
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        out[i] = node->outputs[i] ? ob__value_new_unique(graph, node->op_type) : NULL;
        if (!out[i]) {
            if (node->outputs[i]) return OB_E_MEMORY;
            continue;
        }
        out[i]->declared = unknown;
        ob__node_set_output(copy, i, out[i]);
    }
    return ob__tape_infer(tape, graph, before, tape->gradient);
}
