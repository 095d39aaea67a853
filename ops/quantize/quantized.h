/* The mapping of scales and zero points to elements, in one place for shape rules and kernels. */
#ifndef OB_OPS_QUANTIZE_QUANTIZED_H
#define OB_OPS_QUANTIZE_QUANTIZED_H

#include "core/graph/graph.h"

struct ob_op;

typedef enum ob_scale_kind {
    OB_SCALE_UNKNOWN, /* a rank is not known */
    OB_SCALE_TENSOR,  /* one for all */
    OB_SCALE_AXIS,    /* one for each slice along `axis`; if a symbolic size turns out to be 1, one for all */
    OB_SCALE_BLOCKED, /* one for each block of elements along `axis` */
    OB_SCALE_MISFIT   /* none of these; `problem` gives the reason */
} ob_scale_kind;

/* The kind follows from ranks and attributes; the sizes must also meet the conditions. Sizes may be terms. */
typedef struct ob_scale_layout {
    ob_scale_kind kind;
    int32_t axis;
    int64_t block; /* elements that share a scale along `axis`; 0: depends on an open size */
    bool open;     /* it is open whether the sizes of blocks fit */
    ob_dim guard;  /* the conditions matter only if this is 1 or more; otherwise the scale is one number */
    const char *problem;
    uint32_t n_conditions;
    struct {
        ob_condition condition;
        int32_t axis; /* of the quantized tensor */
    } conditions[OB_MAX_RANK];
} ob_scale_layout;

/* For QuantizeLinear and DequantizeLinear. A scale with one element is one for all, whatever its rank, unless block_size is given
 * and the scale has x's rank. `dims` may be NULL if all sizes are numbers. */
void ob__scale_layout(const ob_node *node, const struct ob_op *op, ob_dims *dims, ob_shape x, ob_shape scale,
                      ob_scale_layout *out);

/* The elements of a product that share a scale or zero point: all, or one for each ... */
typedef enum ob_scale_of {
    OB_SCALE_OF_ALL,    /* data and result of a convolution, result of a matrix product */
    OB_SCALE_OF_ROW,    /* A of a matrix product: M elements, or A's shape with 1 for the last axis */
    OB_SCALE_OF_COLUMN, /* B of a matrix product: N elements, or B's shape with 1 for the last but one axis */
    OB_SCALE_OF_CHANNEL /* W of a convolution: M elements */
} ob_scale_of;

/* For MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv: the layout of a scale or zero point of that shape on `operand`.
 * The kind is TENSOR or AXIS. For AXIS, `aligned` (rank of the operand) is the scale's shape as it broadcasts to the operand's.
 */
void ob__product_scale_layout(ob_scale_of of, ob_shape operand, ob_shape scale, ob_scale_layout *out, ob_dim *aligned);

/* For sizes that are numbers: true if all conditions hold. */
bool ob__scale_fits(const ob_scale_layout *layout);

#endif
