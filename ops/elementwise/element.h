/* Functions that elementwise kernels share: they find a loop for a type, either directly or with conversions. */
#ifndef OB_OPS_ELEMENTWISE_ELEMENT_H
#define OB_OPS_ELEMENTWISE_ELEMENT_H

#include "kernels/take.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/element.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

/* The state of elementwise kernels. */
typedef struct ob_element {
    obk_iteration iteration;
    ob_element_numbers numbers;
} ob_element;

/* Fills spec->loop and the conversions so that one of `loops` computes inputs of type `in`: the loop of the type, or the float
 * loop for narrower floats. The output has type `out`; it is converted back if this is the type of the inputs. False: no loop
 * supports the type. */
bool ob__element_loop(obk_row row, ob_dtype in, ob_dtype out, uint32_t n_in, obk_iteration_spec *spec);

/* The loop of an operator with one operand; its parameters come from the node's attributes. */
obk_unary ob__read_unary(const ob_node *node, const ob_op *op, obk_unary_params *params);

/* E_UNSUPPORTED, for instance "version 14 has no kernel for element type float8e5m2". */
ob_status ob__unsupported_type(const ob_kernel_site *site, ob_dtype dtype, ob_error *error);

/* `plan` of elementwise kernels: one loop over all elements. `run` is ob__element_run (ops/kernel/functions.def). Kernels with a
 * state of their own begin it with an obk_iteration. */
ob_status ob__element_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error);

#endif
