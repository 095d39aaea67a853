/* From given clauses to solved ones. */
#include "core/solve.h"

#include <string.h>

#include "core/error.h"

typedef struct solver {
    ob_dims *dims;
    ob_arena *arena;
    ob_map clauses; /* literals -> merged clause */
    struct merged *first, **end;
    uint32_t n_merged;
} solver;

typedef struct merged {
    struct merged *next;
    const ob_literal *literals;
    uint32_t n, n_guard, n_origins, last_origin;
    struct origin *first_origin, **end_origin;
} merged;

typedef struct origin {
    struct origin *next;
    uint32_t number;
} origin;

/* ---- Literals ----------------------------------------------------------------------------------------------------- */

static ob_truth opposite(ob_truth truth) {
    return truth == OB_UNDECIDED ? truth : truth == OB_TRUE ? OB_FALSE : OB_TRUE;
}

static ob_truth decide(const solver *s, const ob_literal *literal) {
    const ob_condition zero = {OB_COND_EQUAL, literal->p, 0}, least = {OB_COND_AT_LEAST, literal->p, 0},
                       multiple = {OB_COND_DIVISIBLE, literal->p, literal->q};
    switch (literal->kind) {
    case OB_LITERAL_ZERO: return ob_condition_decide(s->dims, &zero);
    case OB_LITERAL_NONZERO: return opposite(ob_condition_decide(s->dims, &zero));
    case OB_LITERAL_NONNEGATIVE: return ob_condition_decide(s->dims, &least);
    case OB_LITERAL_DIVIDES: return ob_condition_decide(s->dims, &multiple);
    case OB_LITERAL_NOT_DIVIDES: return opposite(ob_condition_decide(s->dims, &multiple));
    }
    return OB_UNDECIDED;
}

/* The literals that may hold; *truth TRUE when one always does. */
static ob_status simplify(solver *s, const ob_clause *clause, ob_literal **out, uint32_t *n, uint32_t *n_guard, ob_truth *truth) {
    ob_literal *kept = OB_ARENA_ARRAY(s->arena, ob_literal, clause->n);
    if (!kept) return OB_E_MEMORY;
    *n = *n_guard = 0;
    *truth = OB_FALSE;
    for (uint32_t i = 0; i < clause->n; i++) {
        ob_truth one = decide(s, &clause->literals[i]);
        if (one == OB_TRUE) {
            *truth = OB_TRUE;
            return OB_OK;
        }
        if (one == OB_FALSE) continue;
        *truth = OB_UNDECIDED;
        if (i < clause->n_guard) (*n_guard)++;
        memset(&kept[*n], 0, sizeof kept[*n]); /* its bytes are a key */
        kept[*n].kind = clause->literals[i].kind;
        kept[*n].p = clause->literals[i].p;
        kept[*n].q = clause->literals[i].q;
        (*n)++;
    }
    *out = kept;
    return OB_OK;
}

/* ---- Merging ------------------------------------------------------------------------------------------------------ */

static ob_status add_origin(solver *s, merged *to, uint32_t number) {
    if (to->n_origins > 0 && to->last_origin == number) return OB_OK;
    origin *added = OB_ARENA_NEW(s->arena, origin);
    if (!added) return OB_E_MEMORY;
    added->number = number;
    *to->end_origin = added;
    to->end_origin = &added->next;
    to->last_origin = number;
    to->n_origins++;
    return OB_OK;
}

static ob_status merge(solver *s, const ob_literal *literals, uint32_t n, uint32_t n_guard, uint32_t number) {
    ob_map_entry *entry = ob__map_insert(&s->clauses, (const char *)literals, n * sizeof *literals);
    if (!entry) return OB_E_MEMORY;
    merged *found = entry->value;
    if (!found) {
        found = entry->value = OB_ARENA_NEW(s->arena, merged);
        if (!found) return OB_E_MEMORY;
        *found = (merged){.literals = literals, .n = n, .n_guard = n_guard};
        found->end_origin = &found->first_origin;
        *s->end = found;
        s->end = &found->next;
        s->n_merged++;
    }
    return add_origin(s, found, number);
}

/* ---- Results ------------------------------------------------------------------------------------------------------ */

typedef struct symbol_search {
    const ob_map *inputs;
    bool all;
} symbol_search;

static bool is_input(void *context, ob_dim symbol) {
    symbol_search *search = context;
    search->all = ob__map_find(search->inputs, (const char *)&symbol, sizeof symbol) != NULL;
    return search->all;
}

static bool is_of_inputs(const ob_dims *dims, const ob_map *inputs, const ob_literal *literals, uint32_t n) {
    symbol_search search = {inputs, true};
    for (uint32_t i = 0; i < n && search.all; i++) {
        ob_dim_symbols(dims, literals[i].p, is_input, &search);
        if (search.all && literals[i].q) ob_dim_symbols(dims, literals[i].q, is_input, &search);
    }
    return search.all;
}

static ob_status write_out(solver *s, const ob_map *inputs, ob_solution *out) {
    out->clauses = OB_ARENA_ARRAY(s->arena, ob_solved_clause, s->n_merged);
    if (!out->clauses) return OB_E_MEMORY;
    for (const merged *m = s->first; m; m = m->next) {
        uint32_t *origins = OB_ARENA_ARRAY(s->arena, uint32_t, m->n_origins), n = 0;
        if (!origins) return OB_E_MEMORY;
        for (const origin *o = m->first_origin; o; o = o->next) origins[n++] = o->number;
        out->clauses[out->n_clauses++] = (ob_solved_clause){.literals = m->literals,
                                                            .n = m->n,
                                                            .n_guard = m->n_guard,
                                                            .origins = origins,
                                                            .n_origins = n,
                                                            .of_inputs = is_of_inputs(s->dims, inputs, m->literals, m->n)};
    }
    return OB_OK;
}

ob_status ob__solve(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_dim *inputs, uint32_t n_inputs, ob_arena *arena,
                    ob_solution *out) {
    solver s = {.dims = dims, .arena = arena};
    ob_map of_inputs;
    s.end = &s.first;
    *out = (ob_solution){.fates = OB_ARENA_ARRAY(arena, uint8_t, n)};
    if (!out->fates) return OB_E_MEMORY;
    ob__map_init(&s.clauses, arena);
    ob__map_init(&of_inputs, arena);
    for (uint32_t i = 0; i < n_inputs; i++)
        if (!ob__map_insert(&of_inputs, (const char *)&inputs[i], sizeof inputs[i])) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        ob_literal *literals = NULL;
        uint32_t n_literals, n_guard;
        ob_truth truth;
        OB_TRY(simplify(&s, &clauses[i], &literals, &n_literals, &n_guard, &truth));
        out->fates[i] = truth == OB_TRUE ? OB_CLAUSE_PROVED : truth == OB_FALSE ? OB_CLAUSE_REFUTED : OB_CLAUSE_KEPT;
        if (truth == OB_FALSE && !out->contradictory) {
            uint32_t *core = OB_ARENA_ARRAY(arena, uint32_t, 1);
            if (!core) return OB_E_MEMORY;
            core[0] = clauses[i].origin;
            out->contradictory = out->core_minimal = true;
            out->core = core;
            out->n_core = 1;
        }
        if (truth == OB_UNDECIDED && !clauses[i].assumed) OB_TRY(merge(&s, literals, n_literals, n_guard, clauses[i].origin));
    }
    return write_out(&s, &of_inputs, out);
}

ob_status ob__implied(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *clause, ob_arena *arena,
                      ob_truth *out) {
    solver s = {.dims = dims, .arena = arena};
    ob_literal *literals = NULL, *other = NULL;
    uint32_t n_literals, n_other, n_guard;
    OB_TRY(simplify(&s, clause, &literals, &n_literals, &n_guard, out));
    if (*out == OB_TRUE) return OB_OK;
    for (uint32_t i = 0; i < n; i++) {
        ob_truth truth;
        OB_TRY(simplify(&s, &clauses[i], &other, &n_other, &n_guard, &truth));
        if (truth == OB_UNDECIDED && n_other == n_literals && memcmp(other, literals, n_other * sizeof *other) == 0) {
            *out = OB_TRUE;
            return OB_OK;
        }
    }
    *out = OB_UNDECIDED;
    return OB_OK;
}
