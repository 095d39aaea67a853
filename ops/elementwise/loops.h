/* The loop that an elementwise row names, for shape rules. */
#ifndef OB_OPS_ELEMENTWISE_LOOPS_H
#define OB_OPS_ELEMENTWISE_LOOPS_H

#include "kernels/elementwise/elementwise.h"
#include "ops/table/op.h"

/* Whether this is the loop of the row, with operands in either order (ob_op_loop). */
static inline bool ob__applies(const ob_op *op, obk_binary loop) {
    return op->loop.kind == OB_LOOP_BINARY && op->loop.number == loop;
}
static inline bool ob__applies_unary(const ob_op *op, obk_unary loop) {
    return op->loop.kind == OB_LOOP_UNARY && op->loop.number == loop;
}

#endif
