/* Shape rules of quantization, and of the scales and zero points of quantized products. */
#include <string.h>

#include "core/error.h"
#include "ops/quantize/quantized.h"
#include "ops/table/op.h"

OB_RULE(quantize);
OB_RULE(dynamic_quantize);
OB_RULE(qlinear_binary);

static ob_status require_layout(ob_infer *infer, const ob_scale_layout *layout, uint32_t input) {
    if (layout->kind == OB_SCALE_MISFIT) ob__problem(infer, OB0601, (int32_t)input, -1, "operand %u: %s", input, layout->problem);
    if (layout->kind == OB_SCALE_UNKNOWN) return ob__unverified(infer, (int32_t)input, -1, "the rank of an operand is not known");
    for (uint32_t i = 0; i < layout->n_conditions; i++) {
        const ob_condition *c = &layout->conditions[i].condition;
        OB_TRY(ob__require_where(infer, layout->guard, c->kind, c->a, c->b, (int32_t)input, layout->conditions[i].axis, OB0601));
    }
    return layout->open ? ob__unverified(infer, (int32_t)input, layout->axis, "sizes leave open how long a block is") : OB_OK;
}

/* ---- QuantizeLinear, DequantizeLinear ---- */

/* The zero points lie as the scales do; [1] for a scalar is common and harmless. */
static ob_status require_zero_points(ob_infer *infer, const ob_scale_layout *layout) {
    ob_shape scale = ob__in_shape(infer, 1), zero = ob__in_shape(infer, 2);
    if (layout->kind == OB_SCALE_TENSOR) return ob__require_one(infer, 2);
    if (layout->kind == OB_SCALE_UNKNOWN) return ob__rank_unknown(infer, 2);
    bool open = true; /* sizes of the scale that may come out as 1, all of them */
    for (int32_t axis = 0; axis < scale.rank; axis++)
        open = open && (scale.dims[axis] == 1 || !ob_dim_is_const(scale.dims[axis]));
    if (!open || zero.rank < 0 || zero.rank == scale.rank) return ob__require_shape(infer, 2, scale, OB0601);
    OB_TRY(ob__require_one(infer, 1));
    return ob__require_one(infer, 2);
}

ob_status ob__infer_quantize(ob_infer *infer) {
    bool quantize = ob__op_is(infer, "QuantizeLinear");
    ob_dtype from_operand = ob__in_dtype(infer, quantize ? 2 : 1);
    ob_dtype otherwise = quantize ? OB_UINT8 : ob__since(infer) < 19 ? OB_FLOAT : OB_NONE;
    ob_dtype dtype = ob__dtype_attribute(infer, "output_dtype", from_operand ? from_operand : otherwise);
    if (quantize && from_operand && dtype != from_operand)
        ob__problem(infer, OB0604, 2, -1, "the zero point is %s, attribute output_dtype asks for %s", ob_dtype_name(from_operand),
                    ob_dtype_name(dtype));
    OB_TRY(ob__out_like(infer, 0, 0));
    if (!infer->node->n_outputs) return OB_OK;
    infer->out_types[0].kind = OB_TYPE_TENSOR;
    infer->out_types[0].dtype = dtype;
    ob_scale_layout layout;
    ob__scale_layout(infer->node, infer->op, infer->dims, ob__in_shape(infer, 0), ob__in_shape(infer, 1), &layout);
    OB_TRY(require_layout(infer, &layout, 1));
    return require_zero_points(infer, &layout);
}

ob_status ob__infer_dynamic_quantize(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    if (infer->node->n_outputs) ob__out_dtype(infer, 0, OB_UINT8);
    OB_TRY(ob__out_tensor(infer, 1, OB_FLOAT, 0, NULL));
    return ob__out_tensor(infer, 2, OB_UINT8, 0, NULL);
}

/* ---- Products ---- */

ob_status ob__require_product_scales(ob_infer *infer) {
    static const struct {
        const char *op;
        uint32_t input, operand;
        ob_scale_of of;
    } parameters[] = {
        {"MatMulInteger", 2, 0, OB_SCALE_OF_ROW},    {"MatMulInteger", 3, 1, OB_SCALE_OF_COLUMN},
        {"QLinearMatMul", 1, 0, OB_SCALE_OF_ROW},    {"QLinearMatMul", 2, 0, OB_SCALE_OF_ROW},
        {"QLinearMatMul", 4, 3, OB_SCALE_OF_COLUMN}, {"QLinearMatMul", 5, 3, OB_SCALE_OF_COLUMN},
        {"QLinearMatMul", 6, 0, OB_SCALE_OF_ALL},    {"QLinearMatMul", 7, 0, OB_SCALE_OF_ALL},
        {"ConvInteger", 2, 0, OB_SCALE_OF_ALL},      {"ConvInteger", 3, 1, OB_SCALE_OF_MAP},
        {"QLinearConv", 1, 0, OB_SCALE_OF_ALL},      {"QLinearConv", 2, 0, OB_SCALE_OF_ALL},
        {"QLinearConv", 4, 3, OB_SCALE_OF_MAP},      {"QLinearConv", 5, 3, OB_SCALE_OF_MAP},
        {"QLinearConv", 6, 0, OB_SCALE_OF_ALL},      {"QLinearConv", 7, 0, OB_SCALE_OF_ALL},
    };
    const char *name = infer->op->name;
    if (strncmp(name, "QLinear", 7) != 0 && !strstr(name, "Integer")) return OB_OK;
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++) {
        if (!ob__op_is(infer, parameters[i].op) || !ob__in_given(infer, parameters[i].input)) continue;
        ob_dim aligned[OB_MAX_RANK];
        ob_scale_layout layout;
        ob__product_scale_layout(parameters[i].of, ob__in_shape(infer, parameters[i].operand),
                                 ob__in_shape(infer, parameters[i].input), &layout, aligned);
        OB_TRY(require_layout(infer, &layout, parameters[i].input));
    }
    return OB_OK;
}

/* com.microsoft QLinearAdd and QLinearMul: the operands stand at 0 and 3, each followed by its scale and zero point. */
ob_status ob__infer_qlinear_binary(ob_infer *infer) {
    static const uint32_t operands[2] = {0, 3};
    ob_broadcast_result result;
    OB_TRY(ob__broadcast_inputs(infer, operands, 2, &result));
    return ob__out_tensor(infer, 0, OB_NONE, result.rank, result.dims);
}
