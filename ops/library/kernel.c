/* The kernel of a library's operators, and the functions that the host offers to it. */
#include <string.h>

#include "core/base/error.h"
#include "ops/library/library.h"

/* Placed before the library's own state, which is 16-byte aligned. */
typedef struct state_head {
    _Alignas(16) const ob_library_op *op; /* NULL: never planned */
    const ob_node *node;                  /* kept because a library may read attributes while it runs */
    const ob_allocator *allocator;        /* the session's */
} state_head;

/* ---- The kernel ---- */

static void begin(ob_library_call *c, ob_phase phase, const ob_kernel_args *args) {
    const state_head *head = args->state;
    ob__library_call_init(c, phase, head->op, head->node);
    c->args = args;
    c->open.inputs = args->in;
    c->open.outputs = args->out;
    c->open.state = c->op->row->state_bytes ? (state_head *)args->state + 1 : NULL;
}

static ob_status end(ob_library_call *c, const char *function, ob_status returned, ob_error *error) {
    ob_status status = ob__library_conclude(c, function, returned);
    if (status == OB_OK) return OB_OK;
    if (error) {
        error->axis = c->axis;
        if (c->operand >= 0 && c->node->inputs[c->operand])
            ob__copy_text(error->value, sizeof error->value, c->node->inputs[c->operand]->name);
    }
    return ob__fail(error, status, "%s", c->message);
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    ob_library_call c;
    *(state_head *)args->state = (state_head){(const ob_library_op *)site->op, site->node, site->allocator};
    begin(&c, OB_PHASE_PLAN, args);
    if (!c.op->row->plan) return OB_OK;
    c.needs = needs;
    c.open.allocator = site->allocator;
    return end(&c, "plan", c.op->row->plan(&c.open), error);
}

static ob_status check_outputs(ob_library_call *c) {
    for (uint32_t i = 0; i < c->args->n_out; i++) {
        const ob_view *out = &c->args->out[i];
        if (out->dtype != OB_NONE && out->rank == OB_RANK_UNKNOWN) return ob__library_misbehaves(c, "makes no output %u", i);
    }
    return OB_OK;
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    ob_library_call c;
    begin(&c, OB_PHASE_RUN, args);
    c.open.scratch = args->scratch;
    ob_status status = c.op->row->run(&c.open);
    if (status == OB_OK && c.failure == OB_OK) status = check_outputs(&c);
    return end(&c, "run", status, error);
}

static void release(void *state, const ob_allocator *allocator) {
    const ob_library_op *op = ((const state_head *)state)->op;
    if (!op || !op->row->release) return;
    ob_library_call c;
    ob__library_call_init(&c, OB_PHASE_RELEASE, op, NULL);
    c.open.state = op->row->state_bytes ? (state_head *)state + 1 : NULL;
    c.open.allocator = allocator;
    op->row->release(&c.open);
}

ob_kernel ob__library_kernel(const ob_operator *row) {
    unsigned flags = (row->flags & OB_OPERATOR_STRIDED ? OB_KERNEL_STRIDED : 0u) |
                     (row->flags & OB_OPERATOR_IN_PLACE ? OB_KERNEL_INPLACE : 0u) |
                     (row->flags & OB_OPERATOR_DATA_SHAPE ? OB_KERNEL_DYNAMIC : 0u);
    return (ob_kernel){.name = row->name,
                       .flags = flags,
                       .state_bytes = sizeof(state_head) + row->state_bytes,
                       .plan = plan,
                       .run = run,
                       .release = release};
}

/* ---- Functions for plan and run ---- */

ob_status ob__host_need_scratch(ob_operator_call *call, size_t n_bytes) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_PLAN, "need_scratch");
    if (!c) return OB_E_INTERNAL;
    if (n_bytes > SIZE_MAX / 8)
        return ob__library_fail(c, OB_E_LIMIT, -1, -1, "scratch memory of %zu bytes is too large", n_bytes);
    if (n_bytes > c->needs->scratch_bytes) c->needs->scratch_bytes = n_bytes;
    return OB_OK;
}

/* Passes on the message of a failed call. */
static ob_status keep(ob_library_call *c, ob_status status, const ob_error *error) {
    if (status == OB_OK) return OB_OK;
    return ob__library_fail(c, status, -1, error->axis, "%s", error->message[0] ? error->message : ob_status_text(status));
}

ob_status ob__host_view_init(ob_operator_call *call, ob_view *view, void *data, ob_dtype dtype, int32_t rank,
                             const int64_t *dims) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_PLAN | OB_PHASE_RUN, "view_init");
    if (!c) return OB_E_INTERNAL;
    ob_status status = ob_view_init(view, data, dtype, rank, dims);
    if (status == OB_OK) return OB_OK;
    return ob__library_fail(c, status, -1, -1, "view_init: %s", ob_status_text(status));
}

ob_status ob__host_view_broadcast(ob_operator_call *call, const ob_view *from, int32_t rank, const int64_t *dims, ob_view *out) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_PLAN | OB_PHASE_RUN, "view_broadcast");
    if (!c) return OB_E_INTERNAL;
    ob_error error;
    ob_error_clear(&error);
    return keep(c, ob_view_broadcast(from, rank, dims, out, &error), &error);
}

ob_status ob__host_for_each(ob_operator_call *call, const ob_view *inputs, size_t n_inputs, const ob_view *outputs,
                            size_t n_outputs, ob_loop loop, const void *parameters) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_RUN, "for_each");
    if (!c) return OB_E_INTERNAL;
    ob_error error;
    ob_error_clear(&error);
    const state_head *head = c->args->state;
    ob_status status = ob_for_each(inputs, n_inputs, outputs, n_outputs, loop, parameters, head->allocator, &error);
    return keep(c, status, &error);
}

ob_status ob__host_parallel(ob_operator_call *call, int64_t n, int64_t grain,
                            void (*task)(void *context, int64_t begin, int64_t end), void *context) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_RUN, "parallel");
    if (!c) return OB_E_INTERNAL;
    if (!task || n < 0 || grain < 0) return ob__library_misbehaves(c, "calls parallel with NULL or a negative number");
    /* The library may use the results next, so this work is not interrupted by a cancellation. */
    ob_threads threads = c->args->threads ? *c->args->threads : (ob_threads){.n_threads = 1};
    threads.stop = NULL;
    ob__parallel(&threads, n, grain, task, context);
    return c->failure;
}

ob_status ob__host_make_output(ob_operator_call *call, uint32_t output, int32_t rank, const int64_t *dims) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_RUN, "make_output");
    if (!c) return OB_E_INTERNAL;
    if (output >= c->args->n_out || c->args->out[output].dtype == OB_NONE)
        return ob__library_misbehaves(c, "makes output %u, which the node does not have", output);
    if (c->args->out[output].rank != OB_RANK_UNKNOWN)
        return ob__library_misbehaves(c, "makes output %u, which has its memory already", output);
    bool bad = rank < 0 || rank > OB_MAX_RANK || (rank > 0 && !dims);
    for (int32_t axis = 0; axis < rank && !bad; axis++) bad = dims[axis] < 0;
    if (bad) return ob__library_misbehaves(c, "makes output %u with an impossible shape of rank %d", output, rank);
    ob_status status = ob__kernel_output(c->args, output, rank, dims, NULL);
    if (status == OB_OK) return OB_OK;
    return ob__library_fail(c, status, -1, -1, "no memory for output %u: %s", output, ob_status_text(status));
}

char *ob__host_text_bytes(ob_operator_call *call, size_t n_bytes) {
    ob_library_call *c = ob__library_call_of(call, OB_PHASE_RUN, "text_bytes");
    if (!c) return NULL;
    if (!c->args->strings) {
        ob__library_fail(c, OB_E_UNSUPPORTED, -1, -1, "strings cannot be made here");
        return NULL;
    }
    char *bytes = ob__arena_alloc(c->args->strings, n_bytes);
    if (!bytes) ob__library_fail(c, OB_E_MEMORY, -1, -1, "no memory for %zu bytes of strings", n_bytes);
    return bytes;
}
