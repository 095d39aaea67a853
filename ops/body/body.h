/* Bodies: operators that the specification defines as functions, as text. A call without a kernel is written out as the nodes of
 * its body before anything is planned; where there is a kernel, the body is what it is tested against.
 *
 * A body is a row of a family's bodies.def:
 *
 *     OB_BODY("", Celu, 12, <alpha = 1>(X) -> (Y) {
 *         Y = Max(X, 0) + Min(@alpha * (Exp(X / @alpha) - 1), 0);
 *     })
 *
 * Attributes with their defaults (a fraction is a float; none: it may be absent), operands, results, statements. `+ - * /` are
 * Add, Sub, Mul, Div; a name before brackets is an operator of ai.onnx, opset OB_BODY_OPSET; `name = ...` in its brackets is an
 * attribute, nothing between two commas an omitted operand. An operand or result is called by its name, an attribute by its name
 * with `@` (as a value: a scalar or a list of int64; as an attribute: itself, of whatever kind, and left out where the call
 * leaves it out). A number takes the type of the operands that it meets: those of the same letter of the operator's signature,
 * else the first one; `[1, 2]` is a list of int64. Numbers among themselves are computed at once.
 * What depends on the call stands in `if (...) { ... } else { ... }`, decided when the call is written out: has(NAME) is true
 * when the operand or attribute is given or the result wanted, rank(X), type(X) are numbers of operands, types go by their names;
 * as attributes also dim(X, 0), a size, moved(X, 1, -1), the axes of X with axis 1 moved to the end, and inverse(@perm), the
 * permutation that undoes an attribute; `==`, `!=`, `<`, `>=`, `and`, `or`, `not`. `refuse "reason";` is for what cannot be said
 * so. */
#ifndef OB_OPS_BODY_BODY_H
#define OB_OPS_BODY_BODY_H

#include "ops/table/op.h"

enum { OB_BODY_OPSET = 27 };

typedef struct ob_body {
    const char *domain, *name;
    int16_t since; /* the first version of the operator that it defines; later ones too, up to the next body's */
    const char *text;
} ob_body;

/* Row is the operator's, and of a version nearer to its own than `best` (NULL: none yet). */
bool ob__body_is_nearer(const ob_body *row, const ob_op *op, const ob_body *best);
/* NULL: the operator has none. */
const ob_body *ob__body_of(const ob_op *op);
size_t ob__body_count(void);
const ob_body *ob__body_at(size_t index);

/* How many results the text names; it names one at least. */
uint32_t ob__body_results(const ob_body *body);

/* Puts the nodes of the body before `call`, and takes its results and bodies for them: what is left of it computes nothing.
 * in_types: of call->n_inputs operands, as far as they are known. `scratch` is for the time of the call. E_UNSUPPORTED where the
 * body asks for a rank or type that is not known; E_INTERNAL, with the place, for a text that is wrong. */
ob_status ob__body_expand(const ob_body *body, ob_node *call, const ob_type *in_types, ob_arena *scratch, ob_error *error);

#endif
