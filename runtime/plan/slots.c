/* The elements of plans: buffers, slots, steps, and the places of graph outputs. */
#include <stdint.h>
#include <string.h>

#include "core/base/error.h"
#include "core/graph/copy.h"
#include "passes/check/names.h"
#include "runtime/plan/builder.h"
#include "runtime/weights.h"

enum { ROOM = 12 }; /* as many as a group reads */

typedef struct ob_room {
    struct ob_room *next;
    uint32_t n; /* views */
    ob_view views[];
} ob_room;

static ob_room *new_room(ob_builder *b, size_t n) {
    if (n < ROOM) n = ROOM;
    if (n > (SIZE_MAX - sizeof(ob_room)) / sizeof(ob_view)) return NULL;
    ob_room *room = ob__arena_alloc(&b->scratch, sizeof *room + n * sizeof room->views[0]);
    if (!room) return NULL;
    room->next = NULL;
    room->n = (uint32_t)n;
    return room;
}

/* n of a block that are next to each other; blocks are made when they are first needed. NULL: no memory. */
static ob_view *in_room(ob_builder *b, uint32_t n) {
    uint32_t end = 0;
    for (ob_room **at = &b->room;; at = &(*at)->next) {
        if (!*at) *at = new_room(b, n);
        if (!*at) return NULL;
        end += (*at)->n;
        if (b->n_room >= end) continue;
        if (end - b->n_room < n) {
            b->n_room = end;
            continue;
        }
        ob_view *views = (*at)->views + ((*at)->n - (end - b->n_room));
        b->n_room += n;
        return views;
    }
}

ob_view *ob__some_views(ob_builder *b, uint32_t n) {
    ob_view *views = in_room(b, n);
    if (!views) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        views[i].data = NULL;
        views[i].dtype = OB_NONE;
        views[i].rank = 0;
    }
    return views;
}

const ob_layout *ob__new_layout(ob_builder *b, const ob_view *view) {
    uint64_t hash = (uint64_t)view->dtype * 31 + (uint64_t)view->rank;
    for (int32_t axis = 0; axis < view->rank; axis++)
        hash = (hash * 31 + (uint64_t)view->dims[axis]) * 31 + (uint64_t)view->strides[axis];
    const ob_layout **place = &b->layouts[(hash ^ hash >> 17) % (sizeof b->layouts / sizeof *b->layouts)];
    if (*place && ob__fits_layout(*place, view)) return *place;
    return *place = ob__make_layout(&b->plan->arena, view);
}

ob_status ob__new_buffer(ob_builder *b, ob_buffer_kind kind, uint32_t index, uint64_t n_bytes, ob_buffer **out) {
    ob_buffer *buffer = OB_ARENA_NEW(&b->plan->arena, ob_buffer);
    if (!buffer) return OB_E_MEMORY;
    buffer->kind = kind;
    buffer->number = b->plan->n_buffers++;
    buffer->index = index;
    buffer->n_bytes = n_bytes;
    buffer->first = buffer->last = b->n_steps;
    buffer->depth = b->depth;
    buffer->next = b->plan->buffers;
    b->plan->buffers = buffer;
    *out = buffer;
    return OB_OK;
}

ob_status ob__make_slot(ob_builder *b, ob_buffer *buffer, int64_t offset, const ob_view *view, ob_slot **out) {
    ob_slot *slot = OB_ARENA_NEW(&b->plan->arena, ob_slot);
    if (!slot) return OB_E_MEMORY;
    *slot = (ob_slot){buffer, offset, ob__new_layout(b, view), b->plan->all_slots, NULL};
    b->plan->all_slots = slot;
    *out = slot;
    return slot->layout ? OB_OK : OB_E_MEMORY;
}

ob_status ob__new_slot(ob_builder *b, const ob_value *value, ob_buffer *buffer, int64_t offset, const ob_view *view) {
    ob_slot *slot;
    OB_TRY(ob__make_slot(b, buffer, offset, view, &slot));
    buffer->uses_left += b->session->uses[value->id];
    b->plan->slots[value->id] = slot;
    return OB_OK;
}

ob_status ob__new_const_slot(ob_builder *b, const ob_value *value, const ob_view *view) {
    ob_buffer *buffer;
    OB_TRY(ob__new_buffer(b, OB_BUFFER_CONST, 0, 0, &buffer));
    buffer->constant = view->data;
    return ob__new_slot(b, value, buffer, 0, view);
}

ob_status ob__find_slot(ob_builder *b, const ob_node *reader, const ob_value *value, ob_slot **out) {
    *out = NULL;
    if (!value || b->sources[value->id] != OB_SOURCE_PLAN) return OB_OK;
    if (!b->plan->slots[value->id]) {
        ob_view constant;
        if (!ob__constant_view(b->session, value, &constant)) {
            ob__at_node(b->error, reader, OB_E_MODEL);
            return ob__fail(b->error, OB_E_MODEL, "%s is read before any node makes it", value->name);
        }
        OB_TRY(ob__new_const_slot(b, value, &constant));
    }
    *out = b->plan->slots[value->id];
    return OB_OK;
}

ob_step *ob__new_step(ob_builder *b, ob_step_kind kind, const ob_node *node, uint32_t n_in, uint32_t n_out) {
    ob_arena *arena = &b->plan->arena;
    ob_step *step = OB_ARENA_NEW(arena, ob_step);
    if (!step) return NULL;
    step->kind = kind;
    step->node = node;
    step->n_in = n_in;
    step->n_out = n_out;
    step->slots = OB_ARENA_ARRAY(arena, const ob_slot *, (size_t)n_in + n_out);
    return step->slots ? step : NULL;
}

ob_status ob__keep_until(ob_builder *b, ob_buffer *buffer, uint32_t step) {
    if (!buffer) return OB_OK;
    if (buffer->last < step) buffer->last = step;
    if (buffer->depth >= b->depth || buffer->kind != OB_BUFFER_ARENA) return OB_OK;
    ob_captured *captured = OB_ARENA_NEW(&b->scratch, ob_captured);
    if (!captured) return OB_E_MEMORY;
    *captured = (ob_captured){buffer, b->captured};
    b->captured = captured;
    return OB_OK;
}

ob_status ob__append_step(ob_builder *b, ob_step *step) {
    step->number = b->n_steps++;
    uint32_t n_views = step->n_in + step->n_out;
    for (uint32_t i = 0; i < n_views; i++)
        if (step->slots[i]) OB_TRY(ob__keep_until(b, step->slots[i]->buffer, step->number));
    if (n_views > b->plan->most_views) b->plan->most_views = n_views;
    *b->plan->steps_end = step;
    b->plan->steps_end = &step->next;
    b->plan->memory.n_steps++;
    return OB_OK;
}

ob_status ob__bytes_of(ob_builder *b, const ob_node *node, const ob_view *view, uint64_t *n_bytes) {
    if (ob__tensor_bytes(view->dtype, view->rank, view->dims, n_bytes)) return OB_OK;
    ob__at_node(b->error, node, OB_E_LIMIT);
    return ob__fail(b->error, OB_E_LIMIT, "a result has more bytes than can be addressed");
}

ob_status ob__add_copy(ob_builder *b, const ob_node *node, const ob_slot *from, ob_buffer *to, const ob_view *layout,
                       ob_slot **out) {
    ob_step *step = ob__new_step(b, OB_STEP_COPY, node, 1, 1);
    if (!step) return OB_E_MEMORY;
    OB_TRY(ob__make_slot(b, to, 0, layout, out));
    step->slots[0] = from;
    step->slots[1] = *out;
    return ob__append_step(b, step);
}

/* ---- Graph outputs ---- */

static ob_status place_output(ob_builder *b, uint32_t index) {
    const ob_value *value = b->results[index];
    ob_slot *slot;
    uint64_t n_bytes;
    OB_TRY(ob__find_slot(b, NULL, value, &slot));
    if (!slot) return OB_OK; /* not known before the run */
    ob_view view;
    ob__slot_view(slot, &view);
    OB_TRY(ob__bytes_of(b, NULL, &view, &n_bytes));
    ob_buffer *buffer = slot->buffer;
    if (buffer->kind == OB_BUFFER_ARENA && buffer->n_bytes == n_bytes && slot->offset == 0 && ob_view_is_contiguous(&view)) {
        buffer->kind = OB_BUFFER_OUTPUT;
        buffer->index = index;
        b->plan->outputs[index].slot = slot;
        return OB_OK;
    }
    ob_view layout;
    ob_slot *copied;
    OB_TRY(ob__view_layout(&layout, view.dtype, view.rank, view.dims));
    OB_TRY(ob__new_buffer(b, OB_BUFFER_OUTPUT, index, n_bytes, &buffer));
    OB_TRY(ob__add_copy(b, NULL, slot, buffer, &layout, &copied));
    b->plan->outputs[index].slot = copied;
    return OB_OK;
}

ob_status ob__place_outputs(ob_builder *b) {
    for (uint32_t i = 0; i < b->n_results; i++) OB_TRY(place_output(b, i));
    return OB_OK;
}
