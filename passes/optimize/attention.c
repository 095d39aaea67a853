/* Attention by structure: a product whose result only a group over rows reads, whose result only a second product reads, as its
 * left operand. Scales, masks and a test for NaN are nodes of the group; which ones does not matter. */
#include "core/base/error.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"
#include "passes/optimize/groups.h"

static bool is_product(const ob_node *node) {
    return node->op && node->op->kernel && node->op->kernel->is_product && node->n_inputs == 2 && node->inputs[0] &&
           node->inputs[1] && node->n_outputs == 1 && node->outputs[0];
}

/* Makes a group of one function of rows, which is none otherwise. NULL: the node is no such function. */
static ob_status group_of_one(ob_node *node, const ob_facts *facts, ob_arena *arena, ob_group **made) {
    *made = NULL;
    if (ob__node_row_axes(facts, node) != 1) return OB_OK;
    ob_group *group = OB_ARENA_NEW(arena, ob_group);
    ob_node **nodes = OB_ARENA_ARRAY(arena, ob_node *, 1);
    if (!group || !nodes) return OB_E_MEMORY;
    nodes[0] = node;
    *group = (ob_group){.nodes = nodes, .n = 1, .row_axes = 1};
    *made = group;
    return OB_OK;
}

static uint32_t reads_of(const ob_group *group, const ob_value *value) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < group->n; i++)
        for (uint32_t k = 0; k < group->nodes[i]->n_inputs; k++) n += group->nodes[i]->inputs[k] == value;
    return n;
}

/* The product that makes the scores: an operand of the group's own shape that nobody else reads. NULL: none. */
static ob_node *find_scores(const ob_group *group, const ob_facts *facts, const uint32_t *uses, ob_group *const *groups) {
    const ob_value *result = group->nodes[group->n - 1]->outputs[0];
    for (uint32_t i = 0; i < group->n; i++)
        for (uint32_t k = 0; k < group->nodes[i]->n_inputs; k++) {
            const ob_value *value = group->nodes[i]->inputs[k];
            ob_node *node = value ? value->producer : NULL;
            if (node && value->graph == result->graph && is_product(node) && !groups[node->id] &&
                ob__same_dims(facts, value, result) && reads_of(group, value) == uses[value->id])
                return node;
        }
    return NULL;
}

static ob_status visit(ob_node *tail, const ob_facts *facts, const uint32_t *uses, ob_arena *arena, ob_group **groups) {
    const ob_value *weights = tail->inputs[0];
    ob_node *last = weights->producer;
    if (!last || weights->graph != tail->graph || last->n_outputs != 1 || uses[weights->id] != 1 || groups[tail->id])
        return OB_OK;
    ob_group *rows = groups[last->id];
    if (!rows) OB_TRY(group_of_one(last, facts, arena, &rows));
    if (!rows || rows->row_axes != 1 || rows->head || rows->tail || rows->nodes[rows->n - 1] != last) return OB_OK;
    ob_node *head = find_scores(rows, facts, uses, groups);
    if (!head) return OB_OK;
    ob_group *all = OB_ARENA_NEW(arena, ob_group);
    if (!all) return OB_E_MEMORY;
    *all = *rows;
    all->head = head;
    all->tail = tail;
    all->rest = rows->n > 1 ? rows : NULL;
    groups[head->id] = groups[tail->id] = all;
    for (uint32_t i = 0; i < all->n; i++) groups[all->nodes[i]->id] = all;
    return ob__name_group(arena, all);
}

ob_status ob__find_attention(ob_graph *graph, const ob_facts *facts, const uint32_t *uses, const bool *live, ob_arena *arena,
                             ob_group **groups) {
    for (ob_node *node = graph->first; node; node = node->next)
        if (live[node->id] && is_product(node)) OB_TRY(visit(node, facts, uses, arena, groups));
    return OB_OK;
}
