/* Max, Min, Sum, Mean of any number of operands, folded block by block so that the accumulator stays in the first-level cache.
 * Max and Min give NaN if any operand is NaN. Narrow floats are accumulated in float. */
#include "core/base/error.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/members.h"
#include "ops/table/op.h"

OB_KERNEL(mean);

static ob_status element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call, ob_error *error) {
    ob_element_numbers *s = call->numbers;
    const bool is_mean = site->op->kernel == &ob__kernel_mean;
    OB_FAIL_IF(args->n_in < 1 || args->n_out != 1, error, OB_E_MODEL, "at least one input and one output are needed");
    ob_dtype dtype = args->out[0].dtype;
    for (uint32_t k = 0; k < args->n_in; k++)
        OB_FAIL_IF(args->in[k].dtype != dtype, error, OB_E_TYPE, "operand %u has type %s, the result %s", (unsigned)k,
                   ob_dtype_name(args->in[k].dtype), ob_dtype_name(dtype));
    const obk_binary loop = is_mean ? OBK_ADD : site->op->loop.number;
    call->spec.fold = true;
    if (!ob__element_loop(OBK_ROW(binary, [loop]), dtype, dtype, 1, &call->spec)) return ob__unsupported_type(site, dtype, error);
    if (is_mean) {
        s->count_f32 = (float)args->n_in;
        s->count_f64 = args->n_in;
        bool wide = dtype == OB_DOUBLE;
        call->spec.finish = OBK_LOOP(binary, [OBK_DIV][wide ? OB_DOUBLE : OB_FLOAT]);
        call->spec.finish_operand = wide ? (const void *)&s->count_f64 : &s->count_f32;
    }
    return OB_OK;
}

#define VARIADIC(name_)                                                                                                          \
    {                                                                                                                            \
        .name = name_,                                                                                                           \
        .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE_FIRST, /* later operands are read after the accumulator is written */     \
            .state_bytes = sizeof(ob_element), .plan = ob__element_plan, OB_RUNS(ob__element_run), .state = &ob__element_struct, \
        .element = element                                                                                                       \
    }

const ob_kernel ob__kernel_variadic = VARIADIC("variadic"), ob__kernel_mean = VARIADIC("mean");
