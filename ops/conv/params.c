#include "ops/conv/params.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/attributes.h"

ob_status ob__read_conv(const ob_node *node, int32_t rank, ob_conv_params *p, ob_error *error) {
    memset(p, 0, sizeof *p);
    p->channels_last = strcmp(node->domain, "com.microsoft") == 0 && ob__attribute_flag(node, "channels_last");
    p->group = ob__attribute_int(node, "group");
    OB_FAIL_IF(p->group < 1 || p->group > INT32_MAX, error, OB_E_ARGUMENT, "group is %lld", (long long)p->group);
    p->offset_group = ob__attribute_int_or(node, "offset_group", 1);
    OB_FAIL_IF(p->offset_group < 1 || p->offset_group > INT32_MAX, error, OB_E_ARGUMENT, "offset_group is %lld",
               (long long)p->offset_group);
    OB_TRY(ob__read_window(node, rank, &p->window, error));
    OB_TRY(ob__read_sizes(node, "output_padding", rank, 0, 0, p->output_padding, OB_MAX_RANK, error));
    uint32_t n = 0;
    const int64_t *shape = ob__attribute_list(node, "output_shape", &n);
    p->shaped = shape && n >= (uint32_t)rank; /* some models list the batch and channel sizes, too */
    for (int32_t i = 0; p->shaped && i < rank; i++) p->output_shape[i] = shape[n - (uint32_t)rank + (uint32_t)i];
    return OB_OK;
}
