/* Makers of elementwise operators, conversions and explicit broadcasting. */
#include <math.h>
#include <string.h>

#include "gen.h"
#include "number.h"

/* ---- One operand ---- */

static bool make_unary(gen *g) {
    int x = take_input(g, 0, 0, 6);
    if (x < 0) return false;
    set_in(g, 0, x);
    static const char *const with_alpha[] = {"Elu", "LeakyRelu", "ThresholdedRelu", "Celu", "Swish", "HardSigmoid", "Selu"};
    for (size_t i = 0; i < sizeof with_alpha / sizeof with_alpha[0]; i++)
        if (is_op(g, with_alpha[i]) && chance(g, 60)) set_float(g, "alpha", (double)pick(g, 1, 12) / 4);
    if (is_op(g, "HardSigmoid") && chance(g, 60)) set_float(g, "beta", (double)pick(g, -4, 4) / 4);
    if (is_op(g, "Selu") && chance(g, 60)) set_float(g, "gamma", (double)pick(g, 1, 8) / 4);
    if (is_op(g, "Shrink") && chance(g, 70)) {
        set_float(g, "lambd", (double)pick(g, 0, 8) / 4);
        /* Of unsigned integers x - bias must not fall below 0. */
        set_float(g, "bias", is_integer_type(view_at(g, x)->dtype) ? 0 : (double)pick(g, -4, 4) / 4);
    }
    if (is_op(g, "IsInf") && chance(g, 50)) {
        set_int(g, "detect_negative", pick(g, 0, 1));
        set_int(g, "detect_positive", pick(g, 0, 1));
    }
    if (is_op(g, "Gelu") && chance(g, 60)) set_string(g, "approximate", chance(g, 50) ? "tanh" : "none");
    return true;
}

/* ---- Several operands ---- */

/* Another operand of the given type for the joint shape: one that is there and fits, or a leaf. */
static int partner(gen *g, ob_dtype dtype, int32_t rank, const int64_t *dims, fill how) {
    int found[MAX_VALUES], n = 0;
    for (uint32_t v = 0; v < g->c->n_values; v++) {
        const case_value *value = &g->c->values[v];
        bool fits = value->role != ROLE_GONE && !value->is_parameter && value->view.dtype == dtype && value->view.rank <= rank &&
                    (g->wild || value->is_tame);
        for (int32_t k = 0; fits && k < value->view.rank; k++)
            fits = value->view.dims[k] == 1 || value->view.dims[k] == dims[rank - value->view.rank + k];
        if (fits) found[n++] = (int)v;
    }
    if (how == FILL_TAME && n > 0 && chance(g, 40)) return found[pick(g, 0, n - 1)];
    int64_t part[OB_MAX_RANK];
    int32_t part_rank = part_shape(g, rank, dims, part);
    if (how == FILL_TAME && g->wild && chance(g, 50)) how = FILL_WILD;
    return leaf(g, dtype, part_rank, part, how);
}

static fill divisor_fill(const gen *g, ob_dtype dtype) {
    bool divides = is_op(g, "Div") || is_op(g, "Mod");
    if (is_op(g, "BitShift")) return FILL_SHIFT;
    if (divides && (is_integer_type(dtype) || chance((gen *)g, 50))) return FILL_NONZERO;
    return FILL_TAME;
}

static bool make_power(gen *g) {
    ob_dtype base = pick_type(g, ob__op_input_types(g->op, 0));
    ob_dtype exponent = g->op->since < 12 ? base : pick_type(g, ob__op_input_types(g->op, 1));
    bool whole = is_integer_type(base);
    int64_t dims[OB_MAX_RANK], part[OB_MAX_RANK];
    int32_t rank = pick_shape(g, 0, 5, 200, dims);
    int a = whole ? leaf(g, base, rank, dims, FILL_POWER) : take(g, UINT64_C(1) << base, 0, 6);
    if (a < 0) return false;
    rank = joint_shape(g, view_at(g, a), dims);
    int32_t part_rank = part_shape(g, rank, dims, part);
    set_in(g, 0, a);
    set_in(g, 1, leaf(g, exponent, part_rank, part, whole || chance(g, 50) ? FILL_POWER : g->wild ? FILL_WILD : FILL_TAME));
    return true;
}

static bool make_binary(gen *g) {
    if (is_op(g, "Pow")) return make_power(g);
    if (is_op(g, "Mod") || is_op(g, "Div")) g->wild = g->wild && chance(g, 50);
    int a = take_input(g, 0, 0, 6);
    if (a < 0) return false;
    ob_dtype dtype = view_at(g, a)->dtype;
    if (is_op(g, "BitShift")) set_string(g, "direction", chance(g, 50) ? "LEFT" : "RIGHT");
    if (is_op(g, "Mod") && (is_float_type(dtype) || chance(g, 40))) set_int(g, "fmod", 1);
    int64_t dims[OB_MAX_RANK];
    fill how = divisor_fill(g, dtype);
    int32_t rank = joint_shape(g, view_at(g, a), dims);
    int b = partner(g, dtype, rank, dims, how);
    bool swap = how == FILL_TAME && chance(g, 30) && !is_op(g, "Div") && !is_op(g, "Mod");
    set_in(g, 0, swap ? b : a);
    set_in(g, 1, swap ? a : b);
    return b >= 0;
}

static bool make_prelu(gen *g) {
    int x = take_input(g, 0, 0, 6);
    int64_t dims[OB_MAX_RANK];
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int32_t rank = part_shape(g, view->rank, view->dims, dims);
    ob_dtype dtype = view->dtype;
    set_in(g, 0, x);
    set_in(g, 1, leaf(g, dtype, rank, dims, FILL_TAME));
    return true;
}

static bool make_variadic(gen *g) {
    int64_t n = pick(g, 1, 5), dims[OB_MAX_RANK];
    int a = take_input(g, 0, 0, 6);
    if (a < 0) return false;
    bool stretches = g->op->broadcast != OB_BCAST_NONE;
    const ob_view *view = view_at(g, a);
    int32_t rank = stretches ? joint_shape(g, view, dims) : view->rank;
    ob_dtype dtype = view->dtype;
    uint32_t place = (uint32_t)pick(g, 0, n - 1);
    for (uint32_t i = 0; i < (uint32_t)n; i++)
        set_in(g, i,
               i == place  ? a
               : stretches ? partner(g, dtype, rank, dims, FILL_TAME)
                           : leaf(g, dtype, rank, view->dims, FILL_TAME));
    return true;
}

static bool make_where(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int a = take_input(g, 1, 0, 6);
    if (a < 0) return false;
    int32_t rank = joint_shape(g, view_at(g, a), dims);
    ob_dtype dtype = view_at(g, a)->dtype;
    int b = partner(g, dtype, rank, dims, FILL_TAME);
    bool swap = chance(g, 50);
    set_in(g, 0, partner(g, OB_BOOL, rank, dims, FILL_TAME));
    set_in(g, 1, swap ? b : a);
    set_in(g, 2, swap ? a : b);
    return b >= 0;
}

static bool make_clip(gen *g) {
    int x = take_input(g, 0, 0, 6);
    if (x < 0) return false;
    ob_dtype dtype = view_at(g, x)->dtype;
    bool is_signed = is_float_type(dtype) || is_signed_type(dtype);
    double lowest = (double)(is_signed ? pick(g, -3, 1) : pick(g, 0, 1)), highest = lowest + (double)pick(g, 0, 4);
    set_in(g, 0, x);
    if (g->op->since < 11) {
        if (chance(g, 70)) set_float(g, "min", lowest);
        if (chance(g, 70)) set_float(g, "max", highest);
        return true;
    }
    if (chance(g, 70)) set_in(g, 1, leaf_scalar(g, dtype, 0, lowest));
    if (chance(g, 70)) set_in(g, 2, leaf_scalar(g, dtype, 0, highest));
    return true;
}

/* ---- Conversions ---- */

/* The result of converting these elements is defined. */
static bool is_castable(const gen *g, int x, ob_dtype to) {
    ob_dtype from = view_at(g, x)->dtype;
    double highest = type_highest(to), lowest = is_signed_type(to) ? -highest - 1 : 0;
    if (to == OB_FLOAT8E8M0) return from != OB_BOOL && all_in(g, x, 0x1p-100, 0x1p100);
    if (is_float_type(from) && is_integer_type(to)) return all_in(g, x, lowest, integer_bits(to) > 30 ? 1e9 : highest);
    if (is_integer_type(from) && integer_bits(to) < 8 && is_integer_type(to)) return all_in(g, x, lowest, highest);
    if (to == OB_FLOAT4E2M1) return all_in(g, x, -1e6, 1e6);
    return true;
}

static int texts_of_numbers(gen *g, ob_dtype to) {
    static const char *const whole[] = {"0", "1", "7", "12", "100"}, *const real[] = {"-1.5", "2e2", "0.1", "-0", "1e-3"},
                             *const special[] = {"NaN", "INF", "-INF", "+INF", "inf"};
    int64_t dims[OB_MAX_RANK];
    int32_t rank = pick_shape(g, 0, 4, 60, dims);
    int value = leaf(g, OB_STRING, rank, dims, FILL_TAME);
    if (value < 0) return -1;
    const ob_view *view = view_at(g, value);
    for (int64_t i = 0; i < ob_view_count(view); i++) {
        const char *text = whole[pick(g, 0, 4)];
        if (is_float_type(to) && chance(g, 60)) text = real[pick(g, 0, 4)];
        if (is_float_type(to) && chance(g, 10)) text = special[pick(g, 0, 4)];
        ((ob_string *)view->data)[i] = (ob_string){text, strlen(text)};
    }
    return value;
}

static bool make_bit_cast(gen *g) {
    int x = take_input(g, 0, 0, 6);
    if (x < 0) return false;
    ob_types types = 0;
    int bits = ob_dtype_file_bits(g->c->values[x].view.dtype);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        if (ob_dtype_file_bits((ob_dtype)dtype) == bits) types |= UINT64_C(1) << dtype;
    set_in(g, 0, x);
    set_int(g, "to", pick_type(g, types & ob__op_output_types(g->op, 0)));
    return true;
}

static bool make_cast(gen *g) {
    bool like = is_op(g, "CastLike");
    ob_types types = ob__op_input_types(g->op, 0);
    ob_dtype to = pick_type(g, like ? ob__op_input_types(g->op, 1) : ob__op_output_types(g->op, 0));
    bool from_text = types & OB_T(STRING) && chance(g, 8) && to != OB_BOOL && to != OB_FLOAT8E8M0;
    if (to == OB_STRING) types &= ~(OB_T(FLOAT8E8M0)), g->wild = false;
    int x = from_text ? texts_of_numbers(g, to) : take(g, types & ~(to == OB_STRING ? 0 : OB_T(STRING)), 0, 6);
    if (x < 0 || (!from_text && to != OB_STRING && !is_castable(g, x, to))) return false;
    set_in(g, 0, x);
    if (like) {
        int64_t dims[OB_MAX_RANK];
        int32_t rank = pick_shape(g, 0, 3, 10, dims);
        set_in(g, 1, leaf(g, to, rank, dims, FILL_TAME));
    } else {
        set_int(g, "to", to);
    }
    if (g->op->since >= 19 && is_float_type(to) && ob_dtype_size(to) == 1 && chance(g, 50)) set_int(g, "saturate", pick(g, 0, 1));
    return true;
}

/* ---- Explicit broadcasting ---- */

static bool make_expand(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int x = take_input(g, 0, 0, 6);
    if (x < 0) return false;
    int32_t rank = joint_shape(g, view_at(g, x), dims);
    int32_t cut = chance(g, 20) ? (int32_t)pick(g, 0, rank) : 0;
    for (int32_t k = 0; k < rank; k++)
        if (chance(g, 25)) dims[k] = 1;
    if (rank - view_at(g, x)->rank > 0 && cut == 0 && dims[0] == 1 && chance(g, 30)) dims[0] = 2;
    set_in(g, 0, x);
    set_in(g, 1, leaf_ints(g, OB_INT64, dims + cut, rank - cut));
    return true;
}

static bool make_broadcast(gen *g) {
    int64_t n = pick(g, 1, 4), dims[OB_MAX_RANK];
    ob_types types = OB_T(FLOAT) | OB_T(INT64) | OB_T(BOOL) | OB_T(FLOAT16) | OB_T(UINT8) | OB_T(DOUBLE);
    int a = take(g, types, 0, 6);
    if (a < 0) return false;
    int32_t rank = joint_shape(g, view_at(g, a), dims);
    for (uint32_t i = 0; i < (uint32_t)n; i++) set_in(g, i, i == 0 ? a : partner(g, pick_type(g, types), rank, dims, FILL_TAME));
    g->node->n_out = (uint32_t)n;
    return true;
}

static bool make_broadcast_in_dim(gen *g) {
    int64_t dims[OB_MAX_RANK], map[OB_MAX_RANK];
    int x = take_input(g, 0, 0, 4);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int32_t rank = 0, mapped = 0;
    int64_t n = ob_view_count(view) + 1;
    while (mapped < view->rank || (rank < 7 && chance(g, 25))) {
        bool own = mapped < view->rank && (rank >= 6 || chance(g, 65));
        if (own) map[mapped] = rank;
        int64_t size = own ? view->dims[mapped++] : pick(g, 0, 3);
        if (own && size == 1 && chance(g, 50)) size = pick(g, 0, 3);
        if (n * (size ? size : 1) > 4000 && !own) size = 1;
        n *= size ? size : 1;
        dims[rank++] = size;
    }
    set_in(g, 0, x);
    set_ints(g, "broadcast_dimensions", map, view->rank);
    if (chance(g, 50))
        set_ints(g, "shape", dims, rank);
    else
        set_in(g, 1, leaf_ints(g, OB_INT64, dims, rank));
    return true;
}

const gen_row gen_elementwise[] = {
    {"unary", make_unary, true},
    {"binary", make_binary, true},
    {"prelu", make_prelu, false},
    {"variadic", make_variadic, true},
    {"mean", make_variadic, true},
    {"where", make_where, true},
    {"clip", make_clip, true},
    {"bit_cast", make_bit_cast, true},
    {"cast", make_cast, true},
    {"expand", make_expand, true},
    {"broadcast", make_broadcast, true},
    {"broadcast_in_dim", make_broadcast_in_dim, true},
    {NULL, NULL, false},
};
