/* Links of attention and related operators: elements of the batch are independent, queries see keys. */
#include "ops/infer/axes.h"
#include "ops/attention/params.h"
#include "ops/table/op.h"

OB_AXES(attention);
OB_AXES(flex_attention);
OB_AXES(linear_attention);
OB_AXES(causal_conv);
OB_AXES(rotary);
OB_AXES(placed_rotary);
OB_AXES(packed_attention);
OB_AXES(multi_head_attention);
OB_AXES(group_query_attention);

/* Axis 0 of these operands is the batch, and axis 0 of each result. */
static void link_batch(ob_axes *axes, const uint32_t *inputs, uint32_t n) {
    for (uint32_t output = 0; output < axes->infer->node->n_outputs; output++)
        for (uint32_t i = 0; i < n; i++) ob__link(axes, output, 0, inputs[i], 0, OB_LINK_SAME);
}

/* A mask or bias that broadcasts to (batch, heads, queries, keys). */
static void link_mask_batch(ob_axes *axes, uint32_t input) {
    if (ob__in_rank(axes->infer, input) == 4) link_batch(axes, &input, 1);
}

/* Queries are independent unless their place decides which keys they see. */
void ob__axes_attention(ob_axes *axes) {
    static const uint32_t batched[] = {0, 1, 2, 4, 5, 6};
    const ob_infer *infer = axes->infer;
    const ob_attention_params p = ob__attention_params(infer->node);
    const int32_t rank = ob__in_rank(infer, 0), mask = ob__in_rank(infer, 3);
    const bool placed = p.causal || p.left >= 0 || p.right >= 0;
    if (rank < 3 || rank > 4 || (ob__in_given(infer, 3) && mask < 0)) return;
    link_batch(axes, batched, sizeof batched / sizeof batched[0]);
    link_mask_batch(axes, 3);
    ob__link(axes, 0, rank - 2, 0, rank - 2, placed ? OB_LINK_PLACE : OB_LINK_SAME);
    if (mask >= 2) ob__link(axes, 0, rank - 2, 3, mask - 2, placed ? OB_LINK_PLACE : OB_LINK_SAME);
    for (uint32_t i = 1; i < 3; i++) ob__link(axes, 0, -1, i, rank - 2, OB_LINK_GONE);
    for (uint32_t i = 4; i < 6; i++) {
        ob__link(axes, 0, -1, i, 2, OB_LINK_GONE);
        ob__link(axes, i - 3, 2, i, 2, OB_LINK_MOVED);
        ob__link(axes, i - 3, 2, i - 3, rank - 2, OB_LINK_MOVED);
    }
}

/* A modifier may mix all scores. */
void ob__axes_flex_attention(ob_axes *axes) {
    static const uint32_t batched[] = {0, 1, 2};
    const ob_flex_attention_params p = ob__flex_attention_params(axes->infer->node, ob__in_dtype(axes->infer, 0));
    if (p.modifiers[0] || p.modifiers[1]) return;
    link_batch(axes, batched, 3);
    ob__link(axes, 0, 2, 0, 2, OB_LINK_SAME);
    for (uint32_t i = 1; i < 3; i++) ob__link(axes, 0, -1, i, 2, OB_LINK_GONE);
}

void ob__axes_linear_attention(ob_axes *axes) {
    static const uint32_t batched[] = {0, 1, 2, 3, 4, 5};
    link_batch(axes, batched, 6);
    for (uint32_t i = 0; i < 6; i++)
        if (i != 3) ob__link(axes, 0, 1, i, 1, OB_LINK_BEFORE);
    for (uint32_t i = 1; i < 6; i++)
        if (i != 3) ob__link(axes, 1, -1, i, 1, OB_LINK_GONE);
}

/* Operand (batch, channels, length), weight (channels, 1, k), bias (channels), state (batch, channels, k - 1). */
void ob__axes_causal_conv(ob_axes *axes) {
    static const uint32_t batched[] = {0, 3};
    link_batch(axes, batched, 2);
    for (uint32_t i = 0; i < 4; i++) ob__link(axes, 0, 1, i, i == 1 || i == 2 ? 0 : 1, OB_LINK_SAME);
    ob__link(axes, 1, 1, 0, 1, OB_LINK_SAME);
    ob__link(axes, 1, 1, 3, 1, OB_LINK_SAME);
    ob__link(axes, 0, 2, 0, 2, OB_LINK_BEFORE);
    ob__link(axes, 0, -1, 1, 2, OB_LINK_GONE);
}

/* Caches are (batch, tokens, half), or tables from which operand 3 picks rows. */
void ob__axes_rotary(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    const bool placed = ob__in_given(axes->infer, 3);
    if (rank < 3 || rank > 4) return;
    for (uint32_t i = 0; i < 4; i++)
        for (int32_t axis = 0; axis < 2; axis++) {
            const int32_t out = axis == 0 ? 0 : rank - 2;
            if (i == 0)
                ob__link(axes, 0, out, 0, out, OB_LINK_SAME);
            else if (i == 3 || !placed)
                ob__link(axes, 0, out, i, axis, OB_LINK_SAME);
        }
    if (rank == 4) ob__link(axes, 0, 1, 0, 1, OB_LINK_SAME);
    for (uint32_t i = 1; placed && i < 3; i++) ob__link(axes, 0, -1, i, 0, OB_LINK_GONE);
}

/* com.microsoft: positions (batch, tokens), or the position of the first token. */
void ob__axes_placed_rotary(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0), positions = ob__in_rank(axes->infer, 1);
    if (rank < 3 || rank > 4 || positions < 1 || positions > 2) return;
    ob__link(axes, 0, 0, 0, 0, OB_LINK_SAME);
    ob__link(axes, 0, rank - 2, 0, rank - 2, positions == 2 ? OB_LINK_SAME : OB_LINK_PLACE);
    if (positions == 2) {
        ob__link(axes, 0, 0, 1, 0, OB_LINK_SAME);
        ob__link(axes, 0, rank - 2, 1, 1, OB_LINK_SAME);
    }
    if (rank == 4) ob__link(axes, 0, 1, 0, 1, OB_LINK_SAME);
    for (uint32_t i = 2; i < 4; i++) ob__link(axes, 0, -1, i, 0, OB_LINK_GONE);
}

/* ---- com.microsoft ---- */

/* Whether a mask of lengths or of keys has the batch as axis 0: a vector may also hold two or three numbers for each element. */
static bool has_batch_or_none(const ob_infer *infer, uint32_t mask) {
    return !ob__in_given(infer, mask) || ob__in_rank(infer, mask) >= 2;
}

/* Input (batch, tokens, size); past and present (2, batch, heads, tokens, size). */
void ob__axes_packed_attention(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    if (!has_batch_or_none(infer, 3)) return;
    for (uint32_t output = 0; output < 2; output++) {
        const int32_t batch = output ? 1 : 0;
        ob__link(axes, output, batch, 0, 0, OB_LINK_SAME);
        ob__link(axes, output, batch, 4, 1, OB_LINK_SAME);
        if (output) continue;
        ob__link(axes, output, batch, 3, 0, OB_LINK_SAME);
        if (ob__in_rank(infer, 5) == 4) ob__link(axes, output, batch, 5, 0, OB_LINK_SAME);
    }
}

void ob__axes_multi_head_attention(ob_axes *axes) {
    static const uint32_t batched[] = {0, 1, 2, 4, 6, 7};
    if (!has_batch_or_none(axes->infer, 4) || ob__in_given(axes->infer, 9)) return;
    link_batch(axes, batched, sizeof batched / sizeof batched[0]);
    link_mask_batch(axes, 5);
}

void ob__axes_group_query_attention(ob_axes *axes) {
    static const uint32_t batched[] = {0, 1, 2, 3, 4, 5, 9};
    link_batch(axes, batched, sizeof batched / sizeof batched[0]);
    link_mask_batch(axes, 10);
}
