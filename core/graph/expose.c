#include "core/base/error.h"
#include "core/graph/graph.h"

ob_status ob_model_expose_results(ob_model *model, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!model, error, OB_E_ARGUMENT, "ob_model_expose_results: model must not be NULL");
    ob_graph *graph = model->graph;
    size_t n = 0;
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) n += node->outputs[i] != NULL;
    for (uint32_t i = 0; i < graph->n_outputs; i++) n += graph->outputs[i]->producer == NULL;
    OB_FAIL_IF(n > UINT32_MAX, error, OB_E_LIMIT, "the model has too many results");
    ob_value **outputs = OB_ARENA_ARRAY(&model->arena, ob_value *, n);
    OB_FAIL_IF(!outputs, error, OB_E_MEMORY, "out of memory");
    uint32_t at = 0;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        if (!graph->outputs[i]->producer) outputs[at++] = graph->outputs[i];
    for (const ob_node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++) {
            if (!node->outputs[i]) continue;
            node->outputs[i]->is_output = true;
            outputs[at++] = node->outputs[i];
        }
    graph->outputs = outputs;
    graph->n_outputs = at;
    return OB_OK;
}
