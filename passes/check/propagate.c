#include "passes/check/propagate.h"

#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "passes/check/propagation.h"

OB_RULE(none);

enum {
    FEW = 8,                    /* operands that need no memory */
    REPEATED_BYTES = 16 << 20,  /* that inferring bodies again may take, */
    REPEATED_NODE_BYTES = 1024, /* and more for each node of the model; */
    REPEATED_SHARE = 16,        /* in one case of several, this part of it */
    CONTENT_LIMIT = 1 << 23     /* limit of elements; beyond it long contents are not kept */
};

static const ob_type unknown_type = {.shape = {OB_RANK_UNKNOWN, NULL}};

/* ---- Attributes that refer to those of the calling node ---- */

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

static ob_status on_bounded(ob_infer *infer, const ob_bound *bound, ob_dim guard, int32_t operand, int32_t axis) {
    ob_visit *visit = (ob_visit *)infer;
    return ob__record_bound(visit->p, visit, bound, guard, operand, axis);
}

static ob_status on_case(ob_infer *infer, const ob_condition *condition, ob_dim guard, int32_t axis, bool *excluded) {
    ob_visit *visit = (ob_visit *)infer;
    *excluded = ob__case_is_excluded(visit->p->settled->excluded, visit->node, axis);
    return *excluded ? OB_OK : ob__record_case(visit->p, visit, condition, guard, axis);
}

static ob_truth on_is_chosen(ob_infer *infer, ob_dim term) {
    ob_propagation *p = ((ob_visit *)infer)->p;
    int64_t value;
    if (p->options->n_sizes == 0 || ob_dim_eval(p->model->dims, term, p->options->sizes, p->options->n_sizes, &value) != OB_OK)
        return OB_UNDECIDED;
    ob_choice *choice = OB_ARENA_NEW(&p->facts->arena, ob_choice);
    if (!choice) return OB_UNDECIDED; /* the arena has it */
    *choice = (ob_choice){p->facts->choices, term, value == 1};
    p->facts->choices = choice;
    return value == 1 ? OB_TRUE : OB_FALSE;
}

static ob_truth on_is_one(ob_infer *infer, ob_dim size) {
    ob_visit *visit = (ob_visit *)infer;
    ob_propagation *p = visit->p;
    const ob_truth chosen = on_is_chosen(infer, size);
    if (chosen != OB_UNDECIDED) return chosen;
    for (uint32_t i = 0; i < p->settled->n_decided; i++)
        if (p->settled->decided[i].size == size) return p->settled->decided[i].is_one ? OB_TRUE : OB_FALSE;
    ob_open_rank *open = OB_ARENA_NEW(&p->facts->arena, ob_open_rank);
    if (!open) return OB_UNDECIDED; /* the arena has it */
    *open = (ob_open_rank){p->facts->open_ranks, visit->node, size};
    p->facts->open_ranks = open;
    return OB_UNDECIDED;
}

/* Refuted ones are counted as problems. */
static void on_decided(ob_infer *infer, bool holds) {
    if (holds) ((ob_visit *)infer)->p->facts->n_proved++;
}

static void on_problem(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *text) {
    ob_visit *visit = (ob_visit *)infer;
    ob_propagation *p = visit->p;
    const ob_finding_row *row = ob__finding_row(id);
    const bool depends = row->status == OB_E_SHAPE || p->settled->n_decided; /* on sizes; else it is wrong with the file */
    ob_truth reached = depends ? ob__guard_eval(p->model->dims, p->guard, NULL, 0) : OB_TRUE;
    if (reached == OB_FALSE) return;
    ob__operand_shapes(visit);
    ob__report(p, visit, visit->node, id, operand, axis, text);
    if (row->severity != OB_SEVERITY_ERROR) return;
    if (reached == OB_TRUE)
        p->facts->n_refuted++;
    else if (ob__record_refuted(p, visit, operand, axis) != OB_OK)
        p->facts->arena.failed = true; /* ob__propagate looks at it */
}

/* ---- One node ---- */

static ob_status note_operator(ob_propagation *p, const ob_node *node) {
    char text[200];
    if (p->last_domain != node->domain || p->last_graph != node->graph) {
        p->last_domain = node->domain;
        p->last_graph = node->graph;
        if (!node->function && ob__graph_opset(node->graph, node->domain) == 0)
            OB_TRY(ob__note(p, node, OB0803, node->domain, "the model imports no opset of this domain"));
    }
    if (node->op && ob__is_too_new(node->graph, node->domain, text, sizeof text)) {
        const char *kept = ob__arena_strndup(&p->scratch, text, strlen(text));
        return kept ? ob__note(p, node, OB0806, kept, kept) : OB_E_MEMORY;
    }
    if (!node->op) return ob__note(p, node, OB0802, node->op_type, "no such operator is known: shapes behind it are unknown");
    if (node->op->deprecated) {
        ob__op_deprecation(node->op, text, sizeof text);
        const char *kept = ob__arena_printf(&p->scratch, "the operator is %s", text);
        if (!kept) return OB_E_MEMORY;
        OB_TRY(ob__note(p, node, OB0804, node->op_type, kept));
    }
    if (node->op->infer == ob__infer_none)
        return ob__note(p, node, OB0801, node->op_type, "the operator has no shape rule: shapes behind it are unknown");
    return OB_OK;
}

/* The memory of a visit. It is too much for the stack, because visits nest like bodies. */
struct ob_visit_space {
    ob_type types[2 * FEW];
    ob_content contents[2 * FEW];
    ob_visit visit;
    struct ob_visit_space *next; /* among those that are free */
};

static ob_status infer_visit(ob_visit *visit) {
    ob_propagation *p = visit->p;
    const ob_node *node = visit->infer.node;
    bool call = node->function && !node->op;
    if (!call) OB_TRY(note_operator(p, visit->node));
    if (p->budget > 0) p->budget--;
    if (call) return ob__infer_call(visit);
    bool has_rule = node->op && node->op->infer != ob__infer_none;
    if (!has_rule && !visit->root) visit->root = visit->node; /* of everything unknown behind it */
    if (!node->op) return ob__unverified(&visit->infer, -1, -1, "the operator is not known");
    char text[200];
    if (ob__is_too_new(visit->node->graph, visit->node->domain, text, sizeof text))
        OB_TRY(ob__unverified(&visit->infer, -1, -1, "the operator set is newer than the operators that are known"));
    if (has_rule) return ob__apply_rule(&visit->infer);
    ob__check_operands(&visit->infer);
    return ob__unverified(&visit->infer, -1, -1, "the operator has no shape rule");
}

static const char *reason(const ob_node *node, const ob_type *type) {
    if (type->kind == OB_TYPE_TENSOR && type->shape.rank >= 0) return NULL;
    if (node->op) return node->op->infer == ob__infer_none ? "the operator has no shape rule" : "not known from the operands";
    return node->function ? "not known from the function's body" : "the operator is not known";
}

/* Makes the results of the rule facts. `root`: that of the first operand with one. only_declared: a rank is known only from a
 * declaration. */
static ob_status set_results(ob_visit *visit, const ob_node *node, const ob_node *root, bool *only_declared) {
    ob_propagation *p = visit->p;
    *only_declared = false;
    p->assumed = visit->assumed;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_value *value = node->outputs[i];
        if (!value) continue;
        ob_content content = visit->infer.out_contents[i];
        if (visit->infer.thrifty && content.n > OB_CONTENT_SHORT) content = (ob_content){0};
        p->n_content += content.n;
        OB_TRY(ob__set_fact(p, node, value, visit->infer.out_types[i], content));
        ob_fact *fact = &p->facts->facts[value->id];
        fact->why_unknown = reason(node, &fact->type);
        bool unknown = fact->assumed || (fact->type.kind == OB_TYPE_TENSOR && fact->type.shape.rank < 0);
        if (unknown || fact->type.kind == OB_TYPE_UNKNOWN) fact->root = root ? root : node;
        *only_declared |= visit->infer.out_types[i].shape.rank == OB_RANK_UNKNOWN && fact->type.shape.rank != OB_RANK_UNKNOWN;
    }
    p->assumed = false;
    return OB_OK;
}

static ob_status propagate_in(ob_propagation *p, ob_node *node, struct ob_visit_space *few) {
    ob_type *types = few->types;
    ob_content *contents = few->contents;
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
    ob_visit *visit = &few->visit;
    *visit = (ob_visit){.infer = {.model = p->model,
                                  .node = view,
                                  .op = node->op,
                                  .dims = p->model->dims,
                                  .arena = &p->facts->arena,
                                  .in_types = types,
                                  .in_contents = contents,
                                  .out_types = types + node->n_inputs,
                                  .out_contents = contents + node->n_inputs,
                                  .condition = on_condition,
                                  .bounded = on_bounded,
                                  .excludes = on_case,
                                  .is_one = on_is_one,
                                  .is_chosen = on_is_chosen,
                                  .decided = on_decided,
                                  .problem = on_problem,
                                  .subgraph = ob__infer_subgraph,
                                  .owner = p,
                                  .trial = p->trial,
                                  .room = p->room,
                                  .thrifty = p->n_content > CONTENT_LIMIT},
                        .p = p,
                        .node = node,
                        .assumed = assumed,
                        .root = root};
    uint32_t n_findings = p->findings ? p->findings->n : 0;
    OB_TRY(infer_visit(visit));
    bool only_declared;
    OB_TRY(set_results(visit, node, root, &only_declared));
    if (only_declared && p->findings && p->findings->n == n_findings) OB_TRY(ob__check_declared_result(p, node));
    p->done[node->id] = p->epoch;
    return OB_OK;
}

ob_status ob__propagate_node(ob_propagation *p, ob_node *node) {
    struct ob_visit_space *space = p->free_spaces;
    if (space)
        p->free_spaces = space->next;
    else
        space = OB_ARENA_NEW(&p->scratch, struct ob_visit_space);
    if (!space) return OB_E_MEMORY;
    ob_status status = propagate_in(p, node, space);
    space->next = p->free_spaces;
    p->free_spaces = space;
    return status;
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
            ob__report(p, NULL, node, OB0701, (int32_t)i, -1,
                       "the subgraph reads a value of an outer graph that no node before it makes");
        }
    }
    return true;
}

ob_status ob__propagate_graph(ob_propagation *p, ob_graph *graph) {
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

/* Everything that a propagation begins with; to be followed by finish(). */
static ob_status begin(ob_propagation *p) {
    ob_model *model = p->model;
    ob_facts *facts = p->facts;
    ob__claims_rewind(facts, model->dims, 0);
    facts->n_facts = facts->n_conditions = facts->n_unverified = facts->n_bounds = facts->n_cases = 0;
    facts->n_proved = facts->n_refuted = facts->n_declared = 0;
    facts->n_called = 0;
    facts->open_ranks = NULL;
    facts->choices = NULL;
    ob__dims_restart(model->dims);
    ob__arena_init(&p->scratch, &model->arena.allocator);
    ob__map_init(&p->notes, &p->scratch);
    ob__calls_init(p);
    p->budget = p->options->max_nodes ? p->options->max_nodes : (uint64_t)model->n_nodes * 4 + (1u << 20);
    p->most_repeated_bytes = (size_t)REPEATED_BYTES + (size_t)model->n_nodes * REPEATED_NODE_BYTES;
    if (p->settled->n_decided) p->most_repeated_bytes /= REPEATED_SHARE;
    p->done = OB_ARENA_ARRAY(&p->scratch, uint32_t, model->n_nodes);
    p->noted = OB_ARENA_ARRAY(&p->scratch, uint8_t, model->n_nodes);
    p->trial = OB_ARENA_NEW(&p->scratch, ob_error);
    p->room = ob__arena_alloc(&p->scratch, OB_INFER_ROOM);
    return p->done && p->noted && p->trial && p->room ? ob__facts_reserve(facts, model->n_values) : OB_E_MEMORY;
}

static ob_status finish(ob_propagation *p, ob_status status) {
    if (status == OB_OK) status = ob__settle_calls(p);
    ob__calls_release(p);
    if (status == OB_OK) status = ob__report_disorder(p);
    if (status == OB_OK) status = ob__report_collected(p);
    bool failed =
        ob_dims_status(p->model->dims) == OB_E_MEMORY || p->facts->arena.failed || (p->findings && p->findings->arena.failed);
    if (status == OB_OK && failed) status = OB_E_MEMORY;
    return ob__arena_finish(&p->scratch, status);
}

static const ob_settled nothing_settled = {0};

ob_status ob__propagate_once(ob_model *model, const ob_propagate_options *options, const ob_settled *settled, ob_facts *facts,
                             ob_findings *findings) {
    static const ob_propagate_options plain = {0};
    ob_propagation p = {.model = model,
                        .options = options ? options : &plain,
                        .settled = settled ? settled : &nothing_settled,
                        .facts = facts,
                        .findings = findings};
    p.guard = p.settled->guard;
    ob_status status = begin(&p);
    if (status == OB_OK) status = ob__set_main_inputs(&p);
    if (status == OB_OK) status = ob__propagate_graph(&p, model->graph);
    return finish(&p, status);
}

/* The outer nodes count as done, because their results are known. */
static void mark_around(ob_propagation *p, const ob_graph *graph) {
    for (; graph; graph = graph->parent)
        for (const ob_node *node = graph->first; node; node = node->next) p->done[node->id] = 1;
}

ob_status ob__propagate_nodes(ob_model *model, ob_node *const *nodes, size_t n_nodes, const ob_known_value *known, size_t n_known,
                              ob_facts *facts, ob_findings *findings) {
    static const ob_propagate_options options = {.ignore_declared = true, .fixed_defaults = true};
    ob_propagation p = {.model = model, .options = &options, .settled = &nothing_settled, .facts = facts, .findings = findings};
    ob_status status = begin(&p);
    if (status == OB_OK && n_nodes > 0) mark_around(&p, nodes[0]->graph);
    p.epoch = p.n_epochs = 1;
    for (size_t i = 0; i < n_known && status == OB_OK; i++)
        status = ob__set_fact(&p, NULL, known[i].value, known[i].type, known[i].content);
    for (size_t i = 0; i < n_nodes && status == OB_OK; i++) status = ob__propagate_node(&p, nodes[i]);
    return finish(&p, status);
}
