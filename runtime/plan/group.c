/* Planning of a group of elementwise nodes as one step. */
#include <string.h>

#include "core/base/error.h"
#include "ops/elementwise/program.h"
#include "runtime/plan/planned.h"

_Static_assert((int)OB_GROUP_OPERANDS <= (int)OBK_PROGRAM_OPERANDS, "a program takes all operands of a group");

typedef struct group_plan {
    const ob_group *group;
    ob_group_node *nodes;
    const ob_value *operands[OB_GROUP_OPERANDS];
    uint32_t reads[OB_GROUP_OPERANDS];
    planned p;
} group_plan;

/* The place of an input of a node: the result of an earlier node, or an operand. False: it has no static place. */
static ob_status find_input(ob_builder *b, group_plan *g, uint32_t at, uint32_t input, int32_t *from, bool *found) {
    const ob_node *node = g->group->nodes[at];
    const ob_value *value = node->inputs[input];
    ob_view *view = &g->nodes[at].in[input];
    *found = true;
    *from = OB_GROUP_OMITTED;
    if (!value) return OB_OK;
    for (uint32_t i = 0; i < at; i++)
        if (g->group->nodes[i]->outputs[0] == value) {
            *from = ~(int32_t)i;
            *view = *g->nodes[i].out;
            return OB_OK;
        }
    uint32_t k = 0;
    while (k < g->p.n_in && g->operands[k] != value) k++;
    if (k == g->p.n_in) {
        OB_TRY(ob__find_slot(b, node, value, &g->p.in[k]));
        *found = g->p.in[k] != NULL;
        if (!*found) return OB_OK;
        g->operands[k] = value;
        g->p.n_in++;
        ob__operand_view(b, value, g->p.in[k], &g->p.in_views[k]);
    }
    g->reads[k]++;
    *view = g->p.in_views[k];
    *from = (int32_t)k;
    return OB_OK;
}

/* A node whose operands are all constants is folded on its own. */
static bool reads_constants_only(const group_plan *g, uint32_t at) {
    const ob_node *node = g->group->nodes[at];
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const int32_t from = g->nodes[at].from[i];
        if (from != OB_GROUP_OMITTED && (from < 0 || g->p.in[from]->buffer->kind != OB_BUFFER_CONST)) return false;
    }
    return true;
}

/* *fits false: the node is not static, waits, is known, or has another shape than the group's result. */
static ob_status find_node(ob_builder *b, group_plan *g, uint32_t at, bool *fits) {
    const ob_node *node = g->group->nodes[at];
    ob_group_node *of = &g->nodes[at];
    int32_t *from = OB_ARENA_ARRAY(&b->scratch, int32_t, node->n_inputs);
    bool waits, is_static;
    of->node = node;
    of->from = from;
    of->in = OB_ARENA_ARRAY(&b->scratch, ob_view, node->n_inputs);
    of->out = OB_ARENA_NEW(&b->scratch, ob_view);
    if (!from || !of->in || !of->out) return OB_E_MEMORY;
    *fits = false;
    OB_TRY(ob__must_wait(b, node, &waits));
    if (waits || ob__fact(b->facts, node->outputs[0])->content.elems) return OB_OK;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        bool found;
        OB_TRY(find_input(b, g, at, i, &from[i], &found));
        if (!found) return OB_OK;
    }
    OB_TRY(ob__result_view(b, node, node->outputs[0], of->out, &is_static));
    const ob_view *first = g->nodes[0].out;
    *fits = is_static && !reads_constants_only(g, at) && of->out->rank == first->rank &&
            memcmp(of->out->dims, first->dims, (size_t)first->rank * sizeof *first->dims) == 0 && ob_view_count(first) > 0;
    return OB_OK;
}

static ob_status try_group(ob_builder *b, const ob_group *group, bool *done) {
    group_plan g = {.group = group, .p = {.node = group->nodes[group->n - 1], .kernel = &ob__kernel_program, .group = group}};
    *done = false;
    g.nodes = OB_ARENA_ARRAY(&b->scratch, ob_group_node, group->n);
    g.p.in = OB_ARENA_ARRAY(&b->scratch, ob_slot *, OB_GROUP_OPERANDS);
    g.p.in_views = OB_ARENA_ARRAY(&b->scratch, ob_view, OB_GROUP_OPERANDS);
    if (!g.nodes || !g.p.in || !g.p.in_views) return OB_E_MEMORY;
    for (uint32_t i = 0; i < group->n; i++) {
        bool fits;
        OB_TRY(find_node(b, &g, i, &fits));
        if (!fits) return OB_OK;
    }
    const ob_kernel_site site = ob__site(b->session, g.p.node, &b->plan->arena);
    OB_TRY(ob__group_program(&site, g.nodes, group->n, &b->scratch, &g.p.program, b->error));
    if (!g.p.program) return OB_OK;
    g.p.out = g.nodes[group->n - 1].out;
    g.p.reads = g.reads;
    *done = true;
    return ob__plan_step(b, &g.p);
}

ob_status ob__plan_group(ob_builder *b, const ob_group *group) {
    bool done;
    const uint32_t before = b->n_room;
    OB_TRY(try_group(b, group, &done));
    b->n_room = before;
    for (uint32_t i = 0; i < group->n && !done; i++) OB_TRY(ob__plan_node(b, group->nodes[i]));
    return OB_OK;
}
