/* Einsum as a list of steps, planned in einsum.c and carried out in einsum_run.c. */
#ifndef OB_OPS_PRODUCT_EINSUM_H
#define OB_OPS_PRODUCT_EINSUM_H

#include "kernels/elementwise/iteration.h"
#include "kernels/reduce/reduce.h"
#include "ops/kernel/kernel.h"
#include "ops/product/params.h"

/* Labels: letters, then the axes of the ellipsis; the last label is its last axis. */
enum { OB_EINSUM_LABELS = OB_EINSUM_LETTERS + OB_MAX_RANK };

typedef enum ob_einsum_kind {
    OB_EINSUM_COPY,     /* permutes axes */
    OB_EINSUM_CONVERT,  /* of contiguous elements; narrower integers wrap */
    OB_EINSUM_SUM,      /* sums axes of one operand */
    OB_EINSUM_MULTIPLY, /* element by element: no axis is summed */
    OB_EINSUM_PRODUCT,  /* matrix product */
    OB_EINSUM_DIRECT    /* sums all remaining tensors, one result after the other */
} ob_einsum_kind;

typedef enum ob_einsum_memory { OB_EINSUM_INPUT, OB_EINSUM_OUTPUT, OB_EINSUM_SCRATCH } ob_einsum_memory;
typedef struct ob_einsum_location {
    ob_einsum_memory memory;
    size_t at; /* index of the input, or bytes of scratch */
} ob_einsum_location;

/* An operand or an intermediate result: no axis has size 1, no label occurs twice. */
typedef struct ob_einsum_tensor {
    ob_einsum_location place;
    ob_view view; /* without data */
    uint8_t labels[OB_MAX_RANK];
} ob_einsum_tensor;

/* Sums over all combinations of indices. Needs memory only for the result. */
typedef struct ob_einsum_direct {
    uint32_t n_tensors;
    int32_t n_labels, n_kept; /* the labels of the result come first, in its order */
    int64_t dims[OB_EINSUM_LABELS];
    ob_einsum_location *locations;
    int64_t *strides; /* bytes, [label * n_tensors + tensor] */
    size_t offsets;   /* scratch: an int64_t for each tensor */
} ob_einsum_direct;

/* An operand or result of a step, as runs read it. */
typedef struct ob_einsum_shape {
    ob_dtype dtype;
    int32_t rank;
    const int64_t *sizes; /* dims, then strides */
} ob_einsum_shape;

typedef struct ob_einsum_step {
    ob_einsum_kind kind;
    ob_einsum_location from[2], to;
    ob_einsum_shape shapes[3]; /* in[0], in[1], out */
    obk_reduce sum;
    obk_reduction *reduction;
    obk_iteration *blocks;
    ob_einsum_direct *direct;
    void *product;  /* state of the matrix product */
    size_t scratch; /* offset of its scratch memory */
    struct ob_einsum_step *next;
    ob_view in[2], out; /* without data; for planning */
} ob_einsum_step;

typedef struct ob_einsum {
    ob_einsum_step *steps;
    bool is_zero; /* the sum is over no elements */
} ob_einsum;

ob_status ob__run_einsum(const ob_kernel_args *args, ob_error *error);

/* The matrix product: its state, and its run. */
extern const struct ob_struct ob__product_struct;
ob_status ob__run_product(const ob_kernel_args *args, ob_error *error);

#endif
