/* ob_fix_model: rounds of fixes, each checked, and undone where it fails. */
#include "onnx_broadcast/fix.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "passes/check/verify_graph.h"
#include "passes/fix/fixing.h"
#include "passes/report/report.h"

enum { CHECKS = 64 }; /* the default limit */

/* ---- Checks ---- */

static void forget(ob_checked *checked) {
    ob_report_close(&checked->report);
    *checked = (ob_checked){0};
}

static ob_status check(ob_fixing *fixing, ob_checked *out) {
    ob_report *report = NULL;
    if (fixing->is_ordered) OB_TRY(ob__verify_graph(fixing->model, "fix", fixing->error));
    OB_TRY(ob_check(fixing->model, fixing->options->check, &report, fixing->error));
    *out = (ob_checked){report, &report->facts, &report->findings, &report->contract};
    return OB_OK;
}

/* Checks the model after an attempt, if necessary twice: declared shapes may follow the change. */
static ob_status check_changed(ob_fixing *fixing, bool declares, ob_checked *out) {
    bool any = false;
    fixing->n_checks_left--;
    OB_TRY(check(fixing, out));
    ob_status status = declares ? ob__declare_again(fixing, out, &any) : OB_OK;
    if (status != OB_OK || any) forget(out);
    if (status != OB_OK || !any) return status;
    return check(fixing, out);
}

/* ---- Attempts ---- */

static ob_status refuse(ob_fixing *fixing, const ob_candidate *candidate, const char *reason) {
    return ob__fixes_add(fixing->list, fixing->model->dims, candidate, OB_FIX_REFUSED, reason, NULL, NULL);
}

/* Lists the candidates with a failure and removes them from the array. */
static ob_status drop_failed(ob_fixing *fixing, ob_candidate *candidates, uint32_t *n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (candidates[i].failure)
            OB_TRY(refuse(fixing, &candidates[i], candidates[i].failure));
        else
            candidates[kept++] = candidates[i];
    }
    *n = kept;
    return OB_OK;
}

static ob_status list_applied(ob_fixing *fixing, const ob_candidate *candidate, const ob_facts *before, const ob_facts *after) {
    return ob__fixes_add(fixing->list, fixing->model->dims, candidate, OB_FIX_APPLIED, "", before, after);
}

/* The candidates of one attempt. */
typedef struct trial {
    ob_candidate *items;
    uint32_t n;
    ob_checked after;
    ob_chosen_findings fresh;
    bool good;
} trial;

/* Checks the model with the candidates applied, and compares. */
static ob_status look(ob_fixing *fixing, trial *t, ob_arena *arena) {
    bool declares = fixing->asked;
    forget(&t->after);
    OB_TRY(check_changed(fixing, declares, &t->after));
    return ob__compare_checks(fixing, &t->after, t->items, t->n, arena, &t->fresh, &t->good);
}

/* An error hides those behind it: they show when it is fixed. The fixes of new findings are then part of the attempt. In the end
 * no finding may be new. */
static ob_status follow(ob_fixing *fixing, trial *t, ob_arena *arena, trial *more) {
    while (!t->good && t->fresh.n > 0 && fixing->n_checks_left > 0) {
        trial next = {0};
        OB_TRY(ob__choose_fixes(fixing, &t->after, t->fresh, arena, &next.items, &next.n));
        if (next.n == 0) break; /* others may vanish with those that have a fix */
        OB_TRY(ob__apply_fixes(fixing, t->after.facts, next.items, next.n));
        for (uint32_t i = 0; i < next.n; i++)
            if (next.items[i].failure) return OB_OK;
        for (uint32_t i = 0; i < next.n; i++) {
            ob_candidate *list = ob__list_for_entry(arena, more->items, more->n, sizeof *list);
            if (!list) return OB_E_MEMORY;
            more->items = list;
            more->items[more->n++] = next.items[i];
        }
        OB_TRY(look(fixing, t, arena));
    }
    return OB_OK;
}

/* Applies and checks all candidates. *good false: everything is as before. */
static ob_status try_all(ob_fixing *fixing, ob_candidate *candidates, uint32_t *n, bool *good) {
    const ob_journal_entry *mark = fixing->journal.last;
    ob_arena arena;
    trial more = {0};
    *good = true;
    OB_TRY(ob__apply_fixes(fixing, fixing->now.facts, candidates, *n));
    OB_TRY(drop_failed(fixing, candidates, n));
    if (*n == 0) return OB_OK;
    trial t = {.items = candidates, .n = *n};
    ob__arena_init(&arena, &fixing->arena.allocator);
    ob_status status = look(fixing, &t, &arena);
    if (status == OB_OK) status = follow(fixing, &t, &arena, &more);
    for (uint32_t i = 0; i < more.n && status == OB_OK && t.good; i++) status = ob__mark_tried(fixing, &more.items[i]);
    if (status == OB_OK && t.good) {
        const ob_facts *before = fixing->now.facts, *after = t.after.facts;
        for (uint32_t i = 0; i < *n && status == OB_OK; i++) status = list_applied(fixing, &candidates[i], before, after);
        for (uint32_t i = 0; i < more.n && status == OB_OK; i++) status = list_applied(fixing, &more.items[i], before, after);
    }
    if (status == OB_OK && t.good) {
        forget(&fixing->now);
        fixing->now = t.after;
        t.after = (ob_checked){0};
    }
    forget(&t.after);
    status = ob__arena_finish(&arena, status);
    *good = t.good;
    if (status == OB_OK && !*good) {
        ob__journal_undo(&fixing->journal, mark);
        status = drop_failed(fixing, candidates, n);
    }
    return status;
}

/* Moves the suspected candidates to the end; returns the number of others. */
static uint32_t part(ob_candidate *candidates, uint32_t n) {
    uint32_t clean = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (candidates[i].suspected) continue;
        const ob_candidate candidate = candidates[i];
        candidates[i] = candidates[clean];
        candidates[clean++] = candidate;
    }
    return clean;
}

/* Makes those of the fixes that can stay, and lists all. Every attempt takes one of the checks that are left, which also limits
 * the depth. */
static ob_status attempt(ob_fixing *fixing, ob_candidate *candidates, uint32_t n) {
    while (n > 0) {
        const uint32_t n_before = n;
        bool good;
        for (uint32_t i = 0; i < n && fixing->n_checks_left == 0; i++)
            candidates[i].failure = "the limit of checks was reached before it could be tried alone";
        OB_TRY(drop_failed(fixing, candidates, &n));
        if (n == 0) break;
        OB_TRY(try_all(fixing, candidates, &n, &good));
        if (good) break;
        uint32_t clean = part(candidates, n);
        if (clean == n && n < n_before) continue; /* only those that failed are gone */
        if (n == 1) return refuse(fixing, &candidates[0], fixing->why);
        if (clean == 0 || clean == n) clean = n / 2;
        OB_TRY(attempt(fixing, candidates, clean));
        candidates += clean;
        n -= clean;
    }
    return OB_OK;
}

/* One round. *any: there were fixes to try. */
static ob_status run_round(ob_fixing *fixing, bool *any) {
    ob_arena arena;
    ob_candidate *candidates;
    uint32_t n = 0;
    ob__arena_init(&arena, &fixing->arena.allocator);
    ob_status status = ob__choose_fixes(fixing, &fixing->now, (ob_chosen_findings){0}, &arena, &candidates, &n);
    for (uint32_t i = 0; i < n && status == OB_OK; i++) status = ob__mark_tried(fixing, &candidates[i]);
    if (status == OB_OK) status = attempt(fixing, candidates, n);
    *any = n > 0;
    return ob__arena_finish(&arena, status);
}

/* ---- The whole ---- */

static ob_status choose_ids(ob_fixing *fixing, const ob_fix_options *options) {
    for (int id = OB_FINDING_NONE + 1; id < OB_FINDING_COUNT; id++) fixing->wanted[id] = options->n_ids == 0;
    for (size_t i = 0; i < options->n_ids; i++) {
        const char *given = options->ids[i];
        bool found = false;
        for (int id = OB_FINDING_NONE + 1; given && given[0] && id < OB_FINDING_COUNT; id++)
            if (ob__finding_begins((ob_finding_id)id, given)) fixing->wanted[id] = found = true;
        OB_FAIL_IF(!found, fixing->error, OB_E_NOT_FOUND, "no finding's id begins with '%.100s'", given ? given : "");
    }
    fixing->asked = options->all || options->n_ids > 0;
    return OB_OK;
}

/* Nodes made by an earlier rewriting are now part of the model. */
static ob_status adopt(void *context, ob_graph *graph) {
    (void)context;
    for (ob_node *node = graph->first; node; node = node->next) node->made_for = NULL;
    return OB_OK;
}

static ob_status run(ob_fixing *fixing) {
    ob_model *model = fixing->model;
    bool any = true;
    OB_TRY(choose_ids(fixing, fixing->options));
    OB_TRY(ob__model_each_graph(model, adopt, NULL));
    if (!ob__journal_save(&fixing->journal, &model->n_values, sizeof model->n_values) ||
        !ob__journal_save(&fixing->journal, &model->n_nodes, sizeof model->n_nodes))
        return OB_E_MEMORY;
    ob_status status = ob__verify_graph(model, "reading", fixing->error);
    if (status != OB_OK && status != OB_E_MODEL) return status;
    fixing->is_ordered = status == OB_OK; /* false: a cycle */
    OB_TRY(check(fixing, &fixing->now));
    while (any) OB_TRY(run_round(fixing, &any));
    OB_TRY(ob__list_unsafe(fixing));
    OB_TRY(ob__fixes_finish(fixing->list));
    return ob__model_each_graph(model, adopt, NULL);
}

ob_status ob_fix_model(ob_model *model, const ob_fix_options *options, ob_fixes **fixes, ob_error *error) {
    static const ob_fix_options plain = {0};
    ob_error_clear(error);
    OB_FAIL_IF(!model || !fixes, error, OB_E_ARGUMENT, "ob_fix_model: model and fixes must not be NULL");
    if (!options) options = &plain;
    const ob_check_options *how = options->check;
    OB_FAIL_IF(options->n_ids && !options->ids, error, OB_E_ARGUMENT, "ob_fix_model: invalid options");
    OB_FAIL_IF(how && (how->n_dims || how->n_shapes || how->n_assumptions), error, OB_E_ARGUMENT,
               "ob_fix_model: fixes are for all sizes, so none can be given or assumed");
    const ob_allocator *allocator = &model->arena.allocator;
    ob_fixing fixing = {.model = model, .options = options, .error = error};
    fixing.n_checks_left = options->max_checks ? options->max_checks : CHECKS;
    ob__journal_init(&fixing.journal, allocator);
    ob__arena_init(&fixing.arena, allocator);
    ob__map_init(&fixing.tried, &fixing.arena);
    ob_status status = ob__fixes_new(allocator, &fixing.list);
    if (status == OB_OK) status = run(&fixing);
    if (status != OB_OK) ob__journal_undo(&fixing.journal, NULL);
    forget(&fixing.now);
    ob__journal_release(&fixing.journal);
    status = ob__arena_finish(&fixing.arena, status);
    if (status == OB_OK)
        *fixes = fixing.list;
    else
        ob_fixes_close(&fixing.list);
    return ob__described(error, status, "");
}
