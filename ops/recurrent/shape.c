/* The shape rule of recurrent operators. */
#include "core/base/error.h"
#include "ops/infer/infer.h"
#include "ops/recurrent/params.h"

OB_RULE(recurrent);

/* Sizes that the operands share. */
typedef struct cells {
    ob_dim directions, gates, hidden, batch, sequence;
    bool batch_first, quantized;
} cells;

/* Operands 8 .. 11, the scales and zero points of W and R, have one element for each direction or for each gate of each
 * direction. */
static ob_status require_scales(ob_infer *infer, const cells *c) {
    const ob_dim dims[2] = {c->directions, c->gates};
    for (uint32_t i = 8; i < 12; i++) {
        if (!ob__rank_in(infer, i, 1, 2)) return OB_OK;
        const int32_t rank = ob__in_rank(infer, i);
        if (rank >= 0) OB_TRY(ob__require_shape(infer, i, (ob_shape){rank, dims}, OB0601));
    }
    return OB_OK;
}

/* W (directions, gates, input), R (directions, gates, hidden), quantized (directions, input, gates) and (directions, hidden,
 * gates); B (directions, 2 gates), sequence_lens (batch), the initial states (directions, batch, hidden), with layout 1 (batch,
 * directions, hidden), and P (directions, 3 hidden). */
static ob_status require_operands(ob_infer *infer, const cells *c) {
    const ob_dim w[3] = {c->directions, c->gates, ob__in_dim(infer, 0, 2)}, r[3] = {c->directions, c->gates, c->hidden};
    const ob_dim wq[3] = {c->directions, w[2], c->gates}, rq[3] = {c->directions, c->hidden, c->gates};
    const ob_dim b[2] = {c->directions, ob_dim_mul(infer->dims, c->gates, 2)}, lengths[1] = {c->batch};
    const ob_dim state[3] = {c->directions, c->batch, c->hidden}, state_batch_first[3] = {c->batch, c->directions, c->hidden};
    const ob_dim p[2] = {c->directions, ob_dim_mul(infer->dims, c->hidden, 3)};
    const ob_shape initial = {3, c->batch_first ? state_batch_first : state};
    const ob_shape shapes[7] = {
        {3, c->quantized ? wq : w}, {3, c->quantized ? rq : r}, {2, b}, {1, lengths}, initial, initial, {2, p}};
    for (uint32_t i = 0; i < 7; i++)
        if (i > 1 || ob__in_rank(infer, i + 1) >= 0) /* the ranks of the others were required before */
            OB_TRY(ob__require_shape(infer, i + 1, shapes[i], OB0601));
    if (c->quantized) OB_TRY(require_scales(infer, c));
    return ob__require_lengths(infer, 4, c->sequence);
}

/* Source: RNN, GRU, LSTM: X (sequence, batch, input) or, with layout 1, (batch, sequence, input). */
ob_status ob__infer_recurrent(ob_infer *infer) {
    const ob_recurrent_params p = ob__recurrent_params(infer->node, infer->op);
    cells c = {.directions = p.directions, .batch_first = p.batch_first, .hidden = p.hidden, .quantized = p.quantized};
    ob_activation activations[2][3];
    ob_error *error = infer->trial;
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, ob__in_dtype(infer, 0));
    if (ob__recurrent_activations(infer->node, &p, activations, error) != OB_OK)
        ob__problem(infer, OB0602, -1, -1, "%s", error->message);
    for (uint32_t i = 0; i < 3; i++)
        if (!ob__rank_in(infer, i, 3, 3)) return OB_OK;
    if (!ob_dim_is_const(c.hidden) || c.hidden < 0) c.hidden = ob__in_dim(infer, 2, p.quantized ? 1 : 2);
    c.gates = ob_dim_mul(infer->dims, c.hidden, p.gates);
    c.sequence = ob__in_dim(infer, 0, c.batch_first ? 1 : 0);
    c.batch = ob__in_dim(infer, 0, c.batch_first ? 0 : 1);
    OB_TRY(require_operands(infer, &c));
    const ob_dim all[4] = {c.sequence, c.directions, c.batch, c.hidden},
                 all_batch_first[4] = {c.batch, c.sequence, c.directions, c.hidden};
    const ob_dim last[3] = {c.directions, c.batch, c.hidden}, last_batch_first[3] = {c.batch, c.directions, c.hidden};
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 4, c.batch_first ? all_batch_first : all));
    for (uint32_t i = 1; i < infer->node->n_outputs; i++)
        OB_TRY(ob__out_tensor(infer, i, OB_NONE, 3, c.batch_first ? last_batch_first : last));
    return OB_OK;
}
