/* Carries out the steps of an Einsum. */
#include "core/base/integers.h"
#include "core/graph/types.h"
#include "kernels/reduce/reduce.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/product/einsum.h"

static void *find(const ob_kernel_args *args, ob_einsum_location place) {
    switch (place.memory) {
    case OB_EINSUM_INPUT: return args->in[place.at].data;
    case OB_EINSUM_OUTPUT: return args->out[0].data;
    default: return (char *)args->scratch + place.at;
    }
}

/* Keeps the low bytes of integers. */
static void narrow(void *to, const int32_t *from, int64_t n, size_t width) {
    if (width == 1)
        for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = (uint8_t)from[i];
    else
        for (int64_t i = 0; i < n; i++) ((uint16_t *)to)[i] = (uint16_t)from[i];
}

static ob_status convert(const ob_kernel_args *args, const ob_view *in, const ob_view *out, ob_error *error) {
    const int64_t n = ob__count(out);
    const size_t width = ob_dtype_size(out->dtype);
    if (in->dtype != OB_INT32 || width > 2) return ob__convert_many(args, out->data, out->dtype, in->data, in->dtype, n, error);
    enum { SOME = 1 << 16 };
    obk_pace pace = ob__pace(args->threads);
    for (int64_t done = 0; done < n && !obk_stops(&pace, SOME); done += SOME)
        narrow((char *)out->data + done * (int64_t)width, (const int32_t *)in->data + done, n - done < SOME ? n - done : SOME,
               width);
    return OB_OK;
}

typedef struct job {
    const ob_einsum_step *step;
    const void *in;
    void *out;
    const ob_kernel_args *args;
} job;

static void sum_parts(void *context, int64_t begin, int64_t end, int lane) {
    const job *j = context;
    j->step->sum(j->step->reduction, j->out, j->in, begin, end, ob__lane(j->args->lanes, j->args->lane_stride, lane));
}

static void sum(const ob_einsum_step *step, const void *in, void *out, const ob_kernel_args *args) {
    enum { WORK = 1 << 15 };
    const obk_reduction *r = step->reduction;
    job j = {step, in, out, args};
    int64_t n = r->columns ? ob__ceil_div(r->inner, OBK_REDUCE_COLUMNS) : r->kept[0];
    ob__parallel_lanes(args->threads, n, WORK / (r->n_folded * (r->columns ? OBK_REDUCE_COLUMNS : 1) + 1) + 1, sum_parts, &j);
}

static ob_status multiply_matrices(const ob_einsum_step *step, ob_view *in, ob_view *out, const ob_kernel_args *args,
                                   ob_error *error) {
    ob_kernel_args own = {.n_in = 2,
                          .n_out = 1,
                          .in = in,
                          .out = out,
                          .state = step->product,
                          .scratch = (char *)args->scratch + step->scratch,
                          .lanes = args->lanes,
                          .lane_stride = args->lane_stride,
                          .threads = args->threads,
                          .conversions = args->conversions};
    return ob__run_product(&own, error);
}

/* ---- Direct summation ---- */

/* Advances to the next combination of the labels begin .. end - 1. False: it starts again with the first one. */
static bool advance(const ob_einsum_direct *d, int32_t begin, int32_t end, int64_t *index, int64_t *offsets) {
    for (int32_t l = end - 1; l >= begin; l--) {
        const int64_t *steps = d->strides + (size_t)l * d->n_tensors;
        bool wraps = ++index[l] == d->dims[l];
        int64_t times = wraps ? 1 - d->dims[l] : 1;
        for (uint32_t t = 0; t < d->n_tensors; t++) offsets[t] += times * steps[t];
        if (!wraps) return true;
        index[l] = 0;
    }
    return false;
}

static double real_at(const char *from, bool is_double) {
    return is_double ? *(const double *)(const void *)from : (double)*(const float *)(const void *)from;
}
static uint64_t integer_at(const char *from, bool is_wide) {
    return is_wide ? *(const uint64_t *)(const void *)from : *(const uint32_t *)(const void *)from;
}

typedef struct total {
    double real;
    uint64_t integer; /* modulo 2^64 */
} total;

static total one_result(const ob_einsum_direct *d, const ob_kernel_args *args, ob_dtype dtype, int64_t *index, int64_t *offsets) {
    const bool is_real = ob__dtype_is_real_or_half(dtype), is_wide = ob_dtype_size(dtype) == 8;
    total sum = {0, 0};
    int64_t n = 0;
    do {
        double real = 1;
        uint64_t integer = 1;
        for (uint32_t t = 0; t < d->n_tensors; t++) {
            const char *at = (const char *)find(args, d->locations[t]) + offsets[t];
            if (is_real)
                real *= real_at(at, is_wide);
            else
                integer *= integer_at(at, is_wide);
        }
        sum.real += real;
        sum.integer += integer;
        if (++n % (1 << 12) == 0 && ob__stopped(args->threads)) break;
    } while (advance(d, d->n_kept, d->n_labels, index, offsets));
    return sum;
}

static void store(void *out, int64_t i, ob_dtype dtype, total sum) {
    const bool is_wide = ob_dtype_size(dtype) == 8;
    if (dtype == OB_FLOAT)
        ((float *)out)[i] = (float)sum.real;
    else if (dtype == OB_DOUBLE)
        ((double *)out)[i] = sum.real;
    else if (is_wide)
        ((uint64_t *)out)[i] = sum.integer;
    else
        ((uint32_t *)out)[i] = (uint32_t)sum.integer;
}

static void run_direct(const ob_einsum_step *step, void *out, const ob_kernel_args *args) {
    const ob_einsum_direct *d = step->direct;
    int64_t index[OB_EINSUM_LABELS] = {0}, *offsets = (int64_t *)(void *)((char *)args->scratch + d->offsets), i = 0;
    for (uint32_t t = 0; t < d->n_tensors; t++) offsets[t] = 0;
    do {
        store(out, i++, step->shapes[2].dtype, one_result(d, args, step->shapes[2].dtype, index, offsets));
        if (ob__stopped(args->threads)) return;
    } while (advance(d, 0, d->n_kept, index, offsets));
}

/* ---- Steps ---- */

static void set_view(ob_view *view, const ob_einsum_shape *shape, void *data) {
    const size_t n_bytes = (size_t)shape->rank * sizeof *shape->sizes;
    view->dtype = shape->dtype;
    view->rank = shape->rank;
    view->data = data;
    if (n_bytes == 0) return;
    memcpy(view->dims, shape->sizes, n_bytes);
    memcpy(view->strides, shape->sizes + shape->rank, n_bytes);
}

/* views: room for three. */
static ob_status run_step(const ob_einsum_step *step, const ob_kernel_args *args, ob_view *views, ob_error *error) {
    ob_view *in = views, *out = &views[2];
    for (int k = 0; k < 2; k++) set_view(&in[k], &step->shapes[k], find(args, step->from[k]));
    set_view(out, &step->shapes[2], find(args, step->to));
    switch (step->kind) {
    case OB_EINSUM_COPY: ob__copy_contiguous(&in[0], out->data, args->threads); return OB_OK;
    case OB_EINSUM_CONVERT: return convert(args, &in[0], out, error);
    case OB_EINSUM_SUM: sum(step, in[0].data, out->data, args); return OB_OK;
    case OB_EINSUM_MULTIPLY:
        obk_iteration_run(step->blocks, in, out, args->threads, args->lanes, args->lane_stride);
        return OB_OK;
    case OB_EINSUM_PRODUCT: return multiply_matrices(step, in, out, args, error);
    case OB_EINSUM_DIRECT: run_direct(step, out->data, args); return OB_OK;
    }
    return OB_OK;
}

ob_status ob__run_einsum(const ob_kernel_args *args, ob_error *error) {
    const ob_einsum *e = args->state;
    const ob_view *out = &args->out[0];
    if (e->is_zero) ob__fill_elements(out->data, ob__count(out), ob_dtype_size(out->dtype), NULL, args->threads);
    for (const ob_einsum_step *step = e->steps; step && !ob__stopped(args->threads); step = step->next)
        OB_TRY(run_step(step, args, (ob_view *)args->scratch, error));
    return OB_OK;
}
