/* One operand. Integers wrap (Abs and Neg of the least integer give the same integer); Round rounds ties to even; Sign of NaN is
 * NaN; Softplus does not overflow. Narrow floats are computed in float. */
#include <string.h>

#include "core/base/error.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/take.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/members.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* Attributes that become parameters. */
static const struct {
    const char *alpha, *beta, *gamma;
} attributes[OBK_UNARY_COUNT] = {
    [OBK_U_ELU] = {.alpha = "alpha"},
    [OBK_U_SELU] = {.alpha = "alpha", .gamma = "gamma"},
    [OBK_U_LEAKY_RELU] = {.alpha = "alpha"},
    [OBK_U_THRESHOLDED_RELU] = {.alpha = "alpha"},
    [OBK_U_HARD_SIGMOID] = {.alpha = "alpha", .beta = "beta"},
    [OBK_U_CELU] = {.alpha = "alpha"},
    [OBK_U_SHRINK] = {.alpha = "lambd", .beta = "bias"},
    [OBK_U_SWISH] = {.alpha = "alpha"},
    [OBK_U_AFFINE] = {.alpha = "alpha", .beta = "beta"},
    [OBK_U_SCALED_TANH] = {.alpha = "alpha", .beta = "beta"},
    [OBK_U_PARAMETRIC_SOFTPLUS] = {.alpha = "alpha", .beta = "beta"},
};

obk_unary ob__read_unary(const ob_node *node, const ob_op *op, obk_unary_params *params) {
    const obk_unary loop = op->loop.number;
    if (attributes[loop].alpha) params->alpha = (double)ob__attribute_float(node, attributes[loop].alpha);
    if (attributes[loop].beta) params->beta = (double)ob__attribute_float(node, attributes[loop].beta);
    if (attributes[loop].gamma) params->gamma = (double)ob__attribute_float(node, attributes[loop].gamma);
    if (loop == OBK_U_IS_INF) {
        params->positive = ob__attribute_flag(node, "detect_positive");
        params->negative = ob__attribute_flag(node, "detect_negative");
    }
    const bool approximates = loop == OBK_U_GELU && strcmp(ob__attribute_text(node, "approximate"), "tanh") == 0;
    return approximates ? OBK_U_GELU_TANH : loop;
}

static ob_status element(const ob_kernel_site *site, const ob_kernel_args *args, ob_element_call *call, ob_error *error) {
    OB_FAIL_IF(args->n_in != 1 || args->n_out != 1, error, OB_E_MODEL, "one input and one output are needed");
    const obk_unary loop = ob__read_unary(site->node, site->op, &call->numbers->params);
    const ob_dtype dtype = args->in[0].dtype;
    call->spec.params = &call->numbers->params;
    call->spec.params_type = &obk_unary_params_struct;
    if (!ob__element_loop(OBK_ROW(unary, [loop]), dtype, args->out[0].dtype, 1, &call->spec))
        return ob__unsupported_type(site, dtype, error);
    return OB_OK;
}

const ob_kernel ob__kernel_unary = {.name = "unary",
                                    .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                    .state_bytes = sizeof(ob_element),
                                    .plan = ob__element_plan,
                                    OB_RUNS(ob__element_run),
                                    .state = &ob__element_struct,
                                    .element = element};
