/* Shape rules of operators that draw random numbers. */
#include "core/base/error.h"
#include "ops/infer/infer.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(random);
OB_RULE(random_like);
OB_RULE(multinomial);

ob_status ob__infer_random(ob_infer *infer) {
    uint32_t n;
    const int64_t *shape = ob__attribute_list(infer->node, "shape", &n);
    ob__out_dtype(infer, 0, ob__dtype_attribute(infer, "dtype", OB_FLOAT));
    if (!shape || !ob__rank_fits(infer, n)) return OB_OK;
    for (uint32_t i = 0; i < n; i++)
        if (shape[i] < 0 || shape[i] > OB_DIM_CONST_MAX) {
            ob__problem(infer, OB0602, -1, (int32_t)i, "shape holds %lld", (long long)shape[i]);
            return ob__out_rank(infer, 0, (int32_t)n);
        }
    return ob__out_tensor(infer, 0, OB_NONE, (int32_t)n, shape);
}

ob_status ob__infer_random_like(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    ob__out_dtype(infer, 0, ob__dtype_attribute(infer, "dtype", ob__in_dtype(infer, 0)));
    return OB_OK;
}

ob_status ob__infer_multinomial(ob_infer *infer) {
    ob_dim n = ob__attribute_int(infer->node, "sample_size");
    if (!ob__rank_in(infer, 0, 2, 2)) return OB_OK;
    if (ob__in_rank(infer, 0) == 2 && n > 0) /* samples need at least one class */
        OB_TRY(ob__require_where(infer, ob__in_dim(infer, 0, 0), OB_COND_AT_LEAST, ob__in_dim(infer, 0, 1), 1, 0, 1, OB0601));
    const ob_dim dims[2] = {ob__in_dim(infer, 0, 0), ob_dim_is_const(n) && n >= 0 ? n : OB_DIM_UNKNOWN};
    return ob__out_tensor(infer, 0, ob__dtype_attribute(infer, "dtype", OB_INT32), 2, dims);
}
