/* Finds Expand and Tile whose readers all broadcast themselves: removing them saves the copy. Reads facts, adds findings;
 * linear in nodes and operands. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/bypass.h"

/* The readers of the result of an Expand or Tile, by value id. */
typedef struct readers {
    uint32_t n;           /* uses, outputs of graphs included */
    uint32_t n_without;   /* of these, by inputs that can do without the copy */
    const ob_node *first; /* of n_without */
} readers;

typedef struct seeker {
    ob_work *work;
    ob_arena arena;
    readers *of;
} seeker;

static ob_status count_graph(void *context, ob_graph *graph) {
    seeker *s = context;
    for (ob_node *node = graph->first; node; node = node->next) {
        ob_bypass bypass;
        OB_TRY(ob__find_bypass(s->work, node, 1, &s->arena, &bypass));
        for (uint32_t i = 0; i < node->n_inputs; i++) {
            if (!node->inputs[i]) continue;
            readers *r = &s->of[node->inputs[i]->id];
            r->n++;
            if (!bypass.any || bypass.inputs[i] == node->inputs[i]) continue;
            if (r->n_without++ == 0) r->first = node;
        }
    }
    for (uint32_t i = 0; i < graph->n_outputs; i++) s->of[graph->outputs[i]->id].n++;
    return OB_OK;
}

static void report(ob_findings *findings, const ob_node *maker, const readers *r) {
    ob_finding *finding =
        r->n == 1 ? ob__findings_add(findings, OB0402, "%s '%s' broadcasts by itself: it can read '%s' without this copy",
                                     r->first->op_type, ob__node_label(r->first), maker->inputs[0]->name)
                  : ob__findings_add(findings, OB0402,
                                     "its %u readers, the first is %s '%s', broadcast by themselves: they can read '%s' "
                                     "without this copy",
                                     r->n, r->first->op_type, ob__node_label(r->first), maker->inputs[0]->name);
    if (!finding) return;
    finding->node = maker;
    finding->operand = 0;
    finding->fix = "onnx-broadcast-check -o OUT --emit implicit removes it";
}

static ob_status report_graph(void *context, ob_graph *graph) {
    const seeker *s = context;
    for (const ob_node *node = graph->first; node; node = node->next) {
        const ob_value *made = node->n_outputs == 1 ? node->outputs[0] : NULL;
        if (!made || node->domain[0]) continue;
        const readers *r = &s->of[made->id];
        if (r->n_without > 0 && r->n_without == r->n) report(s->work->findings, node, r);
    }
    return OB_OK;
}

ob_status ob__pass_redundant(ob_work *work) {
    seeker s = {.work = work};
    ob__arena_init(&s.arena, &work->model->arena.allocator);
    s.of = OB_ARENA_ARRAY(&s.arena, readers, work->model->n_values);
    ob_status status = s.of ? ob__model_each_graph(work->model, count_graph, &s) : OB_E_MEMORY;
    if (status == OB_OK) status = ob__model_each_graph(work->model, report_graph, &s);
    return ob__arena_finish(&s.arena, status);
}
