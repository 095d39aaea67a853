/* The interface of shape rules. The same rules serve the checker (symbolic dims) and the executor's planner (constant dims).
 *
 * A rule reads types and contents of inputs and sets those of outputs. It never fails for an invalid model: it reports a problem
 * and leaves outputs unknown. It returns a status other than OB_OK only if memory runs out. */
#ifndef OB_OPS_INFER_INFER_H
#define OB_OPS_INFER_INFER_H

#include "core/base/finding.h"
#include "core/graph/graph.h"
#include "ops/infer/elements.h"
#include "ops/table/op.h"

typedef struct ob_infer ob_infer;

/* The context of a rule, made by passes/check/propagate.c and runtime/plan/infer.c. Use the functions below instead of the
 * fields. */
struct ob_infer {
    ob_model *model;
    const ob_node *node;
    const struct ob_op *op;
    ob_dims *dims;
    ob_arena *arena;         /* for arrays of dims and contents; lives as long as the facts */
    const ob_type *in_types; /* node->n_inputs entries; kind UNKNOWN for omitted or unknown */
    const ob_content *in_contents;
    ob_type *out_types; /* node->n_outputs entries; dtype is already set if the signature determines it */
    ob_content *out_contents;
    /* Reports a condition that must hold at run time if `guard` is 1 or more. `operand` is the input index (or -1), `axis` is of
     * the output (or -1). `reason`: why sizes do not decide it; NULL: they do. */
    ob_status (*condition)(ob_infer *infer, const ob_condition *condition, ob_dim guard, int32_t operand, int32_t axis,
                           const char *reason);
    /* The same for a bound on elements of an input of the model, which data decides. May be NULL. */
    ob_status (*bounded)(ob_infer *infer, const ob_bound *bound, ob_dim guard, int32_t operand, int32_t axis);
    /* Whether other conditions exclude all sizes where `guard` is 1 or more and the condition fails. NULL: not known. */
    ob_status (*excludes)(ob_infer *infer, const ob_condition *condition, ob_dim guard, int32_t axis, bool *excluded);
    /* Whether a size, on which a rank depends, is 1. UNDECIDED: not known in this inference. NULL: never. */
    ob_truth (*is_one)(ob_infer *infer, ob_dim size);
    /* Whether a term, such as the condition of a branch, is 1 in the case that is inferred. UNDECIDED: the facts are for all
     * cases. NULL: always. */
    ob_truth (*is_chosen)(ob_infer *infer, ob_dim term);
    /* Counts a requirement that is decided. May be NULL. */
    void (*decided)(ob_infer *infer, bool holds);
    /* Reports an error or a doubt: `id` is from core/base/findings.def; the text describes it with the sizes. */
    void (*problem)(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *text);
    /* Infers a subgraph (If, Loop, Scan) with given input types and contents, and writes the types of its outputs. NULL in
     * contexts that do not enter subgraphs. The subgraph's requirements matter if `guard` is 1 or more: 1 means always,
     * OB_DIM_UNKNOWN that only the run decides. */
    ob_status (*subgraph)(ob_infer *infer, ob_graph *graph, ob_dim guard, const ob_type *in_types, const ob_content *in_contents,
                          ob_type *out_types, ob_content *out_contents);
    void *owner;
    ob_error *trial; /* for functions that report failure in an ob_error; filled only if they fail */
    void *room;      /* OB_INFER_ROOM bytes for reading attributes of the node; NULL: the arena is used. See ob__rule_room */
    bool misread; /* an attribute is missing, has another type or a value that is not allowed. That is reported (OB0602), and its
                     consequences are not */
    bool thrifty; /* keeps only short contents, because those of this model already take much memory */
};
enum { OB_INFER_ROOM = 2048 };

/* A number of the file as a term. Numbers beyond the constant range saturate, because such words are terms of the pool. They
 * occur as "to the end" in Slice. */
static inline ob_dim ob__saturated(int64_t n) {
    return n > OB_DIM_CONST_MAX ? OB_DIM_CONST_MAX : n < -OB_DIM_CONST_MAX ? -OB_DIM_CONST_MAX : n;
}

/* Memory until the rule returns: one piece of at most OB_INFER_ROOM bytes, contents undefined. NULL: out of memory. */
void *ob__rule_room(ob_infer *infer, size_t n_bytes);

/* -- inputs (index beyond n_inputs behaves as omitted) -- */
bool ob__in_given(const ob_infer *infer, uint32_t i);
/* The shape of a tensor; rank OB_RANK_UNKNOWN if it is not known. */
ob_shape ob__in_shape(const ob_infer *infer, uint32_t i);
int32_t ob__in_rank(const ob_infer *infer, uint32_t i);
/* Dim `axis` (negative counts from the end); OB_DIM_UNKNOWN if it is not known or out of range. */
ob_dim ob__in_dim(const ob_infer *infer, uint32_t i, int64_t axis);
ob_dtype ob__in_dtype(const ob_infer *infer, uint32_t i);
/* elems NULL if the content is not known. */
ob_content ob__in_content(const ob_infer *infer, uint32_t i);
/* True, with *out set, if input i is a known constant with one element. */
bool ob__in_const_int(const ob_infer *infer, uint32_t i, int64_t *out);
/* All elements of a constant integer input; NULL if any is not known. */
const int64_t *ob__in_const_ints(const ob_infer *infer, uint32_t i, uint32_t *n);
/* Axes from attribute `name` (older versions) or input i (newer ones). NULL and *n 0 if neither is given; *known false if the
 * input is given but its content is not known. */
const int64_t *ob__axes(const ob_infer *infer, const char *name, uint32_t i, uint32_t *n, bool *known);

/* -- outputs -- */
ob_status ob__out_tensor(ob_infer *infer, uint32_t i, ob_dtype dtype, int32_t rank,
                         const ob_dim *dims);                        /* copies dims; OB_NONE keeps dtype */
ob_status ob__out_like(ob_infer *infer, uint32_t i, uint32_t input); /* same type as an input (dtype kept if already set) */
ob_status ob__out_rank(ob_infer *infer, uint32_t i, int32_t rank);   /* known rank, unknown (fresh) dims */
ob_status ob__out_content(ob_infer *infer, uint32_t i, const ob_dim *elems, uint32_t n); /* copies; ignored over OB_CONTENT_MAX */
ob_dim *ob__new_dims(ob_infer *infer, size_t n); /* memory in the arena; NULL: out of memory */

/* -- requirements and findings -- */
/* Requires a condition. If it is true, nothing happens; if false, finding `id` is reported; if undecided, it is passed on. If a
 * side is OB_DIM_UNKNOWN, it is unverified. */
ob_status ob__require(ob_infer *infer, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand, int32_t axis,
                      ob_finding_id id);
/* Requires it only if `guard` is 1 or more, for instance if any index is read. */
ob_status ob__require_where(ob_infer *infer, ob_dim guard, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand,
                            int32_t axis, ob_finding_id id);
/* For a rule that can either require the condition, or describe the result for all sizes in longer terms. *excluded: the rest of
 * the model requires the condition anyway, so requiring it loses no sizes. */
ob_status ob__is_excluded(ob_infer *infer, ob_dim guard, const ob_condition *condition, int32_t axis, bool *excluded);
/* Reports a requirement of the operator that sizes do not decide. `reason` is a short phrase that is complete in itself ("indices
 * depend on data"); static, or from infer->arena. */
ob_status ob__unverified(ob_infer *infer, int32_t operand, int32_t axis, const char *reason);
void ob__problem(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Broadcasts the shapes of the given inputs, passes on conditions and reports OB0101. The rank of the result is unknown on
 * failure. */
ob_status ob__broadcast_inputs(ob_infer *infer, const uint32_t *inputs, uint32_t n, ob_broadcast_result *result);

/* -- same_shape.c: shapes that are equal because of the graph, known or not -- */
/* Whether the node is an ONNX Shape. */
bool ob__is_shape(const ob_node *node);
/* The value whose whole shape `shape` holds; NULL: there is none, or `shape` is NULL. */
const ob_value *ob__shape_is_of(const ob_value *shape);
/* Whether `value` is a broadcast that includes `part`, so that `part` broadcasts to its shape. */
bool ob__has_taken_in(const ob_value *value, const ob_value *part);
/* Whether these inputs have equal shapes because of how they are computed. */
bool ob__made_same_shape(const ob_infer *infer, const uint32_t *inputs, uint32_t n);

/* Broadcasts all inputs. */
ob_status ob__broadcast_all(ob_infer *infer, ob_broadcast_result *result);
/* Output i gets the shape of the result: the dims array of an operand that has this shape already, otherwise a new one. */
ob_status ob__out_broadcast(ob_infer *infer, uint32_t output, ob_dtype dtype, const ob_broadcast_result *result);

/* Broadcasts two shapes that are parts of operands; reports `id`. */
ob_status ob__broadcast_pair(ob_infer *infer, ob_shape a, ob_shape b, int32_t operand, ob_finding_id id,
                             ob_broadcast_result *result);
/* One way: requires that `from`, the shape of input `operand`, broadcasts to `to`; reports `id`. */
ob_status ob__broadcast_onto(ob_infer *infer, ob_shape from, ob_shape to, int32_t operand, ob_finding_id id);
/* Opset 1-6: operand 1 of shape b onto operand 0 of shape a; reports OB0105. */
ob_status ob__broadcast_legacy(ob_infer *infer, ob_shape a, ob_shape b, bool axis_given, int64_t axis);
/* Requires equal ranks and equal dims of an input's shape and `shape`; reports `id`. */
ob_status ob__require_shape(ob_infer *infer, uint32_t input, ob_shape shape, ob_finding_id id);

/* -- more for rules -- */
/* The integers of an attribute as terms; *out NULL and *n 0 if it is missing. */
ob_status ob__attribute_terms(ob_infer *infer, const char *name, const ob_dim **out, uint32_t *n);
int32_t ob__since(const ob_infer *infer); /* the first opset with this version of the operator */
bool ob__op_is(const ob_infer *infer, const char *name);
/* Makes a negative axis non-negative. False, with OB0602 reported, if it is out of range. */
bool ob__axis_in(ob_infer *infer, int64_t axis, int32_t rank, int32_t *out);
/* The floats of a constant input (initializer or Constant node), copied; NULL if not constant. n is at most OB_CONTENT_MAX. */
const float *ob__in_const_floats(ob_infer *infer, uint32_t i, uint32_t *n);
/* Whether input i is a constant of integers without a 0. */
bool ob__in_const_without_0(const ob_infer *infer, uint32_t i);
void ob__out_dtype(ob_infer *infer, uint32_t i,
                   ob_dtype dtype); /* makes output i a tensor of that type; its shape is unchanged */
void ob__out_shape(ob_infer *infer, uint32_t i, ob_dtype dtype, ob_shape shape); /* shares dims instead of copying them */
void ob__out_type(ob_infer *infer, uint32_t i, const ob_type *type);
const ob_type *ob__in_type(const ob_infer *infer, uint32_t i); /* never NULL; kind UNKNOWN if omitted */
/* The shape that input i holds, as far as its content or its length is known. */
ob_status ob__shape_operand(ob_infer *infer, uint32_t i, ob_shape *out);
/* A copy of `type` in the arena, as element type of a sequence or optional; NULL: out of memory. */
const ob_type *ob__keep_type(ob_infer *infer, const ob_type *type);
/* Product of dims from .. to - 1; OB_DIM_UNKNOWN if any of them is. */
ob_dim ob__dims_product(ob_infer *infer, const ob_dim *dims, int32_t from, int32_t to);
/* The better known of two dims that are equal: a constant before a named term before an anonymous size. */
ob_dim ob__dim_prefer(const ob_dims *dims, ob_dim a, ob_dim b);
/* Makes `into` the most precise type that includes both: sizes that differ become unknown, and ranks that differ too. */
ob_status ob__unify_types(ob_infer *infer, ob_type *into, const ob_type *other);
/* False, with OB0606 reported, if the rank of a result is above OB_MAX_RANK. */
bool ob__rank_fits(ob_infer *infer, int64_t rank);
/* Sum and product as size of the result's axis. Unknown, with OB0606 reported, if a number exceeds the range of sizes. */
ob_dim ob__size_add(ob_infer *infer, ob_dim a, ob_dim b, int32_t axis);
ob_dim ob__size_mul(ob_infer *infer, ob_dim a, ob_dim b, int32_t axis);
/* The number of elements of input i, as a term. */
ob_dim ob__in_count(ob_infer *infer, uint32_t i);
/* Reports as unverified that input i is given and its rank is unknown; for rules with requirements on its sizes. */
ob_status ob__rank_unknown(ob_infer *infer, uint32_t i);
/* Reports `id` unless the rank of input i is between least and most; false if reported. An unknown rank is reported as
 * unverified. */
bool ob__rank_in(ob_infer *infer, uint32_t i, int32_t least, int32_t most);
/* One term for each element of `data` if its type and number suit contents (integers, bool, integral floats); otherwise elems is
 * NULL. */
ob_status ob__content_of_tensor(const ob_tensor *data, ob_arena *arena, ob_content *out);
/* Requires that input i, if it is given, has one element, at any rank; reports OB0601. */
ob_status ob__require_one(ob_infer *infer, uint32_t i);
/* -- values.c: requirements on the elements of an operand -- */
typedef struct ob_values_asked {
    ob_dim lowest, highest; /* the values that an element may have */
    bool unlimited;         /* there is no upper limit; highest is ignored */
    ob_dim when;            /* 1 or more if any element is used; OB_DIM_UNKNOWN: depends on data */
    bool some;              /* only the elements at one place of the last axis are required, */
    uint32_t place;         /* at this one */
    int32_t axis;           /* of the result, or -1 */
    const char *reason;     /* if it cannot be stated: "indices depend on data" */
} ob_values_asked;
/* Requires that every element of input i, if it is given, is between two terms. The requirement is proved, stated on sizes or on
 * elements of the model's inputs, or unverified. Reports OB0601. */
ob_status ob__require_values(ob_infer *infer, uint32_t i, const ob_values_asked *asked);
/* For indices along axis `axis` of input `data`, of `size`: requires -size to size - 1. */
ob_status ob__require_places(ob_infer *infer, uint32_t i, ob_dim size, int32_t data, int32_t axis);
/* Requires that the elements of input i are lengths from 0 to `most`; reports OB0601. */
ob_status ob__require_lengths(ob_infer *infer, uint32_t i, ob_dim most);
/* Requires that scales and zero points of MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv fit their operands; reports
 * OB0601. */
ob_status ob__require_product_scales(ob_infer *infer);
/* Requires that a size from a content is not negative; unverified if it is not known. */
ob_status ob__require_size(ob_infer *infer, ob_dim size, int32_t operand, int32_t axis, ob_finding_id id);
/* The only element of input i, as a term; OB_DIM_UNKNOWN if there is not exactly one or it is not known. */
ob_dim ob__in_scalar(const ob_infer *infer, uint32_t i);
/* Whether a >= b for all sizes. */
bool ob__known_at_least(const ob_infer *infer, ob_dim a, ob_dim b);
/* The element type that an integer attribute names; `otherwise` if it is missing or invalid. */
ob_dtype ob__dtype_attribute(const ob_infer *infer, const char *name, ob_dtype otherwise);
/* Called before and after every rule, by passes/check/infer_node.c. Before: integers that the rule reads as sizes or positions
 * must equal their terms; this is required, or they become unknown. After: the conditions under which floats are exact are passed
 * on to the results. */
ob_status ob__fit_operands(ob_infer *infer);
ob_status ob__extent_flow(ob_infer *infer);
/* The product of constant dims, if it is small enough for a content; false otherwise. */
bool ob__small_count(const ob_infer *infer, ob_shape shape, uint32_t *count);

#endif
