/* RoiAlign 10, 16 (positions are half an element lower unless output_half_pixel), 22 (bfloat16); MaxRoiPool 1, 22: regions of
 * images, each reduced to a grid of the same size.
 *
 * RoiAlign interpolates samples inside each cell. The result is their mean, or the largest weighted element of all samples, as in
 * ONNX's reference. A sample more than one element outside the image is 0. Before version 16, and with output_half_pixel, a
 * region is at least one element large. A run refuses regions of images that do not exist, and millions of samples. */
#include "core/base/integers.h"
#include "kernels/sample/sample.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/kernel/taps.h"
#include "ops/pool/params.h"
#include "ops/table/op.h"

typedef struct roi {
    ob_roi_params params;
    int64_t n_images, n_channels, dims[2], n_rois, n_points, n_blocks;
    bool is_double;
    obk_sample sum, max; /* of RoiAlign */
} roi;

static const ob_member params_members[] = {OB_VALUE(ob_roi_params, align), OB_VALUES(ob_roi_params, out),
                                           OB_VALUE(ob_roi_params, scale), OB_VALUE(ob_roi_params, half_pixel),
                                           OB_VALUE(ob_roi_params, max),   OB_VALUE(ob_roi_params, sampling_ratio)};
static const ob_struct params_struct = OB_STRUCT(ob_roi_params, params_members);
static const ob_member roi_members[] = {OB_NESTED(roi, params, &params_struct),
                                        OB_VALUE(roi, n_images),
                                        OB_VALUE(roi, n_channels),
                                        OB_VALUES(roi, dims),
                                        OB_VALUE(roi, n_rois),
                                        OB_VALUE(roi, n_points),
                                        OB_VALUE(roi, n_blocks),
                                        OB_VALUE(roi, is_double),
                                        OB_FUNCTION(roi, sum),
                                        OB_FUNCTION(roi, max)};
static const ob_struct roi_struct = OB_STRUCT(roi, roi_members);

typedef struct job {
    const roi *s;
    const ob_kernel_args *args;
} job;

static double real_at(const roi *s, const void *data, int64_t i) {
    return s->is_double ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void *element(const roi *s, void *data, int64_t i) {
    return (char *)data + (size_t)i * (s->is_double ? sizeof(double) : sizeof(float));
}

static ob_status roi_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    roi *s = args->state;
    const ob_view *x = &args->in[0], *rois = &args->in[1], *y = &args->out[0];
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__read_roi(site->node, site->op->since, &s->params, error));
    bool fits = x->rank == 4 && rois->rank == 2 && rois->dims[1] == (s->params.align ? 4 : 5) && y->rank == 4 &&
                y->dims[0] == rois->dims[0] && y->dims[1] == x->dims[1] && y->dims[2] == s->params.out[0] &&
                y->dims[3] == s->params.out[1];
    fits = fits && (!s->params.align || ob__count(&args->in[2]) == rois->dims[0]);
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "X, the regions and the result do not fit each other");
    s->n_images = x->dims[0];
    s->n_channels = x->dims[1];
    s->n_rois = rois->dims[0];
    memcpy(s->dims, x->dims + 2, sizeof s->dims);
    s->is_double = ob__computing_type(args) == OB_DOUBLE;
    if (ob__writes_nothing(args)) return OB_OK;
    int64_t elems;
    OB_FAIL_IF(ob__mul_overflows(s->dims[0], s->dims[1], &elems) || elems > INT32_MAX, error, OB_E_LIMIT, "a plane is too large");
    s->n_points = y->dims[2] * y->dims[3];
    s->n_blocks = ob__ceil_div(s->n_points, OBK_SAMPLE_POINTS);
    return ob__plan_real(args, needs, error);
}

static ob_status check_image(const roi *s, int64_t i, double image, ob_error *error) {
    OB_FAIL_IF(!(image >= 0 && image < (double)s->n_images), error, OB_E_ARGUMENT, "region %lld is of image %g, there are %lld",
               (long long)i, image, (long long)s->n_images);
    return OB_OK;
}

/* ---- RoiAlign ---- */

enum { SAMPLES = 4 }; /* added in one pass */

/* Along one axis: the start of a region, the size of a cell, and the number of samples in each cell. */
typedef struct span {
    double begin, cell;
    int64_t n_samples;
} span;

/* Computed in float for float elements, so that samples fall on borders exactly where other implementations put them. */
static span find_span(const roi *s, const void *rois, int64_t i, int axis) {
    const ob_roi_params *p = &s->params;
    const double shift = p->half_pixel ? 0.5 : 0;
    double begin = real_at(s, rois, 4 * i + 1 - axis) * (double)p->scale - shift;
    double end = real_at(s, rois, 4 * i + 3 - axis) * (double)p->scale - shift;
    if (!s->is_double) {
        begin = (double)(float)begin;
        end = (double)(float)end;
    }
    double size = s->is_double ? end - begin : (double)(float)(end - begin);
    if (!p->half_pixel && !(size >= 1)) size = 1;
    double cell = s->is_double ? size / (double)p->out[axis] : (double)((float)size / (float)p->out[axis]);
    return (span){begin, cell, p->sampling_ratio > 0 ? p->sampling_ratio : ob__int64_from(ceil(cell))};
}

static ob_status check_region(const roi *s, const ob_kernel_args *args, int64_t i, ob_error *error) {
    const double most = 0x1p20;
    OB_TRY(check_image(s, i, (double)((const int64_t *)args->in[2].data)[i], error));
    double n = 1;
    for (int axis = 0; axis < 2; axis++) n *= (double)find_span(s, args->in[1].data, i, axis).n_samples;
    OB_FAIL_IF(n > most, error, OB_E_LIMIT, "region %lld takes %.0f samples for each result", (long long)i, n);
    return OB_OK;
}

/* The neighbours of a sample; on the border it takes the outermost element. */
static ob_axis_taps sample_taps(const span *at, int64_t cell, int64_t sample, int64_t n) {
    double y = at->begin + (double)cell * at->cell + ((double)sample + 0.5) * at->cell / (double)at->n_samples;
    if (!(y >= -1 && y <= (double)n)) return (ob_axis_taps){.n = 2, .index = {-1, -1}};
    if (y < 0) y = 0;
    int64_t low = (int64_t)y, high = low + 1;
    if (low >= n - 1) {
        low = high = n - 1;
        y = (double)low;
    }
    return (ob_axis_taps){.n = 2, .index = {low, high}, .weight = {1 - (y - (double)low), y - (double)low}};
}

static void put_sample(const roi *s, const span *spans, int64_t sample, int64_t first, int32_t n, double factor,
                       const ob_tap_table *table) {
    const int64_t row = sample / spans[1].n_samples, column = sample % spans[1].n_samples;
    for (int32_t p = 0; p < n; p++) {
        const int64_t cell = first + p;
        const ob_axis_taps axes[2] = {sample_taps(&spans[0], cell / s->params.out[1], row, s->dims[0]),
                                      sample_taps(&spans[1], cell % s->params.out[1], column, s->dims[1])};
        ob__put_taps(table, p, 2, axes, s->dims, factor);
    }
}

static void align_block(void *context, int64_t chunk, int lane) {
    const job *j = context;
    const roi *s = j->s;
    char *memory = ob__lane(j->args->lanes, j->args->lane_stride, lane);
    const int64_t i = chunk / s->n_blocks, first = chunk % s->n_blocks * OBK_SAMPLE_POINTS;
    const int64_t image = ((const int64_t *)j->args->in[2].data)[i];
    const int32_t n = (int32_t)(s->n_points - first < OBK_SAMPLE_POINTS ? s->n_points - first : OBK_SAMPLE_POINTS);
    ob_tap_table table = ob__take_taps(&memory, (int64_t)SAMPLES * 4, s->is_double);
    const void *x = element(s, j->args->in[0].data, image * s->n_channels * s->dims[0] * s->dims[1]);
    void *y = element(s, j->args->out[0].data, i * s->n_channels * s->n_points + first);
    const span spans[2] = {find_span(s, j->args->in[1].data, i, 0), find_span(s, j->args->in[1].data, i, 1)};
    const int64_t n_samples = spans[0].n_samples > 0 && spans[1].n_samples > 0 ? spans[0].n_samples * spans[1].n_samples : 0;
    obk_sampling sampling = {.n_planes = s->n_channels,
                             .x_step = s->dims[0] * s->dims[1],
                             .y_step = s->n_points,
                             .n_points = n,
                             .offsets = table.offsets,
                             .weights = table.weights};
    for (int64_t done = 0; done < n_samples || !sampling.adds; done += SAMPLES) {
        const int64_t left = n_samples - done < SAMPLES ? n_samples - done : SAMPLES;
        for (int64_t k = 0; k < left; k++) {
            const ob_tap_table part = {table.is_double, 4, table.offsets + 4 * k * OBK_SAMPLE_POINTS,
                                       element(s, table.weights, 4 * k * OBK_SAMPLE_POINTS)};
            put_sample(s, spans, done + k, first, n, s->params.max ? 1 : 1 / (double)n_samples, &part);
        }
        sampling.n_taps = (int32_t)(4 * left); /* a cell without samples is 0 */
        (s->params.max && left > 0 ? s->max : s->sum)(y, x, &sampling);
        sampling.adds = true;
    }
}

static ob_status align_compute(const ob_kernel_args *args, ob_error *error) {
    const roi *s = args->state;
    for (int64_t i = 0; i < s->n_rois; i++) OB_TRY(check_region(s, args, i, error));
    job j = {s, args};
    if (s->dims[0] > 0 && s->dims[1] > 0)
        ob__each_chunk(args->threads, s->n_rois * s->n_blocks, align_block, &j);
    else
        ob__fill_elements(args->out[0].data, ob__count(&args->out[0]), s->is_double ? sizeof(double) : sizeof(float), NULL,
                          args->threads);
    return OB_OK;
}

OB_RUN(ob__run_roi_align) {
    return ob__writes_nothing(args) ? OB_OK : ob__run_real(args, align_compute, error);
}

static ob_status align_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    OB_TRY(roi_plan(site, args, needs, error));
    roi *s = args->state;
    s->sum = OBK_LOOP(sample, ->sum[s->is_double]); /* also of cells without samples */
    if (s->params.max) s->max = OBK_LOOP(sample, ->max[s->is_double]);
    return ob__need_taps(needs, (int64_t)SAMPLES * 4, s->is_double, error);
}

const ob_kernel ob__kernel_roi_align = {
    .name = "roi_align", .state_bytes = sizeof(roi), .state = &roi_struct, .plan = align_plan, OB_RUNS(ob__run_roi_align)};

/* ---- MaxRoiPool ---- */

/* The elements of cell `i` along an axis: begin .. end - 1. */
static void find_cell(double first, double last, int64_t n_cells, int64_t i, int64_t n, int64_t *begin, int64_t *end) {
    double size = last - first + 1 > 1 ? last - first + 1 : 1, cell = size / (double)n_cells;
    double from = floor((double)i * cell) + first, to = ceil((double)(i + 1) * cell) + first;
    *begin = from > 0 ? from < (double)n ? (int64_t)from : n : 0;
    *end = to > 0 ? to < (double)n ? (int64_t)to : n : 0;
}

static void pool_region(void *context, int64_t region, int lane) {
    (void)lane;
    const job *j = context;
    const roi *s = j->s;
    const void *rois = j->args->in[1].data;
    double at[4];
    obk_pace pace = ob__pace(j->args->threads);
    const int64_t image = (int64_t)real_at(s, rois, 5 * region), height = s->dims[0], width = s->dims[1];
    for (int k = 0; k < 4; k++) at[k] = round(real_at(s, rois, 5 * region + 1 + k) * (double)s->params.scale);
    for (int64_t p = 0; p < s->n_points; p++) {
        int64_t top, bottom, left, right;
        find_cell(at[1], at[3], s->params.out[0], p / s->params.out[1], height, &top, &bottom);
        find_cell(at[0], at[2], s->params.out[1], p % s->params.out[1], width, &left, &right);
        for (int64_t c = 0; c < s->n_channels; c++) {
            const int64_t plane = (image * s->n_channels + c) * height * width;
            double best = 0;
            bool any = false;
            if (obk_stops(&pace, 8)) return;
            for (int64_t row = top; row < bottom && !obk_stops(&pace, 2 * (right - left)); row++)
                for (int64_t column = left; column < right; column++) {
                    double value = real_at(s, j->args->in[0].data, plane + row * width + column);
                    if (!any || value > best) best = value;
                    any = true;
                }
            void *to = element(s, j->args->out[0].data, (region * s->n_channels + c) * s->n_points + p);
            if (s->is_double)
                *(double *)to = best;
            else
                *(float *)to = (float)best;
        }
    }
}

static ob_status pool_compute(const ob_kernel_args *args, ob_error *error) {
    const roi *s = args->state;
    for (int64_t i = 0; i < s->n_rois; i++) OB_TRY(check_image(s, i, real_at(s, args->in[1].data, 5 * i), error));
    job j = {s, args};
    ob__each_chunk(args->threads, s->n_rois, pool_region, &j);
    return OB_OK;
}

OB_RUN(ob__run_roi_pool) {
    return ob__writes_nothing(args) ? OB_OK : ob__run_real(args, pool_compute, error);
}

const ob_kernel ob__kernel_roi_pool = {
    .name = "roi_pool", .state_bytes = sizeof(roi), .state = &roi_struct, .plan = roi_plan, OB_RUNS(ob__run_roi_pool)};
