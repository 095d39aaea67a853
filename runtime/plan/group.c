/* Planning of a group of nodes as one step: elementwise nodes as a program, or as the epilogue of the node before them; with a
 * product after them, as attention. */
#include <string.h>

#include "core/base/error.h"
#include "ops/attention/rows.h"
#include "ops/elementwise/program.h"
#include "ops/kernel/common.h"
#include "ops/kernel/epilogue.h"
#include "ops/table/op.h"
#include "runtime/plan/planned.h"

typedef struct group_plan {
    ob_arena arena; /* of all that is only for this group */
    const ob_group *group;
    ob_group_node *nodes;
    /* Values that the nodes read: */
    const ob_value *values[OB_GROUP_OPERANDS];
    ob_slot *slots[OB_GROUP_OPERANDS];
    ob_view *views; /* data: constants and known contents only */
    uint32_t reads[OB_GROUP_OPERANDS], n_values;
    ob_view domain;           /* the result of the last node, without data */
    ob_view of_head, of_tail; /* their results */
    int64_t row;              /* elements of a row; 0: no rows */
    ob_group_program *made;
    planned p;
} group_plan;

/* The place of an input of a node: the result of the head or an earlier node, or a value. False: it has no static place. */
static ob_status find_input(ob_builder *b, group_plan *g, uint32_t at, uint32_t input, int32_t *from, bool *found) {
    const ob_node *node = g->group->nodes[at];
    const ob_value *value = node->inputs[input];
    ob_view *view = &g->nodes[at].in[input];
    *found = true;
    *from = OB_GROUP_OMITTED;
    if (!value) return OB_OK;
    if (g->group->head && g->group->head->outputs[0] == value) {
        *from = OB_GROUP_HEAD;
        *view = g->of_head;
        return OB_OK;
    }
    for (uint32_t i = 0; i < at; i++)
        if (g->group->nodes[i]->outputs[0] == value) {
            *from = ~(int32_t)i;
            *view = *g->nodes[i].out;
            return OB_OK;
        }
    uint32_t k = 0;
    while (k < g->n_values && g->values[k] != value) k++;
    if (k == g->n_values) {
        OB_TRY(ob__find_slot(b, node, value, &g->slots[k]));
        *found = g->slots[k] != NULL;
        if (!*found) return OB_OK;
        g->values[k] = value;
        g->n_values++;
        ob__operand_view(b, value, g->slots[k], &g->views[k]);
    }
    g->reads[k]++;
    *view = g->views[k];
    *from = (int32_t)k;
    return OB_OK;
}

/* A node whose operands are all constants is folded on its own. */
static bool reads_constants_only(const group_plan *g, uint32_t at) {
    const ob_node *node = g->group->nodes[at];
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const int32_t from = g->nodes[at].from[i];
        if (from == OB_GROUP_OMITTED) continue;
        if (from < 0 || from == OB_GROUP_HEAD || g->slots[from]->buffer->kind != OB_BUFFER_CONST) return false;
    }
    return true;
}

static ob_status is_known(const ob_builder *b, const ob_node *node, bool *known) {
    OB_TRY(ob__must_wait(b, node, known));
    *known |= ob__fact(b->facts, node->outputs[0])->content.elems != NULL;
    return OB_OK;
}

static bool same_shape(const ob_view *a, const ob_view *b) {
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* True if the result has one element for each row of the domain. */
static bool is_per_row(const group_plan *g, const ob_view *out) {
    const int32_t first = g->domain.rank - g->group->row_axes;
    if (g->row == 0 || out->rank != g->domain.rank) return false;
    for (int32_t a = 0; a < out->rank; a++)
        if (out->dims[a] != (a < first ? g->domain.dims[a] : 1)) return false;
    return true;
}

/* *fits false: the domain is not static, has no elements, or its rows are too long. */
static ob_status find_domain(ob_builder *b, group_plan *g, bool *fits) {
    const ob_node *last = g->group->nodes[g->group->n - 1];
    OB_TRY(ob__result_view(b, last, last->outputs[0], &g->domain, fits));
    *fits = *fits && ob_view_count(&g->domain) > 0 && g->group->row_axes <= g->domain.rank;
    if (!*fits || g->group->row_axes == 0) return OB_OK;
    g->row = ob__product(g->domain.dims, g->domain.rank - g->group->row_axes, g->domain.rank);
    *fits = g->row > 1 && g->row <= OB_GROUP_ROW;
    return OB_OK;
}

/* A fold has one element for each row, and its operand the domain's shape; a function of rows is one of all elements. */
static bool fits_rows(const group_plan *g, uint32_t at) {
    const ob_group_node *of = &g->nodes[at];
    const ob_kernel *kernel = of->node->op->kernel;
    if (!kernel->row_axes) return true;
    const int32_t axes = kernel->row_axes(of->node, of->node->op, g->domain.rank);
    return same_shape(&of->in[0], &g->domain) && (axes == OB_ROW_FOLDED ? of->per_row : axes == g->group->row_axes);
}

/* *fits false: the node is not static, waits, is known, or has another shape than those of the group. */
static ob_status find_node(ob_builder *b, group_plan *g, uint32_t at, bool *fits) {
    const ob_node *node = g->group->nodes[at];
    ob_group_node *of = &g->nodes[at];
    int32_t *from = OB_ARENA_ARRAY(&g->arena, int32_t, node->n_inputs);
    bool known, is_static;
    of->node = node;
    of->from = from;
    of->in = ob__some_views(b, node->n_inputs);
    of->out = ob__some_views(b, 1);
    if (!from || !of->in || !of->out) return OB_E_MEMORY;
    *fits = false;
    OB_TRY(is_known(b, node, &known));
    if (known) return OB_OK;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        bool found;
        OB_TRY(find_input(b, g, at, i, &from[i], &found));
        if (!found) return OB_OK;
    }
    OB_TRY(ob__result_view(b, node, node->outputs[0], of->out, &is_static));
    of->per_row = is_static && is_per_row(g, of->out);
    *fits = is_static && !reads_constants_only(g, at) && (of->per_row || same_shape(of->out, &g->domain)) && fits_rows(g, at);
    return OB_OK;
}

/* Operand i of the step. *found false: it has no static place. */
static ob_status find_operand(ob_builder *b, group_plan *g, const ob_node *node, const ob_value *value, uint32_t i, bool *found) {
    OB_TRY(ob__find_slot(b, node, value, &g->p.in[i]));
    *found = g->p.in[i] != NULL;
    if (*found) ob__operand_view(b, value, g->p.in[i], &g->p.in_views[i]);
    return OB_OK;
}

/* *fits false: the head is not static, waits, or is known. */
static ob_status find_head(ob_builder *b, group_plan *g, bool *fits) {
    const ob_node *head = g->group->head;
    bool known, any = false, is_static;
    *fits = false;
    OB_TRY(is_known(b, head, &known));
    if (known) return OB_OK;
    for (uint32_t i = 0; i < head->n_inputs; i++) {
        bool found;
        if (!head->inputs[i]) continue;
        OB_TRY(find_operand(b, g, head, head->inputs[i], i, &found));
        if (!found) return OB_OK;
        any |= g->p.in[i]->buffer->kind != OB_BUFFER_CONST;
    }
    OB_TRY(ob__result_view(b, head, head->outputs[0], &g->of_head, &is_static));
    *fits = any && is_static;
    return OB_OK;
}

/* *fits false: the tail is not static, waits, or is known. Its right operand comes after those of the head. */
static ob_status find_tail(ob_builder *b, group_plan *g, bool *fits) {
    const ob_node *tail = g->group->tail;
    bool known;
    *fits = false;
    OB_TRY(is_known(b, tail, &known));
    if (known) return OB_OK;
    OB_TRY(find_operand(b, g, tail, tail->inputs[1], g->group->head->n_inputs, fits));
    return *fits ? ob__result_view(b, tail, tail->outputs[0], &g->of_tail, fits) : OB_OK;
}

/* Operands of the program become operands of the step, from index `at` on. */
static ob_status place_operands(ob_builder *b, group_plan *g, uint32_t at, uint32_t *reads) {
    ob_view *views = ob__some_views(b, at + g->made->n_operands);
    if (!views) return OB_E_MEMORY;
    if (at) memcpy(views, g->p.in_views, at * sizeof *views);
    g->p.in_views = views;
    for (uint32_t k = g->group->head != NULL; k < g->made->n_operands; k++, at++) {
        const ob_program_operand *operand = &g->made->operands[k];
        if (operand->from == OB_GROUP_MADE) {
            ob_buffer *buffer;
            OB_TRY(ob__new_buffer(b, OB_BUFFER_CONST, 0, 0, &buffer));
            buffer->constant = operand->made->data;
            OB_TRY(ob__make_slot(b, buffer, 0, operand->made, &g->p.in[at]));
            g->p.in_views[at] = *operand->made;
        } else {
            g->p.in[at] = g->slots[operand->from];
            g->p.in_views[at] = g->views[operand->from];
            reads[at] = g->reads[operand->from];
            g->reads[operand->from] = 0;
        }
    }
    g->p.n_in = at;
    for (uint32_t k = 0; k < g->n_values; k++) g->slots[k]->buffer->uses_left -= g->reads[k]; /* those that no step reads */
    return OB_OK;
}

/* *fits false: the program is not for an epilogue of the head. */
static ob_status fit_epilogue(ob_builder *b, group_plan *g, const ob_kernel_site *site, bool *fits) {
    const ob_kernel *kernel = g->group->tail ? &ob__kernel_attention_rows : g->group->head->op->kernel;
    const int32_t n_columns = g->group->tail ? 1 : kernel->epilogue_columns(g->p.in_views, &g->of_head);
    ob_view *others = ob__some_views(b, g->made->n_operands);
    if (!others) return OB_E_MEMORY;
    for (uint32_t k = 1; k < g->made->n_operands; k++) {
        const ob_program_operand *operand = &g->made->operands[k];
        others[k - 1] = operand->from == OB_GROUP_MADE ? *operand->made : g->views[operand->from];
    }
    OB_TRY(ob__make_epilogue(site, g->made->program, others, g->made->n_operands - 1, &g->of_head, n_columns, &g->p.epilogue,
                             b->error));
    g->p.head = g->group->tail ? NULL : g->group->head;
    g->p.kernel = kernel;
    g->p.n_others = g->made->n_operands - 1;
    *fits = g->p.epilogue != NULL;
    if (!*fits || !g->group->tail) return OB_OK;
    return ob__fit_attention_rows(site, g->p.in_views, &g->of_head, &g->of_tail, fits, b->error);
}

/* True if the kernel with an epilogue can turn its results into the type. */
static bool gives_type(const ob_kernel *kernel, ob_dtype own, ob_dtype out) {
    if (kernel->epilogue_converts) return own == OB_INT32 && out == OB_FLOAT;
    return own == out && own != OB_INT32;
}

static ob_status try_group(ob_builder *b, group_plan *g, bool *done) {
    const ob_group *group = g->group;
    const uint32_t n_own = (group->head ? group->head->n_inputs : 0) + (group->tail != NULL); /* operands of the products */
    uint32_t n_read = 0;
    for (uint32_t i = 0; i < group->n; i++) n_read += group->nodes[i]->n_inputs;
    g->p.group = group;
    g->p.node = ob__group_last(group);
    g->p.kernel = &ob__kernel_program;
    g->nodes = OB_ARENA_ARRAY(&g->arena, ob_group_node, group->n);
    g->p.in = OB_ARENA_ARRAY(&g->arena, ob_slot *, n_own + OBK_PROGRAM_OPERANDS);
    g->p.in_views = ob__some_views(b, n_own);
    g->views = ob__some_views(b, n_read < OB_GROUP_OPERANDS ? n_read : OB_GROUP_OPERANDS);
    g->made = ob__arena_alloc(&g->arena, sizeof *g->made);
    uint32_t *reads = OB_ARENA_ARRAY(&g->arena, uint32_t, n_own + OBK_PROGRAM_OPERANDS);
    if (!g->nodes || !g->p.in || !g->p.in_views || !g->views || !g->made || !reads) return OB_E_MEMORY;
    g->made->program = NULL;
    g->made->n_operands = 0;
    bool fits = true;
    OB_TRY(find_domain(b, g, &fits));
    if (group->head && fits) OB_TRY(find_head(b, g, &fits));
    if (group->tail && fits) OB_TRY(find_tail(b, g, &fits));
    for (uint32_t i = 0; i < group->n && fits; i++) OB_TRY(find_node(b, g, i, &fits));
    if (!fits) return OB_OK;
    ob_view *out = g->nodes[group->n - 1].out;
    if (group->head && (!gives_type(group->head->op->kernel, g->of_head.dtype, out->dtype) || !same_shape(out, &g->of_head)))
        return OB_OK;
    const ob_kernel_site site = ob__site(b->session, g->p.node, &b->plan->arena);
    OB_TRY(ob__group_program(&site, g->nodes, group->n, group->head != NULL, g->row, &g->arena, g->made, b->error));
    if (!g->made->program) return OB_OK;
    if (group->head)
        OB_TRY(fit_epilogue(b, g, &site, &fits));
    else
        g->p.program = g->made->program;
    if (!fits) return OB_OK;
    for (uint32_t i = 0; i < n_own; i++) reads[i] = 1;
    OB_TRY(place_operands(b, g, n_own, reads));
    g->p.out = group->tail ? &g->of_tail : out;
    g->p.reads = reads;
    *done = true;
    return ob__plan_step(b, &g->p);
}

/* A group takes more memory than what is left of it, so it has an arena of its own while it is planned. */
static ob_status try_apart(ob_builder *b, const ob_group *group, bool *done) {
    ob_arena arena;
    const uint32_t before = b->n_room;
    ob__arena_init(&arena, &b->session->allocator);
    group_plan *g = OB_ARENA_NEW(&arena, group_plan);
    ob_status status = OB_E_MEMORY;
    *done = false;
    if (g) {
        g->arena = arena;
        g->group = group;
        status = try_group(b, g, done);
        arena = g->arena; /* in which it is */
    }
    ob__arena_release(&arena);
    b->n_room = before;
    return status;
}

ob_status ob__plan_group(ob_builder *b, const ob_group *group) {
    bool done;
    OB_TRY(try_apart(b, group, &done));
    if (done) return OB_OK;
    if (group->head) OB_TRY(ob__plan_node(b, group->head));
    if (group->rest) OB_TRY(ob__plan_group(b, group->rest));
    for (uint32_t i = 0; i < group->n && !group->rest; i++) OB_TRY(ob__plan_node(b, group->nodes[i]));
    return group->tail ? ob__plan_node(b, group->tail) : OB_OK;
}
