/* Makers of normalizations, recurrent networks and quantization. */
#include <string.h>

#include "gen.h"
#include "number.h"

/* ---- Normalization ---- */

static bool make_softmax(gen *g) {
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    set_in(g, 0, x);
    if (chance(g, 75)) set_int(g, "axis", pick_axis(g, view_at(g, x)->rank, g->op->since >= 11));
    if (view_at(g, x)->rank == 1 && g->op->since < 13 && g->node->n_attributes == 0) set_int(g, "axis", 0);
    return true;
}

static int channels(gen *g, ob_dtype dtype, int64_t n, fill how) {
    return leaf(g, dtype, 1, &n, how);
}

static bool make_batch_norm(gen *g) {
    int x = take_input(g, 0, 2, 5);
    if (x < 0) return false;
    ob_dtype dtype = view_at(g, x)->dtype, scale = dtype, mean = dtype;
    if (g->op->since >= 14 && chance(g, 20)) mean = pick_type(g, ob__op_input_types(g->op, 3));
    if (g->op->since >= 15 && chance(g, 20)) scale = pick_type(g, ob__op_input_types(g->op, 1));
    int64_t n = view_at(g, x)->dims[1];
    set_in(g, 0, x);
    set_in(g, 1, channels(g, scale, n, FILL_TAME));
    set_in(g, 2, channels(g, scale, n, FILL_TAME));
    set_in(g, 3, channels(g, mean, n, FILL_TAME));
    set_in(g, 4, channels(g, mean, n, FILL_POSITIVE));
    if (chance(g, 50)) set_float(g, "epsilon", 0.125);
    if (chance(g, 30)) set_float(g, "momentum", 0.5);
    if (g->op->since >= 14 && ob_view_count(view_at(g, x)) > 0 && chance(g, 25)) {
        set_int(g, "training_mode", 1);
        g->node->n_out = 3;
    }
    return true;
}

static bool make_instance_norm(gen *g) {
    int x = take_input(g, 0, 3, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    ob_dtype dtype = view->dtype;
    int64_t n = view->dims[1];
    for (int32_t k = 2; k < view->rank; k++)
        if (view->dims[k] == 0) return false;
    set_in(g, 0, x);
    set_in(g, 1, channels(g, dtype, n, FILL_TAME));
    set_in(g, 2, channels(g, dtype, n, FILL_TAME));
    if (chance(g, 50)) set_float(g, "epsilon", 0.125);
    return true;
}

static bool make_group_norm(gen *g) {
    int64_t groups = pick(g, 1, 3),
            dims[5] = {pick(g, 1, 2), groups * pick(g, 1, 3), pick(g, 1, 4), pick(g, 1, 4), pick(g, 1, 2)};
    ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    set_in(g, 0, leaf(g, dtype, (int32_t)pick(g, 3, 5), dims, FILL_TAME));
    int64_t n = g->op->since < 21 ? groups : dims[1];
    set_in(g, 1, channels(g, dtype, n, FILL_TAME));
    set_in(g, 2, channels(g, dtype, n, FILL_TAME));
    set_int(g, "num_groups", groups);
    if (chance(g, 50)) set_float(g, "epsilon", 0.125);
    return true;
}

static bool make_layer_norm(gen *g) {
    bool rms = is_op(g, "RMSNormalization");
    int64_t part[OB_MAX_RANK], axis;
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int32_t rank = view->rank;
    ob_dtype dtype = view->dtype;
    axis = pick_axis(g, rank, true);
    int32_t first = (int32_t)positive_axis(axis, rank);
    for (int32_t k = first; k < rank; k++)
        if (view->dims[k] == 0) return false;
    int32_t part_rank = chance(g, 70) ? -1 : part_shape(g, rank - first, view->dims + first, part);
    if (part_rank < 0) {
        part_rank = rank - first;
        memcpy(part, view->dims + first, (size_t)part_rank * sizeof *part);
    }
    ob_dtype scale = rms && chance(g, 20) ? pick_type(g, ob__op_input_types(g->op, 1)) : dtype;
    set_in(g, 0, x);
    set_in(g, 1, leaf(g, scale, part_rank, part, FILL_TAME));
    if (!rms && chance(g, 50)) set_in(g, 2, leaf(g, dtype, part_rank, part, FILL_TAME));
    if (!rms && chance(g, 40)) g->node->n_out = (uint32_t)pick(g, 2, 3);
    if (axis != -1 || chance(g, 50)) set_int(g, "axis", axis);
    if (chance(g, 50)) set_float(g, "epsilon", 0.125);
    return true;
}

static bool make_lrn(gen *g) {
    int64_t dims[4] = {pick(g, 0, 2), pick(g, 1, 6), pick(g, 1, 4), pick(g, 1, 4)};
    set_in(g, 0, leaf(g, pick_type(g, ob__op_input_types(g->op, 0)), 4, dims, FILL_TAME));
    set_int(g, "size", 2 * pick(g, 0, 2) + 1);
    if (chance(g, 50)) set_float(g, "alpha", 0.25);
    if (chance(g, 50)) set_float(g, "beta", 0.5);
    if (chance(g, 50)) set_float(g, "bias", 2);
    return true;
}

static bool make_lp_norm(gen *g) {
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    set_in(g, 0, x);
    if (chance(g, 70)) set_int(g, "axis", pick_axis(g, view_at(g, x)->rank, true));
    if (chance(g, 60)) set_int(g, "p", pick(g, 1, 2));
    return true;
}

static bool make_mean_variance(gen *g) {
    int64_t dims[4] = {pick(g, 1, 3), pick(g, 1, 3), pick(g, 1, 4), pick(g, 1, 4)}, axes[4];
    set_in(g, 0, leaf(g, pick_type(g, ob__op_input_types(g->op, 0)), 4, dims, FILL_TAME));
    int64_t n = chance(g, 50) ? pick_axes(g, 4, false, axes) : 0;
    if (n > 0) set_ints(g, "axes", axes, n);
    return true;
}

static bool make_dropout(gen *g) {
    int x = take_input(g, 0, 0, 5);
    if (x < 0) return false;
    set_in(g, 0, x);
    if (g->op->since < 12) {
        if (chance(g, 50)) set_float(g, "ratio", 0.25);
    } else {
        if (chance(g, 60))
            set_in(g, 1, leaf_scalar(g, pick_type(g, ob__op_input_types(g->op, 1) & (OB_T(FLOAT) | OB_T(DOUBLE))), 0, 0.25));
        if (chance(g, 40)) set_in(g, 2, leaf_scalar(g, OB_BOOL, 0, 0));
    }
    if (chance(g, 50)) g->node->n_out = 2;
    return true;
}

/* ---- Recurrent networks ---- */

static int sequence_lens(gen *g, int64_t n, int64_t most) {
    int64_t lens[4];
    for (int64_t i = 0; i < n; i++) lens[i] = pick(g, 1, most);
    return leaf_ints(g, OB_INT32, lens, n);
}

static bool make_recurrent(gen *g) {
    static const char *const names[] = {"forward", "reverse", "bidirectional"};
    static const char *const functions[] = {"Sigmoid", "Tanh", "Relu"};
    bool lstm = is_op(g, "LSTM"), gru = is_op(g, "GRU");
    int64_t gates = lstm ? 4 : gru ? 3 : 1, way = pick(g, 0, 2), d = way == 2 ? 2 : 1;
    int64_t steps = pick(g, 1, 4), batch = pick(g, 1, 3), width = pick(g, 1, 4), hidden = pick(g, 1, 4);
    bool swapped = g->op->since >= 14 && chance(g, 25);
    ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    int64_t x[3] = {swapped ? batch : steps, swapped ? steps : batch, width}, w[3] = {d, gates * hidden, width};
    int64_t r[3] = {d, gates * hidden, hidden}, b[2] = {d, 2 * gates * hidden}, p[2] = {d, 3 * hidden};
    int64_t h[3] = {swapped ? batch : d, swapped ? d : batch, hidden};
    set_in(g, 0, leaf(g, dtype, 3, x, FILL_TAME));
    set_in(g, 1, leaf(g, dtype, 3, w, FILL_TAME));
    set_in(g, 2, leaf(g, dtype, 3, r, FILL_TAME));
    if (chance(g, 50)) set_in(g, 3, leaf(g, dtype, 2, b, FILL_TAME));
    if (chance(g, 40)) set_in(g, 4, sequence_lens(g, batch, steps));
    if (chance(g, 50)) set_in(g, 5, leaf(g, dtype, 3, h, FILL_TAME));
    if (lstm && chance(g, 50)) set_in(g, 6, leaf(g, dtype, 3, h, FILL_TAME));
    if (lstm && chance(g, 30)) set_in(g, 7, leaf(g, dtype, 2, p, FILL_TAME));
    set_int(g, "hidden_size", hidden);
    if (way || chance(g, 30)) set_string(g, "direction", names[way]);
    if (swapped) set_int(g, "layout", 1);
    if (chance(g, 20)) set_float(g, "clip", 0.75);
    if (gru && g->op->since >= 3 && chance(g, 40)) set_int(g, "linear_before_reset", 1);
    if (lstm && chance(g, 15)) set_int(g, "input_forget", 1);
    if (chance(g, 20)) {
        case_attribute *a = case_attribute_add(g->node, "activations", OB_ATTR_STRINGS);
        a->n = (uint32_t)(d * (lstm ? 3 : gru ? 2 : 1));
        for (uint32_t i = 0; i < a->n; i++) a->strings[i] = functions[pick(g, 0, 2)];
    }
    g->node->n_out = (uint32_t)pick(g, 1, lstm ? 3 : 2);
    if (g->node->n_out > 1 && chance(g, 20)) g->node->out[0] = -1;
    return true;
}

/* ---- Quantization ---- */

/* Scales with 1, one per channel, or one per block. Returns the shape's rank, 0 for a scalar. */
static int32_t scale_shape(gen *g, const ob_view *x, int64_t *dims, int64_t *axis, int64_t *block) {
    *axis = 1;
    *block = 0;
    if (g->op->since < 13 || x->rank == 0 || chance(g, 50)) return 0;
    *axis = pick_axis(g, x->rank, true);
    int64_t at = positive_axis(*axis, x->rank);
    if (g->op->since < 21 || chance(g, 65)) {
        dims[0] = x->dims[at];
        return 1;
    }
    memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
    if (x->dims[at] < 1) return 0;
    *block = pick(g, 1, x->dims[at]);
    dims[at] = (x->dims[at] + *block - 1) / *block;
    return x->rank;
}

static int leaf_scale(gen *g, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    int value = leaf(g, dtype, rank, dims, FILL_POSITIVE);
    if (value < 0) return -1;
    for (int64_t i = 0; i < ob_view_count(view_at(g, value)); i++)
        number_set(view_at(g, value), i, dtype == OB_INT32 ? 1 : dtype == OB_FLOAT8E8M0 ? 0.5 : (double)pick(g, 1, 16) / 16);
    return value;
}

static bool make_quantize(gen *g) {
    bool back = is_op(g, "DequantizeLinear");
    int64_t dims[OB_MAX_RANK], axis, block;
    int x = take_input(g, 0, 0, 5);
    if (x < 0) return false;
    ob_dtype from = view_at(g, x)->dtype;
    int32_t rank = scale_shape(g, view_at(g, x), dims, &axis, &block);
    bool own_scale = !back && g->op->since < 23; /* of these versions x and the scale have one type */
    ob_dtype scale = own_scale && g->op->since >= 19 ? from : pick_type(g, ob__op_input_types(g->op, 1));
    if (g->op->since < 19) scale = OB_FLOAT;
    ob_dtype zero = back ? from : pick_type(g, ob__op_input_types(g->op, 2));
    bool has_zero = zero == OB_FLOAT4E2M1 ? chance(g, 70) : chance(g, 70);
    set_in(g, 0, x);
    set_in(g, 1, leaf_scale(g, scale, rank, dims));
    if (has_zero) {
        int z = leaf(g, zero, rank, dims, FILL_TAME);
        if (z < 0) return false;
        bool is_zero = is_float_type(zero) || (back && zero == OB_INT32);
        for (int64_t i = 0; is_zero && i < ob_view_count(view_at(g, z)); i++) number_set(view_at(g, z), i, 0);
        set_in(g, 2, z);
    } else if (!back && g->op->since >= 21 && chance(g, 50)) {
        set_int(g, "output_dtype", zero);
    }
    if (rank > 0 || chance(g, 20)) set_int(g, "axis", rank > 0 ? axis : 0);
    if (g->op->since < 13) {
        g->node->n_attributes = 0; /* these have none */
    } else if (block) {
        set_int(g, "block_size", block);
    }
    if (back && scale == OB_FLOAT8E8M0) set_int(g, "output_dtype", pick_type(g, ob__op_output_types(g->op, 0)));
    if (!back && has_zero && g->op->since >= 19 && is_float_type(zero) && chance(g, 40)) set_int(g, "saturate", pick(g, 0, 1));
    return view_at(g, x)->rank > 0 || g->node->n_attributes == 0 || rank == 0;
}

static bool make_dynamic_quantize(gen *g) {
    int x = take_input(g, 0, 0, 5);
    if (x < 0 || ob_view_count(view_at(g, x)) == 0) return false;
    set_in(g, 0, x);
    g->node->n_out = 3;
    return true;
}

/* A mask of any rank and type, whose sizes may be 1, and whose last may be short since version 24. */
static void set_mask(gen *g, const int64_t *scores, ob_dtype dtype) {
    int64_t dims[4];
    const int32_t rank = (int32_t)pick(g, g->op->since < 24 ? 2 : 1, 4);
    for (int32_t a = 0; a < 4; a++) dims[a] = chance(g, 70) ? scores[a] : 1;
    if (g->op->since >= 24 && dims[3] > 2 && chance(g, 20)) dims[3]--;
    set_in(g, 3, leaf(g, chance(g, 50) ? OB_BOOL : dtype, rank, dims + 4 - rank, FILL_TAME));
}

static bool make_attention(gen *g) {
    const int64_t heads = pick(g, 1, 2), group = pick(g, 1, 2), size = pick(g, 1, 4), v_size = pick(g, 1, 20),
                  batch = pick(g, 1, 2), all = heads * group;
    const int64_t queries = pick(g, 1, 4), keys = pick(g, 1, 6), past = chance(g, 40) ? pick(g, 1, 3) : 0;
    const int64_t full[3][4] = {{batch, all, queries, size}, {batch, heads, keys, size}, {batch, heads, keys, v_size}};
    const int64_t flat[3][3] = {{batch, queries, all * size}, {batch, keys, heads * size}, {batch, keys, heads * v_size}};
    const int64_t before[2][4] = {{batch, heads, past, size}, {batch, heads, past, v_size}};
    const ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    const bool is_flat = chance(g, 40);
    for (uint32_t i = 0; i < 3; i++) set_in(g, i, leaf(g, dtype, is_flat ? 3 : 4, is_flat ? flat[i] : full[i], FILL_TAME));
    if (chance(g, 50)) set_mask(g, (const int64_t[]){batch, all, queries, past + keys}, dtype);
    for (uint32_t i = 0; past && i < 2; i++) set_in(g, 4 + i, leaf(g, dtype, 4, before[i], FILL_TAME));
    if (!past && g->op->since >= 24 && chance(g, 30)) {
        int64_t n_valid[2];
        for (int64_t i = 0; i < batch; i++) n_valid[i] = pick(g, 1, keys);
        set_in(g, 6, leaf_ints(g, OB_INT64, n_valid, batch));
    }
    if (is_flat) set_int(g, "q_num_heads", all);
    if (is_flat) set_int(g, "kv_num_heads", heads);
    /* One query behind past keys sees all keys in ONNX Runtime; by the text those that are not above the diagonal. */
    if ((queries > 1 || keys == 1 || !past) && chance(g, 40)) set_int(g, "is_causal", 1);
    if (chance(g, 40)) set_float(g, "scale", 0.5);
    if (chance(g, 30)) set_float(g, "softcap", 2);
    g->node->n_out = past ? 3 : 1;
    if (chance(g, 30)) {
        set_int(g, "qk_matmul_output_mode", pick(g, 0, 3));
        for (uint32_t i = g->node->n_out; i < 3; i++) g->node->out[i] = -1;
        g->node->n_out = 4;
    }
    return true;
}

static bool make_linear_attention(gen *g) {
    static const char *const rules[] = {"linear", "gated", "delta", "gated_delta"};
    const int64_t heads = pick(g, 1, 2), group = pick(g, 1, 2), size = pick(g, 1, 4), v_size = pick(g, 1, 4),
                  rule = pick(g, 0, 3);
    const int64_t batch = pick(g, 1, 2), tokens = pick(g, 0, 4), rate = chance(g, 50) ? heads : heads * size;
    const int64_t query[3] = {batch, tokens, heads * group * size}, key[3] = {batch, tokens, heads * size};
    const int64_t value[3] = {batch, tokens, heads * v_size}, state[4] = {batch, heads, size, v_size};
    const int64_t decay[3] = {batch, tokens, rate}, beta[3] = {batch, tokens, chance(g, 50) ? heads : 1};
    const ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    set_in(g, 0, leaf(g, dtype, 3, query, FILL_TAME));
    set_in(g, 1, leaf(g, dtype, 3, key, FILL_TAME));
    set_in(g, 2, leaf(g, dtype, 3, value, FILL_TAME));
    if (chance(g, 50)) set_in(g, 3, leaf(g, pick_type(g, ob__op_input_types(g->op, 3)), 4, state, FILL_TAME));
    if (rule % 2) set_in(g, 4, leaf(g, dtype, 3, decay, FILL_TAME));
    if (rule >= 2) set_in(g, 5, leaf(g, dtype, 3, beta, FILL_TAME));
    set_int(g, "q_num_heads", heads * group);
    set_int(g, "kv_num_heads", heads);
    if (rule < 3 || chance(g, 50)) set_string(g, "update_rule", rules[rule]);
    if (chance(g, 40)) set_float(g, "scale", 0.5);
    g->node->n_out = 2;
    return true;
}

static bool make_rotary(gen *g) {
    const bool flat = chance(g, 50), placed = chance(g, 50);
    const int64_t batch = pick(g, 1, 2), heads = pick(g, 1, 3), tokens = pick(g, 1, 4), half = pick(g, 1, 5);
    const int64_t behind = chance(g, 30) ? 2 * pick(g, 1, 2) : 0, size = 2 * half + behind, places = pick(g, 1, 6);
    const int64_t full[4] = {batch, heads, tokens, size}, row[3] = {batch, tokens, heads * size};
    const int64_t cache[3] = {batch, tokens, half}, table[2] = {places, half};
    const ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    set_in(g, 0, leaf(g, dtype, flat ? 3 : 4, flat ? row : full, FILL_TAME));
    for (uint32_t i = 1; i < 3; i++) set_in(g, i, leaf(g, dtype, placed ? 2 : 3, placed ? table : cache, FILL_TAME));
    if (placed) {
        const int positions = leaf(g, OB_INT64, 2, cache, FILL_TAME);
        int64_t *at = view_at(g, positions)->data;
        for (int64_t i = 0; i < batch * tokens; i++) at[i] = pick(g, 0, places - 1);
        g->c->values[positions].is_parameter = true;
        set_in(g, 3, positions);
    }
    if (flat) set_int(g, "num_heads", heads);
    if (behind) set_int(g, "rotary_embedding_dim", 2 * half);
    if (chance(g, 50)) set_int(g, "interleaved", 1);
    return true;
}

const gen_row gen_norms[] = {
    {"softmax", make_softmax, false},
    {"hardmax", make_softmax, false},
    {"batch_norm", make_batch_norm, false},
    {"instance_norm", make_instance_norm, false},
    {"group_norm", make_group_norm, false},
    {"layer_norm", make_layer_norm, false},
    {"rms_norm", make_layer_norm, false},
    {"lrn", make_lrn, false},
    {"lp_norm", make_lp_norm, false},
    {"mean_variance", make_mean_variance, false},
    {"dropout", make_dropout, true},
    {"recurrent", make_recurrent, false},
    {"attention", make_attention, false},
    {"linear_attention", make_linear_attention, false},
    {"rotary", make_rotary, false},
    {"quantize", make_quantize, false},
    {"dynamic_quantize", make_dynamic_quantize, false},
    {NULL, NULL, false},
};
