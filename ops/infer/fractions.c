/* Fractions in contents of floats: what scales a size by 0.5 or 1.5 and rounds it, as Resize is told its sizes.
 *
 * Elements are terms over one power of two, so that float arithmetic keeps them exactly as long as no numerator has more bits
 * than the type. That is required where they turn into integers again; beyond, nobody could say what the rounded numbers are. */
#include <math.h>

#include "ops/infer/contents.h"

enum {
    MAX_NUMERATOR = 64 /* of a constant: 1.3 is a fraction too, but leaves sizes no room in 24 bits */
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
    if (part == OB_DIM_UNKNOWN) return extent; /* nobody says what it is */
    if (ob_dim_is_const(part) && part >= -ob__exact_limit(OB_FLOAT) && part <= ob__exact_limit(OB_FLOAT)) return extent;
    ob_dim_bounds(infer->dims, part, &low, &high);
    extent = ob_dim_max(infer->dims, extent, part);
    return low >= 0 ? extent : ob_dim_max(infer->dims, extent, ob_dim_sub(infer->dims, 0, part));
}
