/* Where each place of a resized tensor lies in what it is made of, axis by axis: tables for kernels/resize. */
#ifndef OB_OPS_RESIZE_AXES_H
#define OB_OPS_RESIZE_AXES_H

#include "kernels/resize/resize.h"
#include "ops/kernel/common.h"
#include "ops/resize/params.h"

/* What the operands say, or the attributes in their place. */
typedef struct ob_resize_values {
    int64_t n_scales, n_regions; /* 0: none */
    float scales[OB_MAX_RANK], regions[2 * OB_MAX_RANK];
    int32_t n_sizes;
    int64_t sizes[OB_MAX_RANK];
} ob_resize_values;

typedef struct ob_resize_axis {
    bool active;          /* false: as it was, without tables */
    double scale, length; /* length: of the resized axis, a fraction when a scale was given */
    double start, end;    /* of the region of interest */
    int64_t first;        /* the first tap relative to the one before the coordinate */
    obk_resize_axis k;
    const uint8_t *outside; /* [n_out] of a crop: the place lies outside the input; else NULL */
} ob_resize_axis;

/* Whether all operands that decide places have data. */
bool ob__resize_is_known(const ob_resize_params *params, const ob_kernel_args *args);
ob_status ob__read_resize_values(const ob_resize_params *params, const ob_kernel_args *args, ob_resize_values *values,
                                 ob_error *error);
/* A crop has a start and an end for each of `n` axes, and where scales are given an extent: E_ARGUMENT. */
ob_status ob__check_regions(const ob_resize_params *params, const ob_resize_values *values, int32_t n, ob_error *error);
/* By what the size of axis i of `n` is multiplied; scales are given. */
float ob__scale_of(const ob_resize_values *values, int32_t i, int32_t n);
/* The axes that are named, `all` of them where none are; E_ARGUMENT for one that there is not. */
ob_status ob__resize_axes(const ob_resize_params *params, int32_t rank, int32_t *axes, int32_t *n, ob_error *error);
/* keep_aspect_ratio_policy: one scale for all axes, the least or the greatest that the sizes ask for; 0: none. */
double ob__kept_aspect(const ob_resize_params *params, const ob_resize_values *values, const int64_t *in, const int32_t *axes,
                       int32_t n);

/* All of `axes`, one for each axis of `in`, but the tables. */
ob_status ob__describe_axes(const ob_resize_params *params, const ob_resize_values *values, const ob_view *in, const ob_view *out,
                            ob_resize_axis *axes, ob_error *error);
/* Taps of an axis whose scale is not known yet, at most. */
int64_t ob__most_taps(const ob_resize_params *params, int64_t n_in, int64_t n_out);
/* Bytes of an axis' tables; OB_E_LIMIT where they cannot be. `wide`: weights are double. */
ob_status ob__resize_table_bytes(int64_t n_out, int64_t taps, bool wide, size_t *n_bytes, ob_error *error);
void ob__fill_resize_tables(const ob_resize_params *params, ob_resize_axis *axis, bool wide, void *memory);

#endif
