/* The driver: from given clauses to solved ones. docs/adr/0014-solver.md describes what each step proves and leaves
 * unchanged. */
#include "core/solve/solve.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/solve/solver.h"

/* ---- Results ---- */

static int compare_numbers(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

static uint32_t sort_unique(uint32_t *numbers, uint32_t n) {
    uint32_t kept = 0;
    if (n) qsort(numbers, n, sizeof *numbers, compare_numbers);
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || numbers[kept - 1] != numbers[i]) numbers[kept++] = numbers[i];
    return kept;
}

typedef struct input_check {
    const ob_solver *s;
    bool all;
} input_check;

static bool check_input(void *context, ob_dim symbol) {
    input_check *check = context;
    const ob_symbol_fact *fact = ob__solve_fact(check->s, symbol);
    check->all = fact && fact->order != UINT32_MAX;
    return check->all;
}

/* The clause for the caller; its given clauses are part of the result. */
static ob_status write_clause(const ob_solver *s, const ob_work_clause *clause, ob_arena *arena, uint8_t *fates,
                              ob_solved_clause *out) {
    ob_literal *literals = OB_ARENA_ARRAY(arena, ob_literal, clause->n);
    uint32_t n_origins = 0, n_guard = 0;
    input_check inputs = {s, true};
    for (const ob_link *link = clause->origins; link; link = link->next) n_origins++;
    uint32_t *origins = OB_ARENA_ARRAY(arena, uint32_t, n_origins);
    if (!literals || !origins) return OB_E_MEMORY;
    for (uint32_t i = 0; i < clause->n; i++) {
        literals[i] = clause->literals[i].literal;
        n_guard += clause->literals[i].guard;
    }
    n_origins = 0;
    for (const ob_link *link = clause->origins; link; link = link->next) {
        origins[n_origins++] = s->given[link->number].origin;
        fates[link->number] = OB_CLAUSE_KEPT;
    }
    n_origins = sort_unique(origins, n_origins);
    for (uint32_t i = 0; i < clause->n_symbols && inputs.all; i++) inputs.all = s->facts[clause->symbols[i]].order != UINT32_MAX;
    for (uint32_t i = 0; i < clause->n && clause->n_symbols == 0 && inputs.all; i++) {
        ob_dim_symbols(s->dims, literals[i].p, check_input, &inputs);
        if (inputs.all && ob_dim_is_term(literals[i].q)) ob_dim_symbols(s->dims, literals[i].q, check_input, &inputs);
    }
    *out = (ob_solved_clause){.literals = literals,
                              .n = clause->n,
                              .n_guard = n_guard,
                              .origins = origins,
                              .n_origins = n_origins,
                              .of_inputs = inputs.all};
    return OB_OK;
}

/* In the order in which they are read: equations, by the inputs; then by the first given clause. */
typedef struct place {
    uint32_t group, first, clause;
} place;

static int compare_places(const void *a, const void *b) {
    const place *left = a, *right = b;
    if (left->group != right->group) return left->group < right->group ? -1 : 1;
    if (left->first != right->first) return left->first < right->first ? -1 : 1;
    return left->clause < right->clause ? -1 : left->clause > right->clause;
}

static place place_of(const ob_solver *s, uint32_t number) {
    const ob_work_clause *clause = &s->clauses[number];
    place out = {UINT32_MAX, UINT32_MAX, number};
    if (clause->defines) out.group = s->facts[clause->defines - 1].order;
    for (const ob_link *link = clause->origins; link; link = link->next)
        if (link->number < out.first) out.first = link->number;
    return out;
}

static ob_status write_clauses(ob_solver *s, ob_arena *arena, ob_arena *scratch, ob_solution *out) {
    uint32_t n = 0;
    place *places = OB_ARENA_ARRAY(scratch, place, s->n_clauses);
    if (!places) return OB_E_MEMORY;
    for (uint32_t i = 0; i < s->n_clauses; i++)
        if (!s->clauses[i].dropped && !s->clauses[i].assumed) places[n++] = place_of(s, i);
    if (n) qsort(places, n, sizeof *places, compare_places);
    out->clauses = OB_ARENA_ARRAY(arena, ob_solved_clause, n);
    if (!out->clauses) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        OB_TRY(write_clause(s, &s->clauses[places[i].clause], arena, out->fates, &out->clauses[out->n_clauses++]));
    uint32_t *numbers = OB_ARENA_ARRAY(scratch, uint32_t, n);
    if (!numbers) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) numbers[i] = places[i].clause;
    return ob__solver_witnesses(s, numbers, arena, out);
}

static ob_status write_core(ob_solver *s, ob_arena *arena, ob_arena *scratch, ob_solution *out) {
    uint32_t *leaves, *smaller, n;
    OB_TRY(ob__solver_leaves(s, s->clash, scratch, &leaves, &n));
    OB_TRY(ob__solver_core(s, leaves, n, scratch, &smaller, &n, &out->core_minimal));
    uint32_t *core = OB_ARENA_ARRAY(arena, uint32_t, n);
    if (!core) return OB_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        core[i] = s->given[smaller[i]].origin;
        out->fates[smaller[i]] = OB_CLAUSE_REFUTED;
    }
    out->contradictory = true;
    out->core = core;
    out->n_core = sort_unique(core, n);
    return OB_OK;
}

/* Joined clauses may imply more together. */
static ob_status merge(ob_solver *s) {
    bool changed = false;
    if (!s->clashed && ob__solver_spend(s, 0)) OB_TRY(ob__solver_merge(s, &changed));
    if (changed && !s->clashed) OB_TRY(ob__solver_propagate(s));
    if (changed && !s->clashed) OB_TRY(ob__solver_exact(s));
    if (changed && !s->clashed) OB_TRY(ob__solver_subsume(s));
    return OB_OK;
}

ob_status ob__solve(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_dim *inputs, uint32_t n_inputs, ob_arena *arena,
                    ob_solution *out) {
    ob_solver s;
    ob_arena scratch;
    *out = (ob_solution){.fates = OB_ARENA_ARRAY(arena, uint8_t, n)};
    if (!out->fates) return OB_E_MEMORY;
    memset(out->fates, OB_CLAUSE_PROVED, n);
    ob__arena_init(&scratch, &arena->allocator);
    ob_status status = ob__solver_init(&s, dims, &scratch, clauses, n, inputs, n_inputs, NULL);
    if (status == OB_OK) status = ob__solver_run(&s);
    if (status == OB_OK) status = merge(&s);
    if (status == OB_OK && !s.clashed && ob__solver_spend(&s, 0)) {
        s.own.most = s.own.steps + OB_SOLVE_STEPS_REDUNDANT;
        status = ob__solver_drop_redundant(&s);
    }
    if (status == OB_OK && !s.clashed) status = ob__solver_chain(&s);
    out->n_steps = s.n_normalised + s.work + s.effort;
    if (status == OB_OK && s.clashed) status = write_core(&s, arena, &scratch, out);
    if (status == OB_OK && !s.clashed) status = write_clauses(&s, arena, &scratch, out);
    return ob__arena_finish(&scratch, status);
}
