/* The attributes of reductions, read only here. */
#ifndef OB_OPS_REDUCE_PARAMS_H
#define OB_OPS_REDUCE_PARAMS_H

#include "kernels/reduce/reduce.h"
#include "ops/table/op.h"

/* ReduceL1 ... ReduceSumSquare. Axes: attribute "axes" or input 1. */
typedef struct ob_reduce_params {
    obk_fold fold;
    obk_finish finish;
    bool keep_axes;
    bool nothing_by_default; /* without axes each element is reduced on its own; otherwise, all axes are reduced */
} ob_reduce_params;
ob_reduce_params ob__reduce_params(const ob_node *node, const ob_op *op);

/* ArgMax, ArgMin. */
typedef struct ob_argreduce_params {
    int64_t axis;
    bool keep_axes, smallest, last;
} ob_argreduce_params;
ob_argreduce_params ob__argreduce_params(const ob_node *node, const ob_op *op);

/* CumSum, CumProd. Axis: input 1. */
typedef struct ob_running_params {
    bool exclusive, reverse, product;
} ob_running_params;
ob_running_params ob__running_params(const ob_node *node, const ob_op *op);

#endif
