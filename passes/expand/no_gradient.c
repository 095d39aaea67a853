/* A build without derivatives (OB_WITH_GRADIENT): a Gradient is refused. */
#include "core/base/error.h"
#include "ops/training/params.h"
#include "passes/check/names.h"
#include "passes/expand/expand.h"

static ob_status refuse(void *context, ob_graph *graph) {
    ob_error *error = context;
    for (const ob_node *node = graph->first; node; node = node->next) {
        if (!ob__is_gradient(node)) continue;
        ob__at_node(error, node, OB_E_UNSUPPORTED);
        return ob__fail(error, OB_E_UNSUPPORTED, "this build has no derivatives (OB_WITH_GRADIENT is off)");
    }
    return OB_OK;
}

ob_status ob__write_gradients(ob_model *model, const ob_facts *facts, uint64_t max_nodes, bool *any, ob_error *error) {
    (void)facts, (void)max_nodes;
    *any = false;
    return ob__model_each_graph(model, refuse, error);
}
