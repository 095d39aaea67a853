#include "passes/check/bypass.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/broadcast/params.h"
#include "ops/table/op.h"
#include "passes/check/explicit.h"

enum { MANY_OPERANDS = 64, MANY_CONDITIONS = 64 };

static const ob_shape unknown_shape = {OB_RANK_UNKNOWN, NULL};

/* Shapes in the body of a function are not used: sizes that differ between calls have no name there that a condition could use.
 * So the pass may remove too little, never too much. */
static ob_shape shape_of(const ob_work *work, const ob_value *value) {
    if (!value || value->graph->function) return unknown_shape;
    const ob_fact *fact = ob__fact(work->facts, value);
    return fact->type.kind == OB_TYPE_TENSOR ? fact->type.shape : unknown_shape;
}

static bool repeats_stretch_only(const ob_work *work, const ob_node *node) {
    if (node->n_inputs != 2 || !node->inputs[0] || !node->inputs[1]) return false;
    ob_shape own = shape_of(work, node->inputs[0]);
    const ob_content *repeats = &ob__fact(work->facts, node->inputs[1])->content;
    if (own.rank == OB_RANK_UNKNOWN || !repeats->elems || repeats->n != (uint32_t)own.rank || node->graph->function) return false;
    for (int32_t i = 0; i < own.rank; i++)
        if (repeats->elems[i] != 1 && own.dims[i] != 1) return false;
    return true;
}

static bool maps_to_suffix(const ob_work *work, const ob_node *node) {
    if (node->function) return true;
    const ob_ints list = ob__in_dim_params(node).dimensions;
    const int64_t *mapping = list.at;
    const uint32_t n = list.n;
    ob_shape result = shape_of(work, node->outputs[0]);
    if (!mapping || result.rank == OB_RANK_UNKNOWN) return false;
    for (uint32_t i = 0; i < n; i++)
        if (mapping[i] != (int64_t)result.rank - n + i) return false;
    return true;
}

ob_value *ob__stretched_from(const ob_work *work, const ob_value *value) {
    const ob_node *node = value->producer;
    if (!node || node->n_inputs == 0 || !node->inputs[0]) return NULL;
    if (ob__is_explicit_broadcast(node)) return node->inputs[value->producer_index];
    if (ob__is_explicit_in_dim(node)) return maps_to_suffix(work, node) ? node->inputs[0] : NULL;
    if (node->domain[0] != '\0' || !node->op) return NULL;
    if (node->op->broadcast == OB_BCAST_EXPAND) return node->inputs[0];
    if (node->op->broadcast == OB_BCAST_REPEAT && repeats_stretch_only(work, node)) return node->inputs[0];
    return NULL;
}

/* ---- One operator ---- */

typedef struct decision {
    ob_work *work;
    ob_node *node;
    ob_group *group;
    ob_shape *shapes;    /* of the group's operands as decided so far */
    ob_arena *arena;     /* freed with the decision */
    struct asked *asked; /* two, for the conditions before and now */
} decision;

/* Conditions for shapes to broadcast, collected for comparison. */
typedef struct asked {
    const ob_dims *dims;
    ob_condition items[MANY_CONDITIONS];
    uint32_t n;
    bool too_many;
} asked;

static void ask_nothing(asked *a, const ob_work *work) {
    a->dims = work->model->dims;
    a->n = 0;
    a->too_many = false;
}

static void ask(asked *a, ob_condition c) {
    if (c.kind == OB_COND_BROADCAST && c.a > c.b) c = (ob_condition){c.kind, c.b, c.a};
    if (ob_condition_decide(a->dims, &c) == OB_TRUE) return;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->items[i].kind == c.kind && a->items[i].a == c.a && a->items[i].b == c.b) return;
    a->too_many |= a->n == MANY_CONDITIONS;
    if (!a->too_many) a->items[a->n++] = c;
}

static ob_status take(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    (void)operand;
    (void)axis;
    ask(context, *condition);
    return OB_OK;
}

static bool same_asked(const asked *a, const asked *b) {
    if (a->n != b->n || a->too_many || b->too_many) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t k = 0;
        while (k < b->n &&
               (a->items[i].kind != b->items[k].kind || a->items[i].a != b->items[k].a || a->items[i].b != b->items[k].b))
            k++;
        if (k == b->n) return false;
    }
    return true;
}

/* The operator's result for these operand shapes, with its conditions. */
static bool multi_result(const decision *d, const ob_shape *shapes, asked *conditions, ob_broadcast_result *result) {
    return ob_broadcast_shapes(shapes, d->group->n, d->work->model->dims, take, conditions, result, NULL) == OB_OK;
}

static bool multi_result_stays(const decision *d, asked *conditions) {
    ob_broadcast_result result;
    if (!multi_result(d, d->shapes, conditions, &result)) return false;
    ob_shape made = {result.rank, result.dims};
    return ob__same_shape(&made, &d->group->result);
}

static bool batch_result(const decision *d, const ob_shape *shapes, asked *conditions, ob_broadcast_result *result) {
    ob_shape batch[2];
    for (uint32_t i = 0; i < 2; i++) {
        if (shapes[i].rank < 2) return false;
        batch[i] = (ob_shape){shapes[i].rank - 2, shapes[i].dims};
    }
    return ob_broadcast_shapes(batch, 2, d->work->model->dims, take, conditions, result, NULL) == OB_OK;
}

static bool batch_result_stays(const decision *d, asked *conditions) {
    ob_broadcast_result result;
    for (uint32_t i = 0; i < 2; i++) {
        const ob_shape *own = &d->shapes[i], *before = &d->group->shapes[i];
        if (own->rank < 2 || before->rank < 2) return false;
        for (int32_t k = 1; k <= 2; k++) {
            ob_dim dim = own->dims[own->rank - k];
            if (dim == OB_DIM_UNKNOWN || dim != before->dims[before->rank - k]) return false;
        }
    }
    if (!batch_result(d, d->shapes, conditions, &result)) return false;
    ob_shape made = {result.rank, result.dims}, before = {d->group->result.rank - 2, d->group->result.dims};
    return ob__same_shape(&made, &before);
}

static bool one_way_fits(const decision *d, uint32_t i, const ob_shape *own, asked *conditions) {
    if (own->rank == OB_RANK_UNKNOWN || d->group->result.rank == OB_RANK_UNKNOWN) return false;
    return ob_broadcast_to(own, &d->group->result, d->work->model->dims, take, conditions, NULL) == OB_OK &&
           (int32_t)i != d->group->target;
}

/* "at least 0" is not necessary for a size that exists without the stretching: of an operand, or of the operands' broadcast.
 */
static bool is_size_of(const ob_shape *shape, const ob_condition *c) {
    bool found = false;
    for (int32_t axis = 0; axis < shape->rank && !found; axis++) found = shape->dims[axis] == c->a;
    return found && c->kind == OB_COND_AT_LEAST && c->b == 0;
}

/* The requirements of the stretching itself; false: one of them does not depend on sizes. */
static bool ask_maker(const ob_work *work, const ob_node *maker, const ob_shape *there, asked *conditions) {
    const ob_required *required = &work->required;
    if (maker->id >= required->n_nodes || required->unverified[maker->id]) return false;
    for (uint32_t i = required->first[maker->id]; i; i = required->next[i]) {
        if (work->facts->conditions[i - 1].guard && !maker->graph->parent) return false;
        const ob_condition *condition = &work->facts->conditions[i - 1].condition;
        if (!is_size_of(there, condition)) ask(conditions, *condition);
    }
    return !conditions->too_many;
}

static bool may_read(const decision *d, uint32_t i, const ob_value *from, const ob_node *maker) {
    ob_shape before = d->shapes[i], own = shape_of(d->work, from);
    asked *was = &d->asked[0], *is = &d->asked[1];
    ob_broadcast_result result;
    ask_nothing(was, d->work);
    ask_nothing(is, d->work);
    bool fits = ask_maker(d->work, maker, &d->group->result, was);
    if (!fits) return false;
    switch (d->group->kind) {
    case OB_BCAST_MULTI:
        fits = multi_result(d, d->shapes, was, &result);
        d->shapes[i] = own;
        fits = fits && multi_result_stays(d, is);
        break;
    case OB_BCAST_BATCH:
        fits = d->group->n == 2 && batch_result(d, d->shapes, was, &result);
        d->shapes[i] = own;
        fits = fits && batch_result_stays(d, is);
        break;
    case OB_BCAST_UNI:
        fits = one_way_fits(d, i, &before, was) && one_way_fits(d, i, &own, is);
        d->shapes[i] = own;
        break;
    default: fits = false; break;
    }
    fits = fits && same_asked(was, is);
    if (!fits) d->shapes[i] = before;
    return fits;
}

/* The node reads every output of one Broadcast, so the operands broadcast here exactly as there, for all sizes. */
static void bypass_whole_broadcast(const ob_node *node, const ob_group *group, ob_bypass *out, ob_arena *arena) {
    const ob_node *maker = NULL;
    for (uint32_t i = 0; i < group->n && !maker; i++) {
        const ob_node *producer = node->inputs[group->inputs[i]]->producer;
        if (producer && ob__is_explicit_broadcast(producer)) maker = producer;
    }
    if (!maker) return;
    bool *seen = OB_ARENA_ARRAY(arena, bool, maker->n_outputs);
    uint32_t n_seen = 0;
    if (!seen) return;
    for (uint32_t i = 0; i < group->n; i++) {
        const ob_value *value = node->inputs[group->inputs[i]];
        if (value->producer == maker && !seen[value->producer_index]) seen[value->producer_index] = true, n_seen++;
    }
    if (n_seen != maker->n_outputs) return;
    for (uint32_t i = 0; i < group->n; i++) {
        const ob_value *value = node->inputs[group->inputs[i]];
        if (value->producer == maker && maker->inputs[value->producer_index]) {
            out->inputs[group->inputs[i]] = maker->inputs[value->producer_index];
            out->any = true;
        }
    }
}

/* One step back with every operand, or none: each alone would be a comparison of all operands for each of them. */
static ob_status bypass_all_at_once(decision *d, ob_bypass *out) {
    const ob_group *group = d->group;
    ob_value **from = OB_ARENA_ARRAY(d->arena, ob_value *, group->n);
    if (!from) return OB_E_MEMORY;
    bool any = false;
    for (uint32_t i = 0; i < group->n; i++) {
        if (group->inputs[i] == OB_NOT_AN_INPUT) continue;
        from[i] = ob__stretched_from(d->work, out->inputs[group->inputs[i]]);
        if (from[i]) d->shapes[i] = shape_of(d->work, from[i]), any = true;
    }
    ask_nothing(&d->asked[0], d->work); /* compared when the whole is */
    if (!any || group->kind != OB_BCAST_MULTI || !multi_result_stays(d, &d->asked[0])) return OB_OK;
    for (uint32_t i = 0; i < group->n; i++)
        if (from[i]) out->inputs[group->inputs[i]] = from[i];
    out->any = true;
    return OB_OK;
}

static ob_status bypass_group(ob_work *work, ob_node *node, ob_group *group, uint32_t steps, ob_arena *arena, asked *pair,
                              ob_bypass *out) {
    if (group->kind == OB_BCAST_MULTI) bypass_whole_broadcast(node, group, out, arena);
    decision d = {work, node, group, OB_ARENA_ARRAY(arena, ob_shape, group->n), arena, pair};
    if (!d.shapes) return OB_E_MEMORY;
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t input = group->inputs[i];
        d.shapes[i] = input == OB_NOT_AN_INPUT ? group->shapes[i] : shape_of(work, out->inputs[input]);
    }
    if (node->graph->function) return OB_OK;
    if (group->n > MANY_OPERANDS) return bypass_all_at_once(&d, out);
    /* Repeated while something changes: the operator may require the condition of one copy only after another copy is removed.
     * */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < group->n; i++) {
            uint32_t input = group->inputs[i];
            if (input == OB_NOT_AN_INPUT) continue;
            for (uint32_t step = 0; step < steps; step++) {
                ob_value *from = ob__stretched_from(work, out->inputs[input]);
                if (!from || !may_read(&d, i, from, out->inputs[input]->producer)) break;
                out->inputs[input] = from;
                out->any = changed = true;
            }
        }
    }
    return OB_OK;
}

/* Operators that broadcast by attribute, with an operand from a BroadcastInDim: the mapping is moved back into the attributes.
 * */
static void bypass_legacy(ob_work *work, const ob_node *node, ob_bypass *out) {
    const ob_stretch *stretch = &node->op->stretch;
    uint32_t input = stretch->first;
    if (input >= node->n_inputs || !node->inputs[input] || ob__stretch_asked(node, node->op)) return;
    const ob_node *maker = node->inputs[input]->producer;
    if (!maker || maker->function || !ob__is_explicit_in_dim(maker) || !maker->inputs[0]) return;
    const ob_ints list = ob__in_dim_params(maker).dimensions;
    const int64_t *mapping = list.at;
    const uint32_t n = list.n;
    ob_shape result = shape_of(work, node->inputs[input]);
    if (!mapping || result.rank == OB_RANK_UNKNOWN || (int64_t)n > result.rank) return;
    for (uint32_t i = 1; i < n; i++)
        if (mapping[i] != mapping[0] + i) return;
    bool suffix = n == 0 || mapping[0] + n == result.rank;
    if (!suffix && !stretch->placed) return;
    out->inputs[input] = maker->inputs[0];
    out->any = out->legacy = true;
    out->legacy_axis = !suffix;
    out->axis = suffix ? 0 : mapping[0];
}

/* Any operator: a stretching that provably changes nothing. */
static void bypass_identity(ob_work *work, const ob_node *node, uint32_t steps, asked *nothing, ob_bypass *out) {
    if (node->graph->function) return;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        for (uint32_t step = 0; step < steps && out->inputs[i] && out->inputs[i]->producer; step++) {
            ob_value *from = ob__stretched_from(work, out->inputs[i]);
            if (!from) break;
            ob_shape own = shape_of(work, from), made = shape_of(work, out->inputs[i]);
            ask_nothing(nothing, work);
            if (!ob__same_shape(&own, &made) || !ask_maker(work, out->inputs[i]->producer, &own, nothing) || nothing->n) break;
            out->inputs[i] = from;
            out->any = true;
        }
}

static ob_status decide(ob_work *work, ob_node *node, uint32_t steps, ob_arena *arena, ob_bypass *out) {
    asked *pair = OB_ARENA_ARRAY(arena, asked, 2);
    ob_group *group = OB_ARENA_NEW(arena, ob_group);
    bool found;
    if (!pair || !group) return OB_E_MEMORY;
    bypass_identity(work, node, steps, &pair[0], out);
    if (!node->op || (node->domain[0] != '\0' && node->op->broadcast != OB_BCAST_MULTI)) return OB_OK;
    if (ob__is_explicit_broadcast(node)) return OB_OK;
    if (node->op->stretch.asked) {
        bypass_legacy(work, node, out);
        return OB_OK;
    }
    if (node->op->stretch.onto == OB_ONTO_CHANNELS) return OB_OK; /* a shorter operand would mean something else */
    OB_TRY(ob__group_of(work->facts, work->model->dims, node, arena, group, &found));
    if (!found || group->kind == OB_BCAST_EXPAND) return OB_OK;
    return bypass_group(work, node, group, steps, arena, pair, out);
}

ob_status ob__find_bypass(ob_work *work, ob_node *node, uint32_t steps, ob_arena *arena, ob_bypass *out) {
    *out = (ob_bypass){.node = node};
    bool candidate = false;
    for (uint32_t i = 0; i < node->n_inputs && !candidate; i++) {
        const ob_node *producer = node->inputs[i] ? node->inputs[i]->producer : NULL;
        if (!producer || (producer->domain[0] == '\0' && (!producer->op || (producer->op->broadcast != OB_BCAST_EXPAND &&
                                                                            producer->op->broadcast != OB_BCAST_REPEAT))))
            continue; /* nearly every operand of nearly every model */
        candidate = ob__is_explicit_in_dim(producer) || ob__stretched_from(work, node->inputs[i]);
    }
    if (!candidate) return OB_OK;
    out->inputs = OB_ARENA_ARRAY(arena, ob_value *, node->n_inputs);
    if (!out->inputs) return OB_E_MEMORY;
    memcpy(out->inputs, node->inputs, node->n_inputs * sizeof *out->inputs);
    ob_arena own;
    ob__arena_init(&own, &work->model->arena.allocator);
    return ob__arena_finish(&own, decide(work, node, steps, &own, out));
}
