/* The sliding window of convolutions and pooling, for any number of spatial axes: its attributes, read once for shape rules and
 * kernels, and the sizes that follow from them, as terms or numbers. */
#ifndef OB_OPS_WINDOW_WINDOW_H
#define OB_OPS_WINDOW_WINDOW_H

#include "kernels/window/window.h"
#include "ops/kernel/kernel.h"

typedef struct ob_infer ob_infer; /* ops/infer/infer.h */

typedef enum ob_auto_pad { OB_PAD_GIVEN, OB_PAD_VALID, OB_PAD_SAME_UPPER, OB_PAD_SAME_LOWER } ob_auto_pad;

typedef struct ob_window_params {
    int32_t rank; /* spatial axes */
    bool kernel_given, ceil_mode;
    const char *unknown_pad; /* an auto_pad that ONNX does not define; the check reports it, and no kernel is planned. NULL:
                                auto_pad is valid */
    ob_auto_pad auto_pad;
    ob_dim kernel[OB_MAX_RANK]; /* OB_DIM_UNKNOWN if kernel_shape is missing; the caller then fills in the sizes of the filter */
    int64_t strides[OB_MAX_RANK], dilations[OB_MAX_RANK];
    int64_t before[OB_MAX_RANK], after[OB_MAX_RANK]; /* padding; 0 unless OB_PAD_GIVEN */
} ob_window_params;

/* Reads kernel_shape, strides, dilations, pads, auto_pad and ceil_mode for n spatial axes; if n is negative, for as many as
 * kernel_shape has entries. E_LIMIT for more than OB_MAX_RANK - 2 axes. E_ARGUMENT for a list of another length or an entry that
 * is above 2^31 - 1 or not positive (for pads: negative). */
ob_status ob__read_window(const ob_node *node, int64_t n_axes, ob_window_params *params, ob_error *error);
/* Reads a list attribute with n entries, none below `least`; `otherwise` if it is missing. E_LIMIT if n is above `room`, the
 * length of `sizes`. */
ob_status ob__read_sizes(const ob_node *node, const char *name, int32_t n, int64_t least, int64_t otherwise, int64_t *sizes,
                         int32_t room, ob_error *error);

/* For numbers: the window from planes of sizes `in` to planes of sizes `out` (rank sizes each), in the plan's memory. The kernel
 * sizes must be known and not negative. merges: axes may be joined (obk_merge_axes). E_LIMIT for a size above 2^31 - 1,
 * E_ARGUMENT for an unknown auto_pad. */
ob_status ob__plan_window(const ob_kernel_site *site, const ob_window_params *params, const int64_t *in, const int64_t *out,
                          bool merges, obk_window *window, ob_error *error);
/* Its layout, with copies of about `wish` elements. *tiled false: no layout is suitable. */
ob_status ob__plan_tiling(const ob_kernel_site *site, const obk_window *window, int64_t wish, obk_tiling *tiling, bool *tiled,
                          ob_error *error);

/* For terms: the extent of the window along axis i, (kernel - 1) * dilation + 1. */
ob_dim ob__window_extent(ob_infer *infer, const ob_window_params *params, int32_t i);
/* The number of window positions along spatial axis i of `size`. Reports a finding if there are none. */
ob_dim ob__window_positions(ob_infer *infer, const ob_window_params *params, int32_t i, ob_dim size);
/* Requires that the window fits at least once, unless sizes are numbers, which ob__window_positions checks. */
ob_status ob__require_window(ob_infer *infer, const ob_window_params *params, int32_t i, ob_dim size);
/* The inverse: the size that gives `size` window positions, stride * (size - 1) + extra + extent - padding. */
ob_dim ob__unwindowed(ob_infer *infer, const ob_window_params *params, int32_t i, ob_dim size, int64_t extra);
/* Padding may remove more than there is. A size below 0 is reported and becomes OB_DIM_UNKNOWN. */
ob_status ob__require_unwindowed(ob_infer *infer, ob_dim *size, int32_t axis);

#endif
