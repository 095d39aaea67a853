/* The definitions of the explicit operators need Expand, which came with opset 8. A model below it is raised to opset 8 when
 * every operator in it means the same there: the same version, or an opset 1-6 elementwise operator that no longer broadcasts by
 * itself. Otherwise the function form is refused. Linear in nodes. */
#include <string.h>

#include "core/error.h"
#include "passes/explicit.h"
#include "passes/groups.h"
#include "passes/patch.h"
#include "passes/pipeline.h"

enum { EXPAND_SINCE = 8 };

typedef struct raiser {
    ob_work *work;
    ob_map same; /* by operator name: the row means the same in opset 8 */
    bool needed; /* an explicit operator stands in a graph below opset 8 */
    const ob_node *obstacle;
} raiser;

static bool has_attribute(const ob_node *node, const char *name) {
    return ob__node_attribute(node, name) != NULL;
}

/* Without `broadcast` both operands of an opset 1-6 operator have one shape, where opset 7 does the same. */
static bool is_plain_legacy(const ob_node *node, const ob_op *newer) {
    return node->op->broadcast == OB_BCAST_LEGACY && newer->broadcast == OB_BCAST_MULTI && !has_attribute(node, "broadcast") &&
           !has_attribute(node, "axis") && !has_attribute(node, "consumed_inputs");
}

static ob_status look_at(raiser *r, const ob_node *node) {
    if (ob__is_explicit_broadcast(node) || ob__is_explicit_in_dim(node)) r->needed = true;
    if (node->domain[0] != '\0' || r->obstacle) return OB_OK;
    if (!node->op) {
        if (!node->function) r->obstacle = node;
        return OB_OK;
    }
    ob_map_entry *entry = ob__map_insert(&r->same, node->op_type, strlen(node->op_type));
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) entry->value = (void *)(uintptr_t)ob__op_find("", node->op_type, EXPAND_SINCE);
    const ob_op *newer = entry->value;
    if (newer != node->op && !is_plain_legacy(node, newer)) r->obstacle = node;
    return OB_OK;
}

static ob_status visit(void *context, ob_graph *graph) {
    if (ob__graph_opset(graph, "") >= EXPAND_SINCE) return OB_OK;
    for (const ob_node *node = graph->first; node; node = node->next) OB_TRY(look_at(context, node));
    return OB_OK;
}

ob_status ob__pass_raise_opset(ob_work *work) {
    raiser r = {.work = work};
    ob_arena scratch;
    ob__arena_init(&scratch, &work->model->arena.allocator);
    ob__map_init(&r.same, &scratch);
    ob_status status = ob__model_each_graph(work->model, visit, &r);
    status = ob__arena_finish(&scratch, status);
    if (status != OB_OK || !r.needed) return status;
    OB_FAIL_IF(
        r.obstacle, work->error, OB_E_UNSUPPORTED,
        "the definition of Broadcast needs Expand, which came with opset 8; the model has opset %lld and cannot be raised, "
        "because node '%s' (%s) means something else there: use the form expand or broadcast",
        (long long)ob__graph_opset(r.obstacle->graph, ""), ob__node_label(r.obstacle), r.obstacle->op_type);
    ob_patch patch;
    ob__patch_init(&patch, work->model, work->journal);
    ob__patch_raise_opset(&patch, "", EXPAND_SINCE);
    status = ob__patch_apply(&patch, work->error);
    ob__patch_release(&patch);
    return status == OB_OK ? ob__model_resolve_ops(work->model) : status;
}
