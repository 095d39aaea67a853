/* The output sizes of Resize and Upsample, for their shape rule and kernel. */
#ifndef OB_OPS_RESIZE_RESIZED_H
#define OB_OPS_RESIZE_RESIZED_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/integers.h"

/* True if scale = *above / *below, where *below is a small power of two: then the result for a symbolic size is exact. */
static inline bool ob__exact_scale(float scale, int64_t *above, int64_t *below) {
    for (*below = 1; *below <= 64; *below *= 2) {
        float multiple = scale * (float)*below;
        if (multiple != floorf(multiple) || !(fabsf(multiple) <= 16777216.0F)) continue;
        *above = (int64_t)multiple;
        return true;
    }
    return false;
}

/* floor(size * scale) in float, as ONNX defines it; exact if the scale is, so it equals the term of a symbolic size. At most
 * INT64_MAX; -1 for a scale that is not positive. */
static inline int64_t ob__resized(int64_t size, float scale) {
    int64_t above, below, product;
    if (!(scale > 0.0F) || size < 0) return -1;
    if (ob__exact_scale(scale, &above, &below) && !ob__mul_overflows(size, above, &product)) return product / below;
    float scaled = (float)size * scale;
    return scaled < 9.2e18F ? (int64_t)floorf(scaled) : INT64_MAX;
}

/* The scale of an axis of which only start .. end (0 .. 1 is the whole axis) is resized. */
static inline float ob__cropped_scale(float scale, float start, float end) {
    return scale * (end - start);
}

/* keep_aspect_ratio_policy: size * scale, with halves rounded up. */
static inline int64_t ob__resized_alike(int64_t size, double scale) {
    double scaled = floor((double)size * scale + 0.5);
    return scaled < 9.2e18 ? (int64_t)scaled : INT64_MAX;
}

#endif
