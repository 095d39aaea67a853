/* One operand. Integers wrap (Abs and Neg of the least integer give itself); Round goes to even; Sign of NaN is NaN; Softplus
 * does not overflow. Narrow floats are computed in float. */
#include <string.h>

#include "core/error.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/kernels.h"
#include "ops/elementwise/element.h"
#include "ops/table/op.h"

typedef struct state {
    ob_blocks blocks; /* first: see ob__element_run */
    obk_unary_params params;
} state;

/* Attributes that become parameters. */
typedef struct row {
    const char *name;
    obk_unary loop;
    const char *alpha, *beta, *gamma;
} row;

static const row rows[] = {
    {.name = "Abs", .loop = OBK_U_ABS},
    {.name = "Neg", .loop = OBK_U_NEG},
    {.name = "Ceil", .loop = OBK_U_CEIL},
    {.name = "Floor", .loop = OBK_U_FLOOR},
    {.name = "Round", .loop = OBK_U_ROUND},
    {.name = "Sqrt", .loop = OBK_U_SQRT},
    {.name = "Exp", .loop = OBK_U_EXP},
    {.name = "Log", .loop = OBK_U_LOG},
    {.name = "Sin", .loop = OBK_U_SIN},
    {.name = "Cos", .loop = OBK_U_COS},
    {.name = "Tan", .loop = OBK_U_TAN},
    {.name = "Asin", .loop = OBK_U_ASIN},
    {.name = "Acos", .loop = OBK_U_ACOS},
    {.name = "Atan", .loop = OBK_U_ATAN},
    {.name = "Sinh", .loop = OBK_U_SINH},
    {.name = "Cosh", .loop = OBK_U_COSH},
    {.name = "Tanh", .loop = OBK_U_TANH},
    {.name = "Asinh", .loop = OBK_U_ASINH},
    {.name = "Acosh", .loop = OBK_U_ACOSH},
    {.name = "Atanh", .loop = OBK_U_ATANH},
    {.name = "Sigmoid", .loop = OBK_U_SIGMOID},
    {.name = "Relu", .loop = OBK_U_RELU},
    {.name = "Erf", .loop = OBK_U_ERF},
    {.name = "Reciprocal", .loop = OBK_U_RECIPROCAL},
    {.name = "Sign", .loop = OBK_U_SIGN},
    {.name = "Not", .loop = OBK_U_NOT},
    {.name = "BitwiseNot", .loop = OBK_U_BIT_NOT},
    {.name = "IsNaN", .loop = OBK_U_IS_NAN},
    {.name = "IsInf", .loop = OBK_U_IS_INF},
    {.name = "Elu", .loop = OBK_U_ELU, .alpha = "alpha"},
    {.name = "Selu", .loop = OBK_U_SELU, .alpha = "alpha", .gamma = "gamma"},
    {.name = "LeakyRelu", .loop = OBK_U_LEAKY_RELU, .alpha = "alpha"},
    {.name = "ThresholdedRelu", .loop = OBK_U_THRESHOLDED_RELU, .alpha = "alpha"},
    {.name = "HardSigmoid", .loop = OBK_U_HARD_SIGMOID, .alpha = "alpha", .beta = "beta"},
    {.name = "HardSwish", .loop = OBK_U_HARD_SWISH},
    {.name = "Celu", .loop = OBK_U_CELU, .alpha = "alpha"},
    {.name = "Softplus", .loop = OBK_U_SOFTPLUS},
    {.name = "Softsign", .loop = OBK_U_SOFTSIGN},
    {.name = "Shrink", .loop = OBK_U_SHRINK, .alpha = "lambd", .beta = "bias"},
    {.name = "Mish", .loop = OBK_U_MISH},
    {.name = "Gelu", .loop = OBK_U_GELU},
    {.name = "Swish", .loop = OBK_U_SWISH, .alpha = "alpha"},
    {.name = "Affine", .loop = OBK_U_AFFINE, .alpha = "alpha", .beta = "beta"},
    {.name = "ScaledTanh", .loop = OBK_U_SCALED_TANH, .alpha = "alpha", .beta = "beta"},
    {.name = "ParametricSoftplus", .loop = OBK_U_PARAMETRIC_SOFTPLUS, .alpha = "alpha", .beta = "beta"},
};

static const row *find_row(const char *name) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

ob_status ob__read_unary(const ob_node *node, const char *name, int since, obk_unary *loop, obk_unary_params *params,
                         ob_error *error) {
    const row *found = find_row(name);
    OB_FAIL_IF(!found, error, OB_E_UNSUPPORTED, "version %d has no kernel", since);
    *loop = found->loop;
    if (found->alpha) params->alpha = (double)ob__attribute_float(node, found->alpha);
    if (found->beta) params->beta = (double)ob__attribute_float(node, found->beta);
    if (found->gamma) params->gamma = (double)ob__attribute_float(node, found->gamma);
    if (*loop == OBK_U_IS_INF) {
        params->positive = ob__attribute_flag(node, "detect_positive");
        params->negative = ob__attribute_flag(node, "detect_negative");
    } else if (*loop == OBK_U_GELU) {
        if (strcmp(ob__attribute_text(node, "approximate"), "tanh") == 0) *loop = OBK_U_GELU_TANH;
    }
    return OB_OK;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    state *s = args->state;
    OB_FAIL_IF(args->n_in != 1 || args->n_out != 1, error, OB_E_MODEL, "one input and one output are needed");
    obk_unary loop;
    OB_TRY(ob__read_unary(site->node, site->op->name, site->op->since, &loop, &s->params, error));
    ob_dtype dtype = args->in[0].dtype;
    ob_blocks_spec spec = {.params = &s->params};
    if (!ob__element_loop(ob__kernels()->unary[loop], dtype, args->out[0].dtype, 1, &spec))
        return ob__unsupported_type(site, dtype, error);
    return ob__blocks_plan(&s->blocks, args->in, 1, &args->out[0], &spec, site->arena, needs, error);
}

const ob_kernel ob__kernel_unary = {.name = "unary",
                                    .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                    .state_bytes = sizeof(state),
                                    .plan = plan,
                                    .run = ob__element_run};
