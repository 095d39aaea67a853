/* Workers: a shared plan with a private frame. */
#include "onnx_broadcast/worker.h"

#include <string.h>

#include "core/base/error.h"
#include "passes/check/names.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/session.h"
#include "runtime/stop.h"
#include "runtime/tally.h"

struct ob_worker {
    ob_session *session;
    ob_plan *plan;
    ob_tally *tally;
    ob_allocator allocator;
    ob_threads threads; /* one, the caller's, or those of the host */
    ob_host_threads host;
    ob_stop stop;
    ob_frame frame;
};

void ob_worker_config_init(ob_worker_config *config) {
    if (config) *config = (ob_worker_config){.struct_bytes = sizeof *config};
}

static ob_status check_plan(const ob_plan *plan, ob_error *error) {
    OB_FAIL_IF(!plan, error, OB_E_ARGUMENT, "the session has no plan to share: prepare or run it first");
    for (const ob_step *step = plan->steps; step; step = step->next) {
        if (step->kind != OB_STEP_DYNAMIC) continue;
        ob__at_node(error, step->node, OB_E_UNSUPPORTED);
        return ob__fail(error, OB_E_UNSUPPORTED, "workers cannot share this plan: this node is planned while it runs");
    }
    return OB_OK;
}

ob_status ob_worker_create(ob_session *session, const ob_worker_config *config, ob_worker **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session || !out, error, OB_E_ARGUMENT, "session and out must not be NULL");
    OB_FAIL_IF(config && config->struct_bytes != sizeof *config, error, OB_E_ARGUMENT,
               "the configuration was not made by ob_worker_config_init");
    OB_TRY(check_plan(session->current, error));
    ob_allocator allocator;
    ob_tally *tally = ob__tally_create(config && config->allocator ? config->allocator : ob__tally_inner(session->tally), 0,
                                       session->tally, &allocator);
    ob_worker *worker = tally ? allocator.alloc(allocator.context, sizeof *worker) : NULL;
    if (!worker) {
        ob__fail(error, OB_E_MEMORY, "out of memory");
        ob_status status = tally ? ob__tally_explain(tally, OB_E_MEMORY, error) : OB_E_MEMORY;
        if (tally) ob__tally_destroy(tally);
        return status;
    }
    *worker = (ob_worker){
        .session = session, .plan = session->current, .tally = tally, .allocator = allocator, .threads = {.n_threads = 1}};
    worker->stop = (ob_stop){.cancelled = session->stop.cancelled, .context = session->stop.context};
    worker->threads.stop = &worker->stop;
    if (session->host.share && session->host.n_threads > 1 && config && config->share_pool) {
        worker->host =
            (ob_host_threads){.share = session->host.share, .pool = config->share_pool, .n_threads = session->host.n_threads};
        ob__threads_of_host(&worker->host, &worker->threads);
    }
    atomic_fetch_add(&worker->plan->n_users, 1);
    bool caller_memory = config && config->caller_memory;
    ob_status status = ob__frame_init(&worker->frame, session, &worker->allocator, &worker->threads, caller_memory);
    if (status == OB_OK) status = ob__frame_reserve(&worker->frame, worker->plan, error);
    if (status == OB_OK && !caller_memory) status = ob__frame_reserve_outputs(&worker->frame, worker->plan, NULL, 0, error);
    if (status == OB_OK) {
        ob__numerics_add_worker(session);
        *out = worker;
        return OB_OK;
    }
    status = ob__tally_explain(worker->tally, ob__described(error, status, "cannot make a worker"), error);
    ob_worker_close(&worker);
    return status;
}

void ob_worker_close(ob_worker **worker) {
    if (!worker || !*worker) return;
    ob_worker *closing = *worker;
    *worker = NULL;
    ob__frame_release(&closing->frame);
    ob__plan_release(closing->session, closing->plan);
    ob_tally *tally = closing->tally;
    closing->allocator.free(closing->allocator.context, closing, sizeof *closing);
    ob__tally_destroy(tally);
}

static ob_status refuse(const ob_worker *worker, uint32_t i, const ob_view *got, ob_error *error) {
    ob_view view;
    const ob_view *planned = &view;
    ob__layout_view(worker->plan->inputs[i], NULL, &view);
    const char *name = worker->session->inputs[i]->name;
    if (error) ob__copy_text(error->value, sizeof error->value, name);
    OB_FAIL_IF(planned->dtype != got->dtype, error, OB_E_TYPE, "input %s: the worker's plan is for %s, but %s was given", name,
               ob_dtype_name(planned->dtype), ob_dtype_name(got->dtype));
    char is[200], given[200];
    ob_shape_format(NULL, &(ob_shape){planned->rank, planned->dims}, is, sizeof is);
    ob_shape_format(NULL, &(ob_shape){got->rank, got->dims}, given, sizeof given);
    bool same_shape = planned->rank == got->rank && strcmp(is, given) == 0;
    return ob__fail(error, OB_E_SHAPE, "input %s: the worker's plan is for %s, but %s was given%s", name, is, given,
                    same_shape ? " with other strides" : "");
}

static ob_status check_layouts(const ob_worker *worker, const ob_view *inputs, ob_error *error) {
    const ob_plan *plan = worker->plan;
    for (uint32_t i = 0; i < worker->session->n_inputs; i++) {
        if (!ob__fits_layout(plan->inputs[i], &inputs[i])) return refuse(worker, i, &inputs[i], error);
        uint32_t n;
        if (!plan->contents[i]) continue;
        bool same = ob__has_content(&inputs[i], &n) && ob__same_content(&inputs[i], n, plan->contents[i]);
        if (!same && error) ob__copy_text(error->value, sizeof error->value, worker->session->inputs[i]->name);
        OB_FAIL_IF(!same, error, OB_E_SHAPE, "input %s: its elements decide shapes, and differ from those of the worker's plan",
                   worker->session->inputs[i]->name);
    }
    return OB_OK;
}

ob_status ob_worker_run(ob_worker *worker, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs,
                        ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!worker, error, OB_E_ARGUMENT, "no worker");
    OB_TRY(ob__check_output_count(worker->session, outputs, n_outputs, error));
    OB_TRY(ob__check_inputs(worker->session, inputs, n_inputs, true, error));
    OB_TRY(check_layouts(worker, inputs, error));
    ob__stop_begin(&worker->stop, worker->session->max_run_ns);
    ob_status status = ob__frame_reserve(&worker->frame, worker->plan, error);
    if (status == OB_OK) status = ob__frame_reserve_outputs(&worker->frame, worker->plan, outputs, n_outputs, error);
    const ob_run_data data = {.inputs = inputs, .outputs = outputs, .n_outputs = n_outputs};
    if (status == OB_OK) status = ob__frame_run(&worker->frame, worker->plan, &data, error);
    return ob__tally_explain(worker->tally, status, error);
}

ob_status ob_worker_output(const ob_worker *worker, size_t index, ob_view *out) {
    if (!worker || !out) return OB_E_ARGUMENT;
    if (index >= worker->session->model->graph->n_outputs) return OB_E_NOT_FOUND;
    const ob_slot *slot = worker->plan->outputs[index].slot; /* a worker's plan knows all sizes */
    if (!slot) return OB_E_NOT_FOUND;
    ob__layout_view(slot->layout, NULL, out);
    return OB_OK;
}

ob_status ob_worker_set_memory(ob_worker *worker, void *block, size_t n_bytes, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!worker, error, OB_E_ARGUMENT, "no worker");
    return ob__frame_lend(&worker->frame, block, n_bytes, error);
}

void ob_worker_get_memory(const ob_worker *worker, ob_session_memory *out) {
    *out = worker->plan->memory;
    out->work_alignment = OB_ALIGNMENT;
    out->n_plans = 1;
    out->session_bytes = ob__tally_bytes(worker->tally);
}
