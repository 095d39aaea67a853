/* Shape rules of domain ai.onnx.preview.training. */
#include "core/base/error.h"
#include "ops/infer/infer.h"
#include "ops/table/attributes.h"
#include "ops/training/params.h"

OB_RULE(optimizer);
OB_RULE(gradient);

/* Operands and results of one optimized tensor have its type and shape. */
static ob_status optimized(ob_infer *infer, const ob_optimizer_params *p, uint32_t n, uint32_t i) {
    const uint32_t x = 2 + i;
    for (uint32_t group = 1; group < 2 + p->n_states; group++) {
        const uint32_t operand = x + group * n;
        const ob_dtype type = ob__in_dtype(infer, x), other = ob__in_dtype(infer, operand);
        if (type != OB_NONE && other != OB_NONE && type != other)
            ob__problem(infer, OB0604, (int32_t)operand, -1, "it is %s, and operand %u, which it belongs to, %s",
                        ob_dtype_name(other), x, ob_dtype_name(type));
        if (ob__in_rank(infer, x) >= 0) OB_TRY(ob__require_shape(infer, operand, ob__in_shape(infer, x), OB0601));
    }
    for (uint32_t group = 0; group <= p->n_states; group++) OB_TRY(ob__out_like(infer, group * n + i, x));
    return OB_OK;
}

ob_status ob__infer_optimizer(ob_infer *infer) {
    const ob_optimizer_params p = ob__optimizer_params(infer->node);
    const uint32_t n = ob__optimized(&p, infer->node->n_inputs);
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__require_one(infer, i));
    if (n == 0 || infer->node->n_outputs != n * (1 + p.n_states)) {
        ob__problem(infer, OB0603, -1, -1,
                    "%u operands and %u results: each tensor needs %u beside the rate and the count, and %u results",
                    infer->node->n_inputs, infer->node->n_outputs, 2 + p.n_states, 1 + p.n_states);
        return OB_OK;
    }
    for (uint32_t i = 0; i < n; i++) OB_TRY(optimized(infer, &p, n, i));
    return OB_OK;
}

ob_status ob__infer_gradient(ob_infer *infer) {
    const ob_node *node = infer->node;
    const ob_gradient_params p = ob__gradient_params(node);
    if (p.n_xs == 0) ob__problem(infer, OB0602, -1, -1, "attribute xs must name what y is differentiated by");
    if (!p.y)
        ob__problem(infer, OB0602, -1, -1, "attribute y names %s, which the graph does not have", ob__attribute_text(node, "y"));
    if (node->n_inputs != p.n || node->n_outputs > p.n_xs) {
        ob__problem(infer, OB0603, -1, -1,
                    "%u operands and %u results: it needs one operand for each of the %u names in xs and zs, "
                    "and at most %u results, one for each name in xs",
                    node->n_inputs, node->n_outputs, p.n, p.n_xs);
        return OB_OK;
    }
    for (uint32_t i = 0; i < p.n; i++)
        if (!ob__gradient_value(node, &p, i))
            ob__problem(infer, OB0602, (int32_t)i, -1, "attribute %s names a value that the graph does not have, number %u",
                        i < p.n_xs ? "xs" : "zs", i < p.n_xs ? i : i - p.n_xs);
    for (uint32_t i = 0; i < node->n_outputs; i++) OB_TRY(ob__out_like(infer, i, i));
    return OB_OK;
}
