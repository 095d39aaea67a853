/* Attributes of convolutions, read once for shape rules and kernels. */
#ifndef OB_OPS_CONV_PARAMS_H
#define OB_OPS_CONV_PARAMS_H

#include "ops/window/window.h"

typedef struct ob_conv_params {
    ob_window_params window;
    bool channels_last;   /* com.microsoft only: layout of X and Y, not of the filter */
    int64_t group;        /* 1 .. 2^31 - 1 */
    int64_t offset_group; /* DeformConv only: 1 .. 2^31 - 1 */
    /* ConvTranspose only: */
    int64_t output_padding[OB_MAX_RANK];
    bool shaped; /* output_shape is given */
    int64_t output_shape[OB_MAX_RANK];
} ob_conv_params;

/* For a node of type Conv, ConvInteger, QLinearConv, DeformConv or ConvTranspose with `rank` spatial axes. E_ARGUMENT for invalid
 * attributes. */
ob_status ob__read_conv(const ob_node *node, int32_t rank, ob_conv_params *params, ob_error *error);

#endif
