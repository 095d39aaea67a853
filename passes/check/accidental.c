/* Finds broadcasts that are legal but probably accidental:
 * - a size meets itself on another axis because ranks differ, as in (N) + (N,1) -> (N,N);
 * - a column meets a matrix where elements are compared, as in (N,1) - (N,7): a prediction against the wrong target;
 * - a vector meets a matrix along one of two axes of the same size, as in (8,8) with (8);
 * - a size of an input meets another input size that may differ, and is also on another axis of the other operand.
 * Operands that are constant or that the exporter shaped on purpose are ignored: outer products are written that way. Reads
 * facts, adds findings; linear in nodes (operators with many operands are not examined). */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "ops/elementwise/params.h"
#include "ops/table/op.h"
#include "passes/check/called.h"
#include "passes/check/groups.h"
#include "passes/check/work.h"

enum { MAX_OPERANDS = 8, MAX_STEPS = 64, MAX_SITES = 64 /* of calls, whose operands are looked at */ };

/* Where the value that the node got its shape from is, or NULL. */
static const ob_value *like_operand(const ob_facts *facts, const ob_node *node, const ob_value *value) {
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] && ob__same_shape(&ob__fact(facts, node->inputs[i])->type.shape, &ob__fact(facts, value)->type.shape))
            return node->inputs[i];
    return NULL;
}

/* True when somebody gave the value its shape on purpose, or it is constant. Looks back through operators that keep the shape.
 * *origin: where the search ended otherwise. */
static bool is_shaped(const ob_facts *facts, const ob_value *value, const ob_value **origin) {
    for (int step = 0; step < MAX_STEPS; step++) {
        *origin = value;
        if (value->is_initializer) return true;
        const ob_node *node = value->producer;
        if (!node) return false;
        if (node->op && node->op->shapes) return true;
        value = like_operand(facts, node, value);
        if (!value) return false;
    }
    return false;
}

/* An operand, followed out of the body that it is a parameter of. */
typedef struct parameter {
    const ob_facts *facts; /* in every call */
    const ob_value *value;
    const ob_called *called;
} parameter;

static const ob_value *argument(const parameter *of, const ob_call_site *site) {
    const ob_graph *body = of->called->function->body;
    for (uint32_t i = 0; i < body->n_inputs; i++)
        if (body->inputs[i] == of->value) return i < site->node->n_inputs ? site->node->inputs[i] : NULL;
    return NULL;
}

/* Does every one of the calls give it a shape on purpose? */
static bool is_shaped_outside(parameter at, int depth) {
    int n = 0;
    const ob_value *origin;
    for (const ob_call_site *site = at.called->sites; site; site = site->next) {
        parameter outer = {at.facts, argument(&at, site), site->outer};
        if (++n > MAX_SITES || !outer.value) return false;
        if (is_shaped(at.facts, outer.value, &origin)) continue;
        outer.value = origin;
        if (!outer.called || depth == 0 || !is_shaped_outside(outer, depth - 1)) return false;
    }
    return n > 0;
}

static bool is_deliberate(const ob_work *work, const ob_facts *facts, const ob_called *called, const ob_value *value) {
    enum { DEPTH = 3 }; /* calls within calls */
    const ob_value *origin;
    if (is_shaped(facts, value, &origin)) return true;
    return called && is_shaped_outside((parameter){work->facts, origin, called}, DEPTH);
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

/* x (N,1,D) against y (M,D): the axes after the 1 match: the usual way to write all pairs. */
static bool pairs_up(const ob_group *group, uint32_t a, uint32_t b, int32_t axis_a, int32_t axis_b) {
    for (int32_t p = (axis_a > axis_b ? axis_a : axis_b) + 1; p < group->result.rank; p++) {
        ob_dim size = ob__group_dim(group, a, p);
        if (size != 1 && size != OB_DIM_UNKNOWN && size == ob__group_dim(group, b, p)) return true;
    }
    return false;
}

/* A suspicion about operands a and b of a node. */
typedef struct suspicion {
    ob_finding_id id;
    int32_t axis_a, axis_b;
    const char *fix;
} suspicion;

static bool is_size(ob_dim d) {
    return d != OB_DIM_UNKNOWN && d != 0 && d != 1;
}

/* (N,1) against (N,7), where elements are compared. */
static bool is_column(const ob_node *node, const ob_group *group, uint32_t a, uint32_t b, suspicion *out) {
    const ob_shape *x = &group->shapes[a], *y = &group->shapes[b];
    if (x->rank != 2 || y->rank != 2 || !node->op || !ob__sets_against(node->op)) return false;
    if (x->dims[0] != y->dims[0] || !is_size(x->dims[0]) || x->dims[1] != 1 || !is_size(y->dims[1])) return false;
    *out = (suspicion){OB0401, 1, -1,
                       "if each row is to be compared with one number, give both operands the same shape; if with the whole row, "
                       "make that explicit with Expand or Unsqueeze"};
    return true;
}

/* (8) with (8,8): along either axis it would fit. */
static bool is_ambiguous(const ob_group *group, uint32_t a, uint32_t b, suspicion *out) {
    const ob_shape *x = &group->shapes[a], *y = &group->shapes[b];
    if (x->rank != 1 || y->rank != 2 || !is_size(x->dims[0]) || y->dims[0] != x->dims[0] || y->dims[1] != x->dims[0])
        return false;
    *out =
        (suspicion){OB0401, 0, 1,
                    "if its elements belong to the rows, reshape it from (n) to (n,1); if they belong to the columns, make that "
                    "explicit with Unsqueeze"};
    return true;
}

/* A named size of a meets another of b, and b has it, or a has b's, on another axis. */
static bool crosses(const ob_dims *dims, const ob_group *group, uint32_t a, uint32_t b, suspicion *out) {
    for (int32_t p = 0; p < group->result.rank; p++) {
        ob_dim here = ob__group_dim(group, a, p), there = ob__group_dim(group, b, p);
        if (here == there || !ob_dim_is_named(dims, here) || !ob_dim_is_named(dims, there)) continue;
        for (int32_t q = 0; q < group->result.rank; q++) {
            if (q == p || ob__group_dim(group, b, q) != here) continue;
            *out = (suspicion){OB0403, p, q, "transpose or unsqueeze one operand, so that equal sizes are on the same axis"};
            return true;
        }
    }
    return false;
}

static bool suspect(ob_work *work, const ob_node *node, const ob_group *group, uint32_t a, uint32_t b, suspicion *out) {
    int32_t p, q;
    if (group->shapes[a].rank < 1 || group->shapes[b].rank < 1) return false;
    if (group->shapes[a].rank < group->shapes[b].rank && meets_itself(group, a, b, &p, &q) && !pairs_up(group, a, b, p, q)) {
        *out = (suspicion){OB0401, p, q,
                           "if the elements should pair up, give both operands the same shape (Squeeze or Reshape one of them); "
                           "if an outer product is intended, make that explicit with Unsqueeze"};
        return true;
    }
    return is_column(node, group, a, b, out) || is_ambiguous(group, a, b, out) || crosses(work->model->dims, group, a, b, out);
}

static ob_finding *describe(ob_work *work, const ob_group *group, uint32_t a, uint32_t b, const suspicion *s) {
    ob_findings *findings = work->findings;
    unsigned left = (unsigned)group->inputs[a], right = (unsigned)group->inputs[b];
    char size[64], other[64];
    ob__dim_shown(work->model->dims, ob__group_dim(group, s->id == OB0403 ? a : b, s->axis_a), size, sizeof size);
    ob__dim_shown(work->model->dims, ob__group_dim(group, b, s->axis_a), other, sizeof other);
    if (s->id == OB0403)
        return ob__findings_add(
            findings, OB0403,
            "axis %d: %s of operand %u meets %s of operand %u, which has %s along axis %d: if both are equal, "
            "it runs and is probably wrong",
            (int)s->axis_a, size, left, other, right, size, (int)s->axis_b);
    if (s->axis_b < 0)
        return ob__findings_add(findings, OB0401,
                                "operand %u has one column and is compared with each of the %s columns of operand %u: often a "
                                "missing reshape",
                                left, size, right);
    if (group->shapes[a].rank == 1 && ob__group_dim(group, b, s->axis_b) != 1)
        return ob__findings_add(
            findings, OB0401,
            "operand %u of size %s fits both axes of operand %u and is aligned with the last: often a missing "
            "reshape",
            left, size, right);
    return ob__findings_add(findings, OB0401,
                            "operand %u is stretched along axis %d and operand %u along axis %d, both to %s: an outer product, "
                            "often a missing reshape",
                            left, (int)s->axis_a, right, (int)s->axis_b, size);
}

typedef struct examiner {
    ob_work *work;
    const ob_facts *facts;   /* in these calls */
    const ob_called *called; /* NULL: none */
    ob_arena arena;
} examiner;

static ob_status report(const examiner *e, const ob_node *node, const ob_group *group, uint32_t a, uint32_t b,
                        const suspicion *s) {
    ob_findings *findings = e->work->findings;
    ob_finding *finding = describe(e->work, group, a, b, s);
    if (!finding) return OB_OK;
    finding->node = node;
    finding->call_path = ob__called_path(node->graph, e->called, &findings->arena);
    finding->called = e->called;
    finding->axis = s->axis_a;
    finding->operand = (int32_t)group->inputs[a];
    ob_shape *shapes = OB_ARENA_ARRAY(&findings->arena, ob_shape, 2);
    if (!shapes || !finding->call_path) return OB_E_MEMORY;
    shapes[0] = group->shapes[a < b ? a : b]; /* facts own the dims */
    shapes[1] = group->shapes[a < b ? b : a];
    finding->operands = shapes;
    finding->n_operands = 2;
    finding->fix = s->fix;
    return OB_OK;
}

/* A quick test: two operands that are not scalars, one of them of rank 2 or more. */
static bool may_be_accidental(const ob_facts *facts, const ob_node *node) {
    if (!node->op || node->op->broadcast != OB_BCAST_MULTI || node->n_inputs < 2) return false;
    int32_t highest = 0, n = 0;
    for (uint32_t i = 0; i < node->n_inputs && i < MAX_OPERANDS; i++) {
        const ob_shape *shape = &ob__fact(facts, node->inputs[i])->type.shape;
        n += shape->rank >= 1;
        if (shape->rank > highest) highest = shape->rank;
    }
    return n >= 2 && highest >= 2;
}

static ob_status examine(examiner *e, const ob_node *node) {
    if (!may_be_accidental(e->facts, node)) return OB_OK;
    ob_group group;
    bool found;
    OB_TRY(ob__group_of(e->facts, e->work->model->dims, node, &e->arena, &group, &found));
    if (!found || group.plain || group.kind != OB_BCAST_MULTI || group.n > MAX_OPERANDS || group.result.rank == OB_RANK_UNKNOWN ||
        strcmp(node->domain, "onnx_broadcast") == 0)
        return OB_OK;
    for (uint32_t a = 0; a < group.n; a++)
        for (uint32_t b = 0; b < group.n; b++) {
            suspicion found_here;
            if (a == b || !suspect(e->work, node, &group, a, b, &found_here)) continue;
            if (is_deliberate(e->work, e->facts, e->called, node->inputs[group.inputs[a]]) ||
                is_deliberate(e->work, e->facts, e->called, node->inputs[group.inputs[b]]))
                continue;
            return report(e, node, &group, a, b, &found_here);
        }
    return OB_OK;
}

static ob_status examine_graph(void *context, ob_graph *graph, const ob_facts *facts, const ob_called *called) {
    examiner *e = context;
    e->facts = facts;
    e->called = called;
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(examine(e, node));
    return OB_OK;
}

ob_status ob__pass_accidental(ob_work *work) {
    examiner e = {.work = work};
    ob_call_view view;
    ob__arena_init(&e.arena, &work->model->arena.allocator);
    ob_status status = ob__call_view_init(&view, work->facts, &e.arena);
    if (status == OB_OK) status = ob__each_called(work->model, &view, examine_graph, &e);
    return ob__arena_finish(&e.arena, status);
}
