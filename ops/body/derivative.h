/* Derivatives: what Gradient is made of. A row of a family's derivatives.def says how a change of an operator's operands changes
 * its results, turned round: from the gradients of the results, those of the operands.
 *
 *     OB_DERIVATIVE("", Mul, 7, (A, B, C, dC) -> (dA, dB) {
 *         dA = dC * B;
 *         dB = dC * A;
 *     })
 *
 * The text is that of a body (body.h) with the attributes of the node. Its operands are those of the operator, all of them, also
 * those that the node leaves out; then all results of the operator; then the gradients of these. Its results are the gradients of
 * the first operands, as many as there are: nothing depends on the others. Of an operator that broadcasts a gradient may have the
 * shape that its operand was stretched to: it is summed. has(dA) is true where the gradient is wanted.
 *
 * OB_DERIVATIVE_PAIRS: the same for two operands of an operator that takes any number; more are taken two at a time.
 * OB_DERIVATIVE_EACH: for one operand and the result of the same number, of an operator that takes and gives any number.
 * OB_DERIVATIVE_MOVES(domain, name, since, fill): the operator does nothing with the elements of operand 0 but move, repeat or
 * drop them: run on their places it says where each gradient belongs. `fill`: the operand whose elements it puts where none came,
 * which is left out then; -1: none.
 * OB_DERIVATIVE_ZERO: the results do not change where they have a derivative. */
#ifndef OB_OPS_BODY_DERIVATIVE_H
#define OB_OPS_BODY_DERIVATIVE_H

#include "ops/body/body.h"

typedef enum ob_derivative_kind {
    OB_DERIVATIVE_WHOLE,
    OB_DERIVATIVE_PAIRS,
    OB_DERIVATIVE_EACH,
    OB_DERIVATIVE_MOVES,
    OB_DERIVATIVE_ZERO
} ob_derivative_kind;

typedef struct ob_derivative {
    ob_body body;
    ob_derivative_kind kind;
    int8_t fill;
} ob_derivative;

/* NULL: the operator has none. */
const ob_derivative *ob__derivative_of(const ob_op *op);
size_t ob__derivative_count(void);
const ob_derivative *ob__derivative_at(size_t index);

#endif
