#include "ops/norm/common.h"
#include "core/graph/types.h"
#include "ops/kernel/conversion.h"

ob_status ob__norm_shapes(const ob_kernel_site *site, const ob_kernel_args *args, int32_t least_rank, ob_error *error) {
    const ob_view *x = &args->in[0];
    OB_FAIL_IF(!ob__dtype_is_real_or_half(x->dtype), error, OB_E_TYPE, "version %d does not take %s", site->op->since,
               ob_dtype_name(x->dtype));
    OB_FAIL_IF(x->rank < least_rank || ob__count(x) != ob__count(&args->out[0]), error, OB_E_SHAPE, "X of rank %d", x->rank);
    return OB_OK;
}

ob_status ob__norm_count(const ob_kernel_args *args, uint32_t i, int64_t n, ob_error *error) {
    OB_FAIL_IF(!ob__given(args, i) || ob__count(&args->in[i]) != n, error, OB_E_SHAPE, "input %u does not have %lld elements", i,
               (long long)n);
    return OB_OK;
}

ob_dtype ob__norm_rounds_to(const ob_kernel_args *args) {
    const ob_dtype type = args->out[0].dtype;
    return ob__dtype_is_half(type) ? type : OB_NONE;
}

enum { ROUNDED = 256 };

static void round_to(const ob_kernel_args *args, ob_dtype type, float *y, int64_t n) {
    uint16_t codes[ROUNDED];
    (void)ob__convert_in_run(args, codes, type, y, OB_FLOAT, n, NULL);
    (void)ob__convert_in_run(args, y, OB_FLOAT, codes, type, n, NULL);
}

void ob__norm_second_stage(const ob_kernel_args *args, ob_dtype type, float *y, int64_t n, const float *scale, const float *bias,
                           int64_t step) {
    for (int64_t from = 0; from < n; from += ROUNDED) {
        const int64_t m = n - from < ROUNDED ? n - from : ROUNDED;
        float *part = y + from;
        round_to(args, type, part, m);
        for (int64_t i = 0; scale && i < m; i++) part[i] *= scale[(from + i) * step];
        if (scale && bias) round_to(args, type, part, m);
        for (int64_t i = 0; bias && i < m; i++) part[i] += bias[(from + i) * step];
    }
}
