/* What the elementwise kernels share: finding a loop for a type, directly or through conversion. */
#ifndef OB_OPS_ELEMENTWISE_ELEMENT_H
#define OB_OPS_ELEMENTWISE_ELEMENT_H

#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/iteration.h"
#include "kernels/loop.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

/* Fills spec->loop and the conversions so that every input of type `in` is computed by one of `loops`: the type's own loop, or
 * float's for the narrower floats. The output has type `out`; it is converted back when it has the inputs' type. False: no loop
 * does it. */
bool ob__element_loop(const obk_loop *loops, ob_dtype in, ob_dtype out, uint32_t n_in, obk_iteration_spec *spec);

/* The loop of an operator of one operand, with the node's attributes as its parameters. */
obk_unary ob__read_unary(const ob_node *node, const ob_op *op, obk_unary_params *params);

/* E_UNSUPPORTED: "version 14 has no kernel for element type float8e5m2". */
ob_status ob__unsupported_type(const ob_kernel_site *site, ob_dtype dtype, ob_error *error);

/* Elementwise kernels keep their plan at the start of their state. */
ob_status ob__element_run(const ob_kernel_args *args, ob_error *error);

#endif
