/* The steps that turn given clauses into clauses in normal form, in their order. Also run on parts of the clauses, to find
 * those that contradict each other and those that follow from the rest. */
#include "core/base/error.h"
#include "core/solve/solver.h"

/* Takes one given clause in. */
static ob_status give(ob_solver *s, uint32_t given) {
    const ob_clause *clause = &s->given[given];
    ob_work_literal few[32], *literals = clause->n <= 32 ? few : OB_ARENA_ARRAY(s->arena, ob_work_literal, clause->n);
    uint32_t n_lists, reason, made;
    ob_literal_list lists[OB_SOLVE_SPLIT];
    const ob_link origin = {NULL, given};
    if (!literals) return OB_E_MEMORY;
    for (uint32_t i = 0; i < clause->n; i++) literals[i] = (ob_work_literal){clause->literals[i], i < clause->n_guard};
    OB_TRY(ob__solver_leaf(s, given, &reason));
    s->blind = true; /* by facts when all are there, so that the order of clauses matters less */
    ob_status status = ob__clause_normalise(s, literals, clause->n, lists, &n_lists);
    s->blind = false;
    OB_TRY(status);
    for (uint32_t i = 0; i < n_lists && !s->clashed; i++)
        OB_TRY(ob__solver_insert(s, lists[i].items, lists[i].n, reason, &origin, clause->assumed, false, &made));
    return OB_OK;
}

ob_status ob__solver_run(ob_solver *s) {
    for (int assumed = 1; assumed >= 0; assumed--) /* assumptions first, so that the result does not repeat them */
        for (uint32_t i = 0; i < s->n_given && !s->clashed; i++)
            if (s->given[i].assumed == assumed) OB_TRY(give(s, i));
    if (!s->clashed) OB_TRY(ob__solver_propagate(s));
    if (!s->clashed) OB_TRY(ob__solver_exact(s));
    if (!s->clashed) OB_TRY(ob__solver_cycle(s));
    if (!s->clashed) OB_TRY(ob__solver_pairs(s));
    if (!s->clashed) OB_TRY(ob__solver_subsume(s));
    return OB_OK;
}
