#include "ops/resize/axes.h"

#include "core/base/integers.h"
#include "ops/kernel/conversion.h"
#include "ops/resize/resized.h"

static bool decides(const ob_kernel_args *args, int32_t i) {
    return i >= 0 && ob__given(args, (uint32_t)i);
}

bool ob__resize_is_known(const ob_resize_params *p, const ob_kernel_args *args) {
    bool crops = p->transformation == OB_RESIZE_TF_CROP_AND_RESIZE, keeps = p->policy != OB_RESIZE_STRETCH;
    if (decides(args, p->scales) && !args->in[p->scales].data && ob__count(&args->in[p->scales]) > 0) return false;
    if (crops && decides(args, p->roi) && !args->in[p->roi].data) return false;
    return !(keeps && decides(args, p->sizes) && !args->in[p->sizes].data);
}

static ob_status read_floats(const ob_kernel_args *args, int32_t i, float *floats, int64_t most, int64_t *n, ob_error *error) {
    *n = decides(args, i) ? ob__count(&args->in[i]) : 0;
    OB_FAIL_IF(*n > most, error, OB_E_ARGUMENT, "input %d has %lld elements", i, (long long)*n);
    return *n ? ob__convert_in_run(args, floats, OB_FLOAT, args->in[i].data, args->in[i].dtype, *n, error) : OB_OK;
}

void ob__need_resize_values(const ob_resize_params *p, const ob_kernel_args *args, ob_kernel_needs *needs) {
    if (decides(args, p->scales)) ob__need_conversion(needs, args->in[p->scales].dtype, OB_FLOAT);
    if (decides(args, p->roi)) ob__need_conversion(needs, args->in[p->roi].dtype, OB_FLOAT);
}

ob_status ob__read_resize_values(const ob_resize_params *p, const ob_kernel_args *args, ob_resize_values *v, ob_error *error) {
    *v = (ob_resize_values){0};
    if (p->n_given >= 0) {
        v->n_scales = p->n_given;
        memcpy(v->scales, p->given, sizeof v->scales);
    } else {
        OB_TRY(read_floats(args, p->scales, v->scales, OB_MAX_RANK, &v->n_scales, error));
    }
    for (int64_t i = 0; i < v->n_scales && p->upsample; i++)
        OB_FAIL_IF(!(v->scales[i] >= 1), error, OB_E_ARGUMENT, "scale %d is %g, it has to be 1 or more", (int)i,
                   (double)v->scales[i]);
    if (p->transformation == OB_RESIZE_TF_CROP_AND_RESIZE)
        OB_TRY(read_floats(args, p->roi, v->regions, 2 * OB_MAX_RANK, &v->n_regions, error));
    if (!decides(args, p->sizes) || !args->in[p->sizes].data) return OB_OK;
    OB_TRY(ob__read_ints(&args->in[p->sizes], v->sizes, OB_MAX_RANK, &v->n_sizes, error));
    OB_FAIL_IF(v->n_scales > 0 && v->n_sizes > 0, error, OB_E_ARGUMENT, "both scales and sizes are given");
    return OB_OK;
}

ob_status ob__check_regions(const ob_resize_params *p, const ob_resize_values *v, int32_t n, ob_error *error) {
    if (p->transformation != OB_RESIZE_TF_CROP_AND_RESIZE) return OB_OK;
    OB_FAIL_IF(v->n_regions != 2 * (int64_t)n, error, OB_E_ARGUMENT,
               "tf_crop_and_resize: roi has %lld elements, a start and an end of %d axes are needed", (long long)v->n_regions, n);
    for (int32_t i = 0; i < n && v->n_scales; i++)
        OB_FAIL_IF(!(v->regions[n + i] > v->regions[i]), error, OB_E_ARGUMENT,
                   "tf_crop_and_resize: the region from %g to %g has no size to scale", (double)v->regions[i],
                   (double)v->regions[n + i]);
    return OB_OK;
}

float ob__scale_of(const ob_resize_values *v, int32_t i, int32_t n) {
    return v->n_regions ? ob__cropped_scale(v->scales[i], v->regions[i], v->regions[n + i]) : v->scales[i];
}

ob_status ob__resize_axes(const ob_resize_params *p, int32_t rank, int32_t *axes, int32_t *n, ob_error *error) {
    *n = p->n_axes >= 0 ? p->n_axes : rank;
    OB_FAIL_IF(*n > rank, error, OB_E_ARGUMENT, "%d axes are given for rank %d", *n, rank);
    for (int32_t i = 0; i < *n; i++) {
        axes[i] = i;
        if (p->n_axes >= 0) OB_TRY(ob__axis(p->axes[i], rank, &axes[i], error));
    }
    return OB_OK;
}

double ob__kept_aspect(const ob_resize_params *p, const ob_resize_values *v, const int64_t *in, const int32_t *axes, int32_t n) {
    double scale = 0;
    if (p->policy == OB_RESIZE_STRETCH) return 0;
    for (int32_t i = 0; i < n && i < v->n_sizes; i++) {
        double wanted = (double)v->sizes[i] / (double)in[axes[i]];
        if (i == 0 || (p->policy == OB_RESIZE_NOT_SMALLER ? wanted > scale : wanted < scale)) scale = wanted;
    }
    return scale;
}

int64_t ob__most_taps(const ob_resize_params *p, int64_t n_in, int64_t n_out) {
    if (p->mode == OB_RESIZE_NEAREST) return 1;
    return p->antialias ? 2 * (4 * (n_in / (n_out > 0 ? n_out : 1) + 1) + 2) : 4;
}

static double stretch_of(const ob_resize_params *p, const ob_resize_axis *a) {
    return p->antialias && a->scale < 1 ? a->scale : 1;
}

static ob_status count_taps(const ob_resize_params *p, ob_resize_axis *a, int32_t i, ob_error *error) {
    double first = floor(-(p->mode == OB_RESIZE_CUBIC ? 2 : 1) / stretch_of(p, a)) + 1;
    a->k.taps = 1;
    if (p->mode == OB_RESIZE_NEAREST || !a->active) return OB_OK;
    OB_FAIL_IF(!(2 - 2 * first <= (double)ob__most_taps(p, a->k.n_in, a->k.n_out)), error, OB_E_ARGUMENT,
               "axis %d: a scale of %g does not give %lld elements", i, a->scale, (long long)a->k.n_out);
    a->first = (int64_t)first;
    a->k.taps = 2 - 2 * a->first;
    return OB_OK;
}

ob_status ob__describe_axes(const ob_resize_params *p, const ob_resize_values *v, const ob_view *in, const ob_view *out,
                            ob_resize_axis *axes, ob_error *error) {
    int32_t named[OB_MAX_RANK], n;
    bool crops = p->transformation == OB_RESIZE_TF_CROP_AND_RESIZE;
    OB_TRY(ob__resize_axes(p, in->rank, named, &n, error));
    OB_FAIL_IF(v->n_scales && v->n_scales != n, error, OB_E_ARGUMENT, "%lld scales for %d axes", (long long)v->n_scales, n);
    OB_TRY(ob__check_regions(p, v, n, error));
    const double aspect = ob__kept_aspect(p, v, in->dims, named, n);
    for (int32_t a = 0; a < in->rank; a++)
        axes[a] = (ob_resize_axis){.scale = 1, .k = {.n_in = in->dims[a], .n_out = out->dims[a], .taps = 1}};
    for (int32_t i = 0; i < n; i++) {
        ob_resize_axis *a = &axes[named[i]];
        double sizes = a->k.n_in > 0 ? (double)a->k.n_out / (double)a->k.n_in : 1;
        a->scale = v->n_scales ? (double)v->scales[i] : aspect > 0 ? aspect : sizes;
        a->length = v->n_scales ? (double)ob__scale_of(v, i, n) * (double)a->k.n_in : (double)a->k.n_out;
        OB_FAIL_IF(!(a->scale > 0), error, OB_E_ARGUMENT, "axis %d is scaled by %g", named[i], a->scale);
        if (crops) {
            a->start = (double)v->regions[i];
            a->end = (double)v->regions[n + i];
        }
        a->active = a->k.n_in != a->k.n_out || a->scale != 1 || (crops && (a->start != 0 || a->end != 1));
        OB_TRY(count_taps(p, a, named[i], error));
    }
    for (int32_t a = 0; a < in->rank; a++)
        OB_FAIL_IF((!axes[a].active && in->dims[a] != out->dims[a]) || (in->dims[a] == 0 && out->dims[a] != 0), error, OB_E_SHAPE,
                   "axis %d changes from %lld to %lld", a, (long long)in->dims[a], (long long)out->dims[a]);
    return OB_OK;
}

/* ---- tables ---- */

/* Rounds to the precision of coordinates. For nearest these are floats like the scales, because rounding decides ties. Rounding
 * the double quotient gives the same as dividing floats. */
static double rounded(const ob_resize_params *p, double x) {
    return p->mode == OB_RESIZE_NEAREST ? (double)(float)x : x;
}

/* The coordinate in the input of position i of the result. */
static double coordinate(const ob_resize_params *p, const ob_resize_axis *a, int64_t i) {
    double x = (double)i, n = (double)a->k.n_in, offset = 0;
    switch (p->transformation) {
    case OB_RESIZE_ASYMMETRIC: return rounded(p, x / a->scale);
    case OB_RESIZE_ALIGN_CORNERS: return a->length == 1 ? 0 : rounded(p, x * (n - 1) / (a->length - 1));
    case OB_RESIZE_PYTORCH_HALF_PIXEL: return a->length > 1 ? rounded(p, (x + 0.5) / a->scale) - 0.5 : 0;
    case OB_RESIZE_TF_HALF_PIXEL_FOR_NN: return rounded(p, (x + 0.5) / a->scale);
    case OB_RESIZE_TF_CROP_AND_RESIZE:
        if (a->length <= 1) return 0.5 * (a->start + a->end) * (n - 1);
        return a->start * (n - 1) + x * (a->end - a->start) * (n - 1) / (a->length - 1);
    case OB_RESIZE_HALF_PIXEL_SYMMETRIC: offset = n / 2 * (1 - (double)a->k.n_out / (a->scale * n)); break;
    default: break;
    }
    return rounded(p, offset + (x + 0.5) / a->scale) - 0.5;
}

static double nearest(const ob_resize_params *p, const ob_resize_axis *a, double x) {
    if (p->early && a->scale < 1) return ceil(x);
    if (p->nearest == OB_RESIZE_FLOOR) return floor(x);
    if (p->nearest == OB_RESIZE_CEIL) return ceil(x);
    bool half = x == floor(x) + 0.5;
    if (half) return p->nearest == OB_RESIZE_ROUND_PREFER_CEIL ? ceil(x) : floor(x);
    return floor(x + 0.5);
}

static double cubic(double a, double x) {
    x = fabs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double weight_of(const ob_resize_params *p, double distance) {
    double linear = 1 - fabs(distance);
    if (p->mode == OB_RESIZE_NEAREST) return 1;
    return p->mode == OB_RESIZE_CUBIC ? cubic((double)p->cubic_a, distance) : linear > 0 ? linear : 0;
}

typedef struct tables {
    int32_t *index;
    void *weight;
    uint8_t *outside;
} tables;

static void fill_place(const ob_resize_params *p, const ob_resize_axis *a, bool wide, const tables *t, int64_t i) {
    const double limit = 0x1p40, end = (double)(a->k.n_in - 1), stretch = stretch_of(p, a);
    double x = coordinate(p, a, i), sum = 0;
    t->outside[i] = !(x >= 0 && x <= end);
    x = x > -limit ? x < limit ? x : limit : -limit; /* also for NaN */
    double base = p->mode == OB_RESIZE_NEAREST ? nearest(p, a, x) : ceil(x) - 1, ratio = x - base;
    for (int turn = 0; turn < 2; turn++) /* first the sum, which then divides the weights */
        for (int64_t k = 0; k < a->k.taps; k++) {
            int64_t at = (int64_t)base + a->first + k, place = k * a->k.n_out + i;
            double weight = weight_of(p, stretch * ((double)(a->first + k) - ratio));
            if (p->exclude_outside && p->mode != OB_RESIZE_NEAREST && (at < 0 || at >= a->k.n_in)) weight = 0;
            if (turn == 0) {
                sum += weight;
                continue;
            }
            if (sum != 0) weight /= sum;
            t->index[place] = (int32_t)(at < 0 ? 0 : at >= a->k.n_in ? a->k.n_in - 1 : at);
            if (wide)
                ((double *)t->weight)[place] = weight;
            else
                ((float *)t->weight)[place] = (float)weight;
        }
}

ob_status ob__resize_table_bytes(int64_t n_out, int64_t taps, bool wide, size_t *n_bytes, ob_error *error) {
    int64_t elems, bytes;
    size_t each = sizeof(int32_t) + (wide ? sizeof(double) : sizeof(float));
    bool large = ob__mul_overflows(n_out, taps, &elems) || ob__mul_overflows(elems, (int64_t)each, &bytes) ||
                 ob__add_overflows(bytes, n_out + 3 * 64, &bytes);
    OB_FAIL_IF(large || n_out > INT32_MAX, error, OB_E_LIMIT, "too large");
    *n_bytes = (size_t)bytes;
    return OB_OK;
}

void ob__fill_resize_tables(const ob_resize_params *p, ob_resize_axis *a, bool wide, void *memory) {
    char *next = memory;
    const int64_t elems = a->k.n_out * a->k.taps;
    tables t = {.weight = ob__take(&next, elems, wide ? sizeof(double) : sizeof(float))};
    t.index = ob__take(&next, elems, sizeof *t.index);
    t.outside = ob__take(&next, a->k.n_out, 1);
    a->k.rises = true;
    a->k.wide = wide;
    a->k.times = a->k.n_in > 0 && a->k.n_out % a->k.n_in == 0 ? a->k.n_out / a->k.n_in : 0;
    for (int64_t i = 0; i < a->k.n_out; i++) {
        fill_place(p, a, wide, &t, i);
        if (a->k.times > 0 && t.index[i] != i / a->k.times) a->k.times = 0;
        for (int64_t k = 0; k < a->k.taps && i > 0; k++)
            if (t.index[k * a->k.n_out + i] < t.index[k * a->k.n_out + i - 1]) a->k.rises = false;
    }
    a->k.index = t.index;
    a->k.weight = t.weight;
    a->outside = p->transformation == OB_RESIZE_TF_CROP_AND_RESIZE ? t.outside : NULL;
}
