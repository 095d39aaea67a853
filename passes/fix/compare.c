/* Decides whether fixes stay: the checks before and after them are compared. */
#include <string.h>

#include "core/base/error.h"
#include "passes/fix/fixing.h"
#include "passes/rewrite/kept.h"

static const char remains[] = "the finding would remain";

/* A finding, without padding. */
typedef struct finding_key {
    uint32_t id, node;
    int32_t operand, axis, severity;
} finding_key;

static finding_key key_of(const ob_finding *finding) {
    return (finding_key){(uint32_t)finding->id, finding->node ? finding->node->id : UINT32_MAX, finding->operand, finding->axis,
                         (int32_t)finding->severity};
}

typedef struct number {
    uint64_t n;
} number;

typedef struct comparing {
    ob_fixing *fixing;
    const ob_checked *after;
    ob_candidate *candidates;
    uint32_t n;
    ob_arena arena;
    const ob_node **shown; /* where a failure shows; NULL entries: anywhere */
    uint32_t n_shown;
    uint32_t *fresh; /* indices of new findings */
    uint32_t n_fresh;
} comparing;

static void show(comparing *c, const ob_node *node, const char *why) {
    if (c->n_shown == 0) c->fixing->why = why;
    c->shown[c->n_shown++] = node;
}

/* ---- Findings that remain ---- */

static ob_status find_remaining(comparing *c, bool *good) {
    ob_map found;
    ob__map_init(&found, &c->arena);
    for (uint32_t i = 0; i < c->after->findings->n; i++) {
        finding_key key = key_of(&c->after->findings->items[i]);
        key.severity = 0;
        if (!ob__map_insert(&found, (const char *)&key, sizeof key)) return OB_E_MEMORY;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        ob_candidate *candidate = &c->candidates[i];
        const finding_key key = {(uint32_t)candidate->id, candidate->node ? candidate->node->id : UINT32_MAX, candidate->operand,
                                 candidate->axis, 0};
        if (candidate->failure || !ob__map_find(&found, (const char *)&key, sizeof key)) continue;
        candidate->failure = remains;
        *good = false;
    }
    return OB_OK;
}

/* ---- New findings ---- */

/* A finding about a clause may move to another node that requires it; the contract is compared instead. */
static bool counts(const ob_finding *finding) {
    return finding->clause == 0;
}

static number *number_of(comparing *c, ob_map *map, const ob_finding *finding) {
    const finding_key key = key_of(finding);
    ob_map_entry *entry = ob__map_insert(map, (const char *)&key, sizeof key);
    if (entry && !entry->value) entry->value = OB_ARENA_NEW(&c->arena, number);
    return entry ? entry->value : NULL;
}

static ob_status find_new(comparing *c) {
    const ob_findings *was = c->fixing->now.findings, *is = c->after->findings;
    ob_map known;
    ob__map_init(&known, &c->arena);
    for (uint32_t i = 0; i < was->n; i++) {
        number *before = number_of(c, &known, &was->items[i]);
        if (!before) return OB_E_MEMORY;
        before->n++;
    }
    for (uint32_t i = 0; i < is->n; i++) {
        const ob_finding *finding = &is->items[i];
        if (!counts(finding)) continue;
        number *before = number_of(c, &known, finding);
        if (!before) return OB_E_MEMORY;
        if (before->n > 0) {
            before->n--;
            continue;
        }
        const char *why =
            ob__arena_printf(&c->fixing->arena, "then %s: %.300s", ob__finding_row(finding->id)->name, finding->message);
        if (!why) return OB_E_MEMORY;
        show(c, finding->node, why);
        c->fresh[c->n_fresh++] = i;
    }
    for (int id = 0; id < OB_FINDING_COUNT; id++)
        if (is->n_dropped[id] > was->n_dropped[id]) {
            show(c, NULL, "then there are more findings than can be listed");
            break;
        }
    return OB_OK;
}

/* ---- Fixes above a failure ---- */

/* Marks the applied candidates that changed a node above the failures; all of them if there is none. */
static ob_status suspect(comparing *c) {
    const ob_model *model = c->fixing->model;
    bool *seen = OB_ARENA_ARRAY(&c->arena, bool, model->n_nodes);
    uint32_t *owner = OB_ARENA_ARRAY(&c->arena, uint32_t, model->n_nodes), n = 0, n_suspected = 0;
    const ob_node **stack = OB_ARENA_ARRAY(&c->arena, const ob_node *, (size_t)model->n_nodes + c->n_shown + 1);
    bool anywhere = false;
    if (!seen || !owner || !stack) return OB_E_MEMORY;
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < c->candidates[i].n_steps && !c->candidates[i].failure; k++) {
            const ob_node *node = c->candidates[i].steps[k].node;
            if (node) owner[node->id] = i + 1;
            anywhere |= !node;
        }
    for (uint32_t i = 0; i < c->n_shown; i++) {
        if (!c->shown[i])
            anywhere = true;
        else if (!seen[c->shown[i]->id]) {
            seen[c->shown[i]->id] = true;
            stack[n++] = c->shown[i];
        }
    }
    while (n > 0 && !anywhere) {
        const ob_node *node = stack[--n], *root = node->made_for ? node->made_for : node;
        if (owner[root->id]) {
            ob_candidate *candidate = &c->candidates[owner[root->id] - 1];
            n_suspected += !candidate->suspected;
            candidate->suspected = true;
            continue;
        }
        for (uint32_t i = 0; i <= node->n_inputs; i++) {
            const ob_value *value = i < node->n_inputs ? node->inputs[i] : NULL;
            const ob_node *above = i < node->n_inputs ? (value ? value->producer : NULL) : node->graph->parent_node;
            anywhere |= value && value->graph->function && value->is_input; /* what callers pass */
            if (!above || seen[above->id]) continue;
            seen[above->id] = true;
            stack[n++] = above;
        }
    }
    if (anywhere || n_suspected == 0)
        for (uint32_t i = 0; i < c->n; i++) c->candidates[i].suspected = !c->candidates[i].failure;
    return OB_OK;
}

static ob_status compare(comparing *c, ob_chosen_findings *fresh, bool *good) {
    ob_fixing *fixing = c->fixing;
    const char *why;
    const ob_node *node;
    c->shown = OB_ARENA_ARRAY(&c->arena, const ob_node *, (size_t)c->after->findings->n + 2);
    if (!c->shown) return OB_E_MEMORY;
    fixing->why = remains;
    for (uint32_t i = 0; i < c->n; i++) c->candidates[i].suspected = false;
    OB_TRY(find_remaining(c, good));
    OB_TRY(find_new(c));
    OB_TRY(ob__contract_widened(fixing->model, fixing->now.contract, fixing->now.facts, c->after->contract, c->after->facts,
                                &fixing->arena, &why, &node));
    if (why[0]) show(c, node, why);
    if (*good) *fresh = (ob_chosen_findings){c->fresh, c->n_fresh};
    if (c->n_shown == 0) return OB_OK;
    *good = false;
    return suspect(c);
}

ob_status ob__compare_checks(ob_fixing *fixing, const ob_checked *after, ob_candidate *candidates, uint32_t n, ob_arena *arena,
                             ob_chosen_findings *fresh, bool *good) {
    comparing c = {.fixing = fixing, .after = after, .candidates = candidates, .n = n};
    *fresh = (ob_chosen_findings){0};
    *good = true;
    c.fresh = OB_ARENA_ARRAY(arena, uint32_t, (size_t)after->findings->n + 1);
    if (!c.fresh) return OB_E_MEMORY;
    ob__arena_init(&c.arena, &fixing->arena.allocator);
    return ob__arena_finish(&c.arena, compare(&c, fresh, good));
}
