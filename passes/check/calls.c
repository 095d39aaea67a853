/* Facts of a function's body: inferred for each call, merged for all calls. A size that differs between calls becomes an
 * anonymous one, the same for every value that differs in the same way: two values with equal shapes in every call have equal
 * shapes in the body. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "passes/check/propagation.h"

static const ob_type unknown_type = {.shape = {OB_RANK_UNKNOWN, NULL}};

struct ob_joins {
    ob_fact *facts; /* by value id: facts of all calls so far */
    bool *met;      /* by value id: some call was joined */
    ob_map pairs;   /* two terms -> the anonymous size that replaces both */
};

static ob_status join_dim(ob_propagation *p, ob_dim a, ob_dim b, ob_dim *out) {
    *out = a;
    if (a == b) return OB_OK;
    *out = OB_DIM_UNKNOWN;
    if (a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_OK;
    const ob_dim key[2] = {a, b};
    ob_map_entry *entry = ob__map_insert(&p->joins->pairs, (const char *)key, sizeof key);
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) {
        ob_dim *made = OB_ARENA_NEW(&p->scratch, ob_dim);
        if (!made) return OB_E_MEMORY;
        *made = ob_dim_fresh(p->model->dims);
        entry->value = made;
    }
    *out = *(const ob_dim *)entry->value;
    return OB_OK;
}

static ob_status join_shape(ob_propagation *p, ob_shape *into, const ob_shape *other) {
    if (into->rank != other->rank) *into = (ob_shape){OB_RANK_UNKNOWN, NULL};
    if (into->rank <= 0 || into->dims == other->dims) return OB_OK;
    ob_dim *dims = OB_ARENA_ARRAY(&p->facts->arena, ob_dim, (size_t)into->rank);
    if (!dims) return OB_E_MEMORY;
    for (int32_t axis = 0; axis < into->rank; axis++) OB_TRY(join_dim(p, into->dims[axis], other->dims[axis], &dims[axis]));
    into->dims = dims;
    return OB_OK;
}

/* Elements may be negative, which a size cannot represent. */
static bool may_be_sizes(const ob_dims *dims, ob_dim a, ob_dim b) {
    int64_t low_a, low_b, high;
    ob_dim_bounds(dims, a, &low_a, &high);
    ob_dim_bounds(dims, b, &low_b, &high);
    return low_a >= 0 && low_b >= 0;
}

static ob_status join_content(ob_propagation *p, ob_content *into, const ob_content *other) {
    if (!into->elems || !other->elems || into->n != other->n) {
        *into = (ob_content){0};
        return OB_OK;
    }
    ob_dim extent = ob_dim_max(p->model->dims, into->extent, other->extent);
    if (extent == OB_DIM_UNKNOWN) {
        *into = (ob_content){0};
        return OB_OK;
    }
    into->extent = extent;
    if (into->elems == other->elems) return OB_OK;
    ob_dim *elems = OB_ARENA_ARRAY(&p->facts->arena, ob_dim, into->n);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < into->n; i++) {
        ob_dim a = into->elems[i], b = other->elems[i];
        elems[i] = OB_DIM_UNKNOWN;
        if (a == b || may_be_sizes(p->model->dims, a, b)) OB_TRY(join_dim(p, a, b, &elems[i]));
    }
    *into = (ob_content){.n = into->n, .elems = elems, .extent = extent};
    return OB_OK;
}

static ob_status join_fact(ob_propagation *p, ob_fact *into, const ob_fact *other) {
    into->assumed |= other->assumed;
    OB_TRY(join_content(p, &into->content, &other->content));
    if (into->type.kind != other->type.kind) {
        into->type = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
        into->why_unknown = "it differs between calls of the function";
        return OB_OK;
    }
    if (into->type.dtype != other->type.dtype) into->type.dtype = OB_NONE;
    if (into->type.element != other->type.element) into->type.element = NULL;
    bool ranked = into->type.shape.rank >= 0;
    OB_TRY(join_shape(p, &into->type.shape, &other->type.shape));
    if (ranked && into->type.shape.rank < 0) into->why_unknown = "its rank differs between calls of the function";
    return OB_OK;
}

static ob_status join_value(ob_propagation *p, const ob_value *value) {
    if (!value) return OB_OK;
    ob_joins *joins = p->joins;
    const ob_fact *now = &p->facts->facts[value->id];
    if (joins->met[value->id]) return join_fact(p, &joins->facts[value->id], now);
    joins->met[value->id] = true;
    joins->facts[value->id] = *now;
    return OB_OK;
}

/* ---- The values of a body ---- */

typedef struct value_list {
    const ob_value **items;
    uint32_t n, capacity;
} value_list;

static ob_status list_value(ob_propagation *p, value_list *list, const ob_value *value) {
    if (!value) return OB_OK;
    if (list->n == list->capacity) {
        const ob_value **grown = ob__list_grown(&p->scratch.allocator, list->items, &list->capacity, sizeof *grown);
        if (!grown) return OB_E_MEMORY;
        list->items = grown;
    }
    list->items[list->n++] = value;
    return OB_OK;
}

static ob_status list_values(ob_propagation *p, const ob_graph *graph, value_list *list) {
    for (uint32_t i = 0; i < graph->n_inputs; i++) OB_TRY(list_value(p, list, graph->inputs[i]));
    for (uint32_t i = 0; i < graph->n_initializers; i++) OB_TRY(list_value(p, list, graph->initializers[i]));
    for (const ob_node *node = graph->first; node; node = node->next) {
        for (uint32_t i = 0; i < node->n_outputs; i++) OB_TRY(list_value(p, list, node->outputs[i]));
        for (uint32_t i = 0; i < node->n_attributes; i++) {
            const ob_attribute *attribute = node->attributes[i];
            bool entered = !attribute->ref && attribute->type == OB_ATTR_GRAPH && attribute->u.graph;
            /* Only bodies that were entered have facts, and those do not nest deep. */
            if (entered && attribute->u.graph->first && p->done[attribute->u.graph->first->id])
                OB_TRY(list_values(p, attribute->u.graph, list));
        }
    }
    return OB_OK;
}

static ob_status start_joins(ob_propagation *p) {
    ob_joins *joins = OB_ARENA_NEW(&p->scratch, ob_joins);
    if (!joins) return OB_E_MEMORY;
    joins->facts = OB_ARENA_ARRAY(&p->scratch, ob_fact, p->model->n_values);
    joins->met = OB_ARENA_ARRAY(&p->scratch, bool, p->model->n_values);
    if (!joins->facts || !joins->met) return OB_E_MEMORY;
    ob__map_init(&joins->pairs, &p->scratch);
    p->joins = joins;
    return OB_OK;
}

/* ---- One call ---- */

/* Infers the body for the operands of the call. */
static ob_status infer_body(ob_visit *visit) {
    ob_propagation *p = visit->p;
    const ob_node *node = visit->infer.node;
    ob_graph *body = node->function->body;
    p->assumed = visit->assumed;
    for (uint32_t i = 0; i < body->n_inputs; i++) {
        bool given = ob__in_given(&visit->infer, i);
        ob_content content = given ? ob__call_content(&visit->infer, i) : (ob_content){0};
        content.items = NULL; /* calls whose sequences differ in nothing else are one */
        OB_TRY(ob__set_fact(p, visit->node, body->inputs[i], given ? visit->infer.in_types[i] : unknown_type, content));
        p->facts->facts[body->inputs[i]->id].root = given ? ob__fact(p->facts, node->inputs[i])->root : NULL;
    }
    p->assumed = false;
    ob_call call = {node, node->function, p->call};
    p->call = &call;
    ob_status status = ob__enter(p, visit->node, body);
    p->call = call.outer;
    return status;
}

/* Merges the facts of the body into those of all calls, and keeps them. */
static ob_status keep_body(ob_visit *visit, ob_kept_call *place) {
    ob_propagation *p = visit->p;
    value_list list = {0};
    if (!p->joins) OB_TRY(start_joins(p));
    ob_status status = list_values(p, visit->node->function->body, &list);
    for (uint32_t i = 0; i < list.n && status == OB_OK; i++) status = join_value(p, list.items[i]);
    if (status == OB_OK) status = ob__call_end(visit, place, list.items, list.n);
    ob__list_free(&p->scratch.allocator, list.items, list.capacity, sizeof *list.items);
    return status;
}

static ob_status infer_new_call(ob_visit *visit, ob_kept_call *place) {
    ob_propagation *p = visit->p;
    const ob_node *node = visit->infer.node;
    ob_called *outer = p->called;
    OB_TRY(ob__call_begin(visit, place));
    ob_status status = infer_body(visit);
    p->called = outer;
    OB_TRY(status);
    OB_TRY(keep_body(visit, place));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const ob_fact *fact = ob__fact(p->facts, node->function->body->outputs[i]);
        visit->assumed |= fact->assumed;
        visit->infer.out_types[i] = fact->type;
        visit->infer.out_contents[i] = fact->content;
        visit->infer.out_contents[i].items = NULL; /* their types are those of this call */
    }
    return OB_OK;
}

ob_status ob__infer_call(ob_visit *visit) {
    ob_propagation *p = visit->p;
    const ob_node *node = visit->infer.node;
    const ob_graph *body = node->function->body;
    for (const ob_call *call = p->call; call; call = call->outer)
        if (call->function == node->function) {
            ob__report(p, NULL, visit->node, OB0703, -1, -1, "the function calls itself, directly or through others");
            return OB_OK;
        }
    if (node->n_inputs > body->n_inputs || node->n_outputs > body->n_outputs) {
        ob__report(p, NULL, visit->node, OB0603, -1, -1, "the call has more inputs or outputs than the function");
        return OB_OK;
    }
    ob_kept_call *place;
    bool done;
    OB_TRY(ob__call_place(visit, &place));
    OB_TRY(ob__call_again(visit, place, &done));
    if (done) return OB_OK;
    OB_TRY(ob__may_enter(visit, body, &done));
    return done ? infer_new_call(visit, place) : OB_OK;
}

ob_status ob__settle_calls(ob_propagation *p) {
    for (uint32_t id = 0; p->joins && id < p->model->n_values; id++)
        if (p->joins->met[id]) p->facts->facts[id] = p->joins->facts[id];
    return ob__count_calls(p);
}
