/* Maps positions of a resized tensor to positions of its input, axis by axis, as tables for kernels/resize. */
#ifndef OB_OPS_RESIZE_AXES_H
#define OB_OPS_RESIZE_AXES_H

#include "kernels/resize/resize.h"
#include "ops/kernel/common.h"
#include "ops/resize/params.h"

/* Values of the operands, or of the attributes that replace them. */
typedef struct ob_resize_values {
    int64_t n_scales, n_regions; /* 0: none */
    float scales[OB_MAX_RANK], regions[2 * OB_MAX_RANK];
    int32_t n_sizes;
    int64_t sizes[OB_MAX_RANK];
} ob_resize_values;

typedef struct ob_resize_axis {
    bool active;          /* false: the axis is unchanged and has no tables */
    double scale, length; /* length: of the resized axis; a fraction if a scale was given */
    double start, end;    /* of the region of interest */
    int64_t first;        /* index of the first tap relative to the element before the coordinate */
    obk_resize_axis k;
    const uint8_t *outside; /* [n_out] for a crop: whether the position is outside the input; otherwise NULL */
} ob_resize_axis;

/* Whether all operands that decide positions have data. */
bool ob__resize_is_known(const ob_resize_params *params, const ob_kernel_args *args);
/* What a run converts to read them. */
void ob__need_resize_values(const ob_resize_params *params, const ob_kernel_args *args, ob_kernel_needs *needs);
ob_status ob__read_resize_values(const ob_resize_params *params, const ob_kernel_args *args, ob_resize_values *values,
                                 ob_error *error);
/* Checks that a crop has a start and an end for each of `n` axes and, if scales are given, that each end is above its start:
 * E_ARGUMENT otherwise. */
ob_status ob__check_regions(const ob_resize_params *params, const ob_resize_values *values, int32_t n, ob_error *error);
/* The scale of axis i of `n`, if scales are given. */
float ob__scale_of(const ob_resize_values *values, int32_t i, int32_t n);
/* The axes in the attribute, or `all` of them without it; E_ARGUMENT for an axis that does not exist. */
ob_status ob__resize_axes(const ob_resize_params *params, int32_t rank, int32_t *axes, int32_t *n, ob_error *error);
/* keep_aspect_ratio_policy: the common scale of all axes, the least or greatest of the scales that the sizes imply; 0: none. */
double ob__kept_aspect(const ob_resize_params *params, const ob_resize_values *values, const int64_t *in, const int32_t *axes,
                       int32_t n);

/* Fills everything except tables in `axes`, one for each axis of `in`. */
ob_status ob__describe_axes(const ob_resize_params *params, const ob_resize_values *values, const ob_view *in, const ob_view *out,
                            ob_resize_axis *axes, ob_error *error);
/* The greatest number of taps of an axis whose scale is not known yet. */
int64_t ob__most_taps(const ob_resize_params *params, int64_t n_in, int64_t n_out);
/* Bytes of the tables of an axis; OB_E_LIMIT if they are too large. `wide`: weights are double. */
ob_status ob__resize_table_bytes(int64_t n_out, int64_t taps, bool wide, size_t *n_bytes, ob_error *error);
void ob__fill_resize_tables(const ob_resize_params *params, ob_resize_axis *axis, bool wide, void *memory);

#endif
