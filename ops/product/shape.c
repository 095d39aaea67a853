/* Shape rules of matrix products. */
#include <string.h>

#include "core/error.h"
#include "ops/table/op.h"

OB_RULE(matmul);
OB_RULE(gemm);
OB_RULE(einsum);
OB_RULE(det);

/* Source: MatMul-1, NumPy matmul: a vector on the left is a row, on the right a column, and its axis goes again. */
ob_status ob__infer_matmul(ob_infer *infer) {
    uint32_t right = infer->op->stretch.first;
    ob_shape a = ob__in_shape(infer, 0), b = ob__in_shape(infer, right);
    ob__out_dtype(infer, 0, OB_NONE);
    OB_TRY(ob__require_product_scales(infer));
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

/* Source: Gemm-1 to Gemm-13. C stretches to (M, N), never the other way. */
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

enum { N_LETTERS = 52 };

typedef struct einsum {
    ob_dim sizes[N_LETTERS];
    bool seen[N_LETTERS];
    int counts[N_LETTERS];
    ob_broadcast_result ellipsis;
    bool has_ellipsis;
    bool broken; /* a problem was reported */
} einsum;

static int letter_index(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    return -1;
}

/* Length of one term, up to a comma, the arrow or the end; counts its letters. False: a character that does not belong there. */
static bool scan_term(const char *term, size_t *length, int *n_letters, bool *ellipsis) {
    size_t i = 0;
    *n_letters = 0;
    *ellipsis = false;
    for (; term[i] && term[i] != ',' && term[i] != '-'; i++) {
        if (term[i] == ' ') continue;
        if (strncmp(term + i, "...", 3) == 0) {
            if (*ellipsis) return false;
            *ellipsis = true;
            i += 2;
        } else if (letter_index(term[i]) >= 0)
            ++*n_letters;
        else
            return false;
    }
    *length = i;
    return true;
}

static ob_status take_operand(ob_infer *infer, einsum *e, uint32_t input, const char *term, size_t length, int n_letters,
                              bool ellipsis) {
    ob_shape shape = ob__in_shape(infer, input);
    int32_t rest = shape.rank - n_letters, axis = 0;
    OB_TRY(ob__rank_unknown(infer, input));
    if (shape.rank >= 0 && (rest < 0 || (rest > 0 && !ellipsis))) {
        ob__problem(infer, OB0601, (int32_t)input, -1, "operand %u has rank %d, its term names %d axes", input, shape.rank,
                    n_letters);
        e->broken = true;
        return OB_OK;
    }
    for (size_t i = 0; i < length; i++) {
        if (term[i] == ' ') continue;
        if (term[i] == '.') {
            i += 2;
            e->has_ellipsis = true;
            ob_shape before = {e->ellipsis.rank, e->ellipsis.dims}, here = {OB_RANK_UNKNOWN, NULL};
            ob_broadcast_result joined;
            if (shape.rank >= 0) here = (ob_shape){rest, shape.dims + axis};
            OB_TRY(ob__broadcast_pair(infer, before, here, (int32_t)input, OB0101, &joined));
            e->ellipsis = joined;
            axis += rest;
            continue;
        }
        int letter = letter_index(term[i]);
        ob_dim d = shape.rank >= 0 ? shape.dims[axis++] : OB_DIM_UNKNOWN;
        ob_dim known = e->sizes[letter];
        bool seen = e->seen[letter];
        e->counts[letter]++;
        e->seen[letter] = true;
        e->sizes[letter] = seen ? OB_DIM_UNKNOWN : d;
        if (!seen || shape.rank < 0) continue; /* a rank that is not known is called unverified */
        if (known == OB_DIM_UNKNOWN) continue;
        const ob_condition condition = {OB_COND_BROADCAST, d, known}; /* sizes of 1 broadcast */
        if (d == known || ob_condition_decide(infer->dims, &condition) != OB_FALSE)
            e->sizes[letter] = ob_dim_bcast(infer->dims, known, d);
        OB_TRY(ob__require(infer, OB_COND_BROADCAST, d, known, (int32_t)input, -1, OB0601));
    }
    return OB_OK;
}

static ob_status einsum_result(ob_infer *infer, const einsum *e, const char *term) {
    ob_dim dims[OB_MAX_RANK];
    int32_t rank = 0;
    char implicit[N_LETTERS + 4], *end = implicit;
    if (!term) {
        /* Without an arrow: the ellipsis, then the letters that occur once, in order of their characters. */
        if (e->has_ellipsis) end = (char *)memcpy(end, "...", 3) + 3;
        for (int letter = 0; letter < N_LETTERS; letter++)
            if (e->counts[letter] == 1) *end++ = (char)(letter < 26 ? 'A' + letter : 'a' + letter - 26);
        *end = '\0';
        term = implicit;
    }
    for (; *term; term++) {
        if (*term == ' ') continue;
        if (*term == '.') {
            if (e->ellipsis.rank < 0 || rank + e->ellipsis.rank > OB_MAX_RANK) return OB_OK;
            for (int32_t k = 0; k < e->ellipsis.rank; k++) dims[rank++] = e->ellipsis.dims[k];
            term += 2;
            continue;
        }
        int letter = letter_index(*term);
        if (letter < 0 || !e->seen[letter] || rank >= OB_MAX_RANK) {
            ob__problem(infer, OB0602, -1, -1, "the result of the equation names an axis that no operand has");
            return OB_OK;
        }
        dims[rank++] = e->sizes[letter];
    }
    return ob__out_tensor(infer, 0, OB_NONE, rank, dims);
}

ob_status ob__infer_einsum(ob_infer *infer) {
    const char *equation = ob__node_string(infer->node, "equation", "");
    einsum e = {.ellipsis = {.rank = 0}};
    for (int letter = 0; letter < N_LETTERS; letter++) e.sizes[letter] = OB_DIM_UNKNOWN;
    ob__out_dtype(infer, 0, OB_NONE);
    const char *at = equation;
    for (uint32_t input = 0; input < infer->node->n_inputs; input++) {
        size_t length;
        int n_letters;
        bool ellipsis;
        bool last = input + 1 == infer->node->n_inputs;
        if (!scan_term(at, &length, &n_letters, &ellipsis) || (at[length] == ',') == last) {
            ob__problem(infer, OB0602, -1, -1, "the equation does not name one term for each of %u operands",
                        infer->node->n_inputs);
            return OB_OK;
        }
        OB_TRY(take_operand(infer, &e, input, at, length, n_letters, ellipsis));
        at += length + !last;
    }
    if (e.broken) return OB_OK;
    if (*at == '\0') return einsum_result(infer, &e, NULL);
    size_t length;
    int n_letters;
    bool ellipsis;
    if (at[0] != '-' || at[1] != '>' || !scan_term(at + 2, &length, &n_letters, &ellipsis) || at[2 + length]) {
        ob__problem(infer, OB0602, -1, -1, "the equation is malformed");
        return OB_OK;
    }
    return einsum_result(infer, &e, at + 2);
}
