/* Planning of one node: constant, view, kernel or dynamic step; copies for kernels that need contiguous operands; in-place
 * results. */
#include <stdio.h>
#include <string.h>

#include "core/copy.h"
#include "core/error.h"
#include "core/list.h"
#include "ops/table/op.h"
#include "passes/names.h"
#include "runtime/plan/build.h"

/* Larger results are computed in each run rather than kept. */
enum { FOLD_MAX_BYTES = 64 * 1024 * 1024 };

/* ---- Buffers, slots, steps
 * -------------------------------------------------------------------------------------------------------- */

ob_view *ob__some_views(ob_builder *b, uint32_t n) {
    enum { ROOM = 64 };
    if (!b->room) b->room = ob__arena_alloc(&b->scratch, ROOM * sizeof *b->room);
    if (!b->room || n > ROOM - b->n_room) return OB_ARENA_ARRAY(&b->scratch, ob_view, n);
    ob_view *views = b->room + b->n_room;
    b->n_room += n;
    for (uint32_t i = 0; i < n; i++) {
        views[i].data = NULL;
        views[i].dtype = OB_NONE;
        views[i].rank = 0;
    }
    return views;
}

static size_t layout_bytes(int32_t rank) {
    return sizeof(ob_layout) + 2 * (size_t)(rank > 0 ? rank : 0) * sizeof(int64_t);
}

bool ob__fits_layout(const ob_layout *layout, const ob_view *view) {
    if (layout->dtype != view->dtype || layout->rank != view->rank) return false;
    for (int32_t axis = 0; axis < view->rank; axis++)
        if (layout->sizes[axis] != view->dims[axis] || layout->sizes[view->rank + axis] != view->strides[axis]) return false;
    return true;
}

const ob_layout *ob__make_layout(ob_arena *arena, const ob_view *view) {
    ob_layout *made = ob__arena_alloc(arena, layout_bytes(view->rank));
    if (!made) return NULL;
    made->dtype = view->dtype;
    made->rank = view->rank;
    for (int32_t axis = 0; axis < view->rank; axis++) {
        made->sizes[axis] = view->dims[axis];
        made->sizes[view->rank + axis] = view->strides[axis];
    }
    return made;
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
    *slot = (ob_slot){buffer, offset, ob__new_layout(b, view), b->plan->all_slots};
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

/* ---- The node at hand
 * ------------------------------------------------------------------------------------------------------------- */

typedef struct planned {
    const ob_node *node;
    const ob_kernel *kernel;
    ob_slot **in;      /* n_inputs entries */
    ob_view *in_views; /* data: constants and known contents only */
    ob_view *out;      /* n_outputs entries, contiguous, dtype OB_NONE when not wanted */
    /* Of a step: */
    ob_kernel_args args;
    const ob_slot **operands; /* where args.in lies: in, or copies */
    ob_buffer **results;      /* where args.out will lie */
} planned;

bool ob__is_deterministic(const ob_node *node) {
    if (node->op && node->op->varies) return false;
    static const char *const random[] = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
                                         "Bernoulli",    "Multinomial",      "Dropout"};
    for (size_t i = 0; i < sizeof random / sizeof random[0]; i++)
        if (strcmp(node->op_type, random[i]) == 0) return false;
    return true;
}

/* The elements that shape propagation knows, as bytes in the arena; NULL when any is unknown. */
static void *known_content(ob_builder *b, const ob_value *value, const ob_view *view) {
    const ob_content *content = &ob__fact(&b->facts, value)->content;
    if (!content->elems || content->n != ob_view_count(view)) return NULL;
    size_t size = ob_dtype_size(view->dtype);
    if (view->dtype != OB_INT64 && view->dtype != OB_INT32 && view->dtype != OB_BOOL) return NULL;
    char *bytes = ob__arena_alloc(&b->plan->arena, content->n * size);
    for (uint32_t i = 0; bytes && i < content->n; i++) {
        ob_dim elem = content->elems[i];
        int32_t narrow = (int32_t)elem;
        /* The ends of the range stand for everything beyond them. */
        if (elem >= OB_DIM_CONST_MAX || elem <= -OB_DIM_CONST_MAX || (size == 4 && narrow != elem)) return NULL;
        if (size == 8)
            memcpy(bytes + i * 8, &elem, 8);
        else if (size == 4)
            memcpy(bytes + i * 4, &narrow, 4);
        else
            bytes[i] = elem != 0;
    }
    return bytes;
}

/* False when a shape or type is left to the run. */
static ob_status find_operands(ob_builder *b, planned *p, bool *is_static) {
    const ob_node *node = p->node;
    *is_static = false;
    p->in = OB_ARENA_ARRAY(&b->scratch, ob_slot *, node->n_inputs);
    p->in_views = ob__some_views(b, node->n_inputs);
    p->out = ob__some_views(b, node->n_outputs);
    if (!p->in || !p->in_views || !p->out) return OB_E_MEMORY;
    bool all = true;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        OB_TRY(ob__find_slot(b, node, node->inputs[i], &p->in[i]));
        if (!p->in[i]) {
            all &= node->inputs[i] == NULL;
            continue;
        }
        ob__slot_view(p->in[i], &p->in_views[i]);
        if (p->in[i]->buffer->kind == OB_BUFFER_CONST && p->in[i]->buffer->constant)
            p->in_views[i].data = p->in[i]->buffer->constant + p->in[i]->offset;
        else if (ob_view_is_contiguous(&p->in_views[i]))
            p->in_views[i].data = known_content(b, node->inputs[i], &p->in_views[i]);
    }
    if (!all) return OB_OK;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        const ob_type *type = &ob__fact(&b->facts, node->outputs[i])->type;
        if (!ob__is_static_type(type)) return OB_OK;
        if (ob__view_layout(&p->out[i], type->dtype, type->shape.rank, type->shape.dims) != OB_OK) {
            ob__at_node(b->error, node, OB_E_LIMIT);
            return ob__fail(b->error, OB_E_LIMIT, "result %s is too large", node->outputs[i]->name);
        }
    }
    *is_static = true;
    return OB_OK;
}

static void consume_inputs(planned *p) {
    for (uint32_t i = 0; i < p->node->n_inputs; i++)
        if (p->in[i]) p->in[i]->buffer->uses_left--;
}

/* ---- Constants
 * ------------------------------------------------------------------------------------------------------------------------ */

/* Outputs whose elements shape propagation has already computed: Shape, Gather, Concat ... of sizes. */
static ob_status try_known_outputs(ob_builder *b, planned *p, bool *done) {
    const ob_node *node = p->node;
    *done = false;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        p->out[i].data = known_content(b, node->outputs[i], &p->out[i]);
        if (!p->out[i].data) return OB_OK;
    }
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) OB_TRY(ob__new_const_slot(b, node->outputs[i], &p->out[i]));
    consume_inputs(p);
    b->plan->memory.n_folded++;
    *done = true;
    return OB_OK;
}

static bool can_fold(const ob_builder *b, const planned *p, bool *for_all_shapes) {
    const ob_node *node = p->node;
    bool is_constant =
        strcmp(node->op_type, "Constant") == 0 && node->domain[0] == '\0'; /* data, not work: also when not optimising */
    if ((!b->session->optimize && !is_constant) || !ob__is_deterministic(node)) return false;
    *for_all_shapes = true;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (!p->in[i]) continue;
        if (p->in[i]->buffer->kind != OB_BUFFER_CONST) return false;
        *for_all_shapes &= b->session->constants[node->inputs[i]->id] != NULL;
    }
    uint64_t room = b->session->max_folded_bytes, used = *for_all_shapes ? b->session->folded_bytes : b->plan->folded_bytes;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        uint64_t n_bytes;
        if (!ob__tensor_bytes(p->out[i].dtype, p->out[i].rank, p->out[i].dims, &n_bytes) || n_bytes > FOLD_MAX_BYTES)
            return false;
        used += n_bytes;
    }
    return used <= room;
}

/* Puts the blocks of one fold to those that are kept; returns their bytes. */
static uint64_t keep_blocks(ob_owned_memory *from, ob_owned_memory **list) {
    uint64_t n_bytes = 0;
    while (from) {
        ob_owned_memory *block = from;
        from = block->next;
        n_bytes += block->n_bytes;
        block->next = *list;
        *list = block;
    }
    return n_bytes;
}

/* A node that reads constants only is computed now; what depends on no input shape is kept for all plans. A failure is left to
 * the run, which reports it when it comes to the node. */
static ob_status try_fold(ob_builder *b, planned *p, bool *done) {
    ob_session *session = b->session;
    const ob_node *node = p->node;
    bool for_all_shapes;
    *done = false;
    if (!can_fold(b, p, &for_all_shapes)) return OB_OK;
    ob_view *results = ob__some_views(b, node->n_outputs);
    if (!results) return OB_E_MEMORY;
    ob_owned_memory *blocks = NULL;
    ob_arena *strings = for_all_shapes ? &session->arena : &b->plan->arena;
    ob_status status = ob__execute_node(session, node, p->in_views, results, NULL, &blocks, strings, NULL);
    if (status != OB_OK) {
        ob__free_owned(session, &blocks);
        OB_TRY(ob__stop_status(session, &session->threads, b->error));
        /* What does not fit beside the rest is computed in each run, where its memory is shared. */
        return status == OB_E_MEMORY && !ob__tally_refused(session->tally) ? status : OB_OK;
    }
    if (for_all_shapes) {
        uint64_t n_bytes = keep_blocks(blocks, &session->owned);
        session->folded_bytes += n_bytes;
        session->constant_bytes += n_bytes;
    } else
        b->plan->folded_bytes += keep_blocks(blocks, &b->plan->owned);
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        if (for_all_shapes) OB_TRY(ob__set_constant(session, node->outputs[i], &results[i]));
        OB_TRY(ob__new_const_slot(b, node->outputs[i], &results[i]));
    }
    consume_inputs(p);
    b->plan->memory.n_folded++;
    *done = true;
    return OB_OK;
}

/* ---- Views
 * -----------------------------------------------------------------------------------------------------------------------------
 */

/* Stand-ins for addresses that are not known yet: far apart, so that a result tells which operand it is a view of. */
static uintptr_t stand_in(uint32_t i, uint32_t n) {
    return UINTPTR_MAX / 2 / (n + 1) * (i + 1);
}

/* How far around its stand-in an operand may lie. */
static uintptr_t reach(uint32_t n) {
    return UINTPTR_MAX / 2 / (n + 1) / 2;
}

/* True for the operands whose elements the results show, as opposed to parameters such as Reshape's shape. */
static bool is_viewed(const ob_op *op, uint32_t i) {
    return i == 0 || ob__op_input_shares_type(op, i);
}

static bool find_viewed(const planned *p, const ob_view *result, ob_slot **slot, int64_t *offset) {
    uint32_t n = p->node->n_inputs;
    uintptr_t at = (uintptr_t)result->data;
    for (uint32_t i = 0; i < n; i++) {
        uintptr_t base = stand_in(i, n);
        if (!p->in[i] || !is_viewed(p->node->op, i) || at < base - reach(n) || at >= base + reach(n)) continue;
        *slot = p->in[i];
        *offset = (int64_t)at - (int64_t)base;
        return true;
    }
    return false;
}

/* A parameter with strides, as the contiguous elements that shape propagation knows. */
static ob_status contiguous_content(ob_builder *b, const ob_value *value, ob_view *view) {
    ob_view strided = *view;
    OB_TRY(ob__view_layout(view, strided.dtype, strided.rank, strided.dims));
    view->data = known_content(b, value, view);
    return OB_OK;
}

static ob_status try_view(ob_builder *b, planned *p, bool *done) {
    const ob_node *node = p->node;
    *done = false;
    if (!(p->kernel->flags & OB_KERNEL_VIEW) || !p->kernel->view) return OB_OK;
    ob_view *in = ob__some_views(b, node->n_inputs), *out = ob__some_views(b, node->n_outputs);
    if (!in || !out) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        in[i] = p->in_views[i];
        if (!p->in[i]) continue;
        if (is_viewed(node->op, i))
            in[i].data = (void *)stand_in(i, node->n_inputs);
        else if (!ob_view_is_contiguous(&in[i]))
            OB_TRY(contiguous_content(b, node->inputs[i], &in[i]));
    }
    if (node->n_outputs) memcpy(out, p->out, node->n_outputs * sizeof *out);
    ob_kernel_args args = {.n_in = node->n_inputs, .n_out = node->n_outputs, .in = in, .out = out};
    ob_kernel_site site = {node, node->op, &b->plan->arena, &b->session->allocator, b->session->constants_in_place};
    if (p->kernel->view(&site, &args, NULL) != OB_OK) return OB_OK; /* run says what is wrong, if anything is */
    ob_slot **viewed = OB_ARENA_ARRAY(&b->scratch, ob_slot *, node->n_outputs);
    int64_t *offsets = OB_ARENA_ARRAY(&b->scratch, int64_t, node->n_outputs);
    if (!viewed || !offsets) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] && ob_view_count(&out[i]) > 0 && !find_viewed(p, &out[i], &viewed[i], &offsets[i])) return OB_OK;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        if (!viewed[i])
            OB_TRY(ob__new_const_slot(b, node->outputs[i], &p->out[i])); /* no elements */
        else
            OB_TRY(ob__new_slot(b, node->outputs[i], viewed[i]->buffer, viewed[i]->offset + offsets[i], &out[i]));
        b->plan->memory.n_views++;
    }
    consume_inputs(p);
    *done = true;
    return OB_OK;
}

/* ---- Kernels
 * --------------------------------------------------------------------------------------------------------------------------- */

/* The array API's rule: a result may take the memory of an operand of exactly its shape, when nobody reads that operand
 * afterwards. The operand's memory may be read by this node in other places only through the same layout. */
static bool can_take(const ob_builder *b, const planned *p, uint32_t input, const ob_view *result) {
    const ob_slot *slot = p->operands[input];
    const ob_buffer *buffer = slot ? slot->buffer : NULL;
    const ob_view *in = &p->args.in[input];
    if (!buffer || buffer->kind != OB_BUFFER_ARENA || buffer->depth < b->depth || slot->offset != 0) return false;
    if (in->rank != result->rank || ob_dtype_size(in->dtype) != ob_dtype_size(result->dtype)) return false;
    for (int32_t i = 0; i < in->rank; i++)
        if (in->dims[i] != result->dims[i]) return false;
    if (!ob_view_is_contiguous(in) || ob_view_count(in) == 0) return false;
    uint32_t reads = 0, mentions = 0;
    for (uint32_t i = 0; i < p->args.n_in; i++) {
        if (!p->operands[i] || p->operands[i]->buffer != buffer) continue;
        mentions++;
        if (p->in[i]->buffer == buffer) reads++;
        const ob_view *other = &p->args.in[i];
        bool same = p->operands[i]->offset == 0 && other->rank == in->rank && other->dtype == in->dtype &&
                    memcmp(other->dims, in->dims, (size_t)in->rank * sizeof *in->dims) == 0 && ob_view_is_contiguous(other);
        if (!same) return false;
    }
    if (p->kernel->flags & OB_KERNEL_INPLACE_FIRST && (input != 0 || mentions != 1)) return false;
    return buffer->uses_left == reads;
}

static ob_status place_results(ob_builder *b, planned *p) {
    bool in_place = b->session->optimize && p->kernel->flags & (OB_KERNEL_INPLACE | OB_KERNEL_INPLACE_FIRST);
    for (uint32_t i = 0; i < p->args.n_out; i++) {
        if (!p->node->outputs[i]) continue;
        ob_buffer *taken = NULL;
        for (uint32_t k = 0; in_place && i == 0 && k < p->args.n_in && !taken; k++)
            if (can_take(b, p, k, &p->args.out[i])) taken = p->operands[k]->buffer;
        if (taken) {
            b->plan->memory.n_in_place++;
        } else {
            uint64_t n_bytes;
            OB_TRY(ob__bytes_of(b, p->node, &p->args.out[i], &n_bytes));
            OB_TRY(ob__new_buffer(b, OB_BUFFER_ARENA, 0, n_bytes, &taken));
        }
        p->results[i] = taken;
    }
    return OB_OK;
}

/* Operands of a kernel that cannot read strides are copied first. */
static ob_status place_operands(ob_builder *b, planned *p) {
    for (uint32_t i = 0; i < p->args.n_in; i++) {
        p->args.in[i] = p->in_views[i];
        p->operands[i] = p->in[i];
        if (!p->in[i]) continue;
        if (p->kernel->flags & OB_KERNEL_STRIDED || ob_view_is_contiguous(&p->in_views[i])) continue;
        ob_view *view = &p->args.in[i];
        ob_buffer *copy;
        ob_slot *copied;
        uint64_t n_bytes;
        void *known = view->data;
        OB_TRY(ob__view_layout(view, view->dtype, view->rank, p->in_views[i].dims));
        OB_TRY(ob__bytes_of(b, p->node, view, &n_bytes));
        OB_TRY(ob__new_buffer(b, OB_BUFFER_ARENA, 0, n_bytes, &copy));
        OB_TRY(ob__add_copy(b, p->node, p->in[i], copy, view, &copied));
        p->operands[i] = copied;
        view->data = known && ob_view_count(view) <= 1 ? known : NULL; /* elements in another order are not the operand */
    }
    return OB_OK;
}

/* Planning goes on, so that everything that cannot run is named at once. */
static ob_status note_unsupported(ob_builder *b, const ob_node *node, const ob_error *why) {
    const ob_session *session = b->session;
    if (b->n_unsupported++ == 0) {
        snprintf(b->unsupported, sizeof b->unsupported, "%s: %.320s", node->op_type, why->message);
        ob__at_node(b->error, node, OB_E_UNSUPPORTED);
    }
    ob_unsupported item = {.domain = node->domain,
                           .op_type = node->op_type,
                           .opset = ob__graph_opset(node->graph, node->domain),
                           .node = ob__node_label(node),
                           .n_nodes = 1,
                           .reason = why->message};
    if (session->unsupported) session->unsupported(session->context, &item);
    return OB_OK;
}

/* What the step keeps of the constants' packs. */
static ob_status reserve_packs(ob_builder *b, planned *p, const ob_kernel_needs *needs, ob_step *step) {
    if (needs->n_packs == 0) return OB_OK;
    step->packs = OB_ARENA_ARRAY(&b->plan->arena, const void *, OB_PACKS_MAX);
    if (!step->packs) return OB_E_MEMORY;
    return ob__get_packs(b->session, p->node, needs, p->args.in, &b->plan->owned, step->packs, b->error);
}

/* Scratch of the step, and behind it that of the lanes. */
static ob_status reserve_scratch(ob_builder *b, const ob_kernel_needs *needs, ob_step *step) {
    ob_scratch scratch;
    if (!ob__scratch_of(needs, &b->session->threads, &scratch))
        return ob__fail(b->error, OB_E_LIMIT, "the scratch memory of a kernel is more than can be addressed");
    step->lanes = scratch.lanes;
    step->lane_stride = scratch.lane_stride;
    if (scratch.n_bytes > b->plan->memory.scratch_bytes) b->plan->memory.scratch_bytes = scratch.n_bytes;
    return OB_OK;
}

static ob_status plan_kernel(ob_builder *b, planned *p, ob_step *step) {
    ob_kernel_needs needs = {0};
    ob_kernel_site site = {p->node, p->node->op, &b->plan->arena, &b->session->allocator, b->session->constants_in_place};
    ob_error own;
    ob_error_clear(&own);
    step->kernel = p->kernel;
    p->args.state = step->state = OB_ARENA_ARRAY(&b->plan->arena, char, p->kernel->state_bytes);
    if (!step->state) return OB_E_MEMORY;
    ob_status status = p->kernel->plan ? p->kernel->plan(&site, &p->args, &needs, &own) : OB_OK;
    if (status != OB_OK) {
        if (p->kernel->release) p->kernel->release(step->state, &b->session->allocator);
        step->state = NULL;
    }
    if (status == OB_E_UNSUPPORTED) return note_unsupported(b, p->node, &own);
    if (status != OB_OK) {
        if (b->error) *b->error = own;
        if (own.code == OB_OK) ob__fail(b->error, status, "cannot plan %s: %s", p->node->op_type, ob_status_text(status));
        return ob__at_node(b->error, p->node, status);
    }
    OB_TRY(reserve_scratch(b, &needs, step));
    return reserve_packs(b, p, &needs, step);
}

static ob_status plan_step(ob_builder *b, planned *p) {
    const ob_node *node = p->node;
    uint32_t n_in = node->n_inputs, n_out = node->n_outputs;
    ob_step *step = ob__new_step(b, OB_STEP_KERNEL, node, n_in, n_out);
    p->args = (ob_kernel_args){.n_in = n_in,
                               .n_out = n_out,
                               .in = ob__some_views(b, n_in),
                               .out = ob__some_views(b, n_out),
                               .threads = &b->session->threads};
    p->results = OB_ARENA_ARRAY(&b->scratch, ob_buffer *, n_out);
    if (!step || !p->args.in || !p->args.out || !p->results) return OB_E_MEMORY;
    p->operands = step->slots;
    OB_TRY(place_operands(b, p));
    if (n_out) memcpy(p->args.out, p->out, n_out * sizeof *p->args.out);
    for (uint32_t i = 0; i < n_out; i++) p->args.out[i].data = NULL;
    OB_TRY(place_results(b, p));
    OB_TRY(plan_kernel(b, p, step));
    consume_inputs(p);
    for (uint32_t i = 0; i < n_out; i++) {
        if (!node->outputs[i]) continue;
        OB_TRY(ob__new_slot(b, node->outputs[i], p->results[i], 0, &p->out[i]));
        step->slots[n_in + i] = b->plan->slots[node->outputs[i]->id];
    }
    return ob__append_step(b, step);
}

/* ---- Dynamic steps
 * -------------------------------------------------------------------------------------------------------------------- */

static ob_status keep_to_the_end(void *context, ob_value *value) {
    ob_builder *b = context;
    ob_slot *slot;
    OB_TRY(ob__find_slot(b, NULL, value, &slot));
    return slot ? ob__keep_until(b, slot->buffer, UINT32_MAX) : OB_OK;
}

static ob_status plan_dynamic(ob_builder *b, const ob_node *node) {
    ob_step *step = ob__new_step(b, OB_STEP_DYNAMIC, node, 0, 0);
    if (!step) return OB_E_MEMORY;
    step->kernel = node->op->kernel;
    /* To the end, and reads are not counted down: results of dynamic steps may be views of these operands. */
    OB_TRY(ob__each_read(node, keep_to_the_end, b));
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) b->sources[node->outputs[i]->id] = OB_SOURCE_STEP;
    b->plan->memory.n_dynamic++;
    return ob__append_step(b, step);
}

/* ---- Nodes that wait
 * ------------------------------------------------------------------------------------------------------------------- */

typedef struct readiness {
    const ob_builder *b;
    bool on_step, on_rest, is_plain;
} readiness;

static ob_status look_at_read(void *context, ob_value *value) {
    readiness *r = context;
    r->on_step |= r->b->sources[value->id] == OB_SOURCE_STEP;
    r->on_rest |= r->b->sources[value->id] == OB_SOURCE_REST;
    r->is_plain &= ob__fact(&r->b->facts, value)->type.kind == OB_TYPE_TENSOR;
    return OB_OK;
}

/* What reads a tensor whose size a step tells is planned when it has told; what else reads results of dynamic steps is one. */
static ob_status must_wait(const ob_builder *b, const ob_node *node, bool *wait) {
    readiness r = {b, false, false, true};
    OB_TRY(ob__each_read(node, look_at_read, &r));
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) r.is_plain &= ob__fact(&b->facts, node->outputs[i])->type.kind == OB_TYPE_TENSOR;
    *wait = r.on_rest || (r.on_step && r.is_plain);
    return OB_OK;
}

static ob_status let_wait(ob_builder *b, ob_node *node) {
    ob_node **grown = ob__list_in_arena(&b->scratch, b->waiting, &b->waiting_capacity, b->n_waiting + 1, sizeof *grown);
    if (!grown) return OB_E_MEMORY;
    b->waiting = grown;
    b->waiting[b->n_waiting++] = node;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i]) b->sources[node->outputs[i]->id] = OB_SOURCE_REST;
    b->plan->memory.n_dynamic++;
    return OB_OK;
}

ob_status ob__plan_rest(ob_builder *b) {
    if (b->n_waiting == 0) return OB_OK;
    ob_node **nodes = OB_ARENA_ARRAY(&b->plan->arena, ob_node *, b->n_waiting);
    if (!nodes) return OB_E_MEMORY;
    memcpy(nodes, b->waiting, b->n_waiting * sizeof *nodes);
    OB_TRY(ob__part_create(b->session, &b->plan->arena, nodes[0]->graph, nodes, b->n_waiting, &b->plan->rest));
    for (uint32_t i = 0; i < b->plan->rest->n_entries; i++)
        OB_TRY(keep_to_the_end(b, (ob_value *)(uintptr_t)b->plan->rest->entries[i]));
    return OB_OK;
}

static ob_status plan_node(ob_builder *b, const ob_node *node) {
    planned p = {.node = node, .kernel = node->op ? node->op->kernel : NULL};
    bool is_static, done;
    if (!p.kernel) return ob__at_node(b->error, node, ob__fail(b->error, OB_E_UNSUPPORTED, "%s has no kernel", node->op_type));
    OB_TRY(must_wait(b, node, &done));
    if (done) return let_wait(b, (ob_node *)(uintptr_t)node);
    OB_TRY(find_operands(b, &p, &is_static));
    if (!is_static) return plan_dynamic(b, node);
    if (b->session->optimize) {
        OB_TRY(try_known_outputs(b, &p, &done));
        if (done) return OB_OK;
    }
    if (p.kernel->flags & OB_KERNEL_CONTROL) {
        OB_TRY(ob__plan_control(b, node, &done));
        return done ? OB_OK : plan_dynamic(b, node);
    }
    OB_TRY(try_fold(b, &p, &done));
    if (!done) OB_TRY(try_view(b, &p, &done));
    return done ? OB_OK : plan_step(b, &p);
}

ob_status ob__plan_node(ob_builder *b, const ob_node *node) {
    uint32_t before = b->n_room;
    ob_status status = plan_node(b, node);
    b->n_room = before;
    return status;
}

ob_status ob__plan_graph(ob_builder *b, const ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next) {
        if (!b->session->live[node->id]) continue;
        OB_TRY(ob__stop_ask(b->session, &b->session->threads, b->error));
        OB_TRY(ob__plan_node(b, node));
    }
    return OB_OK;
}

/* ---- Graph outputs
 * ---------------------------------------------------------------------------------------------------------------------- */

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
