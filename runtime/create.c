/* Sessions from their making to their end. */
#include "onnx_broadcast/session.h"

#include <stdint.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/dims/terms.h"
#include "core/graph/copy.h"
#include "kernels/kernels.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "passes/check/propagate.h"
#include "passes/expand/expand.h"
#include "passes/optimize/padding.h"
#include "passes/optimize/rules.h"
#include "runtime/external.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/run/cells.h"
#include "runtime/session.h"
#include "runtime/sizes.h"
#include "runtime/stop.h"
#include "runtime/support.h"
#include "runtime/tally.h"
#include "runtime/weights.h"

void ob_session_config_init(ob_session_config *config) {
    if (!config) return;
    memset(config, 0, sizeof *config);
    config->struct_bytes = sizeof *config;
    config->n_threads = 1;
    config->optimize = true;
    config->external_data = true;
}

/* The limit of nodes after functions are inlined: proportional to the file, unless the caller sets it. */
static uint64_t max_nodes_of(const ob_session_config *config, const ob_model *model) {
    enum { FEW = 1 << 17, TIMES = 16 };
    return config->max_nodes ? config->max_nodes : FEW + TIMES * (uint64_t)model->n_nodes;
}

/* Folded constants may take a quarter of the memory, and no more than this. */
static const uint64_t FOLDED_BYTES = UINT64_C(1) << 30;

static uint64_t max_memory(const ob_session_config *config) {
    return config->max_memory ? config->max_memory : UINT64_C(1) << 40;
}

/* ---- Creation ---- */

static ob_status read_config(ob_session *session, const ob_session_config *config, ob_error *error) {
    session->optimize = config->optimize;
    session->ahead_of_time = config->ahead_of_time;
    session->strict = config->strict_declarations;
    session->constants_in_place = config->constants_in_place;
    session->numerics = config->numerics;
    session->max_folded_bytes = max_memory(config) / 4 < FOLDED_BYTES ? max_memory(config) / 4 : FOLDED_BYTES;
    session->max_output_bytes = config->max_output_bytes;
    session->max_plans = config->max_plans ? config->max_plans : 8;
    session->trace = config->trace;
    session->unsupported = config->unsupported;
    session->context = config->context;
    if (config->note_loops) {
        session->noted = OB_ARENA_NEW(&session->arena, ob_noted_loops);
        if (!session->noted) return OB_E_MEMORY;
        atomic_flag_clear(&session->noted->busy);
    }
    if (config->logger) session->model->logger = *config->logger;
    session->bindings = OB_ARENA_ARRAY(&session->arena, ob_binding, config->n_dims);
    if (!session->bindings) return OB_E_MEMORY;
    for (; session->n_bindings < config->n_dims; session->n_bindings++) {
        const ob_named_size *dim = &config->dims[session->n_bindings];
        OB_TRY(ob__bind_symbol(session->model, dim->name, dim->size, &session->bindings[session->n_bindings], error));
    }
    return OB_OK;
}

/* A copy of the type with the sizes that the configuration gives; iterative, files decide the nesting. NULL: no memory. */
static const ob_type *describe_type(ob_session *session, const ob_type *type) {
    const ob_type *first = NULL, **place = &first;
    for (; type; type = type->element) {
        ob_type *copy = OB_ARENA_NEW(&session->arena, ob_type);
        if (!copy) return NULL;
        *copy = *type;
        copy->element = NULL;
        *place = copy;
        place = &copy->element;
        if (type->kind != OB_TYPE_TENSOR || type->shape.rank < 0 || type->shape.rank > OB_MAX_RANK) {
            copy->shape = (ob_shape){OB_RANK_UNKNOWN, NULL};
            continue;
        }
        ob_dim *dims = OB_ARENA_ARRAY(&session->arena, ob_dim, (size_t)type->shape.rank);
        if (!dims) return NULL;
        for (int32_t i = 0; i < type->shape.rank; i++)
            dims[i] = ob_dim_substitute(session->model->dims, type->shape.dims[i], session->bindings, session->n_bindings);
        copy->shape.dims = dims;
    }
    return first;
}

static ob_status describe(ob_session *session, const ob_value *value, const ob_type *type, ob_session_value *info) {
    char text[1024];
    *info = (ob_session_value){.name = value->name, .dtype = OB_NONE, .shape = {OB_RANK_UNKNOWN, NULL}};
    info->type = type = describe_type(session, type);
    if (!type) return OB_E_MEMORY;
    if (type->kind == OB_TYPE_TENSOR) {
        info->dtype = type->dtype;
        info->shape = type->shape;
    }
    session->has_cells |= ob__is_cell_type(type);
    ob_shape_format(session->model->dims, &info->shape, text, sizeof text);
    info->shape_text = ob__arena_strndup(&session->arena, text, strlen(text));
    return info->shape_text ? OB_OK : OB_E_MEMORY;
}

/* As declared; sizes without a name by place, which is how conditions speak of them. */
static ob_status describe_input(ob_session *session, uint32_t index, ob_session_value *info) {
    ob_type type = session->model->graph->inputs[index]->declared;
    if (type.shape.rank > 0) {
        ob_dim *dims = OB_ARENA_ARRAY(&session->arena, ob_dim, (size_t)type.shape.rank);
        if (!dims) return OB_E_MEMORY;
        for (int32_t axis = 0; axis < type.shape.rank; axis++) {
            dims[axis] = ob__input_symbol(session->model, index, axis);
            if (dims[axis] == OB_DIM_UNKNOWN) return OB_E_MEMORY;
        }
        type.shape.dims = dims;
    }
    return describe(session, session->model->graph->inputs[index], &type, info);
}

static ob_status collect_inputs(ob_session *session, ob_error *error) {
    const ob_graph *graph = session->model->graph;
    session->inputs = OB_ARENA_ARRAY(&session->arena, ob_value *, graph->n_inputs);
    session->input_info = OB_ARENA_ARRAY(&session->arena, ob_session_value, graph->n_inputs);
    session->content_matters = OB_ARENA_ARRAY(&session->arena, bool, graph->n_inputs);
    if (!session->inputs || !session->input_info || !session->content_matters) return OB_E_MEMORY;
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        ob_value *value = graph->inputs[i];
        if (value->is_initializer) continue;
        OB_FAIL_IF(value->declared.kind == OB_TYPE_SPARSE_TENSOR, error, OB_E_UNSUPPORTED, "input %s is a sparse tensor",
                   value->name);
        OB_FAIL_IF(value->declared.kind == OB_TYPE_TENSOR && value->declared.shape.rank > OB_MAX_RANK, error, OB_E_LIMIT,
                   "input %s has rank %d, at most %d is supported", value->name, value->declared.shape.rank, OB_MAX_RANK);
        OB_TRY(describe_input(session, i, &session->input_info[session->n_inputs]));
        session->inputs[session->n_inputs++] = value;
    }
    return OB_OK;
}

static ob_status refuse_structure(const ob_findings *findings, ob_error *error) {
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *f = &findings->items[i];
        if (f->severity != OB_SEVERITY_ERROR || ob__finding_row(f->id)->group != OB_FINDINGS_GRAPH) continue;
        ob__at_node(error, f->node, OB_E_MODEL);
        return ob__fail(error, OB_E_MODEL, "%s", f->message);
    }
    OB_FAIL_IF(ob__findings_dropped(findings, OB_SEVERITY_ERROR), error, OB_E_LIMIT,
               "the model has too many findings to look at all");
    return OB_OK;
}

enum { MAX_ROUNDS = 8 }; /* of bodies in which operators have bodies */

/* If the operands are unknown, an operator without a kernel precedes the node, and that operator is reported. */
static ob_status note_refused(void *context, const ob_node *node, bool operands_known, const char *reason) {
    ob_survey *survey = context;
    return operands_known || ob__survey_is_empty(survey) ? ob__survey_note(survey, node, reason) : OB_OK;
}

static ob_status expand_bodies(ob_session *session, const ob_propagate_options *options, const ob_findings *findings,
                               uint64_t max_nodes, ob_survey *survey, ob_error *error) {
    bool any = true;
    ob_expand_options how = {.max_nodes = max_nodes, .refused = note_refused, .context = survey};
    for (int round = 0; round < MAX_ROUNDS; round++) {
        how.findings = round == 0 ? findings : NULL;
        OB_TRY(ob__expand_bodies(session->model, &session->facts, &how, &any, error));
        if (!any) return OB_OK;
        OB_TRY(ob__note_operators(session));
        OB_TRY(ob__name_required_results(session->model));
        OB_TRY(ob__propagate(session->model, options, &session->facts, NULL));
    }
    return ob__fail(error, OB_E_INTERNAL, "bodies of operators call each other recursively");
}

/* Rules replace nodes by others, which may have bodies. */
static ob_status optimize(ob_session *session, const ob_propagate_options *options, const ob_findings *findings,
                          uint64_t max_nodes, ob_survey *survey, ob_error *error) {
    bool any;
    if (!session->optimize) return OB_OK;
    const ob_rule_listener listener = {ob__session_uses, session};
    const bool relaxed = session->numerics == OB_NUMERICS_RELAXED;
    OB_TRY(ob__apply_rules(session->model, &session->facts, relaxed, &listener, &any, error));
    if (!any) return OB_OK;
    OB_TRY(ob__note_operators(session));
    OB_TRY(ob__name_required_results(session->model));
    OB_TRY(ob__propagate(session->model, options, &session->facts, NULL));
    return expand_bodies(session, options, findings, max_nodes, survey, error);
}

static ob_status infer_all(ob_session *session, ob_propagate_options *options, ob_findings *findings, uint64_t max_nodes,
                           ob_survey *survey, ob_error *error) {
    bool wrong = false;
    OB_TRY(ob__propagate(session->model, options, &session->facts, findings));
    OB_TRY(refuse_structure(findings, error));
    OB_TRY(ob__judge_declared(session, findings, &wrong, error));
    if (wrong && !session->strict) {
        options->ignore_declared = true; /* conditions must not come from a wrong claim */
        ob__findings_release(findings);
        ob__findings_init(findings, &session->allocator);
        OB_TRY(ob__propagate(session->model, options, &session->facts, findings));
    }
    bool any;
    OB_TRY(ob__write_gradients(session->model, &session->facts, max_nodes, &any, error));
    if (any) {
        OB_TRY(ob__note_operators(session));
        OB_TRY(ob__name_required_results(session->model));
        ob__findings_release(findings);
        ob__findings_init(findings, &session->allocator);
        OB_TRY(ob__propagate(session->model, options, &session->facts, findings));
    }
    OB_TRY(expand_bodies(session, options, findings, max_nodes, survey, error));
    return optimize(session, options, findings, max_nodes, survey, error);
}

/* Infers for all sizes: types and shapes of outputs, and the conditions that runs test. */
static ob_status infer_symbolic(ob_session *session, uint64_t max_nodes, ob_survey *survey, ob_error *error) {
    ob_findings findings;
    ob__findings_init(&findings, &session->allocator);
    ob_propagate_options options = {
        .bindings = session->bindings, .n_bindings = session->n_bindings, .solved = true, .fixed_defaults = true};
    ob_status status = infer_all(session, &options, &findings, max_nodes, survey, error);
    ob__findings_release(&findings);
    return status;
}

static ob_status describe_outputs(ob_session *session) {
    const ob_graph *graph = session->model->graph;
    session->output_info = OB_ARENA_ARRAY(&session->arena, ob_session_value, graph->n_outputs);
    if (!session->output_info) return OB_E_MEMORY;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        OB_TRY(
            describe(session, graph->outputs[i], &ob__fact(&session->facts, graph->outputs[i])->type, &session->output_info[i]));
    return OB_OK;
}

/* A model whose input shapes are all numbers is planned at once, so that element types and attributes that cannot run are named
 * here. Any other failure is left to the run, which has the inputs' elements too. */
static ob_status plan_ahead(ob_session *session, ob_error *error) {
    ob_view *inputs = OB_ARENA_ARRAY(&session->arena, ob_view, session->n_inputs);
    if (!inputs) return OB_E_MEMORY;
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        const ob_session_value *info = &session->input_info[i];
        if (ob__is_cell_type(info->type)) continue;
        if (info->dtype == OB_NONE || info->shape.rank == OB_RANK_UNKNOWN) return OB_OK;
        for (int32_t k = 0; k < info->shape.rank; k++)
            if (!ob_dim_is_const(info->shape.dims[k])) return OB_OK;
        if (ob__view_layout(&inputs[i], info->dtype, info->shape.rank, info->shape.dims) != OB_OK) return OB_OK;
    }
    ob_error own;
    ob_error_clear(&own);
    ob_status status = ob__session_prepare(session, inputs, &own);
    if (status == OB_OK &&
        session->current->memory.n_dynamic > 0) { /* elements may decide shapes that are dynamic here: plan again with them */
        ob__frame_forget_plan(&session->frame, session->current);
        ob__plan_release(session, session->current);
        session->plans = session->current = NULL;
    }
    bool limited = status == OB_E_MEMORY && ob__tally_refused(session->tally); /* the run reports it, if it reaches the node */
    if (session->stop.status == OB_OK && (limited || (status != OB_E_UNSUPPORTED && status != OB_E_MEMORY))) return OB_OK;
    if (error) *error = own;
    return status;
}

/* Infers as far as possible behind unknown operators, so that the rest is examined, too. */
static ob_status understand(ob_session *session, uint64_t max_nodes, ob_survey *survey, ob_error *error) {
    OB_TRY(ob__name_required_results(session->model));
    OB_TRY(collect_inputs(session, error));
    OB_TRY(infer_symbolic(session, max_nodes, survey, error));
    return ob__survey_kernels(survey, session->model, &session->facts);
}

/* ONNX Runtime runs such models, too. */
static ob_status tell_disorder(void *context, ob_graph *graph) {
    const ob_session *session = context;
    if (graph->n_early > 0)
        OB_LOG(&session->model->logger, OB_LOG_WARNING,
               "%s: node \"%s\" reads \"%s\" before the node that makes it; the nodes run in topological order",
               session->model->path, graph->early_node->name, graph->early_value->name);
    return OB_OK;
}

static void report_session(const ob_session *session) {
    char threads[80];
    ob__threads_text(session, threads, sizeof threads);
    ob__log(&session->model->logger, OB_LOG_INFO, "%s: session: %u nodes, kernels for %s, %s", session->model->path,
            session->model->graph->n_nodes, ob__kernels_level_name(), threads);
}

/* The session's own copy of the model: functions are inlined, and *max_nodes is the limit for nodes. */
static ob_status take_model(ob_session *session, const ob_model *model, const ob_session_config *config, uint64_t *max_nodes,
                            ob_error *error) {
    OB_TRY(ob__model_clone(model, &session->allocator, &session->model, error));
    OB_TRY(ob__model_each_graph(session->model, tell_disorder, session));
    OB_TRY(ob__model_resolve_ops(session->model));
    *max_nodes = max_nodes_of(config, session->model);
    OB_TRY(ob__inline_functions(session->model, *max_nodes, error));
    OB_TRY(ob__note_operators(session));
    OB_TRY(ob__unroll_sequence_maps(session->model, error));
    return ob__note_operators(session);
}

static ob_status join_nodes(ob_session *session) {
    OB_TRY(ob__find_padding(session->model, session->uses, session->live, &session->arena, &session->joins_windows));
    return ob__find_groups(session->model, &session->facts, session->uses, session->live, &session->arena, &session->groups);
}

static ob_status set_up(ob_session *session, const ob_model *model, const ob_session_config *config, ob_error *error) {
    uint64_t max_nodes;
    OB_TRY(take_model(session, model, config, &max_nodes, error));
    OB_TRY(read_config(session, config, error));
    ob_survey *survey = ob__survey_new(&session->arena);
    if (!survey) return OB_E_MEMORY;
    OB_TRY(ob__survey_operators(survey, session->model, error));
    ob_status status = understand(session, max_nodes, survey, error);
    OB_TRY(ob__survey_end(survey, config->unsupported, config->context, status, error));
    OB_TRY(describe_outputs(session));
    session->constants = OB_ARENA_ARRAY(&session->arena, ob_constant *, session->model->n_values);
    if (!session->constants) return OB_E_MEMORY;
    ob_external_rules external = {config->external_data, config->external_folder};
    OB_TRY(ob__find_live(session));
    if (session->optimize) OB_TRY(join_nodes(session));
    OB_TRY(ob__load_weights(session, &external, error));
    OB_TRY(ob__threads_start(session, config->n_threads, error));
    OB_TRY(ob__frame_init(&session->frame, session, &session->allocator, &session->threads, config->caller_memory));
    if (ob__logs(&session->model->logger, OB_LOG_INFO)) report_session(session);
    OB_TRY(ob__numerics_open(session));
    ob__dims_give_back(session->model->dims);
    return plan_ahead(session, error);
}

ob_status ob_session_create(const ob_model *model, const ob_session_config *config, ob_session **out, ob_error *error) {
    ob_session_config standard;
    ob_error_clear(error);
    OB_FAIL_IF(!model || !out, error, OB_E_ARGUMENT, "model and out must not be NULL");
    if (!config) {
        ob_session_config_init(&standard);
        config = &standard;
    }
    OB_FAIL_IF(config->struct_bytes != sizeof *config || (config->n_dims && !config->dims), error, OB_E_ARGUMENT,
               "the configuration was not made by ob_session_config_init");
    OB_FAIL_IF(config->numerics != OB_NUMERICS_EXACT && config->numerics != OB_NUMERICS_RELAXED, error, OB_E_ARGUMENT,
               "numerics %d: neither OB_NUMERICS_EXACT nor OB_NUMERICS_RELAXED", (int)config->numerics);
    ob_allocator allocator;
    ob_tally *tally = ob__tally_create(config->allocator, max_memory(config), NULL, &allocator);
    OB_FAIL_IF(!tally, error, OB_E_MEMORY, "out of memory");
    ob_arena arena;
    ob__arena_init(&arena, &allocator);
    ob_session *session = OB_ARENA_NEW(&arena, ob_session);
    if (!session) {
        ob__fail(error, OB_E_MEMORY, "out of memory");
        ob_status status = ob__tally_explain(tally, OB_E_MEMORY, error);
        ob__arena_release(&arena);
        ob__tally_destroy(tally);
        return status;
    }
    session->arena = arena; /* the session lives in its own arena */
    session->allocator = allocator;
    session->tally = tally;
    session->account = ob__tally_account(tally);
    session->stop = (ob_stop){.cancelled = config->cancelled, .context = config->context};
    session->threads.stop = &session->stop;
    session->host = (ob_host_threads){.share = config->share, .pool = config->share_pool};
    session->max_run_ns = config->max_run_ns;
    ob__stop_begin(&session->stop, session->max_run_ns);
    ob__facts_init(&session->facts, &session->allocator);
    ob_status status = set_up(session, model, config, error);
    ob__threads_end(session);
    if (session->model) ob__dims_give_back(session->model->dims);
    if (status != OB_OK) {
        status = ob__tally_explain(tally, ob__described(error, status, "cannot make a session"), error);
        ob_session_close(&session);
        return status;
    }
    *out = session;
    return OB_OK;
}

void ob_session_close(ob_session **session) {
    if (!session || !*session) return;
    ob_session *closing = *session;
    *session = NULL;
    while (closing->plans) {
        ob_plan *plan = closing->plans;
        closing->plans = plan->next;
        ob__plan_release(closing, plan);
    }
    ob__templates_release(closing);
    for (ob_part *part = closing->body_parts; part; part = part->next) ob__part_release(closing, part);
    ob__frame_release(&closing->frame);
    ob__threads_stop(closing);
    ob__numerics_close(closing);
    ob__constants_release(closing);
    ob__free_owned(&closing->allocator, &closing->owned);
    ob__external_unmap(closing);
    ob__solved_release(closing);
    ob__facts_release(&closing->facts);
    ob_model_close(&closing->model);
    ob_tally *tally = closing->tally;
    ob_arena arena = closing->arena; /* the struct is freed with the arena */
    ob__arena_release(&arena);
    ob__tally_destroy(tally);
}
