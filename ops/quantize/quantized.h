/* How scales and zero points lie on what they quantise: the one answer, for shape rules and kernels alike. */
#ifndef OB_OPS_QUANTIZE_QUANTIZED_H
#define OB_OPS_QUANTIZE_QUANTIZED_H

#include "core/graph/graph.h"

struct ob_op;

typedef enum ob_scale_kind {
    OB_SCALE_UNKNOWN, /* a rank is not known */
    OB_SCALE_TENSOR,  /* one for all */
    OB_SCALE_AXIS,    /* one for each slice along `axis` (or one for all, when that is what a symbolic size turns out to be) */
    OB_SCALE_BLOCKED, /* one for each block of elements along `axis` */
    OB_SCALE_MISFIT   /* none of them: `problem` says why */
} ob_scale_kind;

/* The kind follows from ranks and attributes; the sizes must also meet the conditions. Sizes may be terms. */
typedef struct ob_scale_layout {
    ob_scale_kind kind;
    int32_t axis;
    int64_t block; /* elements that share a scale along `axis`; 0: a size that decides it is open */
    bool open;     /* so is whether the sizes of blocks fit */
    ob_dim guard;  /* the conditions matter where this is 1 or more: the scale may be one number after all */
    const char *problem;
    uint32_t n_conditions;
    struct {
        ob_condition condition;
        int32_t axis; /* of the quantised tensor */
    } conditions[OB_MAX_RANK];
} ob_scale_layout;

/* Of QuantizeLinear and DequantizeLinear. A scale of one element is one for all, whatever its rank, unless block_size asks for
 * blocks of a scale of x's rank. `dims` may be NULL when every size is a number. */
void ob__scale_layout(const ob_node *node, const struct ob_op *op, ob_dims *dims, ob_shape x, ob_shape scale,
                      ob_scale_layout *out);

/* What a scale or zero point of a product belongs to: one for all, or one for each ... */
typedef enum ob_scale_of {
    OB_SCALE_OF_ALL,    /* data and result of a convolution, result of a matrix product */
    OB_SCALE_OF_ROW,    /* A of a matrix product: M elements, or A's shape with 1 for the last axis */
    OB_SCALE_OF_COLUMN, /* B of a matrix product: N elements, or B's shape with 1 for the last but one axis */
    OB_SCALE_OF_MAP     /* W of a convolution: M elements */
} ob_scale_of;

/* Of MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv: a scale or zero point of that shape on `operand`. Kind TENSOR or
 * AXIS; of an axis, `aligned` (rank of the operand) is the scale's shape as it stretches to the operand's. */
void ob__product_scale_layout(ob_scale_of of, ob_shape operand, ob_shape scale, ob_scale_layout *out, ob_dim *aligned);

/* For sizes that are numbers: true when all conditions hold. */
bool ob__scale_fits(const ob_scale_layout *layout);

#endif
