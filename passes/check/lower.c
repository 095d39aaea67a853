/* A requirement as clauses for the solver. */
#include "core/base/error.h"
#include "passes/check/facts.h"

enum { GUARD_DEPTH = 256 }; /* deeper ones are not stated */

ob_status ob__requirement_lower(ob_clauses *clauses, ob_dims *dims, const ob_requirement *requirement, bool known,
                                uint32_t origin, bool *stated) {
    uint32_t n_terms = 0, n = 0;
    *stated = false;
    for (const ob_guard *guard = requirement->guard; guard && n_terms <= GUARD_DEPTH; guard = guard->outer) n_terms++;
    if (n_terms > GUARD_DEPTH) return OB_OK;
    ob_dim *terms = OB_ARENA_ARRAY(clauses->arena, ob_dim, n_terms);
    if (!terms) return OB_E_MEMORY;
    for (const ob_guard *guard = requirement->guard; guard; guard = guard->outer)
        if (!known || guard->term != OB_DIM_UNKNOWN) terms[n++] = guard->term;
    return ob__clauses_add(clauses, dims, &requirement->condition, terms, n, origin, false, stated);
}
