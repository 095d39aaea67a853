#include "passes/pipeline.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/dims/terms.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/explicit.h"
#include "passes/check/verify_graph.h"
#include "passes/contract/assumed.h"
#include "passes/rewrite/rewriting.h"

/* Order is meaning. Columns: name, function (one that analyses, or one that serves a rewriting), goals it serves, whether it
 * edits the graph, help. */
static const struct row {
    const char *name;
    ob_status (*analyse)(ob_work *work);
    ob_status (*rewrite)(ob_rewriting *rewriting);
    int goals;
    bool edits;
    const char *help;
} table[] = {
    {"resolve", ob__pass_resolve, NULL, OB_GOAL_CHECK | OB_GOAL_REWRITE, false, "find the operator or function of every node"},
    {"propagate", ob__pass_propagate, NULL, OB_GOAL_CHECK | OB_GOAL_REWRITE, false,
     "infer shapes, small contents and conditions; compare them with the declarations"},
    {"contract", ob__pass_contract, NULL, OB_GOAL_CHECK, false, "solve the requirements of the whole model on its input sizes"},
    {"rules", ob__pass_rules, NULL, OB_GOAL_CHECK, false, "test every broadcast with the chosen rule book"},
    {"accidental", ob__pass_accidental, NULL, OB_GOAL_CHECK, false, "find legal broadcasts that are probably accidental"},
    {"redundant", ob__pass_redundant, NULL, OB_GOAL_CHECK, false,
     "find Expand and Tile before operators that broadcast themselves"},
    {"targets", ob__pass_targets, NULL, OB_GOAL_CHECK, false, "compare every broadcast with the rules of deployment targets"},
    {"sound", NULL, ob__pass_sound, OB_GOAL_REWRITE, false, "stop here if the model has errors"},
    {"implicit", NULL, ob__pass_implicit, OB_GOAL_IMPLICIT, true,
     "remove explicit broadcasting that the next operator does itself"},
    {"insert_broadcast", NULL, ob__pass_insert_broadcast, OB_GOAL_EXPLICIT, true,
     "insert Broadcast or BroadcastInDim before every operator that broadcasts"},
    {"raise_opset", NULL, ob__pass_raise_opset, OB_GOAL_FUNCTION, true,
     "raise the model to opset 8, which has Expand, if every operator keeps its meaning"},
    {"lower_function", NULL, ob__pass_lower_function, OB_GOAL_FUNCTION, true,
     "turn Broadcast and BroadcastInDim into model-local functions"},
    {"lower_expand", NULL, ob__pass_lower_expand, OB_GOAL_EXPAND, true,
     "turn Broadcast and BroadcastInDim into standard operators"},
    {"fuse", NULL, ob__pass_fuse, OB_GOAL_FUSED, true,
     "turn groups of nodes that are one step of a session into model-local functions"},
    {"fit_target", NULL, ob__pass_fit_target, OB_GOAL_TARGET, true,
     "write broadcasts in a form that a deployment target accepts"},
    {"recheck", NULL, ob__pass_recheck, OB_GOAL_REWRITE, false,
     "infer again: no errors, the same output types, the same contract"},
    {"state_contract", NULL, ob__pass_state_contract, OB_GOAL_REWRITE, true, "write the contract into the model's metadata"},
};

enum { N_PASSES = sizeof table / sizeof *table };

#ifdef NDEBUG
static const bool verify_always = false;
#else
static const bool verify_always = true;
#endif

size_t ob_pass_count(void) {
    return N_PASSES;
}

ob_pass_info ob_pass_at(size_t index) {
    return index < N_PASSES ? (ob_pass_info){table[index].name, table[index].help} : (ob_pass_info){"", ""};
}

/* Passes may continue with incomplete data after a failed allocation; their output is then not a result. */
static ob_status memory_status(const ob_work *work, const ob_rewriting *rewriting) {
    const ob_model *model = work->model;
    if (rewriting && rewriting->keeping.arena.failed) return OB_E_MEMORY;
    bool failed = model->arena.failed || work->facts->arena.failed || work->findings->arena.failed ||
                  ob_dims_status(model->dims) == OB_E_MEMORY;
    return failed ? OB_E_MEMORY : OB_OK;
}

static ob_status run_pass(ob_work *work, ob_rewriting *rewriting, const struct row *row) {
    bool told = ob__logs(&work->model->logger, OB_LOG_DEBUG);
    uint64_t start = told ? ob__now_ns() : 0;
    OB_TRY(row->analyse ? row->analyse(work) : row->rewrite(rewriting));
    OB_TRY(memory_status(work, rewriting));
    if (told)
        ob__log(&work->model->logger, OB_LOG_DEBUG, "pass %s: %llu us", row->name,
                (unsigned long long)((ob__now_ns() - start) / 1000));
    /* A model from a file may be out of order until `sound` has looked at the findings. */
    if (row->edits || (verify_always && row->rewrite == ob__pass_recheck))
        OB_TRY(ob__verify_graph(work->model, row->name, work->error));
    return work->after_pass ? work->after_pass(work->context, row->name, work->model) : OB_OK;
}

/* Names of new values come from the numbers of values. Resetting these gives the same names in the next round. */
static ob_status start_round(ob_rewriting *rewriting) {
    ob_model *model = rewriting->work->model;
    ob_keeping *keeping = &rewriting->keeping;
    ob__journal_undo(&rewriting->journal, NULL);
    rewriting->stats = (ob_rewrite_stats){0};
    rewriting->notes = rewriting->last_note = NULL;
    rewriting->again = false;
    if (keeping->touched) memset(keeping->touched, 0, keeping->n_nodes * sizeof *keeping->touched);
    return ob__journal_save(&rewriting->journal, &model->n_values, sizeof model->n_values) &&
                   ob__journal_save(&rewriting->journal, &model->n_nodes, sizeof model->n_nodes)
               ? OB_OK
               : OB_E_MEMORY;
}

static size_t first_edit(void) {
    size_t i = 0;
    while (!table[i].edits) i++;
    return i;
}

ob_status ob__run_pipeline(ob_work *work, ob_rewriting *rewriting) {
    int goal = rewriting ? rewriting->goal : OB_GOAL_CHECK;
    work->model->arena.failed = false; /* earlier calls gave their own answers */
    ob__dims_restart(work->model->dims);
    if (rewriting) OB_TRY(start_round(rewriting));
    for (size_t i = 0; i < N_PASSES; i++) {
        if (table[i].goals & goal) OB_TRY(run_pass(work, rewriting, &table[i]));
        if (!rewriting || !rewriting->again) continue;
        OB_TRY(start_round(rewriting));
        OB_TRY(ob__pass_resolve(work));
        i = first_edit() - 1;
    }
    return OB_OK;
}

void ob__note_left(ob_rewriting *rewriting, const ob_node *node, const char *reason) {
    ob_left_note *note = OB_ARENA_NEW(&rewriting->keeping.arena, ob_left_note);
    rewriting->stats.n_left++;
    if (!note) return; /* the arena has it */
    *note = (ob_left_note){NULL, node, reason};
    if (rewriting->last_note)
        rewriting->last_note->next = note;
    else
        rewriting->notes = note;
    rewriting->last_note = note;
}

bool ob__leaves(ob_rewriting *rewriting, const ob_node *node) {
    if (!ob__stays(&rewriting->keeping, node)) return false;
    ob__note_left(rewriting, node, "it could not be shown that the model would accept the same sizes");
    return true;
}

ob_status ob__pass_resolve(ob_work *work) {
    OB_TRY(ob__model_resolve_ops(work->model));
    ob__mark_definitions(work->model);
    return OB_OK;
}

ob_status ob__pass_propagate(ob_work *work) {
    ob_propagate_options options = {0};
    if (work->given) options = *work->given;
    options.solved = true; /* for a rewriting too, so that input sizes are named in the same way */
    options.keep_calls = work->contract != NULL;
    ob_assumed_facts assumed;
    OB_TRY(ob__assumed_facts(work->model->dims, work->assumed, work->n_assumed, &work->facts->arena, &assumed));
    work->model->dims->assumed = work->n_assumed ? &assumed.sizes : NULL;
    ob_status status = ob__propagate(work->model, &options, work->facts, work->findings);
    work->model->dims->assumed = NULL;
    OB_TRY(status);
    return ob__required_index(work->facts, work->model->n_nodes, &work->facts->arena, &work->required);
}
