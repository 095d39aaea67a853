/* Attributes of convolutions, read once for shape rules and kernels. */
#ifndef OB_OPS_CONV_PARAMS_H
#define OB_OPS_CONV_PARAMS_H

#include "ops/window/window.h"

typedef struct ob_conv_params {
    ob_window_params window;
    bool channels_last;   /* of com.microsoft: X and Y, not the filter */
    int64_t group;        /* 1 .. 2^31 - 1 */
    int64_t offset_group; /* of DeformConv: 1 .. 2^31 - 1 */
    /* Of ConvTranspose: */
    int64_t output_padding[OB_MAX_RANK];
    bool shaped; /* output_shape is given */
    int64_t output_shape[OB_MAX_RANK];
} ob_conv_params;

/* Of a node of any of Conv, ConvInteger, QLinearConv, DeformConv and ConvTranspose, for `rank` spatial axes. E_ARGUMENT for
 * attributes that are wrong. */
ob_status ob__read_conv(const ob_node *node, int32_t rank, ob_conv_params *params, ob_error *error);

#endif
