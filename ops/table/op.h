/* What operators mean: one row of ops.def per operator version. */
#ifndef OB_OPS_TABLE_OP_H
#define OB_OPS_TABLE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/graph/graph.h"

struct ob_kernel;       /* ops/kernel/kernel.h */
struct ob_infer;        /* ops/infer/infer.h */
struct ob_op_attribute; /* ops/table/attributes.h */

typedef ob_status (*ob_shape_rule)(struct ob_infer *infer);

/* Declarations of the rules and kernels that rows name. */
#define OB_RULE(name)   ob_status ob__infer_##name(struct ob_infer *infer)
#define OB_KERNEL(name) extern const struct ob_kernel ob__kernel_##name

/* How an operator's operands broadcast. */
typedef enum ob_broadcast_kind {
    OB_BCAST_NONE,
    OB_BCAST_MULTI,  /* all operands against each other (from the opset where the operator got it) */
    OB_BCAST_LEGACY, /* opset 1-6: operand 1 onto operand 0, attributes `broadcast` and `axis` */
    OB_BCAST_UNI,    /* one way: ob_stretch says what onto what */
    OB_BCAST_BATCH,  /* the leading (batch) dimensions only: MatMul and kin */
    OB_BCAST_EXPAND, /* operand 0 with the shape that operand 1 holds, two-way */
    OB_BCAST_REPEAT  /* no broadcast: operand 0 as often as operand 1 says, which stretches it where its sizes are 1 */
} ob_broadcast_kind;

/* What the operands of a one-way operator are stretched to. */
typedef enum ob_onto {
    OB_ONTO_NOTHING,
    OB_ONTO_FIRST, /* the shape of operand 0 */
    OB_ONTO_AXES,  /* the same; the axes before attribute `axis` are not theirs, going over these is the operator's definition */
    OB_ONTO_CHANNELS, /* the same; a vector lies along axis 1, which is the operator's definition and no broadcast */
    OB_ONTO_PRODUCT   /* the product of the matrices in operands 0 and 1, see ob__product_axis */
} ob_onto;

/* Which operands of one version broadcast, where not all do: of LEGACY, UNI and BATCH. Right-aligned unless `placed`. */
typedef struct ob_stretch {
    uint8_t first, last; /* the operands that are stretched onto something; BATCH: the one that meets operand 0 */
    ob_onto onto;
    bool asked;                    /* only with attribute broadcast = 1, else the shapes are equal */
    bool placed;                   /* the first axis of operand `first` lies on attribute `axis`, if that is given */
    uint8_t scale_from, scale_end; /* BATCH: scales and zero points of operand i are the operands i + scale_from ... before i +
                                      scale_end; none when equal */
} ob_stretch;

/* Sets of element types, a bit per ob_dtype number; the bits above 32 are for what is not a tensor. */
typedef uint64_t ob_types;
#define OB_T(dtype)   (UINT64_C(1) << OB_##dtype)
#define OB_T_SEQUENCE (UINT64_C(1) << 40)
#define OB_T_OPTIONAL (UINT64_C(1) << 41)
#define OB_T_MAP      (UINT64_C(1) << 42)

/* The loop that an elementwise operator or a reduction applies to its elements; its shape rule does the same to sizes. */
typedef enum ob_loop_kind { OB_LOOP_NONE, OB_LOOP_UNARY, OB_LOOP_BINARY, OB_LOOP_REDUCE } ob_loop_kind;
typedef struct ob_op_loop {
    uint8_t kind, number; /* ob_loop_kind; obk_unary, obk_binary or obk_fold */
    uint8_t finish;       /* obk_finish of a reduction */
    bool swapped; /* of the operands in the opposite order: Greater is Less. Never negated, which would be wrong for NaN */
} ob_op_loop;

/* ob_op.reads of most rows: all but the first. */
#define OB_READS_REST (~UINT32_C(1))

/* One operator version.
 *
 * signature: one letter per formal input, '>', one per formal output. A letter names a type constraint: 'T', 'U', 'V', 'W' are
 * types[0..3]; operands with one letter have one type. A letter followed by '*' is variadic and homogeneous, by '~' variadic and
 * heterogeneous, by '?' optional. Lower-case letters are fixed tensors: i int64, j int32, f float, b bool, s string, h float16,
 * d double, u uint8; '.' is anything.
 */
typedef struct ob_op {
    const char *domain, *name;
    int16_t since;          /* first opset with this version */
    int16_t in_min, in_max; /* INT16_MAX: unbounded */
    int16_t out_min, out_max;
    const char *signature;
    ob_types types[4];
    ob_broadcast_kind broadcast;
    ob_stretch stretch;
    bool deprecated;     /* since this version */
    bool varies;         /* equal operands may give other results: never computed ahead */
    bool shapes;         /* somebody asked for this shape of the result: a size of 1 in it is meant */
    uint32_t reads;      /* operands whose elements the shape rule takes for sizes, positions or counts: a bit each, the last
                            for all others. It hands on those of the rest, or looks after them itself */
    ob_shape_rule infer; /* NULL: outputs have unknown shapes, noted */
    const struct ob_kernel *kernel; /* NULL: the executor cannot run it */
    ob_op_loop loop;
    const struct ob_op_attribute
        *attributes; /* all that a node may have, up to a name of NULL; NULL: not known here (of a library) */
} ob_op;

/* The row of the newest version of domain.name that is not newer than `opset`; NULL when there is none (opset 0: newest of all).
 * domain "" is ai.onnx. Thread-safe: the table is constant. */
const ob_op *ob__op_find(const char *domain, const char *name, int64_t opset);
/* The newest version of an operator set that the table follows; INT64_MAX of sets whose versions say nothing here. */
int64_t ob__newest_opset(const char *domain);
/* The newest form of files that the project knows: release 1.23 in development. */
enum { OB_NEWEST_IR = 14 };
/* "the model imports opset 29 of ai.onnx, and the newest known here is 28", of a model whose operators of the domain, or of all
 * domains with a newer form of file, may mean something else than they do here; false: it is no such model. */
bool ob__is_too_new(const ob_graph *graph, const char *domain, char *text, size_t n_bytes);
size_t ob__op_count(void);
const ob_op *ob__op_at(size_t index);
/* The element type of output `index`, from the signature and the inputs' types; OB_NONE when it cannot be told from them. */
ob_dtype ob__op_output_dtype(const ob_op *op, uint32_t index, const ob_dtype *in, uint32_t n_in);
/* True when the signature alone, or with the inputs' types, tells the element type of output `index`. */
bool ob__op_output_follows(const ob_op *op, uint32_t index);
/* The types that operand `index` (of the inputs, or of the outputs) may have; 0 when there is no such operand. */
ob_types ob__op_input_types(const ob_op *op, uint32_t index);
/* The signature takes that many inputs, or has that many outputs; unbounded where its last one repeats. */
static inline bool ob__op_takes(const ob_op *op, size_t n_inputs) {
    return n_inputs >= (size_t)op->in_min && (op->in_max == INT16_MAX || n_inputs <= (size_t)op->in_max);
}
static inline bool ob__op_gives(const ob_op *op, size_t n_outputs) {
    return n_outputs >= (size_t)op->out_min && (op->out_max == INT16_MAX || n_outputs <= (size_t)op->out_max);
}

/* The set of one type. */
ob_types ob__type_bit(const ob_type *type);
ob_types ob__op_output_types(const ob_op *op, uint32_t index);
/* The signature's letter of input `index`, 0 when there is none; *homogeneous: it shares its type with every operand of that
 * letter. */
char ob__op_input_letter(const ob_op *op, uint32_t index, bool *homogeneous);
/* True when input `index` may be left out: the signature says so, or knows no such input. */
bool ob__op_input_optional(const ob_op *op, uint32_t index);
/* True when input `index` has the type letter of output 0: its elements may be what the output shows, not a parameter. */
bool ob__op_input_shares_type(const ob_op *op, uint32_t index);
/* "deprecated since version 11 of ai.onnx: use ScatterElements", of a row that is. At most n_bytes, terminated. */
void ob__op_deprecation(const ob_op *op, char *text, size_t n_bytes);
/* False when the node's row wants attribute broadcast = 1 and the node has it not: nothing broadcasts then. */
bool ob__stretch_asked(const ob_node *node, const ob_op *op);
/* The input, and its axis, that give axis 0 or 1 of a product of two matrices with attributes transA and transB. */
void ob__product_axis(const ob_node *node, int32_t axis, uint32_t *input, int32_t *input_axis);
/* The shape of that product, of the shapes of operands 0 and 1; false when these are no matrices. */
bool ob__product_shape(const ob_node *node, const ob_shape *operands, ob_dim dims[2]);

#endif
