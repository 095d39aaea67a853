/* Replaces operators without a kernel for their operand types by the nodes of their bodies. */
#include "core/base/error.h"
#include "ops/body/body.h"
#include "ops/kernel/kernel.h"
#include "passes/check/names.h"
#include "passes/expand/expand.h"

enum { FEW = 16 }; /* operands without an allocation */

typedef struct expansion {
    const ob_facts *facts;
    const ob_expand_options *how;
    bool any;
    uint64_t n_nodes;
    ob_arena scratch;
    ob_error *error;
} expansion;

/* An error is one in a body, too, where it is a warning until the body runs: the nodes that would find it there are not this
 * one. */
static ob_status refuse_broken(const expansion *e, const ob_node *node) {
    for (uint32_t i = 0; i < e->how->findings->n; i++) {
        const ob_finding *f = &e->how->findings->items[i];
        if (f->node != node || ob__finding_row(f->id)->severity != OB_SEVERITY_ERROR) continue;
        e->error->axis = f->axis;
        ob__at_node(e->error, node, OB_E_MODEL);
        return ob__fail(e->error, ob__finding_row(f->id)->status, "%s", f->message);
    }
    return OB_OK;
}

static bool has_graphs(const ob_node *node) {
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (node->attributes[i]->type == OB_ATTR_GRAPH || node->attributes[i]->type == OB_ATTR_GRAPHS) return true;
    return false;
}

static ob_status note_refused(expansion *e, const ob_node *node, const ob_type *types) {
    bool known = true;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        known = known && (!node->inputs[i] || (types[i].dtype != OB_NONE && types[i].shape.rank != OB_RANK_UNKNOWN));
    OB_TRY(e->how->refused(e->how->context, node, known, e->error->message));
    ob_error_clear(e->error);
    ob__arena_restart(&e->scratch);
    return OB_OK;
}

static ob_status expand_node(expansion *e, const ob_body *body, ob_node *node) {
    ob_type few[FEW], *types = few;
    if (node->n_inputs > FEW) types = OB_ARENA_ARRAY(&e->scratch, ob_type, node->n_inputs);
    if (!types) return OB_E_MEMORY;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        types[i] = node->inputs[i] ? ob__fact(e->facts, node->inputs[i])->type : (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
    for (const ob_node *at = node; e->how->findings && at;
         at = at->graph->parent_node) /* in a broken one nothing was looked at */
        OB_TRY(refuse_broken(e, at));
    ob__at_node(e->error, node, OB_OK);
    const ob_status status = ob__body_expand(body, node, types, &e->scratch, e->error);
    if (status == OB_E_UNSUPPORTED && e->how->refused) return note_refused(e, node, types);
    OB_TRY(status);
    if (!e->how->findings || has_graphs(node)) ob__node_unlink(node);
    ob_error_clear(e->error);
    e->any = true;
    ob__arena_restart(&e->scratch);
    return OB_OK;
}

/* There is one, for operands of these types. */
static bool has_kernel(const expansion *e, const ob_node *node) {
    if (!ob__has_kernel(node->op)) return false;
    for (uint32_t i = 0; node->op->kernel->types && i < node->n_inputs; i++) {
        ob_dtype dtype = node->inputs[i] ? ob__fact(e->facts, node->inputs[i])->type.dtype : OB_NONE;
        if (dtype != OB_NONE && !(node->op->kernel->types >> dtype & 1)) return false;
    }
    return true;
}

static ob_status expand_graph(void *context, ob_graph *graph) {
    expansion *e = context;
    for (ob_node *node = graph->first, *next; node; node = next) {
        next = node->next;
        if (!node->op || (!e->how->all && has_kernel(e, node)) || !ob__node_gives_any(node)) continue;
        const ob_body *body = ob__body_of(node->op);
        if (body) OB_TRY(expand_node(e, body, node));
    }
    e->n_nodes += graph->n_nodes;
    OB_FAIL_IF(e->n_nodes > e->how->max_nodes, e->error, OB_E_LIMIT,
               "bodies of operators expand to more than %llu nodes: max_nodes raises the limit",
               (unsigned long long)e->how->max_nodes);
    return OB_OK;
}

ob_status ob__expand_bodies(ob_model *model, const ob_facts *facts, const ob_expand_options *how, bool *any, ob_error *error) {
    ob_error own;
    expansion e = {.facts = facts, .how = how, .error = error ? error : &own};
    ob_error_clear(e.error);
    ob__arena_init(&e.scratch, &model->arena.allocator);
    ob_status status = ob__model_each_graph(model, expand_graph, &e);
    ob__arena_release(&e.scratch);
    *any = e.any;
    return status;
}
