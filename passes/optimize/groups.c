#include "passes/optimize/groups.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"
#include "passes/check/names.h"

/* A group that grows from its last node towards its operands. */
typedef struct growing {
    ob_node *nodes[OB_GROUP_NODES];              /* the last one first */
    const ob_value *operands[OB_GROUP_OPERANDS]; /* from outside */
    uint32_t n, n_operands;
    int32_t row_axes; /* 0: no node needs rows */
    ob_node *head;
} growing;

typedef struct search {
    const ob_facts *facts;
    const uint32_t *uses;
    const bool *live;
    ob_arena *arena, *scratch; /* of the groups; of the search */
    ob_group **groups;
    growing **of;      /* by node id */
    growing **readers; /* by value id: the group of all readers so far */
    uint32_t *reads;   /* by value id: reads by nodes that were visited */
} search;

static bool has_type(const ob_facts *facts, const ob_value *value, ob_dtype dtype) {
    return value && ob__fact(facts, value)->type.kind == OB_TYPE_TENSOR && ob__fact(facts, value)->type.dtype == dtype;
}

static bool is_constant(const ob_value *value) {
    return value->is_initializer || (value->producer && value->producer->n_inputs == 0);
}

/* True if the operands are such as a program takes. A node whose operands are constant is folded on its own. */
static bool has_operands(const ob_facts *facts, const ob_node *node) {
    const bool fixed = node->op->kernel->flags & OB_KERNEL_FIXED_OPERANDS;
    bool any = false;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_value *x = node->inputs[i];
        if (!x) continue;
        any |= !is_constant(x);
        if (fixed && i > 0 && !(is_constant(x) && ob__is_one_element(facts, x))) return false;
    }
    return any;
}

/* A Cast to the same type is a view, so it is in no group. */
static bool is_elementwise(const ob_facts *facts, const ob_node *node) {
    if (!node->op || !node->op->kernel || !node->op->kernel->element || node->n_outputs != 1 || !node->outputs[0] ||
        !has_operands(facts, node))
        return false;
    const ob_value *x = node->inputs[0];
    if (node->op->kernel->flags & OB_KERNEL_VIEW && has_type(facts, x, ob__fact(facts, node->outputs[0])->type.dtype))
        return false;
    return !has_type(facts, x, OB_STRING) && !has_type(facts, node->outputs[0], OB_STRING);
}

static bool takes_epilogue(const ob_node *node) {
    return node->op && node->op->kernel && node->op->kernel->epilogue_columns && node->n_outputs == 1 && node->outputs[0];
}

bool ob__same_dims(const ob_facts *facts, const ob_value *a, const ob_value *b) {
    const ob_type *x = &ob__fact(facts, a)->type, *y = &ob__fact(facts, b)->type;
    if (x->kind != OB_TYPE_TENSOR || y->kind != OB_TYPE_TENSOR || x->shape.rank < 0 || x->shape.rank != y->shape.rank)
        return false;
    for (int32_t i = 0; i < x->shape.rank; i++)
        if (x->shape.dims[i] != y->shape.dims[i]) return false;
    return true;
}

/* The number of axes, the last ones, along which the result has one element and the domain may have others; along all other axes
 * they are the same. 0: there is none, or the shapes differ in other ways. */
static int32_t folded_axes(const ob_facts *facts, const ob_value *domain, const ob_value *result) {
    const ob_type *x = &ob__fact(facts, domain)->type, *y = &ob__fact(facts, result)->type;
    if (x->kind != OB_TYPE_TENSOR || y->kind != OB_TYPE_TENSOR || x->shape.rank < 0 || x->shape.rank != y->shape.rank) return 0;
    int32_t a = 0;
    while (a < x->shape.rank && x->shape.dims[a] == y->shape.dims[a]) a++;
    for (int32_t i = a; i < x->shape.rank; i++)
        if (y->shape.dims[i] != 1) return 0;
    return x->shape.rank - a;
}

int32_t ob__node_row_axes(const ob_facts *facts, const ob_node *node) {
    if (!node->op || !node->op->kernel || !node->op->kernel->row_axes || node->n_outputs != 1 || !node->outputs[0] ||
        node->n_inputs < 1 || !node->inputs[0])
        return 0;
    const ob_type *type = &ob__fact(facts, node->outputs[0])->type;
    if (type->kind != OB_TYPE_TENSOR || type->shape.rank < 1) return 0;
    return node->op->kernel->row_axes(node, node->op, type->shape.rank);
}

/* True if one element for each row is computed from a fold of the domain's rows. budget: the nodes that may be looked at. */
static bool comes_from_fold(const ob_facts *facts, const ob_value *domain, const ob_node *node, int *budget) {
    if (--*budget < 0 || folded_axes(facts, domain, node->outputs[0]) == 0) return false;
    if (ob__node_row_axes(facts, node) == OB_ROW_FOLDED) return ob__same_dims(facts, node->inputs[0], domain);
    if (!is_elementwise(facts, node)) return false;
    for (uint32_t i = 0; i<node->n_inputs && * budget> 0; i++) {
        const ob_value *value = node->inputs[i];
        if (value && value->producer && value->graph == node->graph && value->producer->n_outputs == 1 &&
            comes_from_fold(facts, domain, value->producer, budget))
            return true;
    }
    return false;
}

/* True unless the operand is surely smaller than the result, or not computed. */
static bool is_large(const ob_facts *facts, const ob_value *operand, const ob_value *result) {
    const ob_shape *x = &ob__fact(facts, operand)->type.shape, *y = &ob__fact(facts, result)->type.shape;
    if (!operand->producer) return false;
    if (x->rank < 0 || y->rank < 0) return true;
    bool stretched = x->rank < y->rank;
    for (int32_t i = 1; i <= x->rank && i <= y->rank; i++) stretched |= x->dims[x->rank - i] == 1 && y->dims[y->rank - i] != 1;
    return !stretched;
}

/* Adds the node, whose inputs become operands of the group in place of its result. False: too many. Operands stay alive until the
 * last node, so more than two large ones could need more memory than the nodes one by one. */
static bool take(const ob_facts *facts, growing *g, ob_node *node) {
    enum { MOST_LARGE = 2 };
    growing with = *g;
    if (with.n == OB_GROUP_NODES) return false;
    with.nodes[with.n++] = node;
    uint32_t n = 0;
    for (uint32_t i = 0; i < with.n_operands; i++)
        if (with.operands[i] != node->outputs[0]) with.operands[n++] = with.operands[i];
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_value *value = node->inputs[i];
        uint32_t k = 0;
        while (k < n && with.operands[k] != value) k++;
        if (!value || k < n) continue;
        if (n == OB_GROUP_OPERANDS) return false;
        with.operands[n++] = value;
    }
    with.n_operands = n;
    int n_large = 0;
    for (uint32_t i = 0; i < n; i++) n_large += is_large(facts, with.operands[i], with.nodes[0]->outputs[0]);
    if (with.n > 1 && n_large > MOST_LARGE) return false;
    *g = with;
    return true;
}

/* The group of all readers of the value, if there is one. */
static growing *only_reader(const search *s, const ob_value *value) {
    return s->reads[value->id] == s->uses[value->id] ? s->readers[value->id] : NULL;
}

static void note_reads(search *s, const ob_node *node, growing *g) {
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ob_value *value = node->inputs[i];
        if (!value || value->graph != node->graph) continue;
        if (s->reads[value->id]++ == 0)
            s->readers[value->id] = g;
        else if (s->readers[value->id] != g)
            s->readers[value->id] = NULL;
    }
}

/* The group that reads the node's result, and nobody else does; its results have the same shape. */
static growing *group_after(const search *s, const ob_node *node) {
    growing *g = only_reader(s, node->outputs[0]);
    return g && ob__same_dims(s->facts, node->outputs[0], g->nodes[0]->outputs[0]) ? g : NULL;
}

/* The result of the head is an operand of the group, but not of a step: it is there already. */
static void visit_head(search *s, ob_node *node) {
    growing *g = group_after(s, node);
    if (g && !g->head && g->row_axes == 0) {
        g->head = node;
        s->of[node->id] = g;
    }
    note_reads(s, node, NULL);
}

/* The group that takes the node and reads its result, and the axes of its rows; NULL: none. */
static growing *group_for(const search *s, const ob_node *node, int32_t *axes) {
    int budget = 32;
    growing *g = only_reader(s, node->outputs[0]);
    *axes = ob__node_row_axes(s->facts, node);
    if (!g) return NULL;
    const ob_value *domain = g->nodes[0]->outputs[0];
    const bool is_full = ob__same_dims(s->facts, node->outputs[0], domain);
    if (is_full && *axes == 0) return g;
    if (!is_full) {
        if (!comes_from_fold(s->facts, domain, node, &budget)) return NULL;
        *axes = folded_axes(s->facts, domain, node->outputs[0]);
    }
    return *axes > 0 && (g->row_axes == 0 || g->row_axes == *axes) && !g->head ? g : NULL;
}

static ob_status visit(search *s, ob_node *node) {
    if (takes_epilogue(node)) {
        visit_head(s, node);
        return OB_OK;
    }
    int32_t axes;
    growing *g = is_elementwise(s->facts, node) || ob__node_row_axes(s->facts, node) != 0 ? group_for(s, node, &axes) : NULL;
    if (g && !take(s->facts, g, node)) g = NULL;
    if (!g && (is_elementwise(s->facts, node) || ob__node_row_axes(s->facts, node) > 0)) {
        axes = ob__node_row_axes(s->facts, node);
        g = OB_ARENA_NEW(s->scratch, growing);
        if (!g) return OB_E_MEMORY;
        if (!take(s->facts, g, node)) g = NULL;
    }
    if (!g) {
        note_reads(s, node, NULL);
        return OB_OK;
    }
    if (axes > 0) g->row_axes = axes;
    s->of[node->id] = g;
    note_reads(s, node, g);
    return OB_OK;
}

static const char *join(ob_arena *arena, const ob_group *group, bool names) {
    size_t n_bytes = 1;
    const uint32_t n_heads = group->head != NULL, n = group->n + n_heads + (group->tail != NULL);
    const char *parts[OB_GROUP_NODES + 2];
    for (uint32_t i = 0; i < n; i++) {
        const ob_node *node = i < n_heads ? group->head : i - n_heads == group->n ? group->tail : group->nodes[i - n_heads];
        parts[i] = names ? ob__node_label(node) : node->op_type;
        n_bytes += strlen(parts[i]) + 1;
    }
    char *text = ob__arena_alloc(arena, n_bytes), *end = text;
    for (uint32_t i = 0; i < n && text; i++) {
        if (i > 0) *end++ = '+';
        memcpy(end, parts[i], strlen(parts[i]) + 1);
        end += strlen(parts[i]);
    }
    return text;
}

ob_status ob__name_group(ob_arena *arena, ob_group *group) {
    group->ops = join(arena, group, false);
    group->names = join(arena, group, true);
    return group->ops && group->names ? OB_OK : OB_E_MEMORY;
}

static ob_status finish_group(search *s, const growing *g, ob_node *head, ob_group **made) {
    ob_group *group = *made = OB_ARENA_NEW(s->arena, ob_group);
    if (!group) return OB_E_MEMORY;
    group->nodes = OB_ARENA_ARRAY(s->arena, ob_node *, g->n);
    if (!group->nodes) return OB_E_MEMORY;
    group->n = g->n;
    group->row_axes = g->row_axes;
    group->head = head;
    for (uint32_t i = 0; i < g->n; i++) group->nodes[g->n - 1 - i] = g->nodes[i];
    return ob__name_group(s->arena, group);
}

/* From the end, so that readers come before the node whose result they read. */
static ob_status search_graph(void *context, ob_graph *graph) {
    search *s = context;
    for (ob_node *node = graph->last; node; node = node->prev)
        if (s->live[node->id]) OB_TRY(visit(s, node));
    for (ob_node *node = graph->first; node; node = node->next) {
        const growing *g = s->of[node->id];
        ob_group *group, *rest;
        if (!g || g->n + (g->head != NULL) < 2 || g->nodes[0] != node) continue;
        OB_TRY(finish_group(s, g, g->head, &group));
        for (uint32_t i = 0; i < g->n; i++) s->groups[g->nodes[i]->id] = group;
        if (!g->head) continue;
        s->groups[g->head->id] = group;
        if (g->n < 2) continue;
        OB_TRY(finish_group(s, g, NULL, &rest));
        group->rest = rest;
    }
    return ob__find_attention(graph, s->facts, s->uses, s->live, s->arena, s->groups);
}

ob_status ob__find_groups(ob_model *model, const ob_facts *facts, const uint32_t *uses, const bool *live, ob_arena *arena,
                          ob_group ***groups) {
    ob_arena scratch;
    ob__arena_init(&scratch, &arena->allocator);
    search s = {.facts = facts, .uses = uses, .live = live, .arena = arena, .scratch = &scratch};
    s.groups = OB_ARENA_ARRAY(arena, ob_group *, model->n_nodes);
    s.of = OB_ARENA_ARRAY(&scratch, growing *, model->n_nodes);
    s.readers = OB_ARENA_ARRAY(&scratch, growing *, model->n_values);
    s.reads = OB_ARENA_ARRAY(&scratch, uint32_t, model->n_values);
    ob_status status = s.groups && s.of && s.readers && s.reads ? OB_OK : OB_E_MEMORY;
    if (status == OB_OK) status = ob__model_each_graph(model, search_graph, &s);
    ob__arena_release(&scratch);
    *groups = s.groups;
    return status;
}
