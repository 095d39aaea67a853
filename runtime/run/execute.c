/* Computes one node immediately: constants during planning, dynamic steps and subgraphs during a run. */
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/graph/copy.h"
#include "ops/infer/infer.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "passes/check/propagate.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/prepared.h"
#include "runtime/run/cells.h"
#include "runtime/run/steps.h"
#include "runtime/session.h"
#include "runtime/stop.h"
#include "runtime/takes.h"

/* A call of one kernel. args comes first: make_output finds the rest from it. */
typedef struct call {
    ob_kernel_args args;
    const ob_node *node;
    ob_session *session;
    ob_owned_memory **list, **spare;
    ob_arena arena;
    ob_error *error;
} call;

static ob_status new_output(call *c, ob_view *out, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    uint64_t n_bytes;
    OB_FAIL_IF(rank < 0 || rank > OB_MAX_RANK || !ob__tensor_bytes(dtype, rank, dims, &n_bytes), c->error, OB_E_LIMIT,
               "a result has more bytes than can be addressed");
    void *data = ob__own_result(&c->session->allocator, c->list, c->spare, n_bytes);
    OB_FAIL_IF(!data, c->error, OB_E_MEMORY, "no memory for %llu bytes of a result", (unsigned long long)n_bytes);
    return ob_view_init(out, data, dtype, rank, dims);
}

static ob_status make_output(const ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims, ob_error *error) {
    call *c = (call *)(uintptr_t)args;
    (void)error; /* the call's */
    return new_output(c, &args->out[i], args->out[i].dtype, rank, dims);
}

/* Elements that a shape rule may ask for: small integer tensors, and a few numbers of any other type that are whole: OneHot's
 * depth, the lengths of Split's first version. */
static ob_status read_elements(const ob_view *view, ob_arena *arena, ob_content *out) {
    enum { FEW = 16 };
    double numbers[FEW];
    uint32_t n;
    bool few = false;
    if (!ob__has_content(view, &n)) {
        const int64_t count = ob_view_count(view);
        if (count < 1 || count > FEW || !view->data || !ob_view_is_contiguous(view)) return OB_OK;
        if (ob__convert(numbers, OB_DOUBLE, view->data, view->dtype, count, NULL) != OB_OK) return OB_OK;
        for (int64_t i = 0; i < count; i++)
            if (!(numbers[i] >= -1e15 && numbers[i] <= 1e15) || numbers[i] != trunc(numbers[i])) return OB_OK;
        n = (uint32_t)count;
        few = true;
    }
    ob_dim *dims = OB_ARENA_ARRAY(arena, ob_dim, n);
    if (!dims) return OB_E_MEMORY;
    if (!few) ob__read_content(view, n, dims);
    for (uint32_t k = 0; k < n; k++) dims[k] = ob__saturated(few ? (int64_t)numbers[k] : dims[k]);
    *out = (ob_content){.n = n, .elems = dims};
    return OB_OK;
}

static ob_status infer(call *c) {
    const ob_node *node = c->node;
    ob_type *in = OB_ARENA_ARRAY(&c->arena, ob_type, node->n_inputs), *out = OB_ARENA_ARRAY(&c->arena, ob_type, node->n_outputs);
    ob_content *in_content = OB_ARENA_ARRAY(&c->arena, ob_content, node->n_inputs);
    ob_content *out_content = OB_ARENA_ARRAY(&c->arena, ob_content, node->n_outputs);
    if (!in || !out || !in_content || !out_content) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_view *view = &c->args.in[i];
        in[i].shape.rank = OB_RANK_UNKNOWN;
        if (c->args.cells && c->args.cells->in[i]) {
            const ob_type *known = &ob__fact(&c->session->facts, node->inputs[i])->type;
            OB_TRY(ob__type_of_cell(c->args.cells->in[i], known, &c->arena, &in[i]));
        }
        if (view->dtype == OB_NONE || ob__is_cell_type(&in[i])) continue;
        in[i] = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = view->dtype, .shape = {view->rank, view->dims}};
        OB_TRY(read_elements(view, &c->arena, &in_content[i]));
    }
    OB_TRY(ob__infer_node(c->session->model, node, in, in_content, out, out_content, &c->arena, c->error));
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        ob_view *view = &c->args.out[i];
        if (!node->outputs[i]) continue;
        view->dtype = out[i].kind == OB_TYPE_TENSOR ? out[i].dtype : OB_NONE;
        view->rank = OB_RANK_UNKNOWN;
        bool known = out[i].kind == OB_TYPE_TENSOR && out[i].dtype != OB_NONE && out[i].shape.rank >= 0 &&
                     out[i].shape.rank <= OB_MAX_RANK;
        for (int32_t k = 0; known && k < out[i].shape.rank; k++)
            known = ob_dim_is_const(out[i].shape.dims[k]) && out[i].shape.dims[k] >= 0;
        if (known)
            OB_TRY(ob__view_layout(view, out[i].dtype, out[i].shape.rank, out[i].shape.dims));
        else if (!(node->op->kernel->flags & (OB_KERNEL_DYNAMIC | OB_KERNEL_CELLS)) && !node->op->kernel->shape)
            return ob__fail(c->error, OB_E_UNSUPPORTED, "the shape of its result cannot be inferred from its operands");
    }
    return OB_OK;
}

static ob_status make_contiguous(call *c) {
    for (uint32_t i = 0; i < c->args.n_in; i++) {
        ob_view *view = &c->args.in[i], copy;
        if (view->dtype == OB_NONE || ob_view_is_contiguous(view)) continue;
        OB_TRY(new_output(c, &copy, view->dtype, view->rank, view->dims));
        ob__copy_view(&copy, view, c->args.threads);
        OB_TRY(ob__stop_status(c->session, c->args.threads, c->error));
        *view = copy;
    }
    return OB_OK;
}

/* Sizes that the shape rule left open. */
static ob_status shape_by_data(call *c, const ob_kernel *kernel) {
    bool open = false;
    for (uint32_t i = 0; i < c->args.n_out; i++) open |= c->args.out[i].dtype != OB_NONE && c->args.out[i].rank < 0;
    if (!open || !kernel->shape) return OB_OK;
    OB_TRY(make_contiguous(c));
    ob_kernel_site site = ob__site(c->session, c->node, &c->arena);
    return kernel->shape(&site, &c->args, c->error);
}

static ob_status give_scratch(call *c, const ob_kernel_needs *needs, ob_memory *memory) {
    ob_scratch scratch;
    bool fits = ob__scratch_of(needs, c->args.threads, &scratch);
    if (fits && scratch.n_bytes == 0) return OB_OK;
    OB_FAIL_IF(!fits || !ob__memory_alloc(memory, &c->session->allocator, scratch.n_bytes), c->error, OB_E_MEMORY,
               "no memory for the scratch of a kernel");
    c->args.scratch = memory->data;
    c->args.lanes = memory->data + scratch.lanes;
    c->args.lane_stride = scratch.lane_stride;
    return OB_OK;
}

static ob_status run_kernel(call *c, const ob_kernel *kernel) {
    const ob_allocator *allocator = &c->session->allocator;
    ob_kernel_needs needs = {0};
    ob_kernel_site site = ob__site(c->session, c->node, &c->arena);
    if (!kernel->run) return ob__fail(c->error, OB_E_UNSUPPORTED, "it has no kernel");
    if (!(kernel->flags & OB_KERNEL_STRIDED)) OB_TRY(make_contiguous(c));
    for (uint32_t i = 0; i < c->args.n_out; i++) {
        ob_view *out = &c->args.out[i];
        if (out->dtype != OB_NONE && out->rank != OB_RANK_UNKNOWN) OB_TRY(new_output(c, out, out->dtype, out->rank, out->dims));
    }
    c->args.state = OB_ARENA_ARRAY(&c->arena, char, kernel->state_bytes);
    if (!c->args.state) return OB_E_MEMORY;
    ob_status status = ob__plan_kernel(c->session, kernel, &site, &c->args, &needs, c->error);
    ob_memory scratch = {NULL, NULL, 0};
    if (status == OB_OK) status = ob__stop_status(c->session, c->args.threads, c->error);
    if (status == OB_OK)
        status = ob__prepare_constants(c->session, c->node, &needs, c->args.in, c->list, c->args.prepared, c->error);
    if (status == OB_OK) status = give_scratch(c, &needs, &scratch);
    if (status == OB_OK) status = kernel->run(&c->args, c->error);
    if (status == OB_OK) status = ob__stop_status(c->session, c->args.threads, c->error);
    ob__memory_free(&scratch, allocator);
    if (kernel->release) kernel->release(c->args.state, allocator);
    return status;
}

static bool holds_cell(const call *c) {
    for (uint32_t i = 0; c->args.cells && i < c->args.n_in; i++)
        if (c->args.cells->in[i] && c->node->op->kernel->flags & OB_KERNEL_CELLS) return true;
    return false;
}

static ob_status execute(call *c, const ob_view *in, ob_view *out) {
    const ob_node *node = c->node;
    const ob_kernel *kernel = node->op->kernel;
    c->args.in = OB_ARENA_ARRAY(&c->arena, ob_view, node->n_inputs);
    c->args.out = OB_ARENA_ARRAY(&c->arena, ob_view, node->n_outputs);
    if (!c->args.in || !c->args.out) return OB_E_MEMORY;
    c->args.conversions = &ob__all_conversions;
    if (node->n_inputs) memcpy(c->args.in, in, node->n_inputs * sizeof *in);
    OB_TRY(infer(c));
    OB_TRY(shape_by_data(c, kernel));
    ob_status status = OB_E_UNSUPPORTED;
    if (kernel->flags & OB_KERNEL_VIEW && kernel->view && !holds_cell(c)) {
        ob_view *planned = OB_ARENA_ARRAY(&c->arena, ob_view, node->n_outputs);
        if (!planned) return OB_E_MEMORY;
        if (node->n_outputs) memcpy(planned, c->args.out, node->n_outputs * sizeof *planned);
        ob_kernel_site site = ob__site(c->session, c->node, &c->arena);
        status = kernel->view(&site, &c->args, NULL);
        if (status != OB_OK && node->n_outputs) memcpy(c->args.out, planned, node->n_outputs * sizeof *planned);
    }
    if (status != OB_OK) OB_TRY(run_kernel(c, kernel));
    if (node->n_outputs) memcpy(out, c->args.out, node->n_outputs * sizeof *out);
    return OB_OK;
}

/* Only a kernel that sees cells gets them; others see the tensors in them. */
static ob_status check_cells(const ob_node *node, const ob_kernel_cells *cells, ob_error *error) {
    for (uint32_t i = 0; cells && !(node->op->kernel->flags & OB_KERNEL_CELLS) && i < node->n_inputs; i++)
        OB_FAIL_IF(cells->in[i] && cells->in[i]->kind != OB_CELL_TENSOR, error, OB_E_TYPE, "operand %u is not a tensor", i);
    return OB_OK;
}

ob_status ob__execute_node(ob_session *session, const ob_node *node, const ob_view *in, ob_view *out, ob_kernel_cells *cells,
                           ob_owned_memory **list, ob_owned_memory **spare, ob_arena *strings, ob_error *error) {
    call c = {.node = node,
              .args = {.n_in = node->n_inputs,
                       .n_out = node->n_outputs,
                       .threads = &session->threads,
                       .strings = strings,
                       .cells = cells,
                       .make_output = make_output},
              .session = session,
              .list = list,
              .spare = spare,
              .error = error};
    ob__arena_init(&c.arena, &session->allocator);
    ob_status status = check_cells(node, cells, error);
    if (status == OB_OK) status = execute(&c, in, out);
    ob__arena_release(&c.arena);
    if (status == OB_OK) return OB_OK;
    return ob__at_node(error, node, ob__described(error, status, ""));
}
