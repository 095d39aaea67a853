#include "passes/check/explicit.h"

#include <string.h>

#include "ops/table/op.h"

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

bool ob__is_expand(const ob_node *node) {
    return node->domain[0] == '\0' && node->op && node->op->broadcast == OB_BCAST_EXPAND && node->n_inputs == 2;
}

bool ob__is_standard(const ob_node *node, const char *op_type) {
    return node->domain[0] == '\0' && node->op && strcmp(node->op_type, op_type) == 0;
}

/* ---- Recognising definitions ---- */

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
