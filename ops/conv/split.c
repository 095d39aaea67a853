#include "ops/conv/split.h"
#include "kernels/window/window.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
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

/* The input of a block, all channels of a group, shall fit into the second-level cache, together with the results if they are
 * buffered. */
static ob_status lay_out(const ob_kernel_site *site, int64_t width, bool buffered, obk_conv *k, ob_error *error) {
    enum { CACHED_BYTES = 128 << 10, UNIT = 48, MANY_CHANNELS = 16 };
    int64_t each = k->channels + (buffered ? k->out_channels : 0), wish = CACHED_BYTES / width / (each > 0 ? each : 1);
    k->pointwise = is_pointwise(&k->window);
    if (!k->pointwise) {
        OB_TRY(ob__plan_tiling(site, &k->window, wish, &k->tiling, &k->tiled, error));
        k->pitch = obk_conv_pitch(k->tiling.elems);
        return OB_OK;
    }
    k->tiled = true;
    k->tiling.block = wish < UNIT ? UNIT : wish / UNIT * UNIT;
    k->tiling.n_blocks = k->window.n_out / k->tiling.block;
    if (k->tiling.n_blocks == 0) {
        k->tiling.n_blocks = 1;
        k->tiling.block = k->window.n_out;
    }
    /* Copying pays off if many output channels read the copy. The last block may be almost twice as large. */
    if (k->out_channels >= MANY_CHANNELS)
        k->pitch = obk_conv_pitch(k->tiling.n_blocks == 1 ? k->window.n_out : 2 * k->tiling.block);
    return OB_OK;
}

/* Output channels are split only if images, groups and blocks are few and each is much work, because each part lays out its block
 * again. */
ob_status ob__split_conv(const ob_kernel_site *site, int64_t width, bool buffered, ob_conv_split *split, ob_error *error) {
    enum { ENOUGH = 8, LEAST_CHANNELS = 24 };
    const double chunk = 0x1p16, large = 0x1p21;
    obk_conv *k = &split->k;
    OB_TRY(lay_out(site, width, buffered, k, error));
    split->n_blocks = k->tiled ? k->tiling.n_blocks : 1;
    split->n_parts = 1;
    double products = (double)k->channels * (double)k->window.n_kernel + 1;
    double block = (double)k->window.n_out * products / (double)split->n_blocks; /* of one output channel */
    if (split->n_planes * split->n_blocks < ENOUGH && block * (double)k->out_channels > large &&
        k->out_channels > LEAST_CHANNELS) {
        int64_t most = ob__ceil_div(k->out_channels, LEAST_CHANNELS),
                wanted = ob__ceil_div(ENOUGH, split->n_planes * split->n_blocks);
        split->n_parts = wanted < most ? wanted : most;
    }
    split->part_channels = ob__round_up(ob__ceil_div(k->out_channels, split->n_parts), OBK_CONV_CHANNELS);
    if (split->part_channels > k->out_channels) split->part_channels = k->out_channels;
    split->n_parts = split->part_channels > 0 ? ob__ceil_div(k->out_channels, split->part_channels) : 0;
    split->n = split->n_planes * split->n_blocks * split->n_parts;
    double each = chunk / (block * (double)split->part_channels + 1);
    split->n_each = each < 1 ? 1 : (int64_t)each + 1;
    return OB_OK;
}

ob_conv_task ob__conv_task(const ob_conv_split *split, int64_t i) {
    int64_t plane = i / (split->n_blocks * split->n_parts), first = i % split->n_parts * split->part_channels;
    return (ob_conv_task){.plane = plane,
                          .group = plane % split->groups,
                          .block = i / split->n_parts % split->n_blocks,
                          .first = first,
                          .end = first + split->part_channels < split->k.out_channels ? first + split->part_channels
                                                                                      : split->k.out_channels};
}

int64_t ob__conv_largest_task(const ob_conv_split *split) {
    int64_t first = obk_conv_results(&split->k, 0), last = obk_conv_results(&split->k, split->n_blocks - 1);
    return split->part_channels * (first > last ? first : last);
}
