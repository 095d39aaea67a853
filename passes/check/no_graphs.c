/* A build that plans everything before a run (OB_WITH_DYNAMIC) does not look into branches and bodies: nodes with them are
 * refused, and their results are unknown. */
#include "passes/check/propagation.h"

ob_status ob__infer_subgraph(ob_infer *infer, ob_graph *graph, ob_dim guard, const ob_type *in_types,
                             const ob_content *in_contents, ob_type *out_types, ob_content *out_contents) {
    (void)infer, (void)guard, (void)in_types, (void)in_contents;
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        out_types[i] = (ob_type){.shape = {OB_RANK_UNKNOWN, NULL}};
        if (out_contents) out_contents[i] = (ob_content){0};
    }
    return OB_OK;
}
