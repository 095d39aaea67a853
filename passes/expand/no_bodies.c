/* A build without bodies (OB_WITH_BODIES): calls of functions are refused; no operator is replaced by others. */
#include "core/base/error.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "passes/expand/expand.h"

static ob_status refuse_calls(void *context, ob_graph *graph) {
    ob_error *error = context;
    const ob_graph *outermost = graph;
    while (outermost->parent) outermost = outermost->parent;
    if (outermost->function) return OB_OK; /* it is called from elsewhere, or not at all */
    for (const ob_node *node = graph->first; node; node = node->next) {
        if (!node->function || node->op) continue;
        ob__at_node(error, node, OB_E_UNSUPPORTED);
        return ob__fail(error, OB_E_UNSUPPORTED,
                        "this build has no functions: the model has to be written out (OB_WITH_BODIES is off)");
    }
    return OB_OK;
}

ob_status ob__inline_functions(ob_model *model, uint64_t max_nodes, ob_error *error) {
    OB_TRY(ob__model_each_graph(model, refuse_calls, error));
    OB_FAIL_IF(model->n_nodes > max_nodes, error, OB_E_LIMIT, "the model has %llu nodes, the limit is %llu: max_nodes raises it",
               (unsigned long long)model->n_nodes, (unsigned long long)max_nodes);
    model->n_functions = 0;
    return OB_OK;
}

/* A SequenceMap has no kernel, so the survey of operators names it. */
ob_status ob__unroll_sequence_maps(ob_model *model, ob_error *error) {
    (void)model, (void)error;
    return OB_OK;
}

ob_status ob__expand_bodies(ob_model *model, const ob_facts *facts, const ob_expand_options *how, bool *any, ob_error *error) {
    (void)model, (void)facts, (void)how, (void)error;
    *any = false;
    return OB_OK;
}
