#include "passes/check/required.h"

ob_status ob__required_index(const ob_facts *facts, uint32_t n_nodes, ob_arena *arena, ob_required *out) {
    *out = (ob_required){.n_nodes = n_nodes};
    out->first = OB_ARENA_ARRAY(arena, uint32_t, n_nodes);
    out->next = OB_ARENA_ARRAY(arena, uint32_t, (size_t)facts->n_conditions + 1);
    out->unverified = OB_ARENA_ARRAY(arena, bool, n_nodes);
    if (!out->first || !out->next || !out->unverified) return OB_E_MEMORY;
    for (uint32_t i = facts->n_conditions; i-- > 0;) {
        const ob_node *node = facts->conditions[i].node;
        if (!node || node->id >= n_nodes) continue;
        out->next[i + 1] = out->first[node->id];
        out->first[node->id] = i + 1;
    }
    for (uint32_t i = 0; i < facts->n_unverified; i++) {
        const ob_node *node = facts->unverified[i].node;
        if (node && node->id < n_nodes) out->unverified[node->id] = true;
    }
    return OB_OK;
}
