/* Shape rules of attention and related operators. */
#include <string.h>

#include "core/base/error.h"
#include "core/graph/types.h"
#include "ops/attention/params.h"
#include "ops/infer/body_values.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(attention);
OB_RULE(causal_conv);
OB_RULE(flex_attention);
OB_RULE(linear_attention);
OB_RULE(rotary);
OB_RULE(placed_rotary);

/* The sizes that the operands give; OB_DIM_UNKNOWN if none gives the size. */
typedef struct heads {
    bool flat; /* rank 3: (batch, sequence, heads * size) */
    ob_dim batch, q_heads, kv_heads, q_length, kv_length, size, v_size;
} heads;

/* Divides heads * size by the number of heads, which an attribute gives. */
static ob_dim head_size(ob_infer *infer, uint32_t input, ob_dim n_heads) {
    ob_dim whole = ob__in_dim(infer, input, 2);
    return ob_dim_is_const(n_heads) && n_heads > 0 ? ob_dim_div(infer->dims, whole, n_heads) : OB_DIM_UNKNOWN;
}

/* The number of heads divides the last axis of each flat operand, and heads of Q and K have one size. */
static ob_status require_heads(ob_infer *infer, const heads *h) {
    for (uint32_t i = 0; i < 3; i++) {
        ob_dim n = i == 0 ? h->q_heads : h->kv_heads;
        if (n == OB_DIM_UNKNOWN) return ob__unverified(infer, (int32_t)i, 2, "the number of heads is not given");
        if (ob__in_rank(infer, i) == 3)
            OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, ob__in_dim(infer, i, 2), n, (int32_t)i, 2, OB0601));
    }
    if (ob__in_rank(infer, 1) != 3) return OB_OK;
    return ob__require(infer, OB_COND_EQUAL, head_size(infer, 0, h->q_heads), h->size, 0, 2, OB0601);
}

/* Past keys and values come before K and V. The mask broadcasts to the scores and may cover fewer keys. */
static ob_status require_past(ob_infer *infer, const heads *h, ob_dim past) {
    const ob_dim key[4] = {h->batch, h->kv_heads, past, h->size}, value[4] = {h->batch, h->kv_heads, past, h->v_size};
    OB_TRY(ob__require_shape(infer, 4, (ob_shape){4, key}, OB0601));
    return ob__require_shape(infer, 5, (ob_shape){4, value}, OB0601);
}

/* Several heads of Q share one head of K and V. */
static ob_status require_groups(ob_infer *infer, const heads *h) {
    if (h->q_heads == h->kv_heads) return OB_OK;
    return ob__require(infer, OB_COND_DIVISIBLE, h->q_heads, h->kv_heads, 0, 1, OB0601);
}

static ob_status require_mask(ob_infer *infer, const heads *h, ob_dim total) {
    ob_shape mask = ob__in_shape(infer, 3);
    if (!ob__in_given(infer, 3)) return OB_OK;
    if (!ob__rank_in(infer, 3, 0, 4) || mask.rank < 0) return OB_OK;
    ob_dim shown = mask.rank == 0 || mask.dims[mask.rank - 1] == 1 ? total : mask.dims[mask.rank - 1];
    const ob_dim scores[4] = {h->batch, h->q_heads, h->q_length, infer->op->since >= 24 ? shown : total};
    if (infer->op->since >= 24) /* a mask with one element broadcasts */
        OB_TRY(ob__require_where(infer, ob_dim_sub(infer->dims, shown, 1), OB_COND_AT_LEAST, total, shown, 3, 3, OB0601));
    return ob__broadcast_onto(infer, mask, (ob_shape){4, scores}, 3, OB0102);
}

static ob_dim number_of_heads(int64_t n) {
    return n > 0 && n <= OB_DIM_CONST_MAX ? n : OB_DIM_UNKNOWN;
}

static void read_heads(ob_infer *infer, heads *h) {
    const ob_attention_params p = ob__attention_params(infer->node);
    h->flat = ob__in_rank(infer, 0) == 3;
    h->batch = ob__in_dim(infer, 0, 0);
    if (h->flat) {
        h->q_heads = number_of_heads(p.q_heads);
        h->kv_heads = number_of_heads(p.kv_heads);
        h->q_length = ob__in_dim(infer, 0, 1);
        h->kv_length = ob__in_dim(infer, 1, 1);
        h->size = head_size(infer, 1, h->kv_heads);
        h->v_size = head_size(infer, 2, h->kv_heads);
        return;
    }
    h->q_heads = ob__in_dim(infer, 0, 1);
    h->kv_heads = ob__in_dim(infer, 1, 1);
    h->q_length = ob__in_dim(infer, 0, 2);
    h->kv_length = ob__in_dim(infer, 1, 2);
    h->size = ob__in_dim(infer, 1, 3);
    h->v_size = ob__in_dim(infer, 2, 3);
}

/* Requirements of attributes and operands on each other that do not depend on sizes. */
static void require_call(ob_infer *infer) {
    const ob_attention_params p = ob__attention_params(infer->node);
    const bool key = ob__in_given(infer, 4), value = ob__in_given(infer, 5);
    if (p.mode < 0 || p.mode > 3)
        ob__problem(infer, OB0602, -1, -1, "attribute qk_matmul_output_mode is %lld: it must be 0 to 3", (long long)p.mode);
    if (p.has_precision && !ob__dtype_is_real_or_half(p.precision))
        ob__problem(infer, OB0602, -1, -1, "attribute softmax_precision is not a float type");
    if (key != value) ob__problem(infer, OB0602, -1, -1, "past_key and past_value must be given together, or neither");
    if ((key || value) && ob__in_given(infer, 6))
        ob__problem(infer, OB0602, 6, -1, "nonpad_kv_seqlen does not go with past_key and past_value");
}

/* Source: Attention-23, Attention-24: Q, K, V of rank 4 (batch, heads, sequence, size) or 3; past keys and values come before K
 * and V. */
ob_status ob__infer_attention(ob_infer *infer) {
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, OB_NONE);
    int32_t rank = ob__in_rank(infer, 0);
    require_call(infer);
    for (uint32_t i = 0; i < 3; i++)
        if (!ob__rank_in(infer, i, 3, 4) || (rank >= 0 && !ob__rank_in(infer, i, rank, rank))) return OB_OK;
    if (rank < 0) return OB_OK;
    heads h;
    read_heads(infer, &h);
    for (uint32_t i = 1; i < 3; i++)
        if (ob__in_rank(infer, i) < 0) return OB_OK;
    for (uint32_t i = 1; i < 3; i++)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, i, 0), h.batch, (int32_t)i, 0, OB0601));
    int32_t along = h.flat ? 1 : 2;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 2, along), h.kv_length, 2, along, OB0601));
    if (!h.flat) OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 3), h.size, 0, 3, OB0601));
    ob_dim total = h.kv_length;
    if (ob__in_given(infer, 4)) total = ob_dim_add(infer->dims, ob__in_dim(infer, 4, 2), total);
    if (h.flat) OB_TRY(require_heads(infer, &h));
    OB_TRY(require_groups(infer, &h));
    if (!h.flat && ob__in_rank(infer, 1) == 4 && ob__in_rank(infer, 2) == 4)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 2, 1), h.kv_heads, 2, 1, OB0601));
    OB_TRY(require_past(infer, &h, ob__in_dim(infer, 4, 2)));
    OB_TRY(require_mask(infer, &h, total));
    if (ob__in_given(infer, 6)) OB_TRY(ob__require_shape(infer, 6, (ob_shape){1, &h.batch}, OB0601));
    const ob_dim flat[3] = {h.batch, h.q_length, ob_dim_mul(infer->dims, h.q_heads, h.v_size)};
    const ob_dim full[4] = {h.batch, h.q_heads, h.q_length, h.v_size};
    const ob_dim key[4] = {h.batch, h.kv_heads, total, h.size}, value[4] = {h.batch, h.kv_heads, total, h.v_size};
    const ob_dim scores[4] = {h.batch, h.q_heads, h.q_length, total};
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, rank, h.flat ? flat : full));
    OB_TRY(ob__out_tensor(infer, 1, OB_NONE, 4, key));
    OB_TRY(ob__out_tensor(infer, 2, OB_NONE, 4, value));
    return ob__out_tensor(infer, 3, OB_NONE, 4, scores);
}

/* Operand (batch, channels, length), weight (channels, 1, k), state (batch, channels, k - 1). */
ob_status ob__infer_causal_conv(ob_infer *infer) {
    OB_TRY(ob__out_like(infer, 0, 0));
    for (uint32_t i = 0; i < 2; i++)
        if (!ob__rank_in(infer, i, 3, 3)) return OB_OK;
    ob_dim k = ob__in_dim(infer, 1, 2), channels = ob__in_dim(infer, 0, 1);
    const ob_dim weight[3] = {channels, 1, k}, state[3] = {ob__in_dim(infer, 0, 0), channels, ob_dim_sub(infer->dims, k, 1)};
    OB_TRY(ob__require_shape(infer, 1, (ob_shape){3, weight}, OB0601));
    if (ob__in_given(infer, 2)) OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &channels}, OB0601));
    if (ob__in_given(infer, 3)) OB_TRY(ob__require_shape(infer, 3, (ob_shape){3, state}, OB0601));
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, k, 1, 1, 2, OB0601));
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, ob__in_dim(infer, 0, 2), 1, 0, 2, OB0601));
    return ob__out_tensor(infer, 1, OB_NONE, 3, state);
}

/* The size of a head of operand 0, which has rank 3 or 4. */
static ob_status rotary_head(ob_infer *infer, const ob_rotary_params *p, ob_dim *size) {
    const ob_dim n_heads = number_of_heads(p->heads);
    *size = ob__in_dim(infer, 0, 3);
    if (ob__in_rank(infer, 0) == 4) return OB_OK;
    *size = OB_DIM_UNKNOWN;
    if (n_heads == OB_DIM_UNKNOWN) {
        ob__problem(infer, OB0602, 0, 2, "num_heads is %lld: an operand of rank 3 needs it", (long long)p->heads);
        return OB_OK;
    }
    OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, ob__in_dim(infer, 0, 2), n_heads, 0, 2, OB0601));
    *size = head_size(infer, 0, n_heads);
    return OB_OK;
}

/* Source: RotaryEmbedding-23: operand (batch, heads, tokens, size) or (batch, tokens, heads * size); caches (positions, half)
 * with positions, otherwise (batch, tokens, half). */
ob_status ob__infer_rotary(ob_infer *infer) {
    const ob_rotary_params p = ob__rotary_params(infer->node);
    const int32_t rank = ob__in_rank(infer, 0);
    const bool placed = ob__in_given(infer, 3);
    ob_dim size;
    OB_TRY(ob__out_like(infer, 0, 0));
    OB_TRY(ob__rank_unknown(infer, 0));
    if (!ob__rank_in(infer, 0, 3, 4) || rank < 0) return OB_OK;
    if (p.turned < 0 || p.turned % 2 != 0 || p.turned > OB_DIM_CONST_MAX) {
        ob__problem(infer, OB0602, -1, -1, "rotary_embedding_dim is %lld: elements are rotated in pairs", (long long)p.turned);
        return OB_OK;
    }
    OB_TRY(rotary_head(infer, &p, &size));
    if (p.turned && size != OB_DIM_UNKNOWN)
        OB_TRY(ob__require(infer, OB_COND_AT_LEAST, size, p.turned, 0, rank - 1, OB0601));
    else if (size != OB_DIM_UNKNOWN)
        OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, size, 2, 0, rank - 1, OB0601));
    const ob_dim turned = p.turned ? p.turned : size,
                 half = turned == OB_DIM_UNKNOWN ? turned : ob_dim_div(infer->dims, turned, 2);
    const ob_dim tokens[3] = {ob__in_dim(infer, 0, 0), ob__in_dim(infer, 0, rank - 2), half};
    const ob_dim places[2] = {ob__in_dim(infer, 1, 0), half};
    for (uint32_t i = 1; i < 3; i++)
        OB_TRY(ob__require_shape(infer, i, placed ? (ob_shape){2, places} : (ob_shape){3, tokens}, OB0601));
    if (!placed) return OB_OK;
    OB_TRY(ob__require_shape(infer, 3, (ob_shape){2, tokens}, OB0601));
    return ob__require_places(infer, 3, places[0], 1, 0);
}

/* Positions (batch, tokens), or only the position of the first token. */
static ob_status require_positions(ob_infer *infer, int32_t rank) {
    const ob_dim tokens[2] = {ob__in_dim(infer, 0, 0), ob__in_dim(infer, 0, rank - 2)}, rows = ob__in_dim(infer, 2, 0);
    OB_TRY(ob__rank_unknown(infer, 1));
    if (ob__in_rank(infer, 1) == 2) {
        OB_TRY(ob__require_shape(infer, 1, (ob_shape){2, tokens}, OB0601));
        return ob__require_places(infer, 1, rows, 2, 0);
    }
    if (ob__in_rank(infer, 1) != 1) return OB_OK;
    OB_TRY(ob__require_one(infer, 1));
    const ob_dim n = ob_dim_mul(infer->dims, tokens[0], tokens[1]);
    OB_TRY(ob__require_where(infer, n, OB_COND_AT_LEAST, rows, 1, 2, 0, OB0601));
    const ob_values_asked asked = {.lowest = ob_dim_sub(infer->dims, 0, rows),
                                   .highest = ob_dim_sub(infer->dims, rows, tokens[1]),
                                   .when = n,
                                   .axis = 0,
                                   .reason = "indices depend on data"};
    return ob__require_values(infer, 1, &asked);
}

/* Source: com.microsoft.RotaryEmbedding: as above, with positions as operand 1; in rank 3 without num_heads, the caches determine
 * the size of a head. */
ob_status ob__infer_placed_rotary(ob_infer *infer) {
    const ob_rotary_params p = ob__rotary_params(infer->node);
    const int32_t rank = ob__in_rank(infer, 0);
    const ob_dim cache[2] = {ob__in_dim(infer, 2, 0), ob__in_dim(infer, 2, 1)};
    ob_dim size = OB_DIM_UNKNOWN;
    OB_TRY(ob__out_like(infer, 0, 0));
    OB_TRY(ob__rank_unknown(infer, 0));
    for (uint32_t i = 2; i < 4; i++)
        if (!ob__rank_in(infer, i, 2, 2)) return OB_OK;
    if (!ob__rank_in(infer, 0, 3, 4) || !ob__rank_in(infer, 1, 1, 2) || rank < 0) return OB_OK;
    OB_TRY(ob__require_shape(infer, 3, (ob_shape){2, cache}, OB0601));
    if (rank == 3 && p.heads == 0) {
        size = ob_dim_mul(infer->dims, cache[1], 2);
        OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, ob__in_dim(infer, 0, 2), size, 0, 2, OB0601));
        return require_positions(infer, rank);
    }
    if (p.turned < 0 || p.turned % 2 != 0 || p.turned > OB_DIM_CONST_MAX) {
        ob__problem(infer, OB0602, -1, -1, "rotary_embedding_dim is %lld: elements are rotated in pairs", (long long)p.turned);
        return OB_OK;
    }
    OB_TRY(rotary_head(infer, &p, &size));
    if (p.turned && size != OB_DIM_UNKNOWN) OB_TRY(ob__require(infer, OB_COND_AT_LEAST, size, p.turned, 0, rank - 1, OB0601));
    OB_TRY(
        ob__require(infer, OB_COND_EQUAL, p.turned ? p.turned : size, ob_dim_mul(infer->dims, cache[1], 2), 0, rank - 1, OB0601));
    return require_positions(infer, rank);
}

/* ---- FlexAttention ---- */

/* A subgraph that maps the scores, or the probabilities after softmax, to as many values of the same type. */
static ob_status infer_modifier(ob_infer *infer, const char *name, ob_graph *graph, ob_dtype dtype, const ob_dim *scores) {
    ob_body_values in, out;
    if (graph->n_inputs != 1 || graph->n_outputs != 1) {
        ob__problem(infer, OB0602, -1, -1, "%s has %u inputs and %u outputs: it must have one of each", name, graph->n_inputs,
                    graph->n_outputs);
        return OB_OK;
    }
    if (!infer->subgraph) return OB_OK;
    ob_dim *dims = ob__new_dims(infer, 4);
    if (!dims || !ob__make_body_values(infer, 1, &in) || !ob__make_body_values(infer, 1, &out)) return OB_E_MEMORY;
    memcpy(dims, scores, 4 * sizeof *dims);
    in.types[0] = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = dtype, .shape = {4, dims}};
    OB_TRY(infer->subgraph(infer, graph, 1, in.types, in.contents, out.types, out.contents));
    const ob_type *made = &out.types[0];
    if (made->dtype != OB_NONE && dtype != OB_NONE && made->dtype != dtype)
        ob__problem(infer, OB0604, -1, -1, "%s gives %s: it must give the type of its input, %s", name,
                    ob_dtype_name(made->dtype), ob_dtype_name(dtype));
    if (made->shape.rank >= 0 && made->shape.rank != 4) {
        ob__problem(infer, OB0601, -1, -1, "%s gives rank %d: it must keep the shape of its input, of rank 4", name,
                    made->shape.rank);
        return OB_OK;
    }
    for (int32_t a = 0; a < 4; a++)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, made->shape.rank < 0 ? OB_DIM_UNKNOWN : made->shape.dims[a], scores[a], -1, a,
                           OB0601));
    return OB_OK;
}

/* Source: ai.onnx.preview FlexAttention-1: Q, K, V of rank 4 (batch, heads, sequence, size). */
ob_status ob__infer_flex_attention(ob_infer *infer) {
    heads h;
    for (uint32_t i = 0; i < 3; i++)
        if (!ob__rank_in(infer, i, 4, 4) || ob__in_rank(infer, i) < 0) return OB_OK;
    read_heads(infer, &h);
    for (uint32_t i = 1; i < 3; i++)
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, i, 0), h.batch, (int32_t)i, 0, OB0601));
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 2, 1), h.kv_heads, 2, 1, OB0601));
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 2, 2), h.kv_length, 2, 2, OB0601));
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 3), h.size, 0, 3, OB0601));
    OB_TRY(require_groups(infer, &h));
    const ob_flex_attention_params p = ob__flex_attention_params(infer->node, ob__in_dtype(infer, 0));
    if (p.precision == OB_NONE)
        ob__problem(infer, OB0602, -1, -1, "softmax_precision is %lld: it must be float16, bfloat16, float or double",
                    (long long)ob__attribute_int(infer->node, "softmax_precision"));
    const ob_dim scores[4] = {h.batch, h.q_heads, h.q_length, h.kv_length}, full[4] = {h.batch, h.q_heads, h.q_length, h.v_size};
    for (int i = 0; i < 2; i++)
        if (p.modifiers[i]) OB_TRY(infer_modifier(infer, ob__flex_attention_modifiers[i], p.modifiers[i], p.precision, scores));
    return ob__out_tensor(infer, 0, OB_NONE, 4, full);
}

/* ---- LinearAttention ---- */

/* The last axis of decay or beta has one of two sizes. */
static ob_status require_either(ob_infer *infer, uint32_t input, ob_dim a, ob_dim b) {
    ob_dim size = ob__in_dim(infer, input, 2);
    if (size != OB_DIM_UNKNOWN && (size == a || size == b)) return OB_OK;
    if (!ob_dim_is_const(size) || !ob_dim_is_const(a) || !ob_dim_is_const(b))
        return ob__unverified(infer, (int32_t)input, 2, "a size may be one of two");
    ob__problem(infer, OB0601, (int32_t)input, 2, "size %lld: it must be %lld or %lld", (long long)size, (long long)a,
                (long long)b);
    return OB_OK;
}

/* An operand that some update rules need, with as many tokens as the others. */
static ob_status require_rate(ob_infer *infer, uint32_t input, bool needed, const heads *h, ob_dim a, ob_dim b) {
    if (!ob__in_given(infer, input)) {
        if (needed)
            ob__problem(infer, OB0603, (int32_t)input, -1, "%s is missing: the update rule needs it",
                        input == 4 ? "decay" : "beta");
        return OB_OK;
    }
    if (!ob__rank_in(infer, input, 3, 3) || ob__in_rank(infer, input) < 0) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, input, 0), h->batch, (int32_t)input, 0, OB0601));
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, input, 1), h->q_length, (int32_t)input, 1, OB0601));
    return require_either(infer, input, a, b);
}

/* Source: LinearAttention-27: operands are flat, (batch, tokens, heads * size), except the state (batch, heads, key, value). */
ob_status ob__infer_linear_attention(ob_infer *infer) {
    const ob_linear_attention_params p = ob__linear_attention_params(infer->node);
    heads h;
    const uint32_t typed_by = ob__in_given(infer, 3) ? 3 : 0;
    ob__out_dtype(infer, 1, ob__in_dtype(infer, typed_by));
    if (p.q_heads < 1 || p.kv_heads < 1 || p.q_heads > OB_DIM_CONST_MAX || p.q_heads % p.kv_heads != 0) {
        ob__problem(infer, OB0602, -1, -1,
                    "q_num_heads is %lld and kv_num_heads %lld: both must be given, and the second divide the first",
                    (long long)p.q_heads, (long long)p.kv_heads);
        return OB_OK;
    }
    for (uint32_t i = 0; i < 3; i++)
        if (!ob__rank_in(infer, i, 3, 3) || ob__in_rank(infer, i) < 0) return OB_OK;
    read_heads(infer, &h);
    for (uint32_t i = 1; i < 3; i++) {
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, i, 0), h.batch, (int32_t)i, 0, OB0601));
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, i, 1), h.q_length, (int32_t)i, 1, OB0601));
    }
    OB_TRY(require_heads(infer, &h));
    const ob_dim state[4] = {h.batch, h.kv_heads, h.size, h.v_size};
    if (ob__in_given(infer, 3)) OB_TRY(ob__require_shape(infer, 3, (ob_shape){4, state}, OB0601));
    OB_TRY(require_rate(infer, 4, p.fades, &h, ob_dim_mul(infer->dims, h.kv_heads, h.size), h.kv_heads));
    OB_TRY(require_rate(infer, 5, p.corrects, &h, h.kv_heads, 1));
    const ob_dim flat[3] = {h.batch, h.q_length, ob_dim_mul(infer->dims, h.q_heads, h.v_size)};
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 3, flat));
    return ob__out_tensor(infer, 1, OB_NONE, 4, state);
}
