/* Makers of operators that move or create elements. */
#include <string.h>

#include "gen.h"
#include "number.h"

/* Ints as an attribute of older versions or as an input of newer ones. */
static void give_ints(gen *g, bool as_attribute, const char *name, uint32_t input, const int64_t *ints, int64_t n) {
    if (as_attribute)
        set_ints(g, name, ints, n);
    else
        set_in(g, input, leaf_ints(g, OB_INT64, ints, n));
}

/* ---- The same elements in another shape ---- */

static int32_t refactor(gen *g, int64_t n, int64_t *dims) {
    int32_t rank = 0;
    for (int64_t factor = 2; n > 1 && factor <= n;) {
        if (n % factor) {
            factor++;
            continue;
        }
        n /= factor;
        if (rank > 0 && (chance(g, 50) || rank >= 6))
            dims[rank - 1] *= factor;
        else
            dims[rank++] = factor;
    }
    if (rank < 6 && chance(g, 30)) dims[rank++] = 1;
    return rank;
}

static bool make_reshape(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int x = take_input(g, 0, 0, 6);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int64_t n = ob_view_count(view);
    bool allow_zero = g->op->since >= 14 && chance(g, 25);
    int32_t rank = view->rank;
    for (int32_t k = 0; k < rank; k++) dims[k] = view->dims[k];
    if (n > 0 && chance(g, 75)) rank = refactor(g, n, dims);
    bool has_zero = false;
    for (int32_t k = 0; k < rank; k++) has_zero = has_zero || dims[k] == 0;
    for (int32_t k = 0; k < rank && k < view->rank && !allow_zero; k++)
        if (dims[k] == view->dims[k] && chance(g, 25)) dims[k] = 0;
    if (rank > 0 && n > 0 && chance(g, 40)) dims[pick(g, 0, rank - 1)] = -1;
    if (allow_zero) set_int(g, "allowzero", 1);
    set_in(g, 0, x);
    set_in(g, 1, leaf_ints(g, OB_INT64, dims, rank));
    return has_zero || !allow_zero || n > 0;
}

static bool make_flatten(gen *g) {
    int x = take_input(g, 0, g->op->since < 9 ? 1 : 0, 6);
    if (x < 0) return false;
    int32_t rank = view_at(g, x)->rank;
    int64_t axis = pick(g, g->op->since < 11 ? 0 : -rank, rank);
    set_in(g, 0, x);
    if (chance(g, 85) || rank == 0) set_int(g, "axis", axis);
    return true;
}

static bool make_squeeze(gen *g) {
    int64_t axes[OB_MAX_RANK], n = 0;
    int x = take_input(g, 0, 0, 6);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    for (int32_t k = 0; k < view->rank; k++)
        if (view->dims[k] == 1 && chance(g, 70)) axes[n++] = g->op->since >= 11 && chance(g, 30) ? k - view->rank : k;
    set_in(g, 0, x);
    if (n > 0) give_ints(g, g->op->since < 13, "axes", 1, axes, n);
    return true;
}

static bool make_unsqueeze(gen *g) {
    int64_t axes[OB_MAX_RANK], n = 0;
    int x = take_input(g, 0, 0, 5);
    if (x < 0) return false;
    int32_t rank = view_at(g, x)->rank, added = (int32_t)pick(g, 1, 3);
    for (int32_t k = 0; k < rank + added && n < added; k++)
        if (chance(g, 50) || rank + added - k <= added - n)
            axes[n++] = g->op->since >= 11 && chance(g, 30) ? k - rank - added : k;
    set_in(g, 0, x);
    give_ints(g, g->op->since < 13, "axes", 1, axes, n);
    return true;
}

static bool make_shaping(gen *g) {
    return is_op(g, "Reshape")   ? make_reshape(g)
           : is_op(g, "Flatten") ? make_flatten(g)
           : is_op(g, "Squeeze") ? make_squeeze(g)
                                 : make_unsqueeze(g);
}

static bool make_one_operand(gen *g) {
    int x = take_input(g, 0, 0, 6);
    set_in(g, 0, x);
    return x >= 0;
}

static bool make_shape(gen *g) {
    if (!make_one_operand(g)) return false;
    if (is_op(g, "Size") || g->op->since < 15) return true;
    if (chance(g, 40)) set_int(g, "start", pick(g, -7, 7));
    if (chance(g, 40)) set_int(g, "end", pick(g, -7, 7));
    return true;
}

static bool make_transpose(gen *g) {
    int64_t perm[OB_MAX_RANK];
    int x = take_input(g, 0, 0, 6);
    if (x < 0) return false;
    int32_t rank = view_at(g, x)->rank;
    for (int32_t k = 0; k < rank; k++) perm[k] = k;
    for (int32_t k = rank - 1; k > 0; k--) {
        int64_t other = pick(g, 0, k), kept = perm[k];
        perm[k] = perm[other];
        perm[other] = kept;
    }
    set_in(g, 0, x);
    if (chance(g, 80) && rank > 0) set_ints(g, "perm", perm, rank);
    return true;
}

/* ---- New elements ---- */

static ob_view tensor_of(gen *g, ob_types types, int32_t lowest, int32_t highest, const int64_t *given) {
    int64_t dims[OB_MAX_RANK];
    int32_t rank = pick_shape(g, lowest, highest, 60, dims);
    ob_view view = pool_view(g->c->pool, pick_type(g, types), rank, given ? given : dims);
    fill_view(g, &view, g->wild ? FILL_WILD : FILL_TAME);
    return view;
}

static bool make_constant(gen *g) {
    int64_t what = g->op->since < 12 ? 0 : pick(g, 0, 4), ints[3] = {pick(g, -9, 9), pick(g, 0, 9), 2};
    if (what == 1) {
        set_int(g, "value_int", ints[0]);
    } else if (what == 2) {
        set_ints(g, "value_ints", ints, pick(g, 1, 3));
    } else if (what == 3) {
        set_float(g, "value_float", (double)ints[0] / 4);
    } else if (what == 4) {
        case_attribute *a = case_attribute_add(g->node, "value_floats", OB_ATTR_FLOATS);
        a->n = 2;
        a->floats[0] = 0.5f, a->floats[1] = -3;
    } else {
        case_attribute_add(g->node, "value", OB_ATTR_TENSOR)->tensor = tensor_of(g, ob__op_output_types(g->op, 0), 0, 4, NULL);
    }
    return true;
}

static bool make_constant_of_shape(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int32_t rank = pick_shape(g, 0, 5, 300, dims);
    set_in(g, 0, leaf_ints(g, OB_INT64, dims, rank));
    if (chance(g, 75))
        case_attribute_add(g->node, "value", OB_ATTR_TENSOR)->tensor =
            tensor_of(g, ob__op_output_types(g->op, 0) & ~OB_T(STRING), 1, 1, &(int64_t){1});
    return true;
}

static bool make_range(gen *g) {
    ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    static const double steps[] = {1, 2, -1, 0.5, -3, 7};
    double start = (double)pick(g, -9, 9), step = steps[pick(g, 0, 5)];
    if (!is_float_type(dtype) && step == 0.5) step = 1;
    double limit = start + step * (double)pick(g, -2, 20) + (chance(g, 20) ? step / 2 : 0);
    set_in(g, 0, leaf_scalar(g, dtype, 0, start));
    set_in(g, 1, leaf_scalar(g, dtype, 0, limit));
    set_in(g, 2, leaf_scalar(g, dtype, 0, step));
    return true;
}

static bool make_eye_like(gen *g) {
    int x = take_input(g, 0, 2, 2);
    if (x < 0) return false;
    set_in(g, 0, x);
    if (chance(g, 60)) set_int(g, "dtype", pick_type(g, ob__op_output_types(g->op, 0)));
    if (chance(g, 60)) set_int(g, "k", pick(g, -4, 4));
    return true;
}

/* ---- Joining and cutting ---- */

static bool make_concat(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int x = take_input(g, 0, 1, 6);
    if (x < 0) return false;
    int32_t rank = view_at(g, x)->rank;
    ob_dtype dtype = view_at(g, x)->dtype;
    int64_t axis = pick_axis(g, rank, g->op->since >= 11), n = pick(g, 1, 4), place = pick(g, 0, n - 1);
    for (int64_t i = 0; i < n; i++) {
        memcpy(dims, view_at(g, x)->dims, (size_t)rank * sizeof *dims);
        dims[positive_axis(axis, rank)] = pick(g, 0, 4);
        bool again = i == place || chance(g, 15);
        set_in(g, (uint32_t)i, again ? x : leaf(g, dtype, rank, dims, g->wild ? FILL_WILD : FILL_TAME));
    }
    set_int(g, "axis", axis);
    return true;
}

static bool make_split(gen *g) {
    int64_t parts[MAX_OUTPUTS];
    int x = take_input(g, 0, 1, 6);
    if (x < 0) return false;
    int32_t rank = view_at(g, x)->rank;
    int64_t axis = pick_axis(g, rank, g->op->since >= 11), size = view_at(g, x)->dims[positive_axis(axis, rank)], n = 0;
    set_in(g, 0, x);
    if (axis != 0 || chance(g, 50)) set_int(g, "axis", axis);
    if (chance(g, 40)) { /* equal parts */
        n = pick(g, 1, 4);
        if (g->op->since < 18 && size % n) n = 1;
        if (g->op->since >= 18) {
            while (n > 1 && (size == 0 || (size + n - 1) / n * (n - 1) >= size)) n--;
            set_int(g, "num_outputs", n);
        }
    } else {
        for (int64_t left = size; n == 0 || (left > 0 && n < 5); left -= parts[n++]) parts[n] = pick(g, 0, left);
        int64_t sum = 0;
        for (int64_t i = 0; i + 1 < n; i++) sum += parts[i];
        parts[n - 1] = size - sum;
        give_ints(g, g->op->since < 13, "split", 1, parts, n);
    }
    g->node->n_out = (uint32_t)n;
    for (int64_t i = 0; i + 1 < n; i++)
        if (chance(g, 6)) g->node->out[i] = -1;
    return true;
}

static bool make_slice(gen *g) {
    static const int64_t far[] = {INT64_MAX, INT64_MIN + 1, 1000, -1000, INT32_MAX};
    int64_t axes[OB_MAX_RANK], starts[OB_MAX_RANK], ends[OB_MAX_RANK], steps[OB_MAX_RANK];
    bool old = g->op->since < 10;
    int x = take_input(g, 0, 1, 6);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int32_t rank = view->rank;
    int64_t n = pick_axes(g, rank, g->op->since >= 10, axes);
    bool in_order = true;
    for (int64_t i = 0; i < n; i++) {
        int64_t size = view->dims[positive_axis(axes[i], rank)];
        starts[i] = chance(g, 12) ? far[pick(g, 2, 3)] : pick(g, -size - 1, size + 1);
        ends[i] = chance(g, 25) ? far[pick(g, 0, 4)] : pick(g, -size - 1, size + 1);
        steps[i] = chance(g, 50) ? 1 : chance(g, 50) ? pick(g, 2, 3) : -pick(g, 1, 3);
        if (steps[i] < 0 && ends[i] > 100) ends[i] = -1000; /* to the end, backwards: INT_MAX means that to some */
        in_order = in_order && axes[i] == i;
    }
    if (n == 0) return false;
    ob_dtype dtype = chance(g, 50) ? OB_INT64 : OB_INT32;
    if (dtype == OB_INT32 && !old)
        for (int64_t i = 0; i < n; i++) ends[i] = ends[i] > INT32_MAX ? INT32_MAX : ends[i] < -INT32_MAX ? -INT32_MAX : ends[i];
    set_in(g, 0, x);
    bool omit_axes = in_order && chance(g, 60);
    if (old) {
        set_ints(g, "starts", starts, n);
        set_ints(g, "ends", ends, n);
        if (!omit_axes) set_ints(g, "axes", axes, n);
        return true;
    }
    set_in(g, 1, leaf_ints(g, dtype, starts, n));
    set_in(g, 2, leaf_ints(g, dtype, ends, n));
    if (!omit_axes) set_in(g, 3, leaf_ints(g, dtype, axes, n));
    if (chance(g, 70)) set_in(g, 4, leaf_ints(g, dtype, steps, n));
    return true;
}

static bool make_pad(gen *g) {
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
    int64_t pads[2 * OB_MAX_RANK], axes[OB_MAX_RANK], n;
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int32_t rank = view->rank;
    int64_t mode = chance(g, 55) ? 0 : pick(g, 1, g->op->since >= 19 ? 3 : 2);
    bool some = g->op->since >= 18 && chance(g, 40);
    n = some ? pick_axes(g, rank, true, axes) : rank;
    if (n == 0) return false;
    for (int64_t i = 0; i < n; i++) {
        int64_t size = view->dims[some ? positive_axis(axes[i], rank) : i], most = mode == 1           ? size - 1
                                                                                   : mode && size == 0 ? 0
                                                                                                       : 3;
        if (most > 3) most = 3;
        if (most < 0) return false;
        pads[i] = pick(g, 0, most);
        pads[i + n] = pick(g, 0, most);
        if (mode == 0 && size > 2 && chance(g, 10)) pads[i + n] = -1;
    }
    set_in(g, 0, x);
    if (mode || chance(g, 40)) set_string(g, "mode", modes[mode]);
    give_ints(g, g->op->since < 11, "pads", 1, pads, 2 * n);
    ob_dtype dtype = view_at(g, x)->dtype;
    bool is_number = dtype != OB_STRING && dtype != OB_COMPLEX64 && dtype != OB_COMPLEX128;
    if (mode == 0 && chance(g, 60)) {
        if (g->op->since < 11)
            set_float(g, "value", (double)pick(g, -8, 8) / 4);
        else if (is_number)
            set_in(g, 2, leaf_scalar(g, dtype, 0, 1));
    }
    if (some) set_in(g, 3, leaf_ints(g, chance(g, 50) ? OB_INT64 : OB_INT32, axes, n));
    return true;
}

static bool make_tile(gen *g) {
    int64_t repeats[OB_MAX_RANK];
    int x = take_input(g, 0, 0, 5);
    if (x < 0) return false;
    int64_t n = ob_view_count(view_at(g, x)) + 1;
    for (int32_t k = 0; k < view_at(g, x)->rank; k++) {
        repeats[k] = chance(g, 40) ? 1 : pick(g, 0, 3);
        if (n * repeats[k] > 4000) repeats[k] = 1;
        n *= repeats[k] ? repeats[k] : 1;
    }
    set_in(g, 0, x);
    set_in(g, 1, leaf_ints(g, OB_INT64, repeats, view_at(g, x)->rank));
    return true;
}

static bool make_depth_space(gen *g) {
    int64_t block = pick(g, 1, 3), dims[4] = {pick(g, 0, 2), pick(g, 1, 3), pick(g, 1, 4), pick(g, 1, 4)};
    if (is_op(g, "DepthToSpace"))
        dims[1] *= block * block;
    else
        dims[2] *= block, dims[3] *= block;
    set_in(g, 0, leaf(g, pick_type(g, ob__op_input_types(g->op, 0)), 4, dims, FILL_TAME));
    set_int(g, "blocksize", block);
    if (is_op(g, "DepthToSpace") && g->op->since >= 11 && chance(g, 60)) set_string(g, "mode", chance(g, 50) ? "DCR" : "CRD");
    return true;
}

static bool make_reverse_sequence(gen *g) {
    int x = take_input(g, 0, 2, 5);
    if (x < 0) return false;
    int64_t time = pick(g, 0, 1), n = view_at(g, x)->dims[1 - time], most = view_at(g, x)->dims[time], lengths[64];
    if (n > 64 || most < 1) return false;
    for (int64_t i = 0; i < n; i++) lengths[i] = pick(g, 1, most);
    set_in(g, 0, x);
    set_in(g, 1, leaf_ints(g, OB_INT64, lengths, n));
    set_int(g, "time_axis", time);
    set_int(g, "batch_axis", 1 - time);
    return true;
}

const gen_row gen_moves[] = {
    {"reverse_sequence", make_reverse_sequence, true},
    {"reshape", make_shaping, true},
    {"identity", make_one_operand, true},
    {"shape", make_shape, true},
    {"transpose", make_transpose, true},
    {"constant", make_constant, true},
    {"constant_of_shape", make_constant_of_shape, true},
    {"range", make_range, false},
    {"eye_like", make_eye_like, true},
    {"concat", make_concat, true},
    {"split", make_split, true},
    {"slice", make_slice, true},
    {"pad", make_pad, true},
    {"tile", make_tile, true},
    {"depth_space", make_depth_space, true},
    {NULL, NULL, false},
};
