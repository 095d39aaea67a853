/* How the axes of a node's results follow from the axes of its operands: which element along an axis of a result is computed
 * from which elements along an axis of an operand. Analyses use it for the origins of axes (passes/origin/) and to prove that
 * elements of a batch do not mix (passes/independence/). Each row of the operator table names a rule (column "axes" of ops.def).
 *
 * A rule states links. It may leave out any link: a pair of axes without a link says nothing, with one exception: links SAME to
 * an axis of a result are stated for all operands or for none. A link that is stated must hold for every run. */
#ifndef OB_OPS_INFER_AXES_H
#define OB_OPS_INFER_AXES_H

#include "ops/infer/infer.h"

/* Element i along an axis of a result, as a function of the elements along an axis of an operand.
 *
 * The proof that SAME allows: choose any elements along an axis of a result, in any number and order, repeated or not. Choose the
 * same elements along the axis of every operand with a link SAME to it, except where the operand's size is 1 and the result's is
 * not. The operator, applied to the chosen operands and to the other operands as they are, gives the chosen elements. Only
 * operands and attributes that state sizes (SIZED) then state the new size. */
typedef enum ob_link_kind {
    OB_LINK_SAME,   /* from element i, in the same way for every i and for every size of the axis; if the operand's size is 1 and
                       the result's is not, from its only element */
    OB_LINK_MOVED,  /* from at most one element, whose place attributes, constants or sizes decide: Slice, Pad, Concat, Split */
    OB_LINK_PICKED, /* from at most one element, whose place data decides: Gather, GatherElements, TopK */
    OB_LINK_NEAR,   /* from some elements, whose places attributes, constants, sizes or data decide: Conv, MaxPool, Resize */
    OB_LINK_BEFORE, /* from elements on one side of its place, or up to and with its place: CumSum, LSTM */
    OB_LINK_ALL,    /* from element i and all others: Softmax, LayerNormalization */
    OB_LINK_MERGED, /* the operand's axes that link to this axis were joined to one, row by row in their order: Reshape, Flatten
                     */
    OB_LINK_SPLIT,  /* the axes of the result that link to the operand's axis are its parts, row by row in their order */
    OB_LINK_LEFT,   /* the result's axis has size 1; all elements were combined to one: ReduceMean with keepdims */
    OB_LINK_GONE,   /* the result has no such axis (axis is -1): all elements were combined, or one was picked */
    OB_LINK_SIZED, /* from no element: only the size is that of the operand's axis, or elements of the operand (axis -1) state it,
                      which serve no other purpose */
    OB_LINK_PLACE  /* from the number i itself: Range, EyeLike, Trilu, the axis that OneHot adds. The operand takes part with its
                      element i, or, if its axis is -1, in the same way for every i */
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

/* Does nothing if an axis is out of range of its known shape, or the operand or the result is omitted. */
void ob__link(ob_axes *axes, uint32_t output, int32_t axis, uint32_t input, int32_t input_axis, ob_link_kind kind);
/* Axis by axis, if both have one rank: SAME, but `kind` for the marked axes (NULL: none is marked). */
void ob__link_each(ob_axes *axes, uint32_t output, uint32_t input, const bool *marked, ob_link_kind kind);
/* All axes of the operand: axis 0 to axis `first` of the result, and so on; `first` may be negative. */
void ob__link_from(ob_axes *axes, uint32_t output, uint32_t input, int32_t first, ob_link_kind kind);
/* The same with the last axes aligned, for results of known rank. */
void ob__link_last(ob_axes *axes, uint32_t output, uint32_t input, ob_link_kind kind);
/* Each axis of the operand: it ends here, GONE. */
void ob__link_gone(ob_axes *axes, uint32_t output, uint32_t input);
/* Elements of the operand state the sizes of all axes of the result. */
void ob__link_sizes(ob_axes *axes, uint32_t output, uint32_t input);
/* The rank of a result; OB_RANK_UNKNOWN if it is not known. */
int32_t ob__out_rank_of(const ob_axes *axes, uint32_t output);
/* The size of a result's axis; OB_DIM_UNKNOWN if it is not known. */
ob_dim ob__out_dim(const ob_axes *axes, uint32_t output, int32_t axis);
/* Links two shapes with the same elements in the same order, of which the sizes are known: operand `input` and the result. */
void ob__link_reshaped(ob_axes *axes, uint32_t output, uint32_t input);

/* -- rules that several families share -- */
OB_AXES(unknown);   /* states nothing */
OB_AXES(broadcast); /* every output from all operands, aligned as the row's kind of broadcasting says */
OB_AXES(same);      /* every output of the rank of operand 0 from operand 0, axis by axis */
OB_AXES(alike);     /* every output from all operands of its rank, axis by axis; all have one shape */

#endif
