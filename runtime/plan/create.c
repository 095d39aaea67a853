/* Planning: shapes for concrete inputs, live nodes, then each node in order gets views, memory and loops
 * (runtime/plan/plan_node.c). */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "runtime/memory.h"
#include "runtime/plan/builder.h"
#include "runtime/stop.h"
#include "runtime/support.h"
#include "runtime/takes.h"

static ob_status set_key(ob_builder *b) {
    ob_session *session = b->session;
    ob_plan *plan = b->plan;
    plan->inputs = OB_ARENA_ARRAY(&plan->arena, const ob_layout *, b->n_entries);
    plan->contents = OB_ARENA_ARRAY(&plan->arena, int64_t *, b->n_entries);
    plan->slots = OB_ARENA_ARRAY(&plan->arena, ob_slot *, session->model->n_values);
    plan->outputs = OB_ARENA_ARRAY(&plan->arena, ob_plan_output, b->n_results);
    if (!plan->inputs || !plan->contents || !plan->slots || !plan->outputs) return OB_E_MEMORY;
    for (uint32_t i = 0; i < b->n_entries; i++) {
        uint32_t n;
        plan->inputs[i] = ob__new_layout(b, &b->inputs[i]);
        if (!plan->inputs[i]) return OB_E_MEMORY;
        if (b->part || !session->content_matters[i] || !ob__has_content(&b->inputs[i], &n)) continue;
        plan->contents[i] = OB_ARENA_ARRAY(&plan->arena, int64_t, n);
        if (!plan->contents[i]) return OB_E_MEMORY;
        ob__read_content(&b->inputs[i], n, plan->contents[i]);
    }
    return OB_OK;
}

static ob_status place_inputs(ob_builder *b) {
    for (uint32_t i = 0; i < b->n_entries; i++) {
        ob_buffer *buffer;
        b->sources[b->entries[i]->id] = b->inputs[i].dtype == OB_NONE ? OB_SOURCE_STEP : OB_SOURCE_PLAN;
        if (b->inputs[i].dtype == OB_NONE) continue;
        OB_TRY(ob__new_buffer(b, OB_BUFFER_INPUT, i, 0, &buffer));
        OB_TRY(ob__new_slot(b, b->entries[i], buffer, 0, &b->inputs[i]));
    }
    return OB_OK;
}

static ob_status lay_out(ob_builder *b) {
    ob_plan *plan = b->plan;
    ob_status status = ob__plan_memory(&b->scratch, plan->buffers, &plan->memory.arena_bytes);
    OB_FAIL_IF(status != OB_OK, b->error, status, "the intermediate results need more memory than can be addressed");
    uint64_t outputs = 0, work = 0, limit = b->session->max_output_bytes;
    for (ob_buffer *buffer = plan->buffers; buffer; buffer = buffer->next) {
        if (buffer->kind != OB_BUFFER_OUTPUT) continue;
        buffer->offset = outputs;
        uint64_t n_bytes = ob__round_up_u64(buffer->n_bytes, OB_ALIGNMENT);
        if (__builtin_add_overflow(outputs, n_bytes, &outputs)) return OB_E_LIMIT;
    }
    plan->memory.output_bytes = outputs;
    OB_FAIL_IF(limit && outputs > limit, b->error, OB_E_LIMIT,
               "the outputs have %llu bytes, which is over the limit of %llu: max_output_bytes raises it",
               (unsigned long long)outputs, (unsigned long long)limit);
    OB_FAIL_IF(__builtin_add_overflow(plan->memory.arena_bytes, plan->memory.scratch_bytes, &work), b->error, OB_E_LIMIT,
               "the intermediate results need more memory than can be addressed");
    plan->memory.work_bytes = work;
    return OB_OK;
}

static ob_status build(ob_builder *b) {
    OB_TRY(ob__infer_shapes(b)); /* decides which contents belong to the key */
    OB_TRY(set_key(b));
    b->sources = OB_ARENA_ARRAY(&b->scratch, uint8_t, b->session->model->n_values);
    if (!b->sources) return OB_E_MEMORY;
    OB_TRY(place_inputs(b));
    b->plan->main.begin = b->plan->steps_end;
    if (!b->part) OB_TRY(ob__plan_graph(b, b->session->model->graph));
    for (uint32_t i = 0; b->part && i < b->part->n_nodes; i++) {
        OB_TRY(ob__stop_ask(b->session, &b->session->threads, b->error));
        OB_TRY(ob__plan_node(b, b->part->nodes[i]));
    }
    OB_TRY(ob__plan_rest(b));
    OB_TRY(ob__place_outputs(b));
    b->plan->main.end = b->n_steps;
    OB_TRY(ob__join_places(b));
    OB_TRY(ob__settle_places(b));
    ob__skip_joined(b);
    if (b->survey) return ob__survey_end(b->survey, b->session->unsupported, b->session->context, OB_OK, b->error);
    return lay_out(b);
}

static void set_ends(ob_builder *b) {
    const ob_session *session = b->session;
    const ob_graph *graph = session->model->graph;
    b->entries = b->part ? b->part->entries : (const ob_value *const *)session->inputs;
    b->n_entries = b->part ? b->part->n_entries : session->n_inputs;
    b->results = b->part ? b->part->results : (const ob_value *const *)graph->outputs;
    b->n_results = b->part ? b->part->n_results : graph->n_outputs;
}

/* The state of planning is large, and lives in its own scratch memory: plans are made within runs. */
static ob_status build_in(ob_session *session, const ob_part *part, const ob_view *inputs, ob_plan *plan, ob_error *error) {
    ob_arena scratch;
    ob__arena_init(&scratch, &session->allocator);
    ob_builder *b = OB_ARENA_NEW(&scratch, ob_builder);
    if (!b) return OB_E_MEMORY;
    *b = (ob_builder){.session = session, .part = part, .plan = plan, .inputs = inputs, .error = error, .scratch = scratch};
    set_ends(b);
    ob__facts_init(&b->own_facts, &session->allocator);
    b->facts = &b->own_facts;
    obk_takes takes = ob__takes(session), *before = obk_begin_takes(&takes); /* also of what is planned for several nodes */
    ob_status status = build(b);
    obk_end_takes(before);
    ob__facts_release(&b->own_facts);
    scratch = b->scratch;
    ob__arena_release(&scratch);
    return status;
}

ob_status ob__plan_create(ob_session *session, const ob_part *part, const ob_view *inputs, ob_plan **out, ob_error *error) {
    ob_arena arena;
    ob__arena_init(&arena, &session->allocator);
    ob_plan *plan = OB_ARENA_NEW(&arena, ob_plan);
    OB_FAIL_IF(!plan, error, OB_E_MEMORY, "no memory for a plan");
    plan->arena = arena; /* the plan lives in its own arena */
    plan->steps_end = &plan->steps;
    atomic_init(&plan->n_users, 1);
    session->n_planned++;
    ob_status status = build_in(session, part, inputs, plan, error);
    if (status != OB_OK) {
        ob__plan_release(session, plan);
        return ob__described(error, status, "cannot plan");
    }
    *out = plan;
    return OB_OK;
}

void ob__plan_release(ob_session *session, ob_plan *plan) {
    if (atomic_fetch_sub(&plan->n_users, 1) > 1) return;
    for (ob_step *step = plan->steps; step; step = step->next)
        if (step->kernel && step->kernel->release && step->state) step->kernel->release(step->state, &session->allocator);
    if (plan->rest) ob__part_release(session, plan->rest);
    ob__free_owned(&session->allocator, &plan->owned);
    ob_arena arena = plan->arena;
    ob__arena_release(&arena);
}
