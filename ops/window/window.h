/* The sliding window of convolutions and pooling, in any number of spatial axes: its attributes, read once for shape rules and
 * kernels, and what follows from them for sizes that are terms or numbers. */
#ifndef OB_OPS_WINDOW_WINDOW_H
#define OB_OPS_WINDOW_WINDOW_H

#include "kernels/window/window.h"
#include "ops/infer/infer.h"
#include "ops/kernel/kernel.h"

typedef enum ob_auto_pad { OB_PAD_GIVEN, OB_PAD_VALID, OB_PAD_SAME_UPPER, OB_PAD_SAME_LOWER } ob_auto_pad;

typedef struct ob_window_params {
    int32_t rank; /* spatial axes */
    bool kernel_given, ceil_mode;
    const char *unknown_pad; /* an auto_pad that there is not, which every model's check reports: no kernel; NULL: none */
    ob_auto_pad auto_pad;
    ob_dim kernel[OB_MAX_RANK]; /* OB_DIM_UNKNOWN without the attribute: then the filter's sizes, which who asks puts here */
    int64_t strides[OB_MAX_RANK], dilations[OB_MAX_RANK];
    int64_t before[OB_MAX_RANK], after[OB_MAX_RANK]; /* padding; 0 unless OB_PAD_GIVEN */
} ob_window_params;

/* kernel_shape, strides, dilations, pads, auto_pad and ceil_mode for n spatial axes; below 0: as many as kernel_shape has
 * entries. E_LIMIT for more than OB_MAX_RANK - 2, whoever counted them; E_ARGUMENT for a list of another length, an entry that is
 * not positive (of pads: negative) or above 2^31 - 1. */
ob_status ob__read_window(const ob_node *node, int64_t n_axes, ob_window_params *params, ob_error *error);
/* A list attribute with n entries, none below `least`; `otherwise` when absent. E_LIMIT where n is more than the `room` that
 * `sizes` has. */
ob_status ob__read_sizes(const ob_node *node, const char *name, int32_t n, int64_t least, int64_t otherwise, int64_t *sizes,
                         int32_t room, ob_error *error);

/* Numbers: the window over planes of `in`, whose results are planes of `out` (rank sizes each), in the plan's memory. The
 * kernel's sizes are known, from 0 on. E_LIMIT for a size above 2^31 - 1, E_ARGUMENT for an unknown auto_pad. */
ob_status ob__plan_window(const ob_kernel_site *site, const ob_window_params *params, const int64_t *in, const int64_t *out,
                          bool merges, obk_window *window, ob_error *error);
/* Its layout with copies of about `wish` elements; *tiled false: none serves. */
ob_status ob__plan_tiling(const ob_kernel_site *site, const obk_window *window, int64_t wish, obk_tiling *tiling, bool *tiled,
                          ob_error *error);

/* Terms. Elements from the first that axis i of the window sees to behind the last: (kernel - 1) * dilation + 1. */
ob_dim ob__window_extent(ob_infer *infer, const ob_window_params *params, int32_t i);
/* Places of the window along spatial axis i of `size`; reports where there is none. */
ob_dim ob__window_places(ob_infer *infer, const ob_window_params *params, int32_t i, ob_dim size);
/* That it fits once, where that is known when the sizes are. */
ob_status ob__require_window(ob_infer *infer, const ob_window_params *params, int32_t i, ob_dim size);
/* The size of which as many places as `size` come: stride * (size - 1) + extra + extent - padding. */
ob_dim ob__unwindowed(ob_infer *infer, const ob_window_params *params, int32_t i, ob_dim size, int64_t extra);
/* Padding may take away more than there is; nothing is left of a size that is below 0. */
ob_status ob__require_unwindowed(ob_infer *infer, ob_dim *size, int32_t axis);

#endif
