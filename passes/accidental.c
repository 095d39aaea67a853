/* Broadcasts that are legal and probably not meant: a size meets itself on another axis because ranks differ, as in
 * (N) + (N,1) -> (N,N). Operands that are constant or that the exporter reshaped on purpose are left alone: an outer product is
 * written that way. Reads facts, adds findings; linear in nodes (operators with many operands are not examined). */
#include <string.h>

#include "core/error.h"
#include "ops/op.h"
#include "passes/groups.h"
#include "passes/pipeline.h"

enum { MAX_OPERANDS = 8, MAX_STEPS = 64 };

static bool is_one_of(const char *op, const char *const *names) {
    for (; *names; names++)
        if (strcmp(op, *names) == 0) return true;
    return false;
}

/* True when somebody gave the value its shape on purpose, or it is constant. Looks back through operators that keep the shape. */
static bool is_deliberate(const ob_facts *facts, const ob_value *value) {
    static const char *const shapers[] = {"Unsqueeze",       "Reshape",        "Expand",  "Tile",    "Constant",
                                          "ConstantOfShape", "Range",          "Flatten", "Squeeze", "Transpose",
                                          "Broadcast",       "BroadcastInDim", "Trilu",   "EyeLike", NULL};
    for (int step = 0; step < MAX_STEPS; step++) {
        if (value->is_initializer) return true;
        const ob_node *node = value->producer;
        if (!node) return false;
        if (node->op && is_one_of(node->op_type, shapers)) return true;
        const ob_value *from = NULL;
        for (uint32_t i = 0; i < node->n_inputs && !from; i++)
            if (node->inputs[i] &&
                ob__same_shape(&ob__fact(facts, node->inputs[i])->type.shape, &ob__fact(facts, value)->type.shape))
                from = node->inputs[i];
        if (!from) return false;
        value = from;
    }
    return false;
}

/* The axis of the result along which operand a is 1 or absent and b has size, such that a has that size where b is 1. */
static bool meets_itself(const ob_group *group, uint32_t a, uint32_t b, int32_t *axis_a, int32_t *axis_b) {
    for (int32_t p = 0; p < group->result.rank; p++) {
        ob_dim size = ob__group_dim(group, b, p);
        if (ob__group_dim(group, a, p) != 1 || size == 1 || size == 0 || size == OB_DIM_UNKNOWN) continue;
        for (int32_t q = 0; q < group->result.rank; q++)
            if (ob__group_dim(group, b, q) == 1 && ob__group_dim(group, a, q) == size) {
                *axis_a = p;
                *axis_b = q;
                return true;
            }
    }
    return false;
}

static ob_status report(ob_work *work, const ob_node *node, const ob_group *group, uint32_t a, uint32_t b, int32_t axis_a,
                        int32_t axis_b) {
    ob_findings *findings = work->findings;
    char size[64];
    ob_dim_format(work->model->dims, group->result.dims[axis_a], size, sizeof size);
    ob_finding *finding =
        ob__findings_add(findings, OB0401,
                         "operand %u is stretched along axis %d and operand %u along axis %d, both to %s: an outer product, "
                         "often a missing reshape",
                         (unsigned)group->inputs[a], (int)axis_a, (unsigned)group->inputs[b], (int)axis_b, size);
    if (!finding) return OB_OK;
    finding->node = node;
    finding->axis = axis_a;
    finding->operand = (int32_t)group->inputs[a];
    ob_shape *shapes = OB_ARENA_ARRAY(&findings->arena, ob_shape, 2);
    if (!shapes) return OB_E_MEMORY;
    shapes[0] = group->shapes[a < b ? a : b]; /* facts own the dims */
    shapes[1] = group->shapes[a < b ? b : a];
    finding->operands = shapes;
    finding->n_operands = 2;
    finding->fix =
        "when the elements were meant to pair up, give both operands one shape (Squeeze or Reshape one of them); when the "
        "outer product is meant, say so with an Unsqueeze";
    return OB_OK;
}

/* Quick: two operands whose ranks differ, neither a scalar, one of them of rank 2 or more that has a size of 1 somewhere. */
static bool may_be_accidental(const ob_facts *facts, const ob_node *node) {
    if (!node->op || node->op->broadcast != OB_BCAST_MULTI || node->n_inputs < 2) return false;
    int32_t lowest = INT32_MAX, highest = 0;
    bool has_one = false;
    for (uint32_t i = 0; i < node->n_inputs && i < MAX_OPERANDS; i++) {
        const ob_shape *shape = &ob__fact(facts, node->inputs[i])->type.shape;
        if (shape->rank < 1) continue;
        if (shape->rank < lowest) lowest = shape->rank;
        if (shape->rank > highest) highest = shape->rank;
        for (int32_t k = 0; k < shape->rank && !has_one; k++) has_one = shape->dims[k] == 1;
    }
    return has_one && lowest < highest;
}

static ob_status examine(ob_work *work, const ob_node *node, ob_arena *arena) {
    if (!may_be_accidental(work->facts, node)) return OB_OK;
    ob_group group;
    bool found;
    OB_TRY(ob__group_of(work->facts, work->model->dims, node, arena, &group, &found));
    if (!found || group.plain || group.kind != OB_BCAST_MULTI || group.n > MAX_OPERANDS || group.result.rank == OB_RANK_UNKNOWN ||
        strcmp(node->domain, "onnx_broadcast") == 0)
        return OB_OK;
    for (uint32_t a = 0; a < group.n; a++)
        for (uint32_t b = 0; b < group.n; b++) {
            int32_t axis_a, axis_b;
            if (group.shapes[a].rank < 1 || group.shapes[a].rank >= group.shapes[b].rank) continue;
            if (!meets_itself(&group, a, b, &axis_a, &axis_b)) continue;
            if (is_deliberate(work->facts, node->inputs[group.inputs[a]]) ||
                is_deliberate(work->facts, node->inputs[group.inputs[b]]))
                continue;
            return report(work, node, &group, a, b, axis_a, axis_b);
        }
    return OB_OK;
}

typedef struct examiner {
    ob_work *work;
    ob_arena arena;
} examiner;

static ob_status examine_graph(void *context, ob_graph *graph) {
    examiner *e = context;
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(examine(e->work, node, &e->arena));
    return OB_OK;
}

ob_status ob__pass_accidental(ob_work *work) {
    examiner e = {.work = work};
    ob__arena_init(&e.arena, &work->model->arena.allocator);
    ob_status status = ob__model_each_graph(work->model, examine_graph, &e);
    return ob__arena_finish(&e.arena, status);
}
