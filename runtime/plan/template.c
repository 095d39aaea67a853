/* Prepares the facts for all sizes for runtime/plan/substitute.c: which values are terms of the sizes of inputs, and which nodes
 * have to be inferred again for each set of sizes. */
#include "runtime/plan/template.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/base/number_map.h"
#include "core/dims/terms.h"
#include "ops/infer/infer.h"
#include "ops/table/op.h"
#include "passes/check/propagate.h"
#include "runtime/plan/reads.h"

/* Of a value, at all sizes: */
enum {
    FIXED = 1,  /* its fact has no term: numbers give the same fact */
    OPAQUE = 2, /* numbers do not tell its elements either */
    MADE = 4,   /* by a node that is inferred again */
    NOTED = 8
};

typedef struct analysis {
    ob_session *session;
    ob_template *t;
    ob_arena scratch;
    uint8_t *marks;        /* by value id */
    bool *doubted;         /* by node id: a requirement of it is not one of sizes of inputs */
    ob_number_map indices; /* term -> 1 + its index */
    ob_number_map choices; /* term -> 1: it is not 1, 2: it is */
    ob_dim *terms;
    uint32_t terms_capacity, places_capacity, sized_capacity, made_capacity, known_capacity, tested_capacity, open_capacity;
} analysis;

static const ob_fact *fact_of(const analysis *a, const ob_value *value) {
    return ob__fact(a->t->facts, value);
}

/* ---- Closed facts: types and elements that are terms of sizes of inputs ---- */

static bool is_closed(const analysis *a, ob_dim d) {
    return !ob_dim_is_anonymous(a->session->model->dims, d);
}

static bool are_closed(const analysis *a, const ob_dim *dims, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!is_closed(a, dims[i])) return false;
    return true;
}

static bool are_numbers(const ob_dim *dims, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!ob_dim_is_const(dims[i])) return false;
    return true;
}

static bool is_closed_type(const analysis *a, const ob_type *type) {
    return type->kind == OB_TYPE_TENSOR && type->dtype != OB_NONE && type->shape.rank >= 0 && type->shape.rank <= OB_MAX_RANK &&
           are_closed(a, type->shape.dims, (uint32_t)type->shape.rank);
}

/* No term in it, and nothing unknown. */
static bool is_fixed_fact(const ob_fact *fact) {
    const ob_content *content = &fact->content;
    if (!ob__is_static_type(&fact->type) || content->trace || content->items) return false;
    if (content->range && !(ob_dim_is_const(content->range->lowest) && ob_dim_is_const(content->range->highest))) return false;
    if (content->parts && !are_numbers(content->parts, content->n)) return false;
    for (uint32_t i = 0; content->elems && i < content->n; i++) /* an element that is no integer is unknown, at all sizes */
        if (content->elems[i] != OB_DIM_UNKNOWN && !ob_dim_is_const(content->elems[i])) return false;
    return ob_dim_is_const(content->extent);
}

/* ---- Nodes ---- */

static bool is_control(const ob_node *node) {
    return node->op && node->op->kernel && node->op->kernel->flags & OB_KERNEL_CONTROL;
}

static bool has_subgraph(const ob_node *node) {
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (node->attributes[i]->type == OB_ATTR_GRAPH || node->attributes[i]->type == OB_ATTR_GRAPHS) return true;
    return false;
}

static bool is_opaque(const analysis *a, const ob_value *value) {
    return value && a->marks[value->id] & OPAQUE;
}

/* Whether numbers do not tell the elements of its results: rules compute elements from those of operand 0, elementwise ones and
 * joins from those of all operands, and Shape and Size from sizes. */
static bool makes_opaque(const analysis *a, const ob_node *node) {
    const ob_op *op = node->op;
    if (node->n_inputs == 0 || ob__is_shape(node) || strcmp(op->name, "Size") == 0) return false;
    const bool all = op->loop.kind == OB_LOOP_BINARY || strcmp(op->name, "Where") == 0 || strcmp(op->name, "Concat") == 0 ||
                     strcmp(op->name, "Range") == 0;
    for (uint32_t i = 0; i < node->n_inputs && (i == 0 || all); i++)
        if (is_opaque(a, node->inputs[i])) return true;
    return false;
}

/* The result as a number gives it: equal for equal operands, otherwise by its terms. */
static bool result_is_closed(analysis *a, const ob_value *value, bool fixed_operands, bool opaque) {
    const ob_fact *fact = fact_of(a, value);
    const ob_content *content = &fact->content;
    if (opaque && !content->elems) a->marks[value->id] |= OPAQUE;
    if (!is_closed_type(a, &fact->type) || fact->assumed) return false;
    if (fixed_operands && is_fixed_fact(fact)) {
        a->marks[value->id] |= FIXED;
        return true;
    }
    if (content->parts || content->items || !is_closed(a, content->extent)) return false;
    return content->elems ? are_closed(a, content->elems, content->n) : opaque;
}

static bool control_is_closed(analysis *a, const ob_node *node);

static bool node_is_closed(analysis *a, const ob_node *node) {
    bool fixed = !has_subgraph(node), closed = node->op && !a->doubted[node->id];
    if (!node->op) return false;
    if (is_control(node)) return control_is_closed(a, node) && closed;
    closed &= fixed;
    for (uint32_t i = 0; i < node->n_inputs; i++) fixed &= !node->inputs[i] || a->marks[node->inputs[i]->id] & FIXED;
    const bool opaque = makes_opaque(a, node);
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) closed &= result_is_closed(a, node->outputs[i], fixed, opaque);
    return closed;
}

static void mark_initializers(analysis *a, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_value *value = graph->initializers[i];
        const ob_fact *fact = fact_of(a, value);
        if (is_fixed_fact(fact)) a->marks[value->id] |= FIXED;
        if (!fact->content.elems) a->marks[value->id] |= OPAQUE;
    }
}

static bool graph_is_closed(analysis *a, const ob_graph *graph) {
    bool closed = true;
    mark_initializers(a, graph);
    for (const ob_node *node = graph->first; node; node = node->next) closed &= node_is_closed(a, node);
    return closed;
}

/* 0 or 1 if the condition is the same in the case of the facts, otherwise -1. */
static int truth_of(const analysis *a, const ob_value *value) {
    const ob_content *content = &fact_of(a, value)->content;
    if (!content->elems || content->n != 1) return -1;
    if (ob_dim_is_const(content->elems[0])) return content->elems[0] != 0;
    return (int)ob__number_find(&a->choices, (uint64_t)content->elems[0]) - 1;
}

static bool if_is_closed(analysis *a, const ob_node *node) {
    ob_if_params params;
    ob_control_problem problem;
    if (!ob__if_params(node, &params, &problem)) return false;
    const int truth = truth_of(a, node->inputs[0]);
    bool closed = true;
    for (int k = 0; k < 2; k++) {
        if (truth == k) continue; /* branches[0] is that of true */
        closed &= ob__branch_fits(node, params.branches[k], &problem) && graph_is_closed(a, params.branches[k]);
    }
    for (uint32_t i = 0; i < node->n_outputs && closed; i++) {
        bool opaque = true;
        for (int k = 0; k < 2; k++) opaque &= truth == k || is_opaque(a, params.branches[k]->outputs[i]);
        if (node->outputs[i]) closed &= result_is_closed(a, node->outputs[i], false, opaque);
    }
    return closed;
}

/* Inputs of a body have no elements, except a state whose first value has some. */
static bool loop_is_closed(analysis *a, const ob_node *node) {
    ob_loop_params params;
    ob_control_problem problem;
    if (!ob__loop_params(node, &params, &problem)) return false;
    bool closed = true;
    for (uint32_t i = 0; i < params.body->n_inputs; i++) {
        const ob_value *value = params.body->inputs[i];
        const bool is_state = i >= params.own_inputs && i < params.own_inputs + params.n_state;
        const bool opaque = !is_state || is_opaque(a, node->inputs[params.first + i - params.own_inputs]);
        closed &= result_is_closed(a, value, false, opaque);
    }
    closed &= graph_is_closed(a, params.body);
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const bool opaque = i >= params.n_state || is_opaque(a, node->inputs[params.first + i]);
        if (node->outputs[i]) closed &= result_is_closed(a, node->outputs[i], false, opaque);
    }
    return closed;
}

static bool control_is_closed(analysis *a, const ob_node *node) {
    return ob__is_if(node) ? if_is_closed(a, node) : loop_is_closed(a, node);
}

/* ---- Requirements ---- */

/* The node of the main graph that contains the node. */
static const ob_node *outermost(const ob_node *node) {
    while (node->graph->parent_node) node = node->graph->parent_node;
    return node;
}

static bool has_open_guard(const analysis *a, const ob_guard *guard) {
    for (; guard; guard = guard->outer)
        if (!is_closed(a, guard->term)) return true;
    return false;
}

/* Conditions on sizes of inputs are tested; the nodes of others are inferred again. False: one has no node. */
static ob_status look_at_requirements(analysis *a, bool *usable) {
    const ob_facts *facts = a->t->facts;
    const bool of_session = facts == &a->session->facts;
    for (uint32_t i = 0; i < facts->n_unverified; i++) {
        if (!facts->unverified[i].node) *usable = false;
        if (facts->unverified[i].node) a->doubted[outermost(facts->unverified[i].node)->id] = true;
    }
    for (uint32_t i = 0; i < facts->n_conditions; i++) {
        const ob_requirement *c = &facts->conditions[i];
        if (c->value) continue; /* of a declaration */
        if (!is_closed(a, c->condition.a) || !is_closed(a, c->condition.b)) {
            if (!c->node) *usable = false;
            if (c->node) a->doubted[outermost(c->node)->id] = true;
            continue;
        }
        if (of_session && !has_open_guard(a, c->guard)) continue; /* runtime/contract.c tests it */
        const ob_requirement **grown =
            ob__list_in_arena(&a->t->arena, (void *)a->t->tested, &a->tested_capacity, a->t->n_tested + 1, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        a->t->tested = grown;
        grown[a->t->n_tested++] = c;
    }
    return OB_OK;
}

/* ---- Places of numbers ---- */

static ob_status index_of(analysis *a, ob_dim term, uint32_t *out) {
    uint32_t *place = ob__number_place(&a->indices, (uint64_t)term);
    if (*place == 0) {
        ob_dim *grown = ob__list_in_arena(&a->scratch, a->terms, &a->terms_capacity, a->t->n_terms + 1, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        a->terms = grown;
        grown[a->t->n_terms] = term;
        *place = ++a->t->n_terms;
    }
    *out = *place - 1;
    return OB_OK;
}

/* The numbers that elements of the type hold exactly. */
static int64_t most_of(ob_dtype dtype) {
    switch (dtype) {
    case OB_INT64: return OB_DIM_CONST_MAX;
    case OB_DOUBLE: return INT64_C(1) << 53;
    case OB_FLOAT: return 1 << 24;
    case OB_BOOL: return 1;
    case OB_INT32: return INT32_MAX;
    default: return 0;
    }
}

/* Notes the place if it holds a term. */
static ob_status place_one(analysis *a, ob_dim *to, int64_t most) {
    ob_template *t = a->t;
    if (ob_dim_is_const(*to) || *to == OB_DIM_UNKNOWN) return OB_OK;
    ob_size_place *grown = ob__list_in_arena(&t->arena, t->places, &a->places_capacity, t->n_places + 1, sizeof *grown);
    if (!grown) return OB_E_MEMORY;
    t->places = grown;
    OB_TRY(index_of(a, *to, &grown[t->n_places].term));
    grown[t->n_places].most = most;
    grown[t->n_places++].to = to;
    return OB_OK;
}

/* *out: a copy with places for the terms, or `dims` if there are none. */
static ob_status place_all(analysis *a, const ob_dim *dims, uint32_t n, int64_t most, const ob_dim **out) {
    *out = dims;
    if (are_numbers(dims, n)) return OB_OK;
    ob_dim *copy = ob__arena_alloc(&a->t->arena, n * sizeof *copy);
    if (!copy) return OB_E_MEMORY;
    memcpy(copy, dims, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) OB_TRY(place_one(a, &copy[i], most));
    *out = copy;
    return OB_OK;
}

static ob_status place_range(analysis *a, int64_t most, const ob_range **range) {
    ob_range *copy = OB_ARENA_NEW(&a->t->arena, ob_range);
    if (!copy) return OB_E_MEMORY;
    *copy = **range;
    *range = copy;
    if (!is_closed(a, copy->lowest)) copy->lowest = OB_DIM_UNKNOWN;
    if (!is_closed(a, copy->highest)) copy->highest = OB_DIM_UNKNOWN;
    copy->reached &= copy->lowest != OB_DIM_UNKNOWN && copy->highest != OB_DIM_UNKNOWN;
    OB_TRY(place_one(a, &copy->lowest, most));
    return place_one(a, &copy->highest, most);
}

static ob_status place_fact(analysis *a, ob_fact *fact) {
    ob_template *t = a->t;
    ob_content *content = &fact->content;
    const ob_dim *dims = fact->type.shape.dims;
    const int64_t most = most_of(fact->type.dtype);
    content->trace = NULL; /* in terms of inputs */
    OB_TRY(place_all(a, dims, (uint32_t)fact->type.shape.rank, OB_DIM_CONST_MAX, &fact->type.shape.dims));
    if (fact->type.shape.dims != dims) {
        const ob_fact **grown = ob__list_in_arena(&t->arena, (void *)t->sized, &a->sized_capacity, t->n_sized + 1, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        t->sized = grown;
        grown[t->n_sized++] = fact;
    }
    if (content->elems) OB_TRY(place_all(a, content->elems, content->n, most, &content->elems));
    if (content->range) OB_TRY(place_range(a, most, &content->range));
    return place_one(a, &content->extent, OB_DIM_CONST_MAX);
}

/* ---- Nodes that are inferred again ---- */

static ob_status note_made(analysis *a, const ob_value *value) {
    ob_template *t = a->t;
    if (!value) return OB_OK;
    const ob_value **grown = ob__list_in_arena(&t->arena, (void *)t->made, &a->made_capacity, t->n_made + 1, sizeof *grown);
    if (!grown) return OB_E_MEMORY;
    t->made = grown;
    grown[t->n_made++] = value;
    a->marks[value->id] |= MADE;
    return OB_OK;
}

static ob_status note_all_made(analysis *a, const ob_node *node);

/* As deep as bodies nest, which the loader limits. */
static ob_status note_made_in(analysis *a, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_inputs; i++) OB_TRY(note_made(a, graph->inputs[i]));
    for (uint32_t i = 0; i < graph->n_initializers; i++) OB_TRY(note_made(a, graph->initializers[i]));
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(note_all_made(a, node));
    return OB_OK;
}

static ob_status note_all_made(analysis *a, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_outputs; i++) OB_TRY(note_made(a, node->outputs[i]));
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *attribute = node->attributes[i];
        if (attribute->type == OB_ATTR_GRAPH && attribute->u.graph) OB_TRY(note_made_in(a, attribute->u.graph));
        for (uint32_t k = 0; attribute->type == OB_ATTR_GRAPHS && k < attribute->n; k++)
            OB_TRY(note_made_in(a, attribute->u.graphs[k]));
    }
    return OB_OK;
}

static ob_status note_read(void *context, ob_value *value) {
    analysis *a = context;
    ob_template *t = a->t;
    if (a->marks[value->id] & (MADE | NOTED)) return OB_OK;
    a->marks[value->id] |= NOTED;
    ob_known_value *grown = ob__list_in_arena(&t->arena, t->known, &a->known_capacity, t->n_known + 1, sizeof *grown);
    if (!grown) return OB_E_MEMORY;
    t->known = grown;
    grown[t->n_known++].value = value;
    return OB_OK;
}

static ob_status find_open(analysis *a) {
    ob_template *t = a->t;
    const ob_graph *graph = a->session->model->graph;
    mark_initializers(a, graph);
    for (uint32_t i = 0; i < a->session->n_inputs; i++) {
        const ob_value *input = a->session->inputs[i];
        if (!fact_of(a, input)->content.elems) a->marks[input->id] |= OPAQUE;
    }
    for (ob_node *node = graph->first; node; node = node->next) {
        if (node_is_closed(a, node)) continue;
        ob_node **grown = ob__list_in_arena(&t->arena, t->open, &a->open_capacity, t->n_open + 1, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        t->open = grown;
        grown[t->n_open++] = node;
    }
    for (uint32_t i = 0; i < t->n_open; i++) OB_TRY(note_all_made(a, t->open[i]));
    for (uint32_t i = 0; i < t->n_open; i++) OB_TRY(ob__each_read(t->open[i], note_read, a));
    return OB_OK;
}

/* ---- The whole ---- */

/* Each symbol by the first axis of an input that has it. *usable false: an input is not a tensor, or its rank is not known. */
static ob_status bind(const ob_session *session, ob_template *t, bool *usable) {
    size_t n = session->n_bindings;
    *usable = true;
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        const ob_type *type = &ob__fact(&session->facts, session->inputs[i])->type;
        *usable &= type->kind == OB_TYPE_TENSOR && type->dtype != OB_NONE && type->shape.rank >= 0;
        if (*usable) n += (size_t)type->shape.rank;
    }
    t->bindings = OB_ARENA_ARRAY(&t->arena, ob_binding, n);
    t->sources = OB_ARENA_ARRAY(&t->arena, ob_size_source, n);
    if (!t->bindings || !t->sources) return OB_E_MEMORY;
    for (uint32_t i = 0; i < session->n_inputs && *usable; i++) {
        const ob_shape *shape = &ob__fact(&session->facts, session->inputs[i])->type.shape;
        for (int32_t axis = 0; axis < shape->rank; axis++) {
            uint32_t k = 0;
            while (k < t->n_sources && t->bindings[k].symbol != shape->dims[axis]) k++;
            if (k < t->n_sources || ob_dim_get_kind(session->model->dims, shape->dims[axis]) != OB_DIM_KIND_SYMBOL) continue;
            t->sources[t->n_sources] = (ob_size_source){i, axis};
            t->bindings[t->n_sources++].symbol = shape->dims[axis];
        }
    }
    if (session->n_bindings) memcpy(t->bindings + t->n_sources, session->bindings, session->n_bindings * sizeof *t->bindings);
    t->n_bindings = t->n_sources + (uint32_t)session->n_bindings;
    return OB_OK;
}

/* False: an input has another rank. */
static bool set_sizes(const ob_builder *b, ob_template *t) {
    for (uint32_t i = 0; i < t->n_sources; i++) {
        const ob_size_source *source = &t->sources[i];
        if (b->inputs[source->input].rank <= source->axis) return false;
        t->bindings[i].size = b->inputs[source->input].dims[source->axis];
    }
    return true;
}

/* Whether the sizes of the inputs are a case of the facts. */
static bool is_case(const ob_builder *b, ob_template *t) {
    int64_t value;
    if (!set_sizes(b, t)) return false;
    for (const ob_choice *choice = t->facts->choices; choice; choice = choice->next)
        if (ob_dim_eval(b->session->model->dims, choice->term, t->bindings, t->n_bindings, &value) != OB_OK ||
            (value == 1) != choice->is_one)
            return false;
    return true;
}

static ob_status place_facts(analysis *a) {
    ob_template *t = a->t;
    t->at.n_facts = t->facts->n_facts;
    t->at.facts = OB_ARENA_ARRAY(&t->arena, ob_fact, t->at.n_facts);
    if (!t->at.facts) return OB_E_MEMORY;
    if (t->at.n_facts) memcpy(t->at.facts, t->facts->facts, t->at.n_facts * sizeof *t->at.facts);
    for (uint32_t id = 0; id < t->at.n_facts; id++)
        if (!(a->marks[id] & MADE) && is_closed_type(a, &t->at.facts[id].type)) OB_TRY(place_fact(a, &t->at.facts[id]));
    ob_dim *terms = OB_ARENA_ARRAY(&t->arena, ob_dim, t->n_terms);
    t->values = OB_ARENA_ARRAY(&t->arena, int64_t, t->n_terms);
    if (!terms || !t->values) return OB_E_MEMORY;
    if (t->n_terms) memcpy(terms, a->terms, t->n_terms * sizeof *terms);
    t->terms = terms;
    return OB_OK;
}

static ob_status analyse(analysis *a) {
    const ob_model *model = a->session->model;
    bool usable = a->t->facts->n_refuted == 0 && a->t->facts->n_declared == 0;
    a->marks = OB_ARENA_ARRAY(&a->scratch, uint8_t, model->n_values);
    a->doubted = OB_ARENA_ARRAY(&a->scratch, bool, model->n_nodes);
    if (!a->marks || !a->doubted || !ob__number_map_init(&a->indices, &a->scratch, model->dims->n_terms) ||
        !ob__number_map_init(&a->choices, &a->scratch, model->dims->n_terms))
        return OB_E_MEMORY;
    for (const ob_choice *choice = a->t->facts->choices; choice; choice = choice->next)
        *ob__number_place(&a->choices, (uint64_t)choice->term) = 1 + choice->is_one;
    if (usable) OB_TRY(look_at_requirements(a, &usable));
    if (!usable) return OB_OK;
    OB_TRY(find_open(a));
    OB_TRY(place_facts(a));
    a->t->usable = true;
    return OB_OK;
}

/* The facts of the session are those for all elements and cases. They depend on declarations if these give the only types of
 * values. */
static ob_status find_facts(ob_builder *b, ob_template *t) {
    ob_session *session = b->session;
    bool any = session->facts.n_declared > 0 || session->facts.open_ranks || session->model->n_subgraphs > 0;
    for (uint32_t i = 0; i < session->n_inputs; i++) any |= t->contents[i] != NULL;
    t->facts = any ? &t->own : &session->facts;
    if (!any) return OB_OK;
    ob_given_input *given = OB_ARENA_ARRAY(&b->scratch, ob_given_input, session->n_inputs);
    if (!given) return OB_E_MEMORY;
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        OB_TRY(ob__give_input(b, i, false, &given[i]));
        if (!t->contents[i]) given[i].type.kind = OB_TYPE_UNKNOWN; /* as it is declared */
        if (!t->contents[i]) continue;
        ob_dim *elems = ob__arena_alloc(&t->arena, t->n_contents[i] * sizeof *elems);
        if (!elems) return OB_E_MEMORY;
        for (uint32_t k = 0; k < t->n_contents[i]; k++) elems[k] = ob__saturated(t->contents[i][k]);
        given[i].content = (ob_content){.n = t->n_contents[i], .elems = elems};
    }
    const ob_propagate_options options = {.bindings = session->bindings,
                                          .n_bindings = session->n_bindings,
                                          .inputs = given,
                                          .n_inputs = session->n_inputs,
                                          .ignore_declared = true,
                                          .solved = true,
                                          .sizes = t->bindings,
                                          .n_sizes = t->n_bindings,
                                          .fixed_defaults = true};
    return ob__propagate(session->model, &options, &t->own, NULL);
}

static ob_status make(ob_builder *b, ob_template *t) {
    ob_session *session = b->session;
    t->contents = OB_ARENA_ARRAY(&t->arena, int64_t *, session->n_inputs);
    t->n_contents = OB_ARENA_ARRAY(&t->arena, uint32_t, session->n_inputs);
    if (!t->contents || !t->n_contents) return OB_E_MEMORY;
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        if (!session->content_matters[i] || !ob__has_content(&b->inputs[i], &t->n_contents[i])) continue;
        t->contents[i] = OB_ARENA_ARRAY(&t->arena, int64_t, t->n_contents[i]);
        if (!t->contents[i]) return OB_E_MEMORY;
        ob__read_content(&b->inputs[i], t->n_contents[i], t->contents[i]);
    }
    bool usable;
    OB_TRY(bind(session, t, &usable));
    if (!usable) return OB_OK;
    if (!set_sizes(b, t)) return OB_OK;
    OB_TRY(find_facts(b, t));
    analysis a = {.session = session, .t = t};
    ob__arena_init(&a.scratch, &session->allocator);
    const ob_status status = analyse(&a);
    return ob__arena_finish(&a.scratch, status);
}

static void release(ob_template *t) {
    ob__facts_release(&t->own);
    ob_arena arena = t->arena; /* the template lives in its own arena */
    ob__arena_release(&arena);
}

/* Whether the inputs have these elements. */
static bool fits(const ob_builder *b, int64_t *const *contents, const uint32_t *n_contents, const ob_plan *plan) {
    const ob_session *session = b->session;
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        uint32_t n;
        const bool has = session->content_matters[i] && ob__has_content(&b->inputs[i], &n);
        if (has != (contents[i] != NULL)) return false;
        if (!has) continue;
        ob_view of_plan;
        if (plan) ob__layout_view(plan->inputs[i], NULL, &of_plan);
        if (n != (plan ? ob_view_count(&of_plan) : n_contents[i]) || !ob__same_content(&b->inputs[i], n, contents[i]))
            return false;
    }
    return true;
}

ob_status ob__template_find(ob_builder *b, ob_template **out) {
    enum { MOST = 4 }; /* that a session keeps */
    ob_session *session = b->session;
    uint32_t n = 0;
    *out = NULL;
    for (ob_template **at = &session->templates; *at; at = &(*at)->next, n++) {
        ob_template *t = *at;
        if (!fits(b, t->contents, t->n_contents, NULL) || (t->usable && !is_case(b, t))) continue;
        if (t->usable) *out = t;
        return OB_OK;
    }
    const ob_plan *plan = session->plans;
    while (plan && !fits(b, plan->contents, NULL, plan)) plan = plan->next;
    if (!plan || n >= MOST) return OB_OK;
    ob_arena arena;
    ob__arena_init(&arena, &session->allocator);
    ob_template *t = OB_ARENA_NEW(&arena, ob_template);
    if (!t) return OB_E_MEMORY;
    t->arena = arena;
    ob__facts_init(&t->own, &session->allocator);
    const ob_status status = make(b, t);
    if (status != OB_OK) {
        release(t);
        return status;
    }
    t->next = session->templates;
    session->templates = t;
    if (t->usable) *out = t;
    return OB_OK;
}

void ob__templates_release(ob_session *session) {
    while (session->templates) {
        ob_template *t = session->templates;
        session->templates = t->next;
        release(t);
    }
}
