/* ob_rewrite, and the two passes that stand around every rewriting. */
#include "onnx_broadcast/rewrite.h"

#include <string.h>

#include "core/error.h"
#include "passes/groups.h"
#include "passes/journal.h"
#include "passes/pipeline.h"

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

/* Fails with the first finding of severity error, as `status` or (OB_OK) as the finding's own. */
static ob_status first_error(const ob_findings *findings, const char *prefix, ob_status status, ob_error *error) {
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *finding = &findings->items[i];
        if (finding->severity != OB_SEVERITY_ERROR) continue;
        if (status == OB_OK) status = status_of(finding);
        if (error) {
            error->axis = finding->axis;
            if (finding->node) {
                ob__copy_text(error->node, sizeof error->node, ob__node_label(finding->node));
                ob__copy_text(error->op_type, sizeof error->op_type, finding->node->op_type);
            }
        }
        return ob__fail(error, status, "%s[%s] node '%s': %s", prefix, ob__finding_row(finding->id)->name,
                        finding->node ? ob__node_label(finding->node) : "", finding->message);
    }
    size_t n = ob__findings_dropped(findings, OB_SEVERITY_ERROR);
    if (n == 0) return OB_OK;
    return ob__fail(error, status == OB_OK ? OB_E_MODEL : status, "%s%zu errors beyond the findings that are listed", prefix, n);
}

ob_status ob__pass_sound(ob_work *work) {
    return first_error(work->findings, "", OB_OK, work->error);
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

ob_status ob__pass_recheck(ob_work *work) {
    ob_facts facts;
    ob_findings findings;
    ob__facts_init(&facts, &work->model->arena.allocator);
    ob__findings_init(&findings, &work->model->arena.allocator);
    ob_status status = ob__propagate(work->model, work->given, &facts, &findings);
    if (status == OB_OK) status = first_error(&findings, "the rewritten model does not check: ", OB_E_INTERNAL, work->error);
    for (uint32_t i = 0; i < work->model->graph->n_outputs && status == OB_OK; i++) {
        const ob_value *output = work->model->graph->outputs[i];
        if (contradicts(&ob__fact(work->facts, output)->type, &ob__fact(&facts, output)->type))
            status = ob__fail(work->error, OB_E_INTERNAL, "the rewritten model has another type for output '%s'", output->name);
    }
    ob__findings_release(&findings);
    ob__facts_release(&facts);
    return status;
}

ob_status ob_rewrite(ob_model *model, ob_form form, const ob_rewrite_options *options, ob_rewrite_stats *stats, ob_error *error) {
    static const int goals[] = {OB_GOAL_BROADCAST, OB_GOAL_FUNCTION, OB_GOAL_EXPAND, OB_GOAL_IMPLICIT};
    static const ob_rewrite_options plain = {0};
    ob_error_clear(error);
    OB_FAIL_IF(!model || (int)form < 0 || form >= OB_FORM_COUNT, error, OB_E_ARGUMENT, "ob_rewrite needs a model and a form");
    if (!options) options = &plain;
    ob_facts facts;
    ob_findings findings;
    ob_journal journal;
    ob__facts_init(&facts, &model->arena.allocator);
    ob__findings_init(&findings, &model->arena.allocator);
    ob__journal_init(&journal, &model->arena.allocator);
    ob_work work = {.model = model,
                    .goal = goals[form],
                    .facts = &facts,
                    .findings = &findings,
                    .journal = &journal,
                    .after_pass = options->after_pass,
                    .note = options->note,
                    .context = options->context,
                    .error = error};
    /* Names of new values come from the numbers of values: put back, they are the same the next time. */
    bool saved = ob__journal_save(&journal, &model->n_values, sizeof model->n_values) &&
                 ob__journal_save(&journal, &model->n_nodes, sizeof model->n_nodes);
    ob_status status = saved ? ob__run_pipeline(&work) : OB_E_MEMORY;
    if (status == OB_OK && stats) *stats = work.stats;
    if (status != OB_OK) ob__journal_undo(&journal, NULL);
    ob__journal_release(&journal);
    ob__findings_release(&findings);
    ob__facts_release(&facts);
    return ob__described(error, status, "");
}
