/* One operand. Integers wrap (Abs and Neg of the least integer give itself); Round goes to even; Sign of NaN is NaN; Softplus
 * does not overflow. Narrow floats are computed in float. */
#include <string.h>

#include "core/error.h"
#include "ops/elementwise/element.h"
#include "ops/table/op.h"

typedef struct state {
    ob_blocks blocks; /* first: see ob__element_run */
    obk_unary_params params;
} state;

/* Attributes that become parameters, with the operator's defaults. */
typedef struct row {
    const char *name;
    int before; /* for versions before this one; 0: for all */
    obk_unary loop;
    struct {
        const char *attribute;
        float otherwise;
    } alpha, beta, gamma;
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
    {.name = "Elu", .loop = OBK_U_ELU, .alpha = {"alpha", 1}},
    {.name = "Selu", .before = 6, .loop = OBK_U_SELU, .alpha = {"alpha", 1.6732f}, .gamma = {"gamma", 1.0507f}},
    {.name = "Selu",
     .loop = OBK_U_SELU,
     .alpha = {"alpha", 1.67326319217681884765625f},
     .gamma = {"gamma", 1.05070102214813232421875f}},
    {.name = "LeakyRelu", .loop = OBK_U_LEAKY_RELU, .alpha = {"alpha", 0.01f}},
    {.name = "ThresholdedRelu", .loop = OBK_U_THRESHOLDED_RELU, .alpha = {"alpha", 1}},
    {.name = "HardSigmoid", .loop = OBK_U_HARD_SIGMOID, .alpha = {"alpha", 0.2f}, .beta = {"beta", 0.5f}},
    {.name = "HardSwish", .loop = OBK_U_HARD_SWISH},
    {.name = "Celu", .loop = OBK_U_CELU, .alpha = {"alpha", 1}},
    {.name = "Softplus", .loop = OBK_U_SOFTPLUS},
    {.name = "Softsign", .loop = OBK_U_SOFTSIGN},
    {.name = "Shrink", .loop = OBK_U_SHRINK, .alpha = {"lambd", 0.5f}, .beta = {"bias", 0}},
    {.name = "Mish", .loop = OBK_U_MISH},
    {.name = "Gelu", .loop = OBK_U_GELU},
    {.name = "Swish", .loop = OBK_U_SWISH, .alpha = {"alpha", 1}},
    {.name = "Affine", .loop = OBK_U_AFFINE, .alpha = {"alpha", 1}, .beta = {"beta", 0}},
    {.name = "ScaledTanh", .loop = OBK_U_SCALED_TANH, .alpha = {"alpha", 1}, .beta = {"beta", 1}},
    {.name = "ParametricSoftplus", .loop = OBK_U_PARAMETRIC_SOFTPLUS, .alpha = {"alpha", 1}, .beta = {"beta", 1}},
};

static const row *find_row(const char *name, int since) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0 && (rows[i].before == 0 || since < rows[i].before)) return &rows[i];
    return NULL;
}

ob_status ob__read_unary(const ob_node *node, const char *name, int since, obk_unary *loop, obk_unary_params *params,
                         ob_error *error) {
    const row *found = find_row(name, since);
    OB_FAIL_IF(!found, error, OB_E_UNSUPPORTED, "%s-%d is not supported", name, since);
    *loop = found->loop;
    if (found->alpha.attribute) params->alpha = (double)ob__node_float(node, found->alpha.attribute, found->alpha.otherwise);
    if (found->beta.attribute) params->beta = (double)ob__node_float(node, found->beta.attribute, found->beta.otherwise);
    if (found->gamma.attribute) params->gamma = (double)ob__node_float(node, found->gamma.attribute, found->gamma.otherwise);
    if (*loop == OBK_U_IS_INF) {
        params->positive = ob__node_int(node, "detect_positive", 1) != 0;
        params->negative = ob__node_int(node, "detect_negative", 1) != 0;
    } else if (*loop == OBK_U_GELU) {
        const char *approximate = ob__node_string(node, "approximate", "none");
        bool by_tanh = strcmp(approximate, "tanh") == 0;
        OB_FAIL_IF(!by_tanh && strcmp(approximate, "none") != 0, error, OB_E_MODEL,
                   "Gelu: attribute approximate must be none or tanh");
        if (by_tanh) *loop = OBK_U_GELU_TANH;
    }
    return OB_OK;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    state *s = args->state;
    OB_FAIL_IF(args->n_in != 1 || args->n_out != 1, error, OB_E_MODEL, "%s needs one input and one output", site->op->name);
    obk_unary loop;
    OB_TRY(ob__read_unary(site->node, site->op->name, site->op->since, &loop, &s->params, error));
    ob_dtype dtype = args->in[0].dtype;
    ob_blocks_spec spec = {.params = &s->params};
    if (!ob__element_loop(ob__kernels()->unary[loop], dtype, args->out[0].dtype, 1, &spec))
        return ob__unsupported_type(site, dtype, error);
    return ob__blocks_plan(&s->blocks, args->in, 1, &args->out[0], &spec, site->arena, error);
}

const ob_kernel ob__kernel_unary = {.name = "unary",
                                    .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                    .state_bytes = sizeof(state),
                                    .plan = plan,
                                    .run = ob__element_run};
