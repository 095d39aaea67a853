/* Makers of operators that sample images. */
#include <string.h>

#include "gen.h"
#include "number.h"

/* A leaf of random numbers, tenths between lowest and highest tenths. */
static int leaf_tenths(gen *g, ob_dtype dtype, int32_t rank, const int64_t *dims, int64_t lowest, int64_t highest) {
    int value = leaf(g, dtype, rank, dims, FILL_TAME);
    for (int64_t i = 0; value >= 0 && i < ob_view_count(view_at(g, value)); i++)
        number_set(view_at(g, value), i, (double)pick(g, lowest, highest) / 10 + 0.013);
    return value;
}

static bool make_grid_sample(gen *g) {
    static const char *const old_modes[] = {"bilinear", "nearest", "bicubic"}, *const modes[] = {"linear", "nearest", "cubic"};
    static const char *const paddings[] = {"zeros", "border", "reflection"};
    bool early = g->op->since < 20;
    int32_t axes = early || chance(g, 70) ? 2 : 3;
    int64_t mode = pick(g, 0, axes == 2 ? 2 : 1), x[5] = {pick(g, 1, 2), pick(g, 1, 3)}, grid[5] = {x[0]};
    for (int32_t a = 0; a < axes; a++) {
        x[a + 2] = pick(g, 2, 5);
        grid[a + 1] = pick(g, 1, 4);
    }
    grid[axes + 1] = axes;
    set_in(g, 0, leaf(g, OB_FLOAT, axes + 2, x, FILL_TAME));
    set_in(g, 1, leaf_tenths(g, OB_FLOAT, axes + 2, grid, -17, 16));
    set_string(g, "mode", (early ? old_modes : modes)[mode]);
    if (chance(g, 70)) set_string(g, "padding_mode", paddings[pick(g, 0, 2)]);
    if (chance(g, 50)) set_int(g, "align_corners", pick(g, 0, 1));
    return true;
}

static bool make_roi_align(gen *g) {
    int64_t n = pick(g, 0, 3), x[4] = {pick(g, 1, 2), pick(g, 1, 3), pick(g, 2, 6), pick(g, 2, 6)}, indices[3];
    for (int64_t i = 0; i < n; i++) indices[i] = pick(g, 0, x[0] - 1);
    set_in(g, 0, leaf(g, OB_FLOAT, 4, x, FILL_TAME));
    set_in(g, 1, leaf_tenths(g, OB_FLOAT, 2, (int64_t[]){n, 4}, -20, 80));
    set_in(g, 2, leaf_ints(g, OB_INT64, indices, n));
    set_int(g, "output_height", pick(g, 1, 4));
    set_int(g, "output_width", pick(g, 1, 4));
    if (chance(g, 70)) set_int(g, "sampling_ratio", pick(g, 0, 3));
    if (chance(g, 50)) set_float(g, "spatial_scale", (double)pick(g, 1, 6) / 4);
    if (chance(g, 30)) set_string(g, "mode", "max");
    if (g->op->since >= 16 && chance(g, 50)) set_string(g, "coordinate_transformation_mode", "output_half_pixel");
    return true;
}

static bool make_roi_pool(gen *g) {
    int64_t n = pick(g, 1, 3), x[4] = {pick(g, 1, 2), pick(g, 1, 3), pick(g, 2, 6), pick(g, 2, 6)};
    set_in(g, 0, leaf(g, OB_FLOAT, 4, x, FILL_TAME));
    int rois = leaf(g, OB_FLOAT, 2, (int64_t[]){n, 5}, FILL_TAME);
    for (int64_t i = 0; rois >= 0 && i < n * 5; i++)
        number_set(view_at(g, rois), i, (double)(i % 5 == 0 ? pick(g, 0, x[0] - 1) : i % 5 < 3 ? pick(g, 0, 2) : pick(g, 2, 5)));
    set_in(g, 1, rois);
    set_ints(g, "pooled_shape", (int64_t[]){pick(g, 1, 3), pick(g, 1, 3)}, 2);
    return true;
}

static bool make_max_unpool(gen *g) {
    int64_t k = pick(g, 1, 3), x[4] = {pick(g, 1, 2), pick(g, 1, 2), pick(g, 1, 3), pick(g, 1, 3)};
    int64_t total = x[0] * x[1] * x[2] * x[3] * k * k;
    set_in(g, 0, leaf(g, OB_FLOAT, 4, x, FILL_TAME));
    int indices = leaf(g, OB_INT64, 4, x, FILL_TAME);
    for (int64_t i = 0; indices >= 0 && i < total / (k * k); i++)
        integer_set(view_at(g, indices), i, i * k * k + pick(g, 0, k * k - 1));
    if (indices >= 0) g->c->values[indices].is_parameter = true;
    set_in(g, 1, indices);
    set_ints(g, "kernel_shape", (int64_t[]){k, k}, 2);
    set_ints(g, "strides", (int64_t[]){k, k}, 2);
    return true;
}

static bool make_tensor_scatter(gen *g) {
    bool circular = chance(g, 50);
    int64_t cache[4] = {pick(g, 1, 3), pick(g, 1, 2), pick(g, 1, 5), pick(g, 1, 3)}, update[4], starts[3];
    memcpy(update, cache, sizeof cache);
    update[2] = pick(g, 1, cache[2]);
    for (int64_t i = 0; i < cache[0]; i++) starts[i] = pick(g, 0, circular ? cache[2] : cache[2] - update[2]);
    ob_dtype dtype = pick_type(g, g->op->types[0]);
    set_in(g, 0, leaf(g, dtype, 4, cache, FILL_TAME));
    set_in(g, 1, leaf(g, dtype, 4, update, FILL_TAME));
    if (chance(g, 80)) set_in(g, 2, leaf_ints(g, OB_INT64, starts, cache[0]));
    if (circular) set_string(g, "mode", "circular");
    return true;
}

static bool make_deform_conv(gen *g) {
    int64_t groups = pick(g, 1, 2), moved = pick(g, 1, 2), c = 2 * pick(g, 1, 2), m = groups * pick(g, 1, 3), k = pick(g, 1, 3),
            pad = pick(g, 0, 1);
    int64_t size = pick(g, 3, 6), n = pick(g, 1, 2), stride = pick(g, 1, 2), out = (size + 2 * pad - k) / stride + 1;
    set_in(g, 0, leaf(g, OB_FLOAT, 4, (int64_t[]){n, c, size, size}, FILL_TAME));
    set_in(g, 1, leaf(g, OB_FLOAT, 4, (int64_t[]){m, c / groups, k, k}, FILL_TAME));
    set_in(g, 2, leaf_tenths(g, OB_FLOAT, 4, (int64_t[]){n, moved * k * k * 2, out, out}, -15, 15));
    if (chance(g, 60)) set_in(g, 3, leaf(g, OB_FLOAT, 1, &m, FILL_TAME));
    if (chance(g, 60)) set_in(g, 4, leaf_tenths(g, OB_FLOAT, 4, (int64_t[]){n, moved * k * k, out, out}, 0, 10));
    set_int(g, "group", groups);
    set_int(g, "offset_group", moved);
    set_ints(g, "kernel_shape", (int64_t[]){k, k}, 2);
    set_ints(g, "strides", (int64_t[]){stride, stride}, 2);
    set_ints(g, "pads", (int64_t[]){pad, pad, pad, pad}, 4);
    return true;
}

static bool make_col2im(gen *g) {
    int64_t n = pick(g, 1, 2), c = pick(g, 1, 3), taps = 1, places = 1, image[2], block[2], strides[2], dilations[2], pads[4];
    for (int a = 0; a < 2; a++) {
        block[a] = pick(g, 1, 3), strides[a] = pick(g, 1, 2), dilations[a] = pick(g, 1, 2);
        pads[a] = pick(g, 0, 1), pads[2 + a] = pick(g, 0, 1);
        image[a] = dilations[a] * (block[a] - 1) + pick(g, 1, 4);
        taps *= block[a];
        places *= (image[a] + pads[a] + pads[2 + a] - dilations[a] * (block[a] - 1) - 1) / strides[a] + 1;
    }
    set_in(g, 0, leaf(g, OB_FLOAT, 3, (int64_t[]){n, c * taps, places}, FILL_TAME));
    set_in(g, 1, leaf_ints(g, OB_INT64, image, 2));
    set_in(g, 2, leaf_ints(g, OB_INT64, block, 2));
    set_ints(g, "strides", strides, 2);
    set_ints(g, "dilations", dilations, 2);
    set_ints(g, "pads", pads, 4);
    return true;
}

const gen_row gen_vision[] = {
    {"col2im", make_col2im, false},           {"grid_sample", make_grid_sample, false},
    {"roi_align", make_roi_align, false},     {"roi_pool", make_roi_pool, false},
    {"max_unpool", make_max_unpool, false},   {"tensor_scatter", make_tensor_scatter, false},
    {"deform_conv", make_deform_conv, false}, {NULL, NULL, false},
};
