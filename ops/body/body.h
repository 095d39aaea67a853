/* Bodies: the text of operators that the specification defines as functions. A call without a kernel is replaced by the nodes of
 * its body before planning. If there is a kernel too, tests compare it with the body.
 *
 * A body is a row of a family's bodies.def:
 *
 *     OB_BODY("", Celu, 12, <alpha = 1>(X) -> (Y) {
 *         Y = Max(X, 0) + Min(@alpha * (Exp(X / @alpha) - 1), 0);
 *     })
 *
 * It lists attributes with their defaults (a fraction is a float; without a default the attribute may be missing), operands,
 * results and statements. `+ - * /` are Add, Sub, Mul, Div. A name before brackets is an operator of ai.onnx, opset
 * OB_BODY_OPSET, or with its domain, `com.microsoft.QLinearAdd`, one of version 1. In its brackets `name = ...` is an attribute,
 * and nothing between two commas is an omitted operand. An operand or result is written by its name, an attribute by its name
 * with `@`. As a value, an attribute is a scalar or a list of int64; as an attribute of another call it is copied, of any kind,
 * or left out if the call leaves it out. A number takes the type of the operands of the same operator: those of the same letter
 * of its signature, or else the first one. `[1, 2]` is a list of int64. Arithmetic on numbers is computed when the body is read.
 * `if (...) { ... } else { ... }` is decided when the call is expanded. has(NAME) is true if the operand or attribute is given
 * or the result is requested. rank(X) and type(X) are the rank and element type of an operand; element types are written by name.
 * Other forms, as attributes: dim(X, 0) is a size; moved(X, 1, -1) is the axes of X with axis 1 moved to the end;
 * inverse(@perm) is the inverse of a permutation. Conditions use `==`, `!=`, `<`, `>=`, `and`, `or` and `not`. `refuse "reason";`
 * refuses a call that the language cannot express. */
#ifndef OB_OPS_BODY_BODY_H
#define OB_OPS_BODY_BODY_H

#include "ops/table/op.h"

enum { OB_BODY_OPSET = 27 };

typedef struct ob_body {
    const char *domain, *name;
    int16_t since; /* the first version of the operator that it defines; it also defines later ones, up to the next body's */
    const char *text;
} ob_body;

/* Whether the row is of this operator, with a version nearer to the operator's than `best` (NULL: none yet). */
bool ob__body_is_nearer(const ob_body *row, const ob_op *op, const ob_body *best);
/* NULL: the operator has no body. */
const ob_body *ob__body_of(const ob_op *op);
/* Why an operator with neither a kernel nor a body does not run. */
const char *ob__no_kernel(void);
size_t ob__body_count(void);
const ob_body *ob__body_at(size_t index);

/* The names that the head lists, in order. */
typedef struct ob_body_head {
    const char **attributes, **operands;
    uint32_t n_attributes, n_operands;
} ob_body_head;
/* E_MEMORY; E_INTERNAL, with the place, if the text is wrong. */
ob_status ob__body_read_head(const ob_body *body, ob_arena *arena, ob_body_head *out, ob_error *error);

/* The number of results that the text names, at least one. */
uint32_t ob__body_results(const ob_body *body);

/* Inserts the nodes of the body before `call` and moves the call's results and subgraphs to them, so that the call computes
 * nothing. in_types: the types of call->n_inputs operands, if known. `scratch` is used only during the call. E_UNSUPPORTED if the
 * body needs a rank or type that is not known; E_INTERNAL, with the place, if the text is wrong. */
ob_status ob__body_expand(const ob_body *body, ob_node *call, const ob_type *in_types, ob_arena *scratch, ob_error *error);

#endif
