/* Planning of one node: constant, view, kernel or dynamic step; copies for kernels that need contiguous operands; in-place
 * results. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "core/graph/copy.h"
#include "ops/infer/constant.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "runtime/memory.h"
#include "runtime/plan/builder.h"
#include "runtime/plan/planned.h"
#include "runtime/plan/reads.h"
#include "runtime/prepared.h"
#include "runtime/run/steps.h"
#include "runtime/stop.h"
#include "runtime/support.h"
#include "runtime/takes.h"
#include "runtime/tally.h"
#include "runtime/weights.h"

/* Larger results are computed in each run rather than kept. */
enum { FOLD_MAX_BYTES = 512 * 1024 * 1024 };

/* ---- The current node ---- */

/* The elements that shape propagation knows, as bytes in the arena; NULL when any is unknown. */
static void *known_content(const ob_builder *b, const ob_value *value, const ob_view *view) {
    const ob_content *content = &ob__fact(b->facts, value)->content;
    if (!content->elems || content->n != ob_view_count(view)) return NULL;
    size_t size = ob_dtype_size(view->dtype);
    if (view->dtype != OB_INT64 && view->dtype != OB_INT32 && view->dtype != OB_BOOL) return NULL;
    char *bytes = ob__arena_alloc(&b->plan->arena, content->n * size);
    for (uint32_t i = 0; bytes && i < content->n; i++) {
        ob_dim elem = content->elems[i];
        int32_t narrow = (int32_t)elem;
        /* The ends of the range represent everything beyond them. */
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

void ob__operand_view(ob_builder *b, const ob_value *value, const ob_slot *slot, ob_view *view) {
    ob__slot_view(slot, view);
    if (slot->buffer->kind == OB_BUFFER_CONST && slot->buffer->constant)
        view->data = slot->buffer->constant + slot->offset;
    else if (ob_view_is_contiguous(view))
        view->data = known_content(b, value, view);
}

ob_status ob__result_view(ob_builder *b, const ob_node *node, const ob_value *value, ob_view *view, bool *is_static) {
    const ob_type *type = &ob__fact(b->facts, value)->type;
    *is_static = ob__is_static_type(type);
    if (!*is_static || ob__view_layout(view, type->dtype, type->shape.rank, type->shape.dims) == OB_OK) return OB_OK;
    ob__at_node(b->error, node, OB_E_LIMIT);
    return ob__fail(b->error, OB_E_LIMIT, "result %s is too large", value->name);
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
        ob__operand_view(b, node->inputs[i], p->in[i], &p->in_views[i]);
    }
    if (!all) return OB_OK;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        OB_TRY(ob__result_view(b, node, node->outputs[i], &p->out[i], is_static));
        if (!*is_static) return OB_OK;
    }
    *is_static = true;
    return OB_OK;
}

static void consume_inputs(planned *p) {
    for (uint32_t i = 0; i < p->n_in; i++)
        if (p->in[i]) p->in[i]->buffer->uses_left -= p->reads ? p->reads[i] : 1;
}

/* ---- Constants ---- */

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

/* A node that makes weights wider. Plans that are written as C keep the weights as they are, in read-only memory, and widen them
 * in work memory. Few elements are folded, such as a bias. */
static bool widens_weights(const ob_builder *b, const ob_node *node) {
    enum { FEW = 256 };
    ob_view from;
    if (!b->session->ahead_of_time || !b->session->optimize || !node->op || node->n_inputs == 0 || !node->inputs[0]) return false;
    if (strcmp(node->op->name, "DequantizeLinear") != 0 && strcmp(node->op->name, "Cast") != 0) return false;
    if (node->n_outputs != 1 || !node->outputs[0] || !ob__constant_view(b->session, node->inputs[0], &from)) return false;
    return ob_view_count(&from) > FEW &&
           ob_dtype_size(from.dtype) < ob_dtype_size(ob__fact(b->facts, node->outputs[0])->type.dtype);
}

static bool can_fold(const ob_builder *b, const planned *p, bool *for_all_shapes) {
    const ob_node *node = p->node;
    const bool is_constant = ob__is_constant(node); /* data, not work: also when not optimising */
    if ((!b->session->optimize && !is_constant) || (node->op && node->op->varies)) return false;
    if (widens_weights(b, node)) return false;
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

/* A node that reads only constants is computed now. A result that depends on no input shape is kept for all plans. If it fails,
 * the run reports the failure at the node. */
static ob_status try_fold(ob_builder *b, planned *p, bool *done) {
    ob_session *session = b->session;
    const ob_node *node = p->node;
    bool for_all_shapes;
    *done = false;
    if (!can_fold(b, p, &for_all_shapes)) return OB_OK;
    ob_view *results = ob__some_views(b, node->n_outputs);
    if (!results) return OB_E_MEMORY;
    ob_owned_memory *blocks = NULL, *spare = NULL;
    ob_arena *strings = for_all_shapes ? &session->arena : &b->plan->arena;
    ob_status status = ob__execute_node(session, node, p->in_views, results, NULL, &blocks, &spare, strings, NULL);
    if (status != OB_OK) {
        ob__free_owned(&session->allocator, &blocks);
        OB_TRY(ob__stop_status(session, &session->threads, b->error));
        /* Results that do not fit are computed in each run, where memory is shared. */
        return status == OB_E_MEMORY && !ob__tally_refused(session->tally) ? status : OB_OK;
    }
    /* one result in one block has that for its own */
    const bool is_own = for_all_shapes && node->n_outputs == 1 && blocks && !blocks->next && results[0].data == blocks->data;
    ob_owned_memory *own = NULL;
    if (for_all_shapes) {
        uint64_t n_bytes = keep_blocks(blocks, is_own ? &own : &session->owned);
        session->folded_bytes += n_bytes;
        session->constant_bytes += n_bytes;
    } else
        b->plan->folded_bytes += keep_blocks(blocks, &b->plan->owned);
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        if (for_all_shapes) status = ob__set_constant(session, node->outputs[i], &results[i]);
        if (status != OB_OK) ob__free_owned(&session->allocator, &own);
        OB_TRY(status);
        if (is_own) session->constants[node->outputs[i]->id]->own = own;
        OB_TRY(ob__new_const_slot(b, node->outputs[i], &results[i]));
    }
    consume_inputs(p);
    b->plan->memory.n_folded++;
    *done = true;
    return OB_OK;
}

/* ---- Views ---- */

/* Stand-ins for addresses that are not known yet: far apart, so that a result tells which operand it is a view of. */
static uintptr_t stand_in(uint32_t i, uint32_t n) {
    return UINTPTR_MAX / 2 / (n + 1) * (i + 1);
}

/* The range of an operand around its stand-in address. */
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
    ob_kernel_site site = ob__site(b->session, node, &b->plan->arena);
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

/* Zeros that only windows read stay out of memory: the value is its operand, with a padding. */
static ob_status try_padding(ob_builder *b, planned *p, bool *done) {
    const ob_node *node = p->node;
    if (!b->session->joins_windows || !b->session->joins_windows[node->id] || p->in[0]->buffer->kind == OB_BUFFER_CONST)
        return OB_OK;
    const int32_t rank = p->in_views[0].rank;
    int64_t *padding = OB_ARENA_ARRAY(&b->plan->arena, int64_t, 2 * (size_t)rank);
    if (!padding) return OB_E_MEMORY;
    const ob_kernel_args args = {.n_in = node->n_inputs, .n_out = node->n_outputs, .in = p->in_views, .out = p->out};
    const ob_kernel_site site = ob__site(b->session, node, &b->plan->arena);
    if (rank < 3 || ob_view_count(&p->in_views[0]) == 0 || !p->kernel->padding(&site, &args, padding)) return OB_OK;
    for (int32_t a = 0; a < 2 * rank; a++)
        if (padding[a] < 0 || padding[a] > INT32_MAX || (a % rank < 2 && padding[a] != 0)) return OB_OK;
    OB_TRY(ob__new_slot(b, node->outputs[0], p->in[0]->buffer, p->in[0]->offset, &p->in_views[0]));
    b->plan->slots[node->outputs[0]->id]->padding = padding;
    b->plan->memory.n_views++;
    consume_inputs(p);
    *done = true;
    return OB_OK;
}

/* ---- Kernels ---- */

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
        if (p->in[i]->buffer == buffer) reads += p->reads ? p->reads[i] : 1;
        const ob_view *other = &p->args.in[i];
        bool same = p->operands[i]->offset == 0 && other->rank == in->rank && other->dtype == in->dtype &&
                    memcmp(other->dims, in->dims, (size_t)in->rank * sizeof *in->dims) == 0 && ob_view_is_contiguous(other);
        if (!same) return false;
    }
    if (p->kernel->flags & OB_KERNEL_INPLACE_FIRST && (input != 0 || mentions != 1)) return false;
    return buffer->uses_left == reads && !ob__has_read_operands(buffer);
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
            if (taken->first_taken == 0) taken->first_taken = b->n_steps;
            taken->last_taken = b->n_steps;
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
    for (uint32_t i = 0; i < p->n_in; i++) {
        p->args.in[i] = p->in_views[i];
        p->operands[i] = p->in[i];
        if (!p->in[i]) continue;
        if (i >= p->args.n_in || p->kernel->flags & OB_KERNEL_STRIDED || ob_view_is_contiguous(&p->in_views[i])) continue;
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
static ob_status note_unsupported(ob_builder *b, const ob_node *node, const char *why) {
    if (!b->survey) b->survey = ob__survey_new(&b->scratch);
    return b->survey ? ob__survey_note(b->survey, node, why) : OB_E_MEMORY;
}

/* Gives the step its prepared constants. */
static ob_status keep_prepared(ob_builder *b, planned *p, const ob_kernel_needs *needs, ob_step *step) {
    if (needs->n_prepared == 0) return OB_OK;
    step->prepared = OB_ARENA_ARRAY(&b->plan->arena, const void *, OB_PREPARED_MAX);
    if (!step->prepared) return OB_E_MEMORY;
    return ob__prepare_constants(b->session, p->head ? p->head : p->node, needs, p->args.in, &b->plan->owned, step->prepared,
                                 b->error);
}

/* If a session has only one set of shapes, a computed constant that only this step reads, and in another form, is not kept. */
static void forget_operands(ob_builder *b, const planned *p, const ob_kernel_needs *needs) {
    const ob_node *node = p->head ? p->head : p->node;
    if (b->part || b->facts != &b->session->facts) return;
    for (uint32_t i = 0; i < needs->n_prepared; i++) {
        const uint32_t input = needs->prepared[i].input;
        const ob_value *value = node->inputs[input];
        ob_buffer *buffer = p->operands[input]->buffer;
        const ob_constant *constant = b->session->constants[value->id];
        if (!needs->prepared[i].replaces || b->session->uses[value->id] != 1 || !constant || !constant->own) continue;
        if (p->operands[input] != p->in[input] || buffer->kind != OB_BUFFER_CONST || buffer->constant != constant->data) continue;
        ob__forget_constant(b->session, value);
        buffer->constant = NULL;
    }
}

/* Scratch memory of the step, followed by that of the lanes. */
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
    const ob_node *node = p->head ? p->head : p->node;
    ob_kernel_site site = ob__site(b->session, node, &b->plan->arena);
    site.program = p->program;
    site.epilogue = p->epilogue;
    site.padding = p->kernel->flags & OB_KERNEL_WINDOW && p->in[0] ? p->in[0]->padding : NULL;
    ob_error own;
    ob_error_clear(&own);
    step->kernel = p->kernel;
    p->args.state = step->state = OB_ARENA_ARRAY(&b->plan->arena, char, p->kernel->state_bytes);
    if (!step->state) return OB_E_MEMORY;
    ob_status status = ob__plan_kernel(b->session, p->kernel, &site, &p->args, &needs, &own);
    if (status == OB_OK) status = ob__stop_status(b->session, &b->session->threads, &own);
    if (status != OB_OK) {
        if (p->kernel->release) p->kernel->release(step->state, &b->session->allocator);
        step->state = NULL;
    }
    if (status == OB_E_UNSUPPORTED) return note_unsupported(b, node, own.message);
    if (status != OB_OK) {
        if (b->error) *b->error = own;
        if (own.code == OB_OK) ob__fail(b->error, status, "it cannot be planned: %s", ob_status_text(status));
        return ob__at_node(b->error, node, status);
    }
    if (b->session->ahead_of_time) {
        ob_kernel_needs *kept = OB_ARENA_NEW(&b->plan->arena, ob_kernel_needs);
        if (!kept) return OB_E_MEMORY;
        *kept = needs;
        step->needs = kept;
    }
    OB_TRY(reserve_scratch(b, &needs, step));
    OB_TRY(keep_prepared(b, p, &needs, step));
    forget_operands(b, p, &needs);
    return OB_OK;
}

/* Where the operands would be in the result, if it is them side by side. */
static ob_status find_places(ob_builder *b, const planned *p, ob_step *step) {
    if (!b->session->optimize || !p->kernel->places) return OB_OK;
    int64_t *places = OB_ARENA_ARRAY(&b->plan->arena, int64_t, p->args.n_in);
    if (!places) return OB_E_MEMORY;
    if (p->kernel->places(&p->args, places)) step->places = places;
    return OB_OK;
}

ob_status ob__plan_step(ob_builder *b, planned *p) {
    const ob_node *node = p->node;
    uint32_t n_in = p->n_in, n_out = node->n_outputs;
    ob_step *step = ob__new_step(b, OB_STEP_KERNEL, node, n_in, n_out);
    p->args = (ob_kernel_args){.n_in = n_in - p->n_others,
                               .n_out = n_out,
                               .in = ob__some_views(b, n_in),
                               .out = ob__some_views(b, n_out),
                               .threads = &b->session->threads};
    p->results = OB_ARENA_ARRAY(&b->scratch, ob_buffer *, n_out);
    if (!step || !p->args.in || !p->args.out || !p->results) return OB_E_MEMORY;
    step->group = p->group;
    step->n_others = p->n_others;
    p->args.others = p->args.in + p->args.n_in;
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
    OB_TRY(find_places(b, p, step));
    OB_TRY(ob__append_step(b, step));
    return step->places ? ob__note_join(b, step) : OB_OK;
}

/* ---- The whole ---- */

/* Computed for an earlier plan, for all shapes: readers find the constants. */
static bool is_kept(const ob_builder *b, const ob_node *node) {
    bool any = false;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (!node->outputs[i]) continue;
        if (!b->session->constants[node->outputs[i]->id]) return false;
        any = true;
    }
    return any;
}

static ob_status plan_node(ob_builder *b, const ob_node *node) {
    planned p = {.node = node, .n_in = node->n_inputs, .kernel = node->op ? node->op->kernel : NULL};
    bool is_static, done;
    if (!p.kernel) return ob__at_node(b->error, node, ob__fail(b->error, OB_E_UNSUPPORTED, "it has no kernel"));
    if (is_kept(b, node)) {
        b->plan->memory.n_folded++;
        return OB_OK;
    }
    OB_TRY(ob__must_wait(b, node, &done));
    if (done) return ob__let_wait(b, (ob_node *)(uintptr_t)node);
    OB_TRY(find_operands(b, &p, &is_static));
    if (!is_static) return ob__plan_dynamic(b, node);
    if (b->session->optimize) {
        OB_TRY(try_known_outputs(b, &p, &done));
        if (done) return OB_OK;
    }
    if (p.kernel->flags & OB_KERNEL_CONTROL) {
        OB_TRY(ob__plan_control(b, node, &done));
        return done ? OB_OK : ob__plan_dynamic(b, node);
    }
    OB_TRY(try_fold(b, &p, &done));
    if (!done) OB_TRY(try_view(b, &p, &done));
    if (!done) OB_TRY(try_padding(b, &p, &done));
    return done ? OB_OK : ob__plan_step(b, &p);
}

ob_status ob__plan_node(ob_builder *b, const ob_node *node) {
    uint32_t before = b->n_room;
    ob_status status = plan_node(b, node);
    b->n_room = before;
    return status;
}

/* ---- Nodes that are put off ---- */

/* Weights are widened just before their first reader, so that few of them need work memory at the same time. */
typedef struct reading {
    ob_builder *b;
    bool others, wide; /* reads what is neither a constant nor put off; reads a result of a node that was put off */
} reading;

static bool is_put_off(const ob_builder *b, const ob_node *node) {
    for (uint32_t i = 0; i < b->n_put_off; i++)
        if (b->put_off[i] == node) return true;
    return false;
}

static ob_status look_at_operand(void *context, ob_value *value) {
    reading *r = context;
    if (value->producer && is_put_off(r->b, value->producer))
        r->wide = true;
    else if (!r->b->session->constants[value->id])
        r->others = true;
    return OB_OK;
}

/* Plans what is still put off from entry `first` on, in the order of the graph: operands come before their readers. */
static ob_status plan_rest(ob_builder *b, uint32_t first) {
    for (uint32_t i = first; i < b->n_put_off; i++) {
        const ob_node *node = b->put_off[i];
        b->put_off[i] = NULL;
        if (node) OB_TRY(ob__plan_node(b, node));
    }
    b->n_put_off = first;
    return OB_OK;
}

/* first: the first entry of this graph. */
static ob_status try_put_off(ob_builder *b, const ob_node *node, uint32_t first, bool *done) {
    enum { MOST = 64 }; /* plan_operand goes as deep */
    reading r = {.b = b};
    *done = false;
    if (!b->session->ahead_of_time) return OB_OK;
    OB_TRY(ob__each_read(node, look_at_operand, &r));
    if (r.others || (!r.wide && !widens_weights(b, node))) return OB_OK;
    if (b->n_put_off - first == MOST) {
        uint32_t n = first;
        for (uint32_t i = first; i < b->n_put_off; i++)
            if (b->put_off[i]) b->put_off[n++] = b->put_off[i];
        b->n_put_off = n;
        if (n - first == MOST) {
            OB_TRY(plan_rest(b, first));
            if (!widens_weights(b, node)) return OB_OK; /* what it reads is planned now */
        }
    }
    const ob_node **grown = ob__list_in_arena(&b->scratch, b->put_off, &b->put_off_capacity, b->n_put_off + 1, sizeof *grown);
    if (!grown) return OB_E_MEMORY;
    b->put_off = grown;
    b->put_off[b->n_put_off++] = node;
    *done = true;
    return OB_OK;
}

static ob_status plan_operand(void *context, ob_value *value) {
    ob_builder *b = context;
    const ob_node *node = value->producer;
    uint32_t i = 0;
    while (i < b->n_put_off && b->put_off[i] != node) i++;
    if (!node || i == b->n_put_off) return OB_OK;
    b->put_off[i] = NULL;
    OB_TRY(ob__each_read(node, plan_operand, b));
    return ob__plan_node(b, node);
}

static ob_status plan_put_off(ob_builder *b, const ob_node *node) {
    return b->n_put_off ? ob__each_read(node, plan_operand, b) : OB_OK;
}

ob_status ob__plan_graph(ob_builder *b, const ob_graph *graph) {
    const uint32_t first = b->n_put_off; /* those of graphs around this one are planned there */
    for (const ob_node *node = graph->first; node; node = node->next) {
        const ob_group *group = b->session->groups ? b->session->groups[node->id] : NULL;
        if (!b->session->live[node->id]) continue;
        OB_TRY(ob__stop_ask(b->session, &b->session->threads, b->error));
        if (!group) {
            bool put_off;
            OB_TRY(try_put_off(b, node, first, &put_off));
            if (put_off) continue;
        }
        OB_TRY(plan_put_off(b, node));
        if (!group)
            OB_TRY(ob__plan_node(b, node));
        else if (ob__group_last(group) == node) /* its other nodes have no readers outside */
            OB_TRY(ob__plan_group(b, group));
    }
    return plan_rest(b, first);
}
