/* What a shape rule sees. The same rules serve the checker (symbolic dims) and the executor's planner (all dims constant).
 *
 * A rule reads the types and contents of the inputs and sets those of the outputs. It never fails on a bad model: it reports a
 * problem and leaves outputs unknown. It returns a status other than OB_OK only for want of memory. */
#ifndef OB_OPS_INFER_INFER_H
#define OB_OPS_INFER_INFER_H

#include "core/base/finding.h"
#include "core/graph/graph.h"
#include "ops/infer/elements.h"
#include "ops/table/op.h"

typedef struct ob_infer ob_infer;

/* The context handed to rules; made by passes/check/propagate.c and runtime/plan/infer.c. Use the functions below, not the
 * fields.
 */
struct ob_infer {
    ob_model *model;
    const ob_node *node;
    const struct ob_op *op;
    ob_dims *dims;
    ob_arena *arena;         /* for dims arrays and contents; lives as long as the facts */
    const ob_type *in_types; /* node->n_inputs entries; kind UNKNOWN for omitted or unknown */
    const ob_content *in_contents;
    ob_type *out_types; /* node->n_outputs entries; dtype already set from the signature when that tells it */
    ob_content *out_contents;
    /* What must hold at run time where `guard` is 1 or more; `operand` is the input index (or -1), `axis` of the output (or -1).
     * `reason` NULL: sizes decide it; else why they do not. */
    ob_status (*condition)(ob_infer *infer, const ob_condition *condition, ob_dim guard, int32_t operand, int32_t axis,
                           const char *reason);
    /* The same of the elements of an input of the model, which data decides. May be NULL. */
    ob_status (*bounded)(ob_infer *infer, const ob_bound *bound, ob_dim guard, int32_t operand, int32_t axis);
    /* Does the rest of the model exclude the sizes where `guard` is 1 or more and the condition does not hold? NULL: nobody
     * knows. */
    ob_status (*excludes)(ob_infer *infer, const ob_condition *condition, ob_dim guard, int32_t axis, bool *excluded);
    /* Is a size 1, on which a rank depends? UNDECIDED: in this inference nobody says. NULL: never. */
    ob_truth (*is_one)(ob_infer *infer, ob_dim size);
    /* A requirement that is decided; counted. May be NULL. */
    void (*decided)(ob_infer *infer, bool holds);
    /* A definite error or a doubt: `id` is of core/base/findings.def, text says what and with which sizes. */
    void (*problem)(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *text);
    /* Infers a subgraph (If, Loop, Scan) with given input types and contents; writes the types of its outputs. NULL in contexts
     * that do not descend. What it requires matters where `guard` is 1 or more: 1 always, OB_DIM_UNKNOWN when the run tells. */
    ob_status (*subgraph)(ob_infer *infer, ob_graph *graph, ob_dim guard, const ob_type *in_types, const ob_content *in_contents,
                          ob_type *out_types, ob_content *out_contents);
    void *owner;
    ob_error
        *trial; /* for calls that tell of failure by one, which is filled then and only then: too large for the stack of rules */
    void *room; /* OB_INFER_ROOM bytes for what a rule reads of its node, as above; NULL: of the arena. See ob__rule_room */
    bool
        misread; /* an attribute is missing, of another type or not allowed: reported, and what follows from it is not (OB0602) */
    bool thrifty; /* only short contents are kept: those of this model have taken much memory already */
};
enum { OB_INFER_ROOM = 2048 };

/* A number of the file as a term. Words beyond the constant range are terms of the pool, so numbers out there saturate: they
 * occur as "to the end" in Slice. */
static inline ob_dim ob__saturated(int64_t n) {
    return n > OB_DIM_CONST_MAX ? OB_DIM_CONST_MAX : n < -OB_DIM_CONST_MAX ? -OB_DIM_CONST_MAX : n;
}

/* Memory until the rule ends, of at most OB_INFER_ROOM bytes, contents undefined; one piece at a time. NULL: no memory. */
void *ob__rule_room(ob_infer *infer, size_t n_bytes);

/* -- inputs (index beyond n_inputs behaves as omitted) -- */
bool ob__in_given(const ob_infer *infer, uint32_t i);
/* Tensor shape, rank OB_RANK_UNKNOWN when not known. */
ob_shape ob__in_shape(const ob_infer *infer, uint32_t i);
int32_t ob__in_rank(const ob_infer *infer, uint32_t i);
/* Dim `axis` (negative counts from the end); OB_DIM_UNKNOWN when not known or out of range. */
ob_dim ob__in_dim(const ob_infer *infer, uint32_t i, int64_t axis);
ob_dtype ob__in_dtype(const ob_infer *infer, uint32_t i);
/* elems NULL when the content is not known. */
ob_content ob__in_content(const ob_infer *infer, uint32_t i);
/* True and *out set when input i is a known constant scalar or one-element tensor. */
bool ob__in_const_int(const ob_infer *infer, uint32_t i, int64_t *out);
/* The whole of a known constant integer input (all elements constant); NULL otherwise. */
const int64_t *ob__in_const_ints(const ob_infer *infer, uint32_t i, uint32_t *n);
/* Axes given as attribute `name` (older versions) or as input i (newer); NULL and *n 0 when neither is given; *known false when
 * the input is given but its content is not known. */
const int64_t *ob__axes(const ob_infer *infer, const char *name, uint32_t i, uint32_t *n, bool *known);

/* -- outputs -- */
ob_status ob__out_tensor(ob_infer *infer, uint32_t i, ob_dtype dtype, int32_t rank,
                         const ob_dim *dims);                        /* copies dims; OB_NONE keeps dtype */
ob_status ob__out_like(ob_infer *infer, uint32_t i, uint32_t input); /* same type as an input (dtype kept if already set) */
ob_status ob__out_rank(ob_infer *infer, uint32_t i, int32_t rank);   /* known rank, unknown (fresh) dims */
ob_status ob__out_content(ob_infer *infer, uint32_t i, const ob_dim *elems, uint32_t n); /* copies; ignored over OB_CONTENT_MAX */
ob_dim *ob__new_dims(ob_infer *infer, size_t n); /* scratch in the arena, NULL: out of memory */

/* -- judgments -- */
/* Requires a condition: decided true does nothing, false reports finding `id`, undecided hands it on. A side that is
 * OB_DIM_UNKNOWN makes it unverified. */
ob_status ob__require(ob_infer *infer, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand, int32_t axis,
                      ob_finding_id id);
/* Requires it only where `guard` is 1 or more: "some index is read". */
ob_status ob__require_where(ob_infer *infer, ob_dim guard, ob_condition_kind kind, ob_dim a, ob_dim b, int32_t operand,
                            int32_t axis, ob_finding_id id);
/* A rule could ask for the condition, or say in longer terms what comes of all sizes. *excluded: the model requires the condition
 * all the same, whatever the rule says of sizes that break it, so asking for it takes nothing away. */
ob_status ob__is_excluded(ob_infer *infer, ob_dim guard, const ob_condition *condition, int32_t axis, bool *excluded);
/* The operator asks for something here that sizes do not tell: `reason` says why, as a short phrase that stands alone ("indices
 * depend on data"); static, or of infer->arena. */
ob_status ob__unverified(ob_infer *infer, int32_t operand, int32_t axis, const char *reason);
void ob__problem(ob_infer *infer, ob_finding_id id, int32_t operand, int32_t axis, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Broadcasts the shapes of the given inputs, forwarding conditions and reporting OB0101; result rank unknown on failure. */
ob_status ob__broadcast_inputs(ob_infer *infer, const uint32_t *inputs, uint32_t n, ob_broadcast_result *result);

/* -- same_shape.c: shapes that the graph says to be the same, known or not -- */
/* The node is a Shape of ONNX. */
bool ob__is_shape(const ob_node *node);
/* The value whose whole shape `shape` holds; NULL: none, or `shape` is NULL. */
const ob_value *ob__shape_is_of(const ob_value *shape);
/* Is `value` what `part` was broadcast with, so that `part` stretches to its shape? */
bool ob__has_taken_in(const ob_value *value, const ob_value *part);
/* Have these inputs one shape by the way they are made? */
bool ob__made_same_shape(const ob_infer *infer, const uint32_t *inputs, uint32_t n);

/* The same of all inputs. */
ob_status ob__broadcast_all(ob_infer *infer, ob_broadcast_result *result);
/* Output i has the shape of the result: the dims array of an operand that has it already, else a new one. */
ob_status ob__out_broadcast(ob_infer *infer, uint32_t output, ob_dtype dtype, const ob_broadcast_result *result);

/* Broadcasts two shapes that are parts of operands; reports `id`. */
ob_status ob__broadcast_pair(ob_infer *infer, ob_shape a, ob_shape b, int32_t operand, ob_finding_id id,
                             ob_broadcast_result *result);
/* One way: `from`, the shape of input `operand`, must stretch to exactly `to`; reports `id`. */
ob_status ob__broadcast_onto(ob_infer *infer, ob_shape from, ob_shape to, int32_t operand, ob_finding_id id);
/* Opset 1-6: operand 1 of shape b onto operand 0 of shape a; reports OB0105. */
ob_status ob__broadcast_legacy(ob_infer *infer, ob_shape a, ob_shape b, bool axis_given, int64_t axis);
/* Requires equal ranks and equal dims of an input's shape and `shape`; reports `id`. */
ob_status ob__require_shape(ob_infer *infer, uint32_t input, ob_shape shape, ob_finding_id id);

/* -- more for rules -- */
/* The integers of an attribute as terms; *out NULL and *n 0 when there is none. */
ob_status ob__attribute_terms(ob_infer *infer, const char *name, const ob_dim **out, uint32_t *n);
int32_t ob__since(const ob_infer *infer); /* first opset of this version of the operator */
bool ob__op_is(const ob_infer *infer, const char *name);
/* Makes a negative axis count from the end; false, with OB0602 reported, when it is out of range. */
bool ob__axis_in(ob_infer *infer, int64_t axis, int32_t rank, int32_t *out);
/* The floats of a constant input (initializer or Constant node), copied; NULL when not constant. n at most OB_CONTENT_MAX. */
const float *ob__in_const_floats(ob_infer *infer, uint32_t i, uint32_t *n);
/* Is input i a constant of integers, none of which is 0? */
bool ob__in_const_without_0(const ob_infer *infer, uint32_t i);
void ob__out_dtype(ob_infer *infer, uint32_t i, ob_dtype dtype); /* makes output i a tensor of that type, shape untouched */
void ob__out_shape(ob_infer *infer, uint32_t i, ob_dtype dtype, ob_shape shape); /* shares dims instead of copying them */
void ob__out_type(ob_infer *infer, uint32_t i, const ob_type *type);
const ob_type *ob__in_type(const ob_infer *infer, uint32_t i); /* never NULL; kind UNKNOWN when omitted */
/* The shape that input i holds, as far as its content or its length tells. */
ob_status ob__shape_operand(ob_infer *infer, uint32_t i, ob_shape *out);
/* A copy of `type` in the arena, as element of a sequence or optional; NULL: out of memory. */
const ob_type *ob__keep_type(ob_infer *infer, const ob_type *type);
/* Product of dims from .. to-1; OB_DIM_UNKNOWN when one is. */
ob_dim ob__dims_product(ob_infer *infer, const ob_dim *dims, int32_t from, int32_t to);
/* The common refinement of two dims that are the same size: a constant before a named term before an anonymous one. */
ob_dim ob__dim_prefer(const ob_dims *dims, ob_dim a, ob_dim b);
/* Makes `into` what both types allow: sizes that differ become unknown, and so does the rank. */
ob_status ob__unify_types(ob_infer *infer, ob_type *into, const ob_type *other);
/* False, with OB0606 reported, when a result of that rank is over OB_MAX_RANK. */
bool ob__rank_fits(ob_infer *infer, int64_t rank);
/* Sum and product of sizes of the result's axis; unknown, with OB0606 reported, when numbers exceed the range of sizes. */
ob_dim ob__size_add(ob_infer *infer, ob_dim a, ob_dim b, int32_t axis);
ob_dim ob__size_mul(ob_infer *infer, ob_dim a, ob_dim b, int32_t axis);
/* Number of elements of input i, as a term. */
ob_dim ob__in_count(ob_infer *infer, uint32_t i);
/* Calls it unverified when input i is given and its rank is not known: for rules that ask something of its sizes. */
ob_status ob__rank_unknown(ob_infer *infer, uint32_t i);
/* Reports `id` unless the rank of input i is between least and most; false when reported. A rank that is not known is called
 * unverified. */
bool ob__rank_in(ob_infer *infer, uint32_t i, int32_t least, int32_t most);
/* One per element of `data` when its type and count suit contents (integers, bool, integral floats); elems NULL otherwise. */
ob_status ob__content_of_tensor(const ob_tensor *data, ob_arena *arena, ob_content *out);
/* Input i, when it is given, holds one element, of whatever rank; reports OB0601. */
ob_status ob__require_one(ob_infer *infer, uint32_t i);
/* -- values.c: what is asked of the elements of an operand -- */
typedef struct ob_values_asked {
    ob_dim lowest, highest; /* that an element may be */
    bool unlimited;         /* highest does not count: an element may be any from lowest on */
    ob_dim when;            /* 1 or more where elements are looked at, if there are any; OB_DIM_UNKNOWN: data tells */
    bool some;              /* it is asked of the elements of one place along the last axis, */
    uint32_t place;         /* of this one */
    int32_t axis;           /* of the result, or -1 */
    const char *reason;     /* of what cannot be stated: "indices depend on data" */
} ob_values_asked;
/* Every element of input i, when it is given, lies between two terms: proved, stated on sizes or on elements of the model's
 * inputs, or unverified. Reports OB0601. */
ob_status ob__require_values(ob_infer *infer, uint32_t i, const ob_values_asked *asked);
/* Indices along axis `axis` of `size` of input `data`: from -size to size - 1. */
ob_status ob__require_places(ob_infer *infer, uint32_t i, ob_dim size, int32_t data, int32_t axis);
/* The elements of input i are lengths from 0 to `most`; reports OB0601. */
ob_status ob__require_lengths(ob_infer *infer, uint32_t i, ob_dim most);
/* Scales and zero points of MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv against their operands; reports OB0601. */
ob_status ob__require_product_scales(ob_infer *infer);
/* `size` is a size that a content tells: not negative, unverified when it is not known. */
ob_status ob__require_size(ob_infer *infer, ob_dim size, int32_t operand, int32_t axis, ob_finding_id id);
/* The one element that input i holds, as a term; OB_DIM_UNKNOWN when it is not one or not known. */
ob_dim ob__in_scalar(const ob_infer *infer, uint32_t i);
/* a >= b for all sizes. */
bool ob__known_at_least(const ob_infer *infer, ob_dim a, ob_dim b);
/* The element type that an integer attribute names; `otherwise` when it is absent or names none. */
ob_dtype ob__dtype_attribute(const ob_infer *infer, const char *name, ob_dtype otherwise);
/* Before and behind a rule, whichever it is: integers that it reads as sizes or positions are what their terms say, which is
 * required or makes them unknown; and what floats need to be exact goes on to the results. passes/check/infer_node.c calls them.
 */
ob_status ob__fit_operands(ob_infer *infer);
ob_status ob__extent_flow(ob_infer *infer);
/* Product of constant dims when it is small enough for a content; false otherwise. */
bool ob__small_count(const ob_infer *infer, ob_shape shape, uint32_t *count);

#endif
