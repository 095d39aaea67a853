/* Chooses the fixes of a round. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "passes/fix/fixing.h"

/* A way of a finding, without padding. Findings of one node that differ only in the calls of its function are one. */
typedef struct way_key {
    uint32_t id, node;
    int32_t operand, axis;
    uint32_t way, unused;
} way_key;

static way_key key_of(const ob_finding *finding, uint32_t way) {
    return (way_key){
        (uint32_t)finding->id, finding->node ? finding->node->id : UINT32_MAX, finding->operand, finding->axis, way, 0};
}

static uint32_t steps_of_way(const ob_fix *fixes, uint32_t n) {
    uint32_t steps = 0;
    while (steps < n && fixes[steps].way == fixes[0].way) steps++;
    return steps;
}

/* ---- Safe fixes ---- */

/* No run of the model ever got past this finding. */
static bool never_ran(const ob_finding *finding) {
    const ob_finding_group group = ob__finding_row(finding->id)->group;
    return finding->is_error && (group == OB_FINDINGS_BROADCAST || group == OB_FINDINGS_OPERATOR);
}

/* Where the contract holds, the constant size is the computed one. */
static ob_status keeps_size(ob_dims *dims, const ob_checked *checked, const ob_fix *fix, ob_arena *arena, bool *out) {
    const ob_facts *facts = checked->facts;
    *out = false;
    if (fix->operand < 0 || (uint32_t)fix->operand >= fix->node->n_inputs || !fix->node->inputs[fix->operand] || !fix->value)
        return OB_OK;
    const ob_content *content = &ob__fact(facts, fix->node->inputs[fix->operand])->content;
    const ob_shape *shape = &ob__fact(facts, fix->value)->type.shape;
    if (!content->elems || fix->other < 0 || (uint32_t)fix->other >= content->n || fix->axis < 0 || fix->axis >= shape->rank)
        return OB_OK;
    const ob_dim was = content->elems[fix->other], is = shape->dims[fix->axis];
    if (was == OB_DIM_UNKNOWN || is == OB_DIM_UNKNOWN) return OB_OK;
    const ob_literal equal = {OB_LITERAL_ZERO, ob_dim_sub(dims, was, is), 0};
    const ob_clause clause = {.literals = &equal, .n = 1};
    const ob_clauses *given = &checked->contract->given;
    ob_truth truth = OB_UNDECIDED;
    if (equal.p != OB_DIM_UNKNOWN) OB_TRY(ob__implied(dims, given->items, given->n, &clause, arena, &truth));
    *out = truth == OB_TRUE;
    return OB_OK;
}

static ob_status is_safe(ob_dims *dims, const ob_checked *checked, const ob_finding *finding, const ob_fix *steps, uint32_t n,
                         ob_arena *arena, bool *out) {
    *out = true;
    for (uint32_t i = 0; i < n && *out; i++) {
        const ob_fix_effect effect = ob__fix_effect(steps[i].kind);
        if (steps[i].is_guess)
            *out = false;
        else if (effect != OB_FIX_NEVER && !never_ran(finding)) {
            *out = effect == OB_FIX_EQUAL;
            if (*out) OB_TRY(keeps_size(dims, checked, &steps[i], arena, out));
        }
    }
    return OB_OK;
}

/* ---- The choice ---- */

typedef struct choice {
    ob_fixing *fixing;
    const ob_checked *checked;
    ob_arena *arena;
    ob_arena scratch; /* the fixes of one finding */
    ob_map taken;     /* nodes that a candidate changes; NULL stands for the order of nodes */
    ob_candidate *candidates;
    uint32_t n;
} choice;

/* Reserves the nodes that the steps change. *free false: another candidate changes one of them. */
static ob_status take_nodes(choice *c, const ob_fix *steps, uint32_t n, bool *is_free) {
    *is_free = true;
    for (uint32_t i = 0; i < n && *is_free; i++) {
        const ob_map_entry *entry = ob__map_find(&c->taken, (const char *)&steps[i].node, sizeof steps[i].node);
        *is_free = !entry;
    }
    for (uint32_t i = 0; i < n && *is_free; i++)
        if (!ob__map_insert(&c->taken, (const char *)&steps[i].node, sizeof steps[i].node)) return OB_E_MEMORY;
    return OB_OK;
}

static ob_status describe(const ob_dims *dims, ob_arena *arena, const ob_finding *finding, const ob_fix *steps, uint32_t n,
                          bool safe, ob_candidate *out) {
    const ob_node *node = finding->node;
    ob_fix *own = OB_ARENA_ARRAY(arena, ob_fix, n);
    ob_value **inputs = OB_ARENA_ARRAY(arena, ob_value *, node ? node->n_inputs : 0);
    const char *path = ob__arena_strndup(arena, finding->call_path, strlen(finding->call_path));
    const char *text = ob__fix_text(dims, steps, n, node, arena);
    if (!own || !inputs || !path || !text) return OB_E_MEMORY;
    if (node && node->n_inputs) memcpy(inputs, node->inputs, node->n_inputs * sizeof(ob_value *));
    for (uint32_t i = 0; i < n; i++) {
        own[i] = steps[i];
        if (!ob__fix_keep(arena, &own[i])) return OB_E_MEMORY;
    }
    *out = (ob_candidate){.id = finding->id,
                          .node = finding->node,
                          .operand = finding->operand,
                          .axis = finding->axis,
                          .path = path,
                          .text = text,
                          .inputs = inputs,
                          .steps = own,
                          .n_steps = n,
                          .is_safe = safe};
    return OB_OK;
}

static ob_status add(choice *c, const ob_finding *finding, const ob_fix *steps, uint32_t n, bool safe) {
    ob_candidate *list = ob__list_for_entry(c->arena, c->candidates, c->n, sizeof *list);
    if (!list) return OB_E_MEMORY;
    c->candidates = list;
    return describe(c->fixing->model->dims, c->arena, finding, steps, n, safe, &list[c->n++]);
}

/* The first way of the finding that may be made and was not tried. */
static ob_status choose(choice *c, const ob_finding *finding) {
    ob_fixing *fixing = c->fixing;
    const ob_fix *fixes;
    uint32_t n;
    bool safe, is_free;
    ob__arena_restart(&c->scratch);
    OB_TRY(ob__fixes_of(finding, &c->scratch, &fixes, &n));
    for (uint32_t i = 0, n_steps; i < n; i += n_steps) {
        const way_key key = key_of(finding, fixes[i].way);
        n_steps = steps_of_way(&fixes[i], n - i);
        if (ob__map_find(&fixing->tried, (const char *)&key, sizeof key)) continue;
        OB_TRY(is_safe(fixing->model->dims, c->checked, finding, &fixes[i], n_steps, &c->scratch, &safe));
        if (!safe && !fixing->asked) continue;
        OB_TRY(take_nodes(c, &fixes[i], n_steps, &is_free));
        if (!is_free) return OB_OK; /* in the next round */
        return add(c, finding, &fixes[i], n_steps, safe);
    }
    return OB_OK;
}

ob_status ob__choose_fixes(ob_fixing *fixing, const ob_checked *checked, ob_chosen_findings of, ob_arena *arena,
                           ob_candidate **candidates, uint32_t *n) {
    choice c = {.fixing = fixing, .checked = checked, .arena = arena};
    const uint32_t n_findings = of.at ? of.n : checked->findings->n;
    ob_status status = OB_OK;
    ob__arena_init(&c.scratch, &arena->allocator);
    ob__map_init(&c.taken, arena);
    for (uint32_t i = 0; i < n_findings && status == OB_OK; i++) {
        const ob_finding *finding = &checked->findings->items[of.at ? of.at[i] : i];
        if (fixing->wanted[finding->id]) status = choose(&c, finding);
    }
    *candidates = c.candidates;
    *n = c.n;
    return ob__arena_finish(&c.scratch, status);
}

ob_status ob__mark_tried(ob_fixing *fixing, const ob_candidate *candidate) {
    const way_key key = {(uint32_t)candidate->id, candidate->node ? candidate->node->id : UINT32_MAX,
                         candidate->operand,      candidate->axis,
                         candidate->steps[0].way, 0};
    return ob__map_insert(&fixing->tried, (const char *)&key, sizeof key) ? OB_OK : OB_E_MEMORY;
}

/* ---- The rest ---- */

static ob_status list_if_unsafe(ob_fixing *fixing, const ob_finding *finding, ob_arena *scratch) {
    const ob_fix *fixes;
    ob_candidate candidate;
    uint32_t n;
    bool safe;
    OB_TRY(ob__fixes_of(finding, scratch, &fixes, &n));
    if (n == 0) return OB_OK;
    const way_key key = key_of(finding, fixes[0].way);
    if (ob__map_find(&fixing->tried, (const char *)&key, sizeof key)) return OB_OK;
    n = steps_of_way(fixes, n);
    OB_TRY(is_safe(fixing->model->dims, &fixing->now, finding, fixes, n, scratch, &safe));
    if (safe) return OB_OK; /* the number of checks was exhausted */
    bool guess = false;
    for (uint32_t i = 0; i < n; i++) guess |= fixes[i].is_guess;
    OB_TRY(describe(fixing->model->dims, scratch, finding, fixes, n, safe, &candidate));
    if (!ob__map_insert(&fixing->tried, (const char *)&key, sizeof key)) return OB_E_MEMORY;
    const char *reason = guess ? "other changes fit as well" : "it changes the results of runs that are possible now";
    return ob__fixes_add(fixing->list, fixing->model->dims, &candidate, OB_FIX_UNSAFE, reason, NULL, NULL);
}

ob_status ob__list_unsafe(ob_fixing *fixing) {
    const ob_findings *findings = fixing->now.findings;
    ob_arena scratch;
    ob_status status = OB_OK;
    ob__arena_init(&scratch, &fixing->arena.allocator);
    for (uint32_t i = 0; i < findings->n && status == OB_OK && !fixing->asked; i++) {
        if (!fixing->wanted[findings->items[i].id]) continue;
        ob__arena_restart(&scratch);
        status = list_if_unsafe(fixing, &findings->items[i], &scratch);
    }
    return ob__arena_finish(&scratch, status);
}
