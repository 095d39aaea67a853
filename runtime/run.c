/* Running a plan: addresses, then steps, then results. */
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "runtime/plan.h"

/* ---- Finding the plan
 * ------------------------------------------------------------------------------------------------------------------ */

static bool same_layout(const ob_view *a, const ob_view *b) {
    if (a->dtype != b->dtype || a->rank != b->rank) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i] || a->strides[i] != b->strides[i]) return false;
    return true;
}

static bool plan_fits(const ob_session *session, const ob_plan *plan, const ob_view *inputs) {
    for (uint32_t i = 0; i < session->n_inputs; i++)
        if (!same_layout(&plan->inputs[i], &inputs[i])) return false;
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        int64_t elems[OB_CONTENT_MAX];
        uint32_t n;
        bool has = session->content_matters[i] && ob__read_content(&inputs[i], elems, &n);
        if (has != (plan->contents[i] != NULL)) return false;
        if (has && n && memcmp(elems, plan->contents[i], n * sizeof *elems) != 0) return false;
    }
    return true;
}

static void drop_oldest_plan(ob_session *session) {
    ob_plan **oldest = &session->plans;
    for (ob_plan **at = &session->plans; *at; at = &(*at)->next)
        if ((*at)->last_used < (*oldest)->last_used) oldest = at;
    ob_plan *dropped = *oldest;
    *oldest = dropped->next;
    if (session->current == dropped) session->current = NULL;
    ob__plan_destroy(session, dropped);
}

static ob_status find_plan(ob_session *session, const ob_view *inputs, ob_error *error) {
    if (session->current && plan_fits(session, session->current, inputs)) return OB_OK;
    size_t n_plans = 0;
    for (ob_plan *plan = session->plans; plan; plan = plan->next, n_plans++)
        if (plan_fits(session, plan, inputs)) {
            session->current = plan;
            plan->last_used = ++session->clock;
            return OB_OK;
        }
    ob_plan *plan;
    OB_TRY(ob__check_contract(session, inputs, error));
    OB_TRY(ob__plan_create(session, inputs, &plan, error));
    if (n_plans >= session->max_plans) drop_oldest_plan(session);
    plan->next = session->plans;
    session->plans = session->current = plan;
    plan->last_used = ++session->clock;
    return OB_OK;
}

static ob_status check_inputs(const ob_session *session, const ob_view *inputs, size_t n_inputs, ob_error *error) {
    OB_FAIL_IF(n_inputs != session->n_inputs, error, OB_E_ARGUMENT, "the model takes %u inputs, %zu were given",
               session->n_inputs, n_inputs);
    for (size_t i = 0; i < n_inputs; i++) {
        const ob_view *view = &inputs[i];
        bool good = ob_dtype_size(view->dtype) > 0 && view->rank >= 0 && view->rank <= OB_MAX_RANK;
        for (int32_t k = 0; good && k < view->rank; k++) good = view->dims[k] >= 0;
        uint64_t n_bytes;
        OB_FAIL_IF(!good || !ob__tensor_bytes(view->dtype, view->rank, view->dims, &n_bytes), error, OB_E_ARGUMENT,
                   "input %s: not a usable view", session->inputs[i]->name);
        size_t alignment = ob_dtype_size(view->dtype) > 8 ? 8 : ob_dtype_size(view->dtype);
        OB_FAIL_IF((uintptr_t)view->data % alignment != 0, error, OB_E_ARGUMENT, "input %s: its data is not aligned to %zu bytes",
                   session->inputs[i]->name, alignment);
    }
    return OB_OK;
}

/* ---- Memory of results
 * --------------------------------------------------------------------------------------------------------------- */

static ob_status check_caller_output(const ob_session *session, size_t i, const ob_view *wanted, const ob_view *is,
                                     ob_error *error) {
    const char *name = session->model->graph->outputs[i]->name;
    OB_FAIL_IF(wanted->dtype != is->dtype, error, OB_E_TYPE, "output %s: the memory given is for %s, the result is %s", name,
               ob_dtype_name(wanted->dtype), ob_dtype_name(is->dtype));
    bool same = wanted->rank == is->rank && ob_view_is_contiguous(wanted);
    for (int32_t k = 0; same && k < is->rank; k++) same = wanted->dims[k] == is->dims[k];
    if (same) return OB_OK;
    char shape[200], given[200];
    ob_shape a = {is->rank, is->dims}, b = {wanted->rank, wanted->dims};
    ob__format_shape(NULL, &a, shape, sizeof shape);
    ob__format_shape(NULL, &b, given, sizeof given);
    return ob__fail(error, OB_E_SHAPE, "output %s: the memory given is for %s, the result is %s", name, given, shape);
}

static ob_status prepare_outputs(ob_session *session, ob_plan *plan, const ob_view *outputs, size_t n_outputs, ob_error *error) {
    bool own_memory = n_outputs < session->model->graph->n_outputs;
    for (size_t i = 0; i < n_outputs; i++) {
        const ob_slot *slot = plan->outputs[i].slot;
        if (!outputs[i].data)
            own_memory |= slot != NULL;
        else if (slot)
            OB_TRY(check_caller_output(session, i, &outputs[i], &slot->view, error));
    }
    if (!own_memory || plan->output_block) return OB_OK;
    plan->output_block = ob__alloc_aligned(&session->allocator, plan->memory.output_bytes, &plan->output_block_raw);
    OB_FAIL_IF(!plan->output_block, error, OB_E_MEMORY, "no memory for %llu bytes of results",
               (unsigned long long)plan->memory.output_bytes);
    return OB_OK;
}

/* ---- Addresses
 * --------------------------------------------------------------------------------------------------------------------------- */

static void bind(ob_plan *plan, const ob_view *inputs, const ob_view *outputs, size_t n_outputs) {
    for (ob_buffer *buffer = plan->buffers; buffer; buffer = buffer->next) switch (buffer->kind) {
        case OB_BUFFER_ARENA: buffer->base = plan->block + buffer->offset; break;
        case OB_BUFFER_INPUT: buffer->base = inputs[buffer->index].data; break;
        case OB_BUFFER_OUTPUT:
            buffer->base = buffer->index < n_outputs && outputs[buffer->index].data ? outputs[buffer->index].data
                                                                                    : plan->output_block + buffer->offset;
            break;
        case OB_BUFFER_CONST: break;
        }
    for (ob_step *step = plan->steps; step; step = step->next) {
        for (uint32_t i = 0; i < step->args.n_in; i++)
            if (step->in[i].buffer)
                step->args.in[i].data = step->in[i].buffer->base ? step->in[i].buffer->base + step->in[i].offset : NULL;
        for (uint32_t i = 0; i < step->args.n_out; i++)
            if (step->out[i].buffer) step->args.out[i].data = step->out[i].buffer->base;
    }
}

/* ---- Steps
 * ------------------------------------------------------------------------------------------------------------------------------
 */

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static ob_status run_step(ob_session *session, ob_plan *plan, const ob_step *step, ob_error *error) {
    ob_status status;
    switch (step->kind) {
    case OB_STEP_COPY: status = ob_view_assign(&step->args.out[0], &step->args.in[0], error); break;
    case OB_STEP_DYNAMIC: status = ob__run_dynamic(session, plan, step, error); break;
    default: status = step->kernel->run(&step->args, error); break;
    }
    if (status == OB_OK) return OB_OK;
    if (error && error->code == OB_OK) ob__fail(error, status, "%s", ob_status_text(status));
    return ob__at_node(error, step->node, status);
}

static void report_step(const ob_session *session, const ob_step *step, uint64_t start) {
    ob_trace_event event = {.node = step->node ? step->node->name : "",
                            .op_type = step->kind == OB_STEP_COPY ? "copy" : step->node->op_type,
                            .kernel = step->kernel ? step->kernel->name : "copy",
                            .start_ns = start,
                            .duration_ns = now_ns() - start};
    if (step->kind == OB_STEP_DYNAMIC) {
        const ob_value *value = step->node->n_outputs ? step->node->outputs[0] : NULL;
        event.output = value ? session->dynamic[value->id] : NULL;
    } else if (step->args.n_out)
        event.output = &step->args.out[0];
    for (uint32_t i = 0; i < step->args.n_out; i++)
        event.n_bytes += (uint64_t)ob_view_count(&step->args.out[i]) * ob_dtype_size(step->args.out[i].dtype);
    session->trace(session->context, &event);
}

static ob_status run_steps(ob_session *session, ob_plan *plan, ob_error *error) {
    for (const ob_step *step = plan->steps; step; step = step->next) {
        uint64_t start = session->trace ? now_ns() : 0;
        OB_TRY(run_step(session, plan, step, error));
        if (session->trace) report_step(session, step, start);
    }
    return OB_OK;
}

/* ---- Results
 * ------------------------------------------------------------------------------------------------------------------------------
 */

static ob_status finish_dynamic_output(ob_session *session, size_t i, const ob_view *wanted, ob_view *out, ob_error *error) {
    const ob_value *value = session->model->graph->outputs[i];
    const ob_view *result = session->dynamic ? session->dynamic[value->id] : NULL;
    OB_FAIL_IF(!result, error, OB_E_MODEL, "output %s is made by no node", value->name);
    *out = *result;
    if (wanted->data) {
        OB_TRY(check_caller_output(session, i, wanted, result, error));
        *out = *wanted;
        return ob_view_assign(out, result, error);
    }
    uint64_t n_bytes;
    if (!ob__tensor_bytes(result->dtype, result->rank, result->dims, &n_bytes)) return OB_E_LIMIT;
    void *data = ob__session_block(session, &session->dynamic_owned, n_bytes);
    if (!data) return OB_E_MEMORY;
    OB_TRY(ob_view_init(out, data, result->dtype, result->rank, result->dims));
    return ob_view_assign(out, result, error);
}

/* Writes `outputs` last, when nothing can fail any more. */
static ob_status finish(ob_session *session, const ob_plan *plan, ob_view *outputs, size_t n_outputs, ob_error *error) {
    for (size_t i = 0; i < n_outputs; i++) {
        const ob_slot *slot = plan->outputs[i].slot;
        ob_view *result = &session->results[i];
        if (!slot) {
            OB_TRY(finish_dynamic_output(session, i, &outputs[i], result, error));
            continue;
        }
        *result = slot->view;
        result->data = slot->buffer->base;
    }
    if (n_outputs) memcpy(outputs, session->results, n_outputs * sizeof *outputs);
    return OB_OK;
}

static ob_status forget_dynamic(ob_session *session, const ob_plan *plan) {
    ob__session_free_blocks(session, &session->dynamic_owned);
    ob__arena_release(&session->strings);
    if (session->dynamic) {
        ob__arena_release(&session->dynamic_arena);
        memset(session->dynamic, 0, session->model->n_values * sizeof *session->dynamic);
    } else if (plan->memory.n_dynamic) {
        session->dynamic = OB_ARENA_ARRAY(&session->arena, const ob_view *, session->model->n_values);
        if (!session->dynamic) return OB_E_MEMORY;
    }
    return OB_OK;
}

ob_status ob_session_prepare(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session || (n_inputs && !inputs), error, OB_E_ARGUMENT, "no session or no inputs");
    OB_TRY(check_inputs(session, inputs, n_inputs, error));
    OB_TRY(find_plan(session, inputs, error));
    return prepare_outputs(session, session->current, NULL, 0, error);
}

ob_status ob_session_run(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs,
                         ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session || (n_inputs && !inputs) || (n_outputs && !outputs), error, OB_E_ARGUMENT,
               "no session, inputs or outputs");
    OB_FAIL_IF(n_outputs > session->model->graph->n_outputs, error, OB_E_ARGUMENT, "the model has %u outputs, %zu were asked for",
               session->model->graph->n_outputs, n_outputs);
    OB_TRY(check_inputs(session, inputs, n_inputs, error));
    for (size_t i = 0; i < n_inputs; i++)
        OB_FAIL_IF(!inputs[i].data && ob_view_count(&inputs[i]) > 0, error, OB_E_ARGUMENT, "input %s has no data",
                   session->inputs[i]->name);
    OB_TRY(find_plan(session, inputs, error));
    ob_plan *plan = session->current;
    OB_TRY(prepare_outputs(session, plan, outputs, n_outputs, error));
    OB_TRY(forget_dynamic(session, plan));
    bind(plan, inputs, outputs, n_outputs);
    OB_TRY(run_steps(session, plan, error));
    return finish(session, plan, outputs, n_outputs, error);
}

void ob_session_get_memory(const ob_session *session, ob_session_memory *out) {
    memset(out, 0, sizeof *out);
    if (session->current) *out = session->current->memory;
    for (const ob_plan *plan = session->plans; plan; plan = plan->next) out->n_plans++;
    out->constant_bytes = session->constant_bytes;
}
