/* Shape rules of matrix products. */
#include <string.h>

#include "core/base/error.h"
#include "ops/infer/infer.h"
#include "ops/product/params.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(matmul);
OB_RULE(gemm);
OB_RULE(fused_matmul);
OB_RULE(cdist);
OB_RULE(inverse);
OB_RULE(einsum);
OB_RULE(det);

/* Source: MatMul-1, NumPy matmul: a vector on the left is a row, on the right a column; its added axis is removed again. */
static ob_status infer_product(ob_infer *infer, ob_shape a, ob_shape b, uint32_t right) {
    if (a.rank == 0 || b.rank == 0) ob__problem(infer, OB0104, a.rank == 0 ? 0 : (int32_t)right, -1, "an operand is a scalar");
    OB_TRY(ob__rank_unknown(infer, 0));
    OB_TRY(ob__rank_unknown(infer, right));
    if (a.rank < 1 || b.rank < 1 || a.rank > OB_MAX_RANK || b.rank > OB_MAX_RANK) return OB_OK;
    ob_dim inner_a = a.dims[a.rank - 1], inner_b = b.dims[b.rank >= 2 ? b.rank - 2 : 0];
    OB_TRY(ob__require(infer, OB_COND_EQUAL, inner_a, inner_b, 0, -1, OB0104));
    ob_broadcast_result result;
    const ob_shape batch_a = {a.rank > 2 ? a.rank - 2 : 0, a.dims}, batch_b = {b.rank > 2 ? b.rank - 2 : 0, b.dims};
    OB_TRY(ob__broadcast_pair(infer, batch_a, batch_b, (int32_t)right, OB0104, &result));
    if (result.rank < 0) return OB_OK;
    int32_t rank = result.rank;
    if (a.rank >= 2 && rank < OB_MAX_RANK) result.dims[rank++] = a.dims[a.rank - 2];
    if (b.rank >= 2 && rank < OB_MAX_RANK) result.dims[rank++] = b.dims[b.rank - 1];
    return ob__out_tensor(infer, 0, OB_NONE, rank, result.dims);
}

ob_status ob__infer_matmul(ob_infer *infer) {
    uint32_t right = infer->op->stretch.first;
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__require_product_scales(infer));
    return infer_product(infer, ob__in_shape(infer, 0), ob__in_shape(infer, right), right);
}

/* com.microsoft: first the batch axes of an operand are moved before its first axis, then its last two axes are exchanged. */
static ob_shape transposed(const ob_infer *infer, uint32_t input, ob_dim dims[OB_MAX_RANK]) {
    static const char *const batch[] = {"transBatchA", "transBatchB"}, *const last[] = {"transA", "transB"};
    ob_shape shape = ob__in_shape(infer, input);
    if (shape.rank < 2 || shape.rank > OB_MAX_RANK) return shape;
    memcpy(dims, shape.dims, (size_t)shape.rank * sizeof *dims);
    if (ob__attribute_flag(infer->node, batch[input])) {
        memmove(dims, dims + 1, (size_t)(shape.rank - 2) * sizeof *dims);
        dims[shape.rank - 2] = shape.dims[0];
    }
    if (ob__attribute_flag(infer->node, last[input])) {
        ob_dim row = dims[shape.rank - 2];
        dims[shape.rank - 2] = dims[shape.rank - 1];
        dims[shape.rank - 1] = row;
    }
    return (ob_shape){shape.rank, dims};
}

ob_status ob__infer_fused_matmul(ob_infer *infer) {
    ob_dim a[OB_MAX_RANK], b[OB_MAX_RANK];
    ob__out_dtype(infer, 0, OB_NONE);
    for (uint32_t i = 0; i < 2; i++)
        if (ob__in_rank(infer, i) == 1 && ob__attribute_flag(infer->node, i ? "transBatchB" : "transBatchA")) {
            ob__problem(infer, OB0601, (int32_t)i, -1, "operand %u has no batch axes", i);
            return OB_OK;
        }
    return infer_product(infer, transposed(infer, 0, a), transposed(infer, 1, b), 1);
}

ob_status ob__infer_cdist(ob_infer *infer) {
    const ob_dim dims[2] = {ob__in_dim(infer, 0, 0), ob__in_dim(infer, 1, 0)};
    ob__out_dtype(infer, 0, OB_NONE);
    for (uint32_t i = 0; i < 2; i++)
        if (!ob__rank_in(infer, i, 2, 2)) return OB_OK;
    if (ob__in_rank(infer, 0) >= 0 && ob__in_rank(infer, 1) >= 0)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 1), ob__in_dim(infer, 1, 1), 1, 1, OB0601));
    return ob__out_tensor(infer, 0, OB_NONE, 2, dims);
}

ob_status ob__infer_inverse(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    if (!ob__rank_in(infer, 0, 2, OB_MAX_RANK) || ob__in_rank(infer, 0) < 0) return OB_OK;
    return ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, -2), ob__in_dim(infer, 0, -1), 0, -1, OB0601);
}

/* Source: Gemm-1 to Gemm-13. C broadcasts to (M, N), never the other way. */
ob_status ob__infer_gemm(ob_infer *infer) {
    ob_dim dims[2], inner[2];
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 2, 2) || !ob__rank_in(infer, 1, 2, 2)) return OB_OK;
    for (int32_t axis = 0; axis < 2; axis++) {
        uint32_t operand;
        int32_t own;
        ob__product_axis(infer->node, axis, &operand, &own);
        dims[axis] = ob__in_dim(infer, operand, own);
        inner[axis] = ob__in_dim(infer, operand, 1 - own);
    }
    if (ob__in_rank(infer, 0) >= 0 && ob__in_rank(infer, 1) >= 0)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, inner[0], inner[1], 0, -1, OB0104));
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 2, dims));
    const ob_shape result = {2, dims};
    if (!ob__in_given(infer, 2)) return OB_OK;
    if (!ob__stretch_asked(infer->node, infer->op)) return ob__require_shape(infer, 2, result, OB0102);
    return ob__broadcast_onto(infer, ob__in_shape(infer, 2), result, 2, OB0102);
}

ob_status ob__infer_det(ob_infer *infer) {
    ob_shape a = ob__in_shape(infer, 0);
    ob__out_dtype(infer, 0, OB_NONE);
    if (!ob__rank_in(infer, 0, 2, OB_MAX_RANK) || a.rank < 0) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, a.dims[a.rank - 2], a.dims[a.rank - 1], 0, -1, OB0601));
    return ob__out_tensor(infer, 0, OB_NONE, a.rank - 2, a.dims);
}

/* ---- Einsum ---- */

typedef struct einsum {
    ob_dim sizes[OB_EINSUM_LETTERS];
    ob_dim own[OB_EINSUM_LETTERS];     /* in the current operand, */
    uint32_t owner[OB_EINSUM_LETTERS]; /* 1 + index of that operand */
    bool seen[OB_EINSUM_LETTERS];
    ob_broadcast_result ellipsis;
    bool broken; /* a problem was reported */
} einsum;

static ob_status take_letter(ob_infer *infer, einsum *e, uint32_t input, int letter, bool known_rank, ob_dim d) {
    if (e->owner[letter] == input + 1) /* a diagonal: only sizes of different operands broadcast */
        return known_rank ? ob__require(infer, OB_COND_EQUAL, d, e->own[letter], (int32_t)input, -1, OB0601) : OB_OK;
    e->owner[letter] = input + 1;
    e->own[letter] = d;
    ob_dim known = e->sizes[letter];
    bool seen = e->seen[letter];
    e->seen[letter] = true;
    e->sizes[letter] = seen ? OB_DIM_UNKNOWN : d;
    if (!seen || !known_rank) return OB_OK; /* an unknown rank is reported as unverified */
    if (known == OB_DIM_UNKNOWN) return OB_OK;
    const ob_condition condition = {OB_COND_BROADCAST, d, known}; /* sizes of 1 broadcast */
    if (d == known || ob_condition_decide(infer->dims, &condition) != OB_FALSE)
        e->sizes[letter] = ob_dim_bcast(infer->dims, known, d);
    return ob__require(infer, OB_COND_BROADCAST, d, known, (int32_t)input, -1, OB0601);
}

static ob_status take_operand(ob_infer *infer, einsum *e, uint32_t input, const ob_einsum_term *term) {
    ob_shape shape = ob__in_shape(infer, input);
    int32_t rest = shape.rank - term->n_letters, axis = 0;
    OB_TRY(ob__rank_unknown(infer, input));
    if (shape.rank >= 0 && (rest < 0 || (rest > 0 && !term->has_ellipsis))) {
        ob__problem(infer, OB0601, (int32_t)input, -1, "operand %u has rank %d, its term names %d axes", input, shape.rank,
                    term->n_letters);
        e->broken = true;
        return OB_OK;
    }
    size_t at = 0;
    for (int label; (label = ob__einsum_label(term, &at)) >= 0;) {
        if (label == OB_EINSUM_ELLIPSIS) {
            ob_shape before = {e->ellipsis.rank, e->ellipsis.dims}, here = {OB_RANK_UNKNOWN, NULL};
            ob_broadcast_result joined;
            if (shape.rank >= 0) here = (ob_shape){rest, shape.dims + axis};
            OB_TRY(ob__broadcast_pair(infer, before, here, (int32_t)input, OB0101, &joined));
            e->ellipsis = joined;
            axis += rest;
            continue;
        }
        ob_dim d = shape.rank >= 0 ? shape.dims[axis++] : OB_DIM_UNKNOWN;
        OB_TRY(take_letter(infer, e, input, label, shape.rank >= 0, d));
    }
    return OB_OK;
}

static ob_status einsum_result(ob_infer *infer, const einsum *e, const ob_einsum_term *result) {
    ob_dim dims[OB_MAX_RANK];
    int32_t rank = 0;
    size_t at = 0;
    for (int label; (label = ob__einsum_label(result, &at)) >= 0;) {
        int32_t n = label == OB_EINSUM_ELLIPSIS ? e->ellipsis.rank : 1;
        if (n < 0) return OB_OK;
        if (!ob__rank_fits(infer, (int64_t)rank + n)) return OB_OK;
        for (int32_t k = 0; k < n; k++) dims[rank++] = label == OB_EINSUM_ELLIPSIS ? e->ellipsis.dims[k] : e->sizes[label];
    }
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

ob_status ob__infer_einsum(ob_infer *infer) {
    einsum e = {.ellipsis = {.rank = 0}};
    ob_einsum_params params;
    ob_error *error = infer->trial;
    const char *at = NULL;
    for (int letter = 0; letter < OB_EINSUM_LETTERS; letter++) e.sizes[letter] = OB_DIM_UNKNOWN;
    ob__out_dtype(infer, 0, OB_NONE);
    if (ob__read_einsum(infer->node, &params, error) != OB_OK) {
        ob__problem(infer, OB0602, -1, -1, "%s", error->message);
        return OB_OK;
    }
    for (uint32_t input = 0; input < params.n_operands; input++) {
        ob_einsum_term term = ob__einsum_term(&params, &at);
        OB_TRY(take_operand(infer, &e, input, &term));
    }
    return e.broken ? OB_OK : einsum_result(infer, &e, &params.result);
}
