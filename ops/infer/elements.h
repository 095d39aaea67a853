/* Elements of small tensors, as far as they are known without a run. Shape rules compute them, and the checker stores them with
 * types. */
#ifndef OB_OPS_INFER_ELEMENTS_H
#define OB_OPS_INFER_ELEMENTS_H

#include "core/graph/graph.h"

/* Terms between which all elements are, for positions and for tensors with an open number of elements. Says nothing about a
 * tensor without elements. */
typedef struct ob_range {
    ob_dim lowest, highest;
    bool reached; /* both are elements, if there are any */
} ob_range;

/* The elements of a sequence of known length. types: one for each element; NULL: all have the element type of the sequence. */
typedef struct ob_items {
    ob_dim count;
    const ob_type *types;
} ob_items;

/* The elements of the model's inputs from which the elements of a tensor are computed. Each is computed from one x: y = factor *
 * x + summand, then min(max(y, lowest), highest). A chain of links: some elements are computed by this link, the others by the
 * next. */
typedef struct ob_trace {
    struct ob_trace *next;
    const ob_value *input;     /* of the main graph; NULL: only the bounds lowest and highest are known, */
    bool is_mixed;             /* and each element is computed from elements of two inputs */
    const ob_dim *first, *end; /* for each axis of the input: the part that contains x; NULL: the whole input */
    bool is_dense;             /* the tensor is that part, with axes in the same order */
    bool is_stretched;         /* the part may have elements even if the tensor has none */
    bool is_rounded;           /* x is a float that is first truncated */
    ob_dim factor, summand;    /* factor is a number and not 0 */
    ob_dim lowest, highest;    /* OB_DIM_UNKNOWN: no bound */
    ob_dim around;             /* added to elements that are then negative, as for indices that count from the end; 0: none */
    bool is_sign;              /* the elements are booleans: whether the numbers are negative */
    bool reached;              /* for input NULL: both bounds are elements */
} ob_trace;

/* A requirement on elements of an input of the main graph. */
typedef struct ob_bound {
    const ob_value *input;
    const ob_dim *first, *end; /* as in ob_trace */
    bool is_rounded;           /* of an element that is truncated */
    ob_dim lowest, highest;    /* allowed values; OB_DIM_UNKNOWN: no bound */
} ob_bound;

/* The elements of a small integer or bool tensor as terms, row-major, as Shape, Gather, Concat ... pass them to Expand and
 * Reshape. If they are not known, their range may be. */
typedef struct ob_content {
    uint32_t n;            /* number of elements, at most OB_CONTENT_MAX */
    const ob_dim *elems;   /* NULL: not known. An element may be OB_DIM_UNKNOWN */
    const ob_range *range; /* NULL: not known, or elems are more precise */
    /* For fractional floats: element i is parts[i] / denominator, a power of two. NULL: not known, or elems are set. */
    const ob_dim *parts;
    int64_t denominator;
    /* For floats: the greatest numerator in the computation. The elements are exact if it has no more bits than the type's
     * significand. */
    ob_dim extent;
    const ob_items *items; /* of a sequence, for which the fields above are empty; NULL: not known */
    const ob_trace *trace; /* NULL: not known, or elems are set */
} ob_content;
#define OB_CONTENT_MAX   1024
#define OB_CONTENT_SHORT 64 /* the limit if memory is short: ob_infer.thrifty */

#endif
