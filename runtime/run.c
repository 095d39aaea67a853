/* Runs of a session: finds or makes the plan for the inputs, and runs it. */
#include <stddef.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/dims/terms.h"
#include "core/graph/copy.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/run/cells.h"
#include "runtime/session.h"
#include "runtime/stop.h"
#include "runtime/tally.h"

/* How C aligns numbers of eight bytes in memory: to four on i386. */
struct eight {
    char before;
    int64_t number;
};
enum { OF_EIGHT = offsetof(struct eight, number) };

/* ---- Finding the plan ---- */

static bool plan_fits(const ob_session *session, const ob_plan *plan, const ob_view *inputs) {
    for (uint32_t i = 0; i < session->n_inputs; i++)
        if (!ob__fits_layout(plan->inputs[i], &inputs[i])) return false;
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        uint32_t n;
        bool has = session->content_matters[i] && ob__has_content(&inputs[i], &n);
        if (has != (plan->contents[i] != NULL)) return false;
        if (has && !ob__same_content(&inputs[i], n, plan->contents[i])) return false;
    }
    return true;
}

static void drop_oldest_plan(ob_session *session) {
    ob_plan **oldest = &session->plans;
    for (ob_plan **at = &session->plans; *at; at = &(*at)->next)
        if ((*at)->last_used < (*oldest)->last_used) oldest = at;
    ob_plan *dropped = *oldest;
    OB_LOG(&session->model->logger, OB_LOG_INFO, "%s: a plan is forgotten: %u are kept", session->model->path,
           session->max_plans);
    *oldest = dropped->next;
    if (session->current == dropped) session->current = NULL;
    ob__frame_forget_plan(&session->frame, dropped);
    ob__plan_release(session, dropped);
}

static size_t count_plans(const ob_session *session) {
    size_t n = 0;
    for (const ob_plan *plan = session->plans; plan; plan = plan->next) n++;
    return n;
}

static void report_plan(const ob_session *session, const ob_plan *plan, uint64_t ns) {
    const ob_session_memory *m = &plan->memory;
    ob__log(&session->model->logger, OB_LOG_INFO,
            "%s: plan: %zu steps (%zu in place, %zu dynamic), %zu views, %zu folded; %llu bytes of work memory, %llu of results; "
            "%llu us",
            session->model->path, m->n_steps, m->n_in_place, m->n_dynamic, m->n_views, m->n_folded,
            (unsigned long long)m->work_bytes, (unsigned long long)m->output_bytes, (unsigned long long)(ns / 1000));
}

/* Frees memory for the new plan: first the memory of the last run, then the oldest plans. */
static ob_status plan_with_room(ob_session *session, const ob_view *inputs, ob_plan **plan, ob_error *error) {
    for (;;) {
        ob_status status = ob__plan_create(session, NULL, inputs, plan, error);
        if (status != OB_E_MEMORY || !ob__tally_limited(session->tally)) return status;
        if (!ob__frame_shrink(&session->frame)) {
            if (!session->plans) return status;
            drop_oldest_plan(session);
        }
        ob_error_clear(error);
    }
}

static ob_status find_plan(ob_session *session, const ob_view *inputs, ob_error *error) {
    if (session->current && plan_fits(session, session->current, inputs)) return OB_OK;
    for (ob_plan *plan = session->plans; plan; plan = plan->next)
        if (plan_fits(session, plan, inputs)) {
            session->current = plan;
            plan->last_used = ++session->clock;
            return OB_OK;
        }
    ob_plan *plan;
    OB_TRY(ob__described(error, ob__check_contract(session, inputs, error), "cannot plan"));
    bool told = ob__logs(&session->model->logger, OB_LOG_INFO);
    uint64_t start = told ? ob__now_ns() : 0;
    OB_TRY(plan_with_room(session, inputs, &plan, error));
    if (told) report_plan(session, plan, ob__now_ns() - start);
    ob__dims_give_back(session->model->dims);
    while (count_plans(session) >= session->max_plans) drop_oldest_plan(session);
    plan->next = session->plans;
    session->plans = session->current = plan;
    plan->last_used = ++session->clock;
    return OB_OK;
}

ob_status ob__check_inputs(const ob_session *session, const ob_view *inputs, size_t n_inputs, bool with_data, ob_error *error) {
    OB_FAIL_IF(n_inputs && !inputs, error, OB_E_ARGUMENT, "no inputs");
    OB_FAIL_IF(n_inputs != session->n_inputs, error, OB_E_ARGUMENT, "the model takes %u inputs, %zu were given",
               session->n_inputs, n_inputs);
    for (size_t i = 0; i < n_inputs; i++) {
        const ob_view *view = &inputs[i];
        if (ob__is_cell_type(session->input_info[i].type)) {
            OB_FAIL_IF(view->dtype != OB_NONE, error, OB_E_ARGUMENT,
                       "input %s is not a tensor: ob_session_run_cells takes it as a cell, and its view has no element type",
                       session->inputs[i]->name);
            continue;
        }
        bool good = ob_dtype_size(view->dtype) > 0 && view->rank >= 0 && view->rank <= OB_MAX_RANK;
        for (int32_t k = 0; good && k < view->rank; k++) good = view->dims[k] >= 0;
        uint64_t n_bytes;
        OB_FAIL_IF(!good || !ob__tensor_bytes(view->dtype, view->rank, view->dims, &n_bytes), error, OB_E_ARGUMENT,
                   "input %s: not a usable view", session->inputs[i]->name);
        size_t alignment = ob_dtype_size(view->dtype) > OF_EIGHT ? OF_EIGHT : ob_dtype_size(view->dtype);
        if (view->dtype == OB_STRING) alignment = _Alignof(ob_string); /* pointers, of 4 bytes on some processors */
        OB_FAIL_IF((uintptr_t)view->data % alignment != 0, error, OB_E_ARGUMENT, "input %s: its data is not aligned to %zu bytes",
                   session->inputs[i]->name, alignment);
        OB_FAIL_IF(with_data && !view->data && ob_view_count(view) > 0, error, OB_E_ARGUMENT, "input %s has no data",
                   session->inputs[i]->name);
    }
    return OB_OK;
}

/* ---- Results ---- */

ob_status ob__check_output(const ob_session *session, size_t i, const ob_view *wanted, const ob_view *is, ob_error *error) {
    const char *name = session->model->graph->outputs[i]->name;
    OB_FAIL_IF(wanted->dtype != is->dtype, error, OB_E_TYPE, "output %s: the memory given is for %s, the result is %s", name,
               ob_dtype_name(wanted->dtype), ob_dtype_name(is->dtype));
    bool same = wanted->rank == is->rank && ob_view_is_contiguous(wanted);
    for (int32_t k = 0; same && k < is->rank; k++) same = wanted->dims[k] == is->dims[k];
    if (same) return OB_OK;
    char shape[200], given[200];
    ob_shape a = {is->rank, is->dims}, b = {wanted->rank, wanted->dims};
    ob_shape_format(NULL, &a, shape, sizeof shape);
    ob_shape_format(NULL, &b, given, sizeof given);
    return ob__fail(error, OB_E_SHAPE, "output %s: the memory given is for %s, the result is %s", name, given, shape);
}

ob_status ob__check_output_count(const ob_session *session, const ob_view *outputs, size_t n_outputs, ob_error *error) {
    OB_FAIL_IF(n_outputs && !outputs, error, OB_E_ARGUMENT, "no outputs");
    OB_FAIL_IF(n_outputs > session->model->graph->n_outputs, error, OB_E_ARGUMENT, "the model has %u outputs, %zu were asked for",
               session->model->graph->n_outputs, n_outputs);
    return OB_OK;
}

/* ---- The calls ---- */

static ob_status reserve(ob_session *session, const ob_view *outputs, size_t n_outputs, ob_error *error) {
    for (;;) {
        ob_status status = ob__frame_reserve(&session->frame, session->current, error);
        if (status == OB_OK) status = ob__frame_reserve_outputs(&session->frame, session->current, outputs, n_outputs, error);
        bool limited = status == OB_E_MEMORY && ob__tally_limited(session->tally);
        if (!limited || !session->plans->next) return status; /* the current plan is never the oldest of several */
        drop_oldest_plan(session);
        ob_error_clear(error);
    }
}

ob_status ob__session_prepare(ob_session *session, const ob_view *inputs, ob_error *error) {
    OB_TRY(find_plan(session, inputs, error));
    if (session->frame.caller_memory) return ob__frame_reserve(&session->frame, session->current, error);
    return reserve(session, NULL, 0, error);
}

ob_status ob_session_prepare(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session, error, OB_E_ARGUMENT, "no session");
    OB_TRY(ob__check_inputs(session, inputs, n_inputs, false, error));
    ob__stop_begin(&session->stop, session->max_run_ns);
    ob_status status = ob__session_prepare(session, inputs, error);
    ob__threads_end(session);
    return ob__tally_explain(session->tally, status, error);
}

/* A cell for each input that is not a tensor, with a view of dtype OB_NONE. */
static ob_status check_cells(const ob_session *session, const ob_run_data *data, ob_error *error) {
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        const char *name = session->inputs[i]->name;
        const ob_cell *cell = data->input_cells ? data->input_cells[i] : NULL;
        bool wants = ob__is_cell_type(session->input_info[i].type);
        OB_FAIL_IF(wants && !data->input_cells, error, OB_E_TYPE, "input %s is not a tensor: ob_session_run_cells takes it",
                   name);
        OB_FAIL_IF(wants && !cell, error, OB_E_ARGUMENT, "input %s is not a tensor: it must be given as a cell", name);
        OB_FAIL_IF(!wants && cell, error, OB_E_ARGUMENT, "input %s is a tensor: it must be given as a view, not as a cell", name);
        if (wants) OB_TRY(ob__check_input_cell(session, i, cell, error));
    }
    return OB_OK;
}

static ob_status run(ob_session *session, const ob_run_data *data, size_t n_inputs, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session, error, OB_E_ARGUMENT, "no session");
    OB_TRY(ob__check_output_count(session, data->outputs, data->n_outputs, error));
    OB_TRY(ob__check_inputs(session, data->inputs, n_inputs, true, error));
    if (session->has_cells) OB_TRY(check_cells(session, data, error));
    ob__stop_begin(&session->stop, session->max_run_ns);
    ob_status status = find_plan(session, data->inputs, error);
    if (status == OB_OK) status = reserve(session, data->outputs, data->n_outputs, error);
    if (status == OB_OK) {
        ob__threads_begin(session);
        status = ob__frame_run(&session->frame, session->current, data, error);
    }
    ob__threads_end(session);
    return ob__tally_explain(session->tally, status, error);
}

ob_status ob_session_run(ob_session *session, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs,
                         ob_error *error) {
    const ob_run_data data = {.inputs = inputs, .outputs = outputs, .n_outputs = n_outputs};
    return run(session, &data, n_inputs, error);
}

ob_status ob_session_run_cells(ob_session *session, const ob_view *inputs, const ob_cell *const *input_cells, size_t n_inputs,
                               ob_view *outputs, const ob_cell **output_cells, size_t n_outputs, ob_error *error) {
    const ob_run_data data = {inputs, input_cells, outputs, output_cells, n_outputs};
    return run(session, &data, n_inputs, error);
}

ob_status ob_session_set_memory(ob_session *session, void *block, size_t n_bytes, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session, error, OB_E_ARGUMENT, "no session");
    return ob__frame_lend(&session->frame, block, n_bytes, error);
}

void ob_session_get_memory(const ob_session *session, ob_session_memory *out) {
    memset(out, 0, sizeof *out);
    if (session->current) *out = session->current->memory;
    out->work_alignment = OB_ALIGNMENT;
    for (const ob_plan *plan = session->plans; plan; plan = plan->next) out->n_plans++;
    out->constant_bytes = session->constant_bytes;
    out->session_bytes = ob__tally_bytes(session->tally);
}
