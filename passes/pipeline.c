#include "passes/pipeline.h"

#include <string.h>

#include "core/error.h"
#include "core/log.h"
#include "core/terms.h"
#include "ops/op.h"
#include "passes/explicit.h"
#include "passes/groups.h"
#include "passes/journal.h"
#include "passes/kept.h"
#include "passes/verify_graph.h"

/* Order is meaning. Columns: name, function, goals it serves, whether it edits the graph, help. */
static const struct row {
    const char *name;
    ob_pass run;
    int goals;
    bool edits;
    const char *help;
} table[] = {
    {"resolve", ob__pass_resolve, OB_GOAL_CHECK | OB_GOAL_REWRITE, false, "find the operator or function of every node"},
    {"propagate", ob__pass_propagate, OB_GOAL_CHECK | OB_GOAL_REWRITE, false,
     "shapes, small contents and conditions through every graph; declared against inferred"},
    {"contract", ob__pass_contract, OB_GOAL_CHECK, false, "what the whole model requires of the sizes of its inputs, solved"},
    {"rules", ob__pass_rules, OB_GOAL_CHECK, false, "every broadcast under the chosen rule book"},
    {"accidental", ob__pass_accidental, OB_GOAL_CHECK, false, "legal broadcasts that are probably not meant"},
    {"redundant", ob__pass_redundant, OB_GOAL_CHECK, false, "Expand and Tile before an operator that broadcasts anyway"},
    {"sound", ob__pass_sound, OB_GOAL_REWRITE, false, "stop here when the model has errors"},
    {"implicit", ob__pass_implicit, OB_GOAL_IMPLICIT, true,
     "take out explicit broadcasting that the operator behind does anyway"},
    {"insert_broadcast", ob__pass_insert_broadcast, OB_GOAL_EXPLICIT, true,
     "Broadcast or BroadcastInDim before every operator that broadcasts"},
    {"raise_opset", ob__pass_raise_opset, OB_GOAL_FUNCTION, true,
     "to opset 8, which has Expand, when every operator means the same there"},
    {"lower_function", ob__pass_lower_function, OB_GOAL_FUNCTION, true, "Broadcast and BroadcastInDim to model-local functions"},
    {"lower_expand", ob__pass_lower_expand, OB_GOAL_EXPAND, true, "Broadcast and BroadcastInDim to standard operators"},
    {"recheck", ob__pass_recheck, OB_GOAL_REWRITE, false, "propagate again: no errors, the same output types"},
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

/* Passes may go on after an allocation failed, with less than the truth: what they give is then no result. */
static ob_status memory_status(const ob_work *work) {
    const ob_model *model = work->model;
    if (work->keeping && work->keeping->arena.failed) return OB_E_MEMORY;
    bool failed = model->arena.failed || work->facts->arena.failed || work->findings->arena.failed ||
                  ob_dims_status(model->dims) == OB_E_MEMORY;
    return failed ? OB_E_MEMORY : OB_OK;
}

static ob_status run_pass(ob_work *work, const struct row *row) {
    bool told = ob__logs(&work->model->logger, OB_LOG_DEBUG);
    uint64_t start = told ? ob__now_ns() : 0;
    OB_TRY(row->run(work));
    OB_TRY(memory_status(work));
    if (told)
        ob__log(&work->model->logger, OB_LOG_DEBUG, "pass %s: %llu us", row->name,
                (unsigned long long)((ob__now_ns() - start) / 1000));
    /* A model from a file may be out of order until `sound` has looked at the findings. */
    if (row->edits || (verify_always && (work->goal & OB_GOAL_REWRITE) && row->run == ob__pass_recheck))
        OB_TRY(ob__verify_graph(work->model, row->name, work->error));
    return work->after_pass ? work->after_pass(work->context, row->name, work->model) : OB_OK;
}

/* Names of new values come from the numbers of values: put back, they are the same in the next round. */
static ob_status start_round(ob_work *work) {
    ob_model *model = work->model;
    ob__journal_undo(work->journal, NULL);
    work->stats = (ob_rewrite_stats){0};
    work->notes = work->last_note = NULL;
    work->again = false;
    if (work->keeping->touched) memset(work->keeping->touched, 0, work->keeping->n_nodes * sizeof *work->keeping->touched);
    return ob__journal_save(work->journal, &model->n_values, sizeof model->n_values) &&
                   ob__journal_save(work->journal, &model->n_nodes, sizeof model->n_nodes)
               ? OB_OK
               : OB_E_MEMORY;
}

static size_t first_edit(void) {
    size_t i = 0;
    while (!table[i].edits) i++;
    return i;
}

ob_status ob__run_pipeline(ob_work *work) {
    work->model->arena.failed = false; /* earlier calls gave their own answers */
    ob__dims_restart(work->model->dims);
    if (work->journal) OB_TRY(start_round(work));
    for (size_t i = 0; i < N_PASSES; i++) {
        if (table[i].goals & work->goal) OB_TRY(run_pass(work, &table[i]));
        if (!work->again) continue;
        OB_TRY(start_round(work));
        OB_TRY(ob__pass_resolve(work));
        i = first_edit() - 1;
    }
    return OB_OK;
}

void ob__work_note(ob_work *work, const ob_node *node, const char *reason) {
    ob_work_note *note = OB_ARENA_NEW(&work->keeping->arena, ob_work_note);
    work->stats.n_left++;
    if (!note) return; /* the arena has it */
    *note = (ob_work_note){NULL, node, reason};
    if (work->last_note)
        work->last_note->next = note;
    else
        work->notes = note;
    work->last_note = note;
}

bool ob__work_leaves(ob_work *work, const ob_node *node) {
    if (!ob__stays(work->keeping, node)) return false;
    ob__work_note(work, node, "it could not be shown that the model would accept the same sizes");
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
    options.solved = work->contract != NULL;
    OB_TRY(ob__propagate(work->model, &options, work->facts, work->findings));
    return ob__required_index(work->facts, work->model->n_nodes, &work->facts->arena, &work->required);
}
