/* ob_rewrite, and the first and last pass of every rewriting. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/groups.h"
#include "passes/pipeline.h"
#include "passes/rewrite/rewriting.h"

static const char *const form_names[] = {
#define OB_FORM_NAME(name, text) text,
    OB_FORM_LIST(OB_FORM_NAME)
#undef OB_FORM_NAME
};

const char *ob_form_name(ob_form form) {
    return (int)form >= 0 && form < OB_FORM_COUNT ? form_names[form] : "";
}

ob_form ob_form_from_name(const char *name) {
    for (int i = 0; name && i < OB_FORM_COUNT; i++)
        if (strcmp(form_names[i], name) == 0) return (ob_form)i;
    return OB_FORM_COUNT;
}

static ob_status status_of(const ob_finding *finding) {
    if (finding->id == OB0605) return OB_E_INTERNAL;
    if (finding->id == OB0604 || finding->id == OB0502) return OB_E_TYPE;
    return finding->operands ? OB_E_SHAPE : OB_E_MODEL;
}

/* Fails with the first finding of severity error. */
static ob_status first_error(const ob_findings *findings, ob_error *error) {
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *finding = &findings->items[i];
        if (finding->severity != OB_SEVERITY_ERROR) continue;
        if (error) {
            error->axis = finding->axis;
            if (finding->node) {
                ob__copy_text(error->node, sizeof error->node, ob__node_label(finding->node));
                ob__copy_text(error->op_type, sizeof error->op_type, finding->node->op_type);
            }
        }
        return ob__fail(error, status_of(finding), "[%s] node '%s': %s", ob__finding_row(finding->id)->name,
                        finding->node ? ob__node_label(finding->node) : "", finding->message);
    }
    size_t n = ob__findings_dropped(findings, OB_SEVERITY_ERROR);
    if (n == 0) return OB_OK;
    return ob__fail(error, OB_E_MODEL, "%zu errors beyond the findings that are listed", n);
}

ob_status ob__pass_sound(ob_rewriting *rewriting) {
    const ob_work *work = rewriting->work;
    OB_TRY(first_error(work->findings, work->error));
    return ob__keeping_start(&rewriting->keeping, work->model, work->facts);
}

/* True when the sizes are known before and after, and are not the same. */
static bool contradicts(const ob_type *before, const ob_type *after) {
    if (before->kind != OB_TYPE_TENSOR || after->kind != OB_TYPE_TENSOR) return false;
    if (before->dtype != OB_NONE && after->dtype != OB_NONE && before->dtype != after->dtype) return true;
    if (before->shape.rank == OB_RANK_UNKNOWN || after->shape.rank == OB_RANK_UNKNOWN) return false;
    if (before->shape.rank != after->shape.rank) return true;
    for (int32_t i = 0; i < before->shape.rank; i++) {
        ob_dim a = before->shape.dims[i], b = after->shape.dims[i];
        if (ob_dim_is_const(a) && ob_dim_is_const(b) && a != b) return true;
    }
    return false;
}

/* The first finding of severity error; node NULL: it has no node. */
static bool has_error(const ob_findings *findings, const ob_node **node) {
    *node = NULL;
    for (uint32_t i = 0; i < findings->n; i++)
        if (findings->items[i].severity == OB_SEVERITY_ERROR) {
            *node = findings->items[i].node;
            return true;
        }
    return findings->n_dropped[OB_SEVERITY_ERROR] > 0;
}

static const ob_value *contradicted_output(const ob_work *work, const ob_facts *facts) {
    const ob_graph *graph = work->model->graph;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        if (contradicts(&ob__fact(work->facts, graph->outputs[i])->type, &ob__fact(facts, graph->outputs[i])->type))
            return graph->outputs[i];
    return NULL;
}

/* Everything must stay: edits of any pass in this round have not been compared. */
static ob_status leave_all(ob_rewriting *rewriting) {
    size_t n_left = rewriting->stats.n_left;
    ob__journal_undo(&rewriting->journal, NULL);
    rewriting->stats = (ob_rewrite_stats){.n_left = n_left};
    return ob__pass_resolve(rewriting->work);
}

static ob_status recheck(ob_rewriting *rewriting, ob_facts *facts, ob_findings *findings) {
    const ob_work *work = rewriting->work;
    const ob_node *node;
    bool kept = true;
    const ob_propagate_options as_checked = {.solved = true}; /* the contract of the model is stated as a check finds it */
    OB_TRY(ob__propagate(work->model, &as_checked, facts, findings));
    const ob_value *output = contradicted_output(work, facts);
    if (has_error(findings, &node) || output) {
        if (!node && output) node = output->producer;
        OB_TRY(ob__keeping_blame(&rewriting->keeping, node));
        kept = false;
    } else {
        OB_TRY(ob__keeping_compare(&rewriting->keeping, work->model, work->facts, facts, &kept));
    }
    rewriting->again = !kept;
    return OB_OK;
}

ob_status ob__pass_recheck(ob_rewriting *rewriting) {
    const ob_model *model = rewriting->work->model;
    if (rewriting->keeping.all_stay) return leave_all(rewriting);
    ob_facts facts;
    ob_findings findings;
    ob__facts_init(&facts, &model->arena.allocator);
    ob__findings_init(&findings, &model->arena.allocator);
    ob_status status = recheck(rewriting, &facts, &findings);
    ob__findings_release(&findings);
    ob__facts_release(&facts);
    return status;
}

static void tell_notes(const ob_rewriting *rewriting, const ob_rewrite_options *options) {
    for (const ob_left_note *note = rewriting->notes; note && options->note; note = note->next)
        options->note(options->context, ob__node_label(note->node), note->node->op_type, note->reason);
}

static ob_status rewrite(ob_model *model, int goal, const ob_target *target, const ob_rewrite_options *options,
                         ob_rewrite_stats *stats, ob_error *error) {
    static const ob_rewrite_options plain = {0};
    if (!options) options = &plain;
    ob_facts facts;
    ob_findings findings;
    ob_work work = {.model = model,
                    .facts = &facts,
                    .findings = &findings,
                    .after_pass = options->after_pass,
                    .context = options->context,
                    .error = error};
    OB_FAIL_IF(options->max_ram < 0 || (options->max_ram && !options->cost), error, OB_E_ARGUMENT,
               "a limit of memory needs the cost of the model");
    ob_rewriting rewriting = {.work = &work, .goal = goal, .target = target};
    if (options->max_ram) {
        rewriting.cost = options->cost;
        rewriting.max_ram = options->max_ram;
    }
    ob__facts_init(&facts, &model->arena.allocator);
    ob__findings_init(&findings, &model->arena.allocator);
    ob__journal_init(&rewriting.journal, &model->arena.allocator);
    ob__keeping_init(&rewriting.keeping, &model->arena.allocator);
    ob_status status = ob__run_pipeline(&work, &rewriting);
    if (status == OB_OK) tell_notes(&rewriting, options);
    if (status == OB_OK && stats) *stats = rewriting.stats;
    if (status != OB_OK) ob__journal_undo(&rewriting.journal, NULL);
    ob__keeping_release(&rewriting.keeping);
    ob__journal_release(&rewriting.journal);
    ob__findings_release(&findings);
    ob__facts_release(&facts);
    return ob__described(error, status, "");
}

ob_status ob_rewrite(ob_model *model, ob_form form, const ob_rewrite_options *options, ob_rewrite_stats *stats, ob_error *error) {
    static const int goals[] = {OB_GOAL_BROADCAST, OB_GOAL_FUNCTION, OB_GOAL_EXPAND, OB_GOAL_IMPLICIT, OB_GOAL_FUSED};
    ob_error_clear(error);
    OB_FAIL_IF(!model || (int)form < 0 || form >= OB_FORM_COUNT, error, OB_E_ARGUMENT, "ob_rewrite needs a model and a form");
    return rewrite(model, goals[form], NULL, options, stats, error);
}

ob_status ob_rewrite_for_target(ob_model *model, const char *target, const ob_rewrite_options *options, ob_rewrite_stats *stats,
                                ob_error *error) {
    ob_target found;
    ob_error_clear(error);
    OB_FAIL_IF(!model || !target, error, OB_E_ARGUMENT, "ob_rewrite_for_target needs a model and a target");
    OB_FAIL_IF(!ob__target_at(ob_target_find(target), &found), error, OB_E_NOT_FOUND, "there is no deployment target '%.100s'",
               target);
    return rewrite(model, OB_GOAL_TARGET, &found, options, stats, error);
}
