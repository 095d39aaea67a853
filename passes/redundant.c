/* Notes Expand and Tile before an operator that broadcasts anyway. Reads facts, adds findings; linear in nodes and operands. */
#include <string.h>

#include "core/error.h"
#include "passes/bypass.h"

typedef struct seeker {
    ob_work *work;
    ob_arena arena;
} seeker;

static ob_status report(ob_work *work, const ob_node *maker, const ob_node *reader) {
    ob_findings *findings = work->findings;
    ob_finding *finding =
        ob__findings_add(findings, OB0402, "%s '%s' broadcasts by itself: it can read '%s', and the copy is saved",
                         reader->op_type, ob__node_label(reader), maker->inputs[0]->name);
    if (!finding) return OB_OK;
    finding->node = maker;
    finding->operand = 0;
    finding->fix = "onnx-broadcast-check -o OUT --emit implicit takes it out";
    return OB_OK;
}

static ob_status visit_graph(void *context, ob_graph *graph) {
    seeker *s = context;
    for (ob_node *node = graph->first; node; node = node->next) {
        ob_bypass bypass;
        OB_TRY(ob__find_bypass(s->work, node, 1, &s->arena, &bypass));
        for (uint32_t i = 0; bypass.any && i < node->n_inputs; i++) {
            if (bypass.inputs[i] == node->inputs[i]) continue;
            const ob_node *maker = node->inputs[i]->producer;
            if (maker->domain[0] == '\0') OB_TRY(report(s->work, maker, node));
        }
    }
    return OB_OK;
}

ob_status ob__pass_redundant(ob_work *work) {
    seeker s = {.work = work};
    ob__arena_init(&s.arena, &work->model->arena.allocator);
    ob_status status = ob__model_each_graph(work->model, visit_graph, &s);
    return ob__arena_finish(&s.arena, status);
}
