/* If, Loop and Scan with known shapes: their bodies become subplans. Steps of all subplans share one numbering. So the
 * values of a body are placed beside the live values around it, and branches share their memory. */
#include "core/base/error.h"
#include "ops/table/op.h"
#include "runtime/plan/builder.h"

/* ---- Blocks ---- */

static ob_status layout_of(const ob_builder *b, const ob_value *value, ob_view *out) {
    const ob_type *type = &ob__fact(b->facts, value)->type;
    return ob__view_layout(out, type->dtype, type->shape.rank, type->shape.dims);
}

static ob_status new_control(ob_builder *b, const ob_node *node, ob_step **step) {
    *step = ob__new_step(b, OB_STEP_CONTROL, node, 0, 0);
    if (!*step) return OB_E_MEMORY;
    (*step)->kernel = node->op->kernel;
    (*step)->control = OB_ARENA_NEW(&b->plan->arena, ob_control);
    return (*step)->control ? OB_OK : OB_E_MEMORY;
}

/* Alive from the control's step on; its end is set when the subplans are planned. */
static ob_status new_area(ob_builder *b, const ob_view *layout, uint64_t n, ob_buffer **out) {
    uint64_t n_bytes;
    OB_TRY(ob__bytes_of(b, NULL, layout, &n_bytes));
    if (__builtin_mul_overflow(n_bytes, n, &n_bytes)) return OB_E_LIMIT;
    return ob__new_buffer(b, OB_BUFFER_ARENA, 0, n_bytes, out);
}

static ob_status new_moving(ob_builder *b, ob_buffer **out) {
    return ob__new_buffer(b, OB_BUFFER_MOVING, 0, 0, out);
}

/* True if the producer of the value can write it to another place: no other value uses its place, and it belongs to this
 * subplan. */
static bool can_move(const ob_builder *b, const ob_slot *slot, const ob_view *layout, uint64_t n_bytes) {
    const ob_buffer *buffer = slot->buffer;
    ob_view view;
    ob__slot_view(slot, &view);
    return buffer->kind == OB_BUFFER_ARENA && !buffer->same_as && buffer->depth == b->depth && buffer->n_bytes == n_bytes &&
           slot->offset == 0 && ob_view_is_contiguous(&view) && ob_view_is_contiguous(layout);
}

/* The subplan's result `value` is to be in `target`, with that layout. */
static ob_status deliver(ob_builder *b, const ob_node *node, const ob_value *value, ob_buffer *target, const ob_view *layout) {
    ob_slot *slot;
    uint64_t n_bytes;
    OB_TRY(ob__find_slot(b, node, value, &slot));
    OB_TRY(ob__bytes_of(b, node, layout, &n_bytes));
    if (n_bytes == 0) return OB_OK;
    ob_slot *copied;
    if (!can_move(b, slot, layout, n_bytes)) return ob__add_copy(b, node, slot, target, layout, &copied);
    slot->buffer->same_as = target;
    if (target->first > slot->buffer->first) target->first = slot->buffer->first;
    return ob__keep_until(b, target, slot->buffer->last);
}

/* Outside buffers that the subplans of a loop use stay alive for all iterations; `before`: captured at its start. */
static ob_status end_control(ob_builder *b, ob_step *step, const ob_captured *before) {
    uint32_t last = b->n_steps - 1;
    step->control->after = b->plan->steps_end;
    for (const ob_captured *c = b->captured; step->control->is_loop && c != before; c = c->next)
        if (c->buffer->last < last) c->buffer->last = last;
    if (b->depth == 0) b->captured = NULL;
    return OB_OK;
}

static ob_status keep_slot(ob_builder *b, const ob_slot *slot) {
    return ob__keep_until(b, slot ? slot->buffer : NULL, b->n_steps - 1);
}

/* ---- If ---- */

/* The condition is known: the branch's nodes replace the If. */
static ob_status plan_taken(ob_builder *b, const ob_node *node, const ob_graph *branch) {
    OB_TRY(ob__plan_graph(b, branch));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        ob_slot *slot;
        OB_TRY(ob__find_slot(b, node, branch->outputs[i], &slot));
        ob_view view;
        ob__slot_view(slot, &view);
        OB_TRY(ob__new_slot(b, node->outputs[i], slot->buffer, slot->offset, &view));
        slot->buffer->uses_left--; /* the branch's own mention of its result */
    }
    return OB_OK;
}

static ob_status plan_branch(ob_builder *b, ob_step *step, int which, const ob_graph *branch, ob_buffer *const *results) {
    ob_subplan *subplan = &step->control->subplans[which];
    subplan->begin = b->plan->steps_end;
    b->depth++;
    OB_TRY(ob__plan_graph(b, branch));
    for (uint32_t i = 0; i < step->node->n_outputs; i++) {
        ob_view layout;
        OB_TRY(layout_of(b, step->node->outputs[i], &layout));
        OB_TRY(deliver(b, step->node, branch->outputs[i], results[i], &layout));
    }
    b->depth--;
    subplan->end = b->n_steps;
    return OB_OK;
}

static ob_status plan_if(ob_builder *b, const ob_node *node) {
    ob_if_params params;
    ob_control_problem problem;
    if (!ob__if_params(node, &params, &problem)) return OB_E_INTERNAL;
    int truth = ob__known_truth(b, node->inputs[0]);
    if (truth >= 0) return plan_taken(b, node, params.branches[truth ? 0 : 1]);
    const ob_captured *before = b->captured;
    ob_buffer **results = OB_ARENA_ARRAY(&b->scratch, ob_buffer *, node->n_outputs);
    ob_slot *condition;
    ob_step *step;
    if (!results) return OB_E_MEMORY;
    OB_TRY(new_control(b, node, &step));
    OB_TRY(ob__find_slot(b, node, node->inputs[0], &condition));
    step->control->condition = condition;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        ob_view layout;
        OB_TRY(layout_of(b, node->outputs[i], &layout));
        OB_TRY(new_area(b, &layout, 1, &results[i]));
    }
    OB_TRY(ob__append_step(b, step));
    OB_TRY(keep_slot(b, condition));
    for (int k = 0; k < 2; k++) OB_TRY(plan_branch(b, step, k, params.branches[k], results));
    condition->buffer->uses_left--;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        ob_view layout;
        OB_TRY(layout_of(b, node->outputs[i], &layout));
        OB_TRY(ob__keep_until(b, results[i], b->n_steps - 1));
        OB_TRY(ob__new_slot(b, node->outputs[i], results[i], 0, &layout));
    }
    return end_control(b, step, before);
}

/* ---- Loop and Scan ---- */

typedef struct looping {
    const ob_node *node;
    ob_loop_params params;
    ob_step *step;
    ob_control *control;
} looping;

/* The slot of an operand, contiguous: copied before the loop where it is not. */
static ob_status contiguous_slot(ob_builder *b, const looping *l, const ob_value *value, const ob_slot **out) {
    ob_slot *slot;
    ob_view layout;
    OB_TRY(ob__find_slot(b, l->node, value, &slot));
    *out = slot;
    ob_view view;
    ob__slot_view(slot, &view);
    if (ob_view_is_contiguous(&view)) return OB_OK;
    ob_buffer *copy;
    OB_TRY(ob__view_layout(&layout, view.dtype, view.rank, view.dims));
    OB_TRY(new_area(b, &layout, 1, &copy));
    OB_TRY(ob__add_copy(b, l->node, slot, copy, &layout, &slot));
    *out = slot;
    return OB_OK;
}

/* The slot of one element, which may have any number of axes of size 1. */
static ob_status single_slot(ob_builder *b, const looping *l, const ob_value *value, const ob_slot **out) {
    ob_slot *slot;
    OB_TRY(ob__find_slot(b, l->node, value, &slot));
    *out = slot;
    return OB_OK;
}

/* Takes the first n axes off. */
static ob_view behind(const ob_view *view, int32_t n) {
    ob_view out = *view;
    out.rank -= n;
    for (int32_t axis = 0; axis < out.rank; axis++) {
        out.dims[axis] = view->dims[axis + n];
        out.strides[axis] = view->strides[axis + n];
    }
    return out;
}

/* Removes an axis: the part of a tensor that an iteration reads. */
static ob_status slice_of(const ob_view *whole, int64_t axis, bool is_backward, bool has_batch, ob_view *view, ob_sliced *out) {
    int32_t rank = whole->rank - has_batch, at = (int32_t)(axis < 0 ? axis + rank : axis);
    if (at < 0 || at >= rank) return OB_E_INTERNAL;
    at += has_batch;
    *view = behind(whole, has_batch);
    for (int32_t k = at - has_batch; k + 1 < view->rank; k++) {
        view->dims[k] = view->dims[k + 1];
        view->strides[k] = view->strides[k + 1];
    }
    view->rank--;
    out->step = is_backward ? -whole->strides[at] : whole->strides[at];
    out->start = is_backward && whole->dims[at] > 0 ? (whole->dims[at] - 1) * whole->strides[at] : 0;
    out->batch_step = has_batch ? whole->strides[0] : 0;
    return OB_OK;
}

static ob_status find_initial(ob_builder *b, const looping *l, uint32_t i, ob_carried *carried) {
    OB_TRY(contiguous_slot(b, l, l->node->inputs[l->params.first + i], &carried->initial));
    const ob_layout *layout = carried->initial->layout;
    carried->initial_step = l->params.has_batch ? layout->sizes[layout->rank] : 0; /* stride of axis 0 */
    return OB_OK;
}

/* A state that the body hands on as it is. */
static bool is_kept(const looping *l, uint32_t i) {
    const ob_graph *body = l->params.body;
    return !l->params.has_batch && body->outputs[l->params.own_outputs + i] == body->inputs[l->params.own_inputs + i];
}

static ob_status find_operands(ob_builder *b, looping *l) {
    ob_control *control = l->control;
    const ob_node *node = l->node;
    ob_slot *slot;
    for (uint32_t i = 0; i < l->params.n_state; i++) OB_TRY(find_initial(b, l, i, &control->carried[i]));
    if (!l->params.is_scan) {
        OB_TRY(single_slot(b, l, node->inputs[0], &control->trips));
        return single_slot(b, l, node->inputs[1], &control->condition);
    }
    for (uint32_t i = 0; i < l->params.n_scanned; i++) {
        OB_TRY(ob__find_slot(b, node, node->inputs[l->params.first + l->params.n_state + i], &slot));
        control->scanned[i].operand = slot;
    }
    return l->params.has_batch && node->inputs[0] ? contiguous_slot(b, l, node->inputs[0], &control->lengths) : OB_OK;
}

static ob_status new_results(ob_builder *b, looping *l) {
    ob_control *control = l->control;
    for (uint32_t i = 0; i < l->params.n_state; i++) {
        ob_carried *carried = &control->carried[i];
        ob_view layout;
        if (is_kept(l, i)) continue;
        OB_TRY(layout_of(b, l->params.body->inputs[l->params.own_inputs + i], &layout));
        OB_TRY(ob__bytes_of(b, l->node, &layout, &carried->n_bytes));
        OB_TRY(new_area(b, &layout, (uint64_t)control->n_batches, &carried->areas[0]));
        OB_TRY(new_area(b, &layout, 1, &carried->areas[1]));
        carried->areas[0]->is_fixed = carried->areas[1]->is_fixed = true; /* they have no offset */
    }
    for (uint32_t i = 0; i < l->params.n_stacked; i++) {
        ob_view layout;
        OB_TRY(layout_of(b, l->node->outputs[l->params.n_state + i], &layout));
        OB_TRY(new_area(b, &layout, 1, &control->stacked[i].result));
        control->stacked[i].result->is_fixed = true; /* short sequences clear all of it */
    }
    return OB_OK;
}

/* The values that the body reads from outside. */
static ob_status place_body_inputs(ob_builder *b, looping *l) {
    static const uint8_t yes = 1;
    ob_control *control = l->control;
    const ob_graph *body = l->params.body;
    ob_view view;
    if (!l->params.is_scan) {
        OB_TRY(ob__view_layout(&view, OB_INT64, l->params.own_rank[0], ob__loop_own_dims));
        OB_TRY(ob__new_slot(b, body->inputs[0], control->counter, 0, &view));
        OB_TRY(ob__view_layout(&view, OB_BOOL, l->params.own_rank[1], ob__loop_own_dims));
        view.data = (void *)(uintptr_t)&yes; /* or the body would not run */
        OB_TRY(ob__new_const_slot(b, body->inputs[1], &view));
    }
    for (uint32_t i = 0; i < l->params.n_state; i++) {
        const ob_value *value = body->inputs[l->params.own_inputs + i];
        OB_TRY(layout_of(b, value, &view));
        OB_TRY(new_moving(b, &control->carried[i].in));
        OB_TRY(ob__new_slot(b, value, control->carried[i].in, 0, &view));
    }
    for (uint32_t i = 0; i < l->params.n_scanned; i++) {
        ob_sliced *scanned = &control->scanned[i];
        ob_view all;
        ob__slot_view(scanned->operand, &all);
        OB_TRY(slice_of(&all, ob__scan_axis(l->node, false, i), ob__scan_is_backward(l->node, false, i), l->params.has_batch,
                        &view, scanned));
        OB_TRY(new_moving(b, &scanned->slice));
        OB_TRY(ob__new_slot(b, body->inputs[l->params.own_inputs + l->params.n_state + i], scanned->slice, 0, &view));
    }
    return OB_OK;
}

static ob_status deliver_results(ob_builder *b, looping *l) {
    ob_control *control = l->control;
    const ob_graph *body = l->params.body;
    ob_view layout;
    for (uint32_t i = 0; i < l->params.n_state; i++) {
        if (is_kept(l, i)) continue;
        const ob_value *value = body->outputs[l->params.own_outputs + i];
        OB_TRY(layout_of(b, value, &layout));
        OB_TRY(new_moving(b, &control->carried[i].out));
        OB_TRY(deliver(b, l->node, value, control->carried[i].out, &layout));
    }
    for (uint32_t i = 0; i < l->params.n_stacked; i++) {
        ob_sliced *stacked = &control->stacked[i];
        ob_view whole;
        OB_TRY(layout_of(b, l->node->outputs[l->params.n_state + i], &whole));
        OB_TRY(slice_of(&whole, l->params.is_scan ? ob__scan_axis(l->node, true, i) : 0,
                        l->params.is_scan && ob__scan_is_backward(l->node, true, i), l->params.has_batch, &layout, stacked));
        OB_TRY(new_moving(b, &stacked->slice));
        OB_TRY(deliver(b, l->node, body->outputs[l->params.own_outputs + l->params.n_state + i], stacked->slice, &layout));
    }
    return l->params.is_scan ? OB_OK : single_slot(b, l, body->outputs[0], &control->again);
}

static ob_status plan_body(ob_builder *b, looping *l) {
    ob_subplan *subplan = &l->control->subplans[0];
    subplan->begin = b->plan->steps_end;
    b->depth++;
    OB_TRY(place_body_inputs(b, l));
    OB_TRY(ob__plan_graph(b, l->params.body));
    OB_TRY(deliver_results(b, l));
    b->depth--;
    subplan->end = b->n_steps;
    return OB_OK;
}

/* All that the loop itself reads and writes is there until its end. */
static ob_status keep_to_its_end(ob_builder *b, const looping *l) {
    const ob_control *control = l->control;
    OB_TRY(keep_slot(b, control->condition));
    OB_TRY(keep_slot(b, control->trips));
    OB_TRY(keep_slot(b, control->lengths));
    OB_TRY(keep_slot(b, control->again));
    OB_TRY(ob__keep_until(b, control->counter, b->n_steps - 1));
    for (uint32_t i = 0; i < control->n_carried; i++) {
        OB_TRY(keep_slot(b, control->carried[i].initial));
        for (int k = 0; k < 2; k++) OB_TRY(ob__keep_until(b, control->carried[i].areas[k], b->n_steps - 1));
    }
    for (uint32_t i = 0; i < control->n_scanned; i++) OB_TRY(keep_slot(b, control->scanned[i].operand));
    for (uint32_t i = 0; i < control->n_stacked; i++) OB_TRY(ob__keep_until(b, control->stacked[i].result, b->n_steps - 1));
    return OB_OK;
}

/* Ends the counted reads of the operands. */
static ob_status end_reads(ob_builder *b, const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        ob_slot *slot;
        OB_TRY(ob__find_slot(b, node, node->inputs[i], &slot));
        if (slot) slot->buffer->uses_left--;
    }
    return OB_OK;
}

static ob_status place_loop_results(ob_builder *b, const looping *l) {
    ob_view layout;
    for (uint32_t i = 0; i < l->params.n_state; i++) {
        const ob_value *value = l->node->outputs[i];
        OB_TRY(layout_of(b, value, &layout));
        const ob_carried *carried = &l->control->carried[i];
        if (is_kept(l, i))
            OB_TRY(ob__new_slot(b, value, carried->initial->buffer, carried->initial->offset, &layout));
        else
            OB_TRY(ob__new_slot(b, value, carried->areas[0], 0, &layout));
    }
    for (uint32_t i = 0; i < l->params.n_stacked; i++) {
        const ob_value *value = l->node->outputs[l->params.n_state + i];
        OB_TRY(layout_of(b, value, &layout));
        OB_TRY(ob__new_slot(b, value, l->control->stacked[i].result, 0, &layout));
    }
    return end_reads(b, l->node);
}

/* Without an iteration there is no step: the states are the initial ones. */
static ob_status plan_beginnings(ob_builder *b, const ob_node *node, const ob_loop_params *params) {
    ob_view layout;
    for (uint32_t i = 0; i < params->n_state; i++) {
        ob_slot *slot;
        OB_TRY(ob__find_slot(b, node, node->inputs[params->first + i], &slot));
        ob__slot_view(slot, &layout);
        OB_TRY(ob__new_slot(b, node->outputs[i], slot->buffer, slot->offset, &layout));
    }
    for (uint32_t i = params->n_state; i < node->n_outputs; i++) {
        ob_buffer *nothing;
        OB_TRY(layout_of(b, node->outputs[i], &layout));
        OB_TRY(new_area(b, &layout, 1, &nothing));
        OB_TRY(ob__new_slot(b, node->outputs[i], nothing, 0, &layout));
    }
    return end_reads(b, node);
}

static ob_status plan_loop(ob_builder *b, const ob_node *node) {
    looping l = {.node = node};
    ob_arena *arena = &b->plan->arena;
    const ob_captured *before = b->captured;
    ob_control_problem problem;
    if (!ob__loop_params(node, &l.params, &problem)) return OB_E_INTERNAL;
    if (ob__never_iterates(b, node, &l.params)) return plan_beginnings(b, node, &l.params);
    OB_TRY(new_control(b, node, &l.step));
    ob_control *control = l.control = l.step->control;
    control->is_loop = true;
    control->n_carried = l.params.n_state;
    control->n_scanned = l.params.n_scanned;
    control->n_stacked = l.params.n_stacked;
    control->carried = OB_ARENA_ARRAY(arena, ob_carried, control->n_carried);
    control->scanned = OB_ARENA_ARRAY(arena, ob_sliced, control->n_scanned);
    control->stacked = OB_ARENA_ARRAY(arena, ob_sliced, control->n_stacked);
    if (!control->carried || !control->scanned || !control->stacked) return OB_E_MEMORY;
    OB_TRY(find_operands(b, &l));
    if (!ob__count_trips(b, node, &l.params, &control->n_trips, &control->n_batches)) return OB_E_INTERNAL;
    OB_TRY(new_results(b, &l));
    if (!l.params.is_scan) OB_TRY(ob__new_buffer(b, OB_BUFFER_ARENA, 0, sizeof(int64_t), &control->counter));
    OB_TRY(ob__append_step(b, l.step));
    OB_TRY(plan_body(b, &l));
    OB_TRY(keep_to_its_end(b, &l));
    OB_TRY(place_loop_results(b, &l));
    return end_control(b, l.step, before);
}

ob_status ob__plan_control(ob_builder *b, const ob_node *node, bool *done) {
    *done = ob__node_is_static(b, node);
    if (!*done) return OB_OK;
    return ob__is_if(node) ? plan_if(b, node) : plan_loop(b, node);
}

/* ---- Places ---- */

static uint32_t number_of(ob_buffer *buffer) {
    return buffer ? ob__buffer_root(buffer)->number : OB_AHEAD_NONE;
}

static ob_ahead_at place_of(const ob_slot *slot) {
    return slot ? (ob_ahead_at){slot->offset, slot->buffer->number} : (ob_ahead_at){0, OB_AHEAD_NONE};
}

static ob_ahead_sliced *settle_sliced(ob_arena *arena, const ob_sliced *sliced, uint32_t n) {
    ob_ahead_sliced *out = OB_ARENA_ARRAY(arena, ob_ahead_sliced, n);
    for (uint32_t i = 0; out && i < n; i++) {
        const ob_sliced *s = &sliced[i];
        const ob_ahead_at whole = s->operand ? place_of(s->operand) : (ob_ahead_at){0, number_of(s->result)};
        const int64_t n_bytes = s->operand ? 0 : (int64_t)s->result->n_bytes;
        out[i] = (ob_ahead_sliced){whole, s->start, s->step, s->batch_step, n_bytes, number_of(s->slice)};
    }
    return out;
}

ob_status ob__settle_control(ob_arena *arena, ob_control *control) {
    ob_ahead_carried *carried = OB_ARENA_ARRAY(arena, ob_ahead_carried, control->n_carried);
    const ob_ahead_sliced *scanned = settle_sliced(arena, control->scanned, control->n_scanned);
    const ob_ahead_sliced *stacked = settle_sliced(arena, control->stacked, control->n_stacked);
    if (!carried || !scanned || !stacked) return OB_E_MEMORY;
    for (uint32_t i = 0; i < control->n_carried; i++) {
        ob_carried *c = &control->carried[i];
        for (int k = 0; k < 2; k++) c->areas[k] = ob__buffer_root(c->areas[k]);
        carried[i] =
            (ob_ahead_carried){place_of(c->initial), c->initial_step,   (int64_t)c->n_bytes,
                               number_of(c->in),     number_of(c->out), {number_of(c->areas[0]), number_of(c->areas[1])}};
    }
    control->table = (ob_ahead_control){.carried = carried,
                                        .scanned = scanned,
                                        .stacked = stacked,
                                        .n_carried = control->n_carried,
                                        .n_scanned = control->n_scanned,
                                        .n_stacked = control->n_stacked,
                                        .counter = number_of(control->counter),
                                        .condition = place_of(control->condition),
                                        .trips = place_of(control->trips),
                                        .lengths = place_of(control->lengths),
                                        .again = place_of(control->again),
                                        .n_trips = control->n_trips,
                                        .n_batches = control->n_batches,
                                        .is_loop = control->is_loop};
    return OB_OK;
}
