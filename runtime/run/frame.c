/* Frames: the memory of a run, its addresses, the execution of steps, and results. */
#include "runtime/run/frame.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/graph/copy.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "passes/check/names.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/run/cells.h"
#include "runtime/run/steps.h"
#include "runtime/session.h"
#include "runtime/stop.h"

/* ---- Memory ---- */

bool ob__memory_alloc(ob_memory *memory, const ob_allocator *allocator, uint64_t n_bytes) {
    if (n_bytes > SIZE_MAX / 2) return false;
    void *raw = allocator->alloc(allocator->context, (size_t)n_bytes + OB_ALIGNMENT);
    if (!raw) return false;
    *memory = (ob_memory){(char *)raw + (OB_ALIGNMENT - (uintptr_t)raw % OB_ALIGNMENT) % OB_ALIGNMENT, raw, n_bytes};
    return true;
}

void ob__memory_free(ob_memory *memory, const ob_allocator *allocator) {
    if (memory->raw) allocator->free(allocator->context, memory->raw, (size_t)memory->n_bytes + OB_ALIGNMENT);
    *memory = (ob_memory){NULL, NULL, 0};
}

/* The content is not kept: the old block is freed first, so that both never exist at the same time. */
static bool grow(ob_memory *memory, const ob_allocator *allocator, uint64_t n_bytes) {
    if (memory->data && memory->n_bytes >= n_bytes) return true;
    ob__memory_free(memory, allocator);
    return ob__memory_alloc(memory, allocator, n_bytes);
}

ob_status ob__frame_init(ob_frame *frame, ob_session *session, const ob_allocator *allocator, const ob_threads *threads,
                         bool caller_memory) {
    memset(frame, 0, sizeof *frame);
    frame->session = session;
    frame->allocator = *allocator;
    frame->threads = threads;
    frame->caller_memory = caller_memory;
    ob__arena_init(&frame->strings, allocator);
    ob__arena_init(&frame->dynamic_arena, allocator);
    size_t n_bytes = ((size_t)session->model->graph->n_outputs + 1) * sizeof *frame->results;
    frame->results = allocator->alloc(allocator->context, n_bytes);
    if (!frame->results) return OB_E_MEMORY;
    memset(frame->results, 0, n_bytes);
    return OB_OK;
}

static void free_array(const ob_frame *frame, void *array, size_t n, size_t n_bytes_each) {
    if (array) frame->allocator.free(frame->allocator.context, array, n * n_bytes_each);
}

void ob__frame_release(ob_frame *frame) {
    if (!frame->session) return;
    const ob_model *model = frame->session->model;
    ob__forget_cells(frame);
    ob__free_owned(&frame->session->allocator, &frame->dynamic_owned);
    ob__free_owned(&frame->session->allocator, &frame->spare);
    ob__arena_release(&frame->dynamic_arena);
    ob__arena_release(&frame->strings);
    ob__release_levels(frame);
    ob__memory_free(&frame->at.tables, &frame->allocator);
    ob__memory_free(&frame->at.work, &frame->allocator);
    ob__memory_free(&frame->outputs, &frame->allocator);
    free_array(frame, frame->results, (size_t)model->graph->n_outputs + 1, sizeof *frame->results);
    free_array(frame, (void *)frame->dynamic, model->n_values, sizeof *frame->dynamic);
    free_array(frame, (void *)frame->cells, model->n_values, sizeof *frame->cells);
    *frame = (ob_frame){0};
}

ob_status ob__frame_lend(ob_frame *frame, void *block, size_t n_bytes, ob_error *error) {
    OB_FAIL_IF((uintptr_t)block % OB_ALIGNMENT != 0, error, OB_E_ARGUMENT, "work memory must be aligned to %d bytes",
               OB_ALIGNMENT);
    frame->at.lent = block;
    frame->at.lent_bytes = block ? n_bytes : 0;
    if (block) ob__memory_free(&frame->at.work, &frame->allocator);
    return OB_OK;
}

/* Bytes of the tables: views, bases. The plan itself holds more than that, so nothing overflows. */
static size_t table_bytes(const ob_plan *plan) {
    return plan->most_views * sizeof(ob_view) + plan->n_buffers * sizeof(char *) + 1;
}

/* A zeroed table by value id, unless it is there. */
static void *reserve_table(const ob_frame *frame, void *table, size_t n_bytes_each) {
    size_t n_bytes = frame->session->model->n_values * n_bytes_each;
    if (table) return table;
    table = frame->allocator.alloc(frame->allocator.context, n_bytes);
    if (table) memset(table, 0, n_bytes);
    return table;
}

static ob_status reserve_dynamic(ob_frame *frame, const ob_plan *plan) {
    if (plan->memory.n_dynamic == 0 && !frame->session->has_cells) return OB_OK;
    frame->dynamic = reserve_table(frame, (void *)frame->dynamic, sizeof *frame->dynamic);
    frame->cells = reserve_table(frame, (void *)frame->cells, sizeof *frame->cells);
    return frame->dynamic && frame->cells ? OB_OK : OB_E_MEMORY;
}

ob_status ob__frame_reserve(ob_frame *frame, const ob_plan *plan, ob_error *error) {
    uint64_t work = ob__plan_work_bytes(plan);
    size_t tables = table_bytes(plan);
    bool ok = true;
    if (!frame->at.tables.data || frame->at.tables.n_bytes < tables) {
        frame->at.plan = NULL;
        ok = grow(&frame->at.tables, &frame->allocator, tables);
        if (ok) memset(frame->at.tables.data, 0, tables);
    }
    OB_FAIL_IF(!ok || reserve_dynamic(frame, plan) != OB_OK, error, OB_E_MEMORY, "no memory for the addresses of a run");
    if (work == 0 || frame->at.lent || (frame->caller_memory && frame->n_levels == 0)) return OB_OK;
    OB_FAIL_IF(!grow(&frame->at.work, &frame->allocator, work), error, OB_E_MEMORY, "no memory for %llu bytes of work memory",
               (unsigned long long)work);
    return OB_OK;
}

ob_status ob__frame_reserve_outputs(ob_frame *frame, const ob_plan *plan, const ob_view *outputs, size_t n_outputs,
                                    ob_error *error) {
    const ob_session *session = frame->session;
    bool own_memory = false;
    for (size_t i = 0; i < session->model->graph->n_outputs; i++) {
        const ob_slot *slot = plan->outputs[i].slot;
        if (!slot) continue;
        if (i < n_outputs && outputs[i].data) {
            ob_view planned;
            ob__layout_view(slot->layout, NULL, &planned);
            OB_TRY(ob__check_output(session, i, &outputs[i], &planned, error));
            continue;
        }
        own_memory |= slot->buffer->n_bytes > 0;
        OB_FAIL_IF(own_memory && frame->caller_memory, error, OB_E_MEMORY,
                   "output %s: the caller gives all memory, but none for its %llu bytes", session->model->graph->outputs[i]->name,
                   (unsigned long long)slot->buffer->n_bytes);
    }
    if (!own_memory) return OB_OK;
    OB_FAIL_IF(!grow(&frame->outputs, &frame->allocator, plan->memory.output_bytes), error, OB_E_MEMORY,
               "no memory for %llu bytes of results", (unsigned long long)plan->memory.output_bytes);
    return OB_OK;
}

/* ---- Addresses ---- */

static void enter(ob_frame *frame, const ob_plan *plan) {
    frame->at.views = (ob_view *)(void *)frame->at.tables.data;
    frame->at.bases = (char **)(void *)(frame->at.views + plan->most_views);
    frame->at.plan = plan;
}

/* The results of the last run are gone when the next one begins. Their memory serves it, because fresh memory is slow: the system
 * has to make its pages. */
static void forget_last_run(ob_frame *frame) {
    ob__forget_cells(frame);
    ob__free_owned(&frame->session->allocator, &frame->spare);
    frame->spare = frame->dynamic_owned;
    frame->dynamic_owned = NULL;
    ob__arena_release(&frame->strings);
    ob__arena_release(&frame->dynamic_arena);
    if (frame->dynamic) memset((void *)frame->dynamic, 0, frame->session->model->n_values * sizeof *frame->dynamic);
}

void ob__frame_forget_plan(ob_frame *frame, const ob_plan *plan) {
    if (frame->at.plan == plan) frame->at.plan = NULL;
    ob__forget_in_levels(frame, plan);
}

bool ob__frame_shrink(ob_frame *frame) {
    bool any = frame->at.work.raw || frame->outputs.raw || frame->dynamic_owned || frame->spare;
    forget_last_run(frame);
    ob__free_owned(&frame->session->allocator, &frame->spare);
    ob__memory_free(&frame->at.work, &frame->allocator);
    ob__memory_free(&frame->outputs, &frame->allocator);
    return any;
}

/* A tensor of 0 bytes needs an address too. */
static char *or_anywhere(const ob_frame *frame, char *block) {
    return block ? block : frame->at.tables.data;
}

static char *work_memory(const ob_frame *frame) {
    return or_anywhere(frame, frame->at.lent ? frame->at.lent : frame->at.work.data);
}

static void bind(ob_frame *frame, const ob_run_data *data) {
    const ob_plan *plan = frame->at.plan;
    const ob_view *outputs = data->outputs;
    char *work = work_memory(frame);
    char *own_outputs = or_anywhere(frame, frame->outputs.data), *base = NULL;
    for (const ob_buffer *buffer = plan->buffers; buffer; buffer = buffer->next) {
        switch (buffer->kind) {
        case OB_BUFFER_MOVING: base = frame->at.tables.data; break; /* until its control step sets it */
        case OB_BUFFER_ARENA: base = work + buffer->offset; break;
        case OB_BUFFER_INPUT: base = data->inputs[buffer->index].data; break;
        case OB_BUFFER_OUTPUT:
            base = buffer->index < data->n_outputs && outputs[buffer->index].data ? outputs[buffer->index].data
                   : buffer->n_bytes                                              ? own_outputs + buffer->offset
                                                                                  : own_outputs;
            break;
        case OB_BUFFER_CONST: base = buffer->constant; break;
        }
        frame->at.bases[buffer->number] = base;
    }
    for (uint32_t i = 0; data->input_cells && i < frame->session->n_inputs; i++)
        if (data->input_cells[i]) ob__keep_cell(frame, frame->session->inputs[i], ob__cell_hold(data->input_cells[i]));
}

/* ---- Steps ---- */

static void place_views(const ob_frame *frame, const ob_slot *const *slots, uint32_t n, ob_view *views) {
    for (uint32_t i = 0; i < n; i++) {
        const ob_slot *slot = slots[i];
        if (!slot) {
            views[i].data = NULL;
            views[i].dtype = OB_NONE;
            views[i].rank = 0;
            continue;
        }
        char *base = frame->at.bases[slot->buffer->number];
        ob__layout_view(slot->layout, base ? base + slot->offset : NULL, &views[i]);
    }
}

static ob_status run_here(ob_frame *frame, const ob_step *step, ob_error *error) {
    ob_view *views = frame->at.views;
    place_views(frame, step->slots, step->n_in + step->n_out, views);
    if (step->kind == OB_STEP_COPY) {
        ob__copy_view(&views[1], &views[0], frame->threads);
        return OB_OK;
    }
    char *scratch = work_memory(frame) + frame->at.plan->memory.arena_bytes;
    ob_kernel_args args = {.n_in = step->n_in - step->n_others,
                           .n_out = step->n_out,
                           .in = views,
                           .others = views + step->n_in - step->n_others,
                           .out = views + step->n_in,
                           .state = step->state,
                           .scratch = scratch,
                           .lanes = scratch + step->lanes,
                           .lane_stride = step->lane_stride,
                           .threads = frame->threads,
                           .conversions = &ob__all_conversions,
                           .strings = &frame->strings};
    if (step->prepared) memcpy(args.prepared, step->prepared, sizeof args.prepared);
    return step->kernel->run(&args, error);
}

static ob_status run_step(ob_frame *frame, const ob_step *step, ob_error *error) {
    /* Steps in its subplans, or in a node's bodies, have already named themselves in the error. */
    if (step->kind == OB_STEP_CONTROL) return ob__run_control(frame, step, error);
    if (step->kind == OB_STEP_DYNAMIC) return ob__run_dynamic(frame, step, error);
    if (step->kind == OB_STEP_IN_PLACE) return OB_OK;
    ob_status status = run_here(frame, step, error);
    if (status == OB_OK) status = ob__stop_status(frame->session, frame->threads, error);
    if (status == OB_OK) return OB_OK;
    return ob__at_node(error, step->node, ob__described(error, status, ""));
}

static void report_step(const ob_frame *frame, const ob_step *step, uint64_t start) {
    const ob_session *session = frame->session;
    const ob_view *out = frame->at.views + step->n_in; /* as the step left them */
    if (step->kind == OB_STEP_IN_PLACE) place_views(frame, step->slots, step->n_in + step->n_out, frame->at.views);
    ob_trace_event event = {.node = step->node ? ob__node_label(step->node) : "",
                            .op_type = step->kind == OB_STEP_COPY ? "copy" : step->node->op_type,
                            .kernel = step->kernel ? step->kernel->name : "copy",
                            .start_ns = start,
                            .duration_ns = ob__now_ns() - start};
    if (step->group) {
        event.node = step->group->names;
        event.op_type = step->group->ops;
    }
    if (step->kind == OB_STEP_DYNAMIC) {
        const ob_value *value = step->node->n_outputs ? step->node->outputs[0] : NULL;
        event.output = value ? frame->dynamic[value->id] : NULL;
    } else if (step->n_out)
        event.output = &out[0];
    for (uint32_t i = 0; i < step->n_out; i++) event.n_bytes += (uint64_t)ob_view_count(&out[i]) * ob_dtype_size(out[i].dtype);
    session->trace(session->context, &event);
}

ob_status ob__run_subplan(ob_frame *frame, const ob_subplan *subplan, ob_error *error) {
    /* A worker is not traced: the callback is for one thread. */
    bool traced = frame->session->trace && frame == &frame->session->frame;
    for (const ob_step *step = *subplan->begin; step && step->number < subplan->end; step = ob__step_after(step)) {
        OB_TRY(ob__stop_ask(frame->session, frame->threads, error));
        uint64_t start = traced ? ob__now_ns() : 0;
        OB_TRY(run_step(frame, step, error));
        if (traced) report_step(frame, step, start);
    }
    return OB_OK;
}

/* ---- Results ---- */

/* The tensor that a dynamic step made; if it is in a cell, `held` is its view. NULL: none. */
static const ob_view *find_dynamic(const ob_frame *frame, const ob_value *value, ob_view *held) {
    if (!frame->dynamic) return NULL;
    if (frame->dynamic[value->id]) return frame->dynamic[value->id];
    return ob_cell_view(frame->cells[value->id], held) ? held : NULL;
}

/* True if the result begins a block that lives until the next run, and no earlier output has it: the caller may have it. */
static bool is_own(const ob_frame *frame, size_t i, const ob_view *result) {
    if (!ob_view_is_contiguous(result)) return false;
    for (size_t k = 0; k < i; k++)
        if (frame->results[k].data == result->data) return false;
    for (const ob_owned_memory *block = frame->dynamic_owned; block; block = block->next)
        if (block->data == result->data) return true;
    return false;
}

static ob_status finish_dynamic_output(ob_frame *frame, size_t i, const ob_view *wanted, ob_view *out, ob_error *error) {
    const ob_value *value = frame->session->model->graph->outputs[i];
    ob_view held;
    const ob_view *result = find_dynamic(frame, value, &held);
    OB_FAIL_IF(!result, error, OB_E_MODEL, "no node makes output %s", value->name);
    *out = *result;
    if (wanted->data) {
        OB_TRY(ob__check_output(frame->session, i, wanted, result, error));
        *out = *wanted;
        return ob_view_assign(out, result, error);
    }
    if (is_own(frame, i, result)) return OB_OK;
    uint64_t n_bytes;
    if (!ob__tensor_bytes(result->dtype, result->rank, result->dims, &n_bytes)) return OB_E_LIMIT;
    void *data = ob__own_result(&frame->session->allocator, &frame->dynamic_owned, &frame->spare, n_bytes);
    OB_FAIL_IF(!data, error, OB_E_MEMORY, "no memory for the %llu bytes of output %s", (unsigned long long)n_bytes, value->name);
    OB_TRY(ob_view_init(out, data, result->dtype, result->rank, result->dims));
    ob__copy_view(out, result, frame->threads);
    return ob__stop_status(frame->session, frame->threads, error);
}

/* An output that only a cell can hold: the frame keeps it until the next run. */
static ob_status finish_cell_output(ob_frame *frame, size_t i, const ob_cell **out, ob_error *error) {
    const ob_value *value = frame->session->model->graph->outputs[i];
    const ob_cell *cell = frame->cells ? frame->cells[value->id] : NULL;
    OB_FAIL_IF(!cell, error, OB_E_MODEL, "no node makes output %s", value->name);
    OB_FAIL_IF(!out, error, OB_E_TYPE, "output %s is not a tensor: ob_session_run_cells gives it", value->name);
    out[i] = cell;
    return OB_OK;
}

/* Planning has counted the outputs whose shapes it knew. */
static ob_status check_dynamic_bytes(const ob_frame *frame, ob_error *error) {
    const ob_session *session = frame->session;
    uint64_t total = frame->at.plan->memory.output_bytes, n_bytes;
    if (!session->max_output_bytes || !frame->dynamic) return OB_OK;
    for (uint32_t i = 0; i < session->model->graph->n_outputs; i++) {
        const ob_value *value = session->model->graph->outputs[i];
        ob_view held;
        const ob_view *result = frame->at.plan->outputs[i].slot ? NULL : find_dynamic(frame, value, &held);
        if (ob__gives_cell(frame, i) && frame->cells[value->id])
            n_bytes = ob__cell_bytes(frame->cells[value->id]);
        else if (!result || !ob__tensor_bytes(result->dtype, result->rank, result->dims, &n_bytes))
            continue;
        bool overflow = __builtin_add_overflow(total, n_bytes, &total);
        OB_FAIL_IF(overflow || total > session->max_output_bytes, error, OB_E_LIMIT,
                   "the outputs up to %s have %llu bytes, which is over the limit of %llu: max_output_bytes raises it",
                   value->name, (unsigned long long)total, (unsigned long long)session->max_output_bytes);
    }
    return OB_OK;
}

/* Writes `outputs` last, when nothing can fail any more. */
static ob_status finish(ob_frame *frame, const ob_run_data *data, ob_error *error) {
    size_t n_outputs = data->n_outputs;
    OB_TRY(check_dynamic_bytes(frame, error));
    for (size_t i = 0; i < n_outputs; i++) {
        const ob_slot *slot = frame->at.plan->outputs[i].slot;
        ob_view *result = &frame->results[i];
        if (data->output_cells) data->output_cells[i] = NULL;
        if (ob__gives_cell(frame, i)) {
            memset(result, 0, sizeof *result);
            OB_TRY(finish_cell_output(frame, i, data->output_cells, error));
            continue;
        }
        if (!slot) {
            OB_TRY(finish_dynamic_output(frame, i, &data->outputs[i], result, error));
            continue;
        }
        ob__layout_view(slot->layout, frame->at.bases[slot->buffer->number], result);
    }
    for (size_t i = 0; i < n_outputs; i++)
        if (frame->results[i].dtype != OB_NONE) OB_TRY(ob__check_declared(frame->session, i, &frame->results[i], error));
    if (n_outputs) memcpy(data->outputs, frame->results, n_outputs * sizeof *data->outputs);
    return OB_OK;
}

ob_status ob__frame_steps(ob_frame *frame, const ob_plan *plan, const ob_run_data *data, ob_error *error) {
    uint64_t need = ob__plan_work_bytes(plan), given = frame->at.lent ? frame->at.lent_bytes : frame->at.work.n_bytes;
    OB_FAIL_IF(given < need, error, OB_E_MEMORY, "a run needs %llu bytes of work memory, the caller gives %llu",
               (unsigned long long)need, (unsigned long long)given);
    enter(frame, plan);
    bind(frame, data);
    OB_TRY(ob__run_subplan(frame, &plan->main, error));
    return plan->rest ? ob__run_part(frame, plan->rest, error) : OB_OK;
}

ob_status ob__frame_run(ob_frame *frame, const ob_plan *plan, const ob_run_data *data, ob_error *error) {
    forget_last_run(frame);
    OB_TRY(ob__described(error, ob__frame_steps(frame, plan, data, error), "cannot run"));
    return ob__described(error, finish(frame, data, error), "cannot store the results");
}
