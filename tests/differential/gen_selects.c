/* Makers of operators that select elements by index or order, reduce, and resize. */
#include <string.h>

#include "gen.h"
#include "number.h"

/* ---- By index ---- */

/* Indices 0 .. size - 1, negative ones from the end when allowed. */
static int leaf_indices(gen *g, ob_dtype dtype, int32_t rank, const int64_t *dims, int64_t size, bool negative) {
    int value = leaf(g, dtype, rank, dims, FILL_TAME);
    if (value < 0) return -1;
    for (int64_t i = 0; i < ob_view_count(view_at(g, value)); i++) {
        int64_t index = size > 0 ? pick(g, 0, size - 1) : 0;
        integer_set(view_at(g, value), i, negative && chance(g, 25) ? index - size : index);
    }
    g->c->values[value].is_parameter = true;
    return value;
}

static bool make_gather(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    int32_t rank = view_at(g, x)->rank, index_rank = pick_shape(g, 0, 3, 12, dims);
    int64_t axis = pick_axis(g, rank, g->op->since >= 11), size = view_at(g, x)->dims[positive_axis(axis, rank)];
    if (size == 0) dims[index_rank > 0 ? 0 : index_rank++] = 0;
    set_in(g, 0, x);
    set_in(g, 1, leaf_indices(g, chance(g, 70) ? OB_INT64 : OB_INT32, index_rank, dims, size, g->op->since >= 11));
    if (axis != 0 || chance(g, 50)) set_int(g, "axis", axis);
    return true;
}

static bool make_gather_elements(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int32_t rank = view->rank;
    int64_t axis = pick_axis(g, rank, true), at = positive_axis(axis, rank), size = view->dims[at];
    for (int32_t k = 0; k < rank; k++)
        dims[k] = k == at ? (size ? pick(g, 0, 4) : 0) : chance(g, 80) ? view->dims[k] : pick(g, 0, view->dims[k]);
    set_in(g, 0, x);
    set_in(g, 1, leaf_indices(g, chance(g, 70) ? OB_INT64 : OB_INT32, rank, dims, size, true));
    set_int(g, "axis", axis);
    return true;
}

/* Index tuples for the axes from `first` on. */
static int leaf_tuples(gen *g, const ob_view *data, int32_t rank, const int64_t *dims, int32_t first, bool negative) {
    int value = leaf(g, OB_INT64, rank, dims, FILL_TAME);
    if (value < 0) return -1;
    const ob_view *view = view_at(g, value);
    int64_t width = dims[rank - 1];
    for (int64_t i = 0; i < ob_view_count(view); i++) {
        int64_t size = data->dims[first + i % width];
        if (size == 0) return -1;
        int64_t index = pick(g, 0, size - 1);
        integer_set(view, i, negative && chance(g, 20) ? index - size : index);
    }
    g->c->values[value].is_parameter = true;
    return value;
}

static bool make_gather_nd(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int32_t batch = g->op->since >= 12 && chance(g, 40) ? (int32_t)pick(g, 0, view->rank - 1) : 0, rank = batch;
    for (int32_t k = 0; k < batch; k++) dims[k] = view->dims[k];
    while (rank < batch + 2 && chance(g, 60)) dims[rank++] = pick(g, 0, 3);
    dims[rank++] = pick(g, 1, view->rank - batch);
    int indices = leaf_tuples(g, view, rank, dims, batch, g->op->since >= 11);
    set_in(g, 0, x);
    set_in(g, 1, indices);
    if (batch || chance(g, 10)) set_int(g, "batch_dims", batch);
    return indices >= 0 && (g->op->since >= 12 || batch == 0);
}

static const char *pick_reduction(gen *g, int64_t since, ob_dtype dtype) {
    static const char *const names[] = {"none", "add", "mul", "max", "min"};
    if (since < 16 || !(is_float_type(dtype) || is_integer_type(dtype))) return NULL;
    return names[pick(g, 0, since < 18 ? 2 : 4)];
}

static bool make_scatter_elements(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int32_t rank = view->rank;
    ob_dtype dtype = view->dtype;
    int64_t axis = pick_axis(g, rank, g->op->since >= 11), at = positive_axis(axis, rank), size = view->dims[at];
    const char *reduction = is_op(g, "Scatter") ? NULL : pick_reduction(g, g->op->since, dtype);
    bool repeats = reduction && strcmp(reduction, "none") != 0;
    for (int32_t k = 0; k < rank; k++)
        dims[k] = k != at           ? (chance(g, 70) ? view->dims[k] : pick(g, 0, view->dims[k]))
                  : repeats && size ? pick(g, 0, 4)
                                    : pick(g, 0, size);
    int indices = leaf_indices(g, chance(g, 70) ? OB_INT64 : OB_INT32, rank, dims, size, g->op->since >= 11 && repeats);
    if (indices < 0) return false;
    if (!repeats) { /* which of two equal indices wins is not defined: along the axis 0, 1 ... or backwards */
        const ob_view *to = view_at(g, indices);
        int64_t inner = 1, n = dims[at];
        for (int32_t k = (int32_t)at + 1; k < rank; k++) inner *= dims[k];
        bool back = chance(g, 50);
        for (int64_t i = 0; i < ob_view_count(to); i++) integer_set(to, i, back ? size - 1 - i / inner % n : i / inner % n);
    }
    set_in(g, 0, x);
    set_in(g, 1, indices);
    set_in(g, 2, leaf(g, dtype, rank, dims, FILL_TAME));
    set_int(g, "axis", axis);
    if (reduction) set_string(g, "reduction", reduction);
    return true;
}

static bool make_scatter_nd(gen *g) {
    int64_t dims[OB_MAX_RANK], shape[OB_MAX_RANK];
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    ob_dtype dtype = view->dtype;
    const char *reduction = pick_reduction(g, g->op->since, dtype);
    bool repeats = reduction && strcmp(reduction, "none") != 0;
    int32_t rank = 0, data_rank = view->rank;
    if (repeats)
        while (rank < 2 && chance(g, 60)) dims[rank++] = pick(g, 0, 3);
    else if (chance(g, 70)) /* one tuple, or distinct ones: the first index counts up */
        dims[rank++] = pick(g, 0, view->dims[0]);
    int64_t width = pick(g, 1, data_rank);
    dims[rank++] = width;
    int indices = leaf_tuples(g, view, rank, dims, 0, repeats);
    if (indices < 0) return false;
    if (!repeats)
        for (int64_t i = 0; i * width < ob_view_count(view_at(g, indices)); i++) integer_set(view_at(g, indices), i * width, i);
    int32_t n = 0;
    for (int32_t k = 0; k + 1 < rank; k++) shape[n++] = dims[k];
    for (int32_t k = (int32_t)width; k < data_rank; k++) shape[n++] = view_at(g, x)->dims[k];
    set_in(g, 0, x);
    set_in(g, 1, indices);
    set_in(g, 2, leaf(g, dtype, n, shape, FILL_TAME));
    if (reduction) set_string(g, "reduction", reduction);
    return true;
}

static bool make_one_hot(gen *g) {
    int64_t dims[OB_MAX_RANK], depth = pick(g, 1, 5);
    ob_types whole = OB_T(INT64) | OB_T(INT32) | OB_T(UINT8) | OB_T(INT8) | OB_T(FLOAT);
    ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0) & whole), element = pick_type(g, ob__op_input_types(g->op, 2));
    int32_t rank = pick_shape(g, 0, 4, 60, dims);
    int indices = leaf(g, dtype, rank, dims, FILL_TAME);
    if (indices < 0) return false;
    bool negative = is_signed_type(dtype) && g->op->since >= 11;
    for (int64_t i = 0; i < ob_view_count(view_at(g, indices)); i++)
        number_set(view_at(g, indices), i, (double)pick(g, negative ? -depth - 1 : 0, depth));
    set_in(g, 0, indices);
    set_in(g, 1, leaf_scalar(g, chance(g, 70) ? OB_INT64 : OB_FLOAT, chance(g, 50) ? 0 : 1, (double)depth));
    set_in(g, 2, leaf(g, element, 1, &(int64_t){2}, FILL_TAME));
    if (chance(g, 60)) set_int(g, "axis", chance(g, 50) ? -1 : pick(g, g->op->since >= 11 ? -rank - 1 : 0, rank));
    return true;
}

static bool make_non_max_suppression(gen *g) {
    int64_t batches = pick(g, 1, 2), classes = pick(g, 1, 3), boxes = pick(g, 1, 12);
    set_in(g, 0, leaf(g, OB_FLOAT, 3, (int64_t[]){batches, boxes, 4}, FILL_TAME));
    set_in(g, 1, leaf(g, OB_FLOAT, 3, (int64_t[]){batches, classes, boxes}, FILL_TAME));
    set_in(g, 2, leaf_scalar(g, OB_INT64, (int32_t)pick(g, 0, 1), (double)pick(g, 0, 9)));
    if (chance(g, 70)) set_in(g, 3, leaf_scalar(g, OB_FLOAT, (int32_t)pick(g, 0, 1), (double)pick(g, 0, 4) / 4));
    if (chance(g, 50)) set_in(g, 4, leaf_scalar(g, OB_FLOAT, (int32_t)pick(g, 0, 1), (double)pick(g, -4, 4) / 4));
    if (chance(g, 50)) set_int(g, "center_point_box", pick(g, 0, 1));
    return true;
}

static bool make_trilu(gen *g) {
    int x = take_input(g, 0, 2, 5);
    set_in(g, 0, x);
    if (chance(g, 60)) set_in(g, 1, leaf_scalar(g, OB_INT64, 0, (double)pick(g, -5, 5)));
    if (chance(g, 60)) set_int(g, "upper", pick(g, 0, 1));
    return x >= 0;
}

static bool make_non_zero(gen *g) {
    int x = take_input(g, 0, 1, 5);
    set_in(g, 0, x);
    return x >= 0;
}

static bool make_compress(gen *g) {
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    bool flat = chance(g, 30);
    int64_t axis = pick_axis(g, view->rank, g->op->since >= 11);
    int64_t size = flat ? ob_view_count(view) : view->dims[positive_axis(axis, view->rank)];
    int64_t n = chance(g, 70) ? size : pick(g, 0, size);
    set_in(g, 0, x);
    int condition = leaf(g, OB_BOOL, 1, &n, FILL_TAME);
    if (condition < 0) return false;
    g->c->values[condition].is_parameter = true; /* the last that is taken must be there */
    set_in(g, 1, condition);
    if (!flat) set_int(g, "axis", axis);
    return true;
}

/* ---- By order ---- */

static bool make_topk(gen *g) {
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int64_t axis = pick_axis(g, view->rank, g->op->since >= 11), size = view->dims[positive_axis(axis, view->rank)];
    int64_t k = pick(g, g->op->since < 10 ? 1 : 0, size > 0 ? size : 1);
    if (k > size) return false;
    set_in(g, 0, x);
    if (g->op->since < 10)
        set_int(g, "k", k);
    else
        set_in(g, 1, leaf_ints(g, OB_INT64, &k, 1));
    set_int(g, "axis", axis);
    if (g->op->since >= 11 && chance(g, 50)) set_int(g, "largest", pick(g, 0, 1));
    g->node->n_out = 2;
    if (chance(g, 10)) g->node->out[pick(g, 0, 1)] = -1;
    return true;
}

static bool make_argreduce(gen *g) {
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    int64_t axis = pick_axis(g, view->rank, g->op->since >= 11);
    if (view->dims[positive_axis(axis, view->rank)] == 0) return false;
    set_in(g, 0, x);
    set_int(g, "axis", axis);
    if (chance(g, 60)) set_int(g, "keepdims", pick(g, 0, 1));
    if (g->op->since >= 12 && chance(g, 40)) set_int(g, "select_last_index", pick(g, 0, 1));
    return true;
}

static bool make_cumsum(gen *g) {
    int x = take_input(g, 0, 1, 5);
    if (x < 0) return false;
    set_in(g, 0, x);
    set_in(g, 1, leaf_scalar(g, chance(g, 50) ? OB_INT64 : OB_INT32, 0, (double)pick_axis(g, view_at(g, x)->rank, true)));
    if (chance(g, 40)) set_int(g, "exclusive", pick(g, 0, 1));
    if (chance(g, 40)) set_int(g, "reverse", pick(g, 0, 1));
    return true;
}

/* ---- Reductions ---- */

/* What an empty set gives is written in the text from version 18 on, never for a mean, and for a logarithm of integers: "minus
 * infinity (if supported by the datatype) or undefined otherwise". */
static bool may_be_empty(const gen *g, ob_dtype dtype) {
    bool minus_infinity = is_op(g, "ReduceLogSum") || is_op(g, "ReduceLogSumExp");
    return g->op->since >= 18 && !is_op(g, "ReduceMean") && !(minus_infinity && !is_float_type(dtype));
}

static bool make_reduce(gen *g) {
    int64_t axes[OB_MAX_RANK], n = 0;
    int x = take_input(g, 0, 0, 6);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    if (ob_view_count(view) == 0 && !may_be_empty(g, view->dtype)) return false;
    bool overflows = is_op(g, "ReduceProd") && !is_float_type(view->dtype);
    if (overflows && (x = leaf(g, view->dtype, 2, (int64_t[]){pick(g, 1, 3), 3}, FILL_NONZERO)) < 0) return false;
    view = view_at(g, x);
    bool is_input = g->op->since >= 18 || (is_op(g, "ReduceSum") && g->op->since >= 13);
    if (is_op(g, "ReduceLogSum") && ob_view_count(view) > 0) {
        int64_t dims[OB_MAX_RANK];
        int32_t rank = pick_shape(g, 0, 5, 200, dims);
        for (int32_t k = 0; k < rank; k++)
            if (dims[k] == 0) dims[k] = 1;
        x = leaf(g, view->dtype, rank, dims, FILL_POSITIVE);
        if (x < 0) return false;
        view = view_at(g, x);
    }
    if (chance(g, 80) && view->rank > 0) n = pick_axes(g, view->rank, g->op->since >= 11, axes);
    set_in(g, 0, x);
    if (n > 0 || (is_input && chance(g, 20))) {
        if (is_input)
            set_in(g, 1, leaf_ints(g, OB_INT64, axes, n));
        else
            set_ints(g, "axes", axes, n);
    }
    if (is_input && chance(g, 30)) set_int(g, "noop_with_empty_axes", pick(g, 0, 1));
    if (chance(g, 60)) set_int(g, "keepdims", pick(g, 0, 1));
    return true;
}

/* ---- Resizing ---- */

static int leaf_floats(gen *g, const float *floats, int64_t n) {
    int value = leaf(g, OB_FLOAT, 1, &n, FILL_TAME);
    if (value < 0) return -1;
    for (int64_t i = 0; i < n; i++) number_set(view_at(g, value), i, (double)floats[i]);
    g->c->values[value].is_parameter = true;
    return value;
}

static void set_upsample(gen *g, const float *scales, int32_t rank) {
    if (g->op->since >= 9) {
        set_in(g, 1, leaf_floats(g, scales, rank));
        return;
    }
    case_attribute *a = case_attribute_add(g->node, "scales", OB_ATTR_FLOATS);
    a->n = (uint32_t)rank;
    memcpy(a->floats, scales, (size_t)rank * sizeof *scales);
}

static bool make_resize(gen *g) {
    static const float factors[] = {1, 2, 0.5f, 3, 1.5f, 0.7f, 0.8f, 1.25f};
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    static const char *const ways[] = {"half_pixel", "asymmetric", "pytorch_half_pixel", "align_corners", "half_pixel_symmetric"};
    static const char *const rounds[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    bool upsample = is_op(g, "Upsample");
    int64_t mode = pick(g, 0, upsample || g->op->since < 11 ? 1 : 2), dims[OB_MAX_RANK], sizes[OB_MAX_RANK];
    float scales[OB_MAX_RANK];
    int32_t rank = (int32_t)pick(g, mode == 0 ? 1 : 2, 4);
    for (int32_t k = 0; k < rank; k++) {
        bool spatial = k >= rank - 2;
        dims[k] = spatial ? pick(g, 1, 7) : pick(g, 1, 2);
        /* Of "nearest" only what floating-point numbers hold exactly: how a tie is rounded is written, how a near tie is
         * not. */
        scales[k] = spatial ? factors[pick(g, 0, mode == 0 ? 4 : 7)] : 1;
        if (upsample && scales[k] < 1) scales[k] = 2;
        sizes[k] = !spatial ? dims[k] : mode == 0 ? dims[k] * pick(g, 1, 3) : pick(g, 1, 12);
        if (mode == 0 && spatial && dims[k] % 2 == 0 && chance(g, 40)) sizes[k] = dims[k] / 2;
        if ((int64_t)(scales[k] * (float)dims[k]) < 1) scales[k] = 1;
    }
    int x = leaf(g, pick_type(g, ob__op_input_types(g->op, 0)), rank, dims, FILL_TAME);
    if (x < 0) return false;
    set_in(g, 0, x);
    if (mode || chance(g, 60)) set_string(g, "mode", modes[mode]);
    if (upsample) {
        set_upsample(g, scales, rank);
        return true;
    }
    if (g->op->since < 11) {
        set_in(g, 1, leaf_floats(g, scales, rank));
        return true;
    }
    bool by_size = chance(g, 50);
    if (by_size)
        set_in(g, 3, leaf_ints(g, OB_INT64, sizes, rank));
    else
        set_in(g, 2, leaf_floats(g, scales, rank));
    if (g->op->since < 13) { /* roi, and scales beside sizes, are there: without elements where they do not matter */
        set_in(g, 1, leaf_floats(g, scales, 0));
        if (by_size) set_in(g, 2, leaf_floats(g, scales, 0));
    }
    if (chance(g, 80)) set_string(g, "coordinate_transformation_mode", ways[pick(g, 0, g->op->since >= 19 ? 4 : 3)]);
    if (mode == 0 && chance(g, 70)) set_string(g, "nearest_mode", rounds[pick(g, 0, 3)]);
    if (mode == 2 && chance(g, 40)) set_float(g, "cubic_coeff_a", -0.5);
    if (mode == 2 && chance(g, 40)) set_int(g, "exclude_outside", pick(g, 0, 1));
    if (mode > 0 && g->op->since >= 18 && chance(g, 30)) set_int(g, "antialias", 1);
    return true;
}

const gen_row gen_selects[] = {
    {"gather", make_gather, true},
    {"gather_elements", make_gather_elements, true},
    {"gather_nd", make_gather_nd, true},
    {"scatter_elements", make_scatter_elements, false},
    {"scatter_nd", make_scatter_nd, false},
    {"one_hot", make_one_hot, false},
    {"trilu", make_trilu, true},
    {"non_max_suppression", make_non_max_suppression, false},
    {"non_zero", make_non_zero, false},
    {"compress", make_compress, true},
    {"topk", make_topk, false},
    {"argreduce", make_argreduce, false},
    {"cumsum", make_cumsum, false},
    {"reduce", make_reduce, false},
    {"resize", make_resize, false},
    {NULL, NULL, false},
};
