/* Where: copies elements of any type by their width. */
#include "core/base/error.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/members.h"
#include "ops/table/op.h"

static ob_status element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call, ob_error *error) {
    OB_FAIL_IF(args->n_in != 3 || args->n_out != 1, error, OB_E_MODEL, "three inputs and one output are needed");
    ob_dtype dtype = args->out[0].dtype;
    OB_FAIL_IF(args->in[0].dtype != OB_BOOL || args->in[1].dtype != dtype || args->in[2].dtype != dtype, error, OB_E_TYPE,
               "condition %s, operands %s and %s", ob_dtype_name(args->in[0].dtype), ob_dtype_name(args->in[1].dtype),
               ob_dtype_name(args->in[2].dtype));
    int width = 0;
    while (width < 5 && (size_t)1 << width != ob_dtype_size(dtype)) width++;
    if (width == 5) return ob__unsupported_type(site, dtype, error);
    call->spec.loop = OBK_LOOP(where, [width]);
    return OB_OK;
}

const ob_kernel ob__kernel_where = {.name = "where",
                                    .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                    .state_bytes = sizeof(ob_element),
                                    .plan = ob__element_plan,
                                    OB_RUNS(ob__element_run),
                                    .state = &ob__element_struct,
                                    .element = element};
