#include "ops/select/params.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/attributes.h"

const char *const ob__reduction_names[OB_REDUCTIONS] = {"none", "add", "mul", "max", "min"};

ob_reduction ob__scatter_reduction(const ob_node *node) {
    const char *name = ob__attribute_text(node, "reduction");
    if (!*name) return OB_REPLACE; /* a version without the attribute */
    ob_reduction reduction = OB_REPLACE;
    while (reduction < OB_REDUCTIONS && strcmp(ob__reduction_names[reduction], name) != 0) reduction++;
    return reduction;
}

ob_status ob__read_cache(const ob_node *node, ob_cache_params *params, ob_error *error) {
    const char *mode = ob__attribute_text(node, "mode");
    *params = (ob_cache_params){ob__attribute_int(node, "axis"), strcmp(mode, "circular") == 0};
    OB_FAIL_IF(!params->is_circular && strcmp(mode, "linear") != 0, error, OB_E_ARGUMENT, "mode is %s, not linear or circular",
               mode);
    return OB_OK;
}
