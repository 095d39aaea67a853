/* Conv: Y[n, m, o] = B[m] + sum over c, k of X[n, c, o * stride - pad + k * dilation] * W[m, c, k], channels in groups.
 *
 * Opset 1 and 11 floats, 22 also bfloat16; float16 and bfloat16 are computed in float. Any number of spatial axes, auto_pad.
 * Blocks of each image and group are laid out with their padding (kernels/window) and multiplied where they lie. */
#include "kernels/kernels.h"
#include "ops/conv/params.h"
#include "ops/kernel/common.h"

typedef struct conv {
    obk_conv k; /* of one group */
    obk_conv_run run;
    int64_t width; /* bytes of an element as it is computed */
    int64_t groups;
    int64_t n_planes, n_blocks; /* images times groups; blocks of each */
    int64_t n_parts, part_maps; /* parts of the maps */
    int64_t n_each, n_units;    /* units (a part of a block) of a chunk, and of all */
} conv;

typedef struct job {
    const conv *c;
    const char *x, *w, *bias;
    char *y, *lanes;
    size_t lane_stride;
} job;

static ob_status check_shapes(const ob_kernel_args *args, int64_t groups, ob_error *error) {
    const ob_view *x = &args->in[0], *w = &args->in[1], *y = &args->out[0];
    bool bad = x->dims[1] % groups != 0 || w->dims[0] % groups != 0 || w->dims[1] != x->dims[1] / groups ||
               y->dims[0] != x->dims[0] || y->dims[1] != w->dims[0];
    OB_FAIL_IF(bad, error, OB_E_SHAPE, "%lld channels, %lld maps of %lld channels, group %lld", (long long)x->dims[1],
               (long long)w->dims[0], (long long)w->dims[1], (long long)groups);
    if (ob__given(args, 2))
        OB_FAIL_IF(ob__count(&args->in[2]) != w->dims[0], error, OB_E_SHAPE, "a bias of %lld for %lld maps",
                   (long long)ob__count(&args->in[2]), (long long)w->dims[0]);
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

/* Copies of all channels of a group lie in the second-level cache. */
static ob_status lay_out(const ob_kernel_site *site, conv *c, ob_error *error) {
    enum { CACHED_BYTES = 128 << 10, UNIT = 48, MANY_MAPS = 16 };
    obk_conv *k = &c->k;
    int64_t wish = CACHED_BYTES / c->width / (k->channels > 0 ? k->channels : 1);
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

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* Units follow from the shapes alone. Maps are parted where images, groups and blocks are few and each is much work; each part
 * lays out its block again. */
static void cut(conv *c, int64_t n_images) {
    enum { ENOUGH = 8, LEAST_MAPS = 24 };
    const double chunk = 0x1p16, large = 0x1p21;
    const obk_conv *k = &c->k;
    c->n_planes = n_images * c->groups;
    c->n_blocks = k->tiled ? k->tiling.n_blocks : 1;
    c->n_parts = 1;
    double taps = (double)k->channels * (double)k->window.n_taps + 1;
    double block = (double)k->window.n_out * taps / (double)c->n_blocks; /* of one map */
    if (c->n_planes * c->n_blocks < ENOUGH && block * (double)k->maps > large && k->maps > LEAST_MAPS) {
        int64_t most = ceil_div(k->maps, LEAST_MAPS), wanted = ceil_div(ENOUGH, c->n_planes * c->n_blocks);
        c->n_parts = wanted < most ? wanted : most;
    }
    c->part_maps = ceil_div(ceil_div(k->maps, c->n_parts), OBK_CONV_MAPS) * OBK_CONV_MAPS;
    c->n_parts = c->part_maps > 0 ? ceil_div(k->maps, c->part_maps) : 0;
    c->n_units = c->n_planes * c->n_blocks * c->n_parts;
    double each = chunk / (block * (double)(c->part_maps < k->maps ? c->part_maps : k->maps) + 1);
    c->n_each = each < 1 ? 1 : (int64_t)each + 1;
}

static ob_status conv_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    conv *c = args->state;
    const ob_view *x = &args->in[0], *w = &args->in[1], *y = &args->out[0];
    ob_conv_params params;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(x->rank < 2 || w->rank != x->rank || y->rank != x->rank, error, OB_E_SHAPE, "X, W and Y of ranks %d, %d, %d",
               x->rank, w->rank, y->rank);
    OB_TRY(ob__read_conv(site->node, x->rank - 2, &params, error));
    OB_TRY(check_shapes(args, params.group, error));
    memcpy(params.window.kernel, &w->dims[2], (size_t)(w->rank - 2) * sizeof(int64_t));
    OB_TRY(ob__plan_window(site, &params.window, &x->dims[2], &y->dims[2], true, &c->k.window, error));
    if (ob__count(y) == 0) return ob__plan_real(args, needs, error);
    bool is_double = ob__computing_type(args) == OB_DOUBLE;
    c->run = ob__kernels()->conv->run[is_double];
    c->width = is_double ? sizeof(double) : sizeof(float);
    c->groups = params.group;
    c->k.channels = x->dims[1] / params.group;
    c->k.maps = w->dims[0] / params.group;
    OB_TRY(lay_out(site, c, error));
    cut(c, x->dims[0]);
    needs->lane_bytes = (size_t)(obk_conv_lane(&c->k) * c->width);
    return ob__plan_real(args, needs, error);
}

static void conv_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const conv *c = j->c;
    const obk_conv *k = &c->k;
    const int64_t end = (chunk + 1) * c->n_each < c->n_units ? (chunk + 1) * c->n_each : c->n_units;
    for (int64_t i = chunk * c->n_each; i < end; i++) {
        int64_t plane = i / (c->n_blocks * c->n_parts), block = i / c->n_parts % c->n_blocks,
                first = i % c->n_parts * c->part_maps;
        int64_t group = plane % c->groups, last = first + c->part_maps < k->maps ? first + c->part_maps : k->maps;
        c->run(k, j->x + plane * k->channels * k->window.n_in * c->width,
               j->w + group * k->maps * k->channels * k->window.n_taps * c->width,
               j->bias ? j->bias + group * k->maps * c->width : NULL, j->y + plane * k->maps * k->window.n_out * c->width, block,
               first, last, j->lanes + (size_t)lane * j->lane_stride);
    }
}

static ob_status conv_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const conv *c = args->state;
    job j = {c,           args->in[0].data, args->in[1].data, ob__given(args, 2) ? args->in[2].data : NULL, args->out[0].data,
             args->lanes, args->lane_stride};
    if (c->n_units > 0) ob__each_chunk(args->threads, ceil_div(c->n_units, c->n_each), conv_chunk, &j);
    return OB_OK;
}

static ob_status conv_run(const ob_kernel_args *args, ob_error *error) {
    return ob__run_real(args, conv_compute, error);
}

const ob_kernel ob__kernel_conv = {.name = "conv", .state_bytes = sizeof(conv), .plan = conv_plan, .run = conv_run};
