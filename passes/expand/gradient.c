/* Replaces a Gradient by the derivatives of the operators between the named values, in reverse order. */
#include <string.h>

#include "core/base/error.h"
#include "ops/training/params.h"
#include "passes/check/names.h"
#include "passes/expand/expand.h"
#include "passes/expand/tape.h"

/* The nodes and values between the names of one Gradient; arrays by node or value id at the time of the walk. */
typedef struct differential {
    ob_tape *tape;
    ob_node *node; /* the Gradient */
    ob_gradient_params params;
    ob_arena arena;
    uint32_t n_values, n_nodes;
    ob_node **order; /* the nodes that compute y, operands first */
    uint32_t n_order;
    bool *is_named;    /* named by xs or zs: its producer is not visited */
    bool *is_moved;    /* the value depends on one of xs */
    bool *is_before;   /* the node has run when the Gradient does */
    ob_value **stands; /* for the value: another one, of a copy that is computed from the operands of the Gradient */
    ob_value **change; /* the gradient by the value, so far */
    bool waits;        /* another Gradient comes first, or the graph has changed: look again */
} differential;

/* ---- The differentiated nodes ---- */

typedef ob_status (*read_visit)(differential *d, ob_node *node, ob_value *value);

typedef struct capture {
    differential *d;
    ob_node *node;
    read_visit visit;
} capture;

static bool is_around(const ob_graph *outer, const ob_graph *graph) {
    while (graph && graph != outer) graph = graph->parent;
    return graph != NULL;
}

/* The values that a subgraph reads from outer graphs. */
static ob_status visit_captured(void *context, ob_graph *graph) {
    const capture *c = context;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i] && is_around(node->inputs[i]->graph, c->node->graph))
                OB_TRY(c->visit(c->d, c->node, node->inputs[i]));
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        if (is_around(graph->outputs[i]->graph, c->node->graph)) OB_TRY(c->visit(c->d, c->node, graph->outputs[i]));
    return OB_OK;
}

static ob_status each_read(differential *d, ob_node *node, read_visit visit) {
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i]) OB_TRY(visit(d, node, node->inputs[i]));
    capture c = {d, node, visit};
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *attribute = node->attributes[i];
        if (attribute->type == OB_ATTR_GRAPH && attribute->u.graph)
            OB_TRY(ob__graph_each(attribute->u.graph, visit_captured, &c));
        for (uint32_t k = 0; attribute->type == OB_ATTR_GRAPHS && k < attribute->n; k++)
            OB_TRY(ob__graph_each(attribute->u.graphs[k], visit_captured, &c));
    }
    return OB_OK;
}

enum { NEW, OPEN, DONE }; /* of a node while the graph is followed */

typedef struct walk {
    uint8_t *state;
    ob_node **stack;
    uint32_t n, capacity;
} walk;

static ob_status push(differential *d, walk *w, ob_node *node) {
    if (w->n == w->capacity) {
        const uint32_t capacity = 2 * w->capacity + 64;
        ob_node **larger = OB_ARENA_ARRAY(&d->arena, ob_node *, capacity);
        if (!larger) return OB_E_MEMORY;
        if (w->n) memcpy(larger, w->stack, w->n * sizeof(ob_node *));
        w->stack = larger;
        w->capacity = capacity;
    }
    w->stack[w->n++] = node;
    return OB_OK;
}

typedef struct following {
    differential d; /* first: a visit gets it */
    walk walk;
} following;

static ob_status push_producer(differential *d, ob_node *node, ob_value *value) {
    following *f = (following *)d;
    (void)node;
    if (d->is_named[value->id] || !value->producer || f->walk.state[value->producer->id] != NEW) return OB_OK;
    return push(d, &f->walk, value->producer);
}

/* Fills the order of the nodes that compute y. */
static ob_status follow(following *f) {
    differential *d = &f->d;
    walk *w = &f->walk;
    OB_TRY(push_producer(d, NULL, d->params.y));
    while (w->n > 0) {
        ob_node *node = w->stack[w->n - 1];
        if (w->state[node->id] == NEW) {
            w->state[node->id] = OPEN;
            OB_TRY(each_read(d, node, push_producer));
            continue;
        }
        w->n--;
        if (w->state[node->id] == OPEN) d->order[d->n_order++] = node;
        w->state[node->id] = DONE;
    }
    return OB_OK;
}

static ob_status look_moved(differential *d, ob_node *node, ob_value *value) {
    if (!d->is_moved[value->id]) return OB_OK;
    const ob_derivative *row = ob__derivative_of(node->op);
    for (uint32_t i = 0; i < node->n_outputs && !(row && row->kind == OB_DERIVATIVE_ZERO); i++)
        if (node->outputs[i] && ob__tape_is_float(d->tape, node->outputs[i])) d->is_moved[node->outputs[i]->id] = true;
    return OB_OK;
}

static bool moves(const differential *d, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] && d->is_moved[node->outputs[i]->id]) return true;
    return false;
}

/* ---- Making the operators such that each has a row ---- */

/* Max(a, b, c) becomes Max(Max(a, b), c). */
static ob_status take_in_pairs(ob_tape *tape, ob_node *node) {
    ob_graph *graph = node->graph;
    const ob_node *before = node->prev;
    ob_value *so_far = node->inputs[0];
    for (uint32_t i = 1; i + 1 < node->n_inputs; i++) {
        ob_node *pair = ob__node_new(graph, node, node->domain, node->op_type, 2, 1);
        if (!pair) return OB_E_MEMORY;
        pair->op = node->op;
        pair->name = node->name;
        pair->attributes = node->attributes;
        pair->n_attributes = node->n_attributes;
        pair->inputs[0] = so_far;
        pair->inputs[1] = node->inputs[i];
        so_far = ob__value_new_unique(graph, node->op_type);
        if (!so_far) return OB_E_MEMORY;
        so_far->declared = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
        ob__node_set_output(pair, 0, so_far);
    }
    node->inputs[0] = so_far;
    node->inputs[1] = node->inputs[node->n_inputs - 1];
    node->n_inputs = 2;
    return ob__tape_infer(tape, graph, before, node->next);
}

/* Sees to it that the derivative of the node is known; d->waits: it has been changed for that. */
static ob_status prepare(differential *d, ob_node *node) {
    static const ob_body identity = {"", "Gradient", 1, "(X) -> (Y) { Y = Identity(X); }"};
    const ob_derivative *row = ob__derivative_of(node->op);
    const ob_body *body = row ? NULL : ob__body_of(node->op);
    const bool pairs = row && row->kind == OB_DERIVATIVE_PAIRS && node->n_inputs != 2;
    d->waits |= body || pairs;
    if (pairs) return node->n_inputs > 2 ? take_in_pairs(d->tape, node) : ob__tape_expand(d->tape, &identity, node);
    if (body) return ob__tape_expand(d->tape, body, node);
    if (row) return OB_OK;
    ob__at_node(d->tape->error, node, OB_E_UNSUPPORTED);
    return ob__fail(d->tape->error, OB_E_UNSUPPORTED,
                    "the derivative of its version %d is not known here, and %s of Gradient %s depends on it", node->op->since,
                    d->params.y->name, ob__node_label(d->node));
}

/* ---- Writing ---- */

static ob_value *standing(const differential *d, ob_value *value) {
    return value && value->id < d->n_values && d->stands[value->id] ? d->stands[value->id] : value;
}

static bool reads_other(const differential *d, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (standing(d, node->inputs[i]) != node->inputs[i]) return true;
    return false;
}

/* The operands of the Gradient may differ from the named values, and named values may be computed after it. */
static ob_status copy_where_needed(differential *d) {
    for (uint32_t i = 0; i < d->params.n; i++) {
        const ob_value *named = ob__gradient_value(d->node, &d->params, i);
        if (d->node->inputs[i] != named) d->stands[named->id] = d->node->inputs[i];
    }
    for (uint32_t k = 0; k < d->n_order; k++) {
        ob_node *node = d->order[k];
        if (d->is_before[node->id] && !reads_other(d, node)) continue;
        for (uint32_t i = 0; i < node->n_attributes; i++)
            if (node->attributes[i]->type == OB_ATTR_GRAPH || node->attributes[i]->type == OB_ATTR_GRAPHS) {
                ob__at_node(d->tape->error, node, OB_E_UNSUPPORTED);
                return ob__fail(d->tape->error, OB_E_UNSUPPORTED, "it would have to be computed once more for Gradient %s",
                                ob__node_label(d->node));
            }
        ob_value **in = OB_ARENA_ARRAY(&d->arena, ob_value *, node->n_inputs);
        ob_value **out = OB_ARENA_ARRAY(&d->arena, ob_value *, node->n_outputs);
        if (!in || !out) return OB_E_MEMORY;
        for (uint32_t i = 0; i < node->n_inputs; i++) in[i] = standing(d, node->inputs[i]);
        OB_TRY(ob__tape_copy(d->tape, node, in, out));
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) d->stands[node->outputs[i]->id] = out[i];
    }
    return OB_OK;
}

/* The gradients of the node's results; of one that nothing reads, zeros. *any: something does. */
static ob_status results_of(differential *d, const ob_back_step *step, bool *any) {
    *any = false;
    for (uint32_t i = 0; i < step->node->n_outputs; i++) {
        const ob_value *result = step->node->outputs[i];
        if (result) step->d_out[i] = d->change[result->id];
        *any |= step->d_out[i] != NULL;
    }
    for (uint32_t i = 0; i < step->node->n_outputs && *any; i++)
        if (step->out[i] && !step->d_out[i] && ob__tape_is_float(d->tape, step->out[i]))
            OB_TRY(ob__tape_write_one(d->tape, &ob__zeros_like, step->out[i], NULL, NULL, &step->d_out[i]));
    return OB_OK;
}

static ob_status step_back(differential *d, const ob_node *node) {
    const uint32_t n_in = node->n_inputs, n_out = node->n_outputs;
    bool any;
    ob_back_step step = {.node = node,
                         .in = OB_ARENA_ARRAY(&d->arena, ob_value *, n_in),
                         .out = OB_ARENA_ARRAY(&d->arena, ob_value *, n_out),
                         .d_out = OB_ARENA_ARRAY(&d->arena, ob_value *, n_out),
                         .wanted = OB_ARENA_ARRAY(&d->arena, bool, n_in),
                         .d_in = OB_ARENA_ARRAY(&d->arena, ob_value *, n_in)};
    if (!step.in || !step.out || !step.d_out || !step.wanted || !step.d_in) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n_in; i++) {
        step.in[i] = standing(d, node->inputs[i]);
        step.wanted[i] = node->inputs[i] && d->is_moved[node->inputs[i]->id];
    }
    for (uint32_t i = 0; i < n_out; i++) step.out[i] = standing(d, node->outputs[i]);
    OB_TRY(results_of(d, &step, &any));
    if (!any) return OB_OK;
    OB_TRY(ob__derive(d->tape, ob__derivative_of(node->op), &step));
    for (uint32_t i = 0; i < n_in; i++) {
        if (!step.d_in[i]) continue;
        ob_value **change = &d->change[node->inputs[i]->id];
        if (!*change)
            *change = step.d_in[i];
        else
            OB_TRY(ob__tape_write_one(d->tape, &ob__plus, *change, step.d_in[i], NULL, change));
    }
    return OB_OK;
}

/* Goes from y back to the values that it depends on, then connects the results of the Gradient. */
static ob_status write_back(differential *d) {
    ob_value *y = standing(d, d->params.y);
    if (d->is_moved[d->params.y->id])
        OB_TRY(ob__tape_write_one(d->tape, &ob__ones_like, y, NULL, NULL, &d->change[d->params.y->id]));
    for (uint32_t k = d->n_order; k-- > 0;)
        if (moves(d, d->order[k])) OB_TRY(step_back(d, d->order[k]));
    const ob_op *identity = ob__op_find("", "Identity", OB_BODY_OPSET);
    for (uint32_t i = 0; i < d->node->n_outputs; i++) {
        ob_value *change = d->change[ob__gradient_value(d->node, &d->params, i)->id];
        if (!d->node->outputs[i]) continue;
        if (!change) OB_TRY(ob__tape_write_one(d->tape, &ob__zeros_like, d->node->inputs[i], NULL, NULL, &change));
        ob_node *node = ob__node_new(d->node->graph, d->node, "", "Identity", 1, 1);
        if (!node) return OB_E_MEMORY;
        node->op = identity;
        node->name = ob__node_label(d->node);
        node->inputs[0] = change;
        ob__node_set_output(node, 0, d->node->outputs[i]);
        OB_TRY(ob__tape_infer(d->tape, node->graph, node->prev, d->node));
    }
    ob__node_unlink(d->node);
    return OB_OK;
}

/* ---- One Gradient ---- */

static ob_status check(const ob_node *node, const ob_gradient_params *p, ob_error *error) {
    ob__at_node(error, node, OB_OK);
    OB_FAIL_IF(p->n_xs == 0 || node->n_inputs != p->n || node->n_outputs > p->n_xs, error, OB_E_MODEL,
               "%u operands and %u results: it needs one operand for each of the %u names in xs and zs, and at most %u "
               "results, one for each name in xs",
               node->n_inputs, node->n_outputs, p->n, p->n_xs);
    OB_FAIL_IF(!p->y, error, OB_E_MODEL, "attribute y names %s, which the graph does not have",
               ob__node_string(node, "y", "nothing"));
    for (uint32_t i = 0; i < p->n; i++)
        OB_FAIL_IF(!ob__gradient_value(node, p, i) || !node->inputs[i], error, OB_E_MODEL,
                   "attribute %s names a value that does not exist or whose operand is missing: entry %u",
                   i < p->n_xs ? "xs" : "zs", i < p->n_xs ? i : i - p->n_xs);
    ob_error_clear(error);
    return OB_OK;
}

static ob_status begin(following *f) {
    differential *d = &f->d;
    const ob_model *model = d->tape->model;
    d->n_values = model->n_values;
    d->n_nodes = model->n_nodes;
    d->order = OB_ARENA_ARRAY(&d->arena, ob_node *, d->n_nodes);
    d->is_before = OB_ARENA_ARRAY(&d->arena, bool, d->n_nodes);
    d->is_named = OB_ARENA_ARRAY(&d->arena, bool, d->n_values);
    d->is_moved = OB_ARENA_ARRAY(&d->arena, bool, d->n_values);
    d->stands = OB_ARENA_ARRAY(&d->arena, ob_value *, d->n_values);
    d->change = OB_ARENA_ARRAY(&d->arena, ob_value *, d->n_values);
    f->walk = (walk){.state = OB_ARENA_ARRAY(&d->arena, uint8_t, d->n_nodes)};
    if (!d->order || !d->is_before || !d->is_named || !d->is_moved || !d->stands || !d->change || !f->walk.state)
        return OB_E_MEMORY;
    const ob_node *end = d->node;
    for (const ob_graph *graph = d->node->graph; graph; end = graph->parent_node, graph = graph->parent)
        for (const ob_node *node = graph->first; node && node != end; node = node->next) d->is_before[node->id] = true;
    for (uint32_t i = 0; i < d->params.n; i++) {
        const ob_value *named = ob__gradient_value(d->node, &d->params, i);
        d->is_named[named->id] = true;
        if (i < d->params.n_xs) d->is_moved[named->id] = true;
    }
    return OB_OK;
}

static ob_status differentiate(following *f) {
    differential *d = &f->d;
    OB_TRY(begin(f));
    OB_TRY(follow(f));
    for (uint32_t k = 0; k < d->n_order; k++) {
        ob_node *node = d->order[k];
        if (!node->op) {
            ob__at_node(d->tape->error, node, OB_E_UNSUPPORTED);
            return ob__fail(d->tape->error, OB_E_UNSUPPORTED, "it is not known, and %s of Gradient %s depends on it",
                            d->params.y->name, ob__node_label(d->node));
        }
        d->waits |= ob__is_gradient(node);
        OB_TRY(each_read(d, node, look_moved));
    }
    for (uint32_t k = 0; k < d->n_order && !d->waits; k++)
        if (moves(d, d->order[k])) OB_TRY(prepare(d, d->order[k]));
    if (d->waits) return OB_OK;
    OB_TRY(copy_where_needed(d));
    return write_back(d);
}

/* ---- All of them ---- */

typedef struct round {
    ob_tape *tape;
    uint32_t n_left, n_changes;
    const ob_node *left;
} round;

static ob_status write_graph(void *context, ob_graph *graph) {
    round *r = context;
    for (ob_node *node = graph->first, *next; node; node = next) {
        next = node->next;
        if (!ob__is_gradient(node)) continue;
        following f = {.d = {.tape = r->tape, .node = node, .params = ob__gradient_params(node)}};
        OB_TRY(check(node, &f.d.params, r->tape->error));
        const uint32_t n_nodes = r->tape->model->n_nodes;
        r->tape->gradient = node;
        ob__arena_init(&f.d.arena, &r->tape->model->arena.allocator);
        const ob_status status = differentiate(&f);
        ob__arena_release(&f.d.arena);
        OB_TRY(status);
        r->n_left += f.d.waits;
        if (f.d.waits) {
            r->left = node;
            next = node->next; /* that node may have been expanded */
        }
        r->n_changes += r->tape->model->n_nodes != n_nodes;
    }
    return OB_OK;
}

static ob_status write_all(ob_tape *tape, bool *any) {
    for (;;) {
        round r = {.tape = tape};
        OB_TRY(ob__model_each_graph(tape->model, write_graph, &r));
        *any |= r.n_changes > 0;
        if (r.n_left == 0) return OB_OK;
        if (r.n_changes > 0) continue;
        ob__at_node(tape->error, r.left, OB_E_MODEL);
        return ob__fail(tape->error, OB_E_MODEL, "its y depends on its own results");
    }
}

ob_status ob__write_gradients(ob_model *model, const ob_facts *facts, uint64_t max_nodes, bool *any, ob_error *error) {
    ob_error own;
    ob_tape tape = {.model = model, .facts = facts, .max_nodes = max_nodes, .error = error ? error : &own};
    *any = false;
    ob__arena_init(&tape.arena, &model->arena.allocator);
    ob__arena_init(&tape.scratch, &model->arena.allocator);
    const ob_status status = write_all(&tape, any);
    ob__arena_release(&tape.scratch);
    ob__arena_release(&tape.arena);
    return status;
}
