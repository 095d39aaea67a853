#include "ops/pool/params.h"

#include <string.h>

#include "core/error.h"

ob_status ob__read_pool(const ob_node *node, int32_t rank, ob_pool_params *p, ob_error *error) {
    const char *name = node->op_type;
    bool nhwc = strncmp(name, "Nhwc", 4) == 0;
    if (nhwc) name += 4;
    if (strncmp(name, "QLinear", 7) == 0) name += 7;
    bool global = strncmp(name, "Global", 6) == 0;
    if (global) name += 6;
    memset(p, 0, sizeof *p);
    p->channels_last = nhwc || ob__node_int(node, "channels_last", 0) != 0;
    p->kind = strcmp(name, "MaxPool") == 0 ? OBK_POOL_MAX : strcmp(name, "AveragePool") == 0 ? OBK_POOL_MEAN : OBK_POOL_NORM;
    p->count_padding = ob__node_int(node, "count_include_pad", 0) != 0;
    p->column_major = ob__node_int(node, "storage_order", 0) != 0;
    const ob_attribute *norm = ob__node_attribute(node, "p");
    p->p = norm && norm->type == OB_ATTR_FLOAT ? (double)norm->u.f : (double)ob__node_int(node, "p", 2);
    bool missing = !global && !ob__node_attribute(node, "kernel_shape");
    OB_FAIL_IF(missing, error, OB_E_ARGUMENT, "attribute kernel_shape is missing");
    if (!global) OB_TRY(ob__read_window(node, rank, &p->window, error));
    p->has_window = !global;
    OB_FAIL_IF(p->kind == OBK_POOL_NORM && !(p->p > 0), error, OB_E_ARGUMENT, "p must be above 0");
    return OB_OK;
}
