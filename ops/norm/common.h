/* Functions that the kernels of normalizations share. */
#ifndef OB_OPS_NORM_COMMON_H
#define OB_OPS_NORM_COMMON_H

#include "ops/kernel/common.h"
#include "ops/norm/params.h"

/* X has a real type and at least that rank, and the result has the size of X. */
ob_status ob__norm_shapes(const ob_kernel_site *site, const ob_kernel_args *args, int32_t least_rank, ob_error *error);
/* Input i has n elements. */
ob_status ob__norm_count(const ob_kernel_args *args, uint32_t i, int64_t n, ob_error *error);

/* Element i of floats or doubles. */
static inline double ob__norm_at(const ob_view *view, int64_t i) {
    return view->dtype == OB_DOUBLE ? ((const double *)view->data)[i] : (double)((const float *)view->data)[i];
}
static inline void ob__norm_set(void *data, bool is_double, int64_t i, double value) {
    if (is_double)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
}

/* The type to which the second stage of a normalization rounds: the result's type if it is narrow, otherwise OB_NONE. */
ob_dtype ob__norm_rounds_to(const ob_kernel_args *args);
/* The second stage for n normalized floats: y = y * scale + bias. Each step is rounded, except the last, which is rounded when it
 * becomes the result. Scale and bias: one for each element (step 1) or one for all (0), or NULL. */
void ob__norm_second_stage(const ob_kernel_args *args, ob_dtype type, float *y, int64_t n, const float *scale, const float *bias,
                           int64_t step);

/* The grain for parts of `work` elements each. */
static inline int64_t ob__norm_grain(int64_t work) {
    return (INT64_C(1) << 14) / (work + 1) + 1;
}

#endif
