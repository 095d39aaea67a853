/* What nodes require becomes clauses; solved, those over the sizes of inputs are the contract, the rest is unverified. */
#include "passes/contract.h"

#include <string.h>

#include "core/error.h"

void ob__contract_init(ob_contract *contract, const ob_allocator *allocator) {
    memset(contract, 0, sizeof *contract);
    ob__arena_init(&contract->arena, allocator);
}

void ob__contract_release(ob_contract *contract) {
    ob_allocator allocator = contract->arena.allocator;
    ob__arena_release(&contract->arena);
    ob__contract_init(contract, &allocator);
}

/* ---- The symbols of inputs ---------------------------------------------------------------------------------------- */

typedef struct collection {
    ob_contract *contract;
    ob_map seen;
    ob_dim *symbols;
    uint32_t n, capacity;
    bool failed;
} collection;

static bool collect(void *context, ob_dim symbol) {
    collection *c = context;
    ob_map_entry *entry = ob__map_insert(&c->seen, (const char *)&symbol, sizeof symbol);
    if (entry && !entry->value) {
        entry->value = c;
        if (c->n == c->capacity) {
            uint32_t capacity = c->capacity ? c->capacity * 2 : 16;
            ob_dim *grown = OB_ARENA_ARRAY(&c->contract->arena, ob_dim, capacity);
            if (grown && c->n) memcpy(grown, c->symbols, c->n * sizeof *grown);
            c->failed = !grown;
            if (!grown) return false;
            c->symbols = grown;
            c->capacity = capacity;
        }
        c->symbols[c->n++] = symbol;
    }
    c->failed = !entry;
    return entry != NULL;
}

static ob_status collect_inputs(const ob_model *model, const ob_facts *facts, ob_contract *contract) {
    const ob_graph *graph = model->graph;
    collection c = {.contract = contract};
    ob__map_init(&c.seen, &contract->arena);
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const ob_shape *shape = &ob__fact(facts, graph->inputs[i])->type.shape;
        for (int32_t axis = 0; axis < shape->rank && !c.failed; axis++)
            if (ob_dim_is_term(shape->dims[axis])) ob_dim_symbols(model->dims, shape->dims[axis], collect, &c);
    }
    contract->inputs = c.symbols;
    contract->n_inputs = c.n;
    return c.failed ? OB_E_MEMORY : OB_OK;
}

/* ---- What nobody can state ---------------------------------------------------------------------------------------- */

static ob_status add_unverified(ob_contract *contract, ob_map *reasons, const char *reason, uint32_t index) {
    ob_map_entry *entry = ob__map_insert(reasons, reason, strlen(reason));
    if (!entry) return OB_E_MEMORY;
    ob_unverified *found = entry->value;
    if (!found) {
        found = entry->value = &contract->unverified[contract->n_unverified++];
        *found = (ob_unverified){entry->key, index, 0};
    }
    found->n++;
    contract->n_open++;
    return OB_OK;
}

enum { GUARD_DEPTH = 256 };

/* The guard's terms; *n GUARD_DEPTH + 1 when there are more. */
static void guard_terms(const ob_guard *guard, ob_dim *terms, uint32_t *n) {
    for (*n = 0; guard && *n <= GUARD_DEPTH; guard = guard->outer) {
        if (*n < GUARD_DEPTH) terms[*n] = guard->term;
        (*n)++;
    }
}

static const char *why_not_stated(const ob_guard *guard) {
    for (; guard; guard = guard->outer)
        if (guard->term == OB_DIM_UNKNOWN) return "only data tells whether it is reached";
    return "the terms are too large";
}

static ob_status lower(ob_model *model, const ob_facts *facts, ob_contract *contract, ob_map *reasons) {
    ob_dim guards[GUARD_DEPTH];
    for (uint32_t i = 0; i < facts->n_conditions; i++) {
        const ob_requirement *r = &facts->conditions[i];
        uint32_t n_guards;
        bool stated = false;
        guard_terms(r->guard, guards, &n_guards);
        if (n_guards <= GUARD_DEPTH)
            OB_TRY(ob__clauses_add(&contract->given, model->dims, &r->condition, guards, n_guards, i, false, &stated));
        if (!stated) OB_TRY(add_unverified(contract, reasons, why_not_stated(r->guard), facts->n_unverified + i));
    }
    return OB_OK;
}

/* ---- The whole ---------------------------------------------------------------------------------------------------- */

ob_status ob__contract_make(ob_model *model, const ob_facts *facts, ob_contract *out) {
    ob_map reasons;
    ob__map_init(&reasons, &out->arena);
    ob__clauses_init(&out->given, &out->arena);
    out->unverified = OB_ARENA_ARRAY(&out->arena, ob_unverified, (size_t)facts->n_unverified + facts->n_conditions);
    if (!out->unverified) return OB_E_MEMORY;
    OB_TRY(collect_inputs(model, facts, out));
    for (uint32_t i = 0; i < facts->n_unverified; i++) OB_TRY(add_unverified(out, &reasons, facts->unverified[i].reason, i));
    OB_TRY(lower(model, facts, out, &reasons));
    OB_TRY(ob__solve(model->dims, out->given.items, out->given.n, out->inputs, out->n_inputs, &out->arena, &out->solution));
    out->clauses = OB_ARENA_ARRAY(&out->arena, const ob_solved_clause *, out->solution.n_clauses);
    if (!out->clauses) return OB_E_MEMORY;
    for (uint32_t i = 0; i < out->solution.n_clauses; i++) {
        const ob_solved_clause *clause = &out->solution.clauses[i];
        if (clause->of_inputs)
            out->clauses[out->n_clauses++] = clause;
        else
            OB_TRY(
                add_unverified(out, &reasons, "a size is known only during the run", facts->n_unverified + clause->origins[0]));
    }
    out->status = out->solution.contradictory || facts->n_refuted ? OB_CONTRACT_CONTRADICTORY
                  : out->n_unverified                             ? OB_CONTRACT_PARTIAL
                                                                  : OB_CONTRACT_COMPLETE;
    return OB_OK;
}

ob_truth ob__contract_holds(const ob_contract *contract, const ob_dims *dims, const ob_binding *bindings, size_t n_bindings,
                            uint32_t *broken) {
    ob_truth all = contract->n_unverified ? OB_UNDECIDED : OB_TRUE;
    for (uint32_t i = 0; i < contract->n_clauses; i++) {
        const ob_solved_clause *clause = contract->clauses[i];
        ob_truth truth = ob__clause_eval(dims, clause->literals, clause->n, bindings, n_bindings);
        if (truth == OB_FALSE) {
            *broken = i;
            return OB_FALSE;
        }
        if (truth == OB_UNDECIDED) all = OB_UNDECIDED;
    }
    return contract->status == OB_CONTRACT_CONTRADICTORY ? OB_FALSE : all;
}
