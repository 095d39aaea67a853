/* Deployment targets: what each accepts of broadcasting, as rows of a table (targets.def and targets/NAME.def). */
#ifndef OB_PASSES_TARGET_TARGET_H
#define OB_PASSES_TARGET_TARGET_H

#include "onnx_broadcast/target.h"
#include "ops/table/op.h"

/* The questions. One row per question: NAME, text. Their order is that in which a node is judged. */
#define OB_WHAT_LIST(X)                                                                                                          \
    X(OPERATOR, "operator")                                                                                                      \
    X(OLD_FORM, "broadcasting of opset 1 to 6")                                                                                  \
    X(INPUTS, "most operands")                                                                                                   \
    X(CONSTANT, "constant operand")                                                                                              \
    X(TYPES, "element types")                                                                                                    \
    X(OPEN, "open sizes")                                                                                                        \
    X(ZERO, "size 0")                                                                                                            \
    X(RANK, "most axes")                                                                                                         \
    X(RANKS, "ranks")                                                                                                            \
    X(STRETCH, "stretched operand")                                                                                              \
    X(AXES, "stretched axes")

typedef enum ob_what {
#define OB_WHAT_ENUM(name, text) OB_WHAT_##name,
    OB_WHAT_LIST(OB_WHAT_ENUM)
#undef OB_WHAT_ENUM
        OB_WHAT_COUNT
} ob_what;

/* The answers, by question. */
enum { OB_ANSWER_NO, OB_ANSWER_YES, OB_ANSWER_MISHANDLED }; /* OPERATOR, OLD_FORM, OPEN, ZERO (mishandled: 0 with 1) */
enum { OB_CONSTANT_ONE, OB_CONSTANT_RIGHT };                /* CONSTANT: one of the operands, the second */
enum {
    OB_RANK_ALWAYS,     /* of every tensor; number 0: no limit */
    OB_RANK_STRETCHING, /* only where the operands differ in shape */
    OB_RANK_MERGED,     /* the same, after neighbouring axes that are stretched alike are merged */
    OB_RANK_LARGER      /* axes larger than 1 */
};
enum {
    OB_RANKS_FREE,
    OB_RANKS_EQUAL,            /* of all operands and the result */
    OB_RANKS_SCALAR_CONDITION, /* equal, but operand 0 may be a scalar */
    OB_RANKS_EXACTLY,          /* `number` */
    OB_RANKS_AXES              /* scale and bias have one axis for each axis that is normalized */
};
enum {
    OB_STRETCH_BOTH,
    OB_STRETCH_ONE,   /* one of the operands, not two */
    OB_STRETCH_RIGHT, /* not operand 0 */
    OB_STRETCH_NONE,
    OB_STRETCH_SCALAR_CONDITION, /* operand 0, if it is a scalar */
    OB_STRETCH_BRANCHES          /* any, but operands 1 and 2 alone give the shape of the result */
};
enum {
    OB_AXES_ANY,
    OB_AXES_SUFFIX,            /* those that stay are the last ones */
    OB_AXES_BLOCK,             /* those that stay are neighbours */
    OB_AXES_NOT_BATCH,         /* not axis 0 */
    OB_AXES_SCALAR,            /* the operand has one element */
    OB_AXES_CHANNEL,           /* one element, or axis 1 stays */
    OB_AXES_ONE,               /* one element, or only axis 1 or the last one stays */
    OB_AXES_LAST,              /* only the last one stays */
    OB_AXES_ENDS,              /* besides axis 0: all but the last, or only the last */
    OB_AXES_NO_CHANNEL_VECTOR, /* a vector as long as axis 1 is ambiguous */
};

typedef struct ob_target_rule {
    const char *target; /* first row of a target: its name, and title and version below; else NULL */
    const char *title, *version;
    uint32_t classes;      /* a bit for each ob_op_class */
    bool spares_constants; /* holds only where no operand is constant */
    uint8_t what, answer, effect, confidence;
    int32_t number;
    ob_types types;
    const char *source;
} ob_target_rule;

enum { OB_FROM_SOURCE, OB_FROM_DOCUMENT, OB_FROM_THREAD, OB_FROM_MEMORY };

/* A target: a row of the table with its name, and its rules after it. */
typedef struct ob_target {
    const ob_target_rule *head, *rules;
    size_t n_rules;
} ob_target;

/* False: `index` is out of range. */
bool ob__target_at(size_t index, ob_target *out);
/* The first rule of the target about the question for operators of the class; NULL: the table has no answer. */
const ob_target_rule *ob__target_rule(const ob_target *target, ob_what what, ob_op_class of);
void ob__target_row(const ob_target *target, const ob_target_rule *rule, ob_target_row *out);
const char *ob__what_text(ob_what what);

/* ---- A node as a target sees it (judge.c) ---- */

typedef struct ob_target_node {
    ob_op_class of;
    uint32_t n;             /* operands that are stretched or compared; for Expand, C of Gemm: one */
    const ob_shape *shapes; /* of the operands, right-aligned with the result */
    const bool *constant;
    ob_shape result;      /* the shape that operands are stretched to; for a matrix product that of the product */
    int32_t n_fixed_axes; /* trailing axes that are not stretched: 2 for a matrix product */
    int32_t n_axes;       /* of normalizations: axes that are normalized, -1: not known */
    ob_dtype dtype;       /* of the first operand that has the type of the result */
    bool old_form;        /* attribute broadcast = 1 of opset 1 to 6 */
} ob_target_node;

typedef struct ob_target_issue {
    const ob_target_rule *rule; /* of a rule that is broken or open; else NULL if the table has no founded answer */
    ob_what what;
    ob_truth holds;  /* FALSE: broken; UNDECIDED: for some of the open sizes; TRUE: not known */
    int32_t operand; /* position in shapes, or -1 */
    int32_t axis;    /* of the result, or -1 */
    int32_t found;   /* number of axes that was found, or -1 */
} ob_target_issue;

/* At most one issue for each question, in their order; returns the number. A node of which nothing is or may be stretched has no
 * issue for a question without an answer. */
size_t ob__target_judge(const ob_target *target, const ob_target_node *node, ob_target_issue issues[OB_WHAT_COUNT]);
/* The number of groups of axes after merging neighbours that are stretched alike: *least and *most, which differ if open sizes
 * decide. Pure function of the node. */
void ob__merged_axes(const ob_target_node *node, int32_t *least, int32_t *most);

#endif
