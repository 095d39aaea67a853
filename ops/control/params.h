/* What If, Loop and Scan say of their bodies: the one place that reads their attributes. */
#ifndef OB_OPS_CONTROL_PARAMS_H
#define OB_OPS_CONTROL_PARAMS_H

#include "core/graph/graph.h"

typedef struct ob_if_params {
    ob_graph *branches[2]; /* for a condition that is true, and false */
} ob_if_params;

/* Operands: [first]: state, scanned; those before it are the operator's own. Body: own inputs, state, scanned; its outputs: own,
 * state, stacked. Results: state, stacked. */
typedef struct ob_loop_params {
    ob_graph *body;
    bool is_scan;
    bool has_batch;                     /* Scan-8: axis 0 of every operand and result counts sequences */
    uint32_t first, n_state, n_scanned; /* operands */
    uint32_t own_inputs, own_outputs;   /* of a Loop's body: trip number and condition; condition */
    uint32_t n_stacked;                 /* results behind the state */
    int32_t own_rank[2]; /* of a Loop's trip number and condition: 0, or 1 with size 1 where the body declares one axis, as old
                            exporters do and ONNX Runtime obeys */
} ob_loop_params;

/* Dims of a view of that rank. */
static const int64_t ob__loop_own_dims[1] = {1};

/* What is wrong with such a node. */
typedef struct ob_control_problem {
    bool counts; /* of inputs or outputs; false: an attribute */
    char text[120];
} ob_control_problem;

/* False, with the problem, when there is no body that fits. */
bool ob__if_params(const ob_node *node, ob_if_params *out, ob_control_problem *problem);
bool ob__branch_fits(const ob_node *node, const ob_graph *branch, ob_control_problem *problem);
/* Of a Loop or a Scan, which the node's row tells. */
bool ob__loop_params(const ob_node *node, ob_loop_params *out, ob_control_problem *problem);
/* If; otherwise a node with OB_KERNEL_CONTROL is a Loop or a Scan. */
bool ob__is_if(const ob_node *node);

/* The shape of what an iteration gives as `output` of its body, where there is none and its type is `type`: of a rank that nobody
 * knows what the body declares, and else no axis, as ONNX Runtime has it. */
ob_shape ob__item_shape(const ob_type *type, const ob_value *output);

/* Of a Scan: the axis that operand (result) i of those that are scanned (stacked) is cut (put together) along, may be negative;
 * and whether from its end. */
int64_t ob__scan_axis(const ob_node *node, bool is_output, uint32_t i);
bool ob__scan_is_backward(const ob_node *node, bool is_output, uint32_t i);

#endif
