/* A rule may describe its result for all sizes in long terms, or require a condition and use short terms. If the model excludes
 * the other sizes anyway, the condition costs nothing, and the short terms help everything that follows. So a model with such
 * cases is first inferred with the long terms, its conditions are solved, and if these exclude some of the cases, it is
 * inferred once more (docs/adr/0033-excluded-cases.md). */
#include "core/base/error.h"
#include "passes/check/propagation.h"

enum { MOST_QUESTIONS = 64 }; /* questions to the solver for one model; further cases keep the long terms */

typedef struct question {
    uint32_t number;
} question;

typedef struct asking {
    ob_model *model;
    const ob_facts *facts;
    ob_arena *arena;
    ob_map alike;     /* condition and guard -> question */
    ob_clauses goals; /* origin: the question's number */
    bool answers[MOST_QUESTIONS];
    uint32_t n_questions;
} asking;

/* One question for all cases with the same condition and guard. */
static ob_status find_question(asking *a, const ob_requirement *r, const question **out) {
    const int64_t key[5] = {r->condition.kind, r->condition.a, r->condition.b, r->guard ? r->guard->term : 1,
                            r->guard ? (int64_t)(intptr_t)r->guard->outer : 0};
    ob_map_entry *entry = ob__map_insert(&a->alike, (const char *)key, sizeof key);
    if (!entry) return OB_E_MEMORY;
    *out = entry->value;
    if (*out || a->n_questions == MOST_QUESTIONS) return OB_OK;
    question *made = entry->value = OB_ARENA_NEW(a->arena, question);
    if (!made) return OB_E_MEMORY;
    *out = made;
    made->number = a->n_questions++;
    return ob__requirement_lower(&a->goals, a->model->dims, r, true, made->number, &a->answers[made->number]);
}

static ob_status answer(asking *a) {
    ob_clauses given;
    bool stated;
    ob__clauses_init(&given, a->arena);
    for (uint32_t i = 0; i < a->facts->n_conditions; i++)
        if (!a->facts->conditions[i].value)
            OB_TRY(ob__requirement_lower(&given, a->model->dims, &a->facts->conditions[i], false, i, &stated));
    return ob__implied_groups(a->model->dims, &given, &a->goals, a->arena, a->answers);
}

/* An axis of a node's result gets short terms if every case of it is excluded, in each call of its function.
 */
static ob_status find_excluded(asking *a, ob_map *excluded, bool *any) {
    const ob_facts *facts = a->facts;
    const question **asked = OB_ARENA_ARRAY(a->arena, const question *, facts->n_cases);
    if (!asked) return OB_E_MEMORY;
    for (uint32_t i = 0; i < facts->n_cases; i++) OB_TRY(find_question(a, &facts->cases[i], &asked[i]));
    OB_TRY(answer(a));
    for (uint32_t i = 0; i < facts->n_cases; i++) {
        const ob_case_key key = ob__case_key(facts->cases[i].node, facts->cases[i].axis);
        const bool holds = asked[i] && a->answers[asked[i]->number];
        ob_map_entry *entry = ob__map_insert(excluded, (const char *)&key, sizeof key);
        bool *all = entry ? entry->value : NULL;
        if (entry && !all) {
            entry->value = all = OB_ARENA_NEW(a->arena, bool);
            if (all) *all = true;
        }
        if (!all) return OB_E_MEMORY;
        *all = *all && holds;
        *any |= holds;
    }
    return OB_OK;
}

/* Infers again if cases are excluded; `excluded` holds them. */
static ob_status propagate_again(ob_model *model, const ob_propagate_options *options, ob_facts *facts, ob_findings *findings,
                                 const ob_findings_mark *found, ob_arena *scratch, ob_map *excluded) {
    asking a = {.model = model, .facts = facts, .arena = scratch};
    bool any = false;
    ob__map_init(&a.alike, scratch);
    ob__map_init(excluded, scratch);
    ob__clauses_init(&a.goals, scratch);
    OB_TRY(find_excluded(&a, excluded, &any));
    if (!any) return OB_OK;
    if (findings) ob__findings_rewind(findings, found);
    return ob__propagate_once(model, options, &(ob_settled){.excluded = excluded}, facts, findings);
}

ob_status ob__propagate(ob_model *model, const ob_propagate_options *options, ob_facts *facts, ob_findings *findings) {
    ob_findings_mark found = {0};
    ob_map excluded;
    if (findings) found = ob__findings_mark(findings);
    OB_TRY(ob__propagate_once(model, options, NULL, facts, findings));
    if (facts->n_cases == 0) return facts->open_ranks ? ob__propagate_ranks(model, options, NULL, facts, findings) : OB_OK;
    ob_arena scratch;
    ob__arena_init(&scratch, &model->arena.allocator);
    ob_status status = propagate_again(model, options, facts, findings, &found, &scratch, &excluded);
    if (status == OB_OK && facts->open_ranks) status = ob__propagate_ranks(model, options, &excluded, facts, findings);
    return ob__arena_finish(&scratch, status);
}
