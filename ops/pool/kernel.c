/* MaxPool, AveragePool, LpPool, and their Global forms.
 *
 * MaxPool 1.. (8: Indices and storage_order, 10: ceil_mode and dilations, 12: int8 and uint8, 22: bfloat16); AveragePool 1.. (7:
 * count_include_pad, 10: ceil_mode, 19: dilations); LpPool 1.. (1: p is a float). Any number of spatial axes. float16 and
 * bfloat16 are computed in float.
 *
 * Padding never takes part in a maximum. It takes part in a mean only with count_include_pad, which does not include the elements
 * past the padding that ceil_mode adds. Indices count over the whole input; of equal maxima the first one is given. NaN wins a
 * maximum. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/conv/conv.h"
#include "kernels/pool/pool.h"
#include "kernels/take.h"
#include "kernels/window/window.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/pool/params.h"

typedef struct pool {
    obk_pool k;
    obk_pool_max max;
    obk_pool_sum sum;
    obk_conv_run depthwise; /* sums a plane as a convolution with ones; NULL: `sum` does */
    obk_pool_divide divide;
    obk_conv ones;
    int64_t width;             /* bytes of an element during the computation */
    int64_t n_planes, n_parts; /* parts: blocks of planes */
    int64_t n_each;            /* parts of a chunk */
} pool;

static const ob_member state_members[] = {OB_NESTED(pool, k, &obk_pool_struct),
                                          OB_FUNCTION(pool, max),
                                          OB_FUNCTION(pool, sum),
                                          OB_FUNCTION(pool, depthwise),
                                          OB_FUNCTION(pool, divide),
                                          OB_NESTED(pool, ones, &obk_conv_struct),
                                          OB_VALUE(pool, width),
                                          OB_VALUE(pool, n_planes),
                                          OB_VALUE(pool, n_parts),
                                          OB_VALUE(pool, n_each)};
static const ob_struct pool_struct = OB_STRUCT(pool, state_members);

typedef struct job {
    const pool *p;
    const ob_kernel_args *args;
    int64_t *indices;
} job;

/* Of obk_pools. */
static int loop_type(const ob_kernel_args *args) {
    const ob_dtype dtype = args->in[0].dtype;
    return ob__dtype_is_real_or_half(dtype) ? (ob__computing_type(args) == OB_DOUBLE ? OBK_POOL_F64 : OBK_POOL_F32)
           : dtype == OB_INT8               ? OBK_POOL_I8
                                            : OBK_POOL_U8;
}

static ob_status find_loops(const ob_kernel_site *site, const ob_kernel_args *args, pool *p, ob_error *error) {
    const ob_dtype dtype = args->in[0].dtype;
    const int type = loop_type(args);
    if (p->k.kind == OBK_POOL_MAX)
        p->max = OBK_LOOP(pool, ->max[type]);
    else if (type <= OBK_POOL_F64)
        p->sum = OBK_LOOP(pool, ->sum[type]);
    bool known = (ob__dtype_is_real_or_half(dtype) || dtype == OB_INT8 || dtype == OB_UINT8) && (p->max || p->sum);
    if (!known) return ob__no_type(site, error, dtype);
    p->width = (int64_t)ob_dtype_size(ob__dtype_is_real_or_half(dtype) ? ob__computing_type(args) : dtype);
    return OB_OK;
}

/* The number of kernel positions that count in a mean, for each result of each axis. */
static ob_status count_positions(const ob_kernel_site *site, const ob_pool_params *params, pool *p, ob_error *error) {
    const obk_window *w = &p->k.window;
    const int32_t **tables = ob__tail(site, (uint64_t)w->rank, sizeof *tables);
    for (int32_t a = 0; tables && a < w->rank; a++) {
        const obk_axis *axis = &w->axes[a];
        int32_t *counts = ob__tail(site, (uint64_t)axis->out, sizeof *counts);
        if (!counts) return ob__fail(error, OB_E_MEMORY, "no memory for a plan");
        for (int64_t o = 0; o < axis->out; o++) {
            int64_t first = 0, end = params->count_padding ? obk_padded_positions(axis, o) : 0;
            if (!params->count_padding) obk_kernel_range(axis, o, &first, &end);
            counts[o] = end > first ? (int32_t)(end - first) : 1;
        }
        tables[a] = counts;
    }
    p->k.n_seen = tables;
    return tables ? OB_OK : ob__fail(error, OB_E_MEMORY, "no memory for a plan");
}

/* The divisors of a small plane, whose rows are too short for vectors. */
static const float *make_divisors(const ob_kernel_site *site, const obk_pool *p) {
    enum { MOST = 4096 };
    const int64_t n = p->window.n_out, length = p->window.axes[1].out;
    float *divisors = n <= MOST ? ob__tail(site, (uint64_t)n, sizeof *divisors) : NULL;
    for (int64_t i = 0; divisors && i < n; i++) {
        const int64_t row = i / length;
        divisors[i] = (float)p->n_seen[0][row] * (float)p->n_seen[1][i % length];
    }
    return divisors;
}

/* A mean over 3 x 3 or 5 x 5 elements is a convolution with ones: its order is the same, and a product with one is exact. */
static bool sums_by_convolution(const ob_kernel_site *site, const ob_kernel_args *args, pool *p, int64_t *blocks, int64_t *work) {
    const obk_window *w = &p->k.window;
    if (p->k.kind != OBK_POOL_MEAN || ob__computing_type(args) != OB_FLOAT || !obk_has_depthwise(w)) return false;
    p->ones = (obk_conv){.window = *w, .channels = 1, .out_channels = 1, .y_channel = w->n_out};
    *blocks = obk_depthwise_blocks(&p->ones);
    *work = p->ones.rows * w->axes[1].out * 2;
    p->depthwise = OBK_LOOP(conv, ->depthwise);
    p->divide = OBK_LOOP(pool, ->divide);
    p->k.divisors = make_divisors(site, &p->k);
    return true;
}

/* A copy shall fit into the first-level cache. A chunk has some ten thousand steps, whatever the number of threads. */
static ob_status cut(const ob_kernel_site *site, const ob_kernel_args *args, pool *p, ob_kernel_needs *needs, ob_error *error) {
    enum { CACHED_BYTES = 24 << 10, CHUNK = 1 << 15 };
    const obk_window *w = &p->k.window;
    int64_t blocks = 1, work = 0;
    const bool convolves = sums_by_convolution(site, args, p, &blocks, &work);
    if (!convolves && !ob__wanted(args, 1))
        OB_TRY(ob__plan_tiling(site, w, CACHED_BYTES / p->width, &p->k.tiling, &p->k.tiled, error));
    if (p->k.tiled) {
        const obk_tiling *t = &p->k.tiling;
        needs->lane_bytes = (size_t)(obk_pool_lane(&p->k) * p->width);
        blocks = t->n_blocks;
        work = t->elems + t->n_flat * (p->sum ? w->n_kernel : 4 * w->rank);
    } else if (!convolves) {
        work = obk_window_work(w) + w->n_out;
    }
    if (p->max && !p->k.tiled) p->max = OBK_LOOP(pool, ->max_each[loop_type(args)]);
    p->n_parts = p->n_planes * blocks;
    p->n_each = CHUNK / (work > 0 ? work : 1) + 1;
    return OB_OK;
}

static ob_status pool_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    pool *p = args->state;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    ob_pool_params params;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(in->rank < 2 || out->rank != in->rank, error, OB_E_SHAPE, "ranks %d and %d", in->rank, out->rank);
    OB_TRY(ob__read_pool(site->node, in->rank - 2, &params, error));
    OB_FAIL_IF(in->dims[0] != out->dims[0] || in->dims[1] != out->dims[1], error, OB_E_SHAPE, "batch or channels change");
    p->k.kind = params.kind;
    p->k.p = params.p;
    p->k.column_major = params.column_major;
    OB_TRY(find_loops(site, args, p, error));
    OB_TRY(ob__plan_window(site, &params.window, &in->dims[2], &out->dims[2], !params.column_major, &p->k.window, error));
    if (ob__count(out) == 0) return ob__plan_real(args, needs, error);
    p->n_planes = in->dims[0] * in->dims[1];
    if (params.kind == OBK_POOL_MEAN) OB_TRY(count_positions(site, &params, p, error));
    OB_TRY(cut(site, args, p, needs, error));
    return ob__plan_real(args, needs, error);
}

static void convolve(const pool *p, const void *x, char *y, int64_t block, obk_pace *pace) {
    static const float ones[25] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    char *to = y + obk_conv_start(&p->ones, block) * p->width;
    p->depthwise(&p->ones, x, ones, NULL, to, block, 0, 1, NULL, pace);
    p->divide(&p->k, to, block * p->ones.rows, obk_conv_results(&p->ones, block) / p->ones.window.axes[1].out);
}

static void pool_chunk(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const pool *p = j->p;
    const obk_window *w = &p->k.window;
    char *memory = ob__lane(j->args->lanes, j->args->lane_stride, lane);
    int64_t end = (chunk + 1) * p->n_each < p->n_parts ? (chunk + 1) * p->n_each : p->n_parts;
    obk_pace pace = ob__pace(j->args->threads);
    for (int64_t i = chunk * p->n_each; i < end && !pace.over; i++) {
        int64_t blocks = p->n_parts / p->n_planes, plane = i / blocks, block = i % blocks;
        const char *x = (const char *)j->args->in[0].data + plane * w->n_in * p->width;
        char *y = (char *)j->args->out[0].data + plane * w->n_out * p->width;
        int64_t *indices = j->indices ? j->indices + plane * w->n_out : NULL;
        if (p->depthwise) {
            convolve(p, x, y, block, &pace);
            continue;
        }
        if (p->sum) {
            p->sum(&p->k, x, y, block, memory, &pace);
            continue;
        }
        p->max(&p->k, x, y, indices, block, memory, &pace);
        for (int64_t o = 0; indices && o < w->n_out; o++) indices[o] += plane * w->n_in;
    }
}

OB_RUN(ob__compute_pool) {
    (void)error;
    const pool *p = args->state;
    job j = {.p = p, .args = args, .indices = ob__wanted(args, 1) ? args->out[1].data : NULL};
    if (p->n_parts > 0) ob__each_chunk(args->threads, ob__ceil_div(p->n_parts, p->n_each), pool_chunk, &j);
    return OB_OK;
}

OB_RUN(ob__run_pool) {
    return ob__run_real(args, ob__compute_pool, error);
}

const ob_kernel ob__kernel_pool = {.name = "pool",
                                   .state_bytes = sizeof(pool),
                                   .plan = pool_plan,
                                   OB_RUNS(ob__run_pool),
                                   OB_PLAIN(ob__compute_pool),
                                   .state = &pool_struct};

/* ---- Global pooling: each plane becomes one element ---- */

typedef struct global_pool {
    obk_pool_plane loop;
    obk_pool_kind kind;
    double p;
    int64_t n, n_planes, width;
} global_pool;

static const ob_member global_pool_members[] = {OB_FUNCTION(global_pool, loop),  OB_VALUE(global_pool, kind),
                                                OB_VALUE(global_pool, p),        OB_VALUE(global_pool, n),
                                                OB_VALUE(global_pool, n_planes), OB_VALUE(global_pool, width)};
static const ob_struct global_pool_struct = OB_STRUCT(global_pool, global_pool_members);

typedef struct planes {
    const global_pool *g;
    const char *x;
    char *y;
} planes;

static void global_planes(void *context, int64_t begin, int64_t end) {
    const planes *j = context;
    const global_pool *g = j->g;
    for (int64_t i = begin; i < end; i++) g->loop(g->kind, g->p, j->x + i * g->n * g->width, g->n, j->y + i * g->width);
}

static ob_status global_pool_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    global_pool *g = args->state;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    ob_pool_params params;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_FAIL_IF(in->rank < 2 || ob__count(out) != in->dims[0] * in->dims[1], error, OB_E_SHAPE, "rank %d", in->rank);
    OB_TRY(ob__read_pool(site->node, 0, &params, error));
    ob_dtype computing = ob__computing_type(args);
    *g = (global_pool){OBK_LOOP(pool, ->global[computing == OB_DOUBLE ? OBK_POOL_F64 : OBK_POOL_F32]),
                       params.kind,
                       params.p,
                       ob__product(in->dims, 2, in->rank),
                       in->dims[0] * in->dims[1],
                       (int64_t)ob_dtype_size(computing)};
    return ob__plan_real(args, needs, error);
}

static ob_status global_pool_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const global_pool *g = args->state;
    planes j = {g, args->in[0].data, args->out[0].data};
    ob__parallel(args->threads, g->n_planes, (INT64_C(1) << 15) / (g->n + 1) + 1, global_planes, &j);
    return OB_OK;
}

OB_RUN(ob__run_global_pool) {
    return ob__run_real(args, global_pool_compute, error);
}

const ob_kernel ob__kernel_global_pool = {.name = "global_pool",
                                          .state_bytes = sizeof(global_pool),
                                          .state = &global_pool_struct,
                                          .plan = global_pool_plan,
                                          OB_RUNS(ob__run_global_pool)};
