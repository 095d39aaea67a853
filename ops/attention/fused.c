/* Shape rules of the attention operators of com.microsoft. */
#include "core/base/error.h"
#include "ops/infer/contents.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

OB_RULE(packed_attention);
OB_RULE(multi_head_attention);
OB_RULE(group_query_attention);

/* The number of heads in attribute `name`. If it is not positive, reports it and returns OB_DIM_UNKNOWN. */
static ob_dim heads_of(ob_infer *infer, const char *name) {
    int64_t n = ob__attribute_int(infer->node, name);
    if (n > 0 && n <= OB_DIM_CONST_MAX) return n;
    ob__problem(infer, OB0602, -1, -1, "attribute %s must be a positive number", name);
    return OB_DIM_UNKNOWN;
}

/* Divides `whole`, which is heads * size, by the number of heads. */
static ob_status head_size(ob_infer *infer, uint32_t input, ob_dim whole, ob_dim n_heads, ob_dim *size) {
    *size = OB_DIM_UNKNOWN;
    if (n_heads == OB_DIM_UNKNOWN) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, whole, n_heads, (int32_t)input, -1, OB0601));
    *size = whole == OB_DIM_UNKNOWN ? OB_DIM_UNKNOWN : ob_dim_div(infer->dims, whole, n_heads);
    return OB_OK;
}

/* A mask of rank 1 holds for each sequence the end of its keys, optionally followed by their beginnings. */
static bool mask_fits(ob_infer *infer) {
    const ob_dim batch = ob__in_dim(infer, 0, 0), n = ob__in_rank(infer, 3) == 1 ? ob__in_dim(infer, 3, 0) : OB_DIM_UNKNOWN;
    if (!ob_dim_is_const(batch) || !ob_dim_is_const(n) || n == batch || n == 2 * batch) return true;
    ob__problem(infer, OB0601, 3, 0, "mask_index has %lld elements, one or two for each of %lld sequences are needed",
                (long long)n, (long long)batch);
    return false;
}

/* Operand i is optional and broadcasts to the shape of the scores. */
static ob_status require_stretch(ob_infer *infer, uint32_t i, const ob_dim scores[4]) {
    if (!ob__in_given(infer, i) || !ob__rank_in(infer, i, 0, 4) || ob__in_rank(infer, i) < 0) return OB_OK;
    return ob__broadcast_onto(infer, ob__in_shape(infer, i), (ob_shape){4, scores}, (int32_t)i, OB0102);
}

/* A mask of keys, or of queries and keys: (batch, keys) or (batch, queries, keys). */
static ob_status require_key_mask(ob_infer *infer, uint32_t i, const ob_dim scores[4]) {
    const bool pairs = ob__in_rank(infer, i) == 3;
    const ob_dim dims[4] = {ob__in_dim(infer, i, 0), 1, pairs ? ob__in_dim(infer, i, 1) : 1, ob__in_dim(infer, i, -1)};
    return ob__broadcast_onto(infer, (ob_shape){4, dims}, (ob_shape){4, scores}, (int32_t)i, OB0102);
}

/* A mask of rank 4 covers the longest sequence, so it may be larger than the scores. */
static ob_status require_whole_mask(ob_infer *infer, uint32_t i, const ob_dim scores[4], ob_dim total) {
    for (int32_t axis = 0; axis < 4; axis++)
        OB_TRY(axis < 2
                   ? ob__require(infer, OB_COND_BROADCAST_TO, ob__in_dim(infer, i, axis), scores[axis], (int32_t)i, axis, OB0102)
                   : ob__require(infer, OB_COND_AT_LEAST, ob__in_dim(infer, i, axis), total, (int32_t)i, axis, OB0601));
    return OB_OK;
}

static ob_status require_packed_masks(ob_infer *infer, const ob_dim scores[4]) {
    OB_TRY(require_stretch(infer, 5, scores));
    if (!ob__in_given(infer, 3) || !ob__rank_in(infer, 3, 1, 4) || ob__in_rank(infer, 3) <= 1) return OB_OK;
    return ob__in_rank(infer, 3) < 4 ? require_key_mask(infer, 3, scores) : require_whole_mask(infer, 3, scores, scores[3]);
}

/* Operand (batch, sequence, width); weights (width, 3 * heads * size), or with the sum of qkv_hidden_sizes as last size; past and
 * present (2, batch, heads, keys, size). */
ob_status ob__infer_packed_attention(ob_infer *infer) {
    uint32_t n_sizes;
    const int64_t *sizes = ob__attribute_list(infer->node, "qkv_hidden_sizes", &n_sizes);
    ob_dim heads = heads_of(infer, "num_heads"), made = ob__in_dim(infer, 1, 1), size, total = ob__in_dim(infer, 0, 1),
           n_keys = total;
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, OB_NONE);
    if (!ob__rank_in(infer, 0, 3, 3) || !ob__rank_in(infer, 1, 2, 2)) return OB_OK;
    if (sizes &&
        (n_sizes != 3 || sizes[0] < 1 || sizes[1] != sizes[0] || sizes[2] < 1 || sizes[0] > INT32_MAX || sizes[2] > INT32_MAX)) {
        ob__problem(infer, OB0602, -1, -1, "qkv_hidden_sizes must be three sizes, the first two equal");
        return OB_OK;
    }
    if (ob__in_rank(infer, 0) < 0 || ob__in_rank(infer, 1) < 0) return OB_OK;
    if (ob__in_given(infer, 3) && !mask_fits(infer)) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 0, 2), ob__in_dim(infer, 1, 0), 1, 0, OB0104));
    if (ob__in_given(infer, 2)) OB_TRY(ob__require_shape(infer, 2, (ob_shape){1, &made}, OB0601));
    ob_dim keys = OB_DIM_UNKNOWN, values = OB_DIM_UNKNOWN;
    if (sizes) {
        OB_TRY(ob__require(infer, OB_COND_EQUAL, made, 2 * sizes[0] + sizes[2], 1, 1, OB0601));
        keys = sizes[1];
        values = sizes[2];
        ob_dim unused;
        OB_TRY(head_size(infer, 1, values, heads, &unused));
    } else {
        OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, made, 3, 1, 1, OB0601));
        if (made != OB_DIM_UNKNOWN) keys = values = ob_dim_div(infer->dims, made, 3);
    }
    OB_TRY(head_size(infer, 1, keys, heads, &size));
    if (ob__in_given(infer, 4)) {
        if (!ob__rank_in(infer, 4, 5, 5)) return OB_OK;
        ob_dim past = ob__in_dim(infer, 4, 3);
        const ob_dim wanted[5] = {2, ob__in_dim(infer, 0, 0), heads, past, size};
        OB_TRY(ob__require_shape(infer, 4, (ob_shape){5, wanted}, OB0601));
        n_keys = ob_dim_add(infer->dims, past, total);
        if (ob__attribute_int(infer->node, "past_present_share_buffer")) {
            const ob_dim n_past = ob__in_scalar(infer, 6);
            const ob_values_asked asked = {
                .highest = ob_dim_sub(infer->dims, past, total), .when = 1, .axis = 3, .reason = "lengths depend on data"};
            OB_TRY(ob__require_one(infer, 6));
            OB_TRY(ob__require_values(infer, 6, &asked));
            n_keys = n_past == OB_DIM_UNKNOWN ? n_past : ob_dim_add(infer->dims, n_past, total);
            total = past;
        } else {
            total = n_keys;
        }
    }
    const ob_dim scores[4] = {ob__in_dim(infer, 0, 0), heads, ob__in_dim(infer, 0, 1), n_keys};
    OB_TRY(require_packed_masks(infer, scores));
    const ob_dim out[3] = {ob__in_dim(infer, 0, 0), ob__in_dim(infer, 0, 1), values};
    const ob_dim present[5] = {2, out[0], heads, total, size};
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 3, out));
    return ob__out_tensor(infer, 1, OB_NONE, 5, present);
}

/* The sizes of keys and values, from the operands. */
typedef struct keys {
    ob_dim length, size, value_size;
} keys;

/* Keys and values of rank 3 (batch, length, heads * size) or 4 (batch, heads, length, size). */
static ob_status read_keys(ob_infer *infer, ob_dim heads, keys *out) {
    bool flat = ob__in_rank(infer, 1) == 3;
    for (uint32_t i = 1; i < 3; i++) {
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, i, 0), ob__in_dim(infer, 0, 0), (int32_t)i, 0, OB0601));
        if (!flat) OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, i, 1), heads, (int32_t)i, 1, OB0601));
    }
    int32_t along = flat ? 1 : 2;
    out->length = ob__in_dim(infer, 1, along);
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, 2, along), out->length, 2, along, OB0601));
    out->size = ob__in_dim(infer, 1, 3);
    out->value_size = ob__in_dim(infer, 2, 3);
    if (!flat) return OB_OK;
    OB_TRY(head_size(infer, 1, ob__in_dim(infer, 1, 2), heads, &out->size));
    return head_size(infer, 2, ob__in_dim(infer, 2, 2), heads, &out->value_size);
}

/* Operands `input` and the next are (batch, heads, length, size). */
static ob_status require_past(ob_infer *infer, uint32_t input, ob_dim heads, const keys *k) {
    const ob_dim batch = ob__in_dim(infer, 0, 0), past = ob__in_dim(infer, input, 2);
    const ob_dim key[4] = {batch, heads, past, k->size}, value[4] = {batch, heads, past, k->value_size};
    OB_TRY(ob__require_shape(infer, input, (ob_shape){4, key}, OB0601));
    return ob__require_shape(infer, input + 1, (ob_shape){4, value}, OB0601);
}

/* The results for `total` keys, of which the present is stored in a buffer of `buffer` keys. */
static ob_status out_attention(ob_infer *infer, ob_dim heads, ob_dim kv_heads, ob_dim total, ob_dim buffer, const keys *k) {
    const ob_dim batch = ob__in_dim(infer, 0, 0);
    bool known = heads != OB_DIM_UNKNOWN && k->value_size != OB_DIM_UNKNOWN;
    const ob_dim out[3] = {batch, ob__in_dim(infer, 0, 1),
                           known ? ob_dim_mul(infer->dims, heads, k->value_size) : OB_DIM_UNKNOWN};
    const ob_dim key[4] = {batch, kv_heads, buffer, k->size}, value[4] = {batch, kv_heads, buffer, k->value_size};
    const ob_dim scores[4] = {batch, heads, out[1], total};
    OB_TRY(ob__out_tensor(infer, 0, OB_NONE, 3, out));
    OB_TRY(ob__out_tensor(infer, 3, OB_NONE, 4, scores));
    OB_TRY(ob__out_tensor(infer, 1, OB_NONE, 4, key));
    return ob__out_tensor(infer, 2, OB_NONE, 4, value);
}

/* The bias of queries, keys and values is one vector. The others are masks of keys and a bias of the scores. */
static ob_status require_biases(ob_infer *infer, ob_dim heads, ob_dim total, const keys *k) {
    const ob_dim batch = ob__in_dim(infer, 0, 0), scores[4] = {batch, heads, ob__in_dim(infer, 0, 1), total};
    const bool known = heads != OB_DIM_UNKNOWN && k->size != OB_DIM_UNKNOWN && k->value_size != OB_DIM_UNKNOWN;
    const ob_dim all =
        known ? ob_dim_mul(infer->dims, heads, ob_dim_add(infer->dims, ob_dim_mul(infer->dims, 2, k->size), k->value_size))
              : OB_DIM_UNKNOWN;
    OB_TRY(ob__require_shape(infer, 3, (ob_shape){1, &all}, OB0601));
    OB_TRY(require_stretch(infer, 5, scores));
    if (!ob__in_given(infer, 4) || !ob__rank_in(infer, 4, 1, 3) || ob__in_rank(infer, 4) < 0) return OB_OK;
    if (ob__in_rank(infer, 4) > 1) return require_key_mask(infer, 4, scores);
    return ob__require(infer, OB_COND_BROADCAST_TO, ob__in_dim(infer, 4, 0), batch, 4, 0, OB0102);
}

/* Queries (batch, sequence, heads * size), or together with keys and values (batch, sequence, heads, 3, size). Keys of rank 5
 * include the values. */
ob_status ob__infer_multi_head_attention(ob_infer *infer) {
    ob_dim heads = heads_of(infer, "num_heads");
    int32_t q_rank = ob__in_rank(infer, 0), k_rank = ob__in_rank(infer, 1);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, OB_NONE);
    if (!ob__rank_in(infer, 0, 3, 5) || !ob__rank_in(infer, 1, 3, 5) || q_rank < 0) return OB_OK;
    if (q_rank == 4) {
        ob__problem(infer, OB0601, 0, -1, "queries have rank 3, packed with keys and values 5, not 4");
        return OB_OK;
    }
    keys k = {0};
    if (q_rank == 5 || k_rank == 5) {
        uint32_t packed = q_rank == 5 ? 0 : 1;
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, packed, 2), heads, (int32_t)packed, 2, OB0601));
        OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, packed, 3), packed ? 2 : 3, (int32_t)packed, 3, OB0601));
        OB_TRY(
            ob__require(infer, OB_COND_EQUAL, ob__in_dim(infer, packed, 0), ob__in_dim(infer, 0, 0), (int32_t)packed, 0, OB0601));
        k = (keys){ob__in_dim(infer, packed, 1), ob__in_dim(infer, packed, 4), ob__in_dim(infer, packed, 4)};
    } else if (ob__in_given(infer, 1) && k_rank < 0) {
        return ob__rank_unknown(infer, 1);
    } else if (!ob__in_given(infer, 1) || !ob__in_given(infer, 2)) {
        ob__problem(infer, OB0601, 0, -1, "queries of rank 3 need keys and values beside them");
        return OB_OK;
    } else {
        if (!ob__rank_in(infer, 2, k_rank, k_rank)) return OB_OK;
        OB_TRY(read_keys(infer, heads, &k));
    }
    ob_dim size = k.size;
    if (q_rank == 3) OB_TRY(head_size(infer, 0, ob__in_dim(infer, 0, 2), heads, &size));
    if (size != OB_DIM_UNKNOWN && k.size != OB_DIM_UNKNOWN) OB_TRY(ob__require(infer, OB_COND_EQUAL, size, k.size, 0, 2, OB0601));
    ob_dim total = k.length;
    if (ob__in_given(infer, 6)) {
        OB_TRY(require_past(infer, 6, heads, &k));
        const ob_dim buffer = ob__in_rank(infer, 6) == 4 ? ob__in_dim(infer, 6, 2) : OB_DIM_UNKNOWN;
        const bool shared = ob__in_given(infer, 8);
        const ob_dim past = shared ? ob__in_scalar(infer, 8) : buffer;
        total = past == OB_DIM_UNKNOWN ? OB_DIM_UNKNOWN : ob_dim_add(infer->dims, past, total);
        if (shared) {
            OB_TRY(ob__require_one(infer, 8));
            OB_TRY(ob__require(infer, OB_COND_AT_LEAST, buffer, total, 6, 2, OB0601));
            OB_TRY(require_biases(infer, heads, total, &k));
            return out_attention(infer, heads, heads, total, buffer, &k);
        }
    }
    OB_TRY(require_biases(infer, heads, total, &k));
    return out_attention(infer, heads, heads, total, total, &k);
}

/* seqlens_k holds the number of keys of each sequence, less one. Whether there are that many depends on data. */
static ob_status require_lengths(ob_infer *infer, ob_dim past) {
    ob_range range;
    OB_TRY(ob__require(infer, OB_COND_EQUAL, ob__in_count(infer, 5), ob__in_dim(infer, 0, 0), 5, 0, OB0601));
    if (past == OB_DIM_UNKNOWN || !ob__in_range(infer, 5, &range)) return ob__unverified(infer, 5, -1, "lengths depend on data");
    const ob_dim most = ob_dim_add(infer->dims, past, ob__in_dim(infer, 0, 1));
    const bool fits = ob__known_at_least(infer, most, ob_dim_add(infer->dims, range.highest, 1));
    return fits ? OB_OK : ob__unverified(infer, 5, -1, "lengths depend on data");
}

/* Caches (positions, half): half the number of rotated elements of a head, and a row for each position. */
static ob_status require_turned(ob_infer *infer, ob_dim size) {
    const ob_dim cache[2] = {ob__in_dim(infer, 7, 0), ob__in_dim(infer, 7, 1)};
    const ob_dim tokens[2] = {ob__in_dim(infer, 0, 0), ob__in_dim(infer, 0, 1)};
    ob_range range;
    if (!ob__attribute_int(infer->node, "do_rotary")) return OB_OK;
    for (uint32_t i = 7; i < 9; i++) {
        if (!ob__in_given(infer, i)) {
            ob__problem(infer, OB0603, (int32_t)i, -1, "do_rotary needs cos_cache and sin_cache");
            return OB_OK;
        }
        if (!ob__rank_in(infer, i, 2, 2)) return OB_OK;
    }
    OB_TRY(ob__require_shape(infer, 8, (ob_shape){2, cache}, OB0601));
    if (ob__in_rank(infer, 7) < 0) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, size, ob_dim_mul(infer->dims, cache[1], 2), 7, 1, OB0601));
    OB_TRY(ob__require(infer, OB_COND_AT_LEAST, cache[0], tokens[1], 7, 0, OB0601));
    if (ob__in_given(infer, 9)) {
        OB_TRY(ob__require_shape(infer, 9, (ob_shape){2, tokens}, OB0601));
        return ob__unverified(infer, 9, -1, "indices depend on data");
    }
    const bool fits =
        ob__in_range(infer, 5, &range) && ob__known_at_least(infer, cache[0], ob_dim_add(infer->dims, range.highest, 1));
    return fits ? OB_OK : ob__unverified(infer, 5, -1, "indices depend on data");
}

/* Queries (batch, sequence, heads * size); without keys and values they include these. The length of the present is the value of
 * total_sequence_length or the length of the past's buffer. */
ob_status ob__infer_group_query_attention(ob_infer *infer) {
    ob_dim heads = heads_of(infer, "num_heads"), kv_heads = heads_of(infer, "kv_num_heads");
    bool packed = !ob__in_given(infer, 1);
    for (uint32_t i = 0; i < infer->node->n_outputs; i++) ob__out_dtype(infer, i, OB_NONE);
    if (ob__in_given(infer, 1) != ob__in_given(infer, 2)) {
        ob__problem(infer, OB0602, -1, -1, "key and value must be given together, or neither");
        return OB_OK;
    }
    if (!ob__rank_in(infer, 0, 3, 3) || !ob__rank_in(infer, 1, 3, 3) || !ob__rank_in(infer, 2, 3, 3)) return OB_OK;
    if (heads == OB_DIM_UNKNOWN || kv_heads == OB_DIM_UNKNOWN || ob__in_rank(infer, 0) < 0) return OB_OK;
    OB_TRY(ob__require(infer, OB_COND_DIVISIBLE, heads, kv_heads, -1, -1, OB0602));
    keys k = {.length = ob__in_dim(infer, 0, 1)};
    ob_dim size;
    OB_TRY(head_size(infer, 0, ob__in_dim(infer, 0, 2), packed ? heads + 2 * kv_heads : heads, &size));
    k.size = k.value_size = size;
    for (uint32_t i = 1; i < 3 && !packed; i++)
        if (ob__in_rank(infer, i) < 0) return ob__rank_unknown(infer, i);
    if (!packed) {
        OB_TRY(read_keys(infer, kv_heads, &k));
        if (size != OB_DIM_UNKNOWN && k.size != OB_DIM_UNKNOWN)
            OB_TRY(ob__require(infer, OB_COND_EQUAL, size, k.size, 0, 2, OB0601));
    }
    ob_dim total = ob__in_scalar(infer, 6), past = 0;
    OB_TRY(ob__require_one(infer, 6));
    if (ob__in_given(infer, 3)) {
        OB_TRY(require_past(infer, 3, kv_heads, &k));
        past = ob__in_dim(infer, 3, 2);
        total = past == OB_DIM_UNKNOWN || total == OB_DIM_UNKNOWN ? OB_DIM_UNKNOWN : ob_dim_max(infer->dims, past, total);
    }
    OB_TRY(require_lengths(infer, past));
    OB_TRY(require_turned(infer, size));
    const ob_dim scores[4] = {ob__in_dim(infer, 0, 0), heads, ob__in_dim(infer, 0, 1), total};
    OB_TRY(require_stretch(infer, 10, scores));
    OB_TRY(ob__require_shape(infer, 11, (ob_shape){1, &heads}, OB0601));
    return out_attention(infer, heads, kv_heads, total, total, &k);
}
