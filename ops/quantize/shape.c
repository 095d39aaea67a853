/* Shape rules of quantization, and of the scales and zero points of quantized products. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "ops/infer/infer.h"
#include "ops/quantize/quantized.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(quantize);
OB_RULE(dynamic_quantize);
OB_RULE(qlinear_same);
OB_RULE(qlinear_softmax);
OB_RULE(qlinear_pool);
OB_RULE(qlinear_global_pool);
OB_RULE(qlinear_reduce);
OB_RULE(qlinear_binary);
OB_RULE(qlinear_where);
OB_RULE(qlinear_concat);
OB_RULE(qgemm);
OB_RULE(scaled_matmul);
OB_RULE(matmul_nbits);
OB_RULE(softmax);
OB_RULE(pool);
OB_RULE(global_pool);
OB_RULE(reduce);
OB_RULE(matmul);

static ob_status require_layout(ob_infer *infer, const ob_scale_layout *layout, uint32_t input) {
    if (layout->kind == OB_SCALE_MISFIT) ob__problem(infer, OB0601, (int32_t)input, -1, "operand %u: %s", input, layout->problem);
    if (layout->kind == OB_SCALE_UNKNOWN) return ob__unverified(infer, (int32_t)input, -1, "the rank of an operand is not known");
    for (uint32_t i = 0; i < layout->n_conditions; i++) {
        const ob_condition *c = &layout->conditions[i].condition;
        OB_TRY(ob__require_where(infer, layout->guard, c->kind, c->a, c->b, (int32_t)input, layout->conditions[i].axis, OB0601));
    }
    return layout->open ? ob__unverified(infer, (int32_t)input, layout->axis, "the length of a block depends on open sizes")
                        : OB_OK;
}

/* ---- QuantizeLinear, DequantizeLinear ---- */

/* Zero points have the shape of the scales. [1] for a scalar is common and harmless. */
static ob_status require_zero_points(ob_infer *infer, const ob_scale_layout *layout) {
    ob_shape scale = ob__in_shape(infer, 1), zero = ob__in_shape(infer, 2);
    if (layout->kind == OB_SCALE_TENSOR) return ob__require_one(infer, 2);
    if (layout->kind == OB_SCALE_UNKNOWN) return ob__rank_unknown(infer, 2);
    bool open = true; /* all sizes of the scale may turn out to be 1 */
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
        {"MatMulInteger", 2, 0, OB_SCALE_OF_ROW},
        {"MatMulInteger", 3, 1, OB_SCALE_OF_COLUMN},
        {"QLinearMatMul", 1, 0, OB_SCALE_OF_ROW},
        {"QLinearMatMul", 2, 0, OB_SCALE_OF_ROW},
        {"QLinearMatMul", 4, 3, OB_SCALE_OF_COLUMN},
        {"QLinearMatMul", 5, 3, OB_SCALE_OF_COLUMN},
        {"QLinearMatMul", 6, 0, OB_SCALE_OF_ALL},
        {"QLinearMatMul", 7, 0, OB_SCALE_OF_ALL},
        {"ConvInteger", 2, 0, OB_SCALE_OF_ALL},
        {"ConvInteger", 3, 1, OB_SCALE_OF_CHANNEL},
        {"QLinearConv", 1, 0, OB_SCALE_OF_ALL},
        {"QLinearConv", 2, 0, OB_SCALE_OF_ALL},
        {"QLinearConv", 4, 3, OB_SCALE_OF_CHANNEL},
        {"QLinearConv", 5, 3, OB_SCALE_OF_CHANNEL},
        {"QLinearConv", 6, 0, OB_SCALE_OF_ALL},
        {"QLinearConv", 7, 0, OB_SCALE_OF_ALL},
        {"QGemm", 1, 0, OB_SCALE_OF_ALL},
        {"QGemm", 2, 0, OB_SCALE_OF_ALL},
        {"QGemm", 7, 0, OB_SCALE_OF_ALL},
        {"QGemm", 8, 0, OB_SCALE_OF_ALL},
        {"DynamicQuantizeMatMul", 2, 1, OB_SCALE_OF_COLUMN},
        {"DynamicQuantizeMatMul", 3, 1, OB_SCALE_OF_COLUMN},
        {"MatMulIntegerToFloat", 2, 0, OB_SCALE_OF_ALL},
        {"MatMulIntegerToFloat", 3, 1, OB_SCALE_OF_COLUMN},
        {"MatMulIntegerToFloat", 4, 0, OB_SCALE_OF_ALL},
        {"MatMulIntegerToFloat", 5, 1, OB_SCALE_OF_COLUMN},
    };
    const char *name = infer->op->name;
    if (name[0] != 'Q' && !strstr(name, "Integer") && !strstr(name, "Quantize")) return OB_OK;
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

/* ---- com.microsoft: each quantized operand is followed by its scale and zero point ---- */

/* Scales, the operands of letter f, and the zero point after each hold one element. */
static ob_status require_scales(ob_infer *infer) {
    bool homogeneous;
    for (uint32_t i = 1; i < infer->node->n_inputs; i++) {
        if (ob__op_input_letter(infer->op, i, &homogeneous) != 'f') continue;
        OB_TRY(ob__require_one(infer, i));
        OB_TRY(ob__require_one(infer, i + 1));
    }
    return OB_OK;
}

ob_status ob__infer_qlinear_same(ob_infer *infer) {
    OB_TRY(require_scales(infer));
    return ob__out_like(infer, 0, 0);
}

ob_status ob__infer_qlinear_softmax(ob_infer *infer) {
    OB_TRY(require_scales(infer));
    return ob__infer_softmax(infer);
}

ob_status ob__infer_qlinear_pool(ob_infer *infer) {
    OB_TRY(require_scales(infer));
    return ob__infer_pool(infer);
}

ob_status ob__infer_qlinear_global_pool(ob_infer *infer) {
    OB_TRY(require_scales(infer));
    return ob__infer_global_pool(infer);
}

ob_status ob__infer_qlinear_reduce(ob_infer *infer) {
    OB_TRY(require_scales(infer));
    return ob__infer_reduce(infer);
}

static ob_status broadcast_quantized(ob_infer *infer, const uint32_t *operands, uint32_t n) {
    ob_broadcast_result result;
    OB_TRY(require_scales(infer));
    OB_TRY(ob__broadcast_inputs(infer, operands, n, &result));
    return ob__out_tensor(infer, 0, OB_NONE, result.rank, result.dims);
}

ob_status ob__infer_qlinear_binary(ob_infer *infer) {
    return broadcast_quantized(infer, (const uint32_t[]){0, 3}, 2);
}

ob_status ob__infer_qlinear_where(ob_infer *infer) {
    return broadcast_quantized(infer, (const uint32_t[]){0, 1, 4}, 3);
}

/* The result's scale and zero point, then operand, scale and zero point of each input. */
ob_status ob__infer_qlinear_concat(ob_infer *infer) {
    uint32_t n = infer->node->n_inputs;
    int32_t rank = OB_RANK_UNKNOWN, axis;
    ob__out_dtype(infer, 0, OB_NONE);
    if (n % 3 != 2) ob__problem(infer, OB0603, -1, -1, "%u operands: each joined one needs a scale and a zero point", n);
    for (uint32_t i = 0; i < n; i++) {
        ob_dtype dtype = ob__in_dtype(infer, i), wanted = i % 3 == 0 ? OB_FLOAT : ob__in_dtype(infer, 1);
        if (dtype != OB_NONE && wanted != OB_NONE && dtype != wanted)
            ob__problem(infer, OB0604, (int32_t)i, -1, "operand %u is %s, %s is needed", i, ob_dtype_name(dtype),
                        ob_dtype_name(wanted));
        if (i % 3 != 2) OB_TRY(ob__require_one(infer, i));
        if (i % 3 == 2 && rank < 0) rank = ob__in_rank(infer, i);
    }
    for (uint32_t i = 2; i < n; i += 3)
        if (!ob__rank_in(infer, i, rank < 0 ? 0 : rank, rank < 0 ? OB_MAX_RANK : rank)) return OB_OK;
    if (rank < 0 || rank > OB_MAX_RANK || n % 3 != 2) return OB_OK;
    if (!ob__axis_in(infer, ob__attribute_int(infer->node, "axis"), rank, &axis)) return ob__out_rank(infer, 0, rank);
    ob_dim dims[OB_MAX_RANK];
    for (int32_t k = 0; k < rank; k++) {
        dims[k] = ob__in_dim(infer, 2, k);
        for (uint32_t i = 5; i < n; i += 3) {
            ob_dim d = ob__in_dim(infer, i, k);
            if (k != axis && ob__in_rank(infer, i) >= 0 && ob__in_rank(infer, 2) >= 0)
                OB_TRY(ob__require(infer, OB_COND_EQUAL, d, dims[k], (int32_t)i, k, OB0601));
            dims[k] = k == axis ? ob__size_add(infer, dims[k], d, k) : ob__dim_prefer(infer->dims, dims[k], d);
        }
    }
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

/* A is operand 0; B is operand 3, with one scale or one for each column; C is operand 6 and broadcasts to the product. */
ob_status ob__infer_qgemm(ob_infer *infer) {
    ob_dtype narrow = ob__in_given(infer, 8) ? ob__in_dtype(infer, 8) : OB_UINT8;
    ob__out_dtype(infer, 0, ob__in_given(infer, 7) ? narrow : OB_FLOAT);
    OB_TRY(ob__require_product_scales(infer));
    if (!ob__rank_in(infer, 0, 2, 2) || !ob__rank_in(infer, 3, 2, 2)) return OB_OK;
    int32_t m = ob__attribute_flag(infer->node, "transA"), n = ob__attribute_int(infer->node, "transB") == 0;
    const ob_dim dims[2] = {ob__in_dim(infer, 0, m), ob__in_dim(infer, 3, n)};
    if (ob__in_rank(infer, 0) >= 0 && ob__in_rank(infer, 3) >= 0)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 1 - m), ob__in_dim(infer, 3, 1 - n), 0, -1, OB0104));
    const ob_shape column = {1, &dims[1]};
    for (uint32_t i = 4; i < 6; i++)
        if (ob__rank_in(infer, i, 0, 1)) OB_TRY(ob__broadcast_onto(infer, ob__in_shape(infer, i), column, (int32_t)i, OB0601));
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 2, dims));
    return ob__broadcast_onto(infer, ob__in_shape(infer, 6), (ob_shape){2, dims}, 6, OB0102);
}

/* DynamicQuantizeMatMul and MatMulIntegerToFloat: the bias, the last operand, has one element for each column. */
ob_status ob__infer_scaled_matmul(ob_infer *infer) {
    uint32_t bias = ob__op_is(infer, "DynamicQuantizeMatMul") ? 4 : 6;
    ob_dim columns = ob__in_dim(infer, 1, -1);
    OB_TRY(ob__infer_matmul(infer));
    return ob__in_given(infer, bias) ? ob__require_shape(infer, bias, (ob_shape){1, &columns}, OB0601) : OB_OK;
}

/* Each row of B has a scale and a zero point for each block. Zero points have the scales' type, or are packed into bytes. */
static ob_status require_blocks(ob_infer *infer, ob_dim n, ob_dim n_blocks, int64_t bits) {
    const ob_dim packed = (n_blocks * bits + 7) / 8;
    const bool bytes = ob__in_dtype(infer, 3) == OB_UINT8;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_count(infer, 2), ob_dim_mul(infer->dims, n, n_blocks), 2, -1, OB0601));
    if (!ob__in_given(infer, 3)) return OB_OK;
    return ob__require(infer, OB_COND_EQUAL, ob__in_count(infer, 3), ob_dim_mul(infer->dims, n, bytes ? packed : n_blocks), 3, -1,
                       OB0601);
}

/* g_idx names the block of each of the K columns. It may be as long as all blocks together; the end is ignored. */
static ob_status require_block_indices(ob_infer *infer, ob_dim k, ob_dim n_blocks) {
    if (!ob__in_given(infer, 4)) return OB_OK;
    OB_TRY(ob__rank_unknown(infer, 4));
    if (!ob__rank_in(infer, 4, 1, 1) || ob__in_rank(infer, 4) < 0) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, ob__in_dim(infer, 4, 0), k, 4, 0, OB0601));
    if (ob__in_dim(infer, 4, 0) != k) return ob__unverified(infer, 4, 0, "indices depend on data");
    return ob__require_places(infer, 4, n_blocks, 2, -1);
}

ob_status ob__infer_matmul_nbits(ob_infer *infer) {
    ob_shape a = ob__in_shape(infer, 0);
    int64_t k = ob__attribute_int(infer->node, "K"), n = ob__attribute_int(infer->node, "N");
    int64_t block = ob__attribute_int(infer->node, "block_size"), bits = ob__attribute_int(infer->node, "bits");
    ob__out_dtype(infer, 0, OB_NONE);
    if (bits != 2 && bits != 4 && bits != 8) {
        ob__problem(infer, OB0602, -1, -1, "attribute bits is %lld: 2, 4 or 8 are possible", (long long)bits);
        return OB_OK;
    }
    if (k < 1 || n < 1 || block < 1 || k > INT32_MAX || n > INT32_MAX || block > INT32_MAX) {
        ob__problem(infer, OB0602, -1, -1, "attributes K, N and block_size must be positive numbers");
        return OB_OK;
    }
    const ob_dim columns = n, n_blocks = ob__ceil_div(k, block);
    OB_TRY(ob__rank_unknown(infer, 1));
    OB_TRY(require_blocks(infer, n, n_blocks, bits));
    if (ob__in_rank(infer, 1) >= 1) OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 1, 0), n, 1, 0, OB0601));
    if (ob__in_rank(infer, 1) == 3) {
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 1, 1), n_blocks, 1, 1, OB0601));
        OB_TRY(
            ob__require(infer, OB_COND_EQUAL, ob_dim_mul(infer->dims, ob__in_dim(infer, 1, 2), 8), block * bits, 1, 2, OB0601));
    }
    if (ob__in_rank(infer, 1) == 2)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob_dim_mul(infer->dims, ob__in_dim(infer, 1, 1), 8),
                           ob_dim_mul(infer->dims, n_blocks, block * bits), 1, 1, OB0601));
    OB_TRY(require_block_indices(infer, k, n_blocks));
    if (ob__in_given(infer, 5)) OB_TRY(ob__require_shape(infer, 5, (ob_shape){1, &columns}, OB0601));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (!ob__rank_in(infer, 0, 1, OB_MAX_RANK) || a.rank < 0) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, a.dims[a.rank - 1], k, 0, a.rank - 1, OB0104));
    ob_dim dims[OB_MAX_RANK];
    memcpy(dims, a.dims, (size_t)a.rank * sizeof *dims);
    dims[a.rank - 1] = n;
    return ob__out_tensor(infer, 0, OB_NONE, a.rank, dims);
}
