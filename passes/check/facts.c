#include "passes/check/facts.h"

#include <string.h>

#include "core/base/list.h"

static const ob_fact nothing = {.type = {.shape = {OB_RANK_UNKNOWN, NULL}}};

void ob__facts_init(ob_facts *facts, const ob_allocator *allocator) {
    memset(facts, 0, sizeof *facts);
    ob__arena_init(&facts->arena, allocator);
}

void ob__facts_release(ob_facts *facts) {
    const ob_allocator *allocator = &facts->arena.allocator;
    ob__list_free(allocator, facts->claims, facts->claims_capacity, sizeof *facts->claims);
    ob__list_free(allocator, facts->claim_of, facts->claim_of_capacity, sizeof *facts->claim_of);
    ob__list_free(allocator, facts->conditions, facts->conditions_capacity, sizeof *facts->conditions);
    ob__list_free(allocator, facts->unverified, facts->unverified_capacity, sizeof *facts->unverified);
    ob__list_free(allocator, facts->bounds, facts->bounds_capacity, sizeof *facts->bounds);
    ob__list_free(allocator, facts->cases, facts->cases_capacity, sizeof *facts->cases);
    facts->bounds = facts->cases = NULL;
    facts->n_bounds = facts->bounds_capacity = facts->n_cases = facts->cases_capacity = 0;
    ob__list_free(allocator, facts->called, facts->called_capacity, sizeof(ob_called *));
    facts->called = NULL;
    facts->n_called = facts->called_capacity = 0;
    facts->first_called = (ob_map){0};
    facts->claims = NULL;
    facts->claim_of = NULL;
    facts->n_claims = facts->claims_capacity = facts->claim_of_capacity = 0;
    ob__arena_release(&facts->arena);
    facts->facts = NULL;
    facts->choices = NULL;
    facts->conditions = NULL;
    facts->unverified = NULL;
    facts->n_facts = facts->capacity = facts->n_conditions = facts->conditions_capacity = 0;
    facts->n_unverified = facts->unverified_capacity = 0;
}

ob_status ob__facts_reserve(ob_facts *facts, uint32_t n_values) {
    ob_fact *grown = ob__list_in_arena(&facts->arena, facts->facts, &facts->capacity, n_values, sizeof *grown);
    if (!grown && n_values) return OB_E_MEMORY;
    facts->facts = grown;
    for (; facts->n_facts < n_values; facts->n_facts++) facts->facts[facts->n_facts] = nothing;
    return OB_OK;
}

const ob_called *ob__calls_of(const ob_facts *facts, const ob_function *function) {
    if (facts->n_called == 0 || !function) return NULL;
    const ob_map_entry *entry = ob__map_find(&facts->first_called, (const char *)&function, sizeof function);
    return entry ? entry->value : NULL;
}

const ob_fact *ob__fact(const ob_facts *facts, const ob_value *value) {
    return value && value->id < facts->n_facts ? &facts->facts[value->id] : &nothing;
}

ob_status ob__guard_within(ob_arena *arena, const ob_guard *outer, ob_dim term, const ob_node *node, const char *text,
                           const ob_guard **out) {
    ob_guard *guard = OB_ARENA_NEW(arena, ob_guard);
    if (!guard) return OB_E_MEMORY;
    *guard = (ob_guard){outer, term, node, text};
    *out = guard;
    return OB_OK;
}

ob_truth ob__guard_eval(const ob_dims *dims, const ob_guard *guard, const ob_binding *bindings, size_t n_bindings) {
    ob_truth all = OB_TRUE;
    for (; guard; guard = guard->outer) {
        int64_t value;
        if (ob_dim_eval(dims, guard->term, bindings, n_bindings, &value) != OB_OK)
            all = OB_UNDECIDED;
        else if (value < 1)
            return OB_FALSE;
    }
    return all;
}
