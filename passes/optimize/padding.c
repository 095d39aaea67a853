#include "passes/optimize/padding.h"

#include "core/base/error.h"
#include "ops/infer/constant.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

typedef struct search {
    const uint32_t *uses;
    const bool *live;
    bool *joins;
    uint32_t *reads; /* by value id: reads by windows */
} search;

static bool is_fixed(const ob_value *value) {
    return value->producer ? ob__is_constant(value->producer) : value->is_initializer && !value->is_input;
}

static bool is_window(const ob_node *node) {
    if (!node->op || !node->op->kernel || !(node->op->kernel->flags & OB_KERNEL_WINDOW) || node->n_inputs == 0) return false;
    for (uint32_t i = 1; i < node->n_inputs; i++)
        if (node->inputs[i] && !is_fixed(node->inputs[i])) return false;
    return true;
}

/* From the end, so that readers come before the node whose result they read. */
static ob_status search_graph(void *context, ob_graph *graph) {
    search *s = context;
    for (const ob_node *node = graph->last; node; node = node->prev) {
        if (!s->live[node->id]) continue;
        const ob_value *value = is_window(node) ? node->inputs[0] : NULL;
        if (value && value->graph == graph) s->reads[value->id]++;
        if (!node->op || !node->op->kernel || !node->op->kernel->padding || node->n_outputs != 1 || !node->outputs[0]) continue;
        const uint32_t n = s->reads[node->outputs[0]->id];
        s->joins[node->id] = n > 0 && n == s->uses[node->outputs[0]->id];
    }
    return OB_OK;
}

ob_status ob__find_padding(ob_model *model, const uint32_t *uses, const bool *live, ob_arena *arena, bool **joins) {
    ob_arena scratch;
    ob__arena_init(&scratch, &arena->allocator);
    search s = {.uses = uses, .live = live};
    s.joins = OB_ARENA_ARRAY(arena, bool, model->n_nodes);
    s.reads = OB_ARENA_ARRAY(&scratch, uint32_t, model->n_values);
    ob_status status = s.joins && s.reads ? ob__model_each_graph(model, search_graph, &s) : OB_E_MEMORY;
    ob__arena_release(&scratch);
    *joins = s.joins;
    return status;
}
