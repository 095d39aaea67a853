/* Links of matrix products: rows and columns stay, and the axis along which products are summed ends. */
#include <string.h>

#include "ops/infer/axes.h"
#include "ops/product/params.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_AXES(matmul);
OB_AXES(gemm);
OB_AXES(fused_matmul);
OB_AXES(cdist);
OB_AXES(inverse);
OB_AXES(det);
OB_AXES(einsum);

/* An operand of a product: its number, its rank, and its axis for each axis of the matrix that is multiplied. */
typedef struct factor {
    uint32_t input;
    int32_t rank, axis[OB_MAX_RANK];
} factor;

static factor factor_of(const ob_infer *infer, uint32_t input) {
    factor f = {.input = input, .rank = ob__in_rank(infer, input)};
    for (int32_t k = 0; k < OB_MAX_RANK; k++) f.axis[k] = k;
    return f;
}

/* A vector on the left is a row, a vector on the right a column; its added axis is removed again. */
static void link_product(ob_axes *axes, const factor *a, const factor *b) {
    const int32_t rank = ob__out_rank_of(axes, 0);
    if (a->rank < 1 || b->rank < 1 || a->rank > OB_MAX_RANK || b->rank > OB_MAX_RANK || rank < 0) return;
    const int32_t n_own = (a->rank >= 2) + (b->rank >= 2), n_batch = rank - n_own;
    const factor *both[2] = {a, b};
    for (int i = 0; i < 2; i++)
        for (int32_t k = 0; k + 2 < both[i]->rank; k++)
            ob__link(axes, 0, n_batch - (both[i]->rank - 2) + k, both[i]->input, both[i]->axis[k], OB_LINK_SAME);
    if (a->rank >= 2) ob__link(axes, 0, n_batch, a->input, a->axis[a->rank - 2], OB_LINK_SAME);
    if (b->rank >= 2) ob__link(axes, 0, rank - 1, b->input, b->axis[b->rank - 1], OB_LINK_SAME);
    ob__link(axes, 0, -1, a->input, a->axis[a->rank - 1], OB_LINK_GONE);
    ob__link(axes, 0, -1, b->input, b->axis[b->rank >= 2 ? b->rank - 2 : 0], OB_LINK_GONE);
}

/* A scale or zero point of an operand: one for each row of A or column of B, or aligned with the operand with size 1 for the axis
 * of the sum. */
static void link_scale(ob_axes *axes, uint32_t input, const factor *of, bool is_row, int32_t n_batch, int32_t own) {
    const int32_t rank = ob__in_rank(axes->infer, input);
    if (rank < 1 || of->rank < 2) return;
    if (rank == 1) {
        ob__link(axes, 0, own, input, 0, OB_LINK_SAME);
        return;
    }
    for (int32_t k = 0; k + 2 < rank; k++)
        if (n_batch - (rank - 2) + k >= 0) ob__link(axes, 0, n_batch - (rank - 2) + k, input, k, OB_LINK_SAME);
    ob__link(axes, 0, own, input, is_row ? rank - 2 : rank - 1, OB_LINK_SAME);
}

void ob__axes_matmul(ob_axes *axes) {
    const ob_infer *infer = axes->infer;
    const ob_stretch *stretch = &infer->op->stretch;
    const factor a = factor_of(infer, 0), b = factor_of(infer, stretch->first);
    link_product(axes, &a, &b);
    const int32_t rank = ob__out_rank_of(axes, 0), n_batch = rank - (a.rank >= 2) - (b.rank >= 2);
    if (rank < 0 || a.rank < 1 || b.rank < 1) return;
    for (uint32_t k = stretch->scale_from; k < stretch->scale_end; k++) {
        link_scale(axes, k, &a, true, n_batch, n_batch);
        link_scale(axes, b.input + k, &b, false, n_batch, rank - 1);
    }
}

/* C is aligned with the last axes of the product. */
void ob__axes_gemm(ob_axes *axes) {
    for (int32_t axis = 0; axis < 2; axis++) {
        uint32_t operand;
        int32_t own;
        ob__product_axis(axes->infer->node, axis, &operand, &own);
        ob__link(axes, 0, axis, operand, own, OB_LINK_SAME);
        ob__link(axes, 0, -1, operand, 1 - own, OB_LINK_GONE);
    }
    ob__link_last(axes, 0, 2, OB_LINK_SAME);
}

/* com.microsoft: first the batch axes of an operand are moved before its first axis, then its last two axes are exchanged. */
static void transpose_factor(const ob_infer *infer, factor *f, const char *batch, const char *last) {
    if (f->rank < 2 || f->rank > OB_MAX_RANK) return;
    if (ob__attribute_flag(infer->node, batch)) {
        memmove(f->axis, f->axis + 1, (size_t)(f->rank - 2) * sizeof *f->axis);
        f->axis[f->rank - 2] = 0;
    }
    if (ob__attribute_flag(infer->node, last)) {
        const int32_t row = f->axis[f->rank - 2];
        f->axis[f->rank - 2] = f->axis[f->rank - 1];
        f->axis[f->rank - 1] = row;
    }
}

void ob__axes_fused_matmul(ob_axes *axes) {
    factor a = factor_of(axes->infer, 0), b = factor_of(axes->infer, 1);
    transpose_factor(axes->infer, &a, "transBatchA", "transA");
    transpose_factor(axes->infer, &b, "transBatchB", "transB");
    link_product(axes, &a, &b);
}

/* The distance of each row of one operand from each row of the other. */
void ob__axes_cdist(ob_axes *axes) {
    for (uint32_t i = 0; i < 2; i++) {
        ob__link(axes, 0, (int32_t)i, i, 0, OB_LINK_SAME);
        ob__link(axes, 0, -1, i, 1, OB_LINK_GONE);
    }
}

void ob__axes_inverse(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    bool whole[OB_MAX_RANK] = {false};
    if (rank < 2 || rank > OB_MAX_RANK) return;
    whole[rank - 2] = whole[rank - 1] = true;
    ob__link_each(axes, 0, 0, whole, OB_LINK_ALL);
}

void ob__axes_det(ob_axes *axes) {
    const int32_t rank = ob__in_rank(axes->infer, 0);
    for (int32_t axis = 0; axis < rank; axis++) {
        const bool stays = axis < rank - 2;
        ob__link(axes, 0, stays ? axis : -1, 0, axis, stays ? OB_LINK_SAME : OB_LINK_GONE);
    }
}

/* ---- Einsum ---- */

/* The axes of the result for each label; -1: it has none. The axes of an ellipsis end before `ellipsis_end`. */
typedef struct einsum_axes {
    int32_t of[OB_EINSUM_LETTERS], ellipsis_end;
    bool has_ellipsis;
} einsum_axes;

static void read_result(const einsum_axes *empty, const ob_einsum_params *params, int32_t rank, einsum_axes *out) {
    size_t at = 0;
    int32_t axis = 0;
    *out = *empty;
    for (int label; (label = ob__einsum_label(&params->result, &at)) >= 0;) {
        if (label == OB_EINSUM_ELLIPSIS) {
            axis += rank - params->result.n_letters;
            out->has_ellipsis = true;
            out->ellipsis_end = axis;
        } else
            out->of[label] = axis++;
    }
}

static void link_term(ob_axes *axes, uint32_t input, const ob_einsum_term *term, const einsum_axes *result) {
    const int32_t n_rest = ob__in_rank(axes->infer, input) - term->n_letters;
    size_t at = 0;
    int32_t axis = 0;
    for (int label; (label = ob__einsum_label(term, &at)) >= 0;) {
        if (label != OB_EINSUM_ELLIPSIS) {
            const int32_t out = result->of[label];
            ob__link(axes, 0, out, input, axis++, out >= 0 ? OB_LINK_SAME : OB_LINK_GONE);
            continue;
        }
        for (int32_t k = 0; k < n_rest; k++, axis++) {
            const int32_t out = result->has_ellipsis ? result->ellipsis_end - n_rest + k : -1;
            ob__link(axes, 0, out, input, axis, out >= 0 ? OB_LINK_SAME : OB_LINK_GONE);
        }
    }
}

void ob__axes_einsum(ob_axes *axes) {
    const int32_t rank = ob__out_rank_of(axes, 0);
    ob_einsum_params params;
    einsum_axes empty = {.has_ellipsis = false}, result;
    const char *at = NULL;
    if (rank < 0 || ob__read_einsum(axes->infer->node, &params, axes->infer->trial) != OB_OK) return;
    for (int label = 0; label < OB_EINSUM_LETTERS; label++) empty.of[label] = -1;
    read_result(&empty, &params, rank, &result);
    for (uint32_t input = 0; input < params.n_operands; input++) {
        const ob_einsum_term term = ob__einsum_term(&params, &at);
        const int32_t own = ob__in_rank(axes->infer, input);
        if (own < term.n_letters || (own > term.n_letters && !term.has_ellipsis)) continue;
        link_term(axes, input, &term, &result);
    }
}
