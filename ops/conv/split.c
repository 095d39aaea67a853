#include "ops/conv/split.h"
#include "kernels/window/window.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "kernels/members.h"
#include "kernels/take.h"
#include "ops/conv/params.h"
#include "ops/kernel/common.h"

static ob_status check_shapes(const ob_kernel_args *args, uint32_t w_at, int bias, int64_t groups, ob_error *error) {
    const ob_view *x = &args->in[0], *w = &args->in[w_at], *y = &args->out[0];
    bool bad = x->dims[1] % groups != 0 || w->dims[0] % groups != 0 || w->dims[1] != x->dims[1] / groups ||
               y->dims[0] != x->dims[0] || y->dims[1] != w->dims[0];
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "%lld channels, %lld output channels of %lld channels, group %lld", (long long)x->dims[1],
               (long long)w->dims[0], (long long)w->dims[1], (long long)groups);
    if (bias >= 0 && ob__given(args, (uint32_t)bias))
        OB_FAIL_IF(ob__count(&args->in[bias]) != w->dims[0], error, OB_E_SHAPE, "a bias of %lld for %lld output channels",
                   (long long)ob__count(&args->in[bias]), (long long)w->dims[0]);
    return OB_OK;
}

ob_status ob__plan_conv(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t w_at, int bias, ob_conv_split *split,
                        ob_error *error) {
    const ob_view *x = &args->in[0], *w = &args->in[w_at], *y = &args->out[0];
    ob_conv_params params;
    OB_FAIL_IF(x->rank < 2 || w->rank != x->rank || y->rank != x->rank, error, OB_E_SHAPE, "X, W and Y of ranks %d, %d, %d",
               x->rank, w->rank, y->rank);
    OB_TRY(ob__read_conv(site->node, x->rank - 2, &params, error));
    OB_TRY(check_shapes(args, w_at, bias, params.group, error));
    memcpy(params.window.kernel, &w->dims[2], (size_t)(w->rank - 2) * sizeof(int64_t));
    OB_TRY(ob__plan_window(site, &params.window, &x->dims[2], &y->dims[2], true, &split->k.window, error));
    split->groups = params.group;
    split->channels = split->k.channels = x->dims[1] / params.group;
    split->k.out_channels = w->dims[0] / params.group;
    split->n_planes = x->dims[0] * params.group;
    return OB_OK;
}

/* One kernel position, stride 1 and no padding: the plane can be treated as one axis. */
static bool is_pointwise(const obk_window *w) {
    for (int32_t a = 0; a < w->rank; a++) {
        const obk_axis *x = &w->axes[a];
        if (x->kernel != 1 || x->stride != 1 || x->before != 0 || x->in != x->out) return false;
    }
    return w->n_out >= OBK_CONV_LEAST;
}

/* ---- chunks ---- */

/* The chunks that several threads shall find, at most `most`: each is some microseconds of work. */
static int64_t chunks_worth_sharing(const ob_conv_split *split, int64_t most) {
    const double least = 0x1p18, each = 0x1p20;
    const obk_conv *k = &split->k;
    const double products = (double)split->n_planes * (double)k->channels * (double)k->window.n_kernel * (double)k->window.n_out *
                            (double)k->out_channels;
    if (products < 2 * least) return 1;
    return products < 2 * each ? 2 : products < each * (double)most ? (int64_t)(products / each) : most;
}

/* How many blocks a plane shall have so that threads can share it: n_blocks, or up to `most`. `parts` of the output channels
 * share them anyway. Few chunks shall be an even number. */
static int64_t shared_blocks(const ob_conv_split *split, int64_t n_blocks, int64_t most, int64_t parts) {
    enum { ENOUGH = 8 };
    const int64_t wanted = chunks_worth_sharing(split, ENOUGH), others = ob__least(split->n_planes, ENOUGH) * parts;
    int64_t n = n_blocks;
    if (n * others < wanted) n = ob__least(ob__ceil_div(wanted, others), most);
    if (wanted > 1 && n * others < ENOUGH && n * others % 2) n += n < most ? 1 : -1;
    return n > n_blocks ? n : n_blocks;
}

/* Blocks of about `wish` elements, all about equally large. */
static void cut_plane(const ob_conv_split *split, int64_t wish, int64_t parts, obk_conv *k) {
    enum { UNIT = 48 };
    const int64_t n = k->window.n_out, blocks = ob__ceil_div(n, wish < UNIT ? UNIT : wish);
    k->tiled = true;
    k->tiling.block = ob__round_up(ob__ceil_div(n, shared_blocks(split, blocks, ob__ceil_div(n, UNIT), parts)), UNIT);
    k->tiling.n_blocks = ob__ceil_div(n, k->tiling.block);
    if (k->tiling.n_blocks > 1 && n - (k->tiling.n_blocks - 1) * k->tiling.block < OBK_CONV_LEAST) k->tiling.n_blocks--;
    if (k->tiling.n_blocks == 1) k->tiling.block = n;
}

/* Tiles of about `wish` elements at most. If threads shall share the plane, they are smaller, but not so small that the copies of
 * neighbours overlap by more than a third. */
static ob_status tile_plane(const ob_kernel_site *site, const ob_conv_split *split, int64_t wish, int64_t parts, obk_conv *k,
                            ob_error *error) {
    const obk_axis *x = &k->window.axes[0];
    obk_tiling *t = &k->tiling;
    int64_t n_tables;
    if (obk_choose_tiling(&k->window, wish, t, &n_tables)) {
        const int64_t halo = (x->kernel - 1) * x->dilation / x->stride, least = 3 * halo < 1 ? 1 : 3 * halo,
                      rows = ob__ceil_div(x->out, shared_blocks(split, t->n_blocks, x->out / least, parts));
        if (rows < t->block) wish = t->elems / (halo + t->block) * (halo + rows);
    }
    return ob__plan_tiling(site, &k->window, wish, t, &k->tiled, error);
}

/* ---- without panels ---- */

/* The pitch for copies of a pointwise block. The last block may be a little larger than the others. */
static int64_t pointwise_pitch(const obk_conv *k) {
    return obk_conv_pitch(k->tiling.n_blocks == 1 ? k->window.n_out : k->tiling.block + OBK_CONV_LEAST);
}

/* The input of a block, all channels of a group, shall fit into the second-level cache, together with the results if they are
 * buffered. */
static ob_status lay_out(const ob_kernel_site *site, bool buffered, ob_conv_split *split, ob_error *error) {
    enum { CACHED_BYTES = 128 << 10, MANY_CHANNELS = 16 };
    obk_conv *k = &split->k;
    int64_t each = k->channels + (buffered ? k->out_channels : 0), wish = CACHED_BYTES / split->width / (each > 0 ? each : 1);
    if (k->pointwise) {
        cut_plane(split, wish, 1, k);
        /* Copying pays off if many output channels read the copy. */
        if (k->out_channels >= MANY_CHANNELS) k->pitch = pointwise_pitch(k);
    } else {
        OB_TRY(tile_plane(site, split, wish, 1, k, error));
        k->pitch = obk_conv_pitch(k->tiling.elems);
    }
    return OB_OK;
}

/* ---- depthwise ---- */

/* Planes are read in place. */
static void lay_out_rows(ob_conv_split *split, obk_conv_run run) {
    split->n_blocks = obk_depthwise_blocks(&split->k);
    split->run = run;
}

/* ---- panels ---- */

/* With few products the transposition of results takes longer than vectors along positions lose in short rows. So does a panel
 * of one vector, which loads as much as it multiplies. */
static bool runs_along(const ob_conv_split *split, const obk_conv_panels *panels) {
    enum { LEAST_RESULTS = 96, LEAST_PRODUCTS = 8, MOST_OF_ONE = 160, UNIT = 8 };
    const obk_conv *k = &split->k;
    const int64_t n = k->out_channels;
    const double products = (double)k->channels * (double)k->window.n_kernel, most = k->pointwise ? (double)panels->along_products
                                                                                     : n <= panels->lanes ? MOST_OF_ONE
                                                                                                          : 0;
    return panels->along_products > 0 && products <= most && products >= LEAST_PRODUCTS && k->window.n_out >= LEAST_RESULTS &&
           n <= INT64_MAX / 8 && n * 4 >= ob__round_up(n, UNIT) * 3;
}

/* Panels gain where a result has many products, because results are transposed at the end, and where vectors are mostly full. */
static bool gains_by_panels(const ob_conv_split *split, const obk_conv_panels *panels) {
    enum { LEAST_PRODUCTS = 24, LEAST_OF_ONE = 64 };
    const int64_t n = split->k.out_channels;
    const double least = n < 2 * panels->lanes ? LEAST_OF_ONE : LEAST_PRODUCTS;
    return (double)split->k.channels * (double)split->k.window.n_kernel >= least && n <= INT64_MAX / 8 &&
           n * 4 >= ob__round_up(n, panels->lanes) * 3;
}

/* The offsets of a block of k: neighbouring input channels, all kernel positions. */
static ob_status fill_offsets(const ob_kernel_site *site, ob_conv_split *split, ob_error *error) {
    enum { BLOCK_BYTES = 512, ONE_BLOCK_BYTES = 640 };
    obk_conv *k = &split->k;
    const int64_t n_kernel = k->window.n_kernel, pitch = k->pitch > 0 ? k->pitch : k->window.n_in,
                  most = BLOCK_BYTES / split->width / n_kernel;
    const bool one = k->along || k->channels * n_kernel * split->width <= ONE_BLOCK_BYTES;
    const int64_t blocks = one ? 1 : ob__ceil_div(k->channels, most < 1 ? 1 : most);
    k->k_channels = ob__ceil_div(k->channels, blocks);
    int64_t *offset = ob__tail(site, (uint64_t)(k->k_channels * n_kernel), sizeof *offset);
    OB_FAIL_IF(!offset, error, OB_E_MEMORY, "no memory for a plan");
    for (int64_t c = 0; c < k->k_channels; c++)
        for (int64_t t = 0; t < n_kernel; t++) offset[c * n_kernel + t] = c * pitch + (k->pointwise ? 0 : k->tiling.offset[t]);
    k->k_offset = offset;
    return OB_OK;
}

/* With a stride, or with few rows of results in a block of `wish` elements, because each block copies the rows around it. */
static bool overlaps_much(const obk_conv *k, int64_t wish) {
    enum { MANY = 6 };
    const obk_axis *last = &k->window.axes[k->window.rank - 1];
    return last->stride > 1 || (k->window.rank == 2 && k->window.axes[0].kernel > 1 && wish < MANY * last->out);
}

/* Each block reads all weights, so blocks are larger where weights do not fit into the second-level cache, and where rows overlap
 * much. */
static ob_status lay_out_panels(const ob_kernel_site *site, const obk_conv_panels *panels, bool buffered, ob_conv_split *split,
                                ob_error *error) {
    enum { FEW = 256 << 10, SOME = 512 << 10, MANY = 1 << 20, ALIASING = 512 };
    obk_conv *k = &split->k;
    const double weights = (double)k->channels * (double)k->window.n_kernel * (double)k->out_channels * (double)split->width;
    const int64_t each = k->channels + (buffered ? k->out_channels : 0),
                  budget = weights > MANY                                                 ? MANY
                           : overlaps_much(k, FEW / split->width / (each > 0 ? each : 1)) ? SOME
                                                                                          : FEW,
                  wish = budget / split->width / (each > 0 ? each : 1);
    split->n_panels = obk_panels(panels->lanes, panels->widest, k->out_channels);
    if (k->pointwise) {
        cut_plane(split, wish, split->n_panels, k);
        /* In place, unless the same position of many channels falls into few sets of the cache. */
        k->pitch = k->window.n_in * split->width % ALIASING == 0 ? pointwise_pitch(k) : 0;
    } else {
        /* Threads that share weights read them all; those that share a block copy it all. */
        OB_TRY(tile_plane(site, split, wish, weights > SOME ? split->n_panels : 1, k, error));
        if (!k->tiled) return OB_OK;
        k->pitch = obk_conv_pitch(k->tiling.elems);
    }
    split->panels = panels;
    int64_t copies;
    OB_FAIL_IF(ob__mul_overflows(k->channels * split->width, k->pitch, &copies), error, OB_E_LIMIT, "the input is too large");
    split->copies_at = 64;
    split->sums_at = split->copies_at + (size_t)ob__round_up(copies, 64);
    split->lane_bytes = split->sums_at + (size_t)(obk_panels_lane(panels->lanes, panels->widest) * split->width);
    return fill_offsets(site, split, error);
}

/* ---- Winograd ---- */

/* 16 products in place of 36 pay for the transformations where there are enough channels, and enough tiles for each weight. */
static bool gains_by_winograd(const ob_conv_split *split) {
    enum { LEAST_CHANNELS = 24, LEAST_TILES = 16 };
    const obk_conv *k = &split->k;
    const obk_axis *a = k->window.axes;
    if (k->window.rank != 2 || k->channels < LEAST_CHANNELS || k->out_channels < LEAST_CHANNELS ||
        k->out_channels > INT64_MAX / 64)
        return false;
    for (int i = 0; i < 2; i++)
        if (a[i].kernel != 3 || a[i].stride != 1 || a[i].dilation != 1) return false;
    return (a[0].out + 1) / 2 * ((a[1].out + 1) / 2) >= LEAST_TILES;
}

/* The tiles of a block shall fit into the second-level cache. */
static ob_status lay_out_winograd(const ob_kernel_site *site, const obk_conv_panels *panels, ob_conv_split *split,
                                  ob_error *error) {
    enum { CACHED_BYTES = 512 << 10, BLOCK_CHANNELS = 128 };
    obk_conv *k = &split->k;
    const int64_t across = obk_winograd_across(k), all = (k->window.axes[0].out + 1) / 2,
                  fits = CACHED_BYTES / (OBK_WINOGRAD_TAPS * (int64_t)sizeof(float)) / k->channels / across,
                  blocks = ob__ceil_div(all, fits < 1 ? 1 : fits), tile_rows = ob__ceil_div(all, blocks);
    int64_t copies;
    k->along = false;
    k->rows = 2 * tile_rows;
    k->pitch = obk_conv_pitch(tile_rows * across + panels->lanes);
    OB_FAIL_IF(ob__mul_overflows(k->channels * OBK_WINOGRAD_TAPS * split->width, k->pitch, &copies), error, OB_E_LIMIT,
               "the input is too large");
    split->winograd = true;
    split->n_blocks = ob__ceil_div(all, tile_rows);
    split->panels = panels;
    split->n_panels = obk_panels(panels->lanes, panels->widest, k->out_channels);
    split->copies_at = 64;
    split->sums_at = split->copies_at + (size_t)ob__round_up(obk_winograd_copies(k) * split->width, 64);
    split->lane_bytes = split->sums_at + (size_t)(obk_winograd_lane(panels->lanes, panels->widest) * split->width);
    k->k_channels = ob__ceil_div(k->channels, ob__ceil_div(k->channels, BLOCK_CHANNELS));
    int64_t *offset = ob__tail(site, (uint64_t)k->k_channels, sizeof *offset);
    OB_FAIL_IF(!offset, error, OB_E_MEMORY, "no memory for a plan");
    for (int64_t c = 0; c < k->k_channels; c++) offset[c] = c * k->pitch;
    k->k_offset = offset;
    return OB_OK;
}

/* ---- split ---- */

/* Output channels are split only if images, groups and blocks are few and each is much work: every thread lays out the block for
 * itself, and without panels every part. */
static void split_channels(ob_conv_split *split) {
    enum { ENOUGH = 8, ENOUGH_PANELS = 16, LEAST_CHANNELS = 24 };
    const double chunk = 0x1p16;
    obk_conv *k = &split->k;
    const int64_t enough = chunks_worth_sharing(split, split->panels ? ENOUGH_PANELS : ENOUGH);
    if (k->rows == 0) split->n_blocks = k->tiled ? k->tiling.n_blocks : 1;
    split->n_parts = 1;
    double products = (double)k->channels * (double)k->window.n_kernel + 1;
    double block = (double)k->window.n_out * products / (double)split->n_blocks; /* of one output channel */
    if (split->n_planes * split->n_blocks < enough && k->out_channels > LEAST_CHANNELS) {
        int64_t most = split->panels ? split->n_panels : ob__ceil_div(k->out_channels, LEAST_CHANNELS),
                wanted = ob__ceil_div(enough, split->n_planes * split->n_blocks);
        split->n_parts = wanted < most ? wanted : most;
    }
    if (split->panels) {
        split->part_panels = ob__ceil_div(split->n_panels, split->n_parts);
        split->n_parts = ob__ceil_div(split->n_panels, split->part_panels);
        split->part_channels = split->part_panels * split->panels->widest * split->panels->lanes;
    } else {
        split->part_channels = ob__round_up(ob__ceil_div(k->out_channels, split->n_parts), OBK_CONV_CHANNELS);
    }
    if (split->part_channels > k->out_channels) split->part_channels = k->out_channels;
    if (!split->panels) split->n_parts = split->part_channels > 0 ? ob__ceil_div(k->out_channels, split->part_channels) : 0;
    split->n = split->n_planes * split->n_blocks * split->n_parts;
    double each = chunk / (block * (double)split->part_channels + 1);
    split->n_each = each < 1 ? 1 : (int64_t)each + 1;
}

ob_status ob__split_conv(const ob_kernel_site *site, int type, bool packs, bool relaxed, bool buffered, ob_conv_split *split,
                         ob_error *error) {
    const obk_convs *loops = OBK_LOOPS(conv);
    obk_conv *k = &split->k;
    split->width = type == OBK_CONV_F64 ? sizeof(double) : sizeof(float);
    /* all that other sizes may take */
    OBK_NOTE(conv, ->run[type]);
    if (type == OBK_CONV_F32 && relaxed) OBK_NOTE(conv, ->winograd.run);
    if (type == OBK_CONV_F32 && obk_has_depthwise(&k->window)) OBK_NOTE(conv, ->depthwise);
    split->run = loops->run[type];
    k->pointwise = is_pointwise(&k->window);
    k->y_channel = k->window.n_out;
    k->along = packs && runs_along(split, &loops->panels[type]);
    if (packs && relaxed && type == OBK_CONV_F32 && gains_by_winograd(split))
        OB_TRY(lay_out_winograd(site, &loops->winograd, split, error));
    else if (packs && (k->along || gains_by_panels(split, &loops->panels[type])))
        OB_TRY(lay_out_panels(site, &loops->panels[type], buffered, split, error));
    if (k->channels == 1 && type == OBK_CONV_F32 && !split->panels && obk_has_depthwise(&k->window)) {
        lay_out_rows(split, loops->depthwise);
    } else if (!split->panels) {
        OB_TRY(lay_out(site, buffered, split, error));
        split->lane_bytes = (size_t)(obk_conv_lane(k) * split->width);
    }
    split_channels(split);
    const int64_t out_channels = split->panels ? ob__round_up(k->out_channels, split->panels->lanes) : k->out_channels;
    int64_t products, all;
    bool large = ob__mul_overflows(k->channels, split->winograd ? OBK_WINOGRAD_TAPS : k->window.n_kernel, &products) ||
                 ob__mul_overflows(products, out_channels, &split->w_group) ||
                 ob__mul_overflows(split->w_group, split->groups * split->width, &all);
    OB_FAIL_IF(large, error, OB_E_LIMIT, "the filter is too large");
    return OB_OK;
}

/* ---- tasks ---- */

ob_conv_task ob__conv_task(const ob_conv_split *split, int64_t i) {
    const int64_t plane = i / (split->n_blocks * split->n_parts), part = i % split->n_parts;
    ob_conv_task task = {.plane = plane, .group = plane % split->groups, .block = i / split->n_parts % split->n_blocks};
    if (split->panels) {
        const int64_t lanes = split->panels->lanes, widest = split->panels->widest, n = split->k.out_channels;
        task.first_panel = part * split->part_panels;
        task.end_panel = ob__least(task.first_panel + split->part_panels, split->n_panels);
        const obk_panel last = obk_panel_at(lanes, widest, n, task.end_panel - 1);
        task.first = obk_panel_at(lanes, widest, n, task.first_panel).first;
        task.end = last.first + last.channels;
    } else {
        task.first = part * split->part_channels;
        task.end = ob__least(task.first + split->part_channels, split->k.out_channels);
    }
    return task;
}

int64_t ob__conv_largest_task(const ob_conv_split *split) {
    int64_t first = obk_conv_results(&split->k, 0), last = obk_conv_results(&split->k, split->n_blocks - 1);
    return split->part_channels * (first > last ? first : last);
}

/* The memory of a lane with panels begins with the number of the block whose copy it has. */
void ob__start_conv(const ob_conv_split *split, char *lanes, size_t lane_stride, const ob_threads *threads) {
    const int64_t none = -1;
    for (int i = 0; split->panels && i < ob__lanes(threads); i++) memcpy(ob__lane(lanes, lane_stride, i), &none, sizeof none);
}

static void run_panels(const ob_conv_split *split, const ob_conv_task *task, const char *x, const char *w, const void *bias,
                       void *y, const obk_epilogue *after, char *lane, obk_pace *pace) {
    const obk_conv *k = &split->k;
    const int64_t block = task->plane * split->n_blocks + task->block;
    const void *copies = lane + split->copies_at;
    int64_t copied;
    memcpy(&copied, lane, sizeof copied);
    if (k->pitch == 0)
        copies = x + obk_conv_start(k, task->block) * split->width;
    else if (copied != block)
        split->panels->lay_out(k, x, task->padding, task->block, 0, k->channels, lane + split->copies_at, pace);
    memcpy(lane, &block, sizeof block);
    split->panels->run(k, copies, w, bias, y, task->block, task->first_panel, task->end_panel, after, lane + split->sums_at,
                       pace);
}

void ob__run_conv_task(const ob_conv_split *split, const ob_conv_task *task, const void *x, const void *w, const void *bias,
                       void *y, const obk_epilogue *after, char *lane, obk_pace *pace) {
    const obk_conv *k = &split->k;
    const char *plane = (const char *)x + task->plane * k->channels * k->window.n_in * split->width,
               *weights = (const char *)w + task->group * split->w_group * split->width,
               *biases = bias ? (const char *)bias + task->group * k->out_channels * split->width : NULL;
    if (split->panels)
        run_panels(split, task, plane, weights, biases, y, after, lane, pace);
    else
        split->run(k, plane, weights, biases, y, task->block, task->first, task->end, lane, pace);
    if (after && !split->panels)
        after->apply(after, y, k->y_channel * split->width, 0, task->end - task->first, 0, obk_conv_results(k, task->block));
}

static const ob_member split_members[] = {OB_NESTED(ob_conv_split, k, &obk_conv_struct),
                                          OB_VALUE(ob_conv_split, groups),
                                          OB_VALUE(ob_conv_split, channels),
                                          OB_VALUE(ob_conv_split, n_planes),
                                          OB_VALUE(ob_conv_split, n_blocks),
                                          OB_VALUE(ob_conv_split, n_parts),
                                          OB_VALUE(ob_conv_split, part_channels),
                                          OB_VALUE(ob_conv_split, n_each),
                                          OB_VALUE(ob_conv_split, n),
                                          OB_VALUE(ob_conv_split, width),
                                          OB_FUNCTION(ob_conv_split, run),
                                          OB_POINTER(ob_conv_split, panels, &obk_conv_panels_struct, NULL),
                                          OB_VALUE(ob_conv_split, n_panels),
                                          OB_VALUE(ob_conv_split, part_panels),
                                          OB_VALUE(ob_conv_split, winograd),
                                          OB_VALUE(ob_conv_split, w_group),
                                          OB_SIZE(ob_conv_split, lane_bytes),
                                          OB_SIZE(ob_conv_split, copies_at),
                                          OB_SIZE(ob_conv_split, sums_at)};
const ob_struct ob__conv_split_struct = OB_STRUCT(ob_conv_split, split_members);
