/* DFT, STFT: lines of points are transformed in double, four at a time. Two counts give the positions of the lines. */
#include "core/base/integers.h"
#include "kernels/fft/fft.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/signal/params.h"

enum { CHUNK = 1 << 12 }; /* the least number of points in a chunk */

/* See obk_fft_lines. */
typedef struct line {
    bool is_double, from_complex, to_complex, inverse, mirrored;
    int64_t from_step, to_step, n_from, n_to;
} line;

typedef struct transforms {
    obk_fft fft;
    line like; /* the parameters that all lines share */
    obk_fft_function lines;
    obk_fft_filter filter; /* if there is a chirp */
    bool windowed;
    int64_t n_lines, inner; /* line i is number i % inner of group i / inner */
    int64_t from_outer, from_inner, to_outer,
        to_inner; /* byte strides from group to group (outer) and from line to line in a group (inner) */
    int64_t lines_per_chunk;
} transforms;

static const ob_member line_members[] = {OB_VALUE(line, is_double), OB_VALUE(line, from_complex), OB_VALUE(line, to_complex),
                                         OB_VALUE(line, inverse),   OB_VALUE(line, mirrored),     OB_VALUE(line, from_step),
                                         OB_VALUE(line, to_step),   OB_VALUE(line, n_from),       OB_VALUE(line, n_to)};
static const ob_struct line_struct = OB_STRUCT(line, line_members);
static const ob_member transforms_members[] = {OB_NESTED(transforms, fft, &obk_fft_struct),
                                               OB_NESTED(transforms, like, &line_struct),
                                               OB_FUNCTION(transforms, lines),
                                               OB_FUNCTION(transforms, filter),
                                               OB_VALUE(transforms, windowed),
                                               OB_VALUE(transforms, n_lines),
                                               OB_VALUE(transforms, inner),
                                               OB_VALUE(transforms, from_outer),
                                               OB_VALUE(transforms, from_inner),
                                               OB_VALUE(transforms, to_outer),
                                               OB_VALUE(transforms, to_inner),
                                               OB_VALUE(transforms, lines_per_chunk)};
static const ob_struct transforms_struct = OB_STRUCT(transforms, transforms_members);

typedef struct transforming {
    const ob_kernel_args *args;
    const transforms *t;
    const double *filter, *window;
} transforming;

/* ---- Both ---- */

/* The only element of operand i, an integer; `otherwise` if the operand is omitted. */
static ob_status read_one(const ob_kernel_args *args, uint32_t i, int64_t otherwise, int64_t *out, ob_error *error) {
    int32_t n;
    *out = otherwise;
    if (!ob__given(args, i)) return OB_OK;
    OB_TRY(ob__read_ints(&args->in[i], out, 1, &n, error));
    OB_FAIL_IF(n != 1, error, OB_E_SHAPE, "operand %u holds %d elements instead of one", i, n);
    return OB_OK;
}

static ob_status plan_transforms(const ob_kernel_site *site, transforms *t, int64_t n, const ob_threads *threads,
                                 ob_kernel_needs *needs, ob_error *error) {
    bool chirps;
    OB_FAIL_IF(!obk_fft_init(&t->fft, n, &chirps), error, OB_E_LIMIT, "%lld points are too many", (long long)n);
    double *roots = ob__tail(site, (uint64_t)t->fft.length, 2 * sizeof(double));
    double *chirp = chirps ? ob__tail(site, (uint64_t)n, 2 * sizeof(double)) : NULL;
    if (!roots || (chirps && !chirp)) return ob__fail(error, OB_E_MEMORY, "no memory for the roots of %lld points", (long long)n);
    obk_pace pace = ob__pace(threads);
    obk_fft_roots(t->fft.length, roots, &pace);
    if (chirps) obk_fft_chirp(n, chirp, &pace);
    t->fft.roots = roots;
    t->fft.chirp = chirp;
    t->lines = OBK_LOOP(fft, ->lines);
    if (chirps) t->filter = OBK_LOOP(fft, ->filter);
    t->lines_per_chunk = OBK_FFT_LANES * (CHUNK / (OBK_FFT_LANES * n) + 1);
    if (chirps) OB_TRY(ob__need_scratch(needs, t->fft.length, 2 * sizeof(double), error));
    if (t->windowed) OB_TRY(ob__need_scratch(needs, n, sizeof(double), error));
    for (int i = 0; i < 2; i++) OB_TRY(ob__need_lanes(needs, t->fft.length, 2 * OBK_FFT_LANES * sizeof(double), error));
    return OB_OK;
}

static void chunk_of_lines(void *context, int64_t chunk, int lane) {
    const transforming *r = context;
    const transforms *t = r->t;
    char *room = ob__lane(r->args->lanes, r->args->lane_stride, lane);
    double *x = ob__take(&room, t->fft.length, 2 * OBK_FFT_LANES * sizeof(double));
    double *y = ob__take(&room, t->fft.length, 2 * OBK_FFT_LANES * sizeof(double));
    const line *like = &t->like;
    obk_pace pace = ob__pace(r->args->threads);
    obk_fft_lines l = {.is_double = like->is_double,
                       .from_complex = like->from_complex,
                       .to_complex = like->to_complex,
                       .inverse = like->inverse,
                       .mirrored = like->mirrored,
                       .from_step = like->from_step,
                       .to_step = like->to_step,
                       .n_from = like->n_from,
                       .n_to = like->n_to,
                       .window = r->window,
                       .pace = &pace};
    const int64_t begin = chunk * t->lines_per_chunk, left = t->n_lines - begin;
    const int64_t end = begin + (left < t->lines_per_chunk ? left : t->lines_per_chunk);
    for (int64_t first = begin; first < end; first += OBK_FFT_LANES) {
        l.n = (int)(end - first < OBK_FFT_LANES ? end - first : OBK_FFT_LANES);
        for (int i = 0; i < l.n; i++) {
            const int64_t outer = (first + i) / t->inner, inner = (first + i) % t->inner;
            l.from[i] = (const char *)r->args->in[0].data + outer * t->from_outer + inner * t->from_inner;
            l.to[i] = (char *)r->args->out[0].data + outer * t->to_outer + inner * t->to_inner;
        }
        t->lines(&t->fft, r->filter, &l, x, y);
    }
}

static ob_status compute(const ob_kernel_args *args, ob_error *error) {
    const transforms *t = args->state;
    char *scratch = args->scratch;
    transforming r = {args, t, NULL, NULL};
    if (t->fft.chirp) {
        double *filter = ob__take(&scratch, t->fft.length, 2 * sizeof(double));
        char *room = args->lanes;
        obk_pace pace = ob__pace(args->threads);
        double *x = ob__take(&room, t->fft.length, 2 * OBK_FFT_LANES * sizeof(double));
        t->filter(&t->fft, filter, x, ob__take(&room, t->fft.length, 2 * OBK_FFT_LANES * sizeof(double)), &pace);
        r.filter = filter;
    }
    if (t->windowed) {
        double *window = ob__take(&scratch, t->fft.n, sizeof(double));
        OB_TRY(ob__convert_in_run(args, window, OB_DOUBLE, args->in[2].data, args->in[2].dtype, t->fft.n, error));
        r.window = window;
    }
    ob__each_chunk(args->threads, ob__ceil_div(t->n_lines, t->lines_per_chunk), chunk_of_lines, &r);
    return OB_OK;
}

OB_RUN(ob__run_transforms) {
    return ob__writes_nothing(args) ? OB_OK : ob__run_real(args, compute, error);
}

/* ---- DFT ---- */

static ob_status dft_sizes(const ob_kernel_site *site, const ob_kernel_args *args, int32_t *axis, int64_t *n, int64_t *dims,
                           ob_error *error) {
    const ob_dft_params p = ob__dft_params(site->node, site->op->since);
    const ob_view *x = &args->in[0];
    int64_t asked;
    OB_FAIL_IF(x->rank < 2 || x->dims[x->rank - 1] < 1 || x->dims[x->rank - 1] > 2, error, OB_E_SHAPE,
               "the last axis of the operand, of rank %d, holds a real or a complex number: 1 or 2 elements", x->rank);
    OB_TRY(read_one(args, 2, p.axis, &asked, error));
    OB_TRY(ob__axis(asked, x->rank, axis, error));
    OB_FAIL_IF(*axis == x->rank - 1, error, OB_E_ARGUMENT, "axis %lld is that of the real and imaginary parts", (long long)asked);
    OB_TRY(read_one(args, 1, p.inverse && p.onesided ? 2 * (x->dims[*axis] - 1) : x->dims[*axis], n, error));
    OB_FAIL_IF(*n < 1, error, OB_E_ARGUMENT, "%lld points", (long long)*n);
    OB_FAIL_IF(p.onesided && x->dims[x->rank - 1] != (p.inverse ? 2 : 1), error, OB_E_SHAPE,
               "onesided takes real numbers, and with inverse complex ones");
    for (int32_t i = 0; i < x->rank - 1; i++) dims[i] = x->dims[i];
    dims[*axis] = p.onesided && !p.inverse ? *n / 2 + 1 : *n;
    dims[x->rank - 1] = p.onesided && p.inverse ? 1 : 2;
    return OB_OK;
}

static ob_status dft_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    transforms *t = args->state;
    const ob_dft_params p = ob__dft_params(site->node, site->op->since);
    const ob_view *x = &args->in[0], *y = &args->out[0];
    int32_t axis;
    int64_t n, dims[OB_MAX_RANK];
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(dft_sizes(site, args, &axis, &n, dims, error));
    for (int32_t i = 0; i < x->rank; i++)
        OB_FAIL_IF(y->rank != x->rank || y->dims[i] != dims[i], error, OB_E_SHAPE, "axis %d of the result is not %lld", i,
                   (long long)dims[i]);
    if (ob__writes_nothing(args)) return OB_OK;
    const int64_t width = ob__computing_type(args) == OB_DOUBLE ? sizeof(double) : sizeof(float);
    const int64_t from = x->dims[x->rank - 1] * width, to = y->dims[x->rank - 1] * width;
    OB_TRY(ob__plan_real(args, needs, error));
    t->inner = ob__product(x->dims, axis + 1, x->rank - 1);
    t->n_lines = ob__product(x->dims, 0, axis) * t->inner;
    t->like = (line){.is_double = width == sizeof(double),
                     .from_complex = x->dims[x->rank - 1] == 2,
                     .to_complex = y->dims[x->rank - 1] == 2,
                     .inverse = p.inverse,
                     .mirrored = p.inverse && p.onesided,
                     .from_step = t->inner * from,
                     .to_step = t->inner * to,
                     .n_from = x->dims[axis],
                     .n_to = y->dims[axis]};
    if (t->like.mirrored && t->like.n_from > n / 2 + 1) t->like.n_from = n / 2 + 1;
    t->from_inner = from;
    t->to_inner = to;
    t->from_outer = x->dims[axis] * t->inner * from;
    t->to_outer = y->dims[axis] * t->inner * to;
    return plan_transforms(site, t, n, args->threads, needs, error);
}

static ob_status dft_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    int32_t axis;
    int64_t n;
    OB_TRY(dft_sizes(site, args, &axis, &n, args->out[0].dims, error));
    args->out[0].dtype = args->in[0].dtype;
    args->out[0].rank = args->in[0].rank;
    return OB_OK;
}

const ob_kernel ob__kernel_dft = {.name = "dft",
                                  .state_bytes = sizeof(transforms),
                                  .plan = dft_plan,
                                  OB_RUNS(ob__run_transforms),
                                  .state = &transforms_struct,
                                  .shape = dft_shape};

/* ---- STFT ---- */

static ob_status stft_sizes(const ob_kernel_site *site, const ob_kernel_args *args, int64_t *step, int64_t *n, int64_t *dims,
                            ob_error *error) {
    const ob_view *x = &args->in[0];
    const bool windowed = ob__given(args, 2), onesided = ob__stft_onesided(site->node);
    const bool is_complex = x->rank == 3 && x->dims[2] == 2;
    OB_FAIL_IF(x->rank < 2 || x->rank > 3 || (x->rank == 3 && (x->dims[2] < 1 || x->dims[2] > 2)), error, OB_E_SHAPE,
               "the signal has rank %d: it is [batch][length] or [batch][length][1 or 2]", x->rank);
    OB_FAIL_IF(onesided && is_complex, error, OB_E_SHAPE, "onesided takes real numbers");
    OB_FAIL_IF(windowed && args->in[2].rank != 1, error, OB_E_SHAPE, "a window of rank %d", args->in[2].rank);
    OB_FAIL_IF(!windowed && !ob__given(args, 3), error, OB_E_ARGUMENT,
               "neither a window nor frame_length says how long a frame is");
    OB_TRY(read_one(args, 1, 0, step, error));
    OB_TRY(read_one(args, 3, windowed ? args->in[2].dims[0] : 0, n, error));
    OB_FAIL_IF(*step < 1 || *n < 1 || *n > x->dims[1] || (windowed && args->in[2].dims[0] != *n), error, OB_E_SHAPE,
               "frames of %lld points, %lld apart, of a signal of %lld", (long long)*n, (long long)*step, (long long)x->dims[1]);
    dims[0] = x->dims[0];
    dims[1] = (x->dims[1] - *n) / *step + 1;
    dims[2] = onesided ? *n / 2 + 1 : *n;
    dims[3] = 2;
    return OB_OK;
}

static ob_status stft_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    transforms *t = args->state;
    const ob_view *x = &args->in[0], *y = &args->out[0];
    int64_t step, n, dims[4];
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(stft_sizes(site, args, &step, &n, dims, error));
    for (int32_t i = 0; i < 4; i++)
        OB_FAIL_IF(y->rank != 4 || y->dims[i] != dims[i], error, OB_E_SHAPE, "axis %d of the result is not %lld", i,
                   (long long)dims[i]);
    if (ob__writes_nothing(args)) return OB_OK;
    const int64_t width = ob__computing_type(args) == OB_DOUBLE ? sizeof(double) : sizeof(float);
    OB_TRY(ob__plan_real(args, needs, error));
    t->windowed = ob__given(args, 2);
    if (t->windowed) { /* as it is, or in the type of computing */
        ob__need_conversion(needs, args->in[2].dtype, OB_DOUBLE);
        ob__need_conversion(needs, ob__computing_type(args), OB_DOUBLE);
    }
    t->like = (line){.is_double = width == sizeof(double),
                     .from_complex = x->rank == 3 && x->dims[2] == 2,
                     .to_complex = true,
                     .to_step = 2 * width,
                     .n_from = n,
                     .n_to = dims[2]};
    t->like.from_step = t->like.from_complex ? 2 * width : width;
    t->inner = dims[1];
    t->n_lines = dims[0] * dims[1];
    t->from_inner = dims[1] > 1 ? step * t->like.from_step : 0; /* with a single frame, the step has no effect */
    t->from_outer = x->dims[1] * t->like.from_step;
    t->to_inner = dims[2] * t->like.to_step;
    t->to_outer = dims[1] * t->to_inner;
    return plan_transforms(site, t, n, args->threads, needs, error);
}

static ob_status stft_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    int64_t step, n;
    OB_TRY(stft_sizes(site, args, &step, &n, args->out[0].dims, error));
    args->out[0].dtype = args->in[0].dtype;
    args->out[0].rank = 4;
    return OB_OK;
}

const ob_kernel ob__kernel_stft = {.name = "stft",
                                   .state_bytes = sizeof(transforms),
                                   .plan = stft_plan,
                                   OB_RUNS(ob__run_transforms),
                                   .state = &transforms_struct,
                                   .shape = stft_shape};
