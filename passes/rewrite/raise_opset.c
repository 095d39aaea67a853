/* The definitions of the explicit operators need Expand, which came with opset 8. An older model is raised to opset 8 if every
 * operator in it keeps its meaning: it has the same version, or it is an opset 1-6 elementwise operator or Gemm without
 * broadcasting whose operands provably have one shape (opset 7 would broadcast others). Otherwise the function form is refused.
 * Linear in nodes. */
#include <string.h>

#include "core/base/error.h"
#include "ops/library/resolve.h"
#include "passes/check/explicit.h"
#include "passes/check/groups.h"
#include "passes/rewrite/definitions.h"
#include "passes/rewrite/patch.h"
#include "passes/rewrite/rewriting.h"

typedef struct raiser {
    ob_rewriting *rewriting;
    ob_work *work; /* of the rewriting */
    ob_map same;   /* by operator name: the row means the same in opset 8 */
    bool needed;   /* an explicit operator is in a graph below opset 8 */
    bool only_asks;
    const ob_node *obstacle;
    const char *why; /* static */
} raiser;

static bool has_attribute(const ob_node *node, const char *name) {
    return ob__node_attribute(node, name) != NULL;
}

/* The node stretches nothing, but an operator of the newer row would: they differ for operands of other shapes. */
static bool is_plain_legacy(const ob_node *node, const ob_op *newer) {
    if (has_attribute(node, "broadcast") || has_attribute(node, "axis") || has_attribute(node, "consumed_inputs")) return false;
    const ob_op *op = node->op;
    if (op->broadcast == OB_BCAST_LEGACY) return newer->broadcast == OB_BCAST_MULTI && node->n_inputs == 2;
    return op->broadcast == OB_BCAST_UNI && op->stretch.asked && newer->broadcast == OB_BCAST_UNI && !newer->stretch.asked &&
           op->stretch.first == op->stretch.last && node->n_inputs > op->stretch.first && node->n_outputs == 1;
}

/* The operand that the newer row would stretch, and its target. In a function's body facts hold in every call. */
static bool has_one_shape(const raiser *r, const ob_node *node) {
    bool legacy = node->op->broadcast == OB_BCAST_LEGACY;
    const ob_fact *a = ob__fact(r->work->facts, legacy ? node->inputs[0] : node->outputs[0]);
    const ob_fact *b = ob__fact(r->work->facts, node->inputs[legacy ? 1 : node->op->stretch.first]);
    return a->type.kind == OB_TYPE_TENSOR && b->type.kind == OB_TYPE_TENSOR && !a->assumed && !b->assumed &&
           ob__same_shape(&a->type.shape, &b->type.shape);
}

/* NULL when the node means the same as an operator of the newer row. */
static const char *why_not(const raiser *r, const ob_node *node, const ob_op *newer) {
    if (newer == node->op) return NULL;
    if (!newer || !is_plain_legacy(node, newer)) return "means something else there";
    if (!has_one_shape(r, node)) return "would broadcast there, and its operands are not proved to have one shape";
    return ob__stays(&r->rewriting->keeping, node) ? "could not be shown to accept the same sizes there" : NULL;
}

static ob_status look_at(raiser *r, const ob_node *node) {
    if (ob__is_explicit_broadcast(node) || ob__is_explicit_in_dim(node)) r->needed = true;
    if (node->domain[0] != '\0' || r->obstacle) return OB_OK;
    if (!node->op) {
        if (!node->function) r->obstacle = node, r->why = "is not known";
        return OB_OK;
    }
    ob_map_entry *entry = ob__map_insert(&r->same, node->op_type, strlen(node->op_type));
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) entry->value = (void *)(uintptr_t)ob__op_find("", node->op_type, OB_EXPAND_SINCE);
    const ob_op *newer = entry->value;
    r->why = why_not(r, node, newer);
    if (r->why) r->obstacle = node;
    if (newer != node->op && !r->only_asks) ob__touch(&r->rewriting->keeping, node);
    return OB_OK;
}

static ob_status visit(void *context, ob_graph *graph) {
    if (ob__graph_opset(graph, "") >= OB_EXPAND_SINCE) return OB_OK;
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(look_at(context, node));
    return OB_OK;
}

static ob_status look(raiser *r) {
    ob_arena scratch;
    ob__arena_init(&scratch, &r->work->model->arena.allocator);
    ob__map_init(&r->same, &scratch);
    return ob__arena_finish(&scratch, ob__model_each_graph(r->work->model, visit, r));
}

ob_status ob__has_expand_then(ob_rewriting *rewriting, bool *has) {
    raiser r = {.rewriting = rewriting, .work = rewriting->work, .only_asks = true};
    const ob_status status = look(&r);
    *has = !r.obstacle;
    return status;
}

ob_status ob__pass_raise_opset(ob_rewriting *rewriting) {
    ob_work *work = rewriting->work;
    raiser r = {.rewriting = rewriting, .work = work};
    if (rewriting->keeping.all_stay) return OB_OK;
    ob_status status = look(&r);
    if (status != OB_OK || !r.needed) return status;
    OB_FAIL_IF(
        r.obstacle, work->error, OB_E_UNSUPPORTED,
        "the definition of Broadcast needs Expand, which came with opset 8; the model has opset %lld and cannot be raised, "
        "because node '%s' (%s) %s: use the form expand or broadcast",
        (long long)ob__graph_opset(r.obstacle->graph, ""), ob__node_label(r.obstacle), r.obstacle->op_type, r.why);
    ob_patch patch;
    ob__patch_init(&patch, work->model, &rewriting->journal);
    ob__patch_raise_opset(&patch, "", OB_EXPAND_SINCE);
    status = ob__patch_apply(&patch, work->error);
    ob__patch_release(&patch);
    return status == OB_OK ? ob__model_resolve_ops(work->model) : status;
}
