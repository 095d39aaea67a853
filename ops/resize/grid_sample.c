/* GridSample 16, 20 (any number of spatial axes), 22 (bfloat16): samples X at positions that a grid gives.
 *
 * Positions are computed in the computing type, and the weights of a point once for all channels. float16 and bfloat16 are
 * computed in float; integers in float or double and truncated at the end; complex numbers as separate planes of real and
 * imaginary parts. Nearest copies elements of every type; strings cannot be interpolated. The padding mode applies to the
 * position, then to each element that contributes. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/sample/sample.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/kernel/taps.h"
#include "ops/resize/params.h"

typedef struct grid_sample {
    ob_grid_params params;
    int32_t rank; /* spatial axes */
    int64_t dims[OB_MAX_RANK];
    int64_t n_batches, n_channels, n_in, n_points, n_chunks; /* n_in, n_points: in a plane */
    int64_t n_taps;
    bool is_double, grid_is_double, is_moved, is_complex; /* is_double: X is computed in double; is_complex: as two parts */
    ob_dtype computing;                                   /* of X in computations */
    size_t width;                                         /* bytes of a copied element */
    obk_sample sum;                                       /* NULL, if elements are copied */
} grid_sample;

static const ob_member params_members[] = {OB_VALUE(ob_grid_params, mode), OB_VALUE(ob_grid_params, padding),
                                           OB_VALUE(ob_grid_params, align_corners)};
static const ob_struct params_struct = OB_STRUCT(ob_grid_params, params_members);
static const ob_member grid_sample_members[] = {OB_NESTED(grid_sample, params, &params_struct),
                                                OB_VALUE(grid_sample, rank),
                                                OB_VALUES(grid_sample, dims),
                                                OB_VALUE(grid_sample, n_batches),
                                                OB_VALUE(grid_sample, n_channels),
                                                OB_VALUE(grid_sample, n_in),
                                                OB_VALUE(grid_sample, n_points),
                                                OB_VALUE(grid_sample, n_chunks),
                                                OB_VALUE(grid_sample, n_taps),
                                                OB_VALUE(grid_sample, is_double),
                                                OB_VALUE(grid_sample, grid_is_double),
                                                OB_VALUE(grid_sample, is_moved),
                                                OB_VALUE(grid_sample, is_complex),
                                                OB_VALUE(grid_sample, computing),
                                                OB_SIZE(grid_sample, width),
                                                OB_FUNCTION(grid_sample, sum)};
static const ob_struct grid_sample_struct = OB_STRUCT(grid_sample, grid_sample_members);

typedef struct job {
    const grid_sample *s;
    const ob_kernel_args *args;
    const void *x;
    void *y;
} job;

/* ---- Positions ---- */

static double reflect(double at, double low, double high) {
    const double range = high - low;
    if (!(range > 0)) return low;
    if (at >= low && at <= high) return at;
    double over = at < low ? low - at : at - high, whole = floor(over / range), rest = over - whole * range;
    bool back = fmod(whole, 2) != 0, from_low = (at < low) != back;
    return from_low ? low + rest : high - rest;
}

static double clamp(double at, double low, double high) {
    return at < low ? low : at > high ? high : at;
}

/* Axis a; its first and last elements are between the borders low and high. */
typedef struct line {
    int64_t n;
    double low, high;
    ob_grid_padding padding;
} line;

static int64_t element_at(const line *l, double index) {
    if (index >= 0 && index < (double)l->n) return (int64_t)index;
    if (l->padding == OB_GRID_ZEROS || l->n == 0 || index != index) return -1;
    if (l->padding == OB_GRID_REFLECTION) index = trunc(reflect(index, l->low, l->high));
    return (int64_t)clamp(index, 0, (double)(l->n - 1));
}

static void cubic_weights(double x, double weights[4]) {
    const double a = -0.75, y = 1 - x;
    weights[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
    weights[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
    weights[2] = ((a + 2) * y - (a + 3)) * y * y + 1;
    weights[3] = ((a * (y + 1) - 5 * a) * (y + 1) + 8 * a) * (y + 1) - 4 * a;
}

/* filled in place, because copying a struct that was just written stalls the processor */
static void axis_taps(const grid_sample *s, const line *l, double at, ob_axis_taps *taps) {
    const ob_grid_mode mode = s->params.mode;
    if (mode == OB_GRID_NEAREST) at = rint(at);
    if (at < l->low || at > l->high) {
        /* For cubic, the elements are clamped to the border, not the position, as in other implementations. */
        const double room = mode == OB_GRID_CUBIC ? 4 : 0;
        if (l->padding == OB_GRID_BORDER) at = clamp(at, -room, (double)(l->n - 1) + room);
        if (l->padding == OB_GRID_REFLECTION) at = reflect(at, l->low, l->high);
    }
    taps->n = mode == OB_GRID_NEAREST ? 1 : mode == OB_GRID_LINEAR ? 2 : 4;
    if (!(fabs(at) < 0x1p52)) { /* NaN, or so far outside that there are no neighbours */
        for (int32_t t = 0; t < taps->n; t++) taps->index[t] = -1;
        for (int32_t t = 0; t < taps->n; t++) taps->weight[t] = t == 0 ? NAN : 0;
        if (at != at && l->n > 0 && mode != OB_GRID_NEAREST) taps->index[0] = 0;
        return;
    }
    double first = (double)ob__floor(at);
    taps->weight[0] = 1;
    if (mode == OB_GRID_LINEAR) {
        taps->weight[0] = 1 - (at - first);
        taps->weight[1] = at - first;
    }
    if (mode == OB_GRID_CUBIC) {
        cubic_weights(at - first, taps->weight);
        first -= 1;
    }
    for (int32_t t = 0; t < taps->n; t++) taps->index[t] = element_at(l, first + t);
}

/* From -1 .. 1 to elements, in the computing type. */
static double position(const grid_sample *s, const void *grid, int64_t i, int64_t n) {
    if (s->grid_is_double) {
        const double x = ((const double *)grid)[i], size = (double)n;
        return s->params.align_corners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2;
    }
    const float x = ((const float *)grid)[i], size = (float)n;
    return (double)(s->params.align_corners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2);
}

/* The grid lists the innermost axis first. */
static void point_taps(const grid_sample *s, const void *grid, int64_t point, ob_axis_taps *axes) {
    for (int32_t a = 0; a < s->rank; a++) {
        const double size = (double)s->dims[a];
        const line l = {s->dims[a], s->params.align_corners ? 0 : -0.5, s->params.align_corners ? size - 1 : size - 0.5,
                        s->params.padding};
        axis_taps(s, &l, position(s, grid, point * s->rank + s->rank - 1 - a, s->dims[a]), &axes[a]);
    }
}

/* ---- Points ---- */

static void move(const grid_sample *s, const obk_sampling *points, const char *x, char *y) {
    const size_t width = s->width;
    for (int32_t p = 0; p < points->n_points; p++, y += width)
        if (((const float *)points->weights)[p] != 0)
            memcpy(y, x + (size_t)points->offsets[p] * width, width);
        else
            memset(y, 0, width);
}

/* Blocks of points that are sampled together, plane by plane, so that the plane stays in the cache. */
enum { BLOCKS = 8, POINTS = BLOCKS * OBK_SAMPLE_POINTS };

static void fill_table(const grid_sample *s, const void *grid, int64_t first, int32_t n, ob_axis_taps *axes,
                       const ob_tap_table *table) {
    for (int32_t p = 0; p < n; p++) {
        point_taps(s, grid, first + p, axes);
        ob__put_taps(table, p, s->rank, axes, s->dims, 1);
    }
}

static void some_points(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const grid_sample *s = j->s;
    char *memory = ob__lane(j->args->lanes, j->args->lane_stride, lane);
    const int64_t batch = chunk / s->n_chunks, first = chunk % s->n_chunks * POINTS;
    const char *x = (const char *)j->x + (size_t)(batch * s->n_channels * s->n_in) * s->width;
    char *y = (char *)j->y + (size_t)(batch * s->n_channels * s->n_points + first) * s->width;
    ob_tap_table tables[BLOCKS];
    int32_t n[BLOCKS], blocks = 0;
    ob_axis_taps *axes = ob__take(&memory, s->rank, sizeof *axes);
    for (int64_t done = first; done < s->n_points && blocks < BLOCKS; done += OBK_SAMPLE_POINTS, blocks++) {
        n[blocks] = (int32_t)(s->n_points - done < OBK_SAMPLE_POINTS ? s->n_points - done : OBK_SAMPLE_POINTS);
        tables[blocks] = ob__take_taps(&memory, s->n_taps, s->is_double && !s->is_moved);
        fill_table(s, j->args->in[1].data, batch * s->n_points + done, n[blocks], axes, &tables[blocks]);
    }
    for (int64_t c = 0; c < s->n_channels; c++, x += (size_t)s->n_in * s->width, y += (size_t)s->n_points * s->width)
        for (int32_t b = 0; b < blocks; b++) {
            char *to = y + (size_t)(b * OBK_SAMPLE_POINTS) * s->width;
            const obk_sampling sampling = {.n_planes = 1,
                                           .n_points = n[b],
                                           .n_taps = tables[b].n_taps,
                                           .offsets = tables[b].offsets,
                                           .weights = tables[b].weights};
            if (s->is_moved)
                move(s, &sampling, x, to);
            else
                s->sum(to, x, &sampling);
        }
}

/* ---- Plan and run ---- */

static bool is_integer(ob_dtype dtype) {
    return dtype == OB_BOOL || ob__dtype_is_integer(dtype);
}

static ob_status grid_sample_refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    const ob_dtype dtype = args->in[0].dtype;
    ob_grid_params params;
    if (dtype == OB_NONE || ob__read_grid(site->node, &params, NULL) != OB_OK || params.mode == OB_GRID_NEAREST) return OB_OK;
    return ob__dtype_is_real_or_half(dtype) || is_integer(dtype) || ob__dtype_is_complex(dtype) ? OB_OK
                                                                                                : ob__no_type(site, error, dtype);
}

static ob_status choose_type(const ob_kernel_site *site, const ob_kernel_args *args, grid_sample *s, ob_error *error) {
    const ob_dtype dtype = args->in[0].dtype;
    OB_TRY(grid_sample_refuse(site, args, error));
    s->grid_is_double = ob__computing_type(args) == OB_DOUBLE;
    s->is_moved = s->params.mode == OB_GRID_NEAREST;
    s->is_complex = ob__dtype_is_complex(dtype) && !s->is_moved;
    if (ob__dtype_is_real_or_half(dtype))
        s->computing = ob__computing_type(args);
    else if (s->is_moved)
        s->computing = dtype;
    else if (s->is_complex)
        s->computing = dtype == OB_COMPLEX64 ? OB_FLOAT : OB_DOUBLE;
    else
        s->computing = ob_dtype_size(dtype) > 2 ? OB_DOUBLE : OB_FLOAT;
    s->is_double = s->computing == OB_DOUBLE;
    s->width = ob_dtype_size(s->computing);
    return OB_OK;
}

static ob_status grid_sample_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    grid_sample *s = args->state;
    const ob_view *x = &args->in[0], *grid = &args->in[1], *y = &args->out[0];
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__check_type(site, args, i, error));
    OB_TRY(ob__read_grid(site->node, &s->params, error));
    s->rank = x->rank - 2;
    bool fits = s->rank > 0 && grid->rank == x->rank && y->rank == x->rank && grid->dims[grid->rank - 1] == s->rank &&
                grid->dims[0] == x->dims[0] && y->dims[0] == x->dims[0] && y->dims[1] == x->dims[1];
    for (int32_t a = 0; fits && a < s->rank; a++) fits = y->dims[a + 2] == grid->dims[a + 1];
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "X, the grid and the result do not fit each other");
    OB_TRY(choose_type(site, args, s, error));
    memcpy(s->dims, x->dims + 2, (size_t)s->rank * sizeof *s->dims);
    s->n_batches = x->dims[0];
    const int64_t parts = s->is_complex ? 2 : 1;
    OB_FAIL_IF(ob__mul_overflows(x->dims[1], parts, &s->n_channels), error, OB_E_LIMIT, "too many channels");
    if (!s->is_moved) s->sum = OBK_LOOP(sample, ->sum[s->is_double]);
    if (ob__writes_nothing(args)) return OB_OK;
    s->n_in = ob__product(s->dims, 0, s->rank);
    s->n_points = ob__product(y->dims, 2, y->rank);
    s->n_chunks = ob__ceil_div(s->n_points, POINTS);
    OB_FAIL_IF(s->n_in > INT32_MAX, error, OB_E_LIMIT, "a plane of %lld elements", (long long)s->n_in);
    s->n_taps = 1;
    const int each = s->params.mode == OB_GRID_NEAREST ? 1 : s->params.mode == OB_GRID_LINEAR ? 2 : 4;
    for (int32_t a = 0; a < s->rank && s->n_taps <= 4096; a++) s->n_taps *= each;
    OB_FAIL_IF(s->n_taps > 4096, error, OB_E_LIMIT, "a point of %d axes is made of too many elements", s->rank);
    OB_TRY(ob__need_lanes(needs, s->rank, sizeof(ob_axis_taps), error));
    OB_TRY(ob__need_taps(needs, BLOCKS * s->n_taps, s->is_double, error));
    if (!s->is_moved && !ob__dtype_is_real_or_half(x->dtype)) {
        OB_TRY(ob__need_scratch(needs, ob__count(x), (size_t)parts * s->width, error));
        OB_TRY(ob__need_scratch(needs, ob__count(y), (size_t)parts * s->width, error));
        if (!s->is_complex) {
            ob__need_conversion(needs, x->dtype, s->computing);
            ob__need_conversion(needs, s->computing, y->dtype);
        }
    }
    return ob__plan_real(args, needs, error);
}

/* Splits planes of n complex numbers into one plane of real and one of imaginary parts each, or joins them. */
static void part(const grid_sample *s, void *to, const void *from, int64_t n_planes, int64_t n, bool back) {
    const size_t width = s->width;
    for (int64_t plane = 0; plane < n_planes; plane++)
        for (int64_t i = 0; i < 2 * n; i++) {
            const size_t apart = (size_t)(2 * plane * n + i % 2 * n + i / 2) * width,
                         together = (size_t)(2 * plane * n + i) * width;
            memcpy((char *)to + (back ? together : apart), (const char *)from + (back ? apart : together), width);
        }
}

static ob_status grid_sample_compute(const ob_kernel_args *args, ob_error *error) {
    const grid_sample *s = args->state;
    const ob_view *x = &args->in[0], *y = &args->out[0];
    job j = {s, args, x->data, y->data};
    bool converts = !s->is_moved && !ob__dtype_is_real_or_half(x->dtype);
    if (converts) {
        char *memory = args->scratch;
        const size_t width = (s->is_complex ? 2 : 1) * s->width;
        void *from = ob__take(&memory, ob__count(x), width);
        j.y = ob__take(&memory, ob__count(y), width);
        if (s->is_complex)
            part(s, from, x->data, s->n_batches * x->dims[1], s->n_in, false);
        else
            OB_TRY(ob__convert_in_run(args, from, s->computing, x->data, x->dtype, ob__count(x), error));
        j.x = from;
    }
    if (s->n_in > 0)
        ob__each_chunk(args->threads, s->n_batches * s->n_chunks, some_points, &j);
    else
        ob__fill_elements(j.y, s->n_batches * s->n_channels * s->n_points, s->width, NULL, args->threads);
    if (s->is_complex) part(s, y->data, j.y, s->n_batches * y->dims[1], s->n_points, true);
    return converts && !s->is_complex ? ob__convert_in_run(args, y->data, y->dtype, j.y, s->computing, ob__count(y), error)
                                      : OB_OK;
}

OB_RUN(ob__run_grid_sample) {
    if (ob__writes_nothing(args)) return OB_OK;
    return ob__run_real(args, grid_sample_compute, error);
}

const ob_kernel ob__kernel_grid_sample = {.name = "grid_sample",
                                          .state_bytes = sizeof(grid_sample),
                                          .state = &grid_sample_struct,
                                          .plan = grid_sample_plan,
                                          OB_RUNS(ob__run_grid_sample),
                                          .refuse = grid_sample_refuse};
