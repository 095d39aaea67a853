/* The attributes of all versions of Resize and Upsample, read once for shape rule and kernel. */
#ifndef OB_OPS_RESIZE_PARAMS_H
#define OB_OPS_RESIZE_PARAMS_H

#include "core/graph/graph.h"

typedef enum ob_resize_mode { OB_RESIZE_NEAREST, OB_RESIZE_LINEAR, OB_RESIZE_CUBIC } ob_resize_mode;

typedef enum ob_resize_transformation {
    OB_RESIZE_HALF_PIXEL,
    OB_RESIZE_HALF_PIXEL_SYMMETRIC,
    OB_RESIZE_PYTORCH_HALF_PIXEL,
    OB_RESIZE_TF_HALF_PIXEL_FOR_NN,
    OB_RESIZE_ALIGN_CORNERS,
    OB_RESIZE_ASYMMETRIC,
    OB_RESIZE_TF_CROP_AND_RESIZE
} ob_resize_transformation;

typedef enum ob_resize_nearest {
    OB_RESIZE_ROUND_PREFER_FLOOR,
    OB_RESIZE_ROUND_PREFER_CEIL,
    OB_RESIZE_FLOOR,
    OB_RESIZE_CEIL
} ob_resize_nearest;

typedef enum ob_resize_policy { OB_RESIZE_STRETCH, OB_RESIZE_NOT_LARGER, OB_RESIZE_NOT_SMALLER } ob_resize_policy;

typedef struct ob_resize_params {
    ob_resize_mode mode;
    ob_resize_transformation transformation;
    ob_resize_nearest nearest;
    ob_resize_policy policy;
    bool upsample, exclude_outside, antialias;
    /* An attribute and its undefined text; the check reports it, and no kernel is planned. NULL: none. */
    const char *unknown, *unknown_text;
    bool early; /* Upsample, and Resize before 11: x / scale; nearest rounds down, or up if the axis shrinks */
    float cubic_a, extrapolation;
    int32_t n_axes; /* entries of `axes`; -1: all axes in order */
    int64_t axes[OB_MAX_RANK];
    int32_t roi, scales, sizes; /* numbers of the operands; -1: not in this version */
    /* the number of scales that Upsample before 9 has in attributes; -1 in other versions, 0 if they cannot be read */
    int32_t n_given;
    float given[OB_MAX_RANK];
} ob_resize_params;

/* E_ARGUMENT for too many axes. */
ob_status ob__read_resize(const ob_node *node, int32_t since, ob_resize_params *params, ob_error *error);

/* GridSample. */
typedef enum ob_grid_mode { OB_GRID_LINEAR, OB_GRID_NEAREST, OB_GRID_CUBIC } ob_grid_mode;
typedef enum ob_grid_padding { OB_GRID_ZEROS, OB_GRID_BORDER, OB_GRID_REFLECTION } ob_grid_padding;
typedef struct ob_grid_params {
    ob_grid_mode mode;
    ob_grid_padding padding;
    bool align_corners;
} ob_grid_params;
/* E_ARGUMENT for an undefined mode. */
ob_status ob__read_grid(const ob_node *node, ob_grid_params *params, ob_error *error);

#endif
