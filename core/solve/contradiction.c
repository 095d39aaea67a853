/* A contradiction's core: given clauses, by origin, that contradict each other, with as few origins as the budget allows.
 *
 * A smaller set is accepted only if solving it finds the contradiction again, so a core always contradicts itself. */
#include <string.h>

#include "core/base/error.h"
#include "core/solve/solver.h"

enum { MAX_GROUPS = 4096 };

typedef struct subset {
    const ob_clause *clauses; /* all given origins */
    uint32_t *numbers, n;     /* those in it, ascending */
} subset;

/* Solves the subset; *found: the smaller one that its contradiction was derived from. */
static ob_status shrink(ob_solver *asking, const subset *from, ob_arena *arena, subset *found, bool *clashes) {
    ob_solver s;
    ob_arena scratch;
    uint32_t *leaves, n;
    ob_clause *clauses = OB_ARENA_ARRAY(arena, ob_clause, from->n);
    if (!clauses) return OB_E_MEMORY;
    for (uint32_t i = 0; i < from->n; i++) clauses[i] = from->clauses[from->numbers[i]];
    ob__arena_init(&scratch, &arena->allocator);
    ob_status status = ob__solver_init(&s, asking->dims, &scratch, clauses, from->n, NULL, 0, asking->budget);
    if (status == OB_OK) status = ob__solver_run(&s);
    *clashes = status == OB_OK && s.clashed;
    if (*clashes) status = ob__solver_leaves(&s, s.clash, &scratch, &leaves, &n);
    if (*clashes && status == OB_OK) {
        *found = (subset){from->clauses, OB_ARENA_ARRAY(arena, uint32_t, n), n};
        if (!found->numbers) status = OB_E_MEMORY;
        for (uint32_t i = 0; i < n && status == OB_OK; i++) found->numbers[i] = from->numbers[leaves[i]];
    }
    return ob__arena_finish(&scratch, status);
}

static bool has_origin(const subset *set, uint32_t origin) {
    for (uint32_t i = 0; i < set->n; i++)
        if (set->clauses[set->numbers[i]].origin == origin) return true;
    return false;
}

static ob_status without(const subset *set, uint32_t origin, ob_arena *arena, subset *out) {
    *out = (subset){set->clauses, OB_ARENA_ARRAY(arena, uint32_t, set->n), 0};
    if (!out->numbers) return OB_E_MEMORY;
    for (uint32_t i = 0; i < set->n; i++)
        if (set->clauses[set->numbers[i]].origin != origin) out->numbers[out->n++] = set->numbers[i];
    return OB_OK;
}

ob_status ob__solver_core(ob_solver *s, const uint32_t *leaves, uint32_t n, ob_arena *arena, uint32_t **out, uint32_t *n_out,
                          bool *minimal) {
    const ob_clause *given = s->given;
    subset set = {given, OB_ARENA_ARRAY(arena, uint32_t, n), n}, smaller, found = {0};
    if (!set.numbers) return OB_E_MEMORY;
    if (n) memcpy(set.numbers, leaves, n * sizeof *leaves);
    uint32_t *needed = OB_ARENA_ARRAY(arena, uint32_t, n), n_needed = 0;
    if (!needed) return OB_E_MEMORY;
    uint32_t budget = OB_SOLVE_CORE;
    *minimal = n <= MAX_GROUPS;
    while (*minimal) { /* the next origin that is not known to be needed */
        uint32_t at = 0;
        for (; at < set.n; at++) {
            bool known = false;
            for (uint32_t k = 0; k < n_needed; k++) known |= needed[k] == given[set.numbers[at]].origin;
            if (!known) break;
        }
        if (at == set.n) break;
        if (budget-- == 0 || !ob__solver_spend(s, set.n)) {
            *minimal = false;
            break;
        }
        uint32_t origin = given[set.numbers[at]].origin;
        bool clashes;
        OB_TRY(without(&set, origin, arena, &smaller));
        OB_TRY(shrink(s, &smaller, arena, &found, &clashes));
        if (!clashes) {
            needed[n_needed++] = origin;
            continue;
        }
        set = found;
        for (uint32_t k = 0; k < n_needed; k++) /* no smaller core was found without it, so it is still present */
            if (!has_origin(&set, needed[k])) *minimal = false;
    }
    *out = set.numbers;
    *n_out = set.n;
    return OB_OK;
}
