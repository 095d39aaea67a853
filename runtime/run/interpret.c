/* If, Loop and Scan whose bodies cannot be planned: their state is not a tensor, or sizes change from one iteration to the
 * next. The body's nodes run one by one. The values of an iteration are freed with it, except the state, which is in cells, and
 * stacked values. So memory does not grow with the number of iterations. */
#include "runtime/run/interpret.h"

#include <string.h>

#include "core/base/error.h"
#include "core/graph/copy.h"
#include "ops/control/params.h"
#include "ops/kernel/common.h"
#include "ops/table/op.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/run/cells.h"
#include "runtime/run/steps.h"
#include "runtime/stop.h"

/* ---- Values ---- */

/* The value of an operand with one element; `otherwise` if the operand is absent. */
static ob_status read_one(const ob_frame *frame, const ob_value *value, int64_t otherwise, int64_t *out, ob_error *error) {
    ob_view view;
    *out = otherwise;
    if (!value) return OB_OK;
    OB_TRY(ob__find_view(frame, value, &view, error));
    OB_FAIL_IF(ob_view_count(&view) != 1 || (view.dtype != OB_INT64 && view.dtype != OB_BOOL), error, OB_E_TYPE,
               "%s is not one %s", value->name, view.dtype == OB_BOOL ? "bool" : "int64");
    if (view.dtype == OB_BOOL)
        *out = *(const uint8_t *)view.data != 0;
    else
        memcpy(out, view.data, sizeof *out);
    return OB_OK;
}

/* A hold of the value as a cell: its own, or a copy of the tensor. */
static ob_status take_value(const ob_frame *frame, const ob_value *value, ob_cell **out, ob_error *error) {
    ob_view view;
    *out = ob__cell_hold(frame->cells[value->id]);
    if (*out) return OB_OK;
    OB_TRY(ob__find_view(frame, value, &view, error));
    return ob_cell_tensor(&view, &frame->allocator, out, error);
}

static void set_cell(ob_frame *frame, const ob_value *value, ob_cell *cell) {
    frame->dynamic[value->id] = NULL;
    ob__keep_cell(frame, value, cell);
}

static void set_view(ob_frame *frame, const ob_value *value, const ob_view *view) {
    ob__keep_cell(frame, value, NULL);
    frame->dynamic[value->id] = view;
}

/* Recursion is as deep as subgraphs are nested, which the loader bounds. */
static void forget_graph(ob_frame *frame, const ob_graph *graph) {
    for (uint32_t i = 0; i < graph->n_inputs; i++) set_cell(frame, graph->inputs[i], NULL);
    for (const ob_node *node = graph->first; node; node = node->next) {
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i]) set_cell(frame, node->outputs[i], NULL);
        for (uint32_t i = 0; i < node->n_attributes; i++)
            if (node->attributes[i]->type == OB_ATTR_GRAPH && node->attributes[i]->u.graph)
                forget_graph(frame, node->attributes[i]->u.graph);
    }
}

/* ---- Running a body ---- */

static ob_status run_graph(ob_frame *frame, const ob_graph *graph, ob_error *error) {
    ob_part *part;
    OB_TRY(ob__body_part(frame->session, graph, &part));
    return ob__run_part(frame, part, error);
}

/* Memory of one iteration; it replaces the frame's during the iteration. */
typedef struct scope {
    ob_arena views, strings;
    ob_owned_memory *owned;
} scope;

static void open_scope(ob_frame *frame, scope *outer) {
    *outer = (scope){frame->dynamic_arena, frame->strings, frame->dynamic_owned};
    ob__arena_init(&frame->dynamic_arena, &frame->allocator);
    ob__arena_init(&frame->strings, &frame->allocator);
    frame->dynamic_owned = NULL;
}

static void close_scope(ob_frame *frame, const ob_graph *body, const scope *outer) {
    forget_graph(frame, body);
    ob__arena_release(&frame->dynamic_arena);
    ob__arena_release(&frame->strings);
    ob__free_owned(&frame->session->allocator, &frame->dynamic_owned);
    frame->dynamic_arena = outer->views;
    frame->strings = outer->strings;
    frame->dynamic_owned = outer->owned;
}

/* ---- If ---- */

static ob_status run_if(ob_frame *frame, const ob_node *node, ob_error *error) {
    ob_if_params params;
    ob_control_problem problem;
    int64_t condition;
    OB_FAIL_IF(!ob__if_params(node, &params, &problem), error, OB_E_MODEL, "%s", problem.text);
    OB_TRY(read_one(frame, node->inputs[0], 1, &condition, error));
    const ob_graph *branch = params.branches[condition ? 0 : 1];
    OB_FAIL_IF(!ob__branch_fits(node, branch, &problem), error, OB_E_MODEL, "%s", problem.text);
    scope outer;
    open_scope(frame, &outer);
    ob_cell **results = ob__arena_calloc(&outer.views, node->n_outputs, sizeof *results); /* they outlive the branch */
    ob_status status = results ? run_graph(frame, branch, error) : OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_outputs && status == OB_OK; i++)
        status = take_value(frame, branch->outputs[i], &results[i], error);
    close_scope(frame, branch, &outer);
    for (uint32_t i = 0; i < node->n_outputs && results; i++) {
        if (status == OB_OK && node->outputs[i])
            set_cell(frame, node->outputs[i], results[i]);
        else
            ob_cell_close(&results[i]);
    }
    return status;
}

/* ---- Loop and Scan ---- */

typedef struct looping {
    ob_frame *frame;
    const ob_node *node;
    ob_loop_params params;
    ob_cell **state;   /* n_state */
    ob_cell **stacked; /* n_stacked lists of the iterations' results */
    ob_view *scanned;  /* the operands; for Scan-8 those of the current sequence */
    ob_view *slices;
    int64_t t;
    uint8_t goes_on;
    ob_view t_view, condition_view;
    ob_error *error;
} looping;

static void drop_axis(const ob_view *whole, int32_t axis, int64_t at, ob_view *view) {
    *view = *whole;
    view->data = whole->data ? (char *)whole->data + at * whole->strides[axis] : NULL;
    view->rank--;
    for (int32_t k = axis; k < view->rank; k++) {
        view->dims[k] = whole->dims[k + 1];
        view->strides[k] = whole->strides[k + 1];
    }
}

static ob_status scan_axis(const looping *l, bool is_output, uint32_t i, int32_t rank, int32_t *out) {
    int64_t axis = ob__scan_axis(l->node, is_output, i);
    OB_FAIL_IF(axis < -(int64_t)rank || axis >= rank, l->error, OB_E_ARGUMENT, "axis %lld is outside a tensor of rank %d",
               (long long)axis, rank);
    *out = (int32_t)(axis < 0 ? axis + rank : axis);
    return OB_OK;
}

/* The largest number of iterations, by the scanned operands. */
static ob_status count_scanned(const looping *l, int64_t *n) {
    for (uint32_t i = 0; i < l->params.n_scanned; i++) {
        int32_t axis = 0;
        OB_TRY(scan_axis(l, false, i, l->scanned[i].rank, &axis));
        int64_t length = l->scanned[i].dims[axis];
        OB_FAIL_IF(i > 0 && length != *n, l->error, OB_E_SHAPE, "operands to scan have different lengths: %lld and %lld",
                   (long long)*n, (long long)length);
        *n = length;
    }
    return OB_OK;
}

static ob_status set_slices(looping *l) {
    for (uint32_t i = 0; i < l->params.n_scanned; i++) {
        int32_t axis = 0;
        OB_TRY(scan_axis(l, false, i, l->scanned[i].rank, &axis));
        int64_t last = l->scanned[i].dims[axis] - 1;
        drop_axis(&l->scanned[i], axis, ob__scan_is_backward(l->node, false, i) ? last - l->t : l->t, &l->slices[i]);
        set_view(l->frame, l->params.body->inputs[l->params.own_inputs + l->params.n_state + i], &l->slices[i]);
    }
    return OB_OK;
}

/* The body's inputs of this iteration: the state moves into it. */
static ob_status enter_body(looping *l) {
    const ob_graph *body = l->params.body;
    if (l->params.own_inputs > 0) {
        set_view(l->frame, body->inputs[0], &l->t_view);
        set_view(l->frame, body->inputs[1], &l->condition_view);
    }
    for (uint32_t i = 0; i < l->params.n_state; i++) {
        set_cell(l->frame, body->inputs[l->params.own_inputs + i], l->state[i]);
        l->state[i] = NULL;
    }
    return set_slices(l);
}

static ob_status leave_body(looping *l) {
    const ob_graph *body = l->params.body;
    uint32_t own = l->params.own_outputs;
    int64_t again = 1;
    if (own > 0) OB_TRY(read_one(l->frame, body->outputs[0], 1, &again, l->error));
    l->goes_on = again != 0;
    for (uint32_t i = 0; i < l->params.n_state; i++) OB_TRY(take_value(l->frame, body->outputs[own + i], &l->state[i], l->error));
    for (uint32_t i = 0; i < l->params.n_stacked; i++) {
        ob_cell *item = NULL;
        OB_TRY(take_value(l->frame, body->outputs[own + l->params.n_state + i], &item, l->error));
        OB_TRY(ob__cell_insert(&l->stacked[i], ob_cell_count(l->stacked[i]), item, l->error));
    }
    return OB_OK;
}

static ob_status run_iterations(looping *l, int64_t n) {
    for (l->t = 0; l->goes_on && l->t < n; l->t++) {
        scope outer;
        open_scope(l->frame, &outer);
        ob_status status = enter_body(l);
        if (status == OB_OK) status = run_graph(l->frame, l->params.body, l->error);
        if (status == OB_OK) status = leave_body(l);
        close_scope(l->frame, l->params.body, &outer);
        OB_TRY(status);
    }
    return OB_OK;
}

/* ---- Stacked results ---- */

/* The shape of result i without an iteration: unknown sizes are 0. */
static ob_status guess_item(const looping *l, uint32_t i, ob_view *out) {
    const ob_value *value = l->params.body->outputs[l->params.own_outputs + l->params.n_state + i];
    const ob_type *type = &ob__fact(&l->frame->session->facts, value)->type;
    const ob_shape shape = ob__item_shape(type, value);
    int32_t rank = shape.rank;
    ob_dtype dtype = type->dtype == OB_NONE ? value->declared.dtype : type->dtype;
    int64_t dims[OB_MAX_RANK];
    bool is_tensor = type->kind == OB_TYPE_TENSOR || (type->kind == OB_TYPE_UNKNOWN && value->declared.kind == OB_TYPE_TENSOR);
    OB_FAIL_IF(!is_tensor || dtype == OB_NONE || rank > OB_MAX_RANK, l->error, OB_E_UNSUPPORTED,
               "without an iteration the type of %s is not known", value->name);
    for (int32_t k = 0; k < rank; k++) dims[k] = ob_dim_is_const(shape.dims[k]) && shape.dims[k] >= 0 ? shape.dims[k] : 0;
    return ob__view_layout(out, dtype, rank, dims);
}

static bool same_dims(const ob_view *a, const ob_view *b) {
    if (a->rank != b->rank || a->dtype != b->dtype) return false;
    for (int32_t k = 0; k < a->rank; k++)
        if (a->dims[k] != b->dims[k]) return false;
    return true;
}

static ob_status insert_axis(const looping *l, const ob_view *item, int32_t axis, int64_t n, int64_t *dims) {
    OB_FAIL_IF(item->rank == OB_MAX_RANK, l->error, OB_E_LIMIT, "a result has more than %d axes", OB_MAX_RANK);
    for (int32_t k = 0; k <= item->rank; k++) dims[k] = k == axis ? n : item->dims[k - (k > axis)];
    return OB_OK;
}

/* The items of a list as one tensor with a new axis of `n` (more than there are items: zeros behind them); *out is a new cell.
 * */
static ob_status stack(const looping *l, const ob_cell *list, const ob_view *like, int32_t axis, bool backward, int64_t n,
                       ob_cell **out) {
    int64_t dims[OB_MAX_RANK], n_items = (int64_t)ob_cell_count(list);
    ob_cell *cell;
    ob_view whole, item, slice;
    OB_TRY(insert_axis(l, like, axis, n, dims));
    OB_TRY(ob__cell_new_tensor(like->dtype, like->rank + 1, dims, &l->frame->allocator, &cell, l->error));
    ob_cell_view(cell, &whole);
    ob_status status = OB_OK;
    if (n_items < n) memset(whole.data, 0, (size_t)ob_view_count(&whole) * ob_dtype_size(whole.dtype));
    for (int64_t k = 0; k < n_items && status == OB_OK; k++) {
        bool is_tensor = ob_cell_view(ob_cell_at(list, (size_t)k), &item);
        if (!is_tensor || !same_dims(&item, like)) {
            status = ob__fail(l->error, OB_E_SHAPE, "iteration %lld gives another shape than the first", (long long)k);
            break;
        }
        drop_axis(&whole, axis, backward ? n_items - 1 - k : k, &slice);
        ob__copy_view(&slice, &item, l->frame->threads);
        status = ob__stop_status(l->frame->session, l->frame->threads, l->error);
    }
    if (status == OB_OK && like->dtype == OB_STRING) status = ob_cell_tensor(&whole, &l->frame->allocator, out, l->error);
    if (status == OB_OK && like->dtype != OB_STRING)
        *out = cell;
    else
        ob_cell_close(&cell);
    return status;
}

/* Stacked result i over all iterations (n for one sequence). */
static ob_status stack_result(const looping *l, uint32_t i, int64_t n, ob_cell **out) {
    const ob_cell *first = ob_cell_at(l->stacked[i], 0);
    ob_view like;
    int32_t axis = 0;
    if (!first)
        OB_TRY(guess_item(l, i, &like));
    else if (!ob_cell_view(first, &like))
        return ob__fail(l->error, OB_E_TYPE, "only tensors can be stacked");
    if (l->params.is_scan) OB_TRY(scan_axis(l, true, i, like.rank + 1, &axis));
    bool backward = l->params.is_scan && ob__scan_is_backward(l->node, true, i);
    return stack(l, l->stacked[i], &like, axis, backward, n, out);
}

/* ---- The whole ---- */

static ob_status new_lists(looping *l) {
    for (uint32_t i = 0; i < l->params.n_stacked; i++) {
        ob_cell_close(&l->stacked[i]);
        OB_TRY(ob__cell_new_list(OB_CELL_SEQUENCE, OB_NONE, 0, &l->frame->allocator, &l->stacked[i], l->error));
    }
    return OB_OK;
}

/* Puts result i, state or stacked, where its readers find it. */
static void give(const looping *l, uint32_t i, ob_cell **cell) {
    if (l->node->outputs[i])
        set_cell(l->frame, l->node->outputs[i], *cell);
    else
        ob_cell_close(cell);
    *cell = NULL;
}

static ob_status run_plain(looping *l, int64_t n_trips) {
    OB_TRY(count_scanned(l, &n_trips));
    OB_TRY(new_lists(l));
    OB_TRY(run_iterations(l, n_trips));
    for (uint32_t i = 0; i < l->params.n_stacked; i++) {
        ob_cell *cell = NULL;
        OB_TRY(stack_result(l, i, l->t, &cell));
        give(l, l->params.n_state + i, &cell);
    }
    for (uint32_t i = 0; i < l->params.n_state; i++) give(l, i, &l->state[i]);
    return OB_OK;
}

/* Scan-8: sequences one after the other; each has its own state, and its results stand beside each other along axis 0. */
typedef struct batching {
    ob_view *scanned;  /* with the batch axis */
    ob_cell **initial; /* the same */
    ob_cell **results; /* a list for each result */
    int64_t n;
} batching;

static ob_status read_length(const looping *l, int64_t batch, int64_t n, int64_t *out) {
    const ob_value *value = l->node->inputs[0];
    ob_view view;
    *out = n;
    if (!value) return OB_OK;
    OB_TRY(ob__find_view(l->frame, value, &view, l->error));
    OB_FAIL_IF(view.dtype != OB_INT64 || view.rank != 1 || batch >= view.dims[0], l->error, OB_E_SHAPE,
               "sequence_lens does not have one length for each sequence");
    memcpy(out, (const char *)view.data + batch * view.strides[0], sizeof *out);
    OB_FAIL_IF(*out < 0 || *out > n, l->error, OB_E_SHAPE, "sequence_lens[%lld] is %lld, but the sequences have %lld elements",
               (long long)batch, (long long)*out, (long long)n);
    return OB_OK;
}

static ob_status run_sequence(looping *l, const batching *b, int64_t batch) {
    int64_t n = 0, length;
    ob_view view, element;
    for (uint32_t i = 0; i < l->params.n_scanned; i++) drop_axis(&b->scanned[i], 0, batch, &l->scanned[i]);
    for (uint32_t i = 0; i < l->params.n_state; i++) {
        bool fits = ob_cell_view(b->initial[i], &view) && view.rank > 0 && batch < view.dims[0];
        OB_FAIL_IF(!fits, l->error, OB_E_SHAPE, "initial state %u does not have one element for each sequence", i);
        drop_axis(&view, 0, batch, &element);
        OB_TRY(ob_cell_tensor(&element, &l->frame->allocator, &l->state[i], l->error));
    }
    OB_TRY(count_scanned(l, &n));
    OB_TRY(read_length(l, batch, n, &length));
    OB_TRY(new_lists(l));
    l->goes_on = 1;
    OB_TRY(run_iterations(l, length));
    for (uint32_t i = 0; i < l->params.n_state + l->params.n_stacked; i++) {
        ob_cell *cell = NULL;
        if (i < l->params.n_state) {
            cell = l->state[i];
            l->state[i] = NULL;
        } else
            OB_TRY(stack_result(l, i - l->params.n_state, n, &cell));
        OB_TRY(ob__cell_insert(&b->results[i], (size_t)batch, cell, l->error));
    }
    return OB_OK;
}

static ob_status join_batches(const looping *l, const batching *b, uint32_t i, ob_cell **out) {
    ob_view like;
    OB_FAIL_IF(!ob_cell_view(ob_cell_at(b->results[i], 0), &like), l->error, OB_E_SHAPE, "there is no sequence to scan");
    return stack(l, b->results[i], &like, 0, false, b->n, out);
}

static ob_status run_each_sequence(looping *l, batching *b) {
    uint32_t n_results = l->params.n_state + l->params.n_stacked;
    for (uint32_t i = 0; i < l->params.n_scanned; i++) {
        OB_FAIL_IF(b->scanned[i].rank < 1 || (i > 0 && b->scanned[i].dims[0] != b->n), l->error, OB_E_SHAPE,
                   "operands to scan have different numbers of sequences");
        b->n = b->scanned[i].dims[0];
    }
    for (uint32_t i = 0; i < n_results; i++)
        OB_TRY(ob__cell_new_list(OB_CELL_SEQUENCE, OB_NONE, (size_t)b->n, &l->frame->allocator, &b->results[i], l->error));
    for (int64_t batch = 0; batch < b->n; batch++) OB_TRY(run_sequence(l, b, batch));
    for (uint32_t i = 0; i < n_results; i++) {
        ob_cell *cell = NULL;
        OB_TRY(join_batches(l, b, i, &cell));
        give(l, i, &cell);
    }
    return OB_OK;
}

static ob_status run_batches(looping *l, ob_arena *arena) {
    uint32_t n_results = l->params.n_state + l->params.n_stacked;
    batching b = {.scanned = l->scanned, .initial = l->state, .results = ob__arena_calloc(arena, n_results, sizeof(ob_cell *))};
    l->scanned = OB_ARENA_ARRAY(arena, ob_view, l->params.n_scanned);
    l->state = ob__arena_calloc(arena, l->params.n_state, sizeof(ob_cell *));
    ob_status status = b.results && l->scanned && l->state ? run_each_sequence(l, &b) : OB_E_MEMORY;
    ob__drop_cells(b.initial, l->params.n_state);
    if (b.results) ob__drop_cells(b.results, n_results);
    if (!l->state) l->params.n_state = 0;
    return status;
}

/* The operands, as they are before the first iteration. */
static ob_status read_operands(looping *l, ob_arena *arena) {
    const ob_node *node = l->node;
    ob_cell **in = ob__arena_calloc(arena, node->n_inputs, sizeof *in);
    l->scanned = OB_ARENA_ARRAY(arena, ob_view, l->params.n_scanned);
    l->slices = OB_ARENA_ARRAY(arena, ob_view, l->params.n_scanned);
    if (!in || !l->scanned || !l->slices) return OB_E_MEMORY;
    ob_status status = OB_OK;
    for (uint32_t i = 0; i < l->params.n_scanned && status == OB_OK; i++)
        status = ob__find_view(l->frame, node->inputs[l->params.first + l->params.n_state + i], &l->scanned[i], l->error);
    ob__take_operands(l->frame, node, in);
    for (uint32_t i = 0; i < l->params.n_state && status == OB_OK; i++) {
        ob_cell **held = &in[l->params.first + i];
        l->state[i] = *held;
        if (!*held) status = take_value(l->frame, node->inputs[l->params.first + i], &l->state[i], l->error);
        *held = NULL;
    }
    ob__drop_cells(in, node->n_inputs);
    return status;
}

static ob_status run_looping(looping *l, ob_arena *arena) {
    const ob_node *node = l->node;
    int64_t n_trips = INT64_MAX, goes_on = 1;
    l->state = ob__arena_calloc(arena, l->params.n_state, sizeof(ob_cell *));
    l->stacked = ob__arena_calloc(arena, l->params.n_stacked, sizeof(ob_cell *));
    ob_status status = l->state && l->stacked ? read_operands(l, arena) : OB_E_MEMORY;
    if (status == OB_OK && !l->params.is_scan) status = read_one(l->frame, node->inputs[0], INT64_MAX, &n_trips, l->error);
    if (status == OB_OK && !l->params.is_scan) status = read_one(l->frame, node->inputs[1], 1, &goes_on, l->error);
    l->goes_on = goes_on != 0;
    if (status == OB_OK) status = l->params.has_batch ? run_batches(l, arena) : run_plain(l, n_trips);
    if (l->state) ob__drop_cells(l->state, l->params.n_state);
    if (l->stacked) ob__drop_cells(l->stacked, l->params.n_stacked);
    return status;
}

static ob_status start_looping(looping *l, ob_arena *arena) {
    const ob_node *node = l->node;
    ob_control_problem problem;
    OB_FAIL_IF(!ob__loop_params(node, &l->params, &problem), l->error, OB_E_MODEL, "%s", problem.text);
    OB_TRY(ob_view_init(&l->t_view, &l->t, OB_INT64, l->params.own_rank[0], ob__loop_own_dims));
    OB_TRY(ob_view_init(&l->condition_view, &l->goes_on, OB_BOOL, l->params.own_rank[1], ob__loop_own_dims));
    return run_looping(l, arena);
}

/* The loop has separate memory, because bodies are nested. */
static ob_status run_loop(ob_frame *frame, const ob_node *node, ob_error *error) {
    ob_arena arena;
    ob__arena_init(&arena, &frame->allocator);
    looping *l = OB_ARENA_NEW(&arena, looping);
    if (l) *l = (looping){.frame = frame, .node = node, .error = error};
    ob_status status = l ? start_looping(l, &arena) : OB_E_MEMORY;
    ob__arena_release(&arena);
    return status;
}

ob_status ob__interpret(ob_frame *frame, const ob_node *node, ob_error *error) {
    return ob__is_if(node) ? run_if(frame, node, error) : run_loop(frame, node, error);
}
