/* PRelu: x, or slope * x for x below 0. The slope broadcasts to x one way: aligned at the last axis since opset 7; in 1 and 6 it
 * is one number, or one for each channel (axis 1). */
#include "core/base/error.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/infer/legacy.h"
#include "ops/kernel/members.h"
#include "ops/table/op.h"

static ob_status align_slope(int16_t since, const ob_view *x, ob_view *slope, ob_error *error) {
    if (since < 7) {
        bool one = ob_view_count(slope) == 1;
        if (one) slope->rank = 0;
        if (!one && slope->rank == 1) return ob__legacy_align_at(x, slope, x->rank > 1, 1, error);
    }
    return ob__legacy_align_at(x, slope, false, 0, error);
}

static ob_status element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call, ob_error *error) {
    OB_FAIL_IF(args->n_in != 2 || args->n_out != 1, error, OB_E_MODEL, "two inputs and one output are needed");
    ob_dtype dtype = args->in[0].dtype;
    OB_FAIL_IF(args->in[1].dtype != dtype, error, OB_E_TYPE, "slope of type %s for %s", ob_dtype_name(args->in[1].dtype),
               ob_dtype_name(dtype));
    call->few[0] = args->in[0];
    call->few[1] = args->in[1];
    call->in = call->few;
    OB_TRY(align_slope(site->op->since, &call->few[0], &call->few[1], error));
    if (!ob__element_loop(OBK_ROW(binary, [OBK_PRELU]), dtype, dtype, 2, &call->spec))
        return ob__unsupported_type(site, dtype, error);
    return OB_OK;
}

const ob_kernel ob__kernel_prelu = {.name = "prelu",
                                    .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                    .state_bytes = sizeof(ob_element),
                                    .plan = ob__element_plan,
                                    OB_RUNS(ob__element_run),
                                    .state = &ob__element_struct,
                                    .element = element};
