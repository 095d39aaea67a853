/* Attributes of pooling, read once for shape rules and kernels. */
#ifndef OB_OPS_POOL_PARAMS_H
#define OB_OPS_POOL_PARAMS_H

#include "kernels/pool/pool.h"
#include "ops/window/window.h"

typedef struct ob_pool_params {
    ob_window_params window; /* not set for the Global forms */
    bool has_window;         /* the window is valid, even if other attributes are not */
    obk_pool_kind kind;
    double p; /* of a norm; above 0 */
    bool count_padding, column_major, channels_last;
} ob_pool_params;

/* For a node of type MaxPool, AveragePool or LpPool, their Global forms, or the forms for channels_last (NhwcMaxPool) and
 * quantized operands (QLinearAveragePool), with `rank` spatial axes; if negative, as many as kernel_shape has entries. E_ARGUMENT
 * for invalid or missing attributes. */
ob_status ob__read_pool(const ob_node *node, int32_t rank, ob_pool_params *params, ob_error *error);

/* RoiAlign, MaxRoiPool. */
typedef struct ob_roi_params {
    bool align; /* RoiAlign; false: MaxRoiPool, which uses nothing after `scale` */
    int64_t out[2];
    float scale;
    bool half_pixel, max;
    int64_t sampling_ratio; /* 0: one sample for each element */
} ob_roi_params;
/* E_ARGUMENT for invalid or missing attributes. */
ob_status ob__read_roi(const ob_node *node, int32_t since, ob_roi_params *params, ob_error *error);

#endif
