/* The sizes of one symbol at which one literal holds: one by one up to a threshold, by residues from there on. One question
 * needs the same literal many times, together with others, so an answer is kept until the question ends. */
#include <string.h>

#include "core/base/error.h"
#include "core/solve/solver.h"

enum { KEPT_BYTES = 1 << 22, CLASS_COST = 2 };

static ob_truth literal_at(ob_solver *s, ob_dim x, const ob_literal *literal, int64_t value) {
    const ob_binding binding = {x, value};
    s->work += ob__eval_cost(s, literal);
    return ob__clause_eval(s->dims, literal, 1, &binding, 1);
}

ob_truth ob__sizes_at(ob_solver *s, ob_dim x, const ob_literal *literal, ob_literal_sizes *sizes, int64_t value) {
    if (!sizes) return literal_at(s, x, literal, value);
    if (value >= sizes->threshold) return sizes->tail[value % sizes->period] ? OB_TRUE : OB_FALSE;
    if (sizes->head[value] == 0) sizes->head[value] = (uint8_t)(1 + literal_at(s, x, literal, value));
    return (ob_truth)(sizes->head[value] - 1);
}

/* False: it is not known, or takes too much work. */
static bool fill_tail(ob_solver *s, ob_dim x, const ob_literal *literal, ob_literal_sizes *sizes) {
    int64_t from = 0;
    for (int64_t r = 0; r < sizes->period; r++) {
        ob_class_verdict verdict;
        s->work += CLASS_COST * ob__eval_cost(s, literal);
        if (s->work > OB_SOLVE_WORK || !ob__literal_on_class(s->dims, x, literal, r, sizes->period, &verdict)) return false;
        sizes->tail[r] = verdict.holds;
        if (verdict.from > from) from = verdict.from;
    }
    sizes->threshold = from * sizes->period;
    return sizes->threshold <= OB_SOLVE_POINTS;
}

static ob_status work_out(ob_solver *s, ob_dim x, const ob_literal *literal, int64_t period, ob_arena *arena,
                          ob_literal_sizes **out) {
    ob_literal_sizes *sizes = OB_ARENA_NEW(arena, ob_literal_sizes);
    if (!sizes) return OB_E_MEMORY;
    sizes->period = period;
    sizes->tail = OB_ARENA_ARRAY(arena, uint8_t, (size_t)period);
    if (!sizes->tail) return OB_E_MEMORY;
    *out = sizes;
    if (!fill_tail(s, x, literal, sizes)) return OB_OK;
    sizes->head = OB_ARENA_ARRAY(arena, uint8_t, (size_t)sizes->threshold + 1);
    return sizes->head ? OB_OK : OB_E_MEMORY;
}

static ob_status find(ob_solver *s, ob_dim x, const ob_literal *literal, int64_t period, ob_arena *arena,
                      ob_literal_sizes **out) {
    ob_solve_budget *budget = s->budget;
    size_t before = budget->arena->n_bytes;
    if (budget->kept > KEPT_BYTES) return work_out(s, x, literal, period, arena, out);
    const int64_t key[] = {literal->p, literal->q, literal->kind, period};
    ob_map_entry *entry = ob__map_insert(&budget->sizes, (const char *)key, sizeof key);
    if (!entry) return OB_E_MEMORY;
    *out = entry->value;
    if (!*out) OB_TRY(work_out(s, x, literal, period, budget->arena, out));
    entry->value = *out;
    budget->kept += budget->arena->n_bytes - before;
    return OB_OK;
}

ob_status ob__literal_sizes(ob_solver *s, ob_dim x, const ob_literal *literal, int64_t common, ob_arena *arena,
                            ob_literal_sizes **out) {
    int64_t own = ob__literal_period(s->dims, x, literal);
    OB_TRY(find(s, x, literal, own, arena, out));
    /* Some quotients are known in a larger period only. */
    if (!(*out)->head && own != common && s->work <= OB_SOLVE_WORK) OB_TRY(find(s, x, literal, common, arena, out));
    if (!(*out)->head) *out = NULL;
    return OB_OK;
}
