#include "ops/select/params.h"

#include <string.h>

const char *const ob__reduction_names[OB_REDUCTIONS] = {"none", "add", "mul", "max", "min"};

ob_reduction ob__scatter_reduction(const ob_node *node) {
    const char *name = ob__node_string(node, "reduction", ob__reduction_names[OB_REPLACE]);
    ob_reduction reduction = OB_REPLACE;
    while (reduction < OB_REDUCTIONS && strcmp(ob__reduction_names[reduction], name) != 0) reduction++;
    return reduction;
}
