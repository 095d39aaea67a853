/* The subgraphs and attributes of If, Loop and Scan, read only here. */
#ifndef OB_OPS_CONTROL_PARAMS_H
#define OB_OPS_CONTROL_PARAMS_H

#include "core/graph/graph.h"

typedef struct ob_if_params {
    ob_graph *branches[2]; /* for a true and a false condition */
} ob_if_params;

/* Order of values. Operands of the node, after the first `first` (the operator's own): state, scanned. Inputs of the body: own,
 * state, scanned. Outputs of the body: own, state, stacked. Results of the node: state, stacked. */
typedef struct ob_loop_params {
    ob_graph *body;
    bool is_scan;
    bool has_batch;                     /* Scan-8: axis 0 of every operand and result is the batch */
    uint32_t first, n_state, n_scanned; /* operands */
    uint32_t own_inputs, own_outputs;   /* of the body of a Loop: inputs iteration number and condition; output condition */
    uint32_t n_stacked;                 /* results after the state */
    int32_t own_rank[2]; /* of the iteration number and condition of a Loop: 0, or 1 (with size 1) if the body declares one axis,
                            as old exporters do and ONNX Runtime accepts */
} ob_loop_params;

/* The dims of these values if their rank is 1. */
static const int64_t ob__loop_own_dims[1] = {1};

/* The error in such a node. */
typedef struct ob_control_problem {
    bool counts; /* a wrong number of inputs or outputs; false: a wrong attribute */
    char text[120];
} ob_control_problem;

/* False, with the problem, if no subgraph fits. */
bool ob__if_params(const ob_node *node, ob_if_params *out, ob_control_problem *problem);
bool ob__branch_fits(const ob_node *node, const ob_graph *branch, ob_control_problem *problem);
/* For a Loop or a Scan; the node's row tells which. */
bool ob__loop_params(const ob_node *node, ob_loop_params *out, ob_control_problem *problem);
/* True for an If; any other node with OB_KERNEL_CONTROL is a Loop or a Scan. */
bool ob__is_if(const ob_node *node);

/* The shape of one item of `output` if the body never runs and inference gave `type`: if its rank is unknown, the declared shape,
 * or else rank 0, as in ONNX Runtime. */
ob_shape ob__item_shape(const ob_type *type, const ob_value *output);

/* For a Scan: the axis along which scanned operand i is split (or stacked result i is joined); it may be negative. And whether
 * the Scan goes backward. */
int64_t ob__scan_axis(const ob_node *node, bool is_output, uint32_t i);
bool ob__scan_is_backward(const ob_node *node, bool is_output, uint32_t i);

#endif
