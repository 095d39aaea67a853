/* DeformConv 19, 22 (bfloat16): a convolution whose kernel positions are moved by offsets and weighted by a mask. Any number of
 * spatial axes.
 *
 * For a block of results the interpolated elements are gathered into columns, one for each result, and multiplied by the filters.
 * Elements outside the image are 0. */
#include "core/base/integers.h"
#include "kernels/gemm/gemm.h"
#include "kernels/sample/sample.h"
#include "kernels/take.h"
#include "ops/conv/params.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/kernel/taps.h"

enum { MOST_AXES = 8 };

typedef struct deform {
    int64_t group, offset_group;
    int32_t rank;
    int64_t in[MOST_AXES], out[MOST_AXES], kernel[MOST_AXES];
    int64_t strides[MOST_AXES], dilations[MOST_AXES], before[MOST_AXES];
    int64_t n_batches, n_channels, n_filters, n_in, n_points, n_kernel,
        n_blocks; /* n_in, n_points: of a plane; n_kernel: elements of the kernel */
    bool is_double, has_mask, has_bias;
    size_t width;
    obk_sample sum;
    const obk_gemm *gemm;
} deform;

static const ob_member deform_members[] = {OB_VALUE(deform, group),      OB_VALUE(deform, offset_group),
                                           OB_VALUE(deform, rank),       OB_VALUES(deform, in),
                                           OB_VALUES(deform, out),       OB_VALUES(deform, kernel),
                                           OB_VALUES(deform, strides),   OB_VALUES(deform, dilations),
                                           OB_VALUES(deform, before),    OB_VALUE(deform, n_batches),
                                           OB_VALUE(deform, n_channels), OB_VALUE(deform, n_filters),
                                           OB_VALUE(deform, n_in),       OB_VALUE(deform, n_points),
                                           OB_VALUE(deform, n_kernel),   OB_VALUE(deform, n_blocks),
                                           OB_VALUE(deform, is_double),  OB_VALUE(deform, has_mask),
                                           OB_VALUE(deform, has_bias),   OB_SIZE(deform, width),
                                           OB_FUNCTION(deform, sum),     OB_POINTER(deform, gemm, &obk_gemm_struct, NULL)};
static const ob_struct deform_struct = OB_STRUCT(deform, deform_members);

typedef struct job {
    const deform *s;
    const ob_kernel_args *args;
} job;

static const void *at(const deform *s, const ob_view *view, int64_t i) {
    return (const char *)view->data + (size_t)i * s->width;
}
static double real_at(const deform *s, const ob_view *view, int64_t i) {
    return s->is_double ? ((const double *)view->data)[i] : (double)((const float *)view->data)[i];
}

static void unflatten(int64_t flat, int32_t rank, const int64_t *dims, int64_t *index) {
    for (int32_t a = rank - 1; a >= 0; a--) {
        index[a] = flat % dims[a];
        flat /= dims[a];
    }
}

/* Gathers kernel position k of an offset group for a block of results: one row of the columns for each channel of the group. */
static void sample_position(const deform *s, const ob_kernel_args *args, int64_t batch, int64_t group, int64_t k, int64_t first,
                            int32_t n, const ob_tap_table *table, ob_axis_taps *axes, char *columns) {
    const int64_t each = s->n_channels / s->offset_group;
    const int64_t row = (batch * s->offset_group + group) * s->n_kernel + k; /* of the mask */
    int64_t position[MOST_AXES], point[MOST_AXES];
    unflatten(k, s->rank, s->kernel, position);
    for (int32_t p = 0; p < n; p++) {
        unflatten(first + p, s->rank, s->out, point);
        for (int32_t a = 0; a < s->rank; a++) {
            double moved = real_at(s, &args->in[2], (row * s->rank + a) * s->n_points + first + p);
            moved += (double)(point[a] * s->strides[a] - s->before[a] + position[a] * s->dilations[a]);
            ob__linear_taps(&axes[a], moved, s->in[a]);
        }
        ob__put_taps(table, p, s->rank, axes, s->in, s->has_mask ? real_at(s, &args->in[4], row * s->n_points + first + p) : 1);
    }
    const obk_sampling sampling = {.n_planes = each,
                                   .x_step = s->n_in,
                                   .y_step = s->n_kernel * OBK_SAMPLE_POINTS,
                                   .n_points = n,
                                   .n_taps = table->n_taps,
                                   .offsets = table->offsets,
                                   .weights = table->weights};
    const int64_t channel = group * each;
    s->sum(columns + (size_t)((channel * s->n_kernel + k) * OBK_SAMPLE_POINTS) * s->width,
           at(s, &args->in[0], (batch * s->n_channels + channel) * s->n_in), &sampling);
}

static void one_block(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const deform *s = j->s;
    const ob_kernel_args *args = j->args;
    char *memory = ob__lane(args->lanes, args->lane_stride, lane);
    const int64_t batch = chunk / s->n_blocks, first = chunk % s->n_blocks * OBK_SAMPLE_POINTS, groups = s->group;
    const int32_t n = (int32_t)(s->n_points - first < OBK_SAMPLE_POINTS ? s->n_points - first : OBK_SAMPLE_POINTS);
    const ob_tap_table table = ob__take_taps(&memory, INT64_C(1) << s->rank, s->is_double);
    ob_axis_taps *axes = ob__take(&memory, s->rank, sizeof *axes);
    char *columns = ob__take(&memory, s->n_channels * s->n_kernel * OBK_SAMPLE_POINTS, s->width);
    void *panel = memory;
    if (s->n_in > 0)
        for (int64_t i = 0; i < s->offset_group * s->n_kernel; i++)
            sample_position(s, args, batch, i / s->n_kernel, i % s->n_kernel, first, n, &table, axes, columns);
    else
        memset(columns, 0, (size_t)(s->n_channels * s->n_kernel * OBK_SAMPLE_POINTS) * s->width);
    for (int64_t g = 0; g < groups; g++) {
        const int64_t m = s->n_filters / groups, k = s->n_channels / groups * s->n_kernel;
        const obk_gemm_call call = {.m = m,
                                    .n = n,
                                    .k = k,
                                    .a = at(s, &args->in[1], g * m * k),
                                    .a_row = k,
                                    .a_k = 1,
                                    .b = columns + (size_t)(g * k * OBK_SAMPLE_POINTS) * s->width,
                                    .b_k = OBK_SAMPLE_POINTS,
                                    .b_column = 1,
                                    .y = (char *)args->out[0].data +
                                         (size_t)((batch * s->n_filters + g * m) * s->n_points + first) * s->width,
                                    .y_row = s->n_points,
                                    .alpha = 1,
                                    .beta = 1,
                                    .c = s->has_bias ? at(s, &args->in[3], g * m) : NULL,
                                    .c_row = 1,
                                    .panel = panel};
        s->gemm->product(&call);
    }
}

/* Checks that the operands have the shapes that the window requires. */
static ob_status check_shapes(const deform *s, const ob_kernel_args *args, ob_error *error) {
    const ob_view *in = args->in, *out = &args->out[0];
    const int64_t groups = s->offset_group, rank = s->rank;
    bool fits = in[2].rank == in[0].rank && out->rank == in[0].rank && in[2].dims[0] == s->n_batches &&
                out->dims[0] == s->n_batches && out->dims[1] == s->n_filters && s->n_channels % s->group == 0 &&
                s->n_filters % s->group == 0 && in[1].dims[1] == s->n_channels / s->group && s->n_channels % groups == 0 &&
                in[2].dims[1] == groups * s->n_kernel * rank;
    fits = fits && (!s->has_bias || ob__count(&in[3]) == s->n_filters);
    fits = fits &&
           (!s->has_mask || (in[4].rank == in[0].rank && in[4].dims[0] == s->n_batches && in[4].dims[1] == groups * s->n_kernel));
    for (int32_t a = 0; fits && a < rank; a++)
        fits = in[2].dims[a + 2] == s->out[a] && (!s->has_mask || in[4].dims[a + 2] == s->out[a]);
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "the operands do not fit each other");
    return OB_OK;
}

static ob_status deform_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    deform *s = args->state;
    const ob_view *x = &args->in[0], *w = &args->in[1], *y = &args->out[0];
    OB_TRY(ob__check_type(site, args, 0, error));
    s->rank = x->rank - 2;
    OB_FAIL_IF(s->rank < 1 || w->rank != x->rank || y->rank != x->rank, error, OB_E_SHAPE, "ranks %d, %d and %d", x->rank,
               w->rank, y->rank);
    OB_FAIL_IF(s->rank > MOST_AXES, error, OB_E_LIMIT, "%d spatial axes, at most %d are supported", s->rank, MOST_AXES);
    ob_conv_params params;
    OB_TRY(ob__read_conv(site->node, s->rank, &params, error));
    s->group = params.group;
    s->offset_group = params.offset_group;
    const size_t n_bytes = (size_t)s->rank * sizeof *s->in;
    memcpy(s->strides, params.window.strides, n_bytes);
    memcpy(s->dilations, params.window.dilations, n_bytes);
    memcpy(s->before, params.window.before, n_bytes);
    memcpy(s->in, x->dims + 2, n_bytes);
    memcpy(s->out, y->dims + 2, n_bytes);
    memcpy(s->kernel, w->dims + 2, n_bytes);
    s->n_batches = x->dims[0];
    s->n_channels = x->dims[1];
    s->n_filters = w->dims[0];
    s->n_kernel = ob__product(s->kernel, 0, s->rank);
    s->has_bias = ob__given(args, 3);
    s->has_mask = ob__given(args, 4);
    OB_TRY(check_shapes(s, args, error));
    if (ob__writes_nothing(args)) return OB_OK;
    s->n_in = ob__product(s->in, 0, s->rank);
    s->n_points = ob__product(s->out, 0, s->rank);
    s->n_blocks = ob__ceil_div(s->n_points, OBK_SAMPLE_POINTS);
    OB_FAIL_IF(s->n_in > INT32_MAX, error, OB_E_LIMIT, "a plane of %lld elements", (long long)s->n_in);
    s->is_double = ob__computing_type(args) == OB_DOUBLE;
    s->width = s->is_double ? sizeof(double) : sizeof(float);
    s->sum = OBK_LOOP(sample, ->sum[s->is_double]);
    s->gemm = OBK_ELEMENT(gemm, [s->is_double ? OBK_GEMM_DOUBLE : OBK_GEMM_FLOAT], .product);
    OB_TRY(ob__need_taps(needs, INT64_C(1) << s->rank, s->is_double, error));
    OB_TRY(ob__need_lanes(needs, s->rank, sizeof(ob_axis_taps), error));
    int64_t rows;
    bool large = ob__mul_overflows(s->n_channels, s->n_kernel, &rows) || rows > INT64_MAX / OBK_SAMPLE_POINTS;
    OB_FAIL_IF(large, error, OB_E_LIMIT, "the kernel is too large");
    OB_TRY(ob__need_lanes(needs, rows * OBK_SAMPLE_POINTS, s->width, error));
    const size_t panel = obk_panel_bytes(s->gemm, rows / s->group);
    OB_TRY(ob__need_lanes(needs, (int64_t)panel, 1, error));
    return ob__plan_real(args, needs, error);
}

static ob_status deform_compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const deform *s = args->state;
    job j = {s, args};
    ob__each_chunk(args->threads, s->n_batches * s->n_blocks, one_block, &j);
    return OB_OK;
}

OB_RUN(ob__run_deform_conv) {
    return ob__writes_nothing(args) ? OB_OK : ob__run_real(args, deform_compute, error);
}

const ob_kernel ob__kernel_deform_conv = {.name = "deform_conv",
                                          .state_bytes = sizeof(deform),
                                          .state = &deform_struct,
                                          .plan = deform_plan,
                                          OB_RUNS(ob__run_deform_conv)};
