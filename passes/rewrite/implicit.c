/* The way back to the implicit form: operators read their operands before explicit broadcasting if their own broadcasting
 * provably gives the same result. Unused nodes are removed, with their shape arithmetic. Precondition: facts are there, no
 * errors. Postcondition: every value that stays has the type that it had. Linear in nodes and operands. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "ops/library/resolve.h"
#include "passes/check/bypass.h"
#include "passes/check/explicit.h"
#include "passes/rewrite/patch.h"
#include "passes/rewrite/rewriting.h"

enum { MAX_STEPS = 64 };

typedef struct remover {
    ob_rewriting *rewriting;
    ob_work *work; /* of the rewriting */
    ob_patch patch;
    ob_arena arena;
    uint32_t *n_uses;  /* by value id: operands of nodes and outputs of graphs */
    uint32_t *n_read;  /* by node id: outputs that have a use */
    bool *gone;        /* by node id */
    ob_value ***reads; /* by node id: the new inputs of the node, or NULL: unchanged */
    ob_value **stack;  /* values that lost a reader */
    uint32_t n_stack, stack_capacity;
} remover;

static void add_use(remover *r, const ob_value *value) {
    if (r->n_uses[value->id]++ == 0 && value->producer) r->n_read[value->producer->id]++;
}

static ob_status count_uses(void *context, ob_graph *graph) {
    remover *r = context;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i]) add_use(r, node->inputs[i]);
    for (uint32_t i = 0; i < graph->n_outputs; i++) add_use(r, graph->outputs[i]);
    return OB_OK;
}

static ob_status push(remover *r, ob_value *value) {
    if (r->n_stack == UINT32_MAX) return OB_E_LIMIT;
    ob_value **stack = ob__list_in_arena(&r->arena, r->stack, &r->stack_capacity, r->n_stack + 1, sizeof *stack);
    if (!stack) return OB_E_MEMORY;
    r->stack = stack;
    r->stack[r->n_stack++] = value;
    return OB_OK;
}

/* Removing a node with subgraphs would also remove the readers inside them, so such nodes stay. */
static bool has_subgraph(const ob_node *node) {
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (node->attributes[i]->type == OB_ATTR_GRAPH || node->attributes[i]->type == OB_ATTR_GRAPHS) return true;
    return false;
}

/* Removes one reader of the value, and nodes that have no readers then. */
static ob_status release(remover *r, ob_value *value) {
    OB_TRY(push(r, value));
    while (r->n_stack > 0) {
        ob_value *loser = r->stack[--r->n_stack];
        if (--r->n_uses[loser->id] > 0) continue;
        ob_node *maker = loser->producer;
        if (!maker) {
            if (loser->is_initializer && !loser->is_input && !loser->is_output) ob__patch_remove_initializer(&r->patch, loser);
            continue;
        }
        r->n_read[maker->id]--;
        if (r->gone[maker->id] || r->n_read[maker->id] > 0 || has_subgraph(maker)) continue;
        r->gone[maker->id] = true;
        r->rewriting->stats.n_removed++;
        ob__patch_remove(&r->patch, maker);
        ob_value **inputs = r->reads[maker->id] ? r->reads[maker->id] : maker->inputs;
        for (uint32_t i = 0; i < maker->n_inputs; i++)
            if (inputs[i]) OB_TRY(push(r, inputs[i]));
    }
    return OB_OK;
}

/* True if the node must stay, or a node that stretches one of its operands. */
static const ob_node *what_stays(const remover *r, const ob_bypass *bypass) {
    for (uint32_t i = 0; i < bypass->node->n_inputs; i++) {
        const ob_value *operand = bypass->node->inputs[i];
        if (operand && bypass->inputs[i] != operand && operand->producer && ob__stays(&r->rewriting->keeping, operand->producer))
            return operand->producer;
    }
    return bypass->node;
}

static ob_status visit_node(remover *r, ob_node *node) {
    ob_bypass bypass;
    OB_TRY(ob__find_bypass(r->work, node, MAX_STEPS, &r->arena, &bypass));
    if (!bypass.any || ob__leaves(r->rewriting, what_stays(r, &bypass))) return OB_OK;
    /* The way back stops after MAX_STEPS, perhaps at a value that went when the next one was led past it. */
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (bypass.inputs[i] && bypass.inputs[i]->producer && r->gone[bypass.inputs[i]->producer->id]) return OB_OK;
    r->reads[node->id] = bypass.inputs;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (bypass.inputs[i] != node->inputs[i]) add_use(r, bypass.inputs[i]);
    ob__touch(&r->rewriting->keeping, node);
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (bypass.inputs[i] == node->inputs[i]) continue;
        if (node->inputs[i]->producer) ob__touch(&r->rewriting->keeping, node->inputs[i]->producer);
        ob__patch_input(&r->patch, node, i, bypass.inputs[i]);
        OB_TRY(release(r, node->inputs[i]));
    }
    if (bypass.legacy) ob__patch_int_attribute(&r->patch, node, "broadcast", 1);
    if (bypass.legacy_axis) ob__patch_int_attribute(&r->patch, node, "axis", bypass.axis);
    return OB_OK;
}

static ob_status visit_graph(void *context, ob_graph *graph) {
    remover *r = context;
    if (ob__is_explicit_definition(graph)) return OB_OK;
    for (ob_node *node = graph->first; node; node = node->next)
        if (!r->gone[node->id]) OB_TRY(visit_node(r, node));
    return OB_OK;
}

ob_status ob__pass_implicit(ob_rewriting *rewriting) {
    ob_work *work = rewriting->work;
    remover r = {.rewriting = rewriting, .work = work};
    ob__patch_init(&r.patch, work->model, &rewriting->journal);
    ob__arena_init(&r.arena, &work->model->arena.allocator);
    r.n_uses = OB_ARENA_ARRAY(&r.arena, uint32_t, work->model->n_values);
    r.n_read = OB_ARENA_ARRAY(&r.arena, uint32_t, work->model->n_nodes);
    r.gone = OB_ARENA_ARRAY(&r.arena, bool, work->model->n_nodes);
    r.reads = OB_ARENA_ARRAY(&r.arena, ob_value **, work->model->n_nodes);
    ob_status status =
        r.n_uses && r.n_read && r.gone && r.reads ? ob__model_each_graph(work->model, count_uses, &r) : OB_E_MEMORY;
    if (status == OB_OK) status = ob__model_each_graph(work->model, visit_graph, &r);
    if (status == OB_OK) ob__patch_tidy_domain(&r.patch, "onnx_broadcast");
    if (status == OB_OK) status = ob__patch_apply(&r.patch, work->error);
    if (status == OB_OK) status = ob__model_resolve_ops(work->model);
    status = ob__arena_finish(&r.arena, status);
    ob__patch_release(&r.patch);
    return status;
}
