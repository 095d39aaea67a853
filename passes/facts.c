#include "passes/facts.h"

#include <string.h>

static const ob_fact nothing = {.type = {.shape = {OB_RANK_UNKNOWN, NULL}}};

void ob__facts_init(ob_facts *facts, const ob_allocator *allocator) {
    memset(facts, 0, sizeof *facts);
    ob__arena_init(&facts->arena, allocator);
}

void ob__facts_release(ob_facts *facts) {
    ob__arena_release(&facts->arena);
    facts->facts = NULL;
    facts->conditions = NULL;
    facts->n_facts = facts->capacity = facts->n_conditions = facts->conditions_capacity = 0;
}

ob_status ob__facts_reserve(ob_facts *facts, uint32_t n_values) {
    if (n_values > facts->capacity) {
        uint32_t capacity = facts->capacity > UINT32_MAX / 2 ? UINT32_MAX : facts->capacity * 2;
        if (capacity < n_values) capacity = n_values;
        ob_fact *grown = OB_ARENA_ARRAY(&facts->arena, ob_fact, capacity);
        if (!grown) return OB_E_MEMORY;
        if (facts->n_facts) memcpy(grown, facts->facts, facts->n_facts * sizeof *grown);
        facts->facts = grown;
        facts->capacity = capacity;
    }
    for (; facts->n_facts < n_values; facts->n_facts++) facts->facts[facts->n_facts] = nothing;
    return OB_OK;
}

const ob_fact *ob__fact(const ob_facts *facts, const ob_value *value) {
    return value && value->id < facts->n_facts ? &facts->facts[value->id] : &nothing;
}
