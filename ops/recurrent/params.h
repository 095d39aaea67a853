/* The attributes of RNN, GRU and LSTM, read only here. */
#ifndef OB_OPS_RECURRENT_PARAMS_H
#define OB_OPS_RECURRENT_PARAMS_H

#include "kernels/elementwise/elementwise.h"
#include "ops/table/op.h"

typedef enum ob_recurrent_cell { OB_RECURRENT_RNN, OB_RECURRENT_GRU, OB_RECURRENT_LSTM } ob_recurrent_cell;

typedef struct ob_recurrent_params {
    ob_recurrent_cell cell;
    int gates;
    int directions;
    bool reverse; /* the only direction is backward */
    bool batch_first, linear_before_reset, input_forget;
    int64_t hidden; /* -1: not given */
    bool quantized; /* 8-bit weights (directions, inputs, gates), with scales and zero points after the other operands */
    double clip;    /* 0: none */
} ob_recurrent_params;
ob_recurrent_params ob__recurrent_params(const ob_node *node, const ob_op *op);

/* f of RNN; f and g of GRU; f, g and h of LSTM, for each direction. */
typedef struct ob_activation {
    obk_unary function;
    obk_unary_params params;
} ob_activation;
/* E_ARGUMENT: a list of the wrong length, or an activation that the specification does not define. */
ob_status ob__recurrent_activations(const ob_node *node, const ob_recurrent_params *p, ob_activation activations[2][3],
                                    ob_error *error);

#endif
