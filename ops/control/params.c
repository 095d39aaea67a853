#include "ops/control/params.h"

#include <stdio.h>

#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_KERNEL(if);
OB_KERNEL(scan);

bool ob__is_if(const ob_node *node) {
    return node->op->kernel == &ob__kernel_if;
}

static bool missing(ob_control_problem *problem, const char *text) {
    problem->counts = false;
    snprintf(problem->text, sizeof problem->text, "%s", text);
    return false;
}

bool ob__if_params(const ob_node *node, ob_if_params *out, ob_control_problem *problem) {
    out->branches[0] = ob__attribute_graph(node, "then_branch");
    out->branches[1] = ob__attribute_graph(node, "else_branch");
    return out->branches[0] && out->branches[1] ? true : missing(problem, "a branch is missing");
}

bool ob__branch_fits(const ob_node *node, const ob_graph *branch, ob_control_problem *problem) {
    if (branch->n_outputs == node->n_outputs) return true;
    problem->counts = true;
    snprintf(problem->text, sizeof problem->text, "the node has %u outputs, a branch has %u", node->n_outputs, branch->n_outputs);
    return false;
}

/* The body has the numbers of inputs and outputs that the node needs. */
static bool body_fits(const ob_node *node, ob_loop_params *out, ob_control_problem *problem) {
    const ob_graph *body = out->body;
    uint32_t n_in = out->own_inputs + out->n_state + out->n_scanned, n_out = out->own_outputs + node->n_outputs;
    if (body->n_inputs == n_in && body->n_outputs == n_out && node->n_outputs >= out->n_state) {
        out->n_stacked = node->n_outputs - out->n_state;
        return true;
    }
    problem->counts = true;
    snprintf(problem->text, sizeof problem->text, "the body has %u inputs and %u outputs, %u and %u are needed", body->n_inputs,
             body->n_outputs, n_in, n_out);
    return false;
}

static int32_t own_rank(const ob_value *input) {
    const ob_shape *shape = &input->declared.shape;
    bool one_axis = input->declared.kind == OB_TYPE_TENSOR && shape->rank == 1;
    return one_axis && (!ob_dim_is_const(shape->dims[0]) || shape->dims[0] == 1);
}

static bool read_loop(const ob_node *node, ob_loop_params *out, ob_control_problem *problem) {
    *out = (ob_loop_params){.body = ob__attribute_graph(node, "body"), .first = 2, .own_inputs = 2, .own_outputs = 1};
    if (!out->body) return missing(problem, "the body is missing");
    out->n_state = node->n_inputs > 2 ? node->n_inputs - 2 : 0;
    if (!body_fits(node, out, problem)) return false;
    for (int i = 0; i < 2; i++) out->own_rank[i] = own_rank(out->body->inputs[i]);
    return true;
}

static bool read_scan(const ob_node *node, ob_loop_params *out, ob_control_problem *problem) {
    const int64_t n_scanned = ob__attribute_int(node, "num_scan_inputs");
    const bool eight = node->op->since < 9;
    *out = (ob_loop_params){.body = ob__attribute_graph(node, "body"), .is_scan = true, .has_batch = eight, .first = eight};
    if (!out->body || n_scanned < 1 || n_scanned > (int64_t)node->n_inputs - out->first)
        return missing(problem, "the body is missing or num_scan_inputs does not fit the operands");
    out->n_scanned = (uint32_t)n_scanned;
    out->n_state = node->n_inputs - out->first - out->n_scanned;
    return body_fits(node, out, problem);
}

bool ob__loop_params(const ob_node *node, ob_loop_params *out, ob_control_problem *problem) {
    return node->op->kernel == &ob__kernel_scan ? read_scan(node, out, problem) : read_loop(node, out, problem);
}

static int64_t listed(const ob_node *node, const char *name, uint32_t i) {
    uint32_t n;
    const int64_t *items = ob__attribute_list(node, name, &n);
    return items && i < n ? items[i] : 0;
}

int64_t ob__scan_axis(const ob_node *node, bool is_output, uint32_t i) {
    return listed(node, is_output ? "scan_output_axes" : "scan_input_axes", i);
}

/* Scan-8 gives directions of inputs only, in the attribute `directions`. */
bool ob__scan_is_backward(const ob_node *node, bool is_output, uint32_t i) {
    if (is_output) return listed(node, "scan_output_directions", i) != 0;
    return listed(node, "scan_input_directions", i) != 0 || listed(node, "directions", i) != 0;
}

ob_shape ob__item_shape(const ob_type *type, const ob_value *output) {
    if (type->shape.rank >= 0) return type->shape;
    return output->declared.shape.rank >= 0 ? output->declared.shape : (ob_shape){0, NULL};
}
