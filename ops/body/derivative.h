/* Derivatives, from which Gradient is built. A row of a family's derivatives.def computes the gradients of an operator's operands
 * from the gradients of its results.
 *
 *     OB_DERIVATIVE("", Mul, 7, (A, B, C, dC) -> (dA, dB) {
 *         dA = dC * B;
 *         dB = dC * A;
 *     })
 *
 * The text is that of a body (body.h) with the attributes of the node. Its operands are all operands of the operator, including
 * those that the node leaves out, then all its results, then the gradients of the results. Its results are the gradients of the
 * first operands; the results do not depend on the other operands. If the operator broadcasts, a gradient may have the shape of
 * the broadcast operand: it is then summed. has(dA) is true if the gradient is requested.
 *
 * OB_DERIVATIVE_PAIRS: the same for two operands of an operator with any number of operands; more are reduced two at a time.
 * OB_DERIVATIVE_EACH: the same for one operand and the result of the same number, of an operator with as many results as
 * operands. OB_DERIVATIVE_MOVES(domain, name, since, fill): the operator only moves, repeats or drops elements of operand 0.
 * Applied to the indices of the elements, it shows where each gradient belongs. `fill`: the operand that fills the other
 * elements, which is omitted then; -1: none. OB_DERIVATIVE_ZERO: the derivative of the results is zero wherever it exists. */
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

/* NULL: the operator has no derivative. */
const ob_derivative *ob__derivative_of(const ob_op *op);
size_t ob__derivative_count(void);
const ob_derivative *ob__derivative_at(size_t index);

#endif
