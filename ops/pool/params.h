/* Attributes of pooling, read once for shape rules and kernels. */
#ifndef OB_OPS_POOL_PARAMS_H
#define OB_OPS_POOL_PARAMS_H

#include "kernels/pool/pool.h"
#include "ops/window/window.h"

typedef struct ob_pool_params {
    ob_window_params window; /* not of Global... */
    bool has_window;         /* it was read, whatever else is wrong */
    obk_pool_kind kind;
    double p; /* of a norm: above 0 */
    bool count_padding, column_major, channels_last;
} ob_pool_params;

/* Of a node of any of MaxPool, AveragePool, LpPool, their Global forms, and those on channels_last (NhwcMaxPool) or quantized
 * operands (QLinearAveragePool), for `rank` spatial axes (below 0: as many as
 * kernel_shape has). E_ARGUMENT for attributes that are wrong or missing. */
ob_status ob__read_pool(const ob_node *node, int32_t rank, ob_pool_params *params, ob_error *error);

/* RoiAlign, MaxRoiPool. */
typedef struct ob_roi_params {
    bool align; /* else MaxRoiPool: what follows `scale` is not looked at */
    int64_t out[2];
    float scale;
    bool half_pixel, max;
    int64_t sampling_ratio; /* 0: as many as elements */
} ob_roi_params;
/* E_ARGUMENT for attributes that are wrong or missing. */
ob_status ob__read_roi(const ob_node *node, int32_t since, ob_roi_params *params, ob_error *error);

#endif
