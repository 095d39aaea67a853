/* Fractions as contents of floats. Models scale a size by 0.5 or 1.5 and round it, for instance for Resize.
 *
 * Elements are terms over a power of two. Float arithmetic keeps them exact if no numerator has more bits than the type's
 * significand. This is required where they become integers again; otherwise the rounded numbers would not be known. */
#include <math.h>

#include "ops/infer/contents.h"

enum {
    MAX_NUMERATOR = 64 /* of a constant: 1.3 is such a fraction too, but then 24 bits would leave too few for the size */
};

int64_t ob__exact_limit(ob_dtype dtype) {
    return dtype == OB_FLOAT ? INT64_C(1) << 24 : INT64_C(1) << 53;
}

bool ob__fractions_of(const double *values, uint32_t n, ob_dim *parts, int64_t *denominator) {
    for (*denominator = 1; *denominator <= OB_MAX_DENOMINATOR; *denominator *= 2) {
        uint32_t i = 0;
        for (; i < n; i++) {
            double part = values[i] * (double)*denominator;
            if (!(fabs(part) <= MAX_NUMERATOR)) return false;
            if (part != floor(part)) break;
            parts[i] = (ob_dim)part;
        }
        if (i == n) return true;
    }
    return false;
}

ob_dim ob__extent_with(ob_infer *infer, ob_dim extent, ob_dim part) {
    int64_t low, high;
    if (part == OB_DIM_UNKNOWN) return extent; /* an unknown part does not change the extent */
    if (ob_dim_is_const(part) && part >= -ob__exact_limit(OB_FLOAT) && part <= ob__exact_limit(OB_FLOAT)) return extent;
    ob_dim_bounds(infer->dims, part, &low, &high);
    extent = ob_dim_max(infer->dims, extent, part);
    return low >= 0 ? extent : ob_dim_max(infer->dims, extent, ob_dim_sub(infer->dims, 0, part));
}
