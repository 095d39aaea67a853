#include "passes/propagate.h"

#include <stdio.h>
#include <string.h>

#include "core/copy.h"
#include "core/error.h"
#include "core/terms.h"
#include "passes/groups.h"
#include "passes/propagation.h"

OB_RULE(none);

enum {
    FEW = 8,           /* operands that need no memory */
    DEPTH_LIMIT = 200, /* of subgraphs and calls together */
    CALL_LIMIT = 64,
    REPEATED_BYTES = 16 << 20,  /* that inferring bodies again may take, */
    REPEATED_NODE_BYTES = 1024, /* and more for each node of the model */
    CONTENT_LIMIT = 1 << 23     /* elements, then long contents are no longer kept */
};

static const ob_type unknown_type = {.shape = {OB_RANK_UNKNOWN, NULL}};

/* ---- Attributes that stand for those of the calling node ---- */

static const ob_attribute *bound_attribute(const ob_call *call, const char *name) {
    const ob_attribute *found = ob__node_attribute(call->node, name);
    if (found) return found->ref ? NULL : found;
    for (uint32_t i = 0; i < call->function->n_attribute_defaults; i++)
        if (strcmp(call->function->attribute_defaults[i]->name, name) == 0) return call->function->attribute_defaults[i];
    return NULL;
}

/* The node itself, or within a function body a copy whose attribute references are replaced; NULL: out of memory. */
static const ob_node *resolved(ob_propagation *p, const ob_node *node) {
    bool any = false;
    for (uint32_t i = 0; i < node->n_attributes && !any; i++) any = node->attributes[i]->ref != NULL;
    if (!any || !p->call) return node;
    ob_node *copy = OB_ARENA_NEW(&p->scratch, ob_node);
    ob_attribute **attributes = OB_ARENA_ARRAY(&p->scratch, ob_attribute *, node->n_attributes);
    ob_attribute *renamed = OB_ARENA_ARRAY(&p->scratch, ob_attribute, node->n_attributes);
    if (!copy || !attributes || !renamed) return NULL;
    *copy = *node;
    copy->attributes = attributes;
    copy->n_attributes = 0;
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        ob_attribute *attribute = node->attributes[i];
        if (attribute->ref) {
            const ob_attribute *bound = bound_attribute(p->call, attribute->ref);
            if (!bound) continue; /* optional, not given */
            renamed[i] = *bound;
            renamed[i].name = attribute->name;
            attribute = &renamed[i];
        }
        attributes[copy->n_attributes++] = attribute;
    }
    return copy;
}

/* ---- Callbacks of rules ---- */

static ob_status on_condition(ob_infer *infer, const ob_condition *condition, ob_dim guard, int32_t operand, int32_t axis,
                              const char *reason) {
    ob_visit *visit = (ob_visit *)infer;
    return ob__record_condition(visit->p, visit, condition, guard, operand, axis, reason);
}

/* Refuted ones are counted as problems. */
static void on_decided(ob_infer *infer, bool holds) {
    if (holds) ((ob_visit *)infer)->p->facts->n_proved++;
}

static void on_problem(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *text) {
    ob_visit *visit = (ob_visit *)infer;
    ob_propagation *p = visit->p;
    const ob_finding_row *row = ob__finding_row(id);
    ob_truth reached = row->status == OB_E_SHAPE ? ob__guard_eval(p->model->dims, p->guard, NULL, 0) : OB_TRUE;
    if (reached == OB_FALSE) return;
    ob__operand_shapes(visit);
    ob__report(p, visit, visit->node, id, operand, axis, text);
    if (row->severity != OB_SEVERITY_ERROR) return;
    if (reached == OB_TRUE)
        p->facts->n_refuted++;
    else if (ob__record_refuted(p, visit, operand, axis) != OB_OK)
        p->facts->arena.failed = true; /* ob__propagate looks at it */
}

static ob_status propagate_graph(ob_propagation *p, ob_graph *graph);

/* Bytes that facts, findings and terms hold. */
static size_t memory(const ob_propagation *p) {
    const ob_dims *dims = p->model->dims;
    size_t of_findings = p->findings ? p->findings->arena.n_bytes : 0;
    return of_findings + p->facts->arena.n_bytes + p->scratch.n_bytes + dims->arena.n_bytes +
           dims->capacity * sizeof *dims->terms + dims->n_slots * sizeof *dims->slots;
}

/* Nothing of the body was inferred before: what this takes is in proportion to the file. */
static bool is_first(const ob_propagation *p, const ob_graph *graph) {
    return !graph->first || p->done[graph->first->id] == 0;
}

/* Infers the nodes of a body. */
static ob_status enter(ob_propagation *p, const ob_node *node, ob_graph *graph) {
    ob_scope scope = {node, p->scope, NULL, graph->parent_node ? graph->attribute : NULL};
    bool repeats = !p->repeats && !is_first(p, graph);
    if (repeats) {
        p->repeats = true;
        p->repeats_from = memory(p);
    }
    p->scope = &scope;
    p->depth++;
    ob_status status = propagate_graph(p, graph);
    p->depth--;
    p->scope = scope.outer;
    if (repeats) {
        p->repeats = false;
        p->repeated_bytes += memory(p) - p->repeats_from;
    }
    return status;
}

static const char not_entered[] = "a limit was reached before its body";

static bool may_enter(ob_propagation *p, const ob_node *node, const ob_graph *graph, uint32_t n_calls) {
    size_t taken = p->repeated_bytes + (p->repeats ? memory(p) - p->repeats_from : 0);
    const char *reason = p->depth >= DEPTH_LIMIT || n_calls >= CALL_LIMIT        ? "bodies nest too deep"
                         : p->budget == 0                                        ? "the limit of nodes is reached"
                         : !is_first(p, graph) && taken > p->most_repeated_bytes ? "inferring bodies again takes too much memory"
                                                                                 : NULL;
    if (!reason) return true;
    char text[128];
    snprintf(text, sizeof text, "%s: the results of this and further bodies are left unknown", reason);
    if (!p->stopped) ob__report(p, NULL, node, OB0805, -1, -1, text);
    p->stopped = true;
    return false;
}

/* How far everything that bodies add to had come, to go back there. */
static void mark(ob_visit *visit) {
    const ob_facts *facts = visit->p->facts;
    if (visit->p->findings) visit->found = ob__findings_mark(visit->p->findings);
    visit->n_conditions = facts->n_conditions;
    visit->n_unverified = facts->n_unverified;
    visit->n_claims = facts->n_claims;
    visit->n_proved = facts->n_proved;
    visit->n_refuted = facts->n_refuted;
}

static void take_back(const ob_visit *visit) {
    ob_facts *facts = visit->p->facts;
    if (visit->p->findings) ob__findings_rewind(visit->p->findings, &visit->found);
    facts->n_conditions = visit->n_conditions;
    facts->n_unverified = visit->n_unverified;
    ob__claims_rewind(facts, visit->p->model->dims, visit->n_claims);
    facts->n_proved = visit->n_proved;
    facts->n_refuted = visit->n_refuted;
}

static ob_status on_subgraph(ob_infer *infer, ob_graph *graph, ob_dim guard, const ob_type *in_types,
                             const ob_content *in_contents, ob_type *out_types, ob_content *out_contents) {
    ob_visit *visit = (ob_visit *)infer;
    ob_propagation *p = visit->p;
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        out_types[i] = unknown_type;
        if (out_contents) out_contents[i] = (ob_content){0};
    }
    if (!may_enter(p, visit->node, graph, 0)) return ob__unverified(infer, -1, -1, not_entered);
    if (visit->subgraph == graph) /* once more, with better knowledge of a loop's state: what was found before does not count */
        take_back(visit);
    visit->subgraph = graph;
    mark(visit);
    p->assumed = visit->assumed;
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        OB_TRY(ob__set_fact(p, visit->node, graph->inputs[i], in_types ? in_types[i] : unknown_type,
                            in_contents ? in_contents[i] : (ob_content){0}));
    p->assumed = false;
    const ob_guard *outer = p->guard;
    if (guard != 1) {
        const char *text = ob__graph_path(graph, &p->facts->arena);
        if (!text) return OB_E_MEMORY;
        OB_TRY(ob__guard_within(&p->facts->arena, outer, guard, visit->node, text, &p->guard));
    }
    ob_status status = enter(p, visit->node, graph);
    p->guard = outer;
    OB_TRY(status);
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        const ob_fact *fact = ob__fact(p->facts, graph->outputs[i]);
        visit->assumed |= fact->assumed;
        out_types[i] = fact->type;
        if (out_contents) out_contents[i] = fact->content;
    }
    return OB_OK;
}

/* ---- Calls of local functions ---- */

static ob_status call_function(ob_visit *visit) {
    ob_propagation *p = visit->p;
    const ob_node *node = visit->infer.node;
    ob_function *function = node->function;
    uint32_t n_calls = 0;
    for (const ob_call *call = p->call; call; call = call->outer, n_calls++)
        if (call->function == function) {
            ob__report(p, NULL, visit->node, OB0703, -1, -1, "the function calls itself, directly or through others");
            return OB_OK;
        }
    ob_graph *body = function->body;
    if (node->n_inputs > body->n_inputs || node->n_outputs > body->n_outputs) {
        ob__report(p, NULL, visit->node, OB0603, -1, -1, "the call has more inputs or outputs than the function");
        return OB_OK;
    }
    if (!may_enter(p, visit->node, body, n_calls)) return ob__unverified(&visit->infer, -1, -1, not_entered);
    p->assumed = visit->assumed;
    for (uint32_t i = 0; i < body->n_inputs; i++) {
        bool given = ob__in_given(&visit->infer, i);
        OB_TRY(ob__set_fact(p, visit->node, body->inputs[i], given ? visit->infer.in_types[i] : unknown_type,
                            given ? visit->infer.in_contents[i] : (ob_content){0}));
    }
    p->assumed = false;
    ob_call call = {node, function, p->call};
    p->call = &call;
    ob_status status = enter(p, visit->node, body);
    p->call = call.outer;
    OB_TRY(status);
    OB_TRY(ob__join_call(p, body));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_fact *fact = ob__fact(p->facts, body->outputs[i]);
        visit->assumed |= fact->assumed;
        visit->infer.out_types[i] = fact->type;
        visit->infer.out_contents[i] = fact->content;
    }
    return OB_OK;
}

/* ---- One node ---- */

static ob_types type_bit(const ob_type *type) {
    switch (type->kind) {
    case OB_TYPE_SEQUENCE: return OB_T_SEQUENCE;
    case OB_TYPE_OPTIONAL: return OB_T_OPTIONAL;
    case OB_TYPE_MAP: return OB_T_MAP;
    default: return UINT64_C(1) << type->dtype;
    }
}

/* Number and element types of operands; false: the rule would make no sense of them. */
static bool operands_fit(ob_infer *infer) {
    const ob_op *op = infer->op;
    const ob_node *node = infer->node;
    if (!ob__op_takes(op, node->n_inputs)) {
        ob__problem(infer, OB0603, -1, -1, "%u inputs, the operator takes %d to %d", node->n_inputs, op->in_min, op->in_max);
        return false;
    }
    if (!ob__op_gives(op, node->n_outputs)) {
        ob__problem(infer, OB0603, -1, -1, "%u outputs, the operator has %d to %d", node->n_outputs, op->out_min, op->out_max);
        return false;
    }
    ob_dtype letters[4] = {OB_NONE, OB_NONE, OB_NONE, OB_NONE};
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_type *type = &infer->in_types[i];
        if (!node->inputs[i] && !ob__op_input_optional(op, i)) {
            ob__problem(infer, OB0603, (int32_t)i, -1, "operand %u is left out, but %s-%d needs it", i, op->name, op->since);
            return false;
        }
        bool tensor = type->kind == OB_TYPE_TENSOR || type->kind == OB_TYPE_SPARSE_TENSOR;
        if (type->kind == OB_TYPE_UNKNOWN || (tensor && type->dtype == OB_NONE)) continue;
        if (!(ob__op_input_types(op, i) & type_bit(type))) {
            ob__problem(infer, OB0604, (int32_t)i, -1, "operand %u is %s, which %s-%d does not take", i,
                        tensor ? ob_dtype_name(type->dtype) : "not a tensor", op->name, op->since);
            return false;
        }
        bool homogeneous;
        char letter = ob__op_input_letter(op, i, &homogeneous);
        if (!tensor || !homogeneous || letter < 'T' || letter > 'W') continue;
        ob_dtype *first = &letters[letter - 'T'];
        if (*first == OB_NONE)
            *first = type->dtype;
        else if (*first != type->dtype) {
            ob__problem(infer, OB0604, (int32_t)i, -1, "operand %u is %s, but operands of %s must share a type with %s", i,
                        ob_dtype_name(type->dtype), op->name, ob_dtype_name(*first));
            return false;
        }
    }
    return true;
}

/* Element types of outputs as far as the signature tells them. */
static void set_output_dtypes(ob_infer *infer) {
    ob_dtype few[FEW];
    uint32_t n = infer->node->n_inputs < FEW ? infer->node->n_inputs : FEW;
    for (uint32_t i = 0; i < n; i++) few[i] = ob__in_dtype(infer, i);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) {
        ob_dtype dtype = ob__op_output_dtype(infer->op, i, few, n);
        if (dtype == OB_NONE) continue;
        infer->out_types[i].kind = OB_TYPE_TENSOR;
        infer->out_types[i].dtype = dtype;
    }
}

/* Sizes that are numbers, and more than any memory has. */
static void check_size(ob_infer *infer, uint32_t i) {
    const ob_type *type = &infer->out_types[i];
    uint64_t n_bytes;
    char text[200];
    if (!infer->node->outputs[i] || type->kind != OB_TYPE_TENSOR || type->shape.rank < 0 || type->shape.rank > OB_MAX_RANK)
        return;
    for (int32_t axis = 0; axis < type->shape.rank; axis++)
        if (!ob_dim_is_const(type->shape.dims[axis]) || type->shape.dims[axis] < 0) return;
    ob_dtype dtype = type->dtype == OB_NONE ? OB_BOOL : type->dtype; /* at least a byte each */
    if (ob__tensor_bytes(dtype, type->shape.rank, type->shape.dims, &n_bytes)) return;
    ob_shape_format(infer->dims, &type->shape, text, sizeof text);
    ob__problem(infer, OB0606, -1, -1, "output %u of shape %s has more bytes than can be addressed", i, text);
}

/* Element types that come from attributes: Cast, Constant, EyeLike ... */
static void check_outputs(ob_infer *infer) {
    /* Constant-1 names float types only, but from opset 5 on Reshape needs integers: every exporter writes them. */
    if (infer->op->since == 1 && strcmp(infer->op->name, "Constant") == 0) return;
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) {
        const ob_type *type = &infer->out_types[i];
        if (type->kind != OB_TYPE_TENSOR || type->dtype == OB_NONE) continue;
        if (ob__op_output_types(infer->op, i) & type_bit(type)) continue;
        ob__problem(infer, OB0604, -1, -1, "output %u would be %s, which %s-%d does not give", i, ob_dtype_name(type->dtype),
                    infer->op->name, infer->op->since);
    }
}

static ob_status apply_rule(ob_infer *infer) {
    if (!operands_fit(infer)) return OB_OK;
    set_output_dtypes(infer);
    ob__check_choices(infer);
    OB_TRY(infer->op->infer(infer));
    check_outputs(infer);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) check_size(infer, i);
    return OB_OK;
}

static ob_status note_operator(ob_propagation *p, const ob_node *node) {
    if (p->last_domain != node->domain || p->last_graph != node->graph) {
        p->last_domain = node->domain;
        p->last_graph = node->graph;
        if (!node->function && ob__graph_opset(node->graph, node->domain) == 0)
            OB_TRY(ob__note(p, node, OB0803, node->domain, "the model imports no opset of this domain"));
    }
    if (!node->op) return ob__note(p, node, OB0802, node->op_type, "no such operator is known: shapes behind it are unknown");
    if (node->op->deprecated) OB_TRY(ob__note(p, node, OB0804, node->op_type, "the operator is deprecated in this opset"));
    if (node->op->infer == ob__infer_none)
        return ob__note(p, node, OB0801, node->op_type, "the operator has no shape rule: shapes behind it are unknown");
    return OB_OK;
}

typedef struct operand_space {
    ob_type types[2 * FEW];
    ob_content contents[2 * FEW];
} operand_space;

static ob_status infer_visit(ob_visit *visit) {
    ob_propagation *p = visit->p;
    const ob_node *node = visit->infer.node;
    bool call = node->function && !node->op;
    if (!call) OB_TRY(note_operator(p, visit->node));
    if (p->budget > 0) p->budget--;
    if (call) return call_function(visit);
    bool has_rule = node->op && node->op->infer != ob__infer_none;
    if (!has_rule && !visit->root) visit->root = visit->node; /* of all that cannot be said behind it */
    if (!node->op) return ob__unverified(&visit->infer, -1, -1, "the operator is not known");
    if (!has_rule) return ob__unverified(&visit->infer, -1, -1, "the operator has no shape rule");
    return apply_rule(&visit->infer);
}

static const char *reason(const ob_node *node, const ob_type *type) {
    if (type->kind == OB_TYPE_TENSOR && type->shape.rank >= 0) return NULL;
    if (node->op) return node->op->infer == ob__infer_none ? "the operator has no shape rule" : "not known from the operands";
    return node->function ? "not known from the function's body" : "the operator is not known";
}

ob_status ob__propagate_node(ob_propagation *p, ob_node *node) {
    operand_space few;
    ob_type *types = few.types;
    ob_content *contents = few.contents;
    size_t n = (size_t)node->n_inputs + node->n_outputs;
    if (n > 2 * FEW) {
        types = OB_ARENA_ARRAY(&p->scratch, ob_type, n);
        contents = OB_ARENA_ARRAY(&p->scratch, ob_content, n);
        if (!types || !contents) return OB_E_MEMORY;
    }
    bool assumed = false;
    const ob_node *root = NULL;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_fact *fact = ob__fact(p->facts, node->inputs[i]);
        if (!root) root = fact->root;
        types[i] = fact->type;
        contents[i] = fact->content;
        assumed |= fact->assumed;
    }
    for (size_t i = node->n_inputs; i < n; i++) {
        types[i] = unknown_type;
        contents[i] = (ob_content){0};
    }
    const ob_node *view = p->call ? resolved(p, node) : node;
    if (!view) return OB_E_MEMORY;
    ob_visit visit = {.infer = {.model = p->model,
                                .node = view,
                                .op = node->op,
                                .dims = p->model->dims,
                                .arena = &p->facts->arena,
                                .in_types = types,
                                .in_contents = contents,
                                .out_types = types + node->n_inputs,
                                .out_contents = contents + node->n_inputs,
                                .condition = on_condition,
                                .decided = on_decided,
                                .problem = on_problem,
                                .subgraph = on_subgraph,
                                .owner = p,
                                .thrifty = p->n_content > CONTENT_LIMIT},
                      .p = p,
                      .node = node,
                      .assumed = assumed,
                      .root = root};
    uint32_t n_findings = p->findings ? p->findings->n : 0;
    OB_TRY(infer_visit(&visit));
    bool only_declared = false;
    p->assumed = visit.assumed;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_value *value = node->outputs[i];
        if (!value) continue;
        ob_content content = visit.infer.out_contents[i];
        if (visit.infer.thrifty && content.n > OB_CONTENT_SHORT) content = (ob_content){0};
        p->n_content += content.n;
        OB_TRY(ob__set_fact(p, node, value, visit.infer.out_types[i], content));
        ob_fact *fact = &p->facts->facts[value->id];
        fact->why_unknown = reason(node, &fact->type);
        bool unknown = fact->assumed || (fact->type.kind == OB_TYPE_TENSOR && fact->type.shape.rank < 0);
        if (unknown || fact->type.kind == OB_TYPE_UNKNOWN) fact->root = root ? root : node;
        only_declared |= visit.infer.out_types[i].shape.rank == OB_RANK_UNKNOWN && fact->type.shape.rank != OB_RANK_UNKNOWN;
    }
    p->assumed = false;
    if (only_declared && p->findings && p->findings->n == n_findings) OB_TRY(ob__check_declared_result(p, node));
    p->done[node->id] = p->epoch;
    return OB_OK;
}

/* ---- Graphs ---- */

/* True when every operand is there already. A value of an outer graph is there when its node was ever done; one that was not is
 * reported and stays unknown. */
static bool is_ready(ob_propagation *p, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_node *producer = node->inputs[i] ? node->inputs[i]->producer : NULL;
        if (!producer) continue;
        if (producer->graph == node->graph) {
            if (p->done[producer->id] != p->epoch) return false;
        } else if (p->done[producer->id] == 0) {
            ob__report(p, NULL, node, OB0702, (int32_t)i, -1,
                       "the subgraph reads a value of an outer graph before the node that makes it");
        }
    }
    return true;
}

static ob_status propagate_graph(ob_propagation *p, ob_graph *graph) {
    uint32_t outer = p->epoch;
    if (p->n_epochs == UINT32_MAX) return OB_E_LIMIT;
    p->epoch = ++p->n_epochs;
    ob_status status = ob__set_initializers(p, graph);
    for (ob_node *node = graph->first; node && status == OB_OK; node = node->next) {
        if (!is_ready(p, node)) {
            status = ob__propagate_sorted(p, graph);
            break;
        }
        status = ob__propagate_node(p, node);
    }
    p->epoch = outer;
    return status;
}

ob_status ob__propagate(ob_model *model, const ob_propagate_options *options, ob_facts *facts, ob_findings *findings) {
    static const ob_propagate_options plain = {0};
    ob_propagation p = {.model = model, .options = options ? options : &plain, .facts = facts, .findings = findings};
    ob__claims_rewind(facts, model->dims, 0);
    facts->n_facts = facts->n_conditions = facts->n_unverified = 0;
    facts->n_proved = facts->n_refuted = 0;
    ob__dims_restart(model->dims);
    ob__arena_init(&p.scratch, &model->arena.allocator);
    ob__map_init(&p.notes, &p.scratch);
    p.budget = p.options->max_nodes ? p.options->max_nodes : (uint64_t)model->n_nodes * 4 + (1u << 20);
    p.most_repeated_bytes = (size_t)REPEATED_BYTES + (size_t)model->n_nodes * REPEATED_NODE_BYTES;
    p.done = OB_ARENA_ARRAY(&p.scratch, uint32_t, model->n_nodes);
    p.noted = OB_ARENA_ARRAY(&p.scratch, uint8_t, model->n_nodes);
    ob_status status = p.done && p.noted ? ob__facts_reserve(facts, model->n_values) : OB_E_MEMORY;
    if (status == OB_OK) status = ob__set_main_inputs(&p);
    if (status == OB_OK) status = propagate_graph(&p, model->graph);
    ob__settle_calls(&p);
    if (status == OB_OK) status = ob__report_disorder(&p);
    if (status == OB_OK) status = ob__report_collected(&p);
    bool failed = ob_dims_status(model->dims) == OB_E_MEMORY || facts->arena.failed || (findings && findings->arena.failed);
    if (status == OB_OK && failed) status = OB_E_MEMORY;
    return ob__arena_finish(&p.scratch, status);
}

/* ---- One node outside any facts ---- */

typedef struct lone_node {
    ob_infer infer;
    ob_error *error;
    ob_status first;
} lone_node;

static void keep_first_problem(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *text) {
    lone_node *lone = (lone_node *)infer;
    if (lone->first != OB_OK) return;
    lone->first = ob__finding_row(id)->status;
    if (!lone->error) return;
    ob__fail(lone->error, lone->first, "%s", text);
    lone->error->axis = axis;
    ob__copy_text(lone->error->node, sizeof lone->error->node, infer->node->name);
    ob__copy_text(lone->error->op_type, sizeof lone->error->op_type, infer->node->op_type);
    bool named = operand >= 0 && ob__in_given(infer, (uint32_t)operand);
    ob__copy_text(lone->error->value, sizeof lone->error->value, named ? infer->node->inputs[operand]->name : "");
}

ob_status ob__infer_node(ob_model *model, const ob_node *node, const ob_type *in_types, const ob_content *in_contents,
                         ob_type *out_types, ob_content *out_contents, ob_arena *arena, ob_error *error) {
    lone_node lone = {.infer = {.model = model,
                                .node = node,
                                .op = node->op,
                                .dims = model->dims,
                                .arena = arena,
                                .in_types = in_types,
                                .in_contents = in_contents,
                                .out_types = out_types,
                                .out_contents = out_contents,
                                .problem = keep_first_problem},
                      .error = error};
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        out_types[i] = unknown_type;
        out_contents[i] = (ob_content){0};
    }
    if (!node->op) return OB_OK;
    OB_TRY(apply_rule(&lone.infer));
    return lone.first;
}
