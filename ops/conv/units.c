#include "ops/conv/units.h"
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
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "%lld channels, %lld maps of %lld channels, group %lld", (long long)x->dims[1],
               (long long)w->dims[0], (long long)w->dims[1], (long long)groups);
    if (bias >= 0 && ob__given(args, (uint32_t)bias))
        OB_FAIL_IF(ob__count(&args->in[bias]) != w->dims[0], error, OB_E_SHAPE, "a bias of %lld for %lld maps",
                   (long long)ob__count(&args->in[bias]), (long long)w->dims[0]);
    return OB_OK;
}

ob_status ob__plan_conv(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t w_at, int bias, ob_conv_units *u,
                        ob_error *error) {
    const ob_view *x = &args->in[0], *w = &args->in[w_at], *y = &args->out[0];
    ob_conv_params params;
    OB_FAIL_IF(x->rank < 2 || w->rank != x->rank || y->rank != x->rank, error, OB_E_SHAPE, "X, W and Y of ranks %d, %d, %d",
               x->rank, w->rank, y->rank);
    OB_TRY(ob__read_conv(site->node, x->rank - 2, &params, error));
    OB_TRY(check_shapes(args, w_at, bias, params.group, error));
    memcpy(params.window.kernel, &w->dims[2], (size_t)(w->rank - 2) * sizeof(int64_t));
    OB_TRY(ob__plan_window(site, &params.window, &x->dims[2], &y->dims[2], true, &u->k.window, error));
    u->groups = params.group;
    u->channels = u->k.channels = x->dims[1] / params.group;
    u->k.maps = w->dims[0] / params.group;
    u->n_planes = x->dims[0] * params.group;
    return OB_OK;
}

/* A kernel of one element that sees each element at its own place: the plane is one axis. */
static bool sees_as_is(const obk_window *w) {
    for (int32_t a = 0; a < w->rank; a++) {
        const obk_axis *x = &w->axes[a];
        if (x->kernel != 1 || x->stride != 1 || x->before != 0 || x->in != x->out) return false;
    }
    return w->n_out >= OBK_CONV_LEAST;
}

/* What is read for a block, all channels of a group, lies in the second-level cache; with it its results where they are apart. */
static ob_status lay_out(const ob_kernel_site *site, int64_t width, bool apart, obk_conv *k, ob_error *error) {
    enum { CACHED_BYTES = 128 << 10, UNIT = 48, MANY_MAPS = 16 };
    int64_t each = k->channels + (apart ? k->maps : 0), wish = CACHED_BYTES / width / (each > 0 ? each : 1);
    k->as_is = sees_as_is(&k->window);
    if (!k->as_is) {
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
    /* Copied where many maps read it. The last block may be almost two. */
    if (k->maps >= MANY_MAPS) k->pitch = obk_conv_pitch(k->tiling.n_blocks == 1 ? k->window.n_out : 2 * k->tiling.block);
    return OB_OK;
}

/* Maps are parted where images, groups and blocks are few and each is much work; each part lays out its block again. */
ob_status ob__cut_conv(const ob_kernel_site *site, int64_t width, bool apart, ob_conv_units *u, ob_error *error) {
    enum { ENOUGH = 8, LEAST_MAPS = 24 };
    const double chunk = 0x1p16, large = 0x1p21;
    obk_conv *k = &u->k;
    OB_TRY(lay_out(site, width, apart, k, error));
    u->n_blocks = k->tiled ? k->tiling.n_blocks : 1;
    u->n_parts = 1;
    double taps = (double)k->channels * (double)k->window.n_taps + 1;
    double block = (double)k->window.n_out * taps / (double)u->n_blocks; /* of one map */
    if (u->n_planes * u->n_blocks < ENOUGH && block * (double)k->maps > large && k->maps > LEAST_MAPS) {
        int64_t most = ob__ceil_div(k->maps, LEAST_MAPS), wanted = ob__ceil_div(ENOUGH, u->n_planes * u->n_blocks);
        u->n_parts = wanted < most ? wanted : most;
    }
    u->part_maps = ob__round_up(ob__ceil_div(k->maps, u->n_parts), OBK_CONV_MAPS);
    if (u->part_maps > k->maps) u->part_maps = k->maps;
    u->n_parts = u->part_maps > 0 ? ob__ceil_div(k->maps, u->part_maps) : 0;
    u->n = u->n_planes * u->n_blocks * u->n_parts;
    double each = chunk / (block * (double)u->part_maps + 1);
    u->n_each = each < 1 ? 1 : (int64_t)each + 1;
    return OB_OK;
}

ob_conv_unit ob__conv_unit(const ob_conv_units *u, int64_t i) {
    int64_t plane = i / (u->n_blocks * u->n_parts), first = i % u->n_parts * u->part_maps;
    return (ob_conv_unit){.plane = plane,
                          .group = plane % u->groups,
                          .block = i / u->n_parts % u->n_blocks,
                          .first = first,
                          .end = first + u->part_maps < u->k.maps ? first + u->part_maps : u->k.maps};
}

int64_t ob__conv_most_results(const ob_conv_units *u) {
    int64_t first = obk_conv_results(&u->k, 0), last = obk_conv_results(&u->k, u->n_blocks - 1);
    return u->part_maps * (first > last ? first : last);
}
