/* The elements of small tensors as far as they are known without running the model. Shape rules compute them; the checker keeps
 * them beside the types. */
#ifndef OB_OPS_INFER_ELEMENTS_H
#define OB_OPS_INFER_ELEMENTS_H

#include "core/graph/graph.h"

/* Terms between which every element lies: what is known of positions, as many as an open size says. Of no elements it says
 * nothing. */
typedef struct ob_range {
    ob_dim lowest, highest;
    bool reached; /* both are elements, where there are any */
} ob_range;

/* The elements of a sequence whose number is known: of the types that are listed, as many as the number says, or, with NULL, each
 * of the type that the sequence has. */
typedef struct ob_items {
    ob_dim count;
    const ob_type *types;
} ob_items;

/* Which elements of the model's inputs the elements of a tensor are computed from, each from one x: y = factor * x + summand,
 * then min(max(y, lowest), highest). A chain: some elements are of this link, the others of the next. */
typedef struct ob_trace {
    struct ob_trace *next;
    const ob_value *input;     /* of the main graph; NULL: these elements only lie between lowest and highest, */
    bool is_mixed;             /* and each is computed from elements of two inputs */
    const ob_dim *first, *end; /* by axis of the input: the part that x is of; NULL: all of it */
    bool is_dense;             /* the tensor is that part, axes in their order */
    bool is_stretched;         /* the part may have elements where the tensor has none */
    bool is_rounded;           /* x is a float that is rounded towards 0 first */
    ob_dim factor, summand;    /* factor is a number other than 0 */
    ob_dim lowest, highest;    /* OB_DIM_UNKNOWN: none */
    ob_dim around;             /* added to those that are negative then, as to indices that count from the end; 0: nothing */
    bool is_sign;              /* the elements are booleans: whether they are negative */
    bool reached;              /* of no input: both are elements */
} ob_trace;

/* Asked of the elements of an input of the main graph. */
typedef struct ob_bound {
    const ob_value *input;
    const ob_dim *first, *end; /* as in ob_trace */
    bool is_rounded;           /* of an element that is rounded towards 0 */
    ob_dim lowest, highest;    /* that one may be; OB_DIM_UNKNOWN: any */
} ob_bound;

/* The elements of a small integer (or bool) tensor as terms, row-major: what Shape, Gather, Concat ... carry to Expand and
 * Reshape. Where they are not known, what they lie between may be. */
typedef struct ob_content {
    uint32_t n;            /* elements; at most OB_CONTENT_MAX */
    const ob_dim *elems;   /* NULL: not known. An element may be OB_DIM_UNKNOWN */
    const ob_range *range; /* NULL: not known, or elems say more */
    /* Of floats that are no integers: element i is parts[i] / denominator, a power of two. NULL: not known, or elems say it. */
    const ob_dim *parts;
    int64_t denominator;
    /* Of floats: elements are as said as long as this, the greatest numerator on the way here, has no more bits than the type. */
    ob_dim extent;
    const ob_items *items; /* of a sequence, which has nothing of the above; NULL: not known */
    const ob_trace *trace; /* NULL: not known, or elems say it */
} ob_content;
#define OB_CONTENT_MAX   1024
#define OB_CONTENT_SHORT 64 /* where memory is short: ob_infer.thrifty */

#endif
