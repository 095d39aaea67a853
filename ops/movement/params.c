#include "ops/movement/params.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/attributes.h"

const char *const ob__pad_mode_names[OB_PAD_MODES] = {"constant", "edge", "reflect", "wrap"};

ob_pad_params ob__pad_params(const ob_node *node, int32_t since) {
    ob_pad_params params = {.mode = OB_PAD_CONSTANT};
    const char *name = ob__attribute_text(node, "mode");
    while (params.mode < OB_PAD_MODES && strcmp(ob__pad_mode_names[params.mode], name) != 0) params.mode++;
    if (since >= 11) return params;
    params.pads = ob__attribute_ints(node, since < 2 ? "paddings" : "pads");
    params.value = ob__attribute_float(node, "value");
    return params;
}

ob_depth_params ob__depth_params(const ob_node *node) {
    bool to_space = strcmp(node->op_type, "DepthToSpace") == 0;
    return (ob_depth_params){.to_space = to_space,
                             .channels_first = to_space && strcmp(ob__attribute_text(node, "mode"), "CRD") == 0,
                             .block = ob__attribute_int(node, "blocksize")};
}

ob_status ob__reverse_params(const ob_node *node, ob_reverse_params *params, ob_error *error) {
    int64_t batch = ob__attribute_int(node, "batch_axis"), time = ob__attribute_int(node, "time_axis");
    OB_FAIL_IF(batch < 0 || batch > 1 || time != 1 - batch, error, OB_E_ARGUMENT,
               "batch_axis %lld and time_axis %lld are not 0 and 1, or 1 and 0", (long long)batch, (long long)time);
    *params = (ob_reverse_params){(int32_t)batch, (int32_t)time};
    return OB_OK;
}
