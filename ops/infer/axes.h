/* How the axes of a node's results follow from the axes of its operands: which element along an axis of a result is computed
 * from which elements along an axis of an operand. Analyses use it for the origins of axes (passes/axes/) and to prove that
 * elements of a batch do not mix. Each row of the operator table names a rule (column "axes" of ops.def).
 *
 * A rule states links. It may leave out any link: a pair of axes without a link says nothing. An analysis that needs a proof
 * treats such a pair as if all elements mixed. A link that is stated must hold for every run. */
#ifndef OB_OPS_INFER_AXES_H
#define OB_OPS_INFER_AXES_H

#include "ops/infer/infer.h"

/* Element i along an axis of a result, as a function of the elements along an axis of an operand. */
typedef enum ob_link_kind {
    OB_LINK_SAME,   /* from element i, in the same way for every i and for every size of the axis; if the operand's size is 1 and
                       the result's is not, from its only element */
    OB_LINK_MOVED,  /* from one element, whose place attributes, constants or sizes decide: Slice, Pad, Concat, Split */
    OB_LINK_PICKED, /* from one element, whose place data decides: Gather, GatherElements, TopK */
    OB_LINK_NEAR,   /* from elements around its place: Conv, MaxPool, Resize */
    OB_LINK_BEFORE, /* from elements on one side of its place, and from its place: CumSum, LSTM */
    OB_LINK_ALL,    /* from element i and all others: Softmax, LayerNormalization */
    OB_LINK_MERGED, /* the axes of the operand that link to this axis were joined to one, in their order: Reshape, Flatten */
    OB_LINK_SPLIT,  /* the axes of the result that link to the operand's axis are parts of it, in their order */
    OB_LINK_LEFT,   /* the result's axis has size 1; all elements were combined to one: ReduceMean with keepdims */
    OB_LINK_GONE,   /* the result has no such axis (axis is -1): all elements were combined, or one was picked */
    OB_LINK_SIZED   /* from no element: only the size is that of the operand's axis, or an element of the operand (axis -1) */
} ob_link_kind;

typedef struct ob_link {
    uint32_t output, input;
    int32_t axis;       /* of the output; -1: none (GONE) */
    int32_t input_axis; /* of the input; -1: none (SIZED by elements) */
    ob_link_kind kind;
} ob_link;

/* The context of a rule. `infer` is for reading only: operands, attributes, and, in out_types, the inferred results. */
typedef struct ob_axes {
    ob_infer *infer;
    void (*link)(struct ob_axes *axes, const ob_link *link);
} ob_axes;

typedef void (*ob_axes_rule)(ob_axes *axes);
#define OB_AXES(name) void ob__axes_##name(ob_axes *axes)

/* Does nothing if an axis is out of range of its known shape. */
void ob__link(ob_axes *axes, uint32_t output, int32_t axis, uint32_t input, int32_t input_axis, ob_link_kind kind);

/* -- rules that several families share -- */
OB_AXES(unknown);   /* states nothing */
OB_AXES(broadcast); /* every output from all operands, aligned as the row's kind of broadcasting says */
OB_AXES(same);      /* every output of the rank of operand 0 from operand 0, axis by axis */

#endif
