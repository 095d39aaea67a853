/* The attributes of normalizations, read only here. Values out of range are kept: rules report them, kernels refuse them. */
#ifndef OB_OPS_NORM_PARAMS_H
#define OB_OPS_NORM_PARAMS_H

#include "ops/table/op.h"

/* Softmax, LogSoftmax, Hardmax. */
typedef struct ob_softmax_params {
    int64_t axis;
    bool flattens; /* before opset 13: the shape is flattened to a matrix at the axis, and each row is one vector */
    bool logarithm;
} ob_softmax_params;
ob_softmax_params ob__softmax_params(const ob_node *node, const ob_op *op);

typedef struct ob_batch_norm_params {
    double epsilon, momentum;
    bool per_channel; /* otherwise (before opset 9, with spatial = 0) for each channel and position */
    bool training;    /* mean and variance are those of X. Before opset 14 it follows from the number of results */
} ob_batch_norm_params;
ob_batch_norm_params ob__batch_norm_params(const ob_node *node, const ob_op *op);

/* InstanceNormalization, GroupNormalization. */
typedef struct ob_group_norm_params {
    double epsilon;
    bool grouped;   /* otherwise each channel is a group */
    int64_t groups; /* if grouped */
    bool scale_per_group;
} ob_group_norm_params;
ob_group_norm_params ob__group_norm_params(const ob_node *node, const ob_op *op);

/* LayerNormalization, RMSNormalization. */
typedef struct ob_layer_norm_params {
    int64_t axis;
    double epsilon;
    ob_dtype stash; /* for the statistics; OB_NONE: the attribute is not an element type */
    bool without_mean;
} ob_layer_norm_params;
ob_layer_norm_params ob__layer_norm_params(const ob_node *node, const ob_op *op);

typedef struct ob_lp_norm_params {
    int64_t axis, p;
} ob_lp_norm_params;
ob_lp_norm_params ob__lp_norm_params(const ob_node *node);

typedef struct ob_mean_variance_params {
    const int64_t *axes; /* of the node, or the default */
    uint32_t n_axes;
} ob_mean_variance_params;
ob_mean_variance_params ob__mean_variance_params(const ob_node *node);

typedef struct ob_lrn_params {
    int64_t size;
    bool size_fits; /* whether size is 1 .. INT32_MAX */
    double alpha, beta, bias;
} ob_lrn_params;
ob_lrn_params ob__lrn_params(const ob_node *node);

/* Dropout, as far as the node states it: since opset 12 operands do. */
typedef struct ob_dropout_params {
    bool trains;  /* before opset 7, unless is_test is set */
    double ratio; /* used if no operand gives it */
} ob_dropout_params;
ob_dropout_params ob__dropout_params(const ob_node *node, const ob_op *op);

#endif
