/* Tests every broadcast with the chosen rule book. Reads facts, adds findings; linear in nodes and operands. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/called.h"
#include "passes/check/groups.h"
#include "passes/check/work.h"

typedef struct ruler {
    ob_work *work;
    const ob_facts *facts;   /* in these calls */
    const ob_called *called; /* NULL: none */
    const char *path;        /* of the graph; NULL until needed */
    const ob_node *node;
    const ob_group *group;
    ob_arena arena; /* scratch, for operators with many operands */
    ob_status status;
} ruler;

static void on_break(void *context, const ob_rule_break *broken) {
    ruler *r = context;
    ob_findings *findings = r->work->findings;
    ob_finding *finding = ob__findings_add(findings, ob__finding_find(broken->id), "%s", broken->message);
    if (!finding) return;
    if (!r->path) r->path = ob__called_path(r->node->graph, r->called, &findings->arena);
    finding->call_path = r->path ? r->path : "";
    finding->called = r->called;
    finding->node = r->node;
    finding->axis = broken->axis;
    if (broken->operand < r->group->n && r->group->inputs[broken->operand] != OB_NOT_AN_INPUT)
        finding->operand = (int32_t)r->group->inputs[broken->operand];
    if (!ob__finding_set_operands(findings, finding, r->group->shapes, r->group->n)) r->status = OB_E_MEMORY;
}

/* Only the batch axes, which broadcast in a matrix product. */
static void cut_fixed_axes(ob_group *group) {
    for (uint32_t i = 0; i < group->n; i++)
        if (group->shapes[i].rank != OB_RANK_UNKNOWN)
            group->shapes[i].rank = group->shapes[i].rank > 2 ? group->shapes[i].rank - group->n_fixed_axes : 0;
}

static ob_status check_node(ruler *r, const ob_node *node) {
    ob_group group;
    bool found;
    OB_TRY(ob__group_of(r->facts, r->work->model->dims, node, &r->arena, &group, &found));
    if (!found || group.plain || group.kind == OB_BCAST_EXPAND || strcmp(node->domain, "onnx_broadcast") == 0) return OB_OK;
    ob_shape declared = {OB_RANK_UNKNOWN, NULL};
    const ob_value *out = node->outputs[0];
    if (out && out->declared.kind == OB_TYPE_TENSOR) declared = out->declared.shape;
    if (group.n_fixed_axes) {
        cut_fixed_axes(&group);
        declared.rank = OB_RANK_UNKNOWN;
    }
    if (group.n == 1 && group.kind == OB_BCAST_UNI) { /* Gemm: C onto the product */
        group.inputs[1] = OB_NOT_AN_INPUT;
        group.shapes[1] = group.result;
        group.n = 2;
    }
    r->node = node;
    r->group = &group;
    ob_status status = ob_rules_check(r->work->rules, group.shapes, group.n, declared.rank == OB_RANK_UNKNOWN ? NULL : &declared,
                                      r->work->model->dims, on_break, r, NULL);
    r->group = NULL;
    /* Shapes that do not broadcast at all were reported when they were propagated. */
    return status == OB_E_MEMORY ? status : r->status;
}

static ob_status check_graph(void *context, ob_graph *graph, const ob_facts *facts, const ob_called *called) {
    ruler *r = context;
    r->facts = facts;
    r->called = called;
    r->path = NULL;
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(check_node(r, node));
    return OB_OK;
}

ob_status ob__pass_rules(ob_work *work) {
    if (work->rules == OB_RULES_ONNX || work->rules == OB_RULES_NUMPY) return OB_OK; /* they allow all that broadcasts */
    ruler r = {.work = work};
    ob__arena_init(&r.arena, &work->model->arena.allocator);
    ob_call_view view;
    ob_status status = ob__call_view_init(&view, work->facts, &r.arena);
    if (status == OB_OK) status = ob__each_called(work->model, &view, check_graph, &r);
    return ob__arena_finish(&r.arena, status);
}
