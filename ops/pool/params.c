#include "ops/pool/params.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/attributes.h"

ob_status ob__read_pool(const ob_node *node, int32_t rank, ob_pool_params *p, ob_error *error) {
    const char *name = node->op_type;
    bool nhwc = strncmp(name, "Nhwc", 4) == 0;
    if (nhwc) name += 4;
    if (strncmp(name, "QLinear", 7) == 0) name += 7;
    bool global = strncmp(name, "Global", 6) == 0;
    if (global) name += 6;
    memset(p, 0, sizeof *p);
    p->channels_last = nhwc || ob__attribute_flag(node, "channels_last");
    p->kind = strcmp(name, "MaxPool") == 0 ? OBK_POOL_MAX : strcmp(name, "AveragePool") == 0 ? OBK_POOL_MEAN : OBK_POOL_NORM;
    p->count_padding = ob__attribute_flag(node, "count_include_pad");
    const int64_t order = ob__attribute_int(node, "storage_order");
    OB_FAIL_IF(order != 0 && order != 1, error, OB_E_ARGUMENT, "storage_order is %lld: it must be 0 or 1", (long long)order);
    p->column_major = order == 1;
    const ob_op_attribute *norm = ob__op_attribute(node->op, "p"); /* a float in version 1 */
    p->p = norm && norm->type == OB_ATTR_FLOAT ? (double)ob__attribute_float(node, "p") : (double)ob__attribute_int(node, "p");
    bool missing = !global && !ob__node_attribute(node, "kernel_shape");
    OB_FAIL_IF(missing, error, OB_E_ARGUMENT, "attribute kernel_shape is missing");
    if (!global) OB_TRY(ob__read_window(node, rank, &p->window, error));
    p->has_window = !global;
    OB_FAIL_IF(p->kind == OBK_POOL_NORM && !(p->p > 0), error, OB_E_ARGUMENT, "p must be above 0");
    return OB_OK;
}

static ob_status read_align(const ob_node *node, int32_t since, ob_roi_params *p, ob_error *error) {
    const char *transformation = ob__attribute_text(node, "coordinate_transformation_mode");
    const char *mode = ob__attribute_text(node, "mode");
    bool half = strcmp(transformation, "half_pixel") == 0;
    p->out[0] = ob__attribute_int(node, "output_height");
    p->out[1] = ob__attribute_int(node, "output_width");
    p->max = strcmp(mode, "max") == 0;
    p->half_pixel = since >= 16 && half;
    p->sampling_ratio = ob__attribute_int(node, "sampling_ratio");
    OB_FAIL_IF(since >= 16 && !half && strcmp(transformation, "output_half_pixel") != 0, error, OB_E_ARGUMENT,
               "coordinate_transformation_mode is %s, not half_pixel or output_half_pixel", transformation);
    OB_FAIL_IF(!p->max && strcmp(mode, "avg") != 0, error, OB_E_ARGUMENT, "mode is %s, not avg or max", mode);
    OB_FAIL_IF(p->sampling_ratio < 0 || p->sampling_ratio > 1024, error, OB_E_ARGUMENT, "sampling_ratio is %lld",
               (long long)p->sampling_ratio);
    return OB_OK;
}

ob_status ob__read_roi(const ob_node *node, int32_t since, ob_roi_params *p, ob_error *error) {
    *p = (ob_roi_params){.align = strcmp(node->op_type, "RoiAlign") == 0, .scale = ob__attribute_float(node, "spatial_scale")};
    if (p->align) {
        OB_TRY(read_align(node, since, p, error));
    } else {
        uint32_t n;
        const int64_t *pooled = ob__attribute_list(node, "pooled_shape", &n);
        OB_FAIL_IF(!pooled || n != 2, error, OB_E_ARGUMENT, "pooled_shape must have two entries");
        memcpy(p->out, pooled, sizeof p->out);
    }
    for (int i = 0; i < 2; i++)
        OB_FAIL_IF(p->out[i] < 0 || p->out[i] > INT32_MAX, error, OB_E_ARGUMENT, "a region becomes %lld by %lld",
                   (long long)p->out[0], (long long)p->out[1]);
    return OB_OK;
}
