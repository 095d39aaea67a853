/* The operator table: one row of ops.def for each operator version. */
#ifndef OB_OPS_TABLE_OP_H
#define OB_OPS_TABLE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/graph/graph.h"

struct ob_kernel;       /* ops/kernel/kernel.h */
struct ob_infer;        /* ops/infer/infer.h */
struct ob_axes;         /* ops/infer/axes.h */
struct ob_op_attribute; /* ops/table/attributes.h */

typedef ob_status (*ob_shape_rule)(struct ob_infer *infer);

/* Declarations of the rules and kernels that rows name. */
#define OB_RULE(name)   ob_status ob__infer_##name(struct ob_infer *infer)
#define OB_KERNEL(name) extern const struct ob_kernel ob__kernel_##name

/* How the operands of an operator broadcast. */
typedef enum ob_broadcast_kind {
    OB_BCAST_NONE,
    OB_BCAST_MULTI,  /* all operands with each other (from the opset in which the operator broadcasts this way) */
    OB_BCAST_LEGACY, /* opset 1-6: operand 1 onto operand 0, attributes `broadcast` and `axis` */
    OB_BCAST_UNI,    /* one way; ob_stretch gives operands and target */
    OB_BCAST_BATCH,  /* only the leading (batch) dimensions: MatMul and similar operators */
    OB_BCAST_EXPAND, /* operand 0 with the shape that operand 1 holds, both ways */
    OB_BCAST_REPEAT  /* not a broadcast: operand 0 is repeated as often as operand 1 states, which broadcasts axes of size 1 */
} ob_broadcast_kind;

/* The shape to which the operands of a one-way operator broadcast. */
typedef enum ob_onto {
    OB_ONTO_NOTHING,
    OB_ONTO_FIRST,    /* the shape of operand 0 */
    OB_ONTO_AXES,     /* the same; the operator is defined to repeat over the axes before attribute `axis` */
    OB_ONTO_CHANNELS, /* the same; a vector is along axis 1, which is the definition of the operator and not a broadcast */
    OB_ONTO_PRODUCT   /* the product of the matrices in operands 0 and 1, see ob__product_axis */
} ob_onto;

/* The operands of a version that broadcast, if not all do: for LEGACY, UNI and BATCH. Right-aligned unless `placed`. */
typedef struct ob_stretch {
    uint8_t first, last; /* the operands that broadcast to the target; BATCH: the operand that broadcasts with operand 0 */
    ob_onto onto;
    bool asked;  /* only with attribute broadcast = 1; otherwise shapes must be equal */
    bool placed; /* attribute `axis`, if given, is the axis of the target for the first axis of operand `first` */
    uint8_t scale_from, scale_end; /* BATCH: scales and zero points are at these distances after their operand, scale_end
                                      excluded; none if equal */
} ob_stretch;

/* Sets of element types, one bit for each ob_dtype number; bits above 32 are types other than tensors. */
typedef uint64_t ob_types;
#define OB_T(dtype)   (UINT64_C(1) << OB_##dtype)
#define OB_T_SEQUENCE (UINT64_C(1) << 40)
#define OB_T_OPTIONAL (UINT64_C(1) << 41)
#define OB_T_MAP      (UINT64_C(1) << 42)

/* The loop that an elementwise operator or a reduction applies to elements. Its shape rule applies the same to sizes. */
typedef enum ob_loop_kind { OB_LOOP_NONE, OB_LOOP_UNARY, OB_LOOP_BINARY, OB_LOOP_REDUCE } ob_loop_kind;
typedef struct ob_op_loop {
    uint8_t kind, number; /* ob_loop_kind; obk_unary, obk_binary or obk_fold */
    uint8_t finish;       /* obk_finish of a reduction */
    bool swapped;         /* with exchanged operands: Greater is Less. Never negated, which would be wrong for NaN */
} ob_op_loop;

/* The usual ob_op.reads: all operands except the first. */
#define OB_READS_REST (~UINT32_C(1))

/* One operator version.
 *
 * signature: one letter for each formal input, '>', one for each formal output. A letter names a type constraint: 'T', 'U', 'V',
 * 'W' are types[0..3]; operands with the same letter have the same type. A letter followed by '*' is variadic and homogeneous, by
 * '~' variadic and heterogeneous, by '?' optional. Lower-case letters are tensors of a fixed type: i int64, j int32, f float,
 * b bool, s string, h float16, d double, u uint8; '.' is any type. */
typedef struct ob_op {
    const char *domain, *name;
    int16_t since;          /* first opset with this version */
    int16_t in_min, in_max; /* INT16_MAX: unbounded */
    int16_t out_min, out_max;
    const char *signature;
    ob_types types[4];
    ob_broadcast_kind broadcast;
    ob_stretch stretch;
    bool deprecated; /* from this version on */
    bool varies;     /* results may differ between runs with equal operands, so they are never computed in advance */
    bool centers;    /* the same number added to all elements along the axes that it links with ALL or GONE changes no result */
    bool shapes;     /* the author of the model chose the shape of the result, so a size of 1 in it is intended */
    bool keeps;      /* result 0 differs if one operand with elements in it differs and the others are equal: Add, Reshape */
    uint32_t reads;  /* operands whose elements the shape rule uses as sizes, positions or counts: one bit each, the last for all
                        others. For the remaining operands the rule passes known elements on or checks them itself */
    ob_shape_rule infer; /* NULL: the shapes of outputs are unknown, and a finding is reported */
    void (*axes)(
        struct ob_axes *axes);      /* states which axes of the results come from which of the operands; NULL: nothing is known */
    const struct ob_kernel *kernel; /* NULL: the executor cannot run the operator */
    ob_op_loop loop;
    const struct ob_op_attribute
        *attributes; /* all attributes of the operator, up to the name NULL; NULL: declared by a library, not known here */
} ob_op;

/* Classes of operators that stretch operands, for rules that are the same for a class (passes/target/). One row per class: NAME,
 * text. */
#define OB_OP_CLASS_LIST(X)                                                                                                      \
    X(ADD, "Add")                                                                                                                \
    X(SUB, "Sub")                                                                                                                \
    X(MUL, "Mul")                                                                                                                \
    X(DIV, "Div")                                                                                                                \
    X(POW, "Pow")                                                                                                                \
    X(MOD, "Mod")                                                                                                                \
    X(MINMAX, "Max, Min")                                                                                                        \
    X(EQUAL, "Equal")                                                                                                            \
    X(COMPARE, "order comparisons")                                                                                              \
    X(LOGICAL, "And, Or, Xor")                                                                                                   \
    X(BITWISE, "bitwise operators")                                                                                              \
    X(SHIFT, "BitShift")                                                                                                         \
    X(NARY, "Sum, Mean")                                                                                                         \
    X(WHERE, "Where")                                                                                                            \
    X(PRELU, "PRelu")                                                                                                            \
    X(EXPAND, "Expand")                                                                                                          \
    X(MATMUL, "matrix products")                                                                                                 \
    X(GEMM, "C of Gemm")                                                                                                         \
    X(NORM, "scale and bias of normalizations")

typedef enum ob_op_class {
#define OB_CLASS_ENUM(name, text) OB_CLASS_##name,
    OB_OP_CLASS_LIST(OB_CLASS_ENUM)
#undef OB_CLASS_ENUM
        OB_CLASS_COUNT /* none: it does not broadcast, or has a class of its own */
} ob_op_class;

ob_op_class ob__op_class(const ob_op *op);
/* "Add", "Max, Min" ...; "" for OB_CLASS_COUNT. */
const char *ob__op_class_text(ob_op_class of);
/* The operator of the same domain that gives the same results with exchanged operands: "Greater" for Less. NULL: none. */
const char *ob__op_exchanged(const ob_op *op);

/* The row of the newest version of domain.name that is not newer than `opset` (0: any); NULL if there is none. domain "" is
 * ai.onnx. Thread-safe: the table is constant. */
const ob_op *ob__op_find(const char *domain, const char *name, int64_t opset);
/* The newest version of an operator set that the table covers; INT64_MAX for sets whose versions do not matter here. */
int64_t ob__newest_opset(const char *domain);
/* The newest IR version that the project knows: ONNX release 1.23 in development. */
enum { OB_NEWEST_IR = 14 };
/* Whether operators of the domain may have another meaning in this model than here, because its opset (or its IR version, for all
 * domains) is newer than the project. The text is for instance "the model imports opset 29 of ai.onnx, and the newest known here
 * is 28". */
bool ob__is_too_new(const ob_graph *graph, const char *domain, char *text, size_t n_bytes);
size_t ob__op_count(void);
const ob_op *ob__op_at(size_t index);
/* The place of the row; SIZE_MAX: it is not in the table, but of a library. */
size_t ob__op_index(const ob_op *op);
/* In a build that has only selected operators (OB_OPS): true if it has no such operator at that opset. The text says which line
 * adds it; at most n_bytes, terminated. */
bool ob__op_is_left_out(const char *domain, const char *name, int64_t opset, char *text, size_t n_bytes);
/* The element type of output `index`, from the signature and the inputs' types; OB_NONE if they do not determine it. */
ob_dtype ob__op_output_dtype(const ob_op *op, uint32_t index, const ob_dtype *in, uint32_t n_in);
/* Whether the signature, alone or with the inputs' types, determines the element type of output `index`. */
bool ob__op_output_follows(const ob_op *op, uint32_t index);
/* The allowed types of input (or output) `index`; 0 if there is no such operand. */
ob_types ob__op_input_types(const ob_op *op, uint32_t index);
/* Whether the signature allows that many inputs (or outputs); any number is allowed if its last one is variadic. */
static inline bool ob__op_takes(const ob_op *op, size_t n_inputs) {
    return n_inputs >= (size_t)op->in_min && (op->in_max == INT16_MAX || n_inputs <= (size_t)op->in_max);
}
static inline bool ob__op_gives(const ob_op *op, size_t n_outputs) {
    return n_outputs >= (size_t)op->out_min && (op->out_max == INT16_MAX || n_outputs <= (size_t)op->out_max);
}

/* The set with one type. */
ob_types ob__type_bit(const ob_type *type);
ob_types ob__op_output_types(const ob_op *op, uint32_t index);
/* The signature's letter of input `index`, 0 if there is none. *homogeneous: it has the type of every operand of that letter. */
char ob__op_input_letter(const ob_op *op, uint32_t index, bool *homogeneous);
/* Whether input `index` is optional or not in the signature. */
bool ob__op_input_optional(const ob_op *op, uint32_t index);
/* Whether input `index` has the type letter of output 0: its elements may then appear in the output, so it is not only a
 * parameter. */
bool ob__op_input_shares_type(const ob_op *op, uint32_t index);
/* For a deprecated row, e.g. "deprecated since version 11 of ai.onnx: use ScatterElements". At most n_bytes, terminated. */
void ob__op_deprecation(const ob_op *op, char *text, size_t n_bytes);
/* False if the row requires attribute broadcast = 1 and the node lacks it: then nothing broadcasts. */
bool ob__stretch_asked(const ob_node *node, const ob_op *op);
/* The input and its axis that give axis 0 or 1 of a product of two matrices with attributes transA and transB. */
void ob__product_axis(const ob_node *node, int32_t axis, uint32_t *input, int32_t *input_axis);
/* The shape of that product, from the shapes of operands 0 and 1; false if these are not matrices. */
bool ob__product_shape(const ob_node *node, const ob_shape *operands, ob_dim dims[2]);

#endif
