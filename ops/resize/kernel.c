/* Resize 10, 11, 13, 18, 19 and Upsample 1, 7, 9, 10: nearest, linear and cubic interpolation along any axes.
 *
 * Every axis has, for each place of the result, a few elements of the input with weights; linear and cubic apply the axes one
 * after the other in float (double for double), nearest picks elements of any type, from coordinates in float as the scales are:
 * ties decide. Versions before 11 use x / scale and, for nearest, floor, or ceil where an axis shrinks. All coordinate
 * transformations, nearest modes, exclude_outside, antialias (18), axes (18), keep_aspect_ratio_policy (the planned dims have
 * it). tf_crop_and_resize takes extrapolation_value where a coordinate is outside. */
#include "ops/kernel/common.h"
#include "ops/resize/resized.h"

typedef enum mode { NEAREST, LINEAR, CUBIC } mode;

typedef struct axis_map {
    bool active;
    int64_t n_in, n_out;
    double scale, length; /* length: of the resized axis, a fraction when a scale was given */
    double start, end;    /* of the region of interest */
    int64_t taps, first;  /* elements per place, and the first of them relative to the one before the coordinate */
    int64_t *index;       /* n_out * taps, inside the axis */
    double *weight;
    uint8_t *outside; /* n_out */
} axis_map;

typedef struct resize {
    mode mode;
    const char *transformation, *nearest;
    bool exclude_outside, antialias, crops;
    bool early; /* before 11 */
    double cubic_a;
    axis_map axes[OB_MAX_RANK];
} resize;

static bool is(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

/* More than any scale that gives n_out places can need. */
static int64_t most_taps(const ob_kernel_args *args, int32_t a) {
    int64_t n_in = args->in[0].dims[a], n_out = args->out[0].dims[a];
    if (!ob__node_int(args->node, "antialias", 0)) return 4;
    return 2 * (4 * (n_in / (n_out > 0 ? n_out : 1) + 1) + 2);
}

static bool reads_regions(const ob_kernel_args *args) {
    return args->op->since >= 11 && !is(args->node->op_type, "Upsample");
}

/* n floats of input i; n 0 when it is not given or empty. */
static ob_status read_floats(const ob_kernel_args *args, uint32_t i, float *out, int64_t *n, int64_t max, ob_error *error) {
    *n = ob__given(args, i) ? ob__count(&args->in[i]) : 0;
    OB_FAIL_IF(*n > max, error, OB_E_ARGUMENT, "%s: input %u has %lld elements", args->node->op_type, i, (long long)*n);
    return *n ? ob__convert(out, OB_FLOAT, args->in[i].data, args->in[i].dtype, *n, error) : OB_OK;
}

static ob_status find_scales(const ob_kernel_args *args, float *scales, int64_t *n, ob_error *error) {
    const ob_node *node = args->node;
    if (is(node->op_type, "Upsample") && args->op->since < 9) {
        const ob_attribute *given = ob__node_attribute(node, "scales");
        *n = 4;
        scales[0] = scales[1] = 1;
        scales[2] = ob__node_float(node, "height_scale", 0);
        scales[3] = ob__node_float(node, "width_scale", 0);
        if (!given || given->type != OB_ATTR_FLOATS) return OB_OK;
        *n = given->n < OB_MAX_RANK ? given->n : OB_MAX_RANK;
        memcpy(scales, given->u.floats, (size_t)*n * sizeof *scales);
        return OB_OK;
    }
    return read_floats(args, reads_regions(args) ? 2 : 1, scales, n, OB_MAX_RANK, error);
}

static ob_status read_scales(const ob_kernel_args *args, float *scales, int64_t *n, ob_error *error) {
    OB_TRY(find_scales(args, scales, n, error));
    for (int64_t i = 0; i < *n && is(args->node->op_type, "Upsample"); i++)
        OB_FAIL_IF(!(scales[i] >= 1), error, OB_E_ARGUMENT, "Upsample: scale %d is %g, it has to be 1 or more", (int)i,
                   (double)scales[i]);
    return OB_OK;
}

static const char *const transformations[] = {
    "half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn",
    "align_corners", "asymmetric",           "tf_crop_and_resize", NULL};
static const char *const nearest_modes[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL};
static const char *const policies[] = {"stretch", "not_larger", "not_smaller", NULL};

static ob_status check_name(const ob_node *node, const char *attribute, const char *given, const char *const *names,
                            ob_error *error) {
    for (; *names; names++)
        if (is(*names, given)) return OB_OK;
    return ob__fail(error, OB_E_ARGUMENT, "%s: %s \"%s\"", node->op_type, attribute, given);
}

static ob_status read_modes(const ob_kernel_args *args, resize *r, ob_error *error) {
    const ob_node *node = args->node;
    const char *name = ob__node_string(node, "mode", "nearest");
    memset(r, 0, sizeof *r);
    r->mode = is(name, "linear") || is(name, "bilinear") ? LINEAR : is(name, "cubic") ? CUBIC : NEAREST;
    OB_FAIL_IF(r->mode == NEAREST && !is(name, "nearest"), error, OB_E_ARGUMENT, "%s: mode \"%s\"", node->op_type, name);
    r->early = !reads_regions(args);
    r->transformation = r->early ? "asymmetric" : ob__node_string(node, "coordinate_transformation_mode", "half_pixel");
    r->nearest = r->early ? "floor" : ob__node_string(node, "nearest_mode", "round_prefer_floor");
    OB_TRY(check_name(node, "coordinate_transformation_mode", r->transformation, transformations, error));
    OB_TRY(check_name(node, "nearest_mode", r->nearest, nearest_modes, error));
    OB_TRY(check_name(node, "keep_aspect_ratio_policy", ob__node_string(node, "keep_aspect_ratio_policy", "stretch"), policies,
                      error));
    r->exclude_outside = ob__node_int(node, "exclude_outside", 0) != 0;
    r->antialias = ob__node_int(node, "antialias", 0) != 0;
    r->cubic_a = (double)ob__node_float(node, "cubic_coeff_a", -0.75f);
    r->crops = is(r->transformation, "tf_crop_and_resize");
    return OB_OK;
}

/* One scale for all axes where the aspect ratio is kept: the least or the greatest that the sizes ask for. */
static ob_status kept_aspect(const ob_kernel_args *args, const int32_t *axes, int32_t n, double *scale, ob_error *error) {
    const char *policy = ob__node_string(args->node, "keep_aspect_ratio_policy", "stretch");
    int64_t sizes[OB_MAX_RANK];
    int32_t n_sizes = 0;
    *scale = 0;
    if (is(policy, "stretch") || !ob__given(args, 3)) return OB_OK;
    OB_TRY(ob__read_ints(&args->in[3], sizes, OB_MAX_RANK, &n_sizes, error));
    for (int32_t i = 0; i < n && i < n_sizes; i++) {
        double wanted = (double)sizes[i] / (double)args->in[0].dims[axes[i]];
        if (i == 0 || (is(policy, "not_smaller") ? wanted > *scale : wanted < *scale)) *scale = wanted;
    }
    return OB_OK;
}

static ob_status read_axes(const ob_kernel_args *args, resize *r, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    uint32_t n_axes;
    const int64_t *given = ob__node_ints(args->node, "axes", &n_axes);
    int32_t axes[OB_MAX_RANK], n = given ? (int32_t)n_axes : in->rank;
    OB_FAIL_IF(out->rank != in->rank || n_axes > (uint32_t)in->rank, error, OB_E_SHAPE, "%s: ranks differ", args->node->op_type);
    for (int32_t i = 0; i < n; i++) {
        axes[i] = i;
        if (given) OB_TRY(ob__axis(given[i], in->rank, &axes[i], error));
    }
    float scales[OB_MAX_RANK], regions[2 * OB_MAX_RANK];
    int64_t n_scales = 0, n_regions = 0;
    double aspect = 0;
    OB_TRY(read_scales(args, scales, &n_scales, error));
    if (r->crops) OB_TRY(read_floats(args, 1, regions, &n_regions, 2 * OB_MAX_RANK, error));
    bool bad = (n_scales && n_scales != n) || (r->crops && n_regions != 2 * (int64_t)n);
    OB_FAIL_IF(bad, error, OB_E_ARGUMENT, "%s: %lld scales for %d axes", args->node->op_type, (long long)n_scales, n);
    OB_TRY(kept_aspect(args, axes, n, &aspect, error));
    for (int32_t a = 0; a < in->rank; a++) r->axes[a] = (axis_map){.n_in = in->dims[a], .n_out = out->dims[a], .scale = 1};
    for (int32_t i = 0; i < n; i++) {
        axis_map *m = &r->axes[axes[i]];
        m->scale = n_scales ? (double)scales[i] : aspect > 0 ? aspect : m->n_in > 0 ? (double)m->n_out / (double)m->n_in : 1;
        m->length = n_scales ? m->scale * (double)m->n_in : (double)m->n_out;
        OB_FAIL_IF(!(m->scale > 0), error, OB_E_ARGUMENT, "%s: axis %d is scaled by %g", args->node->op_type, axes[i], m->scale);
        if (r->crops) {
            m->start = (double)regions[i];
            m->end = (double)regions[n + i];
        }
        m->active = m->n_in != m->n_out || m->scale != 1 || (r->crops && (m->start != 0 || m->end != 1));
    }
    for (int32_t a = 0; a < in->rank; a++)
        OB_FAIL_IF((!r->axes[a].active && in->dims[a] != out->dims[a]) || (in->dims[a] == 0 && out->dims[a] != 0), error,
                   OB_E_SHAPE, "%s: axis %d changes from %lld to %lld", args->node->op_type, a, (long long)in->dims[a],
                   (long long)out->dims[a]);
    return OB_OK;
}

/* A quotient in the precision of the coordinates. Rounding the double one gives what dividing floats does. */
static double divided(const resize *r, double x, double by) {
    return r->mode == NEAREST ? (double)(float)(x / by) : x / by;
}

/* Where place i of the result lies in the input. */
static double coordinate(const resize *r, const axis_map *m, int64_t i) {
    double x = (double)i, n = (double)m->n_in;
    const char *t = r->transformation;
    if (is(t, "asymmetric")) return divided(r, x, m->scale);
    if (is(t, "align_corners")) return m->length == 1 ? 0 : divided(r, x * (n - 1), m->length - 1);
    if (is(t, "pytorch_half_pixel")) return m->length > 1 ? divided(r, x + 0.5, m->scale) - 0.5 : 0;
    if (is(t, "tf_half_pixel_for_nn")) return divided(r, x + 0.5, m->scale);
    if (r->crops) {
        if (m->length <= 1) return 0.5 * (m->start + m->end) * (n - 1);
        return m->start * (n - 1) + x * (m->end - m->start) * (n - 1) / (m->length - 1);
    }
    double offset = is(t, "half_pixel_symmetric") ? n / 2 * (1 - (double)m->n_out / (m->scale * n)) : 0;
    return offset + divided(r, x + 0.5, m->scale) - 0.5;
}

static double nearest(const resize *r, const axis_map *m, double x) {
    if (r->early && m->scale < 1) return ceil(x);
    if (is(r->nearest, "floor")) return floor(x);
    if (is(r->nearest, "ceil")) return ceil(x);
    bool half = x == floor(x) + 0.5;
    if (half) return is(r->nearest, "round_prefer_ceil") ? ceil(x) : floor(x);
    return floor(x + 0.5);
}

static double cubic(double a, double x) {
    x = fabs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static void fill_taps(const resize *r, axis_map *m, int64_t i) {
    double x = coordinate(r, m, i), limit = 0x1p40;
    m->outside[i] = r->crops && !(x >= 0 && x <= (double)(m->n_in - 1));
    x = x > -limit ? x < limit ? x : limit : -limit; /* NaN too */
    double base = r->mode == NEAREST ? nearest(r, m, x) : ceil(x) - 1, ratio = x - base, sum = 0;
    double stretch = r->antialias && m->scale < 1 ? m->scale : 1;
    int64_t *index = m->index + i * m->taps;
    double *weight = m->weight + i * m->taps;
    for (int64_t k = 0; k < m->taps; k++) {
        int64_t at = (int64_t)base + m->first + k;
        double distance = stretch * ((double)(m->first + k) - ratio), linear = 1 - fabs(distance);
        weight[k] = r->mode == NEAREST ? 1 : r->mode == CUBIC ? cubic(r->cubic_a, distance) : linear > 0 ? linear : 0;
        if (r->exclude_outside && r->mode != NEAREST && (at < 0 || at >= m->n_in)) weight[k] = 0;
        sum += weight[k];
        index[k] = at < 0 ? 0 : at >= m->n_in ? m->n_in - 1 : at;
    }
    for (int64_t k = 0; k < m->taps && sum != 0; k++) weight[k] /= sum;
}

static ob_status map_axes(const ob_kernel_args *args, resize *r, char **scratch, ob_error *error) {
    OB_TRY(read_modes(args, r, error));
    OB_TRY(read_axes(args, r, error));
    for (int32_t a = 0; a < args->in[0].rank; a++) {
        axis_map *m = &r->axes[a];
        int64_t most = most_taps(args, a);
        m->index = ob__take(scratch, m->n_out * most, sizeof(int64_t));
        m->weight = ob__take(scratch, m->n_out * most, sizeof(double));
        m->outside = ob__take(scratch, m->n_out, 1);
        double stretch = r->antialias && m->scale < 1 ? m->scale : 1, reach = r->mode == CUBIC ? 2 : 1;
        double first = floor(-reach / stretch) + 1;
        OB_FAIL_IF(!(2 - 2 * first <= (double)most), error, OB_E_ARGUMENT,
                   "%s: axis %d: a scale of %g does not give %lld elements", args->node->op_type, a, m->scale,
                   (long long)m->n_out);
        m->first = r->mode == NEAREST ? 0 : (int64_t)first;
        m->taps = r->mode == NEAREST ? 1 : 2 - 2 * m->first;
        for (int64_t i = 0; m->active && i < m->n_out; i++) fill_taps(r, m, i);
    }
    return OB_OK;
}

/* ---- nearest: elements picked, of any type ---- */

static void pick(const ob_kernel_args *args, resize *r) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    size_t width = ob_dtype_size(in->dtype);
    int64_t index[OB_MAX_RANK] = {0};
    char *to = out->data;
    if (in->rank == 0) {
        memcpy(to, in->data, width);
        return;
    }
    int32_t last = in->rank - 1;
    const axis_map *inner = &r->axes[last];
    for (;;) {
        const char *from = in->data;
        for (int32_t a = 0; a < last; a++) from += (r->axes[a].active ? r->axes[a].index[index[a]] : index[a]) * in->strides[a];
        if (!inner->active)
            memcpy(to, from, (size_t)inner->n_out * width);
        else if (width == 4)
            for (int64_t i = 0; i < inner->n_out; i++) memcpy(to + i * 4, from + inner->index[i] * 4, 4);
        else
            for (int64_t i = 0; i < inner->n_out; i++)
                memcpy(to + i * (int64_t)width, from + inner->index[i] * (int64_t)width, width);
        to += inner->n_out * (int64_t)width;
        int32_t a = last - 1;
        while (a >= 0 && ++index[a] == out->dims[a]) index[a--] = 0;
        if (a < 0) return;
    }
}

/* ---- linear and cubic: one axis at a time ---- */

#define BLEND(name, type)                                                                                                        \
    static void name(const axis_map *m, int64_t outer, int64_t inner, const type *x, type *y) {                                  \
        for (int64_t o = 0; o < outer; o++)                                                                                      \
            for (int64_t i = 0; i < m->n_out; i++, y += inner) {                                                                 \
                for (int64_t s = 0; s < inner; s++) y[s] = 0;                                                                    \
                for (int64_t k = 0; k < m->taps; k++) {                                                                          \
                    const type *row = x + (o * m->n_in + m->index[i * m->taps + k]) * inner;                                     \
                    type weight = (type)m->weight[i * m->taps + k];                                                              \
                    for (int64_t s = 0; weight != 0 && s < inner; s++) y[s] += weight * row[s];                                  \
                }                                                                                                                \
            }                                                                                                                    \
    }
BLEND(blend_float, float)
BLEND(blend_double, double)

static bool in_double(const ob_kernel_args *args) {
    ob_dtype dtype = args->in[0].dtype;
    return dtype == OB_DOUBLE || dtype == OB_INT64 || dtype == OB_UINT64 || dtype == OB_INT32 || dtype == OB_UINT32;
}

/* The largest tensor on the way, axes taken from the first to the last. */
static int64_t most_elems(const ob_kernel_args *args) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    int64_t most = ob__count(in);
    for (int32_t a = 0; a < in->rank && a < out->rank; a++) {
        int64_t n;
        if (ob__mul_overflows(ob__product(out->dims, 0, a + 1), ob__product(in->dims, a + 1, in->rank), &n)) return INT64_MAX;
        most = n > most ? n : most;
    }
    return most;
}

static ob_status blend(const ob_kernel_args *args, resize *r, char *scratch, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    bool wide = in_double(args);
    ob_dtype type = wide ? OB_DOUBLE : OB_FLOAT;
    int64_t most = most_elems(args);
    void *from = ob__take(&scratch, most, ob_dtype_size(type)), *to = ob__take(&scratch, most, ob_dtype_size(type));
    OB_TRY(ob__convert(from, type, in->data, in->dtype, ob__count(in), error));
    for (int32_t a = 0; a < in->rank && !ob__stopped(args->threads); a++) {
        if (!r->axes[a].active) continue;
        int64_t outer = ob__product(out->dims, 0, a), inner = ob__product(in->dims, a + 1, in->rank);
        if (wide)
            blend_double(&r->axes[a], outer, inner, from, to);
        else
            blend_float(&r->axes[a], outer, inner, from, to);
        void *swap = from;
        from = to;
        to = swap;
    }
    return ob__convert(out->data, out->dtype, from, type, ob__count(out), error);
}

static ob_status extrapolate(const ob_kernel_args *args, const resize *r, ob_error *error) {
    const ob_view *out = &args->out[0];
    float given = ob__node_float(args->node, "extrapolation_value", 0);
    double aligned[2] = {0};
    int64_t count = ob__count(out), index[OB_MAX_RANK] = {0};
    size_t width = ob_dtype_size(out->dtype);
    OB_TRY(ob__convert(aligned, out->dtype, &given, OB_FLOAT, 1, error));
    for (int64_t i = 0; i < count; i++) {
        bool outside = false;
        for (int32_t a = 0; a < out->rank; a++) outside |= r->axes[a].active && r->axes[a].outside[index[a]];
        if (outside) memcpy((char *)out->data + i * (int64_t)width, aligned, width);
        for (int32_t a = out->rank - 1; a >= 0; a--) {
            if (++index[a] < out->dims[a]) break;
            index[a] = 0;
        }
    }
    return OB_OK;
}

static ob_status resize_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    resize r;
    OB_TRY(read_modes(args, &r, error));
    OB_FAIL_IF(in->rank != out->rank, error, OB_E_SHAPE, "%s: ranks differ", site->node->op_type);
    if (ob__count(out) == 0) return OB_OK;
    for (int32_t a = 0; a < in->rank; a++) {
        int64_t n;
        OB_FAIL_IF(ob__mul_overflows(out->dims[a], most_taps(args, a), &n), error, OB_E_LIMIT, "%s: too large",
                   site->node->op_type);
        OB_TRY(ob__need_scratch(needs, n, sizeof(int64_t), error));
        OB_TRY(ob__need_scratch(needs, n, sizeof(double), error));
        OB_TRY(ob__need_scratch(needs, out->dims[a], 1, error));
    }
    if (r.mode == NEAREST) return OB_OK;
    OB_TRY(ob__convert(NULL, OB_FLOAT, NULL, in->dtype, 0, error));
    for (int i = 0; i < 2; i++)
        OB_TRY(ob__need_scratch(needs, most_elems(args), in_double(args) ? sizeof(double) : sizeof(float), error));
    return OB_OK;
}

static ob_status resize_run(const ob_kernel_args *args, ob_error *error) {
    resize r;
    char *scratch = args->scratch;
    if (ob__count(&args->out[0]) == 0) return OB_OK;
    OB_TRY(map_axes(args, &r, &scratch, error));
    if (r.mode == NEAREST)
        pick(args, &r);
    else
        OB_TRY(blend(args, &r, scratch, error));
    return r.crops ? extrapolate(args, &r, error) : OB_OK;
}

/* The dims, when scales or sizes come out of the run. */
static ob_status resize_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0];
    ob_view *out = &args->out[0];
    uint32_t n_axes;
    const int64_t *given = ob__node_ints(site->node, "axes", &n_axes);
    int32_t n = given ? (int32_t)n_axes : in->rank, axes[OB_MAX_RANK], n_sizes = 0;
    int64_t sizes[OB_MAX_RANK], n_scales = 0;
    float scales[OB_MAX_RANK];
    double aspect = 0;
    OB_FAIL_IF(n > in->rank, error, OB_E_ARGUMENT, "%s: %d axes", site->node->op_type, n);
    OB_TRY(read_scales(args, scales, &n_scales, error));
    if (reads_regions(args) && ob__given(args, 3)) OB_TRY(ob__read_ints(&args->in[3], sizes, OB_MAX_RANK, &n_sizes, error));
    OB_FAIL_IF(n_scales != n && n_sizes != n, error, OB_E_ARGUMENT, "%s: scales or sizes for %d axes", site->node->op_type, n);
    for (int32_t i = 0; i < n; i++) {
        axes[i] = i;
        if (given) OB_TRY(ob__axis(given[i], in->rank, &axes[i], error));
    }
    OB_TRY(kept_aspect(args, axes, n, &aspect, error));
    out->rank = in->rank;
    memcpy(out->dims, in->dims, sizeof out->dims);
    for (int32_t i = 0; i < n; i++) {
        int64_t *size = &out->dims[axes[i]];
        if (n_scales == n)
            *size = ob__resized(*size, scales[i]);
        else
            *size = aspect > 0 ? ob__resized_alike(*size, aspect) : sizes[i];
        OB_FAIL_IF(*size < 0, error, OB_E_ARGUMENT, "%s: a negative size", site->node->op_type);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_resize = {.name = "resize", .plan = resize_plan, .run = resize_run, .shape = resize_shape};
