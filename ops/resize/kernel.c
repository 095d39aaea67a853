/* Resize 10, 11, 13, 18, 19 and Upsample 1, 7, 9, 10: nearest, linear and cubic interpolation along any axes.
 *
 * For each position of the result along an axis, tables hold a few elements of the input with weights. Linear and cubic apply one
 * axis after the other in float (double for double and wide integers), block by block, so that intermediate results stay in the
 * cache; nearest copies elements of any type. Supported are all coordinate transformations, all nearest modes, exclude_outside,
 * antialias (18), axes (18) and keep_aspect_ratio_policy. tf_crop_and_resize uses extrapolation_value for coordinates outside. */
#include "core/base/integers.h"
#include "kernels/resize/resize.h"
#include "kernels/take.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/resize/axes.h"
#include "ops/resize/resized.h"
#include "ops/table/op.h"

enum { CACHED_BYTES = 128 << 10, CHUNK_BYTES = 64 << 10 };

typedef struct resize {
    bool known;                /* only constants decide positions, so `axes` has its tables; otherwise each run makes them */
    bool wide;                 /* computed in double */
    bool picks;                /* nearest */
    const ob_resize_params *p; /* if not known */
    obk_resize_pick pick;      /* these three: NULL, if no axis needs it */
    obk_resize_along along;
    obk_resize_rows rows;
    int32_t rank;
    ob_resize_axis *axes;
    ob_kept_element beyond; /* for a crop: the element outside the input */
    int64_t block, most;    /* positions along the first axis that changes, computed together; elements of one of two buffers */
    int64_t n_each;         /* rows that are copied together */
} resize;

static const ob_member params_members[] = {OB_VALUE(ob_resize_params, mode),          OB_VALUE(ob_resize_params, transformation),
                                           OB_VALUE(ob_resize_params, nearest),       OB_VALUE(ob_resize_params, policy),
                                           OB_VALUE(ob_resize_params, upsample),      OB_VALUE(ob_resize_params, exclude_outside),
                                           OB_VALUE(ob_resize_params, antialias),     OB_ONLY_NULL(ob_resize_params, unknown),
                                           OB_UNREAD(ob_resize_params, unknown_text), OB_VALUE(ob_resize_params, early),
                                           OB_VALUE(ob_resize_params, cubic_a),       OB_VALUE(ob_resize_params, extrapolation),
                                           OB_VALUE(ob_resize_params, n_axes),        OB_VALUES(ob_resize_params, axes),
                                           OB_VALUE(ob_resize_params, roi),           OB_VALUE(ob_resize_params, scales),
                                           OB_VALUE(ob_resize_params, sizes),         OB_VALUE(ob_resize_params, n_given),
                                           OB_VALUES(ob_resize_params, given)};
static const ob_struct params_struct = OB_STRUCT(ob_resize_params, params_members);

OB_COUNT(places, ob_resize_axis, k.n_out)

static const ob_member axis_members[] = {OB_VALUE(ob_resize_axis, active),
                                         OB_VALUE(ob_resize_axis, scale),
                                         OB_VALUE(ob_resize_axis, length),
                                         OB_VALUE(ob_resize_axis, start),
                                         OB_VALUE(ob_resize_axis, end),
                                         OB_VALUE(ob_resize_axis, first),
                                         OB_NESTED(ob_resize_axis, k, &obk_resize_axis_struct),
                                         OB_NUMBERS(ob_resize_axis, outside, places)};
static const ob_struct axis_struct = OB_STRUCT(ob_resize_axis, axis_members);

OB_COUNT(axes_of, resize, rank)

static const ob_member resize_members[] = {OB_VALUE(resize, known),
                                           OB_VALUE(resize, wide),
                                           OB_VALUE(resize, picks),
                                           OB_POINTER(resize, p, &params_struct, NULL),
                                           OB_FUNCTION(resize, pick),
                                           OB_FUNCTION(resize, along),
                                           OB_FUNCTION(resize, rows),
                                           OB_VALUE(resize, rank),
                                           OB_POINTER(resize, axes, &axis_struct, axes_of),
                                           OB_NESTED(resize, beyond, &ob__kept_element_struct),
                                           OB_VALUE(resize, block),
                                           OB_VALUE(resize, most),
                                           OB_VALUE(resize, n_each)};
static const ob_struct resize_struct = OB_STRUCT(resize, resize_members);

static bool in_double(ob_dtype dtype) {
    return dtype == OB_DOUBLE || dtype == OB_INT64 || dtype == OB_UINT64 || dtype == OB_INT32 || dtype == OB_UINT32;
}

static ob_dtype computing(const resize *r) {
    return r->wide ? OB_DOUBLE : OB_FLOAT;
}

/* ---- nearest: copies elements of any type ---- */

typedef struct picking {
    const resize *r;
    const ob_kernel_args *args;
    const ob_resize_axis *axes;
    int32_t last; /* the last axis that changes; elements after it are copied together */
    int64_t n_rows, unit;
} picking;

static int64_t picked(const ob_resize_axis *axis, int64_t i) {
    return axis->active ? axis->k.index[i] : i;
}

/* The element of the input for position `row` of the axes up to `a`. */
static int64_t source(const picking *j, int32_t a, int64_t row) {
    int64_t at = 0, step = 1;
    for (; a >= 0; a--) {
        const ob_resize_axis *axis = &j->axes[a];
        at += picked(axis, row % axis->k.n_out) * step;
        step *= axis->k.n_in;
        row /= axis->k.n_out;
    }
    return at;
}

/* Copies rows first .. end of the result, all at one position of the axes before the axis of rows; repeated rows are copied from
 * the result. */
static void pick_rows(const picking *j, const ob_resize_axis *rows, int64_t first, int64_t end) {
    const obk_resize_axis *axis = &j->axes[j->last].k;
    const int64_t n = rows->k.n_out, row_bytes = axis->n_out * j->unit, place = first / n;
    const int64_t begin = source(j, j->last - 2, place) * rows->k.n_in;
    char *to = (char *)j->args->out[0].data + first * row_bytes;
    for (int64_t i = first - place * n, before = -1; i < end - place * n; i++, to += row_bytes) {
        const int64_t from = begin + picked(rows, i);
        if (from == before)
            memcpy(to, to - row_bytes, (size_t)row_bytes);
        else
            j->r->pick(axis, j->unit, (const char *)j->args->in[0].data + from * axis->n_in * j->unit, to);
        before = from;
    }
}

static void pick_chunk(void *context, int64_t chunk, int lane) {
    const picking *j = context;
    static const ob_resize_axis single = {.k = {.n_in = 1, .n_out = 1}};
    const ob_resize_axis *rows = j->last > 0 ? &j->axes[j->last - 1] : &single;
    const int64_t n = rows->k.n_out, first = chunk * j->r->n_each,
                  end = first + j->r->n_each < j->n_rows ? first + j->r->n_each : j->n_rows;
    (void)lane;
    for (int64_t row = first, next; row < end; row = next) {
        next = (row / n + 1) * n < end ? (row / n + 1) * n : end;
        pick_rows(j, rows, row, next);
    }
}

static int32_t last_active(const ob_resize_axis *axes, int32_t rank) {
    while (rank > 0 && !axes[rank - 1].active) rank--;
    return rank - 1;
}

static void pick(const ob_kernel_args *args, const resize *r, const ob_resize_axis *axes) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    picking j = {.r = r, .args = args, .axes = axes, .last = last_active(axes, in->rank)};
    if (j.last < 0) {
        memcpy(out->data, in->data, (size_t)ob__count(in) * ob_dtype_size(in->dtype));
        return;
    }
    j.n_rows = ob__product(out->dims, 0, j.last);
    j.unit = ob__product(in->dims, j.last + 1, in->rank) * (int64_t)ob_dtype_size(in->dtype);
    ob__each_chunk(args->threads, ob__ceil_div(j.n_rows, r->n_each), pick_chunk, &j);
}

/* ---- linear and cubic: one axis at a time ---- */

typedef struct blending {
    const resize *r;
    const ob_kernel_args *args;
    const ob_resize_axis *axes;
    int32_t first;                   /* the first axis that changes */
    int64_t n_blocks, inner, behind; /* blocks of it; elements after it in the input and in the result */
    ob_status *status;
} blending;

/* The range of elements of the first axis that positions begin .. end use. */
static void span_of(const obk_resize_axis *axis, int64_t begin, int64_t end, int64_t *low, int64_t *high) {
    *low = axis->n_in;
    *high = 0;
    for (int64_t k = 0; k < axis->taps; k++)
        for (int64_t i = begin; i < end; i++) {
            int32_t at = axis->index[k * axis->n_out + i];
            if (at < *low) *low = at;
            if (at >= *high) *high = at + 1;
        }
}

/* Applies one axis to `outer` pieces. */
static void along(const resize *r, const obk_resize_axis *axis, int64_t outer, int64_t inner, const char *x, char *y) {
    const int64_t width = (int64_t)ob_dtype_size(computing(r));
    if (inner == 1) {
        r->rows(axis, outer, x, y);
        return;
    }
    for (int64_t o = 0; o < outer; o++, x += axis->n_in * inner * width, y += axis->n_out * inner * width)
        r->along(axis, 0, axis->n_out, inner, x, 0, y);
}

static void blend_chunk(void *context, int64_t chunk, int lane) {
    const blending *j = context;
    const resize *r = j->r;
    const ob_view *in = &j->args->in[0], *out = &j->args->out[0];
    const int32_t rank = in->rank, last = last_active(j->axes, rank);
    const obk_resize_axis *axis = &j->axes[j->first].k;
    const int64_t width = (int64_t)ob_dtype_size(computing(r)), outer = chunk / j->n_blocks,
                  begin = chunk % j->n_blocks * r->block, end = begin + r->block < axis->n_out ? begin + r->block : axis->n_out;
    const bool converts = in->dtype != computing(r);
    char *memory = ob__lane(j->args->lanes, j->args->lane_stride, lane), *buffers[2] = {memory, memory + r->most * width};
    const char *from = (const char *)in->data + outer * axis->n_in * j->inner * (int64_t)ob_dtype_size(in->dtype);
    char *result = (char *)out->data + (outer * axis->n_out + begin) * j->behind * (int64_t)ob_dtype_size(out->dtype);
    int64_t low = 0, high;
    if (converts) {
        span_of(axis, begin, end, &low, &high);
        char *converted = memory + 2 * r->most * width;
        (void)ob__convert_in_run(j->args, converted, computing(r), from + low * j->inner * (int64_t)ob_dtype_size(in->dtype),
                                 in->dtype, (high - low) * j->inner, NULL);
        from = converted;
    }
    char *to = j->first == last && !converts ? result : buffers[0];
    if (j->inner == 1 && begin == 0 && end == axis->n_out && low == 0)
        r->rows(axis, 1, from, to);
    else
        r->along(axis, begin, end, j->inner, from, low, to);
    int64_t pieces = end - begin;
    for (int32_t a = j->first + 1, turn = 1; a <= last; a++) {
        if (j->axes[a].active) {
            from = to;
            to = a == last && !converts ? result : buffers[turn++ % 2];
            along(r, &j->axes[a].k, pieces, ob__product(in->dims, a + 1, rank), from, to);
        }
        pieces *= out->dims[a];
    }
    if (converts) (void)ob__convert_in_run(j->args, result, out->dtype, to, computing(r), (end - begin) * j->behind, NULL);
}

static int32_t first_active(const ob_resize_axis *axes, int32_t rank) {
    int32_t a = 0;
    while (a < rank && !axes[a].active) a++;
    return a;
}

static void blend(const ob_kernel_args *args, const resize *r, const ob_resize_axis *axes) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    blending j = {.r = r, .args = args, .axes = axes, .first = first_active(axes, in->rank)};
    if (j.first == in->rank) {
        memcpy(out->data, in->data, (size_t)ob__count(in) * ob_dtype_size(in->dtype));
        return;
    }
    j.n_blocks = ob__ceil_div(out->dims[j.first], r->block);
    j.inner = ob__product(in->dims, j.first + 1, in->rank);
    j.behind = ob__product(out->dims, j.first + 1, out->rank);
    ob__each_chunk(args->threads, ob__product(out->dims, 0, j.first) * j.n_blocks, blend_chunk, &j);
}

static void extrapolate(const ob_kernel_args *args, const resize *r, const ob_resize_axis *axes) {
    const ob_view *out = &args->out[0];
    int64_t count = ob__count(out), index[OB_MAX_RANK] = {0};
    size_t width = ob_dtype_size(out->dtype);
    for (int64_t i = 0; i < count; i++) {
        bool outside = false;
        for (int32_t a = 0; a < out->rank; a++) outside |= axes[a].active && axes[a].outside[index[a]];
        if (outside) memcpy((char *)out->data + i * (int64_t)width, r->beyond.at, width);
        for (int32_t a = out->rank - 1; a >= 0; a--) {
            if (++index[a] < out->dims[a]) break;
            index[a] = 0;
        }
    }
}

/* ---- the kernel ---- */

/* The greatest number of elements that one position of axis `first` has at any step through the axes. */
static int64_t most_behind(const ob_view *in, const ob_view *out, int32_t first) {
    int64_t most = 1;
    for (int32_t a = first; a < in->rank; a++) {
        int64_t n;
        if (ob__mul_overflows(ob__product(out->dims, first + 1, a + 1), ob__product(in->dims, a + 1, in->rank), &n))
            return INT64_MAX;
        if (n > most) most = n;
    }
    return most;
}

/* If positions are not known yet, any axis whose size changes may be the first one that changes. */
static ob_status plan_blocks(const ob_kernel_args *args, resize *r, ob_kernel_needs *needs, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    const int64_t width = (int64_t)ob_dtype_size(computing(r));
    int32_t first = r->known ? first_active(r->axes, in->rank) : 0;
    if (first >= in->rank) return OB_OK;
    int64_t each = most_behind(in, out, first), whole = 0, bytes = 0;
    r->block = CACHED_BYTES / width / 2 / each;
    if (r->block < 1 || !r->known) r->block = r->known ? 1 : INT32_MAX; /* if not known, whole axes */
    int64_t block = r->block < out->dims[first] ? r->block : out->dims[first];
    if (each == 1) block = out->dims[first]; /* a row is one block */
    if (each == 1) r->block = block > 0 ? block : 1;
    bool large = ob__mul_overflows(block, each, &r->most);
    if (in->dtype != computing(r)) whole = ob__product(in->dims, first, in->rank);
    large = large || ob__mul_overflows(r->most, 2 * width, &bytes) || ob__mul_overflows(whole, width, &whole) ||
            ob__add_overflows(bytes, whole, &bytes);
    OB_FAIL_IF(large, error, OB_E_LIMIT, "too large");
    needs->lane_bytes = (size_t)bytes;
    return OB_OK;
}

static ob_status plan_axes(const ob_kernel_site *site, const ob_kernel_args *args, const ob_resize_params *p, resize *r,
                           ob_kernel_needs *needs, ob_error *error) {
    const ob_view *in = &args->in[0], *out = &args->out[0];
    ob_resize_values values;
    r->rank = in->rank;
    r->axes = ob__tail(site, (uint64_t)in->rank + 1, sizeof *r->axes);
    OB_FAIL_IF(!r->axes, error, OB_E_MEMORY, "no memory for a plan");
    if (r->known) {
        OB_TRY(ob__read_resize_values(p, args, &values, error));
        OB_TRY(ob__describe_axes(p, &values, in, out, r->axes, error));
    }
    for (int32_t a = 0; a < in->rank; a++) {
        int64_t taps = r->known ? r->axes[a].k.taps : ob__most_taps(p, in->dims[a], out->dims[a]);
        size_t n_bytes;
        if (r->known && !r->axes[a].active) continue;
        OB_TRY(ob__resize_table_bytes(out->dims[a], taps, r->wide, &n_bytes, error));
        if (!r->known) {
            OB_TRY(ob__need_scratch(needs, (int64_t)n_bytes, 1, error));
            continue;
        }
        void *memory = ob__tail(site, n_bytes, 1);
        OB_FAIL_IF(!memory, error, OB_E_MEMORY, "no memory for a plan");
        ob__fill_resize_tables(p, &r->axes[a], r->wide, memory);
    }
    return r->known ? OB_OK : ob__need_scratch(needs, in->rank, sizeof *r->axes, error);
}

static void choose_loops(const ob_view *in, resize *r) {
    if (r->picks) {
        r->pick = OBK_LOOP(resize, ->pick);
        return;
    }
    const obk_resizes *loops = OBK_FAMILY(resize, ->along[r->wide]);
    const int32_t first = r->known ? first_active(r->axes, in->rank) : 0;
    for (int32_t a = first; a < in->rank; a++) {
        const bool last = ob__product(in->dims, a + 1, in->rank) == 1;
        if (r->known && !r->axes[a].active) continue;
        if (last) r->rows = loops->rows[r->wide];
        if (!last || a == first || !r->known) r->along = loops->along[r->wide]; /* blocks of the first axis */
    }
}

static ob_status keep_beyond(const ob_kernel_site *site, const ob_resize_params *p, ob_dtype dtype, resize *r, ob_error *error) {
    if (p->transformation != OB_RESIZE_TF_CROP_AND_RESIZE) return OB_OK;
    _Alignas(16) char element[16] = {0}; /* a string stays empty */
    (void)ob__convert(element, dtype, &p->extrapolation, OB_FLOAT, 1, NULL);
    return ob__keep_element(site, dtype, element, &r->beyond, error);
}

static ob_status keep_params(const ob_kernel_site *site, const ob_resize_params *p, resize *r, ob_error *error) {
    if (r->known) return OB_OK;
    ob_resize_params *kept = ob__tail(site, 1, sizeof *kept);
    OB_FAIL_IF(!kept, error, OB_E_MEMORY, "no memory for a plan");
    *kept = *p;
    r->p = kept;
    return OB_OK;
}

static ob_status resize_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    resize *r = args->state;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    ob_resize_params p;
    OB_TRY(ob__read_resize(site->node, site->op->since, &p, error));
    OB_FAIL_IF(p.unknown, error, OB_E_ARGUMENT, "%s is \"%s\"", p.unknown, p.unknown_text);
    OB_FAIL_IF(in->rank != out->rank, error, OB_E_SHAPE, "ranks differ");
    if (ob__count(out) == 0) return OB_OK;
    r->known = ob__resize_is_known(&p, args);
    r->wide = in_double(in->dtype);
    r->picks = p.mode == OB_RESIZE_NEAREST;
    if (!r->known) ob__need_resize_values(&p, args, needs);
    OB_TRY(keep_params(site, &p, r, error));
    OB_TRY(keep_beyond(site, &p, out->dtype, r, error));
    OB_TRY(plan_axes(site, args, &p, r, needs, error));
    choose_loops(in, r);
    int64_t row = (int64_t)ob_dtype_size(in->dtype) * (in->rank > 0 ? out->dims[in->rank - 1] : 1);
    r->n_each = CHUNK_BYTES / row + 1;
    if (r->picks) return OB_OK;
    OB_TRY(ob__convert(NULL, OB_FLOAT, NULL, in->dtype, 0, error));
    ob__need_conversion(needs, in->dtype, computing(r));
    ob__need_conversion(needs, computing(r), out->dtype);
    return plan_blocks(args, r, needs, error);
}

/* Makes the tables that depend on the data of the run, in its scratch memory. */
static ob_status find_axes(const ob_kernel_args *args, const resize *r, ob_resize_axis **axes, ob_error *error) {
    const ob_view *in = &args->in[0];
    ob_resize_values values;
    char *next = args->scratch;
    OB_TRY(ob__read_resize_values(r->p, args, &values, error));
    void *tables[OB_MAX_RANK];
    for (int32_t a = 0; a < in->rank; a++) {
        size_t n_bytes;
        OB_TRY(ob__resize_table_bytes(args->out[0].dims[a], ob__most_taps(r->p, in->dims[a], args->out[0].dims[a]), r->wide,
                                      &n_bytes, error));
        tables[a] = ob__take(&next, (int64_t)n_bytes, 1);
    }
    *axes = ob__take(&next, in->rank, sizeof **axes);
    OB_TRY(ob__describe_axes(r->p, &values, in, &args->out[0], *axes, error));
    for (int32_t a = 0; a < in->rank; a++)
        if ((*axes)[a].active) ob__fill_resize_tables(r->p, &(*axes)[a], r->wide, tables[a]);
    return OB_OK;
}

OB_RUN(ob__run_resize) {
    const resize *r = args->state;
    ob_resize_axis *axes = r->axes;
    if (ob__count(&args->out[0]) == 0) return OB_OK;
    if (!r->known) OB_TRY(find_axes(args, r, &axes, error));
    if (r->picks)
        pick(args, r, axes);
    else
        blend(args, r, axes);
    if (r->beyond.at) extrapolate(args, r, axes);
    return OB_OK;
}

/* The dims, if scales or sizes are known only at run time. */
static ob_status resize_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    const ob_view *in = &args->in[0];
    ob_view *out = &args->out[0];
    ob_resize_params p;
    ob_resize_values values;
    int32_t axes[OB_MAX_RANK], n;
    OB_TRY(ob__read_resize(site->node, site->op->since, &p, error));
    OB_FAIL_IF(p.unknown, error, OB_E_ARGUMENT, "%s is \"%s\"", p.unknown, p.unknown_text);
    OB_TRY(ob__resize_axes(&p, in->rank, axes, &n, error));
    OB_TRY(ob__read_resize_values(&p, args, &values, error));
    OB_FAIL_IF(values.n_scales != n && values.n_sizes != n, error, OB_E_ARGUMENT, "scales or sizes for %d axes", n);
    OB_TRY(ob__check_regions(&p, &values, n, error));
    double aspect = ob__kept_aspect(&p, &values, in->dims, axes, n);
    out->rank = in->rank;
    memcpy(out->dims, in->dims, sizeof out->dims);
    for (int32_t i = 0; i < n; i++) {
        int64_t *size = &out->dims[axes[i]];
        if (values.n_scales == n)
            *size = ob__resized(*size, ob__scale_of(&values, i, n));
        else
            *size = aspect > 0 ? ob__resized_alike(*size, aspect) : values.sizes[i];
        OB_FAIL_IF(*size < 0, error, OB_E_ARGUMENT, "a negative size");
    }
    return OB_OK;
}

const ob_kernel ob__kernel_resize = {.name = "resize",
                                     .state_bytes = sizeof(resize),
                                     .state = &resize_struct,
                                     .plan = resize_plan,
                                     OB_RUNS(ob__run_resize),
                                     .shape = resize_shape};
