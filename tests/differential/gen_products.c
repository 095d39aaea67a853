/* Makers of products, convolutions and pooling. */
#include <string.h>

#include "gen.h"
#include "number.h"

/* ---- Matrices ---- */

/* A shape for B with which A multiplies; columns: its last size, 0 for a vector. */
static int32_t shape_of_b(gen *g, const ob_view *a, int64_t *dims) {
    int32_t rank = 0, batch = a->rank > 2 ? a->rank - 2 : 0;
    int64_t inner = a->dims[a->rank - 1], n = ob_view_count(a) + 1;
    if (chance(g, 15)) {
        dims[0] = inner;
        return 1;
    }
    int32_t first = chance(g, 50) ? 0 : (int32_t)pick(g, 0, batch);
    for (int32_t k = first; k < batch; k++) {
        int64_t size = a->dims[k];
        dims[rank++] = size == 1 && n < 500 && chance(g, 50) ? pick(g, 1, 3) : chance(g, 40) ? 1 : size;
    }
    if (batch == 0 && chance(g, 25) && n < 500) dims[rank++] = pick(g, 1, 3);
    dims[rank++] = inner;
    dims[rank++] = pick(g, 0, 6);
    return rank;
}

static bool make_matmul(gen *g) {
    int64_t dims[OB_MAX_RANK];
    int a = take_input(g, 0, 1, 5);
    if (a < 0) return false;
    int32_t rank = shape_of_b(g, view_at(g, a), dims);
    set_in(g, 0, a);
    set_in(g, 1, leaf(g, view_at(g, a)->dtype, rank, dims, FILL_TAME));
    return true;
}

static bool make_gemm(gen *g) {
    bool ta = chance(g, 40), tb = chance(g, 40);
    int a = take_input(g, 0, 2, 2);
    if (a < 0) return false;
    const ob_view *view = view_at(g, a);
    ob_dtype dtype = view->dtype;
    int64_t m = view->dims[ta], k = view->dims[!ta], n = pick(g, 0, 6), c[2] = {m, n}, part[2];
    int64_t b[2] = {tb ? n : k, tb ? k : n};
    set_in(g, 0, a);
    set_in(g, 1, leaf(g, dtype, 2, b, FILL_TAME));
    if (g->op->since < 11 || chance(g, 70)) {
        int32_t rank = part_shape(g, 2, c, part);
        set_in(g, 2, leaf(g, dtype, rank, part, FILL_TAME));
    }
    if (ta || chance(g, 30)) set_int(g, "transA", ta);
    if (tb || chance(g, 30)) set_int(g, "transB", tb);
    if (is_float_type(dtype) && chance(g, 50)) set_float(g, "alpha", (double)pick(g, -4, 8) / 4);
    if (is_float_type(dtype) && chance(g, 50)) set_float(g, "beta", (double)pick(g, -4, 8) / 4);
    return true;
}

/* Each operand's letters are a few of five, whose sizes all share; the result's are some of those that occur. */
static bool make_einsum(gen *g) {
    enum { LETTERS = 5 };
    int64_t sizes[LETTERS], dims[4], n = pick(g, 1, 3);
    char equation[64] = "";
    bool seen[LETTERS] = {false};
    ob_dtype dtype = pick_type(g, g->op->types[0]);
    for (int l = 0; l < LETTERS; l++) sizes[l] = pick(g, 1, 4);
    for (int64_t i = 0; i < n; i++) {
        int64_t rank = pick(g, 1, 4);
        if (i > 0) strcat(equation, ",");
        for (int64_t k = 0; k < rank; k++) {
            int64_t letter = pick(g, 0, LETTERS - 1);
            strcat(equation, (char[]){(char)('a' + letter), '\0'});
            seen[letter] = true;
            dims[k] = sizes[letter];
        }
        set_in(g, (uint32_t)i, leaf(g, dtype, (int32_t)rank, dims, FILL_TAME));
    }
    if (chance(g, 70)) {
        strcat(equation, "->");
        for (int l = 0; l < LETTERS; l++) {
            int letter = (l * 2 + 1) % LETTERS;
            if (seen[letter] && chance(g, 50)) strcat(equation, (char[]){(char)('a' + letter), '\0'});
        }
    }
    set_string(g, "equation", pool_print(g->c->pool, "%s", equation));
    return true;
}

static bool make_det(gen *g) {
    int64_t m = pick(g, 1, 4), dims[4];
    int32_t rank = pick_shape(g, 0, 2, 12, dims);
    dims[rank++] = m;
    dims[rank++] = m;
    set_in(g, 0, leaf(g, pick_type(g, g->op->types[0]), rank, dims, FILL_TAME));
    return true;
}

/* ---- Windows ---- */

typedef struct window {
    int32_t n; /* spatial axes, 1 .. 3 */
    int64_t in[3], kernel[3], strides[3], dilations[3], pads[6];
    const char *auto_pad;
    bool dilated;
} window;

/* Every output size is at least 1. */
static window pick_window(gen *g, bool may_dilate) {
    static const char *const ways[] = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
    window w = {.n = (int32_t)pick(g, 1, 3), .dilated = may_dilate && chance(g, 30)};
    int64_t way = chance(g, 65) ? 0 : pick(g, 1, 3);
    w.auto_pad = ways[way];
    if (way >= 2) w.dilated = false;
    for (int32_t k = 0; k < w.n; k++) {
        w.kernel[k] = pick(g, 1, 3);
        w.strides[k] = chance(g, 55) ? 1 : pick(g, 2, 3);
        w.dilations[k] = w.dilated ? pick(g, 1, 2) : 1;
        int64_t reach = (w.kernel[k] - 1) * w.dilations[k] + 1;
        w.pads[k] = way == 0 && chance(g, 50) ? pick(g, 0, w.kernel[k] - 1) : 0;
        w.pads[k + w.n] = way == 0 && chance(g, 50) ? pick(g, 0, w.kernel[k] - 1) : 0;
        w.in[k] = reach + pick(g, 0, w.n == 3 ? 2 : 6);
    }
    return w;
}

static void set_window(gen *g, const window *w, bool kernel_is_given) {
    bool strided = false, padded = false;
    for (int32_t k = 0; k < w->n; k++) strided = strided || w->strides[k] > 1, padded = padded || w->pads[k] || w->pads[k + w->n];
    if (kernel_is_given) set_ints(g, "kernel_shape", w->kernel, w->n);
    if (strided || chance(g, 30)) set_ints(g, "strides", w->strides, w->n);
    if (w->dilated) set_ints(g, "dilations", w->dilations, w->n);
    if (padded) set_ints(g, "pads", w->pads, 2 * w->n);
    if (strcmp(w->auto_pad, "NOTSET") != 0 || chance(g, 15)) set_string(g, "auto_pad", w->auto_pad);
}

typedef struct conv_shapes {
    int64_t group, out_channels;
    int64_t x[5], w[5];
    int32_t rank;
} conv_shapes;

static conv_shapes pick_conv(gen *g, const window *w, bool transposed) {
    conv_shapes s = {.group = chance(g, 65) ? 1 : pick(g, 1, 3), .rank = w->n + 2};
    int64_t in_each = pick(g, 1, 3), out_each = pick(g, 1, 3);
    s.out_channels = out_each * s.group;
    s.x[0] = chance(g, 5) ? 0 : pick(g, 1, 2);
    s.x[1] = in_each * s.group;
    s.w[0] = transposed ? s.x[1] : s.out_channels;
    s.w[1] = transposed ? out_each : in_each;
    for (int32_t k = 0; k < w->n; k++) s.x[k + 2] = w->in[k], s.w[k + 2] = w->kernel[k];
    return s;
}

/* Operands X, W, B and the group. */
static void set_conv(gen *g, const conv_shapes *s) {
    ob_dtype dtype = pick_type(g, ob__op_input_types(g->op, 0));
    set_in(g, 0, leaf(g, dtype, s->rank, s->x, FILL_TAME));
    set_in(g, 1, leaf(g, dtype, s->rank, s->w, FILL_TAME));
    if (chance(g, 50)) set_in(g, 2, leaf(g, dtype, 1, &s->out_channels, FILL_TAME));
    if (s->group > 1 || chance(g, 30)) set_int(g, "group", s->group);
}

static bool make_conv(gen *g) {
    window w = pick_window(g, true);
    conv_shapes s = pick_conv(g, &w, false);
    set_conv(g, &s);
    set_window(g, &w, chance(g, 70));
    return true;
}

static bool make_conv_transpose(gen *g) {
    window w = pick_window(g, true);
    conv_shapes s = pick_conv(g, &w, true);
    set_conv(g, &s);
    int64_t extra[3];
    bool any = false;
    for (int32_t k = 0; k < w.n; k++) any = (extra[k] = pick(g, 0, w.strides[k] - 1)) > 0 || any;
    if (any && strcmp(w.auto_pad, "NOTSET") == 0 && chance(g, 60)) set_ints(g, "output_padding", extra, w.n);
    set_window(g, &w, chance(g, 70));
    return true;
}

/* ---- Pooling ---- */

static bool make_pool(gen *g) {
    bool max = is_op(g, "MaxPool"), average = is_op(g, "AveragePool");
    window w = pick_window(g, g->op->since >= (max ? 10 : average ? 19 : 18));
    int64_t dims[5] = {chance(g, 5) ? 0 : pick(g, 1, 2), pick(g, 1, 3)};
    for (int32_t k = 0; k < w.n; k++) dims[k + 2] = w.in[k];
    set_in(g, 0, leaf(g, pick_type(g, ob__op_input_types(g->op, 0)), w.n + 2, dims, FILL_TAME));
    set_window(g, &w, true);
    bool ceil_mode = g->op->since >= (max || average ? 10 : 18);
    if (ceil_mode && strcmp(w.auto_pad, "NOTSET") == 0 && chance(g, 35)) set_int(g, "ceil_mode", 1);
    if (average && g->op->since >= 7 && chance(g, 40)) set_int(g, "count_include_pad", pick(g, 0, 1));
    if (is_op(g, "LpPool") && chance(g, 50)) set_int(g, "p", pick(g, 1, 3));
    if (max && g->op->since >= 8 && chance(g, 50)) {
        g->node->n_out = 2;
        if (chance(g, 30)) set_int(g, "storage_order", pick(g, 0, 1));
    }
    return true;
}

static bool make_global_pool(gen *g) {
    int x = take_input(g, 0, 3, 5);
    if (x < 0) return false;
    const ob_view *view = view_at(g, x);
    for (int32_t k = 2; k < view->rank; k++)
        if (view->dims[k] == 0) return false;
    set_in(g, 0, x);
    if (is_op(g, "GlobalLpPool") && chance(g, 50)) set_int(g, "p", pick(g, 1, 3));
    return true;
}

/* ---- Integer products ---- */

static int leaf_scales(gen *g, ob_dtype dtype, int64_t n) {
    int value = n == 0 ? leaf(g, dtype, 0, NULL, FILL_POSITIVE) : leaf(g, dtype, 1, &n, FILL_POSITIVE);
    if (value >= 0)
        for (int64_t i = 0; i < ob_view_count(view_at(g, value)); i++)
            number_set(view_at(g, value), i, (double)pick(g, 1, 9) / 32);
    return value;
}

static int leaf_zero_point(gen *g, ob_dtype dtype, int64_t n) {
    return n == 0 ? leaf(g, dtype, 0, NULL, FILL_TAME) : leaf(g, dtype, 1, &n, FILL_TAME);
}

static bool make_integer_matmul(gen *g) {
    bool quantized = is_op(g, "QLinearMatMul");
    int64_t dims[OB_MAX_RANK];
    int a = take_input(g, 0, chance(g, 80) ? 2 : 1, 4);
    if (a < 0) return false;
    int32_t rank = shape_of_b(g, view_at(g, a), dims);
    ob_dtype ta = view_at(g, a)->dtype, tb = pick_type(g, ob__op_input_types(g->op, quantized ? 3 : 1));
    int64_t columns = rank == 2 && dims[1] > 0 && chance(g, 35) ? dims[1] : 0;
    set_in(g, 0, a);
    if (!quantized) {
        set_in(g, 1, leaf(g, tb, rank, dims, FILL_TAME));
        if (chance(g, 60)) set_in(g, 2, leaf_zero_point(g, ta, 0));
        if (chance(g, 60)) set_in(g, 3, leaf_zero_point(g, tb, columns));
        return true;
    }
    ob_dtype scale = g->op->since < 21 ? OB_FLOAT : pick_type(g, ob__op_input_types(g->op, 1));
    ob_dtype to = pick_type(g, ob__op_output_types(g->op, 0));
    set_in(g, 1, leaf_scales(g, scale, 0));
    set_in(g, 2, leaf_zero_point(g, ta, 0));
    set_in(g, 3, leaf(g, tb, rank, dims, FILL_TAME));
    set_in(g, 4, leaf_scales(g, scale, columns));
    set_in(g, 5, leaf_zero_point(g, tb, columns));
    set_in(g, 6, leaf_scales(g, scale, 0));
    set_in(g, 7, leaf_zero_point(g, to, 0));
    return true;
}

static bool make_integer_conv(gen *g) {
    bool quantized = is_op(g, "QLinearConv");
    window w = pick_window(g, true);
    conv_shapes s = pick_conv(g, &w, false);
    ob_dtype tx = pick_type(g, ob__op_input_types(g->op, 0)), tw = pick_type(g, ob__op_input_types(g->op, quantized ? 3 : 1));
    int64_t out_channels = chance(g, 35) ? s.out_channels : 0;
    set_in(g, 0, leaf(g, tx, s.rank, s.x, FILL_TAME));
    if (!quantized) {
        set_in(g, 1, leaf(g, tw, s.rank, s.w, FILL_TAME));
        if (chance(g, 60)) set_in(g, 2, leaf_zero_point(g, tx, 0));
        if (chance(g, 60)) set_in(g, 3, leaf_zero_point(g, tw, out_channels));
    } else {
        set_in(g, 1, leaf_scales(g, OB_FLOAT, 0));
        set_in(g, 2, leaf_zero_point(g, tx, 0));
        set_in(g, 3, leaf(g, tw, s.rank, s.w, FILL_TAME));
        set_in(g, 4, leaf_scales(g, OB_FLOAT, out_channels));
        set_in(g, 5, leaf_zero_point(g, tw, out_channels));
        set_in(g, 6, leaf_scales(g, OB_FLOAT, 0));
        set_in(g, 7, leaf_zero_point(g, pick_type(g, ob__op_output_types(g->op, 0)), 0));
        if (chance(g, 50)) set_in(g, 8, leaf(g, OB_INT32, 1, &s.out_channels, FILL_TAME));
    }
    if (s.group > 1) set_int(g, "group", s.group);
    set_window(g, &w, chance(g, 70));
    return true;
}

const gen_row gen_products[] = {
    {"matmul", make_matmul, false},
    {"gemm", make_gemm, false},
    {"einsum", make_einsum, false},
    {"det", make_det, false},
    {"integer_matmul", make_integer_matmul, false},
    {"integer_conv", make_integer_conv, false},
    {"conv", make_conv, false},
    {"conv_transpose", make_conv_transpose, false},
    {"pool", make_pool, false},
    {"global_pool", make_global_pool, false},
    {NULL, NULL, false},
};
